# Counters of a run: a bar for each step's variant.
#
# usage: gnuplot -c counters.gp VALUES OUTPUT; VALUES as in bars.gp, and x_text.

output_file = ARG2
values_file = ARG1
load "theme.gp"
load values_file
load "bars.gp"
