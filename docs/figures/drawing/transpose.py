"""The transposes: rows, columns, sectors and banks."""
from docs.figures.drawing.svg import BLUE, GREEN, INK, ORANGE, PURPLE, QUIET, RED, Figure
from docs.figures.drawing.traces import trace


def warp_sectors(f, y, title, lanes):
    """Lanes above, the sectors that they touch below, their words filled."""
    sectors = sorted({offset // 32 for _, offset, _ in lanes})
    good = 8 * len(sectors) == len(lanes)
    colour, w, gap = BLUE if good else RED, 27, 8 if good else 5
    wide = (864 - gap * (len(sectors) - 1)) / len(sectors)
    f.text(18, y, title, 16, bold=True)
    for at in range(len(sectors)):
        f.box(18 + at * (wide + gap), y + 92, wide, 26, "", QUIET)
    for lane, offset, _ in lanes:
        x = 18 + sectors.index(offset // 32) * (wide + gap) + offset % 32 / 32 * wide
        f.box(18 + lane * w, y + 14, w - 4, 24, lane, BLUE, 12)
        f.box(x, y + 92, max(wide / 8 - (1 if good else 0), 2.5), 26, "", colour, strong=True,
              round_=0)
        f.line(18 + lane * w + 11, y + 40, x + wide / 16, y + 90, colour, 1)
    f.text(18, y + 142, f"{len(sectors)} sectors of 32 bytes, "
           f"{'next to each other' if good else f'{sectors[1] * 32 - sectors[0] * 32} bytes apart'}: "
           f"{4 * len(lanes)} of {32 * len(sectors)} bytes are wanted", 14, colour=colour)


def transpose_naive():
    f = Figure(900, 292)

    def matrix(left, title, row, colour, thread):
        f.text(left, 26, title, 16, bold=True)
        for r in range(6):
            for c in range(6):
                inside = r == 2 if row else c == 2
                f.box(left + c * 32, 42 + r * 30, 28, 26, f"t{c if row else r}" if inside else "",
                      colour if inside else QUIET, 12)
        f.text(left, 240, thread, 14, colour=colour)
    for left, row in ((20, True), (480, False)):
        name = "reads-coalesced" if row else "writes-coalesced"
        matrix(left, f"in: {name}", row, BLUE if row else RED,
               "along a row" if row else "down a column")
        matrix(left + 212, "out", not row, RED if row else BLUE,
               "down a column" if row else "along a row")
    f.text(20, 274, "Rows lie one after the other in memory: neighbours in a column are a whole row "
           "apart.", 14)
    return f


def transpose_naive_warp():
    f, accesses = Figure(900, 352), trace("transpose-naive-reads")
    warp_sectors(f, 26, "the load of one warp: lanes along a row of the input",
                 accesses["global", "load"])
    warp_sectors(f, 200, "the store of the same warp: lanes down a column of the output",
                 accesses["global", "store"])
    return f


def transpose_tiled():
    f = Figure(900, 300)

    def grid(left, title, along, colour, label, side=5):
        f.text(left, 26, title, 16, bold=True)
        for r in range(side):
            for c in range(side):
                number = r if along else c
                f.box(left + c * 38, 42 + r * 34, 34, 30, f"t{c if along else r}"
                      if number == 1 else "", colour if number == 1 else QUIET, 12)
        f.text(left, 238, label, 14, colour=colour)
    grid(20, "in, by rows", True, BLUE, "loads: neighbours")
    grid(345, "the tile, turned", False, RED, "stores: down a column")
    grid(670, "out, by rows", True, BLUE, "stores: neighbours")
    f.line(222, 126, 334, 126, INK, 2, arrow=True)
    f.line(547, 126, 659, 126, INK, 2, arrow=True)
    f.text(278, 112, "load, store", 13, "middle", QUIET)
    f.text(603, 112, "barrier, then", 13, "middle", QUIET)
    f.text(603, 146, "load, store", 13, "middle", QUIET)
    f.text(20, 280, "Global memory sees rows only. Columns are walked in shared memory, where it is the "
           "bank that counts.", 14)
    return f


def transpose_tiled_banks():
    """Two stores from traces; then where a column lies, as if there were 8 banks."""
    f, w = Figure(900, 660), 27
    for panel, (name, title) in enumerate((
            ("conflicts", "conflicts: rows of 32 words"), ("padded", "padded: rows of 33 words"))):
        y, lanes = 26 + panel * 192, trace(f"transpose-tiled-{name}")["shared", "store"]
        words = {}
        for _, offset, bank in lanes:
            words.setdefault(int(bank), set()).add(offset // 4)
        most = max(map(len, words.values()))
        colour = BLUE if most == 1 else RED
        f.text(18, y, title, 16, bold=True)
        for i in range(32):
            f.box(18 + i * w, y + 12, w - 4, 22, i, BLUE, 12)
            f.box(18 + i * w, y + 104, w - 4, 22, i, colour if i in words else QUIET, 12)
        for lane, _, bank in lanes:
            f.line(18 + lane * w + 11, y + 36, 18 + int(bank) * w + 11, y + 102, colour, 1)
        f.text(18, y + 148, f"lanes above, banks below: {len(words)} of 32 banks, {most} "
               f"wavefront{'s' if most > 1 else ''} for this store", 14, colour=colour)
    f.text(18, 418, "column 1 of a tile of 8 x 8, if there were 8 banks", 16, bold=True)
    for left, name, note, bank_of in ((18, "rows of 8", "1 bank", lambda y: 1),
                                      (318, "padded: rows of 9", "8 banks", lambda y: (9 * y + 1) % 8),
                                      (618, "swizzled: 1 at 1 ^ y", "8 banks", lambda y: 1 ^ y)):
        f.text(left, 444, name, 14)
        colour = RED if note == "1 bank" else BLUE
        for y in range(8):
            for bank in range(8):
                mine = bank == bank_of(y)
                f.box(left + bank * 32, 456 + y * 21, 29, 18, y if mine else "", colour if mine else QUIET, 12, mine, 2)
        f.text(left, 642, note, 14, colour=colour)
    return f


def transpose_vector():
    """A square in registers; where eight squares' quads go in the tile; a row of the output and its sectors."""
    f = Figure(900, 512)
    names, colours = "abcd", (BLUE, GREEN, ORANGE, PURPLE)
    f.text(18, 26, "one thread: four float4s in, four out", 16, bold=True)
    for r in range(4):
        for c in range(4):
            f.box(18 + c * 36, 44 + r * 32, 33, 28, f"{names[r]}.{'xyzw'[c]}", colours[r], 12)
            f.box(238 + c * 36, 44 + r * 32, 33, 28, f"{names[c]}.{'xyzw'[r]}", colours[c], 12)
    f.line(168, 106, 230, 106, INK, 2, arrow=True)
    f.text(18, 192, "loaded: 4 rows of the input", 13, colour=QUIET)
    f.text(238, 192, "stored: 4 rows of the tile", 13, colour=QUIET)
    f.text(450, 26, "the tile: where 8 threads put a.x b.x c.x d.x", 16, bold=True)
    for r in range(8):
        for q in range(8):
            mine = q == 2 ^ r
            f.box(520 + q * 45, 44 + r * 17, 42, 15, f"t{r}" if mine else "", BLUE if mine else QUIET,
                  11, mine, 2)
        f.text(510, 56 + r * 17, f"row {4 * r}", 11, "end", QUIET)
    f.text(520, 196, "thread r to quad 2 ^ r: eight quads, 32 banks, 1 wavefront", 12)
    f.text(18, 240, "word by word, where rows start anywhere: a row of the output and its sectors of 8 words",
           16, bold=True)
    w = 17
    for panel, (title, skew, colour) in enumerate(
            (("words: the tile's edge", 0, RED), ("any: the sector's edge", 3, BLUE))):
        y = 262 + panel * 104
        f.text(18, y + 12, title, 14)
        for i in range(40):
            block = 0 if i < 19 - skew else 1
            f.box(190 + i * w, y + 26, w - 2, 26, "", (GREEN, ORANGE)[block], 11, round_=1)
        for i in range(6):
            f.line(189 + i * 8 * w, y + 18, 189 + i * 8 * w, y + 60, INK, 2)
        for i in range(16, 24) if not skew else ():
            f.box(190 + i * w, y + 26, w - 2, 26, "", (GREEN, ORANGE)[i >= 19], 11, True, 1)
        f.text(190, y + 78, ("two blocks write parts of one sector (dark): it is moved twice",
                             "each sector has one writer; the tile has 8 rows more on top for it")[panel],
               14, colour=colour)
    f.text(18, 488, "Green and orange: two blocks, one below the other in the input.", 14)
    return f


FIGURES = {"transpose-naive": transpose_naive, "transpose-naive-warp": transpose_naive_warp,
           "transpose-tiled": transpose_tiled, "transpose-tiled-banks": transpose_tiled_banks,
           "transpose-vector": transpose_vector}
