"""The Fourier transforms: the butterfly, the exchange, columns and rows."""
from docs.figures.drawing.svg import BLUE, GREEN, INK, ORANGE, PURPLE, QUIET, RED, Figure

THREADS = (BLUE, RED, GREEN, ORANGE)


def lattice(f, left, top):
    """Eight points, in a thread's registers: pairs 4, 2 and 1 apart, and the roots between."""
    step, wide, levels = 30, 118, (4, 2, 1)
    roots = {(1, 6): "-i", (1, 7): "-i", (2, 3): "-i", (2, 5): "w", (2, 7): "w³"}
    for at, apart in enumerate(levels):
        x = left + 40 + at * wide
        for p in range(8):
            y, other = top + p * step, top + (p ^ apart) * step
            colour = BLUE if p & apart else INK
            f.line(x, y, x + 78, other, INK if p & apart else BLUE, 1.4)
            f.line(x + 78, y, x + wide, y, QUIET, 1)
            f.line(x, y, x + 78, y, colour, 1.4)
            if (at + 1, p) in roots:
                f.box(x + 84, y - 10, 26, 20, roots[at + 1, p], ORANGE, 13)
        f.text(x + 39, top - 22, f"{apart} apart", 13, "middle")
    for p in range(8):
        f.box(left, top + p * step - 11, 38, 22, f"x{p}", GREEN, 13)
        f.box(left + 40 + 3 * wide, top + p * step - 11, 38, 22, f"X{int(f'{p:03b}'[::-1], 2)}",
              GREEN, 13)


def fft_registers():
    f = Figure(900, 372)
    f.text(20, 26, "one thread: 8 points", 16, bold=True)
    lattice(f, 20, 76)
    f.text(20, 318, "black: the sum of two; blue: their difference.", 14)
    f.text(20, 338, "w = exp(-2 pi i / 8); -i only exchanges the parts.", 14)
    f.text(20, 358, "The order at the end is a matter of names.", 14)
    f.text(520, 26, "a warp: how its vectors come in", 16, bold=True)
    f.text(520, 56, "own: in round 0 each lane reads its own first point", 14, colour=RED)
    for lane in range(4):
        for p in range(8):
            f.box(520 + lane * 88 + p * 10.5, 66, 9.5, 22, "", RED if p == 0 else QUIET, 12)
        f.text(524 + lane * 88, 106, f"lane {lane}", 12, colour=RED)
    f.text(520, 146, "warp: in round 0 the lanes read neighbours ...", 14, colour=BLUE)
    for lane in range(4):
        for p in range(8):
            f.box(520 + lane * 88 + p * 10.5, 156, 9.5, 22, "", BLUE, 12)
    f.text(520, 196, "lanes 0 to 31", 12, colour=BLUE)
    f.text(520, 232, "... and store rows of 8 points and a gap in shared", 14, colour=BLUE)
    f.text(520, 250, "memory; then each lane takes its row", 14, colour=BLUE)
    for lane in range(4):
        for p in range(9):
            f.box(520 + p * 24, 262 + lane * 24, 22, 20, p if p < 8 else "",
                  "white" if p == 8 else GREEN if p == 0 else QUIET, 11)
        f.text(744, 277 + lane * 24, f"lane {lane}", 12, colour=GREEN)
    return f


