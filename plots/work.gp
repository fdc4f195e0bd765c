# Work done against the number of elements, a line for each step.
#
# usage: gnuplot -c work.gp VALUES OUTPUT; VALUES as in lines.gp, and x_text, y_text.

output_file = ARG2
values_file = ARG1
load "theme.gp"
load values_file

set logscale x 2
set xtics format "2^{%L}"
set yrange [0:top]
load "lines.gp"
