# The ladder of a family: a bar for each step's variant, its rate as length, the step speed-up
# after it. The best of each step is dark. The copy rate of the same run is a labelled line.
#
# usage: gnuplot -c ladder.gp VALUES OUTPUT
# VALUES sets title_text, x_text, bars, top (of the rate axis), ceiling_at (0: none),
# ceiling_text, longest (letters of the longest name) and $bars: row, rate, colour (0 pale, 1 best,
# 2 peer), "name", "label".

output_file = ARG2
values_file = ARG1
load "theme.gp"
load values_file

load "titles.gp"
set lmargin at screen 0.035 + 0.0098 * longest
set rmargin at screen 0.965
set tmargin at screen (ceiling_at > 0 ? 0.86 : 0.90)
set bmargin at screen 0.15
set xrange [0:top]
set yrange [bars + 0.6:0.4]
set grid xtics noytics
set ytics scale 0
if (bars > 18) set ytics font ",26"
colour(kind) = kind == 1 ? strong : kind == 2 ? peer_pale : pale

if (ceiling_at > 0) {
    set arrow 1 from ceiling_at, graph 0 to ceiling_at, graph 1 nohead lc rgb ceiling lw 5 dt 2 back
    set label 1 ceiling_text at ceiling_at, graph 1.03 center textcolor rgb ceiling font ",30"
}
# Labels stand on white, so that the copy's line does not cross them; those of bars that end near
# the right edge go inside, in white on dark or ink on pale.
set style textbox opaque noborder fillcolor rgb 0xffffff margins 0.4,0.1
do for [i = 1:bars] {
    rate = real(word($bars[i], 2))
    if (rate > 0.86 * top) {
        set label 200 + i word($bars[i], 5) at rate, i right offset -0.6,0 front font ",28" \
            textcolor rgb (word($bars[i], 3) eq "1" ? 0xffffff : ink)
    } else {
        set label 200 + i word($bars[i], 5) at rate, i left offset 0.6,0 front font ",28" \
            textcolor rgb ink boxed
    }
}
plot $bars using ($2 / 2):1:(0):2:($1 - 0.39):($1 + 0.39):(colour($3)):ytic(4) \
         with boxxyerror fillstyle solid 1 noborder lc rgb variable
