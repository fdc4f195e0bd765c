"""The scans: their rounds, their trees, and the tiles of one pass."""
from docs.figures.drawing.svg import BLUE, GREEN, INK, ORANGE, QUIET, RED, Figure


def scan_hillis():
    """Eight elements, three rounds, two buffers."""
    f, w = Figure(900, 372), 76
    f.text(20, 26, "inclusive scan of 8 elements: in round k each adds the one 2^k before it", 16,
           bold=True)
    reach = [(i, i) for i in range(8)]  # the elements that each place holds the sum of
    for k in range(4):
        y, step = 46 + k * 84, 1 << k
        for i, (first, last) in enumerate(reach):
            done = first == 0
            f.box(20 + i * w, y, w - 10, 34, f"{first}..{last}" if last > first else last,
                  GREEN if done else BLUE, 14)
        f.text(640, y + 22, f"buffer {'AB'[k % 2]}" + (", the result" if k == 3 else ""), 14)
        if k == 3:
            break
        for i in range(8):
            x = 20 + i * w + (w - 10) / 2
            f.line(x, y + 36, x, y + 80, QUIET, 1, arrow=True)
            if i >= step:
                f.line(x - step * w, y + 36, x - 5, y + 80, RED, 1.5, arrow=True)
        f.text(640, y + 64, f"k = {k}: {8 - step} additions", 14, colour=RED)
        reach = [(reach[i - step][0] if i >= step else 0, i) for i in range(8)]
    f.text(20, 362, "a..b: the sum of x[a] to x[b]. Green: finished, and only copied from then on.", 14)
    return f


def scan_blelloch():
    """The usual eight numbers, up and down."""
    f, w = Figure(900, 596), 66
    s = [3, 1, 7, 0, 4, 1, 6, 3]

    def row(y, changed, colour):
        for i, v in enumerate(s):
            f.box(20 + i * w, y, w - 12, 30, v, colour if i in changed else QUIET, 14)

    def at(i):
        return 20 + i * w + (w - 12) / 2
    f.text(20, 26, "exclusive scan of 8 elements", 16, bold=True)
    y, stride = 40, 1
    row(y, range(8), BLUE)
    f.text(570, y + 20, "x", 14)
    while stride < 8:
        rights = range(2 * stride - 1, 8, 2 * stride)
        for r in rights:
            f.line(at(r - stride), y + 32, at(r) - 6, y + 66, BLUE, arrow=True)
            f.line(at(r), y + 32, at(r), y + 66, QUIET, 1, arrow=True)
            s[r] += s[r - stride]
        y += 68
        row(y, rights, BLUE)
        f.text(570, y + 20, f"up: {len(rights)} addition{'s' if len(rights) > 1 else ''}, stride "
               f"{stride}", 14, colour=BLUE)
        stride *= 2
    s[7], y = 0, y + 68
    f.line(at(7), y - 36, at(7), y - 2, RED, arrow=True)
    row(y, [7], RED)
    f.text(570, y + 20, "the root becomes 0", 14, colour=RED)
    while stride > 1:
        stride //= 2
        rights = range(2 * stride - 1, 8, 2 * stride)
        for r in rights:
            f.line(at(r - stride), y + 32, at(r) - 6, y + 66, GREEN, arrow=True)
            f.line(at(r), y + 32, at(r), y + 66, GREEN, arrow=True)
            f.line(at(r), y + 32, at(r - stride) + 6, y + 66, ORANGE, arrow=True)
            s[r - stride], s[r] = s[r], s[r] + s[r - stride]
        y += 68
        row(y, [i for r in rights for i in (r - stride, r)], GREEN)
        f.text(570, y + 20, f"down: {len(rights)} addition{'s' if len(rights) > 1 else ''}, stride "
               f"{stride}", 14, colour=GREEN)
    f.text(20, 582, "Orange: the prefix goes to the left child. Green: prefix + left sum goes to the "
           "right child.", 14)
    return f


