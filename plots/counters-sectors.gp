# The 32-byte sectors of global memory that loads and stores ask for, in bytes per element.
#
# usage: gnuplot -c counters-sectors.gp VALUES OUTPUT; VALUES as in bars.gp, and element, what n counts.

output_file = ARG2
values_file = ARG1
load "theme.gp"
load values_file

x_text = "bytes of sectors per ".element.": short is good"
x_format = "%g" # a ratio
load "bars.gp"
