"""transpose-naive and transpose-tiled: rows, columns, sectors and banks."""
from figures.svg import BLUE, INK, QUIET, RED, Figure
from figures.traces import trace


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


FIGURES = {"transpose-naive": transpose_naive, "transpose-naive-warp": transpose_naive_warp,
           "transpose-tiled": transpose_tiled, "transpose-tiled-banks": transpose_tiled_banks}
