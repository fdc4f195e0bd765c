"""The Fourier transforms: the butterfly, the exchange, columns and rows."""
from figures.svg import BLUE, GREEN, INK, ORANGE, PURPLE, QUIET, RED, Figure

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
    f.text(610, 362, "halves: the same twice, with half the room", 13)
    return f


def fft_global():
    f = Figure(900, 372)
    f.text(20, 26, "a vector of N1 x N2 points is a matrix, row by row", 16, bold=True)

    def matrix(left, top, rows, cols, title, inside, colour):
        f.text(left, top - 10, title, 14, colour=colour)
        for r in range(rows):
            for c in range(cols):
                f.box(left + c * 22, top + r * 22, 20, 20, "", colour if inside(r, c) else QUIET)
    matrix(20, 76, 6, 8, "1. columns: loaded, transformed,", lambda r, c: 2 <= c < 4, BLUE)
    f.text(20, 226, "times exp(-2 pi i k1 n2 / N),", 14, colour=BLUE)
    f.text(20, 244, "stored where they were", 14, colour=BLUE)
    f.line(204, 142, 262, 142, INK, 1.5, arrow=True)
    f.text(206, 132, "between", 13)
    matrix(274, 76, 6, 8, "2. rows: loaded, transformed,", lambda r, c: 2 <= r < 4, RED)
    f.text(274, 226, "handed over in shared memory,", 14, colour=RED)
    f.line(458, 142, 516, 142, INK, 1.5, arrow=True)
    matrix(528, 76, 8, 6, "stored as columns", lambda r, c: 2 <= c < 4, RED)
    f.text(528, 272, "out[k2 N1 + k1]", 14, colour=RED)
    f.text(20, 292, "in one kernel: a team of blocks, half for columns, half for rows; between them slots "
           "that stay in L2", 14, bold=True)
    for i, (name, colour) in enumerate((("columns of vector v + 2", BLUE), ("slot: v + 1", PURPLE),
                                        ("slot: v", PURPLE), ("rows of vector v", RED))):
        f.box(20 + i * 220, 310, 186, 32, name, colour, 14)
        if i in (0, 2):
            f.line(207 + i * 220, 326, 239 + i * 220, 326, INK, 1.5, arrow=True)
    f.text(20, 364, "columns wait for a free slot, rows for a full one", 13, colour=QUIET)
    return f


FIGURES = {"fft-registers": fft_registers, "fft-shared": fft_shared, "fft-global": fft_global}
