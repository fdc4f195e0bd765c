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
ceiling = 0xb34e00 # vermilion, which no step has

# Grey (yellow is too faint on a projector), blue, green, purple, orange, sky blue and black: the first step is the
# faintest, the last of seven the strongest. A line's name is darker than the line where that is pale: text needs a
# contrast of 4.5.
array line_colour[7] = [0x6f6f6f, 0x0072b2, 0x009e73, 0xcc79a7, 0xe69f00, 0x56b4e9, 0x000000]
array name_colour[7] = [0x6f6f6f, 0x0072b2, 0x007a59, 0xa8457c, 0x8a5f00, 0x1f6f9c, 0x000000]
array line_point[7] = [7, 5, 13, 11, 9, 15, 7]
of_line(i) = (i - 1) % 7 + 1

set border 3 lc rgb ink lw 2
set tics nomirror out scale 0.6 textcolor rgb ink
set grid lc rgb 0xdddddd lw 1.5 lt 1
set key off
