"""The limits of the machine: what waits for what."""
from docs.figures.drawing.svg import BLUE, GREEN, INK, ORANGE, PURPLE, QUIET, RED, Figure


def limit_words():
    f = Figure(900, 318)
    f.text(20, 26, "one request of a warp: 32 lanes, and the sectors of 32 bytes that it touches", 16, bold=True)
    for row, (label, sectors) in enumerate((("4 bytes per lane", 4), ("8 bytes per lane", 8),
                                            ("16 bytes per lane", 16))):
        y = 50 + 52 * row
        f.text(20, y + 22, label, 14)
        for k in range(sectors):
            f.box(170 + 40 * k, y, 36, 32, "", BLUE)
        f.text(176 + 40 * sectors, y + 22, f"{32 * sectors} bytes" if sectors < 16 else "", 14, colour=QUIET)
    f.text(812, 176, "512", 14, colour=QUIET)
    f.text(20, 228, "one word per sector", 14)
    for k in range(16):
        f.box(170 + 40 * k, 206, 36, 32, "", "white")
        f.box(170 + 40 * k, 206, 6, 32, "", RED, strong=True, round_=0)
    f.text(812, 228, "...", 16, colour=QUIET)
    f.text(20, 272, "With wider words a thread has more bytes in flight. A word alone in its sector costs the "
           "whole sector:", 14)
    f.text(20, 296, "4 of 32 bytes are used, and a warp's store has 32 sectors.", 14)
    return f


def limit_flops():
    f = Figure(900, 300)
    f.text(20, 26, "one warp, a multiply-add that is ready after 4 cycles (time runs to the right)", 16, bold=True)

    def steps(y, chains, label):
        f.text(20, y + 19, label, 14)
        for cycle in range(16):
            chain = cycle % 4
            if chain < chains:
                colour = (BLUE, GREEN, ORANGE, PURPLE)[chain]
                f.box(150 + 45 * cycle, y, 41, 28, f"{'abcd'[chain]}{cycle // 4 + 1}", colour, 13)
            else:
                f.box(150 + 45 * cycle, y, 41, 28, "", "white")
    steps(46, 1, "1 chain")
    steps(88, 2, "2 chains")
    steps(130, 4, "4 chains")
    for k in range(3):
        f.line(194 + 180 * k, 60, 326 + 180 * k, 60, BLUE, 2, arrow=True)
    f.text(20, 206, "a2 needs a1, so a chain starts one step in 4 cycles. Where a place is white, nothing starts.", 14)
    f.text(20, 230, "b, c and d need nothing of a: other chains of the thread fill the places, and "
           "so do other warps.", 14)
    f.text(20, 266, "warps x chains = 4 per scheduler is enough: one warp with 4 chains, or 4 warps with one.", 14,
           bold=True)
    return f


