"""The segmented scans: the course's example, and how a window of pairs is joined."""
from docs.figures.drawing.svg import BLUE, GREEN, INK, ORANGE, QUIET, RED, Figure

VALUES, FLAGS = [1, 2, 6, 7, 1, 1, 2, 3, 4], [1, 0, 1, 0, 0, 1, 0, 0, 0]


def scan_segmented():
    """Nine pairs, four rounds; the numbers are those that the operator gives."""
    f, w = Figure(900, 472), 74
    f.text(20, 26, "segmented scan of [[1, 2], [6, 7, 1], [1, 2, 3, 4]]: pairs (flag, value)", 16,
           bold=True)
    pairs = list(zip(FLAGS, VALUES))
    for r in range(5):
        y, k = 46 + r * 84, 1 << r
        for i, (flag, value) in enumerate(pairs):
            f.box(20 + i * w, y, w - 10, 34, f"{flag}, {value}", GREEN if flag else BLUE, 14)
        if r == 4:
            f.text(700, y + 22, "the result: the values", 14)
            break
        found = list(pairs)
        for i, (flag, value) in enumerate(pairs):
            x = 20 + i * w + (w - 10) / 2
            f.line(x, y + 36, x, y + 80, QUIET, 1, arrow=True)
            if i >= k:
                before = pairs[i - k]
                found[i] = (flag | before[0], value if flag else before[1] + value)
                f.line(x - k * w, y + 36, x - 5, y + 80, QUIET if flag else RED, 1.5, arrow=True,
                       dash="4 4" if flag else "")
        added = sum(i >= k and not pairs[i][0] for i in range(9))
        f.text(700, y + 64, f"k = {k}: {added} addition{'' if added == 1 else 's'}", 14, colour=RED)
        pairs = found
    f.text(20, 448, "Green: has a head, so nothing from the left goes in any more (dashed). Red: an addition.",
           14, colour=INK)
    f.text(20, 466, "The rounds are those of a scan: 4, for 9 elements, whatever the segments are.", 14)
    return f


def scan_segmented_stream():
    """The pairs of the tiles before: no scan, a search and a sum."""
    f, w = Figure(900, 262), 78
    heads, sums = [0, 1, 0, 0, 1, 0, 0, 0, 0], [5, 2, 7, 1, 4, 3, 6, 2, 5]
    f.text(20, 26, "joining a window of pairs: where is the last head?", 16, bold=True)
    last = max(i for i, head in enumerate(heads) if head)
    for i, (head, value) in enumerate(zip(heads, sums)):
        f.box(20 + i * w, 56, w - 10, 40, f"{head}, {value}", GREEN if head else BLUE if i > last else QUIET,
              14)
        f.text(20 + i * w + (w - 10) / 2, 48, f"tile {i}", 12, "middle", QUIET)
    f.box(20 + 9 * w, 56, w - 10, 40, "me", ORANGE, 14, True)
    x = 20 + last * w
    f.line(x, 112, 20 + 9 * w - 10, 112, RED, 2)
    for i in range(last, 9):
        f.line(20 + i * w + (w - 10) / 2, 98, 20 + i * w + (w - 10) / 2, 110, RED, 1.5)
    f.text(x, 134, f"2. one sum, in any grouping: {' + '.join(map(str, sums[last:]))} = {sum(sums[last:])}",
           14, colour=RED)
    f.line(x + (w - 10) / 2, 170, x + (w - 10) / 2, 146, GREEN, 2, arrow=True)
    f.text(x + (w - 10) / 2 + 10, 168, "1. one maximum over the warp: the last tile with a head", 14,
           colour=GREEN)
    f.text(20, 206, "What stands before it is read, and left out. The result is the pair (1, 20).", 14)
    f.text(20, 226, "The same for the elements of a part, the parts of a tile, and the tiles of a window: three "
           "times", 14)
    f.text(20, 246, "a maximum and a sum. A scan of pairs is made once, in the worker, for the results.", 14)
    return f


def scan_segmented_few():
    """The words of five tiles while a launch is on its way: some still have the pair of the launch before."""
    f, w = Figure(900, 244), 150
    words = [(7, 1, 9), (7, 0, 4), (7, 1, 6), (6, 0, 5), (7, 0, 2)]
    f.text(20, 26, "launch 7: a word per tile, of tag, head and sum", 16, bold=True)
    for i, (tag, head, value) in enumerate(words):
        x = 20 + i * w
        f.text(x + 65, 54, f"tile {i}", 13, "middle", QUIET)
        f.box(x, 62, 42, 40, tag, BLUE if tag == 7 else RED, 15, True)
        f.box(x + 44, 62, 86, 40, f"{head}, {value}", GREEN if head else BLUE if tag == 7 else RED, 15)
    f.box(20 + 5 * w, 62, 96, 40, "me", ORANGE, 15, True)
    f.line(20 + 2 * w, 116, 5 * w, 116, GREEN, 2)
    f.text(20 + 2 * w, 138, "I read from the nearest on, up to the last tile with a head: 6 + ? + 2", 14, colour=GREEN)
    f.text(20, 174, "Tile 3 has the tag 6: that pair is of the launch before. I wait until its block has posted.", 14,
           colour=RED)
    f.text(20, 200, "No block clears the words: a tag that is not the launch's says that nothing is there yet.", 14)
    f.text(20, 226, "All blocks are on the device, and each waits for those before it only: tile 3's comes.", 14)
    return f


FIGURES = {"scan-segmented": scan_segmented, "scan-segmented-few": scan_segmented_few,
           "scan-segmented-stream": scan_segmented_stream}
