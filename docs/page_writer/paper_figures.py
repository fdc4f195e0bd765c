"""
What a paper of the GTX 280's time measured, beside what a GPU's log here says of the same.

The paper's figures are its own text; ours are taken from the log: a share of a peak, a rate, or the
fewest threads that reach nearly the most.
"""
import os

from plots import machine, recorded
from plots.charts.swept import figure, series_of
from plots.family import figures

NEARLY = 0.9  # of the most that a split comes to


def most(rows, measure, variant, **where):
    """The row of this variant and these columns with the most runs, as text; or ""."""
    found = [row for row in rows if row["variant"] == variant and row["status"] == "ok" and
             row[measure] and all(row.get(name) == value for name, value in where.items())]
    return max(found, key=lambda row: row["runs"] or 0)[measure] if found else None


def rate(measure, variant, unit, **where):
    def take(rows, _):
        value = most(rows, measure, variant, **where)
        return "" if value is None else f"{figures(value)} {unit}"
    return take


def of_peak(rows, _):
    """Multiply-adds of floats, of what the attributes promise."""
    value = most(rows, "gflop_per_s", "multiply-add", type="f32", chains=8, resident=4)
    path = recorded.place(machine.NAME)
    if value is None or not os.path.exists(path):
        return "" if value is None else f"{figures(value)} GFLOP/s"
    device = machine.read(path)["device"]
    lanes = device.get("f32_lanes_per_multiprocessor")
    if not lanes:
        return f"{figures(value)} GFLOP/s"
    peak = 2e-3 * device["multiprocessors"] * lanes * device["clock_mhz"]
    return f"{figures(value)} of {figures(peak)} GFLOP/s"


def fewest_threads(rows, family):
    """Threads per multiprocessor at which a chain of multiply-adds per thread comes near the most."""
    split = {}
    for (_, variant, others), points in series_of(rows, family, ["threads", "resident"],
                                                  "gflop_per_s").items():
        if variant == "arithmetic":
            split[dict(others)["threads"]] = {x: figure(row, "gflop_per_s")
                                              for x, row in points.items()}
    found = [min(x for x, y in points.items() if y >= NEARLY * max(points.values()))
             for points in split.values()]
    if not found:
        return ""
    return f"{min(found):.0f}" if min(found) == max(found) else f"{min(found):.0f} to {max(found):.0f}"


def dearer(variant, base, **where):
    """By how much a variant is slower than another, in percent, at the same place."""
    def take(rows, _):
        ours, theirs = (most(rows, "gflop_per_s", name, **where) for name in (variant, base))
        return f"{figures(100 * (theirs / ours - 1))} %" if ours and theirs else ""
    return take


# Of 100 launches over 2^20 ints, 1024 blocks of 1024 threads, in ms: an article's figures, and its
# program's on an H200. {(step, variant) that does the same: (GT 750M, GTX 750 Ti, H200)}
SUMS = {
    ("reduce2", "sequential"): ("253.9", "28.8", "1.54"),
    ("reduce5", "template"): ("144.4", "30.3", "0.84"),
    ("reduce6", "per-block"): ("132.5", "29.7", "0.78"),
    ("reduce6", "per-block-unrolled"): ("115.4", "29.5", "0.75"),
    ("reduce7", "loop"): ("1724.4", "39.1", "1.12"),
    ("reduce7", "unrolled"): ("1190.3", "33.0", "1.02"),
}

# step: [(what, the paper's figure, ours)]
FIGURES = {
    "limit-words": [
        ("words of 4 bytes, copied", "121.6 GB/s", rate("gb_per_s", "copy-4", "GB/s", n=2**28, passes=1)),
        ("words of 8 bytes, copied", "124.8 GB/s", rate("gb_per_s", "copy-8", "GB/s", n=2**28, passes=1)),
        ("the same with a barrier between load and store", "slightly faster",
         rate("gb_per_s", "copy-8-together", "GB/s", n=2**28, passes=1))],
    "limit-flops": [
        ("multiply-adds alone", "622 of 933 GFLOP/s",
         of_peak)],
    "limit-latency": [
        ("threads per multiprocessor for nine tenths of the most, in any split",
         "256", fewest_threads)],
    "limit-branches": [
        ("8 ways, a way per warp: dearer by", "10 to 30 %", dearer("warps", "same", paths=8, resident=1))],
}