def limit_latency():
    f = Figure(900, 320)
    f.text(20, 26, "Little's law: in flight = rate x latency", 16, bold=True)

    def pipe(y, filled, label, words):
        f.text(20, y + 24, label, 14)
        f.box(170, y, 560, 38, "", "white")
        for k in range(14):
            if k % (14 // filled) == 0:
                f.box(174 + 40 * k, y + 5, 32, 28, "", BLUE, strong=True)
        f.line(734, y + 19, 780, y + 19, INK, 2, arrow=True)
        f.text(788, y + 24, words, 14)
    pipe(60, 2, "2 loads", "2 per latency")
    pipe(116, 7, "7 loads", "7 per latency")
    pipe(172, 14, "14 loads: full", "14 per latency")
    f.line(170, 50, 730, 50, QUIET, 1.5, arrow=True)
    f.text(450, 46, "to memory and back: the latency", 13, "middle", QUIET)
    f.text(20, 252, "Each thread sends its next load when the last has come. Twice the threads, twice the rate, until "
           "the pipe is full:", 14)
    f.text(20, 276, "then memory itself is the limit, and more threads only wait longer. What counts is bytes in "
           "flight: threads", 14)
    f.text(20, 300, "times bytes per load. How the threads are split into blocks does not.", 14)
    return f


def limit_barrier():
    f = Figure(900, 300)

    def block(left, y, name, colour, lengths, meet, end):
        for warp, length in enumerate(lengths):
            row = y + 34 * warp
            f.text(left, row + 18, f"{name}{warp}", 13)
            f.box(left + 30, row, length, 26, "work", colour, 12)
            f.box(left + 32 + length, row, meet - length - 5, 26,
                  "waits" if meet - length > 50 else "", "white", 12)
            f.box(left + 34 + meet, row, end - meet - 4, 26, "work", colour, 12)
        f.line(left + 31 + meet, y - 4, left + 31 + meet, y + 34 * len(lengths) - 4, RED, 2.5)
    f.text(20, 26, "one block on the multiprocessor", 16, bold=True)
    block(20, 48, "a", BLUE, (150, 200, 110, 250), 254, 390)
    f.text(480, 26, "two blocks of two warps each", 16, bold=True)
    block(480, 48, "a", BLUE, (110, 170), 174, 380)
    block(480, 116, "b", GREEN, (150, 250), 254, 380)
    f.text(20, 214, "At last one warp works,", 14)
    f.text(20, 236, "and three wait for it.", 14)
    f.text(480, 214, "While the warps of b wait, those of a", 14)
    f.text(480, 236, "work, and the other way round.", 14)
    f.text(20, 280, "A barrier (red) holds up the warps of its own block only. Time runs to the right.", 14)
    return f


def limit_branches():
    f = Figure(900, 330)
    ways = (BLUE, GREEN, ORANGE, PURPLE)

    def lanes(left, y, colours):
        for k, colour in enumerate(colours):
            f.box(left + 22 * k, y, 19, 24, "", colour, strong=colour != "white")
    f.text(20, 26, "a path per warp", 16, bold=True)
    for warp in range(4):
        f.text(20, 66 + 36 * warp, f"warp {warp}", 13)
        lanes(90, 48 + 36 * warp, [ways[warp]] * 8)
    f.text(20, 212, "4 warps, a path each: all at the", 14)
    f.text(20, 234, "same time, as long as they would be", 14)
    f.text(20, 256, "with one path for all", 14)
    f.text(350, 26, "a path per lane: one warp", 16, bold=True)
    for way in range(4):
        f.text(350, 66 + 36 * way, f"turn {way + 1}", 13)
        lanes(420, 48 + 36 * way, [ways[way] if k % 4 == way else "white" for k in range(8)])
    f.text(350, 212, "4 turns: in each the lanes of", 14)
    f.text(350, 234, "one path work, the others", 14)
    f.text(350, 256, "wait; 4 times as long", 14)
    f.text(640, 26, "an exchange in two halves", 16, bold=True)
    for at, (label, colour, low) in enumerate((("lower half gives", BLUE, True), ("upper takes", BLUE, False),
                                               ("upper half gives", GREEN, False), ("lower takes", GREEN, True))):
        f.text(640, 66 + 36 * at, label, 13)
        lanes(770, 48 + 36 * at, [colour if (k < 2) == low else "white" for k in range(4)])
    f.text(640, 212, "the same words twice: half the", 14)
    f.text(640, 234, "shared memory, twice the barriers;", 14)
    f.text(640, 256, "allowed: a warp has one path", 14)
    f.text(20, 310, "8 lanes are drawn instead of 32. A warp executes one instruction at a time, for its lanes on "
           "that path.", 14)
    return f


def limit_launch():
    f = Figure(900, 290)
    f.text(20, 26, "launches between two events (time runs to the right)", 16, bold=True)
    f.text(20, 66, "one", 14)
    f.box(120, 46, 40, 32, "E", QUIET, 13)
    f.box(164, 46, 130, 32, "there and back", ORANGE, 13)
    f.box(298, 46, 50, 32, "run", BLUE, 13)
    f.box(352, 46, 40, 32, "E", QUIET, 13)
    f.text(20, 122, "several", 14)
    f.box(120, 102, 40, 32, "E", QUIET, 13)
    f.box(164, 102, 130, 32, "there and back", ORANGE, 13)
    for k in range(5):
        f.box(298 + 96 * k, 102, 50, 32, "run", BLUE, 13)
        f.box(350 + 96 * k, 102, 42, 32, "next", ORANGE, 12)
    f.box(782, 102, 40, 32, "E", QUIET, 13)
    f.text(20, 178, "blocks", 14)
    for sm in range(2):
        for k in range(12):
            f.box(120 + 58 * k, 158 + 30 * sm, 22, 24, "", GREEN, strong=True)
            f.box(142 + 58 * k, 158 + 30 * sm, 34, 24, "", BLUE)
    f.text(826, 176, "SM 0", 13, colour=QUIET)
    f.text(826, 206, "SM 1", 13, colour=QUIET)
    f.text(20, 246, "The first launch pays for the time between event and kernel. Those behind it wait in the "
           "queue: they pay", 14)
    f.text(20, 270, "only for the end of one and the start of the next. Each block pays its multiprocessor for its "
           "start (green).", 14)
    return f


def limit_atomics():
    f = Figure(900, 330)

    def scene(left, title, words, targets, verdict, colour):
        f.text(left, 26, title, 16, bold=True)
        for k in range(6):
            f.box(left + 44 * k, 48, 38, 28, f"t{k}", QUIET, 13)
            f.line(left + 19 + 44 * k, 78, targets[k], 140, colour, 1.8, arrow=True)
        for x, label in words:
            f.box(x, 144, 38, 30, label, colour, 13, True)
        for at, line in enumerate(verdict):
            f.text(left, 212 + 22 * at, line, 14)
    scene(20, "one word", [(130, "w")], [149] * 6,
          ["one after the other:", "the word is read, added to", "and written before the next"], RED)
    line = [(330 + 44 * k, f"w{k}") for k in range(6)]
    scene(330, "the words of one line", line, [349 + 44 * k for k in range(6)],
          ["in one request of a warp,", "but all warps come to the", "same part of the cache"], ORANGE)
    spread = [(640 + 44 * k, f"w{k}") for k in range(6)]
    scene(640, "words of different lines", spread, [659 + 44 * k for k in range(6)],
          ["different parts of the cache:", "side by side"], BLUE)
    f.box(326, 138, 266, 42, "", "white")
    for x, label in line:
        f.box(x, 144, 38, 30, label, ORANGE, 13, True)
    f.text(20, 310, "The additions of a grid meet in the L2 cache, those of a block in shared memory, where they wait "
           "for a bank.", 14)
    return f


FIGURES = {"limit-words": limit_words, "limit-flops": limit_flops, "limit-latency": limit_latency,
           "limit-barrier": limit_barrier, "limit-branches": limit_branches,
           "limit-launch": limit_launch, "limit-atomics": limit_atomics}
