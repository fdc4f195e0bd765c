# When each operation of a run began and ended: a row for each engine, a box for each operation.
#
# usage: gnuplot -c timeline.gp VALUES OUTPUT; VALUES sets title_text, x_text, rows, top, longest (letters of the
# longest name), $boxes: begin, end, row, colour; $rows: row, "name", "heading"; $numbers: x, row, number.

output_file = ARG2
values_file = ARG1
load "theme.gp"
load values_file

load "titles.gp"
set lmargin at screen 0.035 + 0.0098 * longest
set rmargin at screen 0.965
set tmargin at screen 0.90
set bmargin at screen 0.15
set xrange [0:top]
set yrange [rows + 0.6:0.4]
set grid xtics noytics
set ytics scale 0

array fill[3] = [strong, 0x007a59, ceiling]
colour(k) = fill[int(k) + 1]
plot $boxes using (($1 + $2) / 2):3:1:2:($3 - 0.36):($3 + 0.36):(colour($4)) \
         with boxxyerror fillstyle solid 1 border lc rgb 0xffffff lc rgb variable, \
     $numbers using 1:2:(sprintf("%d", $3)) with labels center textcolor rgb 0xffffff font ",24", \
     $rows using (-top):1:ytic(2) with points ps 0, \
     $rows using (0):1:3 with labels left offset 0.5,0 textcolor rgb ink font ",30"
