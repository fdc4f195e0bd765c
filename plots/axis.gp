# Rate against another axis than the size: the best variant of each step, its libraries' dashed.
#
# usage: gnuplot -c axis.gp VALUES OUTPUT; VALUES as in lines.gp, and x_text, y_text, logarithmic.

output_file = ARG2
values_file = ARG1
load "theme.gp"
load values_file

if (logarithmic) {
    set logscale x 2
    set xtics format "2^{%L}"
}
set yrange [0:top]
load "lines.gp"
