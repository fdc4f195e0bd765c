"""What is done row by row: the softmaxes, and layer normalization."""
from docs.figures.drawing.svg import BLUE, GREEN, ORANGE, QUIET, RED, Figure

ROW = (1, 3, 0, 4, 2, 4, 1, 3)


def softmax_naive():
    """A row, what each pass makes of it, and the two ways to share rows out."""
    f = Figure(900, 330)
    f.text(20, 26, "three passes over a row x", 16, bold=True)
    lines = (("x", [str(x) for x in ROW], BLUE, "first: the largest element, m = 4"),
             ("exp(x - m)", [f"{2.718281828 ** (x - 4):.2f}" for x in ROW], ORANGE, "second: their sum, s = 2.99"),
             ("exp(x - m) / s", [f"{2.718281828 ** (x - 4) / 2.989:.2f}" for x in ROW], GREEN,
              "third: the shares, together 1"))
    for at, (name, values, colour, words) in enumerate(lines):
        f.text(148, 68 + at * 52, name, 14, "end")
        for i, value in enumerate(values):
            f.box(160 + i * 54, 46 + at * 52, 50, 34, value, colour, 14)
        f.text(606, 68 + at * 52, words, 14)
    f.text(20, 226, "a thread per row: lanes read one below the other", 16, bold=True)
    f.text(480, 226, "a block per row: lanes read side by side", 16, bold=True)
    for r in range(3):
        for c in range(7):
            f.box(40 + c * 54, 240 + r * 28, 50, 24, f"lane {r}" if c == 2 else "", RED if c == 2 else BLUE, 11)
            f.box(500 + c * 54, 240 + r * 28, 50, 24, f"lane {c}" if r == 1 else "", GREEN if r == 1 else BLUE, 11)
    return f


def softmax_online():
    """A thread's maximum and sum as elements come, and two parts that are joined."""
    f = Figure(900, 330)
    f.text(20, 26, "one thread, element after element", 16, bold=True)
    steps = (("1", "1", "1"), ("3", "3", "1 exp(1 - 3) + 1 = 1.14"), ("0", "3", "1.14 + exp(0 - 3) = 1.19"),
             ("4", "4", "1.19 exp(3 - 4) + 1 = 1.44"))
    for x, words in ((62, "x"), (132, "m"), (190, "s, the sum of all exp(x - m)")):
        f.text(x, 56, words, 14, "middle" if x < 150 else "start")
    for at, (x, m, s) in enumerate(steps):
        grows = at and m != steps[at - 1][1]
        f.box(40, 66 + at * 40, 46, 34, x, BLUE, 15)
        f.box(110, 66 + at * 40, 46, 34, m, RED if grows else ORANGE, 15, bool(grows))
        f.text(190, 88 + at * 40, s, 14)
    f.text(20, 260, "red: a larger element has come, and the sum so far is multiplied", 14)
    f.text(480, 26, "two parts of a row, joined", 16, bold=True)
    for x, words in ((490, "m = 4, s = 1.44"), (700, "m = 2, s = 1.50")):
        f.box(x, 66, 170, 40, words, ORANGE, 14)
        f.line(x + 85, 108, 680, 150, arrow=True)
    f.box(560, 152, 240, 40, "m = 4, s = 1.44 + 0.20 = 1.64", GREEN, 14)
    f.text(490, 222, "The part with the smaller maximum is multiplied", 14)
    f.text(490, 244, "by exp(2 - 4). The order of joining changes only", 14)
    f.text(490, 266, "the rounding.", 14)
    return f


def softmax_registers():
    """What the lanes of a warp hold of a row, and what is joined."""
    f = Figure(900, 330)
    f.text(20, 26, "a row of 32 elements, four lanes, two loads of 16 bytes each", 16, bold=True)
    colours = (BLUE, ORANGE, GREEN, RED)
    for load in range(2):
        f.text(108, 70 + load * 46, f"load {load + 1}", 14, "end")
        for lane in range(4):
            for c in range(4):
                f.box(120 + lane * 184 + c * 44, 48 + load * 46, 42, 36, str(load * 16 + lane * 4 + c), colours[lane],
                      13)
    for lane in range(4):
        f.text(207 + lane * 184, 156, f"lane {lane}: maximum, sum", 13, "middle")
        f.line(207 + lane * 184, 164, 483 + (lane - 1.5) * 30, 196, arrow=True)
    f.box(363, 200, 240, 38, "the row's maximum and sum", GREEN, 14)
    f.text(20, 272, "All loads are issued before any element is looked at. The elements stay in the registers", 14)
    f.text(20, 294, "until the row's sum is known; then they are multiplied and stored. Nothing is loaded twice.", 14)
    return f


