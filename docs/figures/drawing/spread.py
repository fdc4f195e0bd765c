"""Arrays and matrices that are spread over several GPUs: their parts, and what goes from one to another."""
from docs.figures.drawing.devices import COLOURS, gpu
from docs.figures.drawing.svg import BLUE, GREEN, QUIET, RED, Figure


def reduce_devices():
    """The parts, the blocks' sums, and the words that go to the other GPU."""
    f = Figure(900, 290)
    f.text(20, 26, "packets: one launch per GPU", 16, bold=True)
    for d in range(2):
        at = 20 + d * 440
        gpu(f, at, 45, d, width=400, height=130)
        f.box(at + 15, 75, 250, 30, "its part of the array", COLOURS[d])
        for k in range(4):
            f.box(at + 20 + k * 62, 125, 50, 30, "block", QUIET, 13)
            f.line(at + 45 + k * 62, 106, at + 45 + k * 62, 123, COLOURS[d], 1.5, arrow=True)
        f.box(at + 290, 75, 95, 30, "sum | launch", COLOURS[1 - d], 12)
        f.text(at + 290, 122, "inbox", 13, colour=QUIET)
    f.line(232, 157, 770, 107, BLUE, 2, arrow=True)
    f.line(662, 157, 372, 107, GREEN, 2, arrow=True)
    f.text(20, 215,
           "The block that finishes last adds the sums of its GPU's blocks, stores the word to all inboxes,", 14)
    f.text(20, 237, "and polls its own inbox. Then it adds p words, in the same order on each GPU.", 14)
    f.text(20, 268, "A word has the sum and the number of the launch: a GPU that sees the number sees the sum.", 14,
           colour=RED)
    return f


def bar(f, x, y, width, text, colour, strong=False):
    f.box(x, y, width, 26, text, colour, 13, strong)


def scan_devices():
    """What each GPU does in the two variants, over time, and how the array lies."""
    f = Figure(900, 260)
    f.text(20, 26, "time: 100 points are the reading or writing of a part", 16, bold=True)
    rows = (("add", ((("read, write: scan", 200), ("read, write: add", 200)),) * 2),
            ("totals", ((("read: sum", 100), ("read, write: scan", 200)),
                        (("waits", 100), ("read, write: scan", 200)))))
    for k, (name, gpus) in enumerate(rows):
        y = 50 + k * 76
        f.text(20, y + 36, name, 15, bold=True)
        for d, parts in enumerate(gpus):
            f.text(100, y + 18 + d * 31, f"GPU {d}", 14)
            x = 160
            for text, width in parts:
                idle = text.startswith("waits")
                bar(f, x, y + d * 31, width - 3, text, QUIET if idle else COLOURS[d])
                x += width
    f.text(600, 70, "one GPU needs 400", 14)
    f.text(20, 230, "the array: a part per GPU", 14)
    for d in range(2):
        bar(f, 230 + d * 320, 213, 317, f"GPU {d}", COLOURS[d])
    return f


def scan_cyclic():
    """How the array lies, and which sums the GPUs hand over while they walk through it together."""
    f = Figure(900, 270)
    f.text(20, 26, "the array: chunks, dealt out in turn", 16, bold=True)
    for k in range(8):
        bar(f, 160 + k * 80, 45, 77, f"chunk {k}", COLOURS[k % 2])
    f.text(20, 110, "time: each GPU reads and writes its chunks once: 200, where one GPU needs 400", 16, bold=True)
    for d in range(2):
        y = 130 + d * 62
        f.text(90, y + 18, f"GPU {d}", 14)
        for k in range(4):
            bar(f, 160 + k * 50, y, 47, f"{2 * k + d}", COLOURS[d])
    for k in range(4):
        f.line(178 + k * 50, 158, 178 + k * 50, 190, BLUE, 2, arrow=True)
        f.line(198 + k * 50, 190, 198 + k * 50, 158, GREEN, 2, arrow=True)
    f.text(400, 150, "Each chunk's sum goes to the other GPU as soon as it is known.", 14)
    f.text(400, 180, "Before chunk 4 stand the chunks 0 to 3, which both GPUs have", 14)
    f.text(400, 202, "summed already: neither waits for the end of a part.", 14)
    f.text(20, 252, "A GPU that falls behind keeps the other one waiting.", 14, colour=RED)
    return f


def transpose_devices():
    """A matrix by rows, by columns, turned."""
    f = Figure(900, 300)
    for at, title in ((20, "by rows"), (250, "stores, loads: by columns"), (500, "turn-stores: the transpose"),
                      (730, "turn-here")):
        f.text(at, 26, title, 15, bold=True)
    for d in range(2):
        for e in range(2):
            crosses = d != e
            f.box(20 + e * 80, 50 + d * 80, 77, 77, f"{d}{e}", COLOURS[d], 16)
            f.box(250 + e * 80, 50 + d * 80, 77, 77, f"{d}{e}", COLOURS[e], 16, crosses)
            f.box(500 + d * 80, 50 + e * 80, 77, 77, f"{d}{e}ᵀ", COLOURS[e], 16, crosses)
            f.box(730 + d * 80, 50 + e * 80, 77, 77, f"{d}{e}ᵀ", COLOURS[d], 16)
    f.line(185, 130, 243, 130, RED, 2, arrow=True)
    f.text(20, 245, "The colour is the GPU that has a block: blue GPU 0, green GPU 1. A full colour: the block has", 14)
    f.text(20, 267, "crossed a link. With two GPUs that is half of the matrix, a quarter each way.", 14)
    return f


FIGURES = {"reduce-devices": reduce_devices, "scan-devices": scan_devices, "scan-cyclic": scan_cyclic,
           "transpose-devices": transpose_devices}
