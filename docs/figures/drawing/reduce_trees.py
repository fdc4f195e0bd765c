"""reduce0 to reduce3: which elements are added, and by which thread."""
from docs.figures.drawing.svg import BLUE, GREEN, ORANGE, PURPLE, QUIET, RED, Figure
from docs.figures.drawing.traces import recorded


def reduce0():
    """Seven elements, halved three times."""
    f, w, n, y = Figure(900, 352), 64, 7, 46
    f.text(20, 26, "global memory, one launch per halving", 16, bold=True)
    for _ in range(4):
        for i in range(7):
            live = i < n
            f.box(20 + i * w, y, w - 8, 36, f"x[{i}]" if live else "", BLUE if live else QUIET)
        if n == 1:
            f.text(490, y + 24, "the sum")
            break
        m = (n + 1) // 2
        for i in range(n - m):
            f.line(20 + (i + m) * w + 28, y + 38, 20 + i * w + 34, y + 82, RED, arrow=True)
        if n - m < m:
            f.line(20 + (m - 1) * w + 28, y + 38, 20 + (m - 1) * w + 28, y + 82, QUIET, dash="4 3")
        f.text(490, y + 24, f"n = {n}, m = {m}: {n - m} addition{'s' if n - m > 1 else ''}")
        if n % 2:
            f.text(490, y + 46, f"n is odd: x[{m - 1}] stays as it is", 14, colour=QUIET)
        n, y = m, y + 84
    return f


def stride_rows(f, y, owner, title, verdict, colour):
    colours = [BLUE, GREEN, ORANGE, PURPLE]
    f.text(20, y, title, 16, bold=True)
    for i in range(16):
        f.box(20 + i * 54, y + 14, 46, 34, f"t{owner(i)}", colours[owner(i)])
        f.text(43 + i * 54, y + 64, i, 12, "middle", QUIET)
    first = [i for i in range(16) if owner(i) == 0][0:1] + \
        [min(i for i in range(16) if owner(i) == t) for t in (1, 2, 3)]
    for i in first:
        f.line(43 + i * 54, y + 96, 43 + i * 54, y + 70, colour, 2, arrow=True)
    f.text(20, y + 116, verdict, 15, colour=colour)


def reduce1():
    f = Figure(900, 310)
    stride_rows(f, 26, lambda i: i % 4, "strided slices: thread t reads t, t + 4, t + 8, ...",
                "The first load of the four threads is one piece of memory: one coalesced request.",
                BLUE)
    stride_rows(f, 182, lambda i: i // 4, "contiguous slices: thread t reads 4t, 4t + 1, ...",
                "The same load touches four pieces, a slice apart: a sector for each lane.", RED)
    return f


def tree(f, left, title, pairs_of, note, colour):
    """A box: the word, and below it the thread that added it."""
    f.text(left, 26, title, 16, bold=True)
    for level in range(4):
        y = 44 + level * 74
        pairs = pairs_of(level) if level < 3 else []
        made = [a for a, b in pairs_of(level - 1)] if level else range(8)
        for i in range(8):
            f.box(left + i * 52, y, 44, 38, "", colour if i in made else QUIET, 13)
        for at, i in enumerate(made):
            f.text(left + i * 52 + 22, y + (16 if level else 24), f"s[{i}]", 13, "middle")
            if level:
                f.text(left + i * 52 + 22, y + 32, f"t{at}", 12, "middle", QUIET)
        for a, b in pairs:
            f.line(left + b * 52 + 22, y + 40, left + a * 52 + 27, y + 72, colour, arrow=True)
    f.text(left, 332, note, 14, colour=colour)


def reduce2():
    f = Figure(900, 350)
    tree(f, 20, "sequential: the stride halves",
         lambda level: [(i, i + (4 >> level)) for i in range(4 >> level)],
         "Neighbours read neighbours: a bank each.", BLUE)
    tree(f, 470, "interleaved: the stride doubles",
         lambda level: [(2 * i << level, (2 * i + 1) << level) for i in range(4 >> level)],
         "Lanes read 2, 4, 8, ... words apart: banks repeat.", RED)
    return f


def reduce2_banks():
    """From the trace: which bank each lane of a warp goes to."""
    lanes = []
    for row in recorded("reduce2-interleaved"):
        if any(row["lane"] == lane["lane"] for lane in lanes):
            break
        lanes.append(row)
    f, w = Figure(900, 250), 27
    f.text(18, 26, "one warp, interleaved, first round: lane t reads s[2t]", 16, bold=True)
    words = {}
    for row in lanes:
        words.setdefault(int(row["bank"]), set()).add(int(row["offset"]) // 4)
    for i in range(32):
        f.box(18 + i * w, 44, w - 4, 24, i, BLUE, 12)
        count = len(words.get(i, ()))
        f.box(18 + i * w, 176, w - 4, 24, i, RED if count > 1 else QUIET, 12)
        if count:
            f.text(18 + i * w + 11, 218, count, 13, "middle", RED)
    for row in lanes:
        f.line(18 + int(row["lane"]) * w + 11, 70, 18 + int(row["bank"]) * w + 11, 174, BLUE, 1)
    f.text(18, 238, f"lanes above, banks below; under a bank, how many words it must deliver: "
           f"{max(len(v) for v in words.values())} wavefronts", 14)
    return f


def reduce3():
    f = Figure(900, 330)

    def rows(left, title, rounds, notes, colour):
        f.text(left, 26, title, 16, bold=True)
        live = 6
        for at, (reach, k, pairs) in enumerate(rounds):
            y = 44 + at * 76
            for i in range(reach):
                there = i < 6
                f.box(left + i * 50, y, 42, 32, f"s[{i}]" if i < live else "",
                      colour if i < live else "white" if not there else QUIET, 13)
            for a in range(pairs):
                f.line(left + (a + k) * 50 + 20, y + 34, left + a * 50 + 26, y + 74, colour,
                       arrow=True)
            f.text(left + 208 + (92 if at == 0 or reach > 6 else 0) + (100 if reach > 6 else 0),
                   y + 62, notes[at], 13, "middle", QUIET)
            live = max(k, 1) if k else live
    rows(20, "guard: as if there were 8 threads",
         [(8, 4, 2), (6, 2, 2), (6, 1, 1), (6, 0, 0)],
         ["if t + 4 < 6", "", "", ""], BLUE)
    rows(480, "fold: 2 threads above 4 go first",
         [(6, 4, 2), (6, 2, 2), (6, 1, 1), (6, 0, 0)], ["the fold", "", "", ""], GREEN)
    return f


FIGURES = {"reduce0": reduce0, "reduce1": reduce1, "reduce2": reduce2,
           "reduce2-banks": reduce2_banks, "reduce3": reduce3}
