"""
What an all-reduce costs on many GPUs, by two numbers of a record: alpha, until a word that one GPU stores is seen by
the next one, and beta, the bytes that cross a link per second. docs/scale.md explains the three formulas.

plots/scale.json names the steps that have them; a record has both where these are in its log.
"""
import json
import math
import os

from plots import log, recorded
from plots.family import figures

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "scale.json"), encoding="utf-8") as _file:
    FROM = json.load(_file)  # of alpha and beta: what the row says, and what docs/scale.md says of it
GPUS = (2, 8, 64, 512, 4096, 16384)
PORTS = 64  # of a switch: from so many GPUs on there are switches of switches
WAYS = ("ring", "tree", "switch")


class Link:
    """alpha in seconds, beta in bytes per second, and whose they are."""

    def __init__(self, alpha, beta, name):
        self.alpha, self.beta, self.name = alpha, beta, name


def measured(devices=None):
    """The Link of the first record that has both numbers, of these devices or of all; None where none has."""
    return next(filter(None, map(_link, devices or recorded.names())), None)


def _link(device):
    path = recorded.place("log.csv", device=device)
    if not os.path.exists(path):
        return None
    rows = [row for row in log.read(path) if row["status"] == "ok" and row.get("devices") == 2]
    rounds, copies = ([row for row in rows if FROM[number]["row"].items() <= row.items()]
                      for number in ("alpha", "beta"))
    if not rounds or not copies:
        return None
    largest = max(copies, key=lambda row: row["n"])
    return Link(1e-6 * rounds[0]["median_us"] / rounds[0]["n"] / 2, 1e9 * largest["gb_per_s"], rounds[0]["device"])


def levels(count, base):
    """The smallest k with base^k >= count."""
    found, reach = 0, 1
    while reach < count:
        found, reach = found + 1, reach * base
    return found


def hops(way, gpus):
    """How many messages stand one behind the other."""
    if gpus == 1:
        return 0
    return {"ring": 2 * (gpus - 1), "tree": 2 * levels(gpus, 2), "switch": 2 * levels(gpus, PORTS)}[way]


def share(way, gpus):
    """The bytes that each GPU sends, over those of its array."""
    if gpus == 1:
        return 0
    return {"ring": 2 * (gpus - 1) / gpus, "tree": 2, "switch": 1}[way]


def seconds(way, gpus, size, link):
    return hops(way, gpus) * link.alpha + share(way, gpus) * size / link.beta


def bytes_text(size):
    for unit, one in (("PiB", 2**50), ("TiB", 2**40), ("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if size >= one:
            return f"{figures(size / one)} {unit}"
    return f"{size:.0f} bytes"


def even(gpus, link):
    """The bytes from which on a ring is faster than a tree; infinite where it always loses."""
    more, less = hops("ring", gpus) - hops("tree", gpus), share("tree", gpus) - share("ring", gpus)
    return 0 if more <= 0 else more * link.alpha * link.beta / less if less else math.inf


# --- what docs/scale.md shows ------------------------------------------------------------------------------------


def time_text(value):
    if not value:
        return "0"
    unit, one = next((pair for pair in (("s", 1), ("ms", 1e-3)) if value >= pair[1]), ("us", 1e-6))
    return f"{figures(value / one)} {unit}"


def numbers(link):
    """(header, cells) of the two numbers."""
    return ["", "value", "from"], [
        ["alpha", f"{figures(1e6 * link.alpha)} us", FROM["alpha"]["says"]],
        ["beta", f"{figures(1e-9 * link.beta)} GB/s", FROM["beta"]["says"]]]


def costs(size, link):
    """(header, cells) for an array of so many bytes."""
    cells = [[str(gpus), *(str(hops(way, gpus)) for way in WAYS),
              *(time_text(seconds(way, gpus, size, link)) for way in WAYS),
              bytes_text(even(gpus, link)) if 0 < even(gpus, link) < math.inf else "-"] for gpus in GPUS]
    return ["GPUs", *(f"hops, {way}" for way in WAYS), *(f"time, {way}" for way in WAYS), "the ring wins from"], cells


# --- a sum over so many elements -----------------------------------------------------------------------------------

ELEMENTS, ELEMENT_BYTES = 10**15, 4
SUMMING = (1, 8, 512, 16384, 32768)


def sums(link, read_per_second, memory):
    """(header, cells): the sum of ELEMENTS floats, each of them read once, and of one word of each GPU. memory: bytes
    of a GPU, None where unknown."""
    cells = []
    for gpus in SUMMING:
        own = ELEMENTS * ELEMENT_BYTES / gpus
        cells.append([str(gpus), bytes_text(own), "yes" if memory and own <= memory else "no",
                      time_text(own / read_per_second), time_text(hops("tree", gpus) * link.alpha)])
    return ["GPUs", "bytes of each", "fit into its memory", "reading them once", "exchange of the sums, tree"], cells
