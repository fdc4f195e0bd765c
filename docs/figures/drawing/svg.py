"""What all figures are made of: boxes, texts, lines and arrows, in the colours of the charts."""

# The colours of plots/theme.gp.
INK, QUIET, LINE = "#222222", "#777777", "#bbbbbb"
BLUE, RED, GREEN, PURPLE, ORANGE = "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00"
# Words are darker than what they name where that is pale: text needs a contrast of 4.5.
SPOKEN = {QUIET: "#666666", RED: "#b34e00", GREEN: "#00704f", PURPLE: "#a8457c", ORANGE: "#805800"}
PALE = {BLUE: "#d6e8f4", RED: "#fbe3d3", GREEN: "#d3efe6", PURPLE: "#f5e4ee", ORANGE: "#fbedd0",
        QUIET: "#eeeeee", "white": "#ffffff"}


class Figure:
    def __init__(self, width, height):
        self.width, self.height, self.parts = width, height, []

    def box(self, x, y, w, h, text="", colour=QUIET, size=15, strong=False, round_=3):
        fill = colour if strong else PALE[colour]
        ink = "#ffffff" if strong else INK
        edge = LINE if colour in (QUIET, "white") else colour
        self.parts.append(f'<rect x="{x:g}" y="{y:g}" width="{w:g}" height="{h:g}" rx="{round_}" '
                          f'fill="{fill}" stroke="{edge}" stroke-width="1.2"/>')
        if text != "":
            self.text(x + w / 2, y + h / 2 + size * 0.35, text, size, "middle", ink)

    def spans(self, y, name, left, spans):
        """A row of a picture in time: its name, and from `left` on (begin, end, text, colour) of each span."""
        self.text(20, y + 21, name, 14)
        for begin, end, text, colour in spans:
            self.box(left + begin, y, end - begin - 3, 30, text, colour, 13)

    def text(self, x, y, text, size=15, anchor="start", colour=INK, bold=False, mono=False):
        text = str(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        more = ' font-weight="bold"' if bold else ""
        more += ' font-family="DejaVu Sans Mono, monospace"' if mono else ""
        self.parts.append(f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" text-anchor="{anchor}" '
                          f'fill="{SPOKEN.get(colour, colour)}"{more}>{text}</text>')

    def line(self, x1, y1, x2, y2, colour=INK, width=1.5, arrow=False, dash=""):
        more = ' marker-end="url(#a%s)"' % colour[1:] if arrow else ""
        more += f' stroke-dasharray="{dash}"' if dash else ""
        self.parts.append(f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" '
                          f'stroke="{colour}" stroke-width="{width:g}"{more}/>')

    def save(self, path):
        arrows = "".join(
            f'<marker id="a{c[1:]}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
            f'markerHeight="7" orient="auto"><path d="M0,0 L8,4 L0,8 z" fill="{c}"/></marker>'
            for c in (INK, QUIET, BLUE, RED, GREEN, PURPLE, ORANGE))
        with open(path, "w", encoding="utf-8") as file:
            file.write(f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" '
                       f'height="{self.height}" viewBox="0 0 {self.width} {self.height}" '
                       f'font-family="DejaVu Sans, sans-serif"><defs>{arrows}</defs>\n'
                       f'<rect width="100%" height="100%" fill="#ffffff"/>\n'
                       + "\n".join(self.parts) + "\n</svg>\n")
