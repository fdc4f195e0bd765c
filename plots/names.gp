# Names of single points, where plots/charts/names.py has placed them. Sets the margins that it reckons with.
set lmargin at screen 0.105
set rmargin at screen 0.965
set tmargin at screen 0.90
set bmargin at screen 0.15
set style textbox opaque noborder fillcolor rgb 0xffffff margins 0.2,0.1 # hides the end of the line below it
do for [i = 1:names] {
    if (name_led[i]) {
        set arrow 500 + i from graph name_at_x[i], graph name_at_y[i] to name_of_x[i], name_of_y[i] nohead \
            lc rgb 0x888888 lw 2 back
    }
    set label 500 + i name[i] at graph name_at_x[i], graph name_at_y[i] center front boxed \
        textcolor rgb (name_size[i] > 25 ? ink : 0x555555) font sprintf(",%d", name_size[i])
}