def scan_lookback():
    f, w = Figure(900, 372), 84
    f.text(20, 26, "lookback: tile 9 reads the words before it, 32 at a time (here 4)", 16, bold=True)
    for i in range(10):
        flag, colour = ("prefix", GREEN) if i in (0, 1, 2, 3, 5) else ("sum", ORANGE)
        f.box(20 + i * w, 52, w - 10, 40, "" if i == 9 else flag, BLUE if i == 9 else colour, 14,
              i == 9)
        f.text(20 + i * w + 37, 46, i, 12, "middle", QUIET)
    f.text(20 + 9 * w + 37, 77, "me", 14, "middle", "#ffffff")
    for i in (8, 7, 6, 5):
        x = 20 + i * w + 37
        f.line(x, 134, x, 96, RED if i > 5 else GREEN, 2, arrow=True)
    f.text(20 + 5 * w, 154, "prefix 5 + sums of 6, 7 and 8: no need to go on", 14, colour=INK)
    f.text(20, 154, "whether a word is a sum or a prefix by now", 14, colour=QUIET)
    f.text(20, 172, "is a matter of timing, and so is the order", 14, colour=QUIET)
    f.text(20, 208, "tree: which tiles the word of each tile covers, and what tile 7 adds", 16, bold=True)
    for i in range(8):
        ones = 0
        while i >> ones & 1:
            ones += 1
        first, used = i + 1 - (1 << ones), i in (3, 5, 6)
        y = 226 + 28 * ones
        f.box(60 + first * 98, y, (1 << ones) * 98 - 8, 22, f"word {i}", GREEN if used else QUIET, 13)
    for level in range(4):
        f.text(20, 242 + 28 * level, 1 << level, 13)
    f.text(20, 360, "Prefix of tile 7 = word 3 + word 5 + word 6: its ones in binary. No word changes "
           "once posted.", 14)
    return f


def scan_rounds():
    """Four blocks and their tiles; one round of one of them; which sums stand before a tile."""
    f, w = Figure(900, 424), 142
    f.text(20, 26, "round k, G = 4 blocks: a column is a round of tiles, side by side in the array", 16, bold=True)
    what = [("k - 3", "stored now", GREEN), ("k - 2", "gets its base", ORANGE), ("k - 1", "waits", QUIET),
            ("k", "summed, posted", BLUE), ("k + 1", "being loaded", "white")]
    for i, (name, does, colour) in enumerate(what):
        f.text(110 + i * w + 64, 52, f"round {name}", 14, "middle", bold=True)
        for b in range(4):
            f.box(110 + i * w, 62 + b * 36, 128, 30, does, colour, 13)
    for b in range(4):
        f.text(20, 82 + b * 36, f"block {b}", 14)
    f.text(174, 226, "from shared memory", 13, "middle", GREEN)
    f.text(174 + 2 * w, 226, "in shared memory", 13, "middle", QUIET)
    f.text(174 + 3 * w, 226, "to shared memory", 13, "middle", BLUE)
    f.text(174 + 4 * w, 226, "in registers", 13, "middle", QUIET)
    f.text(20, 266, "before block 2's tile of round k - 2: the block's prefix so far, and the G sums since", 16,
           bold=True)
    for i, name in enumerate(("k - 3", "k - 2")):
        for b in range(4):
            mine, used = (i, b) == (1, 2), (i == 0 and b >= 2) or (i == 1 and b < 2)
            x = 110 + (4 * i + b) * 88
            f.box(x, 296, 82, 34, "the tile" if mine else f"{name}, {b}", ORANGE if mine else BLUE if used else QUIET,
                  13, mine)
    f.text(20, 318, "words", 14, bold=True)
    f.line(286, 346, 626, 346, BLUE, 2)
    f.line(286, 338, 286, 346, BLUE, 2)
    f.line(626, 338, 626, 346, BLUE, 2)
    f.text(456, 368, "G words: one warp reads them all at once", 14, "middle", BLUE)
    f.text(20, 408, "A word holds the number of the launch and the sum, read or written whole: a thread "
           "that sees the number has the sum.", 14)
    return f


FIGURES = {"scan-hillis": scan_hillis, "scan-blelloch": scan_blelloch,
           "scan-lookback": scan_lookback, "scan-rounds": scan_rounds}
