"""When each operation of a run began and ended, from what --timeline wrote: a row for each engine or kernel."""
import glob
import os

from plots import log
from plots.charts.gnuplot import quote
from plots.charts.titles import tick_lines, titles
from plots.family import power

COLUMNS = ("step", "variant", "n", "row", "item", "begin_us", "end_us")
COLOURS = 3  # of the rows of a variant
LEAST = 0.02  # of the width: a shorter operation has no number on it
SEEN = 0.004  # of the width: a shorter one is drawn so wide


def read(directory):
    """The rows of a directory's timeline files, each a dictionary with its numbers as such."""
    found = []
    for path in sorted(glob.glob(os.path.join(glob.escape(directory), "*timeline*.csv"))):
        header, lines = log.table(path)
        if any(column not in header for column in COLUMNS):
            continue
        for line, row in lines:
            for column in ("n", "item", "begin_us", "end_us"):
                row[column] = log.measured_number(path, line, column, row[column])
            if None in (row["n"], row["item"], row["begin_us"], row["end_us"]):
                raise log.LogError(f"{path}: line {line}: a number is missing")
            found.append(row)
    return found


def in_turn(spans):
    """[(begin, end, item)] of a row, from 0 of its variant on. An engine does one operation after the other: while it
    works for another stream, the event before an operation has passed, so this begins where that one ends."""
    made, before = [], 0
    for span in sorted(spans, key=lambda span: span["end_us"]):
        before = max(before, span["begin_us"])
        made.append((before, span["end_us"], span["item"]))
        before = span["end_us"]
    return made


def from_first(spans):
    """The same spans; the times of each variant begin with its first operation."""
    first = {}
    for span in spans:
        first[span["variant"]] = min(first.get(span["variant"], span["begin_us"]), span["begin_us"])
    return [{**span, **{key: span[key] - first[span["variant"]] for key in ("begin_us", "end_us")}} for span in spans]


def lanes(spans):
    """[(name, is it a heading, spans)] from above: a variant with several rows has a heading of its own."""
    variants = {}
    for span in spans:
        variants.setdefault(span["variant"], {}).setdefault(span["row"], []).append(span)
    made = []
    for variant, rows in variants.items():
        if len(rows) == 1:
            made.append((variant, False, 0, rows.popitem()[1]))
        else:
            made.append((variant, True, 0, []))
            made += [(row, False, at % COLOURS, of) for at, (row, of) in enumerate(rows.items())]
    return made


def values(step, spans, words, device):
    """The lines of its values file; words: what n counts."""
    spans = from_first(spans)
    most = max(span["end_us"] for span in spans)
    scale, unit = (1e3, "ms") if most >= 2e3 else (1, "us")
    size = f"{power(spans[0]['n'])} {words}".replace("2^", "2^{", 1).replace(" ", "} ", 1) \
        if power(spans[0]["n"]).startswith("2^") else f"{power(spans[0]['n'])} {words}"
    top, boxes, rows, numbers = 1.02 * most / scale, [], [], []
    for at, (name, heading, colour, of) in enumerate(lanes(spans), 1):
        rows.append(f"{at} {quote('' if heading else name)} {quote(name if heading else '')}")
        for begin, end, item in in_turn(of):
            begin, end = begin / scale, end / scale
            boxes.append(f"{begin:.6g} {max(end, begin + SEEN * top):.6g} {at} {colour}")
            if end - begin >= LEAST * top:
                numbers.append(f"{(begin + end) / 2:.6g} {at} {item + 1:.0f}")
    longest = max(len(name) for name, heading, _, _ in lanes(spans) if not heading)
    return ["$boxes << EOD", *boxes, "EOD", "$rows << EOD", *rows, "EOD", "$numbers << EOD",
            *(numbers or [f"{-top:.6g} 0 0"]), "EOD",
            *titles(step, ("when each operation runs", unit), f"{size}, {device}"), *tick_lines(top),
            f"rows = {len(rows)}", f"top = {top:.6g}", f"longest = {longest}"]


def draw(charts, spans, described, device):
    """A chart for each step, of the last size and type that it was asked for."""
    words = {step: family.elements for family in log.families(described) for step in family.steps}
    for step in dict.fromkeys(span["step"] for span in spans):
        own = [span for span in spans if span["step"] == step]
        own = [span for span in own if (span["n"], span.get("type")) == (own[-1]["n"], own[-1].get("type"))]
        charts.draw("timeline.gp", f"timeline-{step}", values(step, own, words.get(step, "elements"), device))
