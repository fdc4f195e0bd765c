# Rate against size, both logarithmic: the best variant of each step, its library's and the copy's dashed.
#
# usage: gnuplot -c rate.gp VALUES OUTPUT; VALUES as in lines.gp, and x_text, y_text, bottom.

output_file = ARG2
values_file = ARG1
load "theme.gp"
load values_file

set logscale x 2
set xtics format "2^{%L}"
set logscale y 10
set ytics format "%g"
set yrange [bottom:top]
load "lines.gp"
