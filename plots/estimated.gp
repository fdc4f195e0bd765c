# Estimated by measured time against the measured one, both logarithmic. Dark: 2^20 elements or more. At 1 both are
# equal; the dashed lines are a fifth off.
#
# usage: gnuplot -c estimated.gp VALUES OUTPUT
# VALUES sets title_text, x_text, y_text, left, right, bottom, top, $points: measured, ratio, dark, and what names.gp
# needs.

output_file = ARG2
values_file = ARG1
load "theme.gp"
load values_file

load "titles.gp"
load "names.gp"
set logscale xy
set xrange [left:right]
set yrange [bottom:top]
set xtics format "%g"
set ytics (0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 4)

set arrow 1 from left, 1 to right, 1 nohead lc rgb ink lw 3 back
set arrow 2 from left, 1.2 to right, 1.2 nohead lc rgb ceiling lw 3 dt 2 back
set arrow 3 from left, 0.8 to right, 0.8 nohead lc rgb ceiling lw 3 dt 2 back
set label 1 "a fifth more" at right, 1.2 right offset 0,0.6 textcolor rgb ceiling font ",26"
set label 2 "a fifth less" at right, 0.8 right offset 0,-0.7 textcolor rgb ceiling font ",26"
plot $points using 1:($3 == 0 ? $2 : 1 / 0) with points pt 7 ps 1.4 * dot lc rgb pale, \
     $points using 1:($3 == 1 ? $2 : 1 / 0) with points pt 7 ps 1.4 * dot lc rgb strong