def fft_shared():
    """16 points, 4 threads, radix 4: the places of the points and who has them."""
    f, cell = Figure(900, 386), 46
    owner_before = [p % 4 for p in range(16)]
    result_of = [p // 4 for p in range(16)]
    f.text(20, 26, "16 points by 4 threads: two stages of radix 4", 16, bold=True)

    def strip(y, label, owners, note):
        for p in range(16):
            f.box(146 + p * cell, y, cell - 4, 30, p, THREADS[owners[p]], 13)
        f.text(20, y + 20, label, 14)
        f.text(146, y + 46, note, 13, colour=QUIET)
    strip(46, "loads", owner_before, "thread t has the points t, t + 4, t + 8 and t + 12, and does a "
          "butterfly on them")
    strip(156, "shared memory", result_of, "its results go to the places 4 t to 4 t + 3; then all meet at "
          "a barrier")
    strip(266, "stage 2", owner_before, "thread t takes t, t + 4, t + 8, t + 12 again: one result of each "
          "thread, times its root of unity")
    for p in (0, 4, 8, 12):
        f.line(146 + p * cell + 21, 100, 146 + p // 4 * cell + 21, 154, BLUE, 1.3, arrow=True)
        f.line(146 + p * cell + 21, 210, 146 + p * cell + 21, 264, BLUE, 1.3, arrow=True)
    for t in range(4):
        f.box(146 + t * 112, 346, 22, 22, "", THREADS[t])
        f.text(174 + t * 112, 362, f"thread {t}", 13)
    f.text(610, 362, "halves: the same twice, in half the memory", 13)
    return f


def fft_block():
    """What blocks take of a multiprocessor's shared memory, to scale."""
    f, left, kib = Figure(900, 256), 150, 3.05
    f.text(20, 26, "shared memory of a multiprocessor of an H200, to scale: 227 KiB for blocks", 16, bold=True)
    for at, (points, blocks, colour) in enumerate(((4096, 3, BLUE), (8192, 2, GREEN), (16384, 1, ORANGE))):
        y, size = 62 + at * 50, (points + points // 16 + 1) * 8 / 1024
        f.text(20, y + 21, f"{points} points", 14)
        f.box(left, y, 227 * kib, 32, "", QUIET)
        for block in range(blocks):
            f.box(left + block * size * kib, y, size * kib, 32, f"block, {size:.0f} KiB", colour, 13)
    for y in (46, 96, 146, 196):
        f.line(left + 48 * kib, y, left + 48 * kib, y + 14, INK, 1.6)
    f.text(left + 48 * kib + 6, 222, "48 KiB: the most that a kernel may declare; more by request", 13)
    f.text(20, 246, "How many blocks there are follows from registers: 65536 per multiprocessor, 80 or 128 per "
           "thread here.", 13, colour=QUIET)
    return f


def matrix(f, left, top, rows, cols, title, inside, colour):
    f.text(left, top - 10, title, 14, colour=colour)
    for r in range(rows):
        for c in range(cols):
            f.box(left + c * 22, top + r * 22, 20, 20, "", colour if inside(r, c) else QUIET)


def fft_fourstep():
    f = Figure(900, 286)
    f.text(20, 26, "a vector of N1 x N2 points is a matrix, row by row", 16, bold=True)
    matrix(f, 20, 76, 6, 8, "1. columns: loaded, transformed,", lambda r, c: 2 <= c < 4, BLUE)
    f.text(20, 226, "2. times exp(-2 pi i k1 n2 / N),", 14, colour=BLUE)
    f.text(20, 244, "stored where they were", 14, colour=BLUE)
    f.line(204, 142, 262, 142, INK, 1.5, arrow=True)
    f.text(206, 132, "between", 13)
    matrix(f, 274, 76, 6, 8, "3. rows: loaded, transformed,", lambda r, c: 2 <= r < 4, RED)
    f.text(274, 226, "handed over in shared memory,", 14, colour=RED)
    f.line(458, 142, 516, 142, INK, 1.5, arrow=True)
    matrix(f, 528, 76, 8, 6, "4. stored as columns", lambda r, c: 2 <= c < 4, RED)
    f.text(528, 272, "out[k2 N1 + k1]", 14, colour=RED)
    f.text(700, 110, "a block has", 14)
    f.text(700, 130, "neighbours, so that", 14)
    f.text(700, 150, "16 points lie side", 14)
    f.text(700, 170, "by side: 128 bytes", 14)
    return f


def fft_fused():
    """The columns and rows of a team's vectors over time, and the slots between."""
    f, wide, left = Figure(900, 292), 112, 190
    colours = (BLUE, RED, GREEN, ORANGE, PURPLE)
    f.text(20, 26, "a team of blocks: half of them for columns, half for rows", 16, bold=True)

    def lane(y, label, count, shift):
        f.text(20, y + 20, label, 14)
        for v in range(count):
            f.box(left + (v + shift) * wide, y, wide - 4, 30, f"vector {v}",
                  colours[v % len(colours)], 13)
    lane(52, "blocks of columns", 6, 0)
    for slot in range(3):
        f.text(20, 132 + slot * 34, f"slot {slot}, in L2", 14)
        for v in range(slot, 6, 3):
            length = min(2, 6 - v) * wide - 4
            f.box(left + v * wide, 114 + slot * 34, length, 26, "", colours[v % len(colours)])
            f.text(left + v * wide + 26, 132 + slot * 34, f"vector {v}", 13)
    lane(222, "blocks of rows", 5, 1)
    for v in range(5):
        x = left + (v + 1) * wide
        f.line(x, 84, x, 220, INK, 1.2, arrow=True)
    f.text(20, 280, "time to the right. Arrows: all tiles of columns have counted. A slot is free again when all "
           "tiles of rows have.", 13, colour=QUIET)
    return f


FIGURES = {"fft-registers": fft_registers, "fft-shared": fft_shared,
           "fft-block": fft_block, "fft-fourstep": fft_fourstep, "fft-fused": fft_fused}
