"""The sorts: a network, two runs that are merged, a digit's way through a pass, a tile that looks back."""
from docs.figures.drawing.svg import BLUE, GREEN, ORANGE, QUIET, RED, Figure


def sort_bitonic():
    """All rounds of eight keys, as wires."""
    f = Figure(900, 372)
    keys, x = [6, 3, 7, 1, 5, 8, 2, 4], 110
    rounds = [(half, far) for half in (1, 2, 4) for far in (4, 2, 1) if far <= half]
    f.text(20, 26, "eight keys: runs of 1 become runs of 2, of 4, of 8", 16, bold=True)
    for i, key in enumerate(keys):
        f.box(20, 52 + i * 36, 44, 28, key, QUIET, 14)
        f.line(68, 66 + i * 36, 796, 66 + i * 36, QUIET, 1)
    for half, far in rounds:
        if far == half:
            f.text(x, 360, f"runs of {2 * half}", 14, colour=BLUE)
        for pair in range(4):
            first = pair // far * 2 * far + pair % far
            second = pair // far * 2 * far + (2 * far - 1 - pair % far if far == half else far + pair % far)
            at = x + pair % far * 34
            colour = ORANGE if far == half else GREEN
            f.line(at, 66 + first * 36, at, 66 + second * 36, colour, 2.5)
            for end in (first, second):
                f.box(at - 5, 61 + end * 36, 10, 10, "", colour, strong=True, round_=5)
            if keys[second] < keys[first]:
                keys[first], keys[second] = keys[second], keys[first]
        x += 34 + far * 34 + (20 if far == 1 else 0)
    for i, key in enumerate(keys):
        f.box(800, 52 + i * 36, 44, 28, key, GREEN, 14)
    return f


def sort_merge():
    """The path through two runs of five, cut after the fifth key."""
    f, a, b = Figure(900, 376), [1, 3, 4, 8, 9], [2, 3, 5, 6, 7]
    f.text(20, 26, "a step down takes the next key of a, a step right the next of b", 16, bold=True)
    left, top, w = 140, 112, 48
    for i in range(5):
        f.box(left - 56, top + i * w + 8, 44, 32, a[i], BLUE, 14)
        f.box(left + i * w + 2, top - 42, 44, 32, b[i], ORANGE, 14)
    f.text(40, top + 128, "a", 16, colour=BLUE)
    f.text(left + 118, top - 50, "b", 16, colour=ORANGE)
    for i in range(6):
        f.line(left, top + i * w, left + 5 * w, top + i * w, QUIET, 0.7)
        f.line(left + i * w, top, left + i * w, top + 5 * w, QUIET, 0.7)
    i = k = 0
    at = (left, top)
    while i + k < 10:
        down = k == 5 or (i < 5 and a[i] <= b[k])
        i, k = i + down, k + (not down)
        to = (left + k * w, top + i * w)
        f.line(*at, *to, GREEN, 4)
        at = to
        if i + k == 5:
            cut = to, i
    f.line(left, top + 5 * w, left + 5 * w, top, RED, 1.5, dash="6 4")
    f.box(cut[0][0] - 6, cut[0][1] - 6, 12, 12, "", RED, strong=True, round_=6)
    f.text(430, 130, "the first 5 keys end somewhere on this diagonal", 14, colour=RED)
    f.text(430, 152, f"the search finds where: {cut[1]} of them from a, {5 - cut[1]} from b", 14, colour=RED)
    merged = sorted(a + b)
    for i, key in enumerate(merged):
        f.box(430 + i * 44, 200, 40, 32, key, GREEN, 14)
    f.line(648, 190, 648, 242, RED, 2, dash="6 4")
    f.text(430, 264, "thread 0 begins here, thread 1 behind the line:", 14)
    f.text(430, 286, "5 keys for each, however the runs are mixed", 14)
    return f


