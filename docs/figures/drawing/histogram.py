"""The histograms: who meets at which counter."""
from docs.figures.drawing.svg import BLUE, GREEN, INK, ORANGE, PURPLE, QUIET, RED, Figure

VALUES = (3, 1, 3, 0, 2, 3, 3, 1)


def lanes(f, left, y, step, values=VALUES, size=14):
    for i, v in enumerate(values):
        f.box(left + i * step, y, step - 8, 30, v, BLUE, size)


def histogram_global():
    """Eight threads at four counters; two threads that lose a count."""
    f, w = Figure(900, 372), 58
    f.text(20, 26, "atomic: eight elements, four bins", 16, bold=True)
    lanes(f, 20, 40, w)
    for i, v in enumerate(VALUES):
        f.line(20 + i * w + 25, 72, 72 + v * 104 + 40, 126, RED if v == 3 else QUIET, 1.5, True)
    for b in range(4):
        f.box(72 + b * 104, 128, 80, 32, VALUES.count(b), RED if b == 3 else GREEN, 15)
        f.text(72 + b * 104 + 40, 178, f"bin {b}", 13, "middle")
    f.text(510, 60, "global memory, in the L2 cache", 14, colour=QUIET)
    f.text(510, 84, "The four of bin 3 are done one after the other.", 14, colour=RED)
    f.text(20, 220, "plain: two threads, counter 5, and two elements of its bin", 16, bold=True)
    times = [("thread 0", 0, "load 5", BLUE), ("thread 1", 1, "load 5", ORANGE),
             ("thread 0", 2, "5 + 1", BLUE), ("thread 0", 3, "store 6", BLUE),
             ("thread 1", 3, "5 + 1", ORANGE), ("thread 1", 4, "store 6", ORANGE)]
    for name, y in (("thread 0", 240), ("thread 1", 284)):
        f.text(20, y + 21, name, 14)
    for name, at, what, colour in times:
        f.box(110 + at * 110, 240 if name == "thread 0" else 284, 100, 32, what, colour, 14)
    f.text(670, 282, "6, and should be 7", 15, colour=RED, bold=True)
    f.line(110, 336, 650, 336, INK, 1.5, True)
    f.text(110, 356, "time", 13, colour=QUIET)
    return f


def histogram_shared():
    f = Figure(900, 330)
    f.text(20, 26, "a histogram per block, and two ways to add them", 16, bold=True)
    own = ((2, 0, 1, 5), (1, 3, 3, 1), (0, 2, 2, 4))
    for block, counts in enumerate(own):
        x = 20 + block * 190
        f.box(x, 44, 170, 30, f"elements of block {block}", BLUE, 13)
        f.line(x + 85, 76, x + 85, 98, BLUE, 2, True)
        for b, count in enumerate(counts):
            f.box(x + b * 42, 100, 38, 30, count, ORANGE, 14)
    f.text(600, 64, "read once", 14, colour=QUIET)
    f.text(600, 120, "shared memory: atomics of one block", 14, colour=ORANGE)
    f.text(20, 172, "reduce: rows in global memory, a warp per row", 15, bold=True)
    for b in range(4):
        f.text(20, 204 + b * 32, f"bin {b}", 13)
        for block in range(3):
            f.box(74 + block * 44, 186 + b * 32, 38, 26, own[block][b], ORANGE, 13)
        f.line(210, 199 + b * 32, 246, 199 + b * 32, GREEN, 2, True)
        f.box(250, 186 + b * 32, 44, 26, sum(o[b] for o in own), GREEN, 13)
    f.text(470, 172, "atomic: one atomic per block and bin", 15, bold=True)
    for block in range(3):
        f.box(470 + block * 130, 190, 110, 26, f"block {block}", ORANGE, 13)
        for b in range(4):
            f.line(525 + block * 130, 218, 512 + b * 100, 278, RED if own[block][b] else QUIET, 1,
                   bool(own[block][b]))
    for b in range(4):
        f.box(490 + b * 100, 280, 44, 26, sum(o[b] for o in own), GREEN, 13)
    f.text(470, 324, "A count of 0 is not added.", 13, colour=QUIET)
    return f


