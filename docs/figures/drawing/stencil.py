"""The stencils: an element and its neighbours, blocks of two dimensions, a tile with its halo."""
from docs.figures.drawing.svg import BLUE, GREEN, INK, ORANGE, QUIET, RED, Figure


def stencil_naive():
    """Left what an element needs; right the grid's blocks over a matrix that is no multiple of them."""
    f = Figure(900, 330)
    f.text(20, 26, "what one thread adds", 16, bold=True)
    for r in range(5):
        for c in range(5):
            near = abs(r - 2) + abs(c - 2)
            f.box(40 + c * 46, 62 + r * 42, 42, 38, "" if near > 1 else f"{r - 2:+d},{c - 2:+d}".replace("+0", "0"),
                  (RED, BLUE)[near] if near < 2 else QUIET, 12, near == 0)
    f.text(20, 300, "row and column, from its own element", 14)
    f.text(340, 26, "blocks of 4 x 2 threads over 5 rows of 10 elements", 16, bold=True)
    for r in range(6):
        for c in range(12):
            inside = r < 5 and c < 10
            colour = (BLUE, GREEN)[(r // 2 + c // 4) % 2] if inside else QUIET
            f.box(372 + c * 42, 62 + r * 36, 38, 32, "" if inside else "-", colour, 12)
    for c in range(3):
        f.text(454 + c * 168, 52, f"blockIdx.x = {c}", 13, "middle")
    for r in range(3):
        f.text(364, 101 + r * 72, f"y = {r}", 13, "end")
    for at in range(4):
        f.line(370 + at * 168, 58, 370 + at * 168, 278, INK, 2)
        f.line(370, 60 + at * 72, 874, 60 + at * 72, INK, 2)
    f.text(340, 300, "The last blocks reach past the end: their threads there have no element (-).", 14)
    f.text(340, 322, "col = blockIdx.x * blockDim.x + threadIdx.x, and row the same with y.", 14)
    return f


def stencil_tiled():
    """A block of 8 x 4 threads, its tile and the halo, and who loads what."""
    f = Figure(900, 330)
    f.text(20, 26, "the tile of a block of 8 x 4 threads, with its halo", 16, bold=True)
    for r in range(6):
        for c in range(10):
            inside, corner = 0 < r < 5 and 0 < c < 9, r in (0, 5) and c in (0, 9)
            f.box(30 + c * 44, 44 + r * 38, 40, 34, f"{c - 1},{r - 1}" if inside else "",
                  BLUE if inside else QUIET if corner else ORANGE, 12)
    f.text(30, 296, "(threadIdx.x, threadIdx.y); no thread needs the corners", 13)
    f.text(520, 66, "tile: every thread loads its own element", 14, colour=BLUE)
    f.text(520, 96, "halo: needed, but no thread's own", 14, colour="#8a5d00")
    f.text(520, 136, "edges: threads with x = 0 load to their left, those", 14)
    f.text(520, 158, "with the last x to their right; with y above and below", 14)
    f.text(520, 188, "loop: all threads take the elements in turn,", 14)
    f.text(520, 210, "corners too, row by row of the tile", 14)
    f.text(520, 250, "then a barrier; then each thread adds five", 14, colour=RED)
    f.text(520, 272, "elements of shared memory", 14, colour=RED)
    return f


def stencil_registers():
    """What two neighbouring threads of a warp have in registers."""
    f = Figure(900, 330)
    f.text(20, 26, "lanes 4 and 5 of a warp: 4 columns, 4 rows", 16, bold=True)
    for lane, left in ((4, 150), (5, 390)):
        f.text(left + 88, 50, f"lane {lane}", 14, "middle")
        for r in range(6):
            for c in range(4):
                f.box(left + c * 44, 60 + r * 36, 40, 32, "", BLUE if 0 < r < 5 else GREEN, strong=r == 2)
    for r in range(6):
        f.text(138, 82 + r * 36, f"row {r - 1:+d}".replace("+", ""), 13, "end")
    f.text(355, 296, "left and right: loads that the L1 cache answers", 13, "middle")
    f.text(600, 82, "loaded, and not stored: the row above", 14, colour=GREEN)
    f.text(600, 118, "loaded, computed and stored", 14, colour=BLUE)
    f.text(600, 154, "its neighbours above and below are in", 14)
    f.text(600, 172, "the same registers' columns", 14)
    f.text(600, 262, "the row below", 14, colour=GREEN)
    f.text(20, 322, "6 loads of 16 bytes for 4 rows of 4 elements, all issued before the first is used.", 14)
    return f


FIGURES = {"stencil-naive": stencil_naive, "stencil-tiled": stencil_tiled, "stencil-registers": stencil_registers}
