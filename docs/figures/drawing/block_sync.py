"""The barriers between blocks: who waits, and who reads which words."""
from docs.figures.drawing.svg import BLUE, GREEN, INK, ORANGE, QUIET, RED, Figure


def block_sync_lock():
    f = Figure(900, 344)
    f.text(20, 26, "4 blocks, one counter (time runs to the right)", 16, bold=True)
    ready = (150, 90, 330, 230)
    done = 60 + max(ready) + 90
    order = sorted(ready)
    for block, length in enumerate(ready):
        y = 48 + block * 48
        f.text(20, y + 20, f"block {block}", 14)
        f.box(90, y, length, 30, "work", BLUE, 13)
        f.box(94 + length, y, 52, 30, "+ 1", GREEN, 13, True)
        f.box(150 + length, y, done - 150 - length, 30,
              "polls" if done - 150 - length > 60 else "", QUIET, 13)
        f.box(done + 4, y, 882 - done - 4, 30, "work of the next round", BLUE, 13)
    f.text(20, 262, "counter", 14)
    f.box(90, 244, order[0] + 44, 28, 0, QUIET, 13)
    for at, length in enumerate(order):
        left = 138 + length
        right = 138 + order[at + 1] - 4 if at < 3 else 882
        f.box(left, 244, right - left, 28, at + 1, GREEN, 13, at == 3)
    f.line(done + 1, 40, done + 1, 276, INK, 2.5)
    f.text(20, 304, "All go on when the counter has reached gridDim.x times the round: 4, then 8, then "
           "12. It is never reset.", 14)
    f.text(20, 328, "The addition is expensive and happens once per block; the polls are cheap, but they "
           "delay it.", 14)
    return f


def block_sync_lockfree():
    f = Figure(900, 330)

    def words(left, y, label, colours):
        f.text(left, y - 8, label, 13, colour=QUIET)
        for k in range(4):
            f.box(left + k * 62, y, 54, 30, f"w{k}", colours[k], 13)
    for left, title in ((20, "in-turn"), (325, "parallel"), (630, "gathered")):
        f.text(left, 26, title, 16, bold=True)
        words(left, 66, "arrived: a word per block", [ORANGE] * 4)
    f.text(20, 190, "thread 0 of each block:", 14)
    for k in range(4):
        f.line(47 + k * 62, 158, 47 + k * 62, 102, RED, 2, arrow=True)
        if k < 3:
            f.line(56 + k * 62, 166, 96 + k * 62, 166, RED, 2, arrow=True)
    f.text(20, 220, "4 round trips in turn", 14, colour=RED)
    f.text(325, 190, "threads 0 to 3 of each block:", 14)
    for k in range(4):
        for block in range(4):
            f.line(334 + k * 62 + block * 12, 168, 334 + k * 62 + block * 12, 102, RED, 1.6, arrow=True)
    f.text(325, 220, "1 round trip, but each", 14, colour=RED)
    f.text(325, 242, "reads all words: 4 x 4", 14, colour=RED)
    for k in range(4):
        f.line(657 + k * 62, 128, 657 + k * 62, 102, BLUE, 2, arrow=True)
        f.line(657 + k * 62, 164, 657 + k * 62, 208, GREEN, 2, arrow=True)
        f.line(657 + k * 62, 272, 657 + k * 62, 248, QUIET, 2, arrow=True)
    f.box(630, 132, 240, 30, "threads 0 to 3 of block 0", BLUE, 13, True)
    for k in range(4):
        f.box(630 + k * 62, 212, 54, 30, f"r{k}", GREEN, 13)
    f.text(630, 290, "each block polls one word, r", 14, colour=QUIET)
    f.text(20, 318, "Arrows up: reads of the poll. gathered is two round trips, with any number of blocks.", 14)
    return f


def block_sync_cooperative():
    f = Figure(900, 330)

    def device(left, title, waiting, verdict, colour):
        f.text(left, 26, title, 16, bold=True)
        f.text(left, 54, "the device: holds 4 blocks", 13, colour=QUIET)
        for k in range(4):
            f.box(left + k * 96, 64, 88, 54, "", QUIET)
            f.box(left + 6 + k * 96, 72, 76, 38, f"block {k}", colour, 13, True)
        f.text(left, 152, "still to start", 13, colour=QUIET)
        for k in range(2):
            f.box(left + k * 96, 162, 88, 38, f"block {4 + k}" if waiting else "",
                  RED if waiting else "white", 13)
        for at, line in enumerate(verdict):
            f.text(left, 232 + at * 22, line, 14, colour=colour)
    device(20, "<<<6, threads>>>", True,
           ["Blocks 0 to 3 wait for 4 and 5, which", "start when one of 0 to 3 ends: deadlock."], RED)
    device(480, "cudaLaunchCooperativeKernel", False,
           ["6 blocks: refused, nothing starts.", "4 blocks: all of them are there, and can wait."], BLUE)
    f.text(20, 306, "A block that waits keeps its place. Without a barrier 6 blocks are no trouble: two of "
           "them start later.", 14)
    return f


FIGURES = {"block-sync-lock": block_sync_lock, "block-sync-lockfree": block_sync_lockfree,
           "block-sync-cooperative": block_sync_cooperative}