def softmax_cluster():
    """A row over the blocks of a cluster, and who writes what into whose shared memory."""
    f, colours = Figure(900, 420), (BLUE, ORANGE)
    f.text(20, 26, "a row of 16 vectors, a cluster of two blocks, four threads in each", 16, bold=True)
    for v in range(16):
        block = v // 4 % 2
        f.box(20 + v * 54, 44, 52, 34, str(v), colours[block], 13)
    f.text(20, 102, "blue: in the registers of block 0; orange: in those of block 1. Thread t has vectors t and "
                    "t + 8.", 14)
    for block, x in ((0, 20), (1, 480)):
        f.box(x, 126, 400, 40, f"block {block}: maximum and sum of its part", colours[block], 14)
        f.text(x + 96, 334, f"shared memory of block {block}", 13)
        for turn in range(2):
            f.text(x + 84, 258 + turn * 44, f"turn {turn}", 13, "end")
            for rank in range(2):
                words, colour = ("the next row", QUIET) if turn else (f"of block {rank}", colours[rank])
                f.box(x + 96 + rank * 152, 236 + turn * 44, 148, 34, words, colour, 13)
    for block, x in ((0, 160), (1, 700)):
        for other in range(2):
            f.line(x, 168, 20 + other * 460 + 96 + block * 152 + 74, 232, colours[block], 1.6, True,
                   "" if other == block else "5,3")
    f.line(20, 348, 880, 348, RED, 2)
    f.text(20, 368, "the barrier of the cluster: all parts have been written", 14, colour=RED)
    for y, line in (
            (390, "Solid: into the block's own shared memory. Dashed: into the other one's. Behind the barrier each"),
            (410, "block reads its own alone. The next row has the other two places, so no second barrier is needed.")):
        f.text(20, y, line, 14)
    return f


def softmax_async():
    """Two rows in a block of a cluster: behind the cluster's barrier, and with parts that are sent."""
    f, left = Figure(900, 380), 170
    f.text(20, 26, "two rows in a block of a cluster; time to the right, not to scale; a colour: a row", 16,
           bold=True)
    f.text(20, 62, "softmax-cluster", 14, bold=True)
    f.spans(72, "threads", left,
            ((0, 150, "load, sum", BLUE), (150, 190, "wait", QUIET), (190, 250, "store", BLUE),
             (250, 400, "load, sum", GREEN), (400, 530, "wait", QUIET), (530, 590, "store", GREEN)))
    f.spans(108, "stores in flight", left,
            ((190, 490, "of the first row", BLUE), (530, 715, "of the second row", GREEN)))
    f.line(left + 490, 66, left + 490, 144, RED, 2, False, "4,3")
    f.text(left + 490, 160, "all stores are seen: only now the threads arrive", 13, "middle", RED)
    f.text(20, 206, "softmax-async", 14, bold=True)
    f.spans(216, "threads", left,
            ((0, 150, "load, sum", BLUE), (150, 190, "wait", QUIET), (190, 250, "store", BLUE),
             (250, 400, "load, sum", GREEN), (400, 440, "wait", QUIET), (440, 500, "store", GREEN)))
    f.spans(252, "stores in flight", left,
            ((190, 437, "of the first row", BLUE), (440, 660, "of the second row", GREEN)))
    for at in (188, 438):
        f.line(left + at, 210, left + at, 288, RED, 2, False, "4,3")
    f.text(left + 313, 304, "the bytes of all parts have come", 13, "middle", RED)
    for y, line in (
            (342, "A barrier of the cluster waits for all that a thread has stored, the row before included. Bytes"),
            (362, "that are counted where they arrive need no such wait: the stores run on beside the next row.")):
        f.text(20, y, line, 14)
    return f


