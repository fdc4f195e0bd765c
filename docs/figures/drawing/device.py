"""How memory is read, and how the CPU device counts it."""
from docs.figures.drawing.svg import BLUE, GREEN, INK, ORANGE, QUIET, RED, Figure


def sectors():
    """Eight lanes and their sectors of eight words, for docs/reading-counters.md."""
    f = Figure(900, 464)

    def panel(y, title, word_of, words, verdict, colour):
        f.text(20, y, title, 16, bold=True)
        touched = {word_of(lane) // 8 for lane in range(8)}
        w = 848 / words
        for i in range(words // 8):
            f.box(20 + i * 8 * w, y + 66, 8 * w - 4, 30, f"sector {i}" if w > 12 else i,
                  colour if i in touched else QUIET, 12)
        for lane in range(8):
            f.box(230 + lane * 56, y + 10, 40, 22, f"t{lane}", BLUE, 12)
            f.line(250 + lane * 56, y + 33, 20 + (word_of(lane) + 0.5) * w, y + 64, colour, 1.3)
        f.text(20, y + 116, verdict, 14, colour=colour)
    panel(26, "x[t]: coalesced", lambda t: t, 32, "8 lanes, 1 sector", BLUE)
    panel(182, "x[t + 1]: one element off", lambda t: t + 1, 32, "8 lanes, 2 sectors", ORANGE)
    panel(338, "x[8 * t]: strided", lambda t: 8 * t, 64, "8 lanes, 8 sectors: of each, one word in "
          "eight is used", RED)
    return f


def cpu_device():
    f = Figure(900, 250)
    steps = [("reduce2.cu", QUIET, "CUDA C"), ("translate", BLUE, "<<<>>>, __shared__"),
             ("C++ compiler", BLUE, "-fsanitize=thread"), ("reduce2", QUIET, "the program")]
    for at, (name, colour, note) in enumerate(steps):
        x = 20 + at * 222
        f.box(x, 34, 150, 44, name, colour, 15, colour == BLUE)
        f.text(x + 75, 98, note, 13, "middle", QUIET)
        if at < 3:
            f.line(x + 152, 56, x + 218, 56, INK, 2, True)
    f.line(761, 108, 761, 132, INK, 2, True)
    f.text(20, 128, "in the program, each access of a thread comes to a hook:", 14)
    for at, (name, note, colour) in enumerate((
            ("__tsan_read4(address)", "a hook", ORANGE), ("groups of 32 lanes", "one request per warp", GREEN),
            ("sectors, wavefronts", "--counters", GREEN), ("last thread on it", "--check", RED))):
        x = 20 + at * 218
        f.box(x, 146, 200, 40, name, colour, 14)
        f.text(x + 100, 208, note, 13, "middle", QUIET)
    return f


FIGURES = {"sectors": sectors, "cpu-device": cpu_device}
