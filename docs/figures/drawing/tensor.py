"""The products on tensor cores: fragments, which lane holds what, swizzled lines, stages from tile to tile."""
from docs.figures.drawing.svg import BLUE, GREEN, INK, ORANGE, PURPLE, QUIET, RED, Figure

FOUR = (BLUE, GREEN, ORANGE, PURPLE)  # the registers of a fragment


def hgemm_wmma():
    """One product of fragments; the fragments of a warp, and how often each is used."""
    f = Figure(900, 350)
    f.text(20, 26, "one product of a warp", 16, bold=True)
    for x, words, colour in ((20, "A: 16 x 16", BLUE), (152, "B: 16 x 16", ORANGE), (284, "sums: 16 x 16", GREEN)):
        f.box(x, 50, 106, 106, words, colour, 14)
    f.text(139, 109, "x", 18, "middle")
    f.text(271, 109, "+", 18, "middle")
    for at, line in enumerate(("16 x 16 x 16 multiply-adds, in two instructions of the warp.",
                               "Each lane has 8 elements of A and of B, and 8 sums.",
                               "Which ones, CUDA does not say.")):
        f.text(20, 190 + at * 22, line, 14)
    f.text(480, 26, "the sums of a warp of shared: 64 x 32", 16, bold=True)
    for j in range(2):
        f.box(600 + j * 76, 46, 70, 46, f"B {j}", ORANGE, 14)
    for i in range(4):
        f.box(500, 102 + i * 52, 70, 46, f"A {i}", BLUE, 14)
        for j in range(2):
            f.box(600 + j * 76, 102 + i * 52, 70, 46, f"A {i} x B {j}", GREEN, 12)
    f.text(480, 336, "6 loads for 8 products: A serves twice, B four times", 14)
    return f


