# Wavefronts of the accesses to shared memory, as a multiple of the fewest: 1 is without bank conflicts.
#
# usage: gnuplot -c counters-wavefronts.gp VALUES OUTPUT; VALUES as in bars.gp.

output_file = ARG2
values_file = ARG1
load "theme.gp"
load values_file

x_text = "wavefronts, as a multiple of the fewest: 1 is without conflicts"
x_format = "%g" # a ratio
load "bars.gp"