def softmax_ahead():
    """Three rows in a block of a cluster: loaded in their turn, and ahead of it."""
    f, left = Figure(900, 420), 170
    f.text(20, 26, "rows in a block of a cluster; time to the right, not to scale; a colour: a row", 16, bold=True)
    f.text(20, 62, "softmax-async", 14, bold=True)
    f.spans(72, "loads in flight", left, [(x, x + 110, "load", colour) for x, colour in ((0, BLUE), (300, GREEN))])
    f.spans(108, "threads", left, [span for x, colour in ((110, BLUE), (410, GREEN)) for span in (
        (x, x + 70, "sum", colour), (x + 70, x + 130, "wait", QUIET), (x + 130, x + 190, "store", colour))])
    f.line(left + 300, 66, left + 300, 144, RED, 2, False, "4,3")
    f.text(left + 300, 160, "only now the next row is requested", 13, "middle", RED)
    f.text(20, 206, "softmax-ahead", 14, bold=True)
    f.spans(216, "slot 0", left, ((0, 110, "load", BLUE), (110, 130, "", QUIET), (130, 300, "load", ORANGE),
                                  (300, 510, "", QUIET), (510, 700, "load", GREEN)))
    f.spans(252, "slot 1", left, ((0, 130, "load", GREEN), (130, 300, "", QUIET), (320, 490, "load", BLUE)))
    f.spans(288, "threads", left, [span for x, colour in ((110, BLUE), (300, GREEN), (490, ORANGE)) for span in (
        (x, x + 20, "", colour), (x + 20, x + 70, "sum", colour), (x + 70, x + 130, "wait", QUIET),
        (x + 130, x + 190, "store", colour))])
    for x in (130, 320, 510):
        f.line(left + x, 210, left + x, 324, RED, 2, False, "4,3")
    f.text(left + 320, 342, "the row is in registers: its slot gets another one", 13, "middle", RED)
    for y, line in (
            (378, "A row lies in a slot only until its block's threads have it in registers. Then the next one is on"),
            (398, "its way to that slot, while this row is summed, waited for and stored. It has no registers yet.")):
        f.text(20, y, line, 14)
    return f


def layernorm():
    """What is done with a row in registers, and what all rows share."""
    f, row = Figure(900, 330), (1, 3, 0, 4, 2, 4, 1, 1)
    mean = sum(row) / 8
    scale = (sum((x - mean) ** 2 for x in row) / 8) ** -.5
    f.text(20, 26, "two looks at a row, which is loaded once", 16, bold=True)
    lines = (("x, in registers", [str(x) for x in row], BLUE, f"first look: the mean is {mean:.0f}"),
             ("x - mean", [f"{x - mean:.0f}" for x in row], ORANGE, f"second look: the variance is {scale ** -2:.1f}"),
             ("over its root", [f"{(x - mean) * scale:.1f}" for x in row], GREEN, ""))
    for at, (name, values, colour, words) in enumerate(lines):
        f.text(148, 68 + at * 46, name, 14, "end")
        for i, value in enumerate(values):
            f.box(160 + i * 54, 46 + at * 46, 50, 34, value, colour, 14)
        f.text(606, 68 + at * 46, words, 14)
    for at, name in enumerate(("times weight", "plus bias")):
        f.text(148, 214 + at * 46, name, 14, "end")
        for i in range(8):
            f.box(160 + i * 54, 192 + at * 46, 50, 34, f"{name.split()[1][0]}{i}", QUIET, 14)
    f.text(606, 214, "the same for all rows: each row", 14)
    f.text(606, 236, "loads them again, out of a cache", 14)
    f.text(20, 310, "Only then are the elements stored. Nothing of the row is loaded a second time.", 14)
    return f


def layernorm_ahead():
    """A block's shared memory: what stays for all rows, and the slots."""
    f, x = Figure(900, 250), 20
    f.text(20, 26, "the shared memory of a block, which stays for many rows", 16, bold=True)
    f.text(20, 58, "copied once, at the begin", 14)
    f.text(332, 58, "filled by the TMA, one row after another", 14)
    for words, colour in (("weights", QUIET), ("biases", QUIET), ("slot 0: a row", BLUE), ("slot 1: a row", GREEN),
                          ("slot 2: a row", ORANGE)):
        f.box(x, 68, 150, 44, words, colour, 14)
        x += 156
    for begin, end in ((95, 380), (251, 407), (407, 434)):
        f.line(begin, 114, end, 156, arrow=True)
    f.box(332, 158, 150, 38, "a row in registers", BLUE, 14)
    f.line(484, 177, 540, 177, arrow=True)
    f.text(548, 182, "normalized, weighted, stored", 14)
    f.text(20, 230, "From memory and the L2 cache come a row's elements alone. In a cluster each block has its part.",
           14)
    return f


FIGURES = {"softmax-naive": softmax_naive, "softmax-online": softmax_online,
           "softmax-registers": softmax_registers, "softmax-cluster": softmax_cluster,
           "softmax-async": softmax_async, "softmax-ahead": softmax_ahead, "layernorm": layernorm,
           "layernorm-ahead": layernorm_ahead}
