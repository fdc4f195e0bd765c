"""Several GPUs: where the bytes go, from which memory to which."""
from docs.figures.drawing.svg import BLUE, GREEN, INK, ORANGE, PURPLE, QUIET, RED, Figure

COLOURS = (BLUE, GREEN, ORANGE, PURPLE)


def gpu(f, x, y, number, width=150, height=90):
    f.box(x, y, width, height, "", QUIET)
    f.text(x + 8, y + 18, f"GPU {number}", 14, bold=True)


def peers_copy():
    """Through the host's memory, and straight over the link."""
    f = Figure(900, 300)
    for at, title in ((20, "host: down and up, over the PCI bus"), (480, "one-way, all-at-once: over the link")):
        f.text(at, 26, title, 16, bold=True)
        for d in range(2):
            gpu(f, at + d * 240, 50, d)
            f.box(at + 15 + d * 240, 80, 55, 40, "in", COLOURS[d])
            f.box(at + 80 + d * 240, 80, 55, 40, "out", COLOURS[1 - d])
    f.box(120, 200, 150, 50, "host, pinned", ORANGE)
    f.line(62, 122, 150, 198, BLUE, 2, arrow=True)
    f.line(240, 198, 350, 122, BLUE, 2, arrow=True)
    f.line(302, 122, 220, 198, GREEN, 2, arrow=True)
    f.line(170, 198, 128, 122, GREEN, 2, arrow=True)
    f.line(550, 92, 798, 92, BLUE, 2, arrow=True)
    f.line(735, 112, 617, 112, GREEN, 2, arrow=True)
    f.text(20, 285, "each array crosses the bus twice", 14)
    f.text(480, 160, "A link has a direction of its own for each way:", 14)
    f.text(480, 182, "two copies that go opposite ways do not slow down each other.", 14)
    return f


def peers_load():
    """A load crosses the link twice, a store once."""
    f = Figure(900, 270)
    for at, title in ((20, "stores: the data goes out"), (480, "loads: a request out, the data back")):
        f.text(at, 26, title, 16, bold=True)
        for d in range(2):
            gpu(f, at + d * 240, 50, d)
    f.box(35, 85, 55, 40, "in", BLUE)
    f.box(320, 85, 60, 40, "out", BLUE)
    f.box(95, 85, 65, 40, "threads", RED)
    f.line(162, 105, 318, 105, BLUE, 2, arrow=True)
    f.text(20, 180, "A thread stores and goes on: it waits for nothing.", 14)
    f.box(495, 85, 55, 40, "in", BLUE)
    f.box(735, 85, 65, 40, "threads", RED)
    f.box(808, 85, 55, 40, "out", BLUE)
    f.line(733, 98, 552, 98, RED, 2, arrow=True, dash="5 4")
    f.line(552, 114, 733, 114, BLUE, 2, arrow=True)
    f.text(480, 180, "A thread waits for the round trip; so many loads must be in flight.", 14)
    f.text(480, 202, "dashed: the address; solid: the data", 14)
    return f


def peers_flag():
    """Data, then the flag; and a barrier of two blocks."""
    f = Figure(900, 290)
    f.text(20, 26, "a word that says that the data is there", 16, bold=True)
    for d in range(2):
        gpu(f, 20 + d * 240, 50, d, height=110)
    f.box(300, 80, 60, 30, "data", BLUE)
    f.box(300, 120, 60, 30, "flag", RED)
    f.line(150, 95, 298, 95, BLUE, 2, arrow=True)
    f.line(150, 135, 298, 135, RED, 2, arrow=True)
    f.text(160, 86, "1", 14)
    f.text(160, 126, "2: release", 14)
    f.text(366, 140, "3: acquire", 12)
    f.text(20, 195, "Without the release the flag may pass the data on its path;", 14)
    f.text(20, 217, "without the acquire the data may be read before the flag.", 14)
    f.text(500, 26, "the barrier: a flag per pair, all at once", 16, bold=True)
    for d in range(2):
        gpu(f, 500 + d * 220, 50, d, height=110)
        for k in range(2):
            f.box(515 + d * 220 + k * 65, 90, 58, 40, f"from {k}", COLOURS[k])
    f.line(560, 150, 750, 132, BLUE, 2, arrow=True)
    f.line(780, 150, 610, 132, GREEN, 2, arrow=True)
    f.text(500, 195, "Each polls the flags in its own memory.", 14)
    f.text(500, 217, "The flags only grow, and are never set back.", 14)
    return f


def shares(f, x, y, texts, colours):
    for k, (text, colour) in enumerate(zip(texts, colours)):
        f.box(x + k * 62, y, 58, 30, text, colour, 13)


def allreduce_ring():
    """Four GPUs, four shares: what each has after each step."""
    f = Figure(900, 330)
    f.text(20, 26, "the share that each GPU sends, and from how many GPUs it is a sum", 16, bold=True)
    for d in range(4):
        f.text(20, 91 + d * 44, f"GPU {d}", 14, bold=True)
    titles = ("step 1", "step 2", "step 3", "has the sum", "step 4", "step 5", "step 6")
    for step in range(7):
        f.text(128 + step * 112, 60, titles[step], 14, "middle")
        for d in range(4):
            share = (d - step) % 4 if step < 3 else (d + 1) % 4 if step == 3 else (d + 1 - (step - 4)) % 4
            many = step + 1 if step < 3 else 4
            f.box(88 + step * 112, 72 + d * 44, 80, 32, f"{'abcd'[share]}: {many}", COLOURS[share], 14, step == 3)
    f.text(20, 285, "steps 1 to 3, reduce-scatter: receive from the GPU before, add what you have, send it on", 14)
    f.text(20, 308, "steps 4 to 6, all-gather: send on what came; each link carries 6 of 4 shares: 2 (p - 1) / p n", 14)
    return f