def sort_rank():
    """Twelve keys of a digit of two bits, in two tiles."""
    f, w = Figure(900, 392), 56
    digits = [2, 0, 1, 2, 0, 2, 1, 1, 0, 3, 2, 0]
    names, colours = "abcdefghijkl", (BLUE, GREEN, ORANGE, QUIET)
    f.text(20, 26, "two tiles of 6 keys, sorted by a digit of 2 bits", 16, bold=True)
    for i, d in enumerate(digits):
        f.box(20 + i * w + i // 6 * 24, 44, w - 8, 32, f"{d}{names[i]}", colours[d], 14)
    counts = [[tile.count(d) for tile in (digits[:6], digits[6:])] for d in range(4)]
    f.text(20, 112, "1. keys of each digit, per tile", 14, colour=BLUE)
    f.text(20, 172, "2. exclusive scan: where they begin", 14, colour=BLUE)
    sum_ = 0
    for d in range(4):
        for tile in range(2):
            x = 330 + (d * 2 + tile) * 66
            f.box(x, 92, 56, 30, f"{d}: {counts[d][tile]}", colours[d], 14)
            f.box(x, 152, 56, 30, sum_, colours[d], 14)
            sum_ += counts[d][tile]
    f.text(20, 222, "3. rank among the keys of the same digit in the tile", 14, colour=BLUE)
    for i, d in enumerate(digits):
        f.box(20 + i * w + i // 6 * 24, 236, w - 8, 30, digits[i // 6 * 6:i].count(d), colours[d], 14)
    f.text(20, 306, "4. begin + rank is the place", 14, colour=BLUE)
    for to, i in enumerate(sorted(range(12), key=lambda i: digits[i])):
        f.box(20 + to * w, 322, w - 8, 32, f"{digits[i]}{names[i]}", colours[digits[i]], 14)
    f.text(20, 380, "keys of one digit are in the order of their letters, as before: stable", 14)
    return f


def sort_radix():
    """Six numbers of three decimal digits."""
    f = Figure(900, 312)
    rows = [["329", "457", "657", "839", "436", "720"]]
    for place in (2, 1, 0):
        rows.append(sorted(rows[-1], key=lambda key: key[place]))
    f.text(20, 26, "the lowest digit first: each pass keeps the order of the one before", 16, bold=True)
    for column, keys in enumerate(rows):
        left = 40 + column * 220
        for i, key in enumerate(keys):
            for k, digit in enumerate(key):
                done = k >= 3 - column
                now = column > 0 and k == 3 - column
                f.box(left + k * 32, 62 + i * 40, 30, 32, digit, ORANGE if now else GREEN if done else QUIET, 16)
        if column < 3:
            for i, key in enumerate(keys):
                f.line(left + 100, 78 + i * 40, left + 214, 78 + rows[column + 1].index(key) * 40, QUIET, 1.2,
                       arrow=True)
    return f


def sort_onesweep():
    """The words of one digit for four tiles."""
    f, w = Figure(900, 332), 190
    f.text(20, 26, "one digit of 256: how many keys of it lie before tile 3?", 16, bold=True)
    words = (("prefix 112", GREEN), ("prefix 131", GREEN), ("sum 17", ORANGE), ("sum 22", ORANGE))
    f.text(20, 62, "all keys of smaller digits, counted before: 100", 14, colour=GREEN)
    for i, (word, colour) in enumerate(words):
        f.box(20 + i * w, 88, w - 24, 36, f"tile {i}: {(12, 19, 17, 22)[i]} keys", QUIET, 14)
        f.line(100 + i * w, 128, 100 + i * w, 160, colour, 1.5, arrow=True)
        f.box(20 + i * w, 164, w - 24, 36, word, colour, 15)
    for i, text in ((2, "+ 17"), (1, "131: a prefix, stop")):
        f.line(20 + 3 * w + 30, 204, 20 + i * w + 90, 250, RED, 1.5, arrow=True)
        f.text(20 + i * w + 20, 270, text, 14, colour=RED)
    f.box(20 + 3 * w, 254, w - 24, 36, "prefix 170", GREEN, 15)
    f.text(20, 318, "131 + 17 = 148: there its keys of the digit begin; behind them, at 170, those of tile 4", 14)
    return f


def sort_msd():
    """Twelve keys of two decimal digits: moved by the first one, and finished."""
    f, w = Figure(900, 300), 70
    keys = [43, 17, 88, 12, 45, 81, 19, 40, 86, 11, 47, 84]
    colours = {1: BLUE, 4: GREEN, 8: ORANGE}
    moved = [12, 17, 11, 19, 45, 43, 47, 40, 81, 88, 84, 86]
    f.text(20, 26, "the highest digit first: segments that a block finishes alone", 16, bold=True)
    for row, (text, values) in enumerate((("as they come", keys), ("moved by the first digit, in any order", moved),
                                          ("each segment sorted by a block of its own", sorted(keys)))):
        top = 66 + row * 84
        f.text(20, top - 8, text, 14)
        for i, key in enumerate(values):
            f.box(20 + i * w + (i // 4 * 12 if row else 0), top, w - 8, 34, key, colours[key // 10], 15)
        if row:
            for i in range(3):
                left = 20 + i * (4 * w + 12)
                f.line(left, top + 42, left + 4 * w - 8, top + 42, colours[(1, 4, 8)[i]], 3)
    return f


def sort_crowded():
    """Twelve keys of three decimal digits, of which a segment has too many."""
    f, w = Figure(900, 330), 70
    moved = [121, 174, 417, 409, 444, 471, 444, 402, 444, 444, 813, 868]
    again = [121, 174, 409, 402, 417, 444, 444, 444, 444, 471, 813, 868]
    colours = {1: BLUE, 4: GREEN, 8: ORANGE}
    f.text(20, 26, "a block holds three keys: what of a segment that has eight?", 16, bold=True)
    rows = (("moved by the first digit: one segment is too long", moved),
            ("its keys are moved by the second digit; the others stay", again),
            ("short ones are finished by a block; of 44* there are too many: 4 times 444 is written from a count",
             sorted(again)))
    for row, (text, values) in enumerate(rows):
        top = 66 + row * 84
        f.text(20, top - 8, text, 14)
        for i, key in enumerate(values):
            counted = row == 2 and key == 444
            f.box(20 + i * w + (0 if i < 2 else 24 if i > 9 else 12), top, w - 8, 34, key,
                  RED if counted else colours[key // 100], 15, row == 1 and key // 100 == 4)
    f.text(20, 312, "A part has few bits left: if it has many keys, it has few values, many times each.", 14)
    return f


FIGURES = {"sort-bitonic": sort_bitonic, "sort-merge": sort_merge, "sort-rank": sort_rank, "sort-radix": sort_radix,
           "sort-onesweep": sort_onesweep, "sort-msd": sort_msd, "sort-crowded": sort_crowded}
