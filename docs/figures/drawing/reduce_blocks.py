"""reduce4 to reduce-cluster: who waits for whom, and how the sums of the blocks become one."""
from docs.figures.drawing.svg import BLUE, GREEN, INK, ORANGE, QUIET, RED, Figure


def reduce4():
    """Who waits: four warps, the rounds of a block of 128."""
    f = Figure(900, 300)

    def panel(left, title, whole, colour):
        f.text(left, 26, title, 16, bold=True)
        for warp in range(4):
            f.text(left, 66 + warp * 44, f"warp {warp}", 13)
        for at, active in enumerate((64, 32, 16, 8, 4, 2, 1)):
            x = left + 62 + at * 48
            for warp in range(4):
                busy = active > warp * 32
                f.box(x, 48 + warp * 44, 30, 28, min(active, 32) if busy else "",
                      colour if busy else QUIET, 12)
            long = whole or active > 32
            if whole or active > 1:  # the last pair of reduce4 is added on the store
                f.line(x + 39, 42, x + 39, 214 if long else 82, RED if long else GREEN, 3)
        f.text(left + 62, 240, "threads that add, round by round", 13, colour=QUIET)
    panel(14, "reduce3: the block's barrier each time", True, BLUE)
    panel(470, "reduce4: only the warp's, at the end", False, BLUE)
    f.line(30, 268, 30, 288, RED, 3)
    f.text(42, 284, "__syncthreads(): all warps wait", 14)
    f.line(360, 268, 360, 288, GREEN, 3)
    f.text(372, 284, "__syncwarp(): the 32 lanes of one warp", 14)
    return f


def reduce5():
    f = Figure(900, 350)
    f.text(20, 26, "which rounds of the tree are compiled into each kernel", 16, bold=True)
    sizes = [1024, 512, 256, 128, 64, 32, 16, 8, 4, 2, 1]
    for column, size in enumerate(sizes):
        f.text(130 + column * 58, 56, size, 13, "middle")
        for row, k in enumerate((512, 256, 128, 64, 32, 16, 8, 4, 2, 1)):
            if column == 0:
                f.text(86, 85 + row * 25, f"k = {k}", 13, "end")
            inside = k <= size // 2
            f.box(104 + column * 58, 68 + row * 25, 52, 21, "",
                  (BLUE if k > 32 else GREEN) if inside else QUIET, strong=inside)
    f.text(20, 56, "THREADS", 13)
    f.box(760, 96, 26, 20, "", BLUE, strong=True)
    f.text(794, 111, "block barrier", 13)
    f.box(760, 128, 26, 20, "", GREEN, strong=True)
    f.text(794, 143, "__syncwarp", 13)
    f.box(760, 160, 26, 20)
    f.text(794, 175, "not compiled", 13)
    return f


def reduce6():
    f = Figure(900, 300)

    def panel(left, title, per_block, colour):
        f.text(left, 26, title, 16, bold=True)
        for block in range(3):
            x = left + block * 140
            f.text(x, 56, f"block {block}", 13, colour=QUIET)
            for t in range(4):
                f.box(x + t * 30, 64, 26, 26, t, BLUE, 12)
                if not per_block:
                    f.line(x + t * 30 + 13, 92, left + 200, 232, colour, 1.2, arrow=True)
            if per_block:
                for t in range(4):
                    f.line(x + t * 30 + 13, 92, x + 58, 138, QUIET, 1.2)
                f.box(x + 40, 138, 36, 26, "tree", QUIET, 12)
                f.line(x + 58, 166, left + 200, 232, colour, 1.6, arrow=True)
        f.box(left + 160, 234, 80, 32, "sum", RED, strong=True)
        f.text(left, 290, "12 atomics meet at one address" if not per_block else
               "3 atomics; the tree costs barriers", 14, colour=colour)
    panel(20, "per-thread", False, RED)
    panel(470, "per-block", True, BLUE)
    return f


def reduce7():
    f = Figure(900, 330)
    f.text(20, 26, "the block with the last ticket finishes (time runs to the right)", 16, bold=True)
    for row, (block, start, length, ticket) in enumerate(((0, 0, 220, 1), (1, 30, 300, 2),
                                                          (2, 10, 160, 0), (3, 60, 390, 3))):
        y, x = 48 + row * 52, 90 + start
        f.text(20, y + 22, f"block {block}", 14)
        f.box(x, y, length, 32, "sum of its slice", BLUE, 13)
        f.box(x + length + 4, y, 62, 32, "partial", ORANGE, 13)
        f.box(x + length + 70, y, 66, 32, f"ticket {ticket}", GREEN, 13, True)
        if ticket == 3:
            f.box(x + length + 140, y, 130, 32, "sum of partials", RED, 13, True)
        f.line(x + length + 68, y - 4, x + length + 68, y + 36, INK, 2.5)
    f.text(20, 284, "The black mark is a fence: a thread that sees the ticket taken also sees the partial "
           "sum.", 14)
    f.text(20, 308, "No block waits. Tickets run from 0; the holder of ticket gridDim.x - 1 knows "
           "that all others have written.", 14)
    return f


