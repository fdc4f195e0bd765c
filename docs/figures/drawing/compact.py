"""The compactions: flags and addresses, and a tile that waits for its place."""
from docs.figures.drawing.svg import BLUE, GREEN, ORANGE, QUIET, RED, Figure


def compact_scan():
    """Eight elements of which those up to 4 are kept."""
    f, w = Figure(900, 312), 76
    x = [3, 9, 7, 0, 4, 8, 6, 1]
    flags = [int(v <= 4) for v in x]
    f.text(20, 26, "keep what is at most 4", 16, bold=True)
    rows = ((40, "x", x), (114, "flags", flags),
            (188, "addresses (exclusive scan)", [sum(flags[:i]) for i in range(8)]))
    for y, name, values in rows:
        for i, v in enumerate(values):
            f.box(20 + i * w, y, w - 10, 32, v, GREEN if flags[i] else QUIET, 14)
        f.text(640, y + 21, name, 14)
    for i in range(8):
        at = 20 + i * w + 33
        f.line(at, 74, at, 112, QUIET, 1, arrow=True)
        f.line(at, 148, at, 186, QUIET, 1, arrow=True)
    f.text(640, 96, "1. predicate", 14, colour=BLUE)
    f.text(640, 170, "2. scan", 14, colour=BLUE)
    to = 0
    for i in range(8):
        if flags[i]:
            f.line(20 + i * w + 33, 222, 20 + to * w + 33, 260, RED, 1.5, arrow=True)
            f.box(20 + to * w, 262, w - 10, 32, x[i], GREEN, 14)
            to += 1
    f.text(640, 244, "3. scatter", 14, colour=BLUE)
    f.text(640, 283, "y; the count is 4", 14)
    return f


def compact_lookback():
    """Four tiles, the third of which looks back."""
    f, w = Figure(900, 352), 200
    kept = [3, 1, 4, 2]
    f.text(20, 26, "four tiles of 6: each packs what it keeps, and posts the count", 16, bold=True)
    masks = ((1, 0, 1, 0, 0, 1), (0, 0, 0, 1, 0, 0), (1, 1, 0, 1, 1, 0), (0, 1, 0, 0, 0, 1))
    for b, mask in enumerate(masks):
        left = 20 + b * w
        for i, bit in enumerate(mask):
            f.box(left + i * 30, 44, 26, 26, "", GREEN if bit else QUIET)
        for i in range(kept[b]):
            f.box(left + i * 30, 112, 26, 26, "", GREEN)
        f.line(left + 60, 74, left + 60, 108, GREEN, 1.5, arrow=True)
        f.text(left + 70, 96, "packed", 13, colour=GREEN)
        f.box(left + 24, 176, 128, 30, "prefix 3" if b == 0 else f"sum {kept[b]}", ORANGE, 14)
        f.line(left + 88, 142, left + 88, 172, ORANGE, 1.5, arrow=True)
    f.text(824, 62, "x", 14)
    f.text(824, 130, "shared", 14)
    f.text(824, 196, "words", 14)
    left = 0
    for b in range(4):
        for i in range(kept[b]):
            f.box(60 + (left + i) * 60, 306, 56, 30, f"tile {b}", BLUE if b == 2 else GREEN, 12)
        left += kept[b]
    for b in (0, 1):
        f.line(20 + b * w + 88, 210, 20 + 2 * w + 40, 262, RED, 1.5, arrow=True)
    f.text(20 + 2 * w + 46, 266, "tile 2 looks back: 1 + 3 = 4 before it", 14, colour=RED)
    f.line(20 + 2 * w + 40, 276, 60 + 4 * 60 + 6, 302, RED, 1.5, arrow=True)
    f.text(20, 326, "y", 14)
    return f


def compact_stream():
    """One moment of a worker: tile k is packed, tile k - 4 is stored."""
    f, w = Figure(900, 350), 140
    f.text(20, 26, "one worker: its part of six tiles in shared memory", 16, bold=True)
    stages = (("k - 4", "stored", GREEN), ("k - 3", "packed, waits", QUIET), ("k - 2", "packed, waits", QUIET),
              ("k - 1", "packed, waits", QUIET), ("k", "packed", ORANGE), ("k + 1", "in flight", BLUE))
    for i, (name, what, colour) in enumerate(stages):
        f.box(20 + i * w, 44, w - 10, 50, "", colour)
        f.text(85 + i * w, 66, f"tile {name}", 14, "middle")
        f.text(85 + i * w, 84, what, 12, "middle")
    f.line(645, 98, 645, 138, ORANGE, 2, True)
    f.text(655, 124, "count", 13, colour=ORANGE)
    f.box(580, 142, 130, 32, "poster", ORANGE, 14)
    f.line(645, 178, 645, 216, ORANGE, 2, True)
    f.text(655, 202, "what the tile keeps", 13, colour=ORANGE)
    f.box(110, 220, 720, 34, "global memory: a word per block and round: a tag and a count", QUIET, 14)
    f.box(130, 142, 130, 32, "gatherer", GREEN, 14)
    f.line(195, 216, 195, 178, GREEN, 2, True)
    f.text(205, 202, "the counts of the G tiles before", 13, colour=GREEN)
    f.line(130, 150, 85, 98, GREEN, 2, True)
    f.text(128, 124, "base, four tiles later", 13, colour=GREEN)
    f.line(30, 98, 30, 288, RED, 2, True)
    for i in range(9):
        f.box(20 + i * 60, 292, 56, 26, "", GREEN if i < 5 else QUIET)
    f.text(575, 310, "y, from the base on", 14)
    f.text(20, 340, "Then the copy of tile k + 2 into the place of tile k - 4 is started.", 14)
    return f


FIGURES = {"compact-scan": compact_scan, "compact-lookback": compact_lookback,
           "compact-stream": compact_stream}
