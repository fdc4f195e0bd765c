# Barriers of blocks that a run passes, counted once per warp.
#
# usage: gnuplot -c counters-barriers.gp VALUES OUTPUT; VALUES as in bars.gp.

output_file = ARG2
values_file = ARG1
load "theme.gp"
load values_file

x_text = "barriers, counted once per warp: short is good"
load "bars.gp"