def reduce_float4():
    """One thread's time: loads in flight, and the additions that wait for them."""
    f = Figure(900, 364)
    f.text(20, 26, "one thread: which loads are in flight, and when it adds (time runs to the right)", 16,
           bold=True)
    rows = (("reduce7", "one load of 4 bytes", 1, False, "4 bytes per thread, 8 KiB per multiprocessor"),
            ("four-loads", "four of 4 bytes", 4, False, "16 bytes, 32 KiB"),
            ("float4", "four of 16 bytes", 4, True, "64 bytes, 128 KiB"))
    y = 48
    for name, what, loads, wide, total in rows:
        f.text(20, y + 18, name, 15, bold=True)
        f.text(20, y + 38, what, 13, colour=QUIET)
        for turn in range(3):
            x = 170 + turn * 236
            for k in range(loads):
                f.box(x + k * 8, y + k * 14, 176, 11, "", BLUE, strong=wide)
            f.box(x + loads * 8 + 172, y, 26, loads * 14 - 3, "+", GREEN, 13, True)
        f.text(170, y + loads * 14 + 16, total, 13)
        y += loads * 14 + 46
    f.box(20, 310, 60, 11, "", BLUE)
    f.text(90, 321, "a load of 4 bytes, from its start to its answer", 13)
    f.box(450, 310, 60, 11, "", BLUE, strong=True)
    f.text(520, 321, "of 16 bytes", 13)
    f.box(640, 306, 26, 18, "+", GREEN, 13, True)
    f.text(674, 321, "additions: they wait", 13)
    f.text(20, 350, "A round takes a latency, and longer once memory is busy all the time. The difference is "
           "how many bytes come in a round.", 14)
    return f


def reduce_float4_unaligned():
    f = Figure(900, 220)
    f.text(20, 26, "16-byte loads from an array that starts 4 bytes too late", 16, bold=True)
    for i in range(14):
        head, tail = i < 3, i >= 11
        f.box(66 + i * 52, 60, 46, 34, f"x[{i}]", RED if head or tail else BLUE, 13)
    for i in range(5):
        f.line(11 + i * 208, 48, 11 + i * 208, 106, INK, 2, dash="5 3")
    for group in range(2):
        f.box(222 + group * 208, 112, 202, 26, f"one load of lane {group}", BLUE, 13, True)
    f.text(66, 130, "head: singly", 14, colour=RED)
    f.text(640, 130, "tail: singly", 14, colour=RED)
    f.text(20, 170, "Dashed: addresses that are multiples of 16. A lane's load must start there.", 14)
    f.text(20, 196, "A warp loads 32 x 16 = 512 bytes at once: 16 sectors in one request, instead "
           "of 4 in each of four.", 14)
    return f


def reduce_bulk():
    """bulk: the tiles of a block take turns in a ring of four places."""
    f = Figure(900, 310)
    f.text(20, 26, "bulk: the tiles of one block in a ring of four places (time runs to the right)", 16, bold=True)
    slot = 96
    for place in range(4):
        y = 52 + place * 44
        f.text(20, y + 22, f"place {place}", 14)
        for tile in range(place, 7, 4):
            added = 100 + (tile + 1) * slot  # when the block adds it
            begin = max(100, added - 3 * slot)
            f.box(begin, y, added - begin - 4, 32, f"copy of tile {tile}", BLUE, 13)
            f.box(added, y, slot - 6, 32, f"add {tile}", GREEN, 13, True)
    f.text(20, 256, "Blue: a copy is in flight; no thread waits for it. Green: all threads add the tile.", 14)
    f.text(20, 282, "A place is filled again only after a barrier: all warps have read the tile that it held.", 14)
    return f


