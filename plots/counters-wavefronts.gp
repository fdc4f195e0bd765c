# Wavefronts that one shared-memory instruction takes: 1 is the ideal for 4-byte words.
#
# usage: gnuplot -c counters-wavefronts.gp VALUES OUTPUT; VALUES as in bars.gp.

output_file = ARG2
values_file = ARG1
load "theme.gp"
load values_file

x_text = "wavefronts per instruction"
x_format = "%g" # a ratio
load "bars.gp"
