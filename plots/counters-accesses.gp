# Memory instructions of a run, counted per warp: global and shared.
#
# usage: gnuplot -c counters-accesses.gp VALUES OUTPUT; VALUES as in bars.gp.

output_file = ARG2
values_file = ARG1
load "theme.gp"
load values_file

x_text = "instructions, summed over warps: short is good"
load "bars.gp"
