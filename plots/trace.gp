# One warp's access: 32 lanes against the banks of shared memory, or against the sectors of global
# memory. A square for each word that a lane touches.
#
# usage: gnuplot -c trace.gp VALUES OUTPUT; VALUES sets title_text, x_text, y_text, verdict, bad (1
# where it costs more than it must), places (rows of the picture), $cells: lane, row; and $labels:
# row, "label".

output_file = ARG2
values_file = ARG1
load "theme.gp"
load values_file

load "titles.gp"
set lmargin at screen 0.13
set rmargin at screen 0.965
set tmargin at screen 0.845
set bmargin at screen 0.15
set xrange [-0.7:31.7]
set yrange [places - 0.3:-0.7]
set xtics 0,4,31
set mxtics 4
set ytics scale 0
set label 1 verdict at graph 0.5, graph 1.05 center font ",32" \
    textcolor rgb (bad ? ceiling : strong)
half = places > 12 ? 0.40 : 0.30
plot $labels using (-9):1:ytic(2) with points ps 0, \
     $cells using 1:2:($1 - 0.40):($1 + 0.40):($2 - half):($2 + half) \
         with boxxyerror fillstyle solid 1 noborder lc rgb (bad ? ceiling : strong)