def hgemm_mma():
    """Lane and register of each pair of elements of an mma.sync of m16n8k16."""
    f = Figure(900, 520)
    f.text(20, 26, "A: 16 x 16; a box: two of a row, its lane", 16, bold=True)
    for row in range(16):
        for pair in range(8):
            register = row // 8 + 2 * (pair // 4)
            f.box(40 + pair * 46, 44 + row * 24, 43, 21, row % 8 * 4 + pair % 4, FOUR[register], 12)
    for register, (x, y) in enumerate(((130, 456), (130, 476), (314, 456), (314, 476))):
        half = "upper" if register % 2 == 0 else "lower"
        f.text(x, y, f"{half} half: register a[{register}]", 13, "middle", FOUR[register])
    f.text(440, 26, "B: 16 x 8; a box: two of a column", 16, bold=True)
    for pair in range(8):
        for col in range(8):
            f.box(460 + col * 46, 44 + pair * 24, 43, 21, col * 4 + pair % 4, FOUR[pair // 4], 12)
    f.text(836, 96, "b[0]", 13, colour=FOUR[0])
    f.text(836, 192, "b[1]", 13, colour=FOUR[1])
    f.text(440, 268, "sums: 16 x 8; a box: two of a row", 16, bold=True)
    for row in range(16):
        for pair in range(4):
            f.box(460 + pair * 58, 284 + row * 13, 55, 11, row % 8 * 4 + pair, FOUR[row // 8], 10, round_=1)
    f.text(710, 336, "d[0], d[1]", 13, colour=FOUR[0])
    f.text(710, 440, "d[2], d[3]", 13, colour=FOUR[1])
    f.text(20, 508, "Each 8 x 8 is a matrix of ldmatrix: lane l has two elements of its row l / 4, "
           "of B (with .trans) of its column l / 4.", 14)
    return f


def hgemm_mma_banks():
    """The eight rows that a quarter of ldmatrix reads, with each chunk in its place, and swizzled."""
    f = Figure(900, 330)
    for left, name, place, colour, words in (
            (20, "chunk 2 of eight lines, each in its place", lambda line: 2, RED,
             "all in banks 8 to 11: eight wavefronts"),
            (470, "swizzled: chunk 2 of line y at 2 ^ y", lambda line: 2 ^ line, BLUE,
             "in 32 banks: one wavefront")):
        f.text(left, 26, name, 16, bold=True)
        for chunk in range(8):
            f.text(left + 82 + chunk * 44, 54, f"{chunk * 4}-{chunk * 4 + 3}", 11, "middle", QUIET)
        f.text(left, 54, "banks", 12, colour=QUIET)
        for line in range(8):
            f.text(left, 80 + line * 26, f"line {line}", 12)
            for chunk in range(8):
                mine = chunk == place(line)
                f.box(left + 62 + chunk * 44, 64 + line * 26, 40, 22, 2 if mine else "", colour if mine else QUIET, 13,
                      mine, 2)
        f.text(left, 300, words, 14, colour=colour)
    return f


def hgemm_async():
    """What a warp of `ahead` does in the two steps of each of four stages: products, loads of fragments, copies."""
    f, wide, places = Figure(900, 330), 92, (BLUE, GREEN, ORANGE, PURPLE)
    f.text(20, 26, "a warp of ahead: time goes to the right, a column is a step", 16, bold=True)
    for at, words in enumerate(("products of", "loads for", "copies begin")):
        f.text(20, 74 + at * 56, words, 14)
    for at in range(8):
        x, stage, later = 124 + at * (wide + 3), 4 + at // 2, 4 + (at + 1) // 2
        f.box(x, 50, wide, 36, f"{stage}, step {at % 2}", places[stage % 4], 13)
        f.box(x, 106, wide, 36, f"{later}, step {(at + 1) % 2}", places[later % 4], 13)
        if at % 2 == 0:
            f.box(x, 162, wide, 36, f"{stage + 3}", places[(stage + 3) % 4], 13)
        else:
            f.line(x - 2, 44, x - 2, 204, INK, 1.5, dash="4,3")
            f.text(x + 2, 222, f"stage {later}", 13)
            f.text(x + 2, 238, "has come", 13)
    words = ("Numbers are stages; a colour is a place in shared memory. Dashed: the wait for a stage's copies, and the",
             "barrier. The loads behind it take the next stage's first fragments, while this stage's last products",
             "run. From then on this stage's place is free: stage 8 takes that of stage 4.")
    for at, line in enumerate(words):
        f.text(20, 272 + at * 22, line, 14)
    return f


def hgemm_wgmma():
    """How 128 bytes of swizzle lay rows of A in shared memory, and what the descriptor says."""
    f = Figure(900, 470)
    f.text(20, 26, "rows of A in shared memory: 64 elements, 128 bytes, eight chunks; a number: the chunk", 16,
           bold=True)
    for line in range(10):
        y = 62 + line * 26 + (18 if line > 7 else 0)
        f.text(20, y + 16, f"row {line}", 13)
        f.text(126, y + 16, line * 128, 12, "end", QUIET)
        for place in range(8):
            chunk = place ^ line % 8
            mine = chunk // 2 == 1
            f.box(136 + place * 44, y, 40, 22, chunk, (ORANGE if chunk % 2 else BLUE) if mine else QUIET, 13, mine, 2)
    f.text(126, 54, "byte", 12, "end", QUIET)
    f.text(136, 54, "place in the line: chunk ^ row % 8", 12, colour=QUIET)
    for y, line in (
            (362, "Coloured: steps 16 to 31 along k, which are chunks 2 and 3. The product of these steps reads them"),
            (382, "of all its 64 rows. In eight rows that follow each other, a chunk lies in eight different places."),
            (416, "A chunk is found as if there were no swizzle: start + 1024 (row / 8) + 128 (row % 8), and 16 more"),
            (436, "for the second one. Then bits 4 to 6 of the address are xored with bits 7 to 9, the number of the"),
            (456, "line. So a start in the middle of a line, as here, still leads to the right chunks.")):
        f.text(20, y, line, 14)
    f.text(530, 60, "the descriptor of these steps", 15, bold=True)
    rows = (("0-13", "start / 16", "first row, chunk 2: + 32 bytes", BLUE),
            ("16-29", "leading / 16", "not used, where lines go along k", QUIET),
            ("32-45", "stride / 16", "8 rows later: 1024 bytes", GREEN),
            ("49-51", "base offset", "0: all begins at a multiple of 1024", QUIET),
            ("62-63", "swizzle", "1: 128 bytes", PURPLE))
    for at, (bits, name, words, colour) in enumerate(rows):
        f.text(530, 90 + at * 48, f"bits {bits}", 12, colour=QUIET)
        f.box(610, 74 + at * 48, 110, 24, name, colour, 13)
        f.text(530, 114 + at * 48, words, 13)
    f.line(506, 73, 506, 289, GREEN, 2, True)
    f.text(512, 330, "8 rows are 1024 bytes", 13, colour=GREEN)
    return f


FIGURES = {"hgemm-wmma": hgemm_wmma, "hgemm-async": hgemm_async, "hgemm-mma": hgemm_mma,
           "hgemm-mma-banks": hgemm_mma_banks, "hgemm-wgmma": hgemm_wgmma}
