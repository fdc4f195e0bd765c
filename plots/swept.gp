# What a step that measures one thing came to, against what it swept: a line for each variant.
#
# usage: gnuplot -c swept.gp VALUES OUTPUT; VALUES as in lines.gp, and x_text, y_text, logarithmic (x),
# log_y, bottom.

output_file = ARG2
values_file = ARG1
load "theme.gp"
load values_file

if (logarithmic) {
    set logscale x 2
    set xtics format "2^{%L}"
}
if (log_y) {
    set logscale y 10
    set yrange [bottom:top]
} else {
    set yrange [0:top]
}
load "lines.gp"
