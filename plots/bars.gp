# What the charts of counters share: a bar for each step's variant, in up to two parts laid end to
# end, named in the colours of the parts. Not called by itself.
#
# The values file sets title_text, bars, top, parts, part_name[1..2], longest (letters of
# the longest name) and $bars: row, first part, second part, "name", "label".

load "titles.gp"
set lmargin at screen 0.035 + 0.0098 * longest
set rmargin at screen 0.965
set tmargin at screen (parts == 2 ? 0.86 : 0.90)
set bmargin at screen 0.15
set xrange [0:top]
set yrange [bars + 0.6:0.4]
set grid xtics noytics
set ytics scale 0
if (bars > 18) set ytics font ",26"

second = 0xd55e00
if (parts == 2) {
    # The square has the colour, the words are read.
    set label 1 "■" at graph 0.0, graph 1.03 left textcolor rgb strong font ",30"
    set label 2 "■" at graph 0.5, graph 1.03 left textcolor rgb second font ",30"
    set label 3 part_name[1] at graph 0.0, graph 1.03 left offset 1.6,0 textcolor rgb ink font ",30"
    set label 4 part_name[2] at graph 0.5, graph 1.03 left offset 1.6,0 textcolor rgb ink font ",30"
}
plot $bars using ($2 / 2):1:(0):2:($1 - 0.39):($1 + 0.39):ytic(4) \
         with boxxyerror fillstyle solid 1 noborder lc rgb strong, \
     $bars using ($2 + $3 / 2):1:2:($2 + $3):($1 - 0.39):($1 + 0.39) \
         with boxxyerror fillstyle solid 1 noborder lc rgb second, \
     $bars using ($2 + $3):1:5 with labels left offset 0.6,0 textcolor rgb ink font ",28"
