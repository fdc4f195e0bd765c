"""
The heat column: what each source line did on the CPU device, from plots/devices/cpu-device/lines.csv,
which plots/record cpu makes. A row counts only while its source is the one that was counted.
"""
import csv
import functools
import glob
import os
import zlib
from typing import NamedTuple

from docs.site_builder import tree
from plots.family import figures

RECORD = tree.inside("plots", "devices", "cpu-device", "lines.csv")
KINDS = {  # what a person chooses: (what it is called, the kinds of rows, what a row's cost is)
    "sectors": ("sectors per request", ("global load", "global store"), "sectors"),
    "conflicts": ("wavefronts per access", ("shared load", "shared store"), "wavefronts"),
    "atomics": ("lanes on one address", ("global atomic", "shared atomic"), "lanes one after the other"),
    "barriers": ("barriers of warps", ("barrier",), ""),
}


class Cell(NamedTuple):
    """level: 1 where nothing could be better, 3 where it is twice the fewest or more."""
    text: str
    level: int
    title: str


def file_of(step, name):
    """The path of a file that a step's program was made of, or None."""
    found = [tree.inside("steps", step, name), *glob.glob(tree.inside("common", "families", "*", name)),
             *glob.glob(tree.inside("common", "cpu", "include", "**", name), recursive=True)]
    return next((path for path in found if os.path.exists(path)), None)


@functools.lru_cache(maxsize=None)
def mark(step, name):
    """Tells one text of a file from another."""
    path = file_of(step, name)
    return f"{zlib.crc32(tree.read(path).encode()):08x}" if path else ""


def rows():
    if not os.path.exists(RECORD):
        return []
    with open(RECORD, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def stale(of_rows):
    """The (step, file) whose source is another than the counted one."""
    return sorted({(row["step"], row["file"]) for row in of_rows
                   if row["source"] != mark(row["step"], row["file"])})


def _cell(kind, found, most):
    requests = sum(int(row["requests"]) for row in found)
    named = [f"{row['what']} in {row['kernel']}, {row['variant']}: {row['requests']} of warps"
             for row in found]
    if kind == "barriers":
        return Cell(f"{requests}", 1 if requests < most / 4 else 2 if requests < most else 3,
                    "; ".join(named))
    named = [f"{text}, {row['cost']} {KINDS[kind][2]}, {row['ideal']} each at best"
             for text, row in zip(named, found)]
    each, above = zip(*(_each(found, variant) for variant in {row["variant"] for row in found}))
    level = 1 if max(above) < 1.05 else 2 if max(above) < 2 else 3
    text = figures(max(each)) if max(each) - min(each) < 0.005 else \
        f"{figures(min(each), 2)}\u2013{figures(max(each), 2)}"
    return Cell(text, level, "; ".join(named))


def _each(found, variant):
    """What a request of a variant costs at a line, and how many times the fewest that is."""
    own = [row for row in found if row["variant"] == variant]
    requests, cost = (sum(int(row[column]) for row in own) for column in ("requests", "cost"))
    ideal = sum(float(row["ideal"]) * int(row["requests"]) for row in own)
    return cost / max(requests, 1), cost / ideal if ideal else 1


def cells(step, of_rows):
    """{(file, line): {kind: Cell}} of a step."""
    good = [row for row in of_rows if row["step"] == step
            and row["source"] == mark(step, row["file"])]
    made = {}
    for kind, (_, whats, _) in KINDS.items():
        by_line = {}
        for row in good:
            if row["what"] in whats:
                by_line.setdefault((row["file"], int(row["line"])), []).append(row)
        most = max((sum(int(row["requests"]) for row in found) for found in by_line.values()), default=0)
        for place, found in by_line.items():
            made.setdefault(place, {})[kind] = _cell(kind, found, most)
    return made
