# 32-byte sectors that one global request moves: 4 are the ideal for 4-byte words.
#
# usage: gnuplot -c counters-sectors.gp VALUES OUTPUT; VALUES as in bars.gp.

output_file = ARG2
values_file = ARG1
load "theme.gp"
load values_file

x_text = "sectors per request"
x_format = "%g" # a ratio
load "bars.gp"
