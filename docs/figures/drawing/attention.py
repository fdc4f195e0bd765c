"""The attentions: the matrix of scores in memory, and a block's way through tiles of keys."""
from docs.figures.drawing.svg import BLUE, GREEN, ORANGE, QUIET, RED, Figure

PARTS = (BLUE, ORANGE, GREEN, RED)  # of a fragment: its four registers
SCORES = (("2", "0", "1", "3"), ("1", "4", "0", "2"), ("0", "1", "2", "1"), ("3", "1", "0", "2"))
SHARES = (("0.24", "0.03", "0.09", "0.64"), ("0.04", "0.83", "0.02", "0.11"), ("0.07", "0.20", "0.53", "0.20"),
          ("0.64", "0.09", "0.03", "0.24"))


def grid(f, x, y, rows, colours, width=44, size=13):
    """Rows of boxes, each row in its colour."""
    for r, row in enumerate(rows):
        for c, text in enumerate(row):
            f.box(x + c * (width + 2), y + r * 32, width, 30, text, colours[r], size)


def attention_naive():
    """Queries and keys, the matrix of scores, the matrix of shares, values and means."""
    f, colours = Figure(900, 330), (BLUE, ORANGE, GREEN, RED)
    f.text(20, 26, "four queries and four keys: each query has a colour", 16, bold=True)
    grid(f, 20, 76, [["", ""]] * 4, colours)
    f.text(65, 66, "queries", 14, "middle")
    grid(f, 20, 232, [["", "", "", ""]] * 2, (QUIET, QUIET), 20)
    f.text(120, 256, "keys, turned", 14)
    f.text(128, 146, "x", 18, "middle")
    f.line(150, 140, 176, 140, arrow=True)
    grid(f, 186, 76, SCORES, colours)
    f.text(278, 66, "scores", 14, "middle")
    f.line(376, 140, 420, 140, arrow=True)
    f.text(398, 128, "softmax", 13, "middle")
    grid(f, 430, 76, SHARES, colours)
    f.text(522, 66, "shares: each row 1 together", 14, "middle")
    f.text(630, 146, "x", 18, "middle")
    grid(f, 648, 76, [["", ""]] * 4, (QUIET,) * 4)
    f.text(693, 66, "values", 14, "middle")
    f.line(746, 140, 778, 140, arrow=True)
    grid(f, 788, 76, [["", ""]] * 4, colours)
    f.text(833, 66, "means", 14, "middle")
    f.text(308, 244, "The two matrices in the middle have a row per query and a column per key.", 14)
    f.text(308, 266, "They are one array in global memory, which the second kernel changes in", 14)
    f.text(308, 288, "place. Queries, keys, values and means are narrow: 64 or 128 elements.", 14)
    return f


def attention_tiled():
    """A block's queries, tiles of keys and values in turn, and what it keeps."""
    f = Figure(900, 400)
    f.text(20, 26, "a block has one tile of queries, and takes one tile of keys and values after the other", 16,
           bold=True)
    f.text(20, 66, "the matrix of scores, which is nowhere as a whole", 14)
    for r in range(3):
        for c in range(4):
            own = r == 1
            colour = RED if own and c == 2 else GREEN if own and c < 2 else QUIET
            f.box(110 + c * 92, 108 + r * 52, 88, 48, ("done", "done", "now", "")[c] if own else "", colour, 14,
                  own and c == 2)
    f.text(100, 190, "queries", 14, "end")
    for c in range(4):
        f.text(154 + c * 92, 98, f"keys {c}", 13, "middle")
    f.text(520, 66, "what stays on the chip", 14)
    for at, (words, colour) in enumerate((("queries of the block", BLUE), ("keys 2, values 2", ORANGE),
                                          ("scores of the tile, then shares", RED))):
        f.box(520, 80 + at * 44, 350, 38, words, colour, 14)
    for at, words in enumerate(("per query: largest score m, sum of shares s",
                                "per query: sum of shares times values")):
        f.box(520, 220 + at * 44, 350, 38, words, GREEN, 14)
    for y, line in (
            (330, "With the tile, the largest score of a query may grow from m to m'. What was added up so far is"),
            (352, "too large by exp(m' - m): the sum of shares, and the sum of values. So the block multiplies both"),
            (374, "by exp(m - m'), and adds the tile's shares, and its values times their shares.")):
        f.text(20, y, line, 14)
    return f


def attention_mma():
    """Lane and register: of the sums of two products of m16n8k16, and of the first operand of the next."""
    f, mine = Figure(900, 470), 5
    pairs = ((20, "scores: sums of two products, 8 keys each", ("at[0][j][0], [1]", "at[0][j][2], [3]",
                                                                "at[0][j + 1][0], [1]", "at[0][j + 1][2], [3]")),
             (480, "shares: the first operand, of 16 keys", ("share[0][0]", "share[0][1]", "share[0][2]",
                                                             "share[0][3]")))
    for left, title, names in pairs:
        f.text(left, 26, title, 16, bold=True)
        for row in range(16):
            for pair in range(8):
                lane, part = row % 8 * 4 + pair % 4, row // 8 + pair // 4 * 2
                gap = 8 if left < 100 and pair > 3 else 0
                f.box(left + pair * 46 + gap, 48 + row * 21, 43, 18, lane, PARTS[part], 12, lane == mine, 2)
        for part, name in enumerate(names):
            f.text(left + (92 if part < 2 else 284), 408 + part % 2 * 20, name, 13, "middle", PARTS[part])
    f.line(402, 216, 470, 216, arrow=True)
    f.text(436, 204, "rounded", 13, "middle")
    f.text(20, 456, "A row is a query; a box holds two neighbours of it, and says the lane that has them. "
           f"Lane {mine} is dark: the same places in both.", 14)
    return f