def reduce_cluster():
    """How the sums of eight blocks become one: by a ticket, by a cluster's barrier, and by stores that count."""
    f, left, add = Figure(900, 420), 150, (0, 180, "load, add", BLUE)
    f.text(20, 26, "from the blocks' sums to one; time to the right, not to scale", 16, bold=True)
    for y, name, first, last in (
            (62, "ticket: through global memory",
             (add, (180, 290, "store the sum", ORANGE), (290, 400, "take a ticket", ORANGE)),
             (add, (180, 290, "store the sum", ORANGE), (290, 400, "the last ticket", ORANGE),
              (400, 510, "read all sums", ORANGE), (510, 580, "add", GREEN))),
            (172, "barrier: through shared memory",
             (add, (180, 230, "store", RED), (230, 340, "barrier", QUIET), (340, 410, "add", GREEN)),
             (add, (180, 230, "store", RED), (230, 340, "barrier", QUIET))),
            (282, "async: the same, only one waits",
             (add, (180, 230, "send", RED), (230, 290, "wait", QUIET), (290, 360, "add", GREEN)),
             (add, (180, 230, "send", RED)))):
        f.text(20, y, name, 14, bold=True)
        f.spans(y + 10, "block 0", left, first)
        f.spans(y + 46, "block 7", left, last)
    for y, line in (
            (382, "Orange: a round trip to the L2 cache. Red: a store to the shared memory of block 0. With a ticket"),
            (402, "the last block adds, whichever that is; in a cluster block 0 does.")):
        f.text(20, y, line, 14)
    return f


def fold_tree(f, left, width, title, states, combine, colour, text=str):
    """The states two by two, until one is left; each in a box so wide."""
    f.text(left, 26, title, 16, bold=True)
    rows = [list(states)]
    while len(rows[-1]) > 1:
        rows.append([combine(*rows[-1][at:at + 2]) for at in range(0, len(rows[-1]), 2)])
    for level, row in enumerate(rows):
        step = width * 2 ** level
        for at, state in enumerate(row):
            x, y = left + at * step + (step - width) / 2, 44 + level * 62
            f.box(x, y, width - 8, 30, text(state), colour, 14, level == len(rows) - 1)
            if level < len(rows) - 1:
                f.line(x + width / 2 - 4, y + 32, left + at // 2 * 2 * step + step - 4, y + 60, QUIET, 1.2)


def reduce_operators():
    """One tree, three operators; and two orders of an operator that is none."""
    f = Figure(900, 400)
    values = (3, 1, 9, 4)
    fold_tree(f, 20, 66, "sum", values, lambda a, b: a + b, BLUE)
    fold_tree(f, 320, 66, "max", values, max, GREEN)
    fold_tree(f, 620, 66, "product", values, lambda a, b: a * b, ORANGE)
    f.text(20, 246, "subtraction, one after the other", 16, bold=True)
    f.text(20, 278, "((3 - 1) - 9) - 4 = -11", 16, mono=True)
    f.text(320, 246, "in the same tree", 16, bold=True)
    f.text(320, 278, "(3 - 1) - (9 - 4) = -3", 16, mono=True, colour=RED)
    f.text(620, 246, "blocks as they come", 16, bold=True)
    f.text(620, 278, "2 - (5 - 0) = -3", 16, mono=True, colour=RED)
    f.text(620, 304, "5 - (2 - 0) = 3", 16, mono=True, colour=RED)
    f.text(20, 350, "A tree may put the parentheses anywhere: the operator must be associative.", 14)
    f.text(20, 376, "Blocks that come in any order also change the order of the operands: it must be "
           "commutative, too.", 14)
    return f


def reduce_states():
    """Two trees whose states are more than a number."""
    f = Figure(900, 300)
    values = (3, 1, 9, 4)

    def merged(a, b):
        n = a[0] + b[0]
        return n, (a[0] * a[1] + b[0] * b[1]) / n, a[2] + b[2] + a[0] * b[0] / n * (b[1] - a[1]) ** 2
    fold_tree(f, 20, 84, "argmax: value and place", [(v, i) for i, v in enumerate(values)], max, BLUE,
              lambda state: f"{state[0]} at {state[1]}")
    fold_tree(f, 400, 120, "mean: count, mean and spread", [(1, v, 0) for v in values], merged, GREEN,
              lambda state: ", ".join(f"{part:g}" for part in state))
    f.text(400, 222, "variance: 34.75 / 4 = 8.6875, of the last state alone", 14)
    f.text(20, 262, "The spread is the sum of the squared distances from the mean. Two parts have theirs, and what the "
           "two means differ adds to it.", 13)
    return f


FIGURES = {"reduce-operators": reduce_operators, "reduce-states": reduce_states, "reduce4": reduce4,
           "reduce5": reduce5, "reduce6": reduce6, "reduce7": reduce7, "reduce-float4": reduce_float4,
           "reduce-float4-unaligned": reduce_float4_unaligned, "reduce-bulk": reduce_bulk,
           "reduce-cluster": reduce_cluster}
