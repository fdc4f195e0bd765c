# The roofline: rate against operations per byte that is asked for, both logarithmic. The best variant
# of each step is dark, and has its name. Dashed: the copy's rate (memory), the multiply-adds' (arithmetic), libraries.
#
# usage: gnuplot -c roofline.gp VALUES OUTPUT
# VALUES sets title_text, x_text, y_text, points, copy (GB/s; 0: none), roof (GFLOP/s; 0: none), left, right, bottom,
# top, peers, peer_name, peer_rate, $points: x, y, best, and what names.gp needs.

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
set ytics format "%g"

if (copy > 0) {
    knee = (roof > 0 ? roof : top) / copy
    low = bottom / copy > left ? bottom / copy : left
    set arrow 1 from low, low * copy to (knee < right ? knee : right), \
        (knee < right ? knee : right) * copy nohead lc rgb ceiling lw 4 dt 2 back
    set label 1 sprintf("memory: a copy, %.0f GB/s", copy) at left * 5.6, left * copy * 3.4 left \
        textcolor rgb ceiling font ",26"
}
if (roof > 0) {
    set arrow 2 from left, roof to right, roof nohead lc rgb ceiling lw 4 dt 2 back
    set label 2 sprintf("multiply-adds alone: %.0f GFLOP/s", roof) at left, roof * 1.22 left offset 1,0 \
        textcolor rgb ceiling font ",26"
}
do for [i = 1:peers] {
    set arrow 10 + i from left, peer_rate[i] to right, peer_rate[i] nohead lc rgb peer_pale lw 3 dt 3 back
    set label 10 + i peer_name[i] at left, peer_rate[i] left offset 1,-0.6 textcolor rgb 0x555555 font ",26"
}
plot $points using 1:($3 == 1 ? $2 : 1 / 0) with points pt 7 ps 2 * dot lc rgb strong, \
     $points using 1:($3 == 0 ? $2 : 1 / 0) with points pt 7 ps 2 * dot lc rgb pale