def attention_tf32():
    """Lane and register: of the sums of a product of m16n8k8, and of the first operand of the next, whose columns are
    keys in another order."""
    f, mine, order = Figure(900, 500), 5, (0, 2, 4, 6, 1, 3, 5, 7)
    f.text(20, 26, "scores: sums of a product, 8 keys", 16, bold=True)
    f.text(480, 26, "shares: the first operand, the same keys", 16, bold=True)
    for column in range(8):
        for left, key in ((20, column), (480, order[column])):
            f.text(left + column * 46 + 21, 62, f"key {key}", 12, "middle")
    for row in range(16):
        for column in range(8):
            for left, lane, part in ((20, column // 2, column % 2), (480, column % 4, column // 4)):
                lane, part = row % 8 * 4 + lane, part + row // 8 * 2
                f.box(left + column * 46, 72 + row * 21, 43, 18, lane, PARTS[part], 12, lane == mine, 2)
    for left, names in ((20, ("at[i][j][0]", "at[i][j][1]", "at[i][j][2]", "at[i][j][3]")),
                        (480, ("share[i], 0", "share[i], 2", "share[i], 1", "share[i], 3"))):
        for part, name in enumerate(names):
            f.text(left + (92 if part < 2 else 276), 432 + part % 2 * 20, name, 13, "middle", PARTS[part])
    f.line(402, 240, 470, 240, arrow=True)
    f.text(436, 228, "split", 13, "middle")
    f.text(20, 484, "A row is a query; a box says the lane that has it. Lane 5 is dark: its scores are of keys 2 and "
           "3, and so are its shares.", 14)
    return f


def turns(f, y, title, groups):
    """Rows in time, one for each warpgroup: products, which are named, shares, and waits."""
    colours = {"product": (BLUE, ""), "shares": (GREEN, "shares"), "wait": (QUIET, "")}
    f.text(20, y, title, 16, bold=True)
    for row, spans in enumerate(groups):
        at, drawn = 0, []
        for kind, width, text in spans:
            colour, word = colours[kind]
            drawn.append((at, at + width, text or word, colour))
            at += width
        f.spans(y + 14 + row * 36, f"warpgroup {row}", 130, drawn)


def attention_wgmma():
    """Products and shares of two warpgroups in time, in the step's three forms."""
    f = Figure(900, 440)
    shares, runs = ("shares", 88, ""), [(("product", 44, f"S {i}"), ("product", 44, f"V {i - 1}")) for i in range(1, 5)]
    each = [part for i in range(4) for part in (("product", 44, f"S {i}"), shares, ("product", 44, f"V {i}"))]
    ahead = [("product", 44, "S 0"), shares] + [part for run in runs[:3] for part in (*run, shares)] + [*runs[3]]
    second = [("wait", 44, ""), ("product", 44, "S 0"), shares, ("wait", 44, "")] + ahead[2:-2]
    turns(f, 26, "waits: a warpgroup waits for each product; whose products meet is chance", [each, each])
    turns(f, 146, "ahead: two products in one run, one wait for both", [ahead, ahead])
    turns(f, 266, "turns: a warpgroup begins when the one before has begun all its products",
          [ahead, second])
    f.text(20, 386, "S 2: scores of tile 2. V 2: its values, each times its share. Where two blue boxes are above each "
           "other two warpgroups", 14)
    f.text(20, 408, "want the tensor cores at once, and both products take longer than is drawn; where there is none "
           "they have nothing to do.", 14)
    f.text(20, 430, "With 64 elements there are three warpgroups. The producer, a further one, is not drawn.", 14)
    return f


def attention_balanced():
    """Tiles of queries on four multiprocessors in time: all of one size, and of two."""
    f, unit = Figure(900, 440), 1.2
    large, small, none = (192, "192 queries", BLUE), (128, "128", GREEN), (192, "", QUIET)
    f.text(20, 26, "one head of 1792 queries, on four multiprocessors", 16, bold=True)
    for y, title, rows in ((62, "tiles of one size: ten, in three rounds; of the last tile 64 queries are there",
                            [[large] * 3] * 2 + [[large, large, none]] * 2),
                           (246, "tiles of two sizes: four large ones, then eight small ones",
                            [[large, small, small]] * 4)):
        f.text(20, y, title, 14)
        for row, tiles in enumerate(rows):
            at, drawn = 0, []
            for queries, text, colour in tiles:
                drawn.append((at, at + queries * unit, text, colour))
                at += queries * unit
            f.spans(y + 14 + row * 36, f"multiprocessor {row}", 150, drawn)
    f.text(20, 430, "All end after 448 queries instead of 576. A tile is drawn as long as it has queries.", 14)
    return f


FIGURES = {"attention-balanced": attention_balanced, "attention-naive": attention_naive,
           "attention-tf32": attention_tf32, "attention-tiled": attention_tiled, "attention-mma": attention_mma,
           "attention-wgmma": attention_wgmma}
