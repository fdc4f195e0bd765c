# Barriers that a run passes, counted a block.
#
# usage: gnuplot -c counters-barriers.gp VALUES OUTPUT; VALUES as in bars.gp.

output_file = ARG2
values_file = ARG1
load "theme.gp"
load values_file

x_text = "barriers, summed over blocks"
load "bars.gp"
