# The one theme: 16:9, type that can be read from the last row of a lecture hall, colours of Okabe
# and Ito that stay apart for colour-blind eyes. The suffix of `output_file` picks SVG or PNG.
# The chart scripts set `output_file` before they load this.

if (output_file[strlen(output_file) - 3:] eq ".svg") {
    set terminal svg size 1920,1080 font "DejaVu Sans,32" background "#ffffff" linewidth 1
    dot = 0.7 # svg draws points more than twice as large
} else {
    # pngcairo counts points where svg counts pixels; fontscale keeps both alike.
    set terminal pngcairo size 1920,1080 font "DejaVu Sans,32" fontscale 0.75 \
        background "#ffffff" linewidth 1
    dot = 1.6
}
set output output_file
set encoding utf8

ink = 0x222222
pale = 0xaac8dd
strong = 0x0072b2
peer_pale = 0x999999
ceiling = 0xd55e00

# Grey (yellow is too faint on a projector), blue, vermilion, green, purple, orange, sky blue and
# black: the first step is the faintest, the last of eight the strongest.
set linetype 1 lc rgb 0x777777 lw 5 pt 7 ps dot
set linetype 2 lc rgb 0x0072b2 lw 5 pt 5 ps dot
set linetype 3 lc rgb 0xd55e00 lw 5 pt 9 ps dot
set linetype 4 lc rgb 0x009e73 lw 5 pt 13 ps dot
set linetype 5 lc rgb 0xcc79a7 lw 5 pt 11 ps dot
set linetype 6 lc rgb 0xe69f00 lw 5 pt 7 ps dot
set linetype 7 lc rgb 0x56b4e9 lw 5 pt 5 ps dot
set linetype 8 lc rgb 0x000000 lw 5 pt 9 ps dot
set linetype cycle 8

set border 3 lc rgb ink lw 2
set tics nomirror out scale 0.6 textcolor rgb ink
set grid lc rgb 0xdddddd lw 1.5 lt 1
set key off
