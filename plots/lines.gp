# What the line charts share: lines labelled at their ends. A chart's own script sets the axes,
# then loads this. Not called by itself.
#
# The values file sets title_text, lines, left, right, top, label_x (where the labels begin),
# and for line I: name[I], dashed[I] (0 a step's; 1, 2, ... what it is compared with, each with
# another dash; -1 a ceiling), colour[I], label_y[I]; $lineI: x, y; and end_x[I], end_y[I]. A line without a name
# lies on one of the same colour, which has it. Where there are marks: marks, mark[J], mark_x[J], mark_y[J],
# mark_left[J], whether its words end there; else they begin at the left.

grey = 0x555555
beside(i) = dashed[i] < 0 ? ceiling : grey

load "titles.gp"
set lmargin at screen top >= 100000 ? 0.12 : 0.105 # beside numbers of six digits, too
longest = 6
do for [i = 1:lines] { longest = strlen(name[i]) > longest ? strlen(name[i]) : longest }
set rmargin at screen 0.95 - 0.0086 * longest
set tmargin at screen 0.90
set bmargin at screen 0.15
set xrange [left:right]

do for [i = 1:lines] {
    if (dashed[i]) {
        pattern = dashed[i] < 0 ? 5 : 1 + dashed[i]
        set style line i lc rgb beside(i) lw 4 dt pattern ps 0.05
        set arrow i from first end_x[i], first end_y[i] to graph 1.035, graph label_y[i] \
            nohead lc rgb beside(i) lw 1.5
        set label i name[i] at graph 1.04, graph label_y[i] left textcolor rgb beside(i) \
            font ",28"
    } else {
        k = of_line(colour[i])
        set style line i lc rgb line_colour[k] lw 5 pt line_point[k] ps dot
        if (strlen(name[i]) > 0) {
            # A thin leader from the line's end to its label, which may have moved to clear another.
            set arrow i from first end_x[i], first end_y[i] to graph 1.035, graph label_y[i] \
                nohead lc rgb line_colour[k] lw 1.5
            set label i name[i] at graph 1.04, graph label_y[i] left textcolor rgb name_colour[k] font ",28"
        }
    }
}
if (exists("marks")) {
    do for [j = 1:marks] {
        if (mark_left[j]) {
            set label 300 + j mark[j] at mark_x[j], mark_y[j] right offset 0,0.8 textcolor rgb ink font ",24"
        } else {
            set label 300 + j mark[j] at left, mark_y[j] left offset 0.6,0.8 textcolor rgb ink font ",24"
        }
    }
}
plot for [i = 1:lines] sprintf("$line%d", i) using 1:2 with linespoints ls i
