"""The products of matrices: who owns which element, and what is read for it."""
import csv

from docs.figures.drawing.svg import BLUE, GREEN, INK, ORANGE, PURPLE, QUIET, RED, Figure
from plots import recorded


def matrix(f, left, top, width, height, title, parts):
    """An outline with some parts: (x, y, width, height, text, colour, strong) in it."""
    f.text(left, top - 10, title, 16, bold=True)
    f.box(left, top, width, height, "", QUIET, round_=0)
    for x, y, w, h, text, colour, strong in parts:
        f.box(left + x, top + y, w, h, text, colour, 12, strong, 0)


def naive():
    f = Figure(900, 400)
    for panel, (name, along, colour) in enumerate((("columns", False, RED), ("rows", True, BLUE))):
        top = 50 + panel * 184
        f.text(20, top - 24, f"{name}: neighbours {'along a row' if along else 'down a column'} of C",
               16, bold=True, colour=colour)
        for left, what in ((20, "A"), (250, "B"), (480, "C")):
            f.text(left + 168, top + 14, what, 16, bold=True)
            for r in range(5):
                for c in range(5):
                    one = (r == 1 if along else True) and c == 2 if what == "A" else \
                        (c < 5 if along else c == 1) and r == 2 if what == "B" else \
                        r == 1 if along else c == 1
                    label = "" if not one else \
                        ("all" if along else f"t{r}") if what == "A" else \
                        (f"t{c}" if along else "all") if what == "B" else f"t{c if along else r}"
                    f.box(left + c * 32, top + r * 26, 29, 23, label, colour if one else QUIET, 11)
        text = ("of A one word for all lanes,", "of B words side by side:", "1 + 4 sectors for a warp") \
            if along else ("of A a word in every row,", "of B one word for all lanes:",
                           "32 + 1 sectors for a warp")
        for at, line in enumerate(text):
            f.text(672, top + 40 + at * 22, line, 14, colour=colour)
    f.text(20, 392, "Step l = 2 of the product: each thread reads A[i][2] and B[2][j] for its C[i][j].", 14)
    return f