def histogram_narrow():
    """Four threads and banks in place of 32; the bytes of one thread, which are added when they may be full."""
    f = Figure(900, 330)
    colours = (BLUE, GREEN, ORANGE, PURPLE)
    f.text(20, 26, "where a counter lies (four threads and four banks instead of 32)", 16, bold=True)
    for t in range(4):
        f.text(110 + t * 98, 60, f"bank {t}", 12, "middle")
        f.text(110 + t * 98, 160, f"thread {t}", 12, "middle")
        for word in range(2):
            for k in range(4):
                f.box(68 + t * 98 + k * 22, 70 + word * 40, 21, 32, word * 4 + k, colours[t], 12, round_=0)
    f.text(470, 90, "word 0 of each thread: its counters of bins 0 to 3, 8 bits each", 13)
    f.text(470, 130, "word 1: of bins 4 to 7", 13)
    f.text(20, 190, "after 255 elements: the thread's bytes are added, and begin again at 0", 16, bold=True)
    for k, count in enumerate((3, 0, 201, 17, 0, 30, 0, 4)):
        f.box(68 + k * 50, 206, 48, 30, count, GREEN, 13, round_=0)
        f.text(92 + k * 50, 314, f"bin {k}", 12, "middle")
        if count:
            f.line(92 + k * 50, 238, 92 + k * 50, 262, GREEN, 1.5, True)
        f.box(68 + k * 50, 266, 48, 30, "+" + str(count) if count else "", QUIET, 13, round_=0)
    f.text(490, 226, "bytes of thread 1: 255 in all, so none is more than that", 13)
    f.text(490, 286, "the block's counters: words, one per bin, by atomics", 13)
    return f


def histogram_private():
    """The layouts, with four lanes and four banks in place of 32."""
    f = Figure(900, 380)
    f.text(20, 26, "where a counter lies (four lanes and four banks instead of 32)", 16, bold=True)

    def banks(left, y, what):
        f.text(left, y - 10, what, 14, bold=True)
        for bank in range(4):
            f.text(left + 58 + bank * 62, y + 12, f"bank {bank}", 12, "middle", QUIET)

    banks(20, 66, "vector: one copy for all lanes")
    for b in range(4):
        f.box(50 + b * 62, 86, 56, 28, f"bin {b}", BLUE, 13)
    banks(20, 172, "lanes: a copy per lane, in its bank")
    for b in range(4):
        for lane in range(4):
            f.box(50 + lane * 62, 192 + b * 30, 56, 26, f"bin {b}",
                  (BLUE, GREEN, ORANGE, QUIET)[lane], 13)
    for lane in range(4):
        f.text(78 + lane * 62, 328, f"lane {lane}", 12, "middle")
    f.text(360, 56, "fastest, for bytes and few bins: one atomic for two", 14, bold=True)
    for i, (byte, b) in enumerate(((200, 7), (90, 3), (91, 3), (17, 0))):
        f.box(390 + i * 84, 72, 76, 28, f"byte {byte}", BLUE, 13)
        f.text(428 + i * 84, 120, f"bin {b}", 13, "middle")
    for pair, name in enumerate(("counter 7 * 10 + 3", "counter 3 * 10 + 0")):
        f.line(428 + pair * 168, 126, 464 + pair * 168, 150, GREEN, 1.5, True)
        f.line(512 + pair * 168, 126, 476 + pair * 168, 150, GREEN, 1.5, True)
        f.box(392 + pair * 168, 152, 156, 30, name, GREEN, 13)
    f.text(360, 210, "Pair (a, b) counts once for bin a and once for bin b, when the block is done.",
           14)
    f.text(20, 364, "Colours: the lanes that count there. Counters of one colour are never touched by another "
           "lane, so no lane waits.", 14, colour=INK)
    return f


FIGURES = {"histogram-global": histogram_global, "histogram-shared": histogram_shared,
           "histogram-narrow": histogram_narrow, "histogram-private": histogram_private}
