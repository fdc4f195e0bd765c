"""The first pages: grid, block, warp and lane; and which thread adds which element."""
from docs.figures.drawing.svg import BLUE, GREEN, INK, ORANGE, PURPLE, QUIET, Figure


def grid():
    """A grid of four blocks, one of its blocks, one of its warps."""
    f, block, warp, lane = Figure(900, 432), 2, 1, 6
    f.text(20, 26, "a grid: here 4 blocks. gridDim.x = 4", 16, bold=True)
    for at in range(4):
        f.box(20 + at * 216, 40, 208, 40, f"block {at}", BLUE, 15, at == block)
    for x, to in ((20 + block * 216, 20), (20 + block * 216 + 208, 876)):
        f.line(x, 82, to, 146, QUIET, dash="4 3")
    f.text(500, 132, "a block: here 256 threads, 8 warps. blockDim.x = 256", 16, "middle", bold=True)
    for at in range(8):
        f.box(20 + at * 108, 148, 100, 50, "", GREEN, 15, at == warp)
        ink = "#ffffff" if at == warp else INK
        f.text(70 + at * 108, 170, f"warp {at}", 15, "middle", ink)
        f.text(70 + at * 108, 188, f"threads {at * 32} to {at * 32 + 31}", 10, "middle", ink)
    for x, to in ((20 + warp * 108, 20), (20 + warp * 108 + 100, 880)):
        f.line(x, 200, to, 254, QUIET, dash="4 3")
    f.text(80, 246, "a warp: always 32 threads, its lanes", 16, bold=True)
    for at in range(32):
        f.box(20 + at * 27, 256, 24, 32, at, ORANGE, 12, at == lane)
    x = 20 + lane * 27 + 12
    f.line(x, 318, x, 292, INK, 2, arrow=True)
    thread = warp * 32 + lane
    f.text(20, 338, f"lane {lane} of warp {warp} is thread {thread} of block {block}: threadIdx.x = "
           f"{thread}, blockIdx.x = {block}", 15)
    f.text(20, 366, "i = blockIdx.x * blockDim.x + threadIdx.x"
           f" = {block} * 256 + {thread} = {block * 256 + thread}", 15, mono=True)
    f.text(20, 394, f"so this thread adds a[{block * 256 + thread}] and b[{block * 256 + thread}]; its "
           "neighbour, the next lane, adds the next elements.", 15)
    f.text(20, 420, "Blocks run in any order, on any multiprocessor with free space.", 14, colour=QUIET)
    return f


def add():
    """Which thread adds element 0 to 13: 4 threads per block."""
    f, n = Figure(900, 402), 14
    colours = [BLUE, GREEN, ORANGE, PURPLE]

    def row(y, title, owner, idle, note):
        f.text(20, y, title, 16, bold=True)
        for i in range(n + idle):
            block, thread = owner(i)
            live = i < n
            f.box(20 + i * 53, y + 14, 47, 34, f"{block}.{thread}", colours[block] if live else QUIET, 14)
            f.text(43 + i * 53, y + 64, i if live else "-", 12, "middle", QUIET)
        f.text(20, y + 88, note, 14)
    row(26, "one-block: block 0 alone, 4 elements per round", lambda i: (0, i % 4), 0,
        "4 threads, up to 4 elements each; all other multiprocessors are idle")
    row(152, "bounds-check: as many blocks as the elements need", lambda i: (i // 4, i % 4), 2,
        "14 elements, 4 blocks of 4: the last two threads find i >= n and do nothing")
    row(278, "grid-stride: a grid of any size, here 2 blocks", lambda i: (i // 4 % 2, i % 4), 0,
        "each thread goes on by 8 elements, the number of threads in the grid")
    f.text(20, 392, "2.1 is thread 1 of block 2; below it the element that it adds", 13, colour=QUIET)
    return f


FIGURES = {"start": grid, "add": add}
