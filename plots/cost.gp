# The cost of one item that a run repeats, against the blocks that take part, a line for each
# method. Both axes are logarithmic: a poor method can be tens of times dearer than the others.
#
# usage: gnuplot -c cost.gp VALUES OUTPUT; VALUES as in lines.gp, and x_text, y_text, bottom.

output_file = ARG2
values_file = ARG1
load "theme.gp"
load values_file

set logscale x 2
set logscale y 10
set ytics format "%.0f"
set yrange [bottom:top]
load "lines.gp"
