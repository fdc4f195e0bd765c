"""The recorded traces that some figures are drawn from: plots/record cpu makes them."""
import csv
import os
import sys

from plots import recorded

RECORD = recorded.place(device=recorded.CPU)


def recorded(name):
    """The rows of a trace, of which there must be some."""
    path = os.path.join(RECORD, f"trace-{name}.csv")
    with open(path, newline="", encoding="utf-8") as file:
        found = list(csv.DictReader(file))
    if not found:
        sys.exit(f"draw: trace-{name}.csv is empty; run plots/record cpu")
    return found


def trace(name):
    """The accesses of one warp in a recorded trace: lists of (lane, offset, bank), in order."""
    accesses = []
    for row in recorded(name):
        kind = (row["space"], row["kind"])
        if not accesses or accesses[-1][0] != kind or \
                any(int(row["lane"]) == lane for lane, _, _ in accesses[-1][1]):
            accesses.append((kind, []))
        accesses[-1][1].append((int(row["lane"]), int(row["offset"]), row["bank"]))
    return dict(accesses)