def tiled():
    f = Figure(900, 380)
    side = 26
    for left, title in ((20, "A"), (320, "B"), (640, "C")):
        parts = []
        for at in range(8):
            if title == "A":
                parts.append((at * side, 2 * side, side, 2 * side, "", ORANGE if at // 2 == 1 else BLUE, False))
            elif title == "B":
                parts.append((4 * side, at * side, 2 * side, side, "", ORANGE if at // 2 == 1 else BLUE, False))
        if title == "C":
            parts.append((4 * side, 2 * side, 2 * side, 2 * side, "tile", GREEN, False))
        matrix(f, left, 50, 8 * side, 8 * side, title, parts)
    f.text(240, 160, "×", 30)
    f.text(556, 160, "=", 30)
    f.text(20, 290, "A block walks along k: of A the row of tiles, of B the column of tiles. Orange: in shared "
           "memory now.", 14)
    for at in range(8):
        f.box(20 + at * 50, 310, 46, 26, f"a[y][{at}]", ORANGE if at < 4 else QUIET, 11)
        f.box(460 + at * 50, 310, 46, 26, f"b[{at}][x]", ORANGE if at == 0 else QUIET, 11)
    f.text(20, 360, "one load of A for four steps: all lanes the same words", 14, colour=ORANGE)
    f.text(460, 360, "one load of B for one step: each lane its own", 14, colour=ORANGE)
    return f


def column():
    f = Figure(900, 420)
    matrix(f, 20, 190, 200, 64, "A: 16 rows", [(64, 0, 64, 64, "16 x 32", ORANGE, False)])
    f.text(20, 276, "in shared memory: all lanes read", 14, colour=ORANGE)
    f.text(20, 294, "the same four words", 14, colour=ORANGE)
    parts = [(at * 64, 40, 60, 12, "", BLUE, False) for at in range(8)]
    matrix(f, 320, 50, 512, 100, "B: 256 columns", parts)
    f.text(320, 170, "from global memory to registers: each thread its two words of a row", 14, colour=BLUE)
    matrix(f, 320, 210, 512, 64, "C: 16 x 256 of a block",
           [(x * 8, 0, 6, 64, "", GREEN, x == 20) for x in range(64)])
    f.line(483, 312, 483, 278, GREEN, 1.5, True)
    f.text(320, 330, "a thread's two columns: 32 sums in its registers", 14, colour=GREEN)
    f.text(20, 362, "Words of global memory for a product of M x N x K, with a block's m x n = 16 x 256 elements of C:",
           14)
    f.text(20, 386, "A once for each 256 columns, B once for each 16 rows:  M N K (1 / m + 1 / n)", 15, bold=True)
    f.text(20, 408, "Both together are least for a square. Registers for the sums bound m n.", 14)
    return f


RECORD = recorded.place("counters.csv", device=recorded.CPU)
TILES = (("sgemm-naive", "rows", 1, 32), ("sgemm-tiled", "tile16", 16, 16), ("sgemm-tiled", "tile32", 32, 32),
         ("sgemm-column", "words", 16, 256), ("sgemm-registers", "split", 128, 128),
         ("sgemm-pipelined", "pipelined", 128, 256))


def traffic():
    """The words that tiles of m x n should load, M N K (1 / m + 1 / n), and those that were counted."""
    f = Figure(900, 96 + 46 * len(TILES))
    loads, n = {}, 0
    with open(RECORD, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["step"].startswith("sgemm-"):
                loads[row["step"], row["variant"]], n = int(row["global_load_sectors"]), int(row["n"])
    f.text(20, 26, "words of global memory loaded per multiply-add", 16, bold=True)
    f.box(470, 12, 16, 16, "", BLUE, strong=True)
    f.text(492, 25, "1 / m + 1 / n", 14)
    f.box(630, 12, 16, 16, "", GREEN, strong=True)
    f.text(652, 25, "counted: sectors x 8 words", 14)
    for at, (step, variant, m, across) in enumerate(TILES):
        y, model = 46 + at * 46, 1 / m + 1 / across
        counted = 8 * loads[step, variant] / n
        f.text(20, y + 24, f"{step} {variant}", 14)
        f.text(230, y + 24, f"{m} x {across}", 14)
        for value, dy, colour in ((model, 0, BLUE), (counted, 19, GREEN)):
            wide = 440 * min(value / 0.14, 1)
            f.box(310, y + dy, wide, 16, "", colour, strong=True, round_=1)
            f.text(318 + wide, y + dy + 13, f"{value:.4g}" + (" (cut off)" if value > 0.14 else ""), 13)
    f.text(20, 72 + 46 * len(TILES), "Of sgemm-naive the model takes a warp for a block: 32 words of B and one of A, "
           "which is a whole sector.", 14)
    return f


def registers():
    f = Figure(900, 430)
    for left, name, colour in ((60, "together", RED), (500, "split", BLUE)):
        f.text(left, 26, f"{name}: what thread 1 of 16 owns in a row", 16, bold=True)
        for at in range(32):
            mine = at in range(8, 16) if name == "together" else at in (4, 5, 6, 7, 20, 21, 22, 23)
            f.box(left + at * 11, 40, 10, 26, "", colour if mine else QUIET, strong=mine, round_=1)
        f.text(left, 90, "(drawn for a row of 32 words and 4 threads)", 13, colour=QUIET)
    f.text(60, 124, "float4s 32 bytes apart: 8 lanes meet in half of the banks", 14, colour=RED)
    f.text(500, 124, "float4s side by side: 8 lanes fill all 32 banks", 14, colour=BLUE)
    f.text(60, 170, "a thread's square of C, one step along k", 16, bold=True)
    for r in range(8):
        f.box(60, 220 + r * 22, 44, 19, f"a{r}", ORANGE, 12)
        for c in range(8):
            f.box(120 + c * 48, 220 + r * 22, 44, 19, "", GREEN)
    for c in range(8):
        f.box(120 + c * 48, 186, 44, 22, f"b{c}", ORANGE, 12)
    f.text(540, 240, "4 loads of four words", 15, colour=ORANGE)
    f.text(540, 266, "64 multiply-adds", 15, colour=GREEN)
    f.text(540, 306, "words read per multiply-add:", 14)
    for at, (shape, value) in enumerate((("1 x 1", "2"), ("16 x 2", "18 / 32"), ("8 x 8", "16 / 64"),
                                         ("8 x 16", "24 / 128"))):
        f.text(560, 330 + at * 22, f"{shape}:  {value}", 14, mono=True)
    return f


def pipelined():
    f, w = Figure(900, 340), 118
    f.text(20, 26, "stages in shared memory", 16, bold=True)
    for at, (name, what, colour) in enumerate((("l", "worked on", GREEN), ("l + 1", "in flight", BLUE),
                                               ("l + 2", "requested", ORANGE))):
        f.box(20 + at * w, 40, w - 8, 46, "", colour)
        f.text(20 + at * w + 55, 60, name, 14, "middle")
        f.text(20 + at * w + 55, 78, what, 12, "middle")
    f.text(400, 60, "asynchronous copies, which transpose A,", 14, colour=ORANGE)
    f.text(400, 80, "word by word; B by fours", 14, colour=ORANGE)
    f.text(20, 122, "what a thread's instructions are: step after step", 16, bold=True)
    x = 20
    for text, width, colour in (
            ("2nd half of k - 1", 150, GREEN), ("load k + 1", 90, RED), ("1st half of k", 150, GREEN),
            ("2nd half of k", 150, GREEN), ("load k + 2", 90, RED), ("1st half of k + 1", 150, GREEN)):
        f.box(x, 136, width - 4, 30, text, colour, 12)
        x += width
    f.line(806, 130, 806, 184, INK, 2)
    f.text(802, 200, "end of the loop's body", 13, "end")
    f.line(255, 172, 255, 186, RED, 1.5)
    f.line(255, 186, 560, 186, RED, 1.5)
    f.line(560, 186, 560, 172, RED, 1.5, True)
    f.text(264, 204, "at least 64 multiply-adds from a load to its use", 13, colour=RED)
    f.text(20, 244, "a block's time: tile after tile", 16, bold=True)
    for at in range(3):
        left = 20 + at * 280
        f.box(left, 262, 56, 30, "copies", ORANGE, 12)
        f.box(left + 60, 262, 160, 30, f"multiply-adds of tile {at * 132}", GREEN, 12)
        f.box(left + 224, 262, 48, 30, "stores", PURPLE, 12)
    f.text(20, 322, "The block waits only for the first two stages of a tile, and for its stores: little if k is "
           "large.", 14)
    return f


def shapes():
    f = Figure(900, 420)
    for left, name, wide, high, across, down, colour in ((20, "128 x 256", 128, 64, 1, 4, RED),
                                                         (320, "256 x 64", 32, 128, 1, 2, GREEN)):
        f.text(left, 26, f"C of 512 x 64 in tiles of {name}", 16, bold=True)
        for at in range(across * down):
            f.box(left + 60, 44 + at * high, wide, high - 2, "", QUIET)
        f.box(left + 60, 44, 32, 254, "", colour, strong=True)
    f.text(130, 330, "of each tile three quarters are wasted", 14, "middle", colour=RED)
    f.text(400, 330, "nothing is wasted", 14, "middle", colour=GREEN)
    f.text(560, 26, "a small k: which block works when", 16, bold=True)
    f.text(560, 62, "one block per multiprocessor", 14)
    for at in range(2):
        f.box(560 + at * 150, 72, 84, 28, "adds", BLUE, 13)
        f.box(646 + at * 150, 72, 60, 28, "stores", PURPLE, 13)
    f.text(560, 150, "two: one stores, the other adds", 14)
    for block in range(2):
        for at in range(2 - block):
            left = 560 + block * 86 + at * 150
            f.box(left, 160 + block * 36, 84, 28, "adds", BLUE, 13)
            f.box(left + 86, 160 + block * 36, 60, 28, "stores", PURPLE, 13)
    f.text(20, 372, "The time of a product is that of its rounds: in each, every block has a tile. A wide tile takes "
           "less time per step along k,", 14)
    f.text(20, 394, "a tile that fits has less to do, and two blocks hide each other's stores.", 14)
    return f


def small():
    f = Figure(900, 420)
    f.text(20, 26, "C of 128 x 128", 16, bold=True)
    f.text(20, 52, "one tile: one multiprocessor", 14, colour=RED)
    f.box(20, 64, 128, 128, "", RED, strong=True, round_=0)
    f.text(20, 226, "tiles of 16 x 32: 32 of them", 14, colour=GREEN)
    for row in range(8):
        for col in range(4):
            f.box(20 + col * 32, 238 + row * 16, 31, 15, "", GREEN, strong=row == col == 0, round_=0)
    f.text(270, 26, "one tile: its eight warps share k", 16, bold=True)
    for warp in range(8):
        y = 64 + warp * 38
        f.text(270, y + 20, f"warp {warp}", 14)
        for part in range(16):
            mine = part % 8 == warp
            f.box(334 + part * 16, y, 15, 28, "", BLUE if mine else QUIET, strong=mine, round_=0)
        f.line(596, y + 14, 626, y + 14, INK, 1.5, True)
        f.box(634, y, 64, 28, "", ORANGE, round_=0)
        f.line(704, y + 14, 744, 202, INK, 1)
    f.text(334, 52, "a stage: 64 steps, 4 a square", 13)
    f.text(634, 52, "its sums", 13)
    f.box(748, 186, 64, 32, "", GREEN, strong=True, round_=0)
    f.text(748, 176, "added: C", 13, colour=GREEN)
    f.text(20, 402, "Each warp has sums of the whole tile, of an eighth of the steps along k. They are added in shared "
           "memory.", 14)
    return f


def streamk():
    f = Figure(900, 560)
    f.text(20, 26, "tiles of C on 3 blocks: whole ones, then the rest cut along k", 16, bold=True)
    for block in range(3):
        f.text(20, 64 + block * 40, f"block {block}", 14)
        for at in range(2):
            f.box(100 + at * 160, 44 + block * 40, 154, 30, f"tile {at * 3 + block}", BLUE, 13)
    cuts = (((420, 106, "tile 6", PURPLE),), ((420, 50, "tile 7", ORANGE), (473, 53, "tile 6", PURPLE)),
            ((420, 106, "tile 7", ORANGE),))
    for block, pieces in enumerate(cuts):
        for left, width, text, colour in pieces:
            f.box(left, 44 + block * 40, width - 2, 30, text, colour, 12)
    f.text(548, 64, "leaves its sums of tile 6, stores half of the tile", 13)
    f.text(548, 104, "leaves those of tile 7, those of 6,", 13)
    f.text(548, 120, "stores the other half of tile 6", 13)
    f.text(548, 144, "leaves its sums of tile 7, stores the tile", 13)
    f.text(20, 186, "Whole tiles alone would take three rounds, the last of which fills two blocks of three. A block "
           "begins with the piece that", 14)
    f.text(20, 206, "others wait for, and waits when it has left all of its own.", 14)
    f.text(20, 252, "one tile, cut into 4 parts: all blocks leave, wait, and add a quarter each", 16, bold=True)
    for block in range(4):
        y = 300 + block * 52
        f.text(20, y + 22, f"block {block}", 14)
        f.box(100, y, 200, 34, f"steps {block}/4 to {block + 1}/4 of k", BLUE, 13)
        f.line(306, y + 17, 346, y + 17, INK, 1.5, True)
        for part in range(4):
            f.box(352 + part * 50, y, 46, 34, "", GREEN if part == block else QUIET, strong=part == block)
        f.line(566, y + 17, 606, y + 17, INK, 1.5, True)
        f.text(614, y + 14, f"adds column {block} of the four,", 13, colour=GREEN)
        f.text(614, y + 30, "alpha, beta, C", 13, colour=GREEN)
    f.text(352, 290, "its sums, in memory", 13)
    f.text(20, 530, "One block alone would read four tiles of sums while three had nothing to do.", 14)
    return f


def pipelined_lanes():
    f = Figure(900, 380)
    for panel, (name, place, colour) in enumerate((
            ("usual: lanes side by side read the same words", lambda t: (t // 8, t % 8), RED),
            ("here: neighbours differ in both", lambda t: (t % 4, t // 4 ^ t % 4), BLUE))):
        left = 20 + panel * 450
        f.text(left, 26, name, 16, bold=True)
        for lane in range(32):
            r, c = place(lane)
            near = lane < 4
            f.box(left + 40 + c * 45, 76 + r * 50, 42, 46, lane, colour if near else QUIET, 14, near)
        for c in range(8):
            f.text(left + 61 + c * 45, 66, f"b{c}", 13, "middle")
        for r in range(4):
            f.text(left + 28, 104 + r * 50, f"a{r}", 13, "end")
    f.text(20, 306, "A warp's 4 x 8 lanes: each reads the four words of A of its row and the four of B of its "
           "column. Dark: lanes 0 to 3.", 14)
    f.text(20, 330, "Left, lanes 0 and 1 read the same four words of A: that load takes 2 wavefronts, not 4.", 14,
           colour=RED)
    f.text(20, 354, "Right, no lane shares with its neighbour (number differing in bit 0 or bit 1): all loads take 4.",
           14, colour=BLUE)
    return f


FIGURES = {"sgemm-naive": naive, "sgemm-tiled": tiled, "sgemm-column": column, "sgemm-column-traffic": traffic,
           "sgemm-registers": registers, "sgemm-pipelined": pipelined,
           "sgemm-pipelined-lanes": pipelined_lanes, "sgemm-shapes": shapes, "sgemm-small": small,
           "sgemm-streamk": streamk}
