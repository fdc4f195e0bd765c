"""The products whose tiles come by tensor maps: a producer and two consumers around a ring of stages; a cluster."""
from docs.figures.drawing.svg import BLUE, GREEN, INK, ORANGE, PURPLE, QUIET, RED, Figure

FOUR = (BLUE, GREEN, ORANGE, PURPLE)  # the stages of the ring


def hgemm_tma():
    """Who loads, who multiplies, and what the two barriers of each stage say to whom."""
    f = Figure(900, 420)
    f.text(20, 26, "a block: 384 threads, three warpgroups; four stages in shared memory", 16, bold=True)
    f.box(20, 60, 150, 54, "A and its map", QUIET, 14)
    f.box(20, 190, 150, 54, "B and its map", QUIET, 14)
    f.box(210, 118, 130, 68, "TMA", QUIET, 16)
    f.line(170, 90, 210, 134, QUIET, 1.5, True)
    f.line(170, 216, 210, 170, QUIET, 1.5, True)
    for s in range(4):
        y = 56 + s * 56
        f.box(420, y, 120, 44, f"stage {s}", FOUR[s], 14)
        f.box(548, y, 56, 20, "full", RED, 12)
        f.box(548, y + 24, 56, 20, "empty", QUIET, 12)
        f.line(340, 152, 418, y + 22, QUIET, 1.2, True)
        for top in (88, 204):
            f.line(606, y + 22, 678, top + 22, QUIET, 1, False, "3,3")
    f.box(680, 76, 200, 68, "consumer: warpgroup 0", BLUE, 14)
    f.text(780, 162, "rows 0 to 63: 64 x 256 sums", 13, "middle")
    f.box(680, 192, 200, 68, "consumer: warpgroup 1", BLUE, 14)
    f.text(780, 278, "rows 64 to 127: 64 x 256 sums", 13, "middle")
    f.box(20, 292, 320, 40, "producer: one thread of warpgroup 2", ORANGE, 14)
    f.line(275, 290, 275, 188, ORANGE, 2, True)
    f.text(284, 252, "begins copies", 13, colour=ORANGE)
    for y, line in (
            (362, "full: a phase ends with 1 arrival, of the producer, and 48 KiB, which the TMA counts as they come."),
            (384, "Consumers wait for it before they multiply the stage."),
            (406, "empty: a phase ends with 2 arrivals, one of each consumer. "
                  "The producer waits for it before it loads the stage again.")):
        f.text(20, y, line, 14)
    return f


def hgemm_tma_time():
    """Loads, copies and products of the first stages; what each of them waits for."""
    f, wide, left = Figure(900, 390), 78, 160
    f.text(20, 26, "time goes to the right; a number: which 64 steps along k; a colour: which stage of the ring", 16,
           bold=True)
    rows = {"producer": 58, "copies": 108, "consumer 0": 208, "consumer 1": 258}
    for name, y in rows.items():
        f.text(20, y + 22, name, 14)
    for j in range(8):
        begin = j * 0.28 if j < 4 else j - 0.9  # the first four at once, then whenever a stage is empty
        end = 1.5 + j * 0.5 if j < 4 else begin + 2.1
        x, y = left + begin * wide, rows["copies"] + j % 4 * 20
        if begin < 9:
            f.box(x, rows["producer"], 20, 32, j, FOUR[j % 4], 12)
            f.box(x, y, (min(end, 9.3) - begin) * wide, 17, j, FOUR[j % 4], 12)
        for consumer, late in (("consumer 0", 0), ("consumer 1", 0.25)):
            at = 1.6 + j + late
            if at + 1 <= 9.4:
                f.box(left + at * wide, rows[consumer], wide - 3, 32, j, FOUR[j % 4], 14)
    for j in range(4):
        x = left + (2.85 + j) * wide
        f.line(x, 304, x, 52, RED, 1.2, False, "4,3")
        f.text(x, 318, f"{j} empty", 12, "middle", RED)
    for at, line in enumerate((
            "The producer begins four stages at once. Stage 0 has come: its products begin, and from then on they",
            "follow each other. Dashed: both consumers have waited for these products and arrived at \"empty\".",
            "Only then is the stage loaded again. So a copy may take as long as two stages of products, and more.")):
        f.text(20, 344 + at * 20, line, 14, colour=INK)
    return f


def hgemm_cluster():
    """Which part of a stage each block of a cluster loads, and where it arrives."""
    f = Figure(900, 380)
    f.text(20, 26, "a cluster: two blocks, whose tiles lie below each other in C; one stage of each", 16, bold=True)
    for block, (y, colour) in enumerate(((56, BLUE), (186, GREEN))):
        f.box(20, y + 22, 170, 54, f"producer of block {block}", colour, 14)
        f.text(460, y + 2, f"block {block}: its stage", 13)
        f.box(460, y + 10, 150, 78, f"A: rows of tile {block}", colour, 13)
        f.box(614, y + 10, 130, 37, "B: first half", BLUE, 13)
        f.box(614, y + 51, 130, 37, "B: second half", GREEN, 13)
        f.line(192, y + 50, 456, y + 50, colour, 1.5, True)
        f.line(192, y + 66, 456, (92 if block == 0 else 208), colour, 1.5, True, "5,3")
        f.line(192, y + 66, 456, (208 if block == 0 else 262), colour, 1.5, True, "5,3")
        f.box(770, y + 26, 110, 46, "2 consumers", colour, 14)
        f.line(746, y + 49, 768, y + 49, QUIET, 1.2, True)
    for y, line in (
            (306, "solid: a box for the block itself. Dashed: a box for both, one load from the L2 cache."),
            (328, "full, of each block: 1 arrival, of its own producer, and 48 KiB, of which 16 KiB are what the other "
                  "one loads."),
            (350, "empty, of each block: 4 arrivals, of the consumers of both blocks, because its producer loads into "
                  "both.")):
        f.text(20, y, line, 14)
    return f


def hgemm_cluster_time():
    """Two tiles on a multiprocessor: by two blocks, one after the other, and by a block that stays."""
    f, left = Figure(900, 380), 150
    f.text(20, 26, "two tiles on a multiprocessor; time goes to the right; a colour: a tile", 16, bold=True)
    f.text(20, 62, "a block for each", 14, bold=True)
    f.spans(72, "producer", left, ((0, 220, "loads", BLUE), (370, 590, "loads", GREEN)))
    f.spans(108, "tensor cores", left, ((40, 270, "products", BLUE), (410, 640, "products", GREEN)))
    f.spans(144, "stores of C", left, ((270, 350, "C", BLUE), (640, 720, "C", GREEN)))
    f.text(20, 206, "a block that stays", 14, bold=True)
    f.spans(216, "producer", left, ((0, 220, "loads", BLUE), (223, 490, "loads", GREEN)))
    f.spans(252, "tensor cores", left, ((40, 270, "products", BLUE), (320, 550, "products", GREEN)))
    f.spans(288, "stores of C", left, ((270, 330, "C", BLUE), (550, 610, "C", GREEN)))
    for y, line in ((342, "Between two blocks nothing is loaded, and a ring begins empty. A block that stays loads"),
                    (362, "four stages of the next tile while its consumers store. Then the products begin at once.")):
        f.text(20, y, line, 14, colour=INK)
    return f


FIGURES = {"hgemm-tma": hgemm_tma, "hgemm-tma-time": hgemm_tma_time, "hgemm-cluster": hgemm_cluster,
           "hgemm-cluster-time": hgemm_cluster_time}
