"""The cost of an all-reduce on many GPUs, by plots/scale.py: a line per way and size."""
import os

from plots import scale
from plots.charts.lines import line_values
from plots.charts.titles import titles

SIZES = (2**12, 2**30)


def values(link):
    lines = [(f"{way}, {scale.bytes_text(size)}", False,
              [(gpus, 1e6 * scale.seconds(way, gpus, size, link)) for gpus in powers()])
             for size in SIZES for way in scale.WAYS]
    heads = titles("All-reduce, by formulas", ("time", "us"), f"alpha and beta between two {link.name}", ("GPUs", ""))
    return line_values(lines, heads, log_y=True)


def powers():
    return [2**k for k in range(1, scale.GPUS[-1].bit_length())]


def draw(charts, directory):
    """Where the record of this directory has both numbers."""
    device = os.path.basename(os.path.normpath(directory))
    link = scale.measured([device])
    if link:
        charts.draw("rate.gp", "scale-allreduce", values(link))
