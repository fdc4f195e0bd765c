# The title and the names of the axes, at places of the canvas: where gnuplot itself would put them
# differs between SVG and PNG. The values file sets title_text; x_text is set too,
# and y_text where there is one.

# A long title has smaller letters, so that it is whole.
letters = strlen(title_text) > 77 ? int(40.0 * 77 / strlen(title_text)) : 40
set label 101 title_text at screen 0.5,0.955 center font sprintf(",%d", letters) textcolor rgb ink
set label 102 x_text at screen 0.5,0.045 center font ",32" textcolor rgb ink
if (exists("y_text")) {
    set label 103 y_text at screen 0.018,0.525 center rotate by 90 font ",32" textcolor rgb ink
}
