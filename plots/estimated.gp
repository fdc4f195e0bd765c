# Estimated times against measured ones, both logarithmic. Dark: 2^20 elements or more. The line is where
# both are equal; the dashed ones are a fifth off.
#
# usage: gnuplot -c estimated.gp VALUES OUTPUT
# VALUES sets title_text, left, right, $points: measured, estimated, dark, and what names.gp needs.

output_file = ARG2
values_file = ARG1
load "theme.gp"
load values_file

x_text = "measured, us"
y_text = "estimated, us"
load "titles.gp"
load "names.gp"
set logscale xy
set xrange [left:right]
set yrange [left:right]
set xtics format "%g"
set ytics format "%g"

set arrow 1 from left, left to right, right nohead lc rgb ink lw 3 back
set arrow 2 from left, 1.2 * left to right / 1.2, right nohead lc rgb ceiling lw 3 dt 2 back
set arrow 3 from 1.25 * left, left to right, 0.8 * right nohead lc rgb ceiling lw 3 dt 2 back
set label 1 "equal" at 0.35 * right, 0.5 * right right textcolor rgb ink font ",26"
set label 2 "a fifth off" at 0.55 * right, 0.35 * right left textcolor rgb ceiling font ",26"
plot $points using 1:($3 == 0 ? $2 : 1 / 0) with points pt 7 ps 1.4 * dot lc rgb pale, \
     $points using 1:($3 == 1 ? $2 : 1 / 0) with points pt 7 ps 1.4 * dot lc rgb strong