def allreduce_oneshot():
    """Every GPU reads all arrays."""
    f = Figure(900, 270)
    f.text(20, 26, "loads: each GPU loads all inputs", 16, bold=True)
    f.text(480, 26, "packets: each value goes to all, with its flag", 16, bold=True)
    for at in (20, 480):
        for d in range(2):
            gpu(f, at + d * 240, 50, d)
    for d in range(2):
        f.box(30 + d * 240, 85, 45, 40, "in", COLOURS[d])
        f.box(110 + d * 240, 85, 50, 40, "sum", RED)
        f.line(77 + d * 240, 105, 108 + d * 240, 105, COLOURS[d], 2, arrow=True)
    f.line(60, 127, 370, 152, BLUE, 2, arrow=True)
    f.line(290, 127, 150, 152, GREEN, 2, arrow=True)
    for d in range(2):
        f.box(490 + d * 240, 85, 45, 40, "in", COLOURS[d])
        f.box(550 + d * 240, 85, 70, 18, "value|epoch", COLOURS[1 - d], 10)
        f.box(550 + d * 240, 107, 70, 18, "value|epoch", COLOURS[1 - d], 10)
    f.line(536, 80, 800, 80, BLUE, 2, arrow=True)
    f.line(745, 134, 600, 134, GREEN, 2, arrow=True)
    f.text(20, 200, "two barriers; p - 1 arrays come in over each link", 14)
    f.text(480, 200, "no barrier: a thread that sees the epoch sees the value;", 14)
    f.text(480, 222, "twice the bytes, because half of each word is the flag", 14)
    return f


def allreduce_twoshot():
    """Each GPU sums its share and stores it to all."""
    f = Figure(900, 290)
    f.text(20, 26, "first shot: GPU d gets share d of all arrays", 16, bold=True)
    f.text(480, 26, "second shot: it stores the sum to all", 16, bold=True)
    for at in (20, 480):
        for d in range(2):
            gpu(f, at + d * 240, 50, d, height=110)
    for d in range(2):
        shares(f, 35 + d * 240, 80, ("in a", "in b"), (BLUE, GREEN))
        f.box(60 + d * 240, 122, 70, 30, "sum " + "ab"[d], COLOURS[d], 13, True)
    f.line(330, 112, 132, 135, BLUE, 2, arrow=True)
    f.line(130, 112, 298, 135, GREEN, 2, arrow=True)
    for d in range(2):
        f.box(520 + d * 240, 80, 70, 30, "sum " + "ab"[d], COLOURS[d], 13, True)
        shares(f, 495 + d * 240, 122, ("out a", "out b"), (BLUE, GREEN))
    f.line(590, 105, 740, 128, BLUE, 2, arrow=True)
    f.line(758, 105, 612, 128, GREEN, 2, arrow=True)
    f.text(20, 200, "(p - 1) / p of an array crosses each link,", 14)
    f.text(480, 200, "and (p - 1) / p again: 2 (p - 1) / p n in all", 14)
    f.text(20, 240, "a barrier across the GPUs stands before, or between, and behind", 14, colour=RED)
    f.line(20, 250, 880, 250, INK, 1)
    return f


def jacobi_devices():
    """Rows of two GPUs, and the halo rows that they send each other."""
    f = Figure(900, 330)
    f.text(20, 26, "rows of its own, and halo rows of the neighbours", 16, bold=True)
    for d in range(2):
        x = 20 + d * 230
        gpu(f, x, 45, d, 200, 230)
        for r in range(6):
            halo = (d == 0 and r == 5) or (d == 1 and r == 0)
            none = (d == 0 and r == 0) or (d == 1 and r == 5)
            text = "" if none else "halo" if halo else f"row {d * 4 + r - 1}"
            f.box(x + 15, 75 + r * 32, 170, 28, text, QUIET if none or halo else COLOURS[d], 13)
    f.line(205, 217, 262, 92, BLUE, 2, arrow=True)
    f.line(265, 121, 208, 245, GREEN, 2, arrow=True)
    f.text(20, 300, "A sweep makes of each element the mean of its four neighbours.", 14)
    f.text(20, 322, "So the last row of GPU 0 goes to GPU 1 after each sweep, and the first of GPU 1 to GPU 0.", 14)
    f.text(500, 26, "two sweeps of one GPU", 16, bold=True)
    f.text(500, 62, "copies", 14, bold=True)
    for k in range(2):
        f.box(500 + k * 190, 72, 120, 28, "all rows", BLUE, 13)
        f.box(622 + k * 190, 72, 62, 28, "copy", ORANGE, 13)
    f.text(500, 132, "overlapped: two streams", 14, bold=True)
    for k in range(2):
        f.box(500 + k * 132, 142, 126, 28, "inner rows", BLUE, 13)
        f.box(500 + k * 132, 174, 46, 28, "edges", RED, 13)
        f.box(548 + k * 132, 174, 62, 28, "copy", ORANGE, 13)
    f.text(500, 234, "stores: the blocks of the edges first", 14, bold=True)
    for k in range(2):
        f.box(500 + k * 128, 244, 30, 28, "", RED, 13)
        f.box(530 + k * 128, 244, 94, 28, "the others", BLUE, 13)
    f.text(500, 300, "red: stored to the neighbour, and a flag raised", 14, colour=RED)
    return f



FIGURES = {"peers-copy": peers_copy, "peers-load": peers_load, "peers-flag": peers_flag,
           "allreduce-ring": allreduce_ring, "allreduce-oneshot": allreduce_oneshot,
           "allreduce-twoshot": allreduce_twoshot, "jacobi-devices": jacobi_devices}
