"""Streams and graphs: what the host puts where, and what runs at the same time."""
from docs.figures.drawing.svg import BLUE, GREEN, ORANGE, QUIET, RED, Figure

ROWS = (("copy in", BLUE), ("kernel", GREEN), ("copy out", ORANGE))


def engines(f, x, y, width, chunks, streams):
    """A row for each engine: chunk c of several streams comes through them, one unit of time in each."""
    unit = width / (chunks + 2 if streams else 3 * chunks)
    for row, (name, colour) in enumerate(ROWS):
        f.text(x - 8, y + 22 + 38 * row, name, 14, "end")
        for c in range(chunks):
            at = c + row if streams else row * chunks
            if streams or c == 0:
                f.box(x + at * unit + 1, y + 38 * row, unit * (1 if streams else chunks) - 2, 32,
                      str(c + 1) if streams else "", colour, 14)


def overlap_copy():
    """One queue against streams; and which buffer is whose."""
    f = Figure(900, 330)
    f.text(20, 26, "one queue: one engine works, two wait", 16, bold=True)
    engines(f, 100, 45, 330, 4, False)
    f.text(480, 26, "chunks in three streams: all engines work", 16, bold=True)
    engines(f, 560, 45, 165, 4, True)
    f.text(480, 185, "time →", 14)
    f.text(20, 185, "time →", 14)
    f.text(20, 225, "three buffers on the device, chunk by chunk", 16, bold=True)
    for c in range(6):
        f.box(100 + c * 62, 240, 58, 30, f"chunk {c + 1}", (BLUE, GREEN, ORANGE)[c % 3], 13)
        f.text(129 + c * 62, 290, f"buffer {c % 3}", 13, "middle")
    f.line(129, 300, 312, 300, RED, 2, arrow=True)
    f.text(220, 320, "only when chunk 1 has gone out", 14, "middle", RED)
    f.text(520, 262, "A stream keeps the order of its own operations.", 14)
    f.text(520, 284, "Between streams there is none, but for events.", 14)
    return f


def calls(f, y, count, colour, text):
    for k in range(count):
        f.box(150 + k * 100, y, 92, 30, text(k), colour, 13)


def overlap_graph():
    """A call per kernel, and one call for all."""
    f = Figure(900, 290)
    f.text(20, 26, "queue: the device waits for the host's next call", 16, bold=True)
    f.text(20, 65, "host", 14)
    calls(f, 45, 7, QUIET, lambda k: f"launch {k + 1}")
    f.text(20, 105, "device", 14)
    for k in range(7):
        f.box(200 + k * 100, 85, 36, 30, str(k + 1), GREEN, 13)
        f.line(240 + k * 100 - 4, 76, 218 + k * 100, 84, RED, 1.5, arrow=True)
    f.text(20, 165, "graph: one call, and the device goes from kernel to kernel by itself", 16, bold=True)
    f.text(20, 205, "host", 14)
    f.box(150, 185, 140, 30, "launch the graph", QUIET, 13)
    f.text(20, 245, "device", 14)
    f.line(286, 216, 292, 224, RED, 1.5, arrow=True)
    for k in range(7):
        f.box(280 + k * 46, 225, 36, 30, str(k + 1), GREEN, 13)
        if k:
            f.line(280 + k * 46 - 10, 240, 280 + k * 46, 240, GREEN, 1.5)
    f.text(20, 280, "What depends on what is in the graph: here each kernel on the one before.", 14)
    return f


FIGURES = {"overlap-copy": overlap_copy, "overlap-graph": overlap_graph}
