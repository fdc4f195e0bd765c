"""
Counters are the same in every run, of variants too whose blocks wait for each other, and however many
workers there are: how often a wait polls must not be a matter of time. Not so cache_sectors of three variants:
what a cache has depends on which block came first.
"""
import collections
import csv
import io
import os
import tempfile

from common.commands.drive.support import case, describe, leave, parallel, run, step, steps, variants

WORKERS = (1, 2, 2, 7)
SIZE = 150001  # in place of 2^20: tens of tiles that wait, and the last one is not whole
FEW = {"waits", "wrong_on_purpose"}
CACHE_BY_ORDER = {("histogram-global", "plain"), ("scan-segmented", "bits"), ("jacobi-devices", "stores")}


def asked():
    """The variants whose blocks wait, or should."""
    for name in steps():
        for variant in variants(name).values():
            if FEW & set(variant["flags"]):
                yield name, variant["name"]


def size_of(name):
    """The words that choose a smaller array, where the default is a long one."""
    long = [axis for axis in describe(name)["axes"] if axis["option"] == "size" and axis["default"]["cpu"] >= 2**20]
    return ["-n", SIZE] if long else []


def rows_of(text, item):
    """{row of a counters CSV: its launches}, without what depends on the order of the blocks: launches that
    differ in nothing else are equal."""
    found = collections.Counter()
    for row in csv.DictReader(io.StringIO(text)):
        if item in CACHE_BY_ORDER:
            del row["cache_sectors"]
        launches = int(row.pop("launches"))
        found[tuple(row.values())] += launches
    return found


def counted(item):
    """What each way of running leaves beside its log."""
    name, variant = item
    found = []
    for workers in WORKERS:
        with tempfile.TemporaryDirectory() as scratch:
            done = run(step(name), "-v", variant, *size_of(name), "-r", 2, "-w", 0, "-q", "--counters", "--log",
                       os.path.join(scratch, "log.csv"), env={"CPU_DEVICE_WORKERS": str(workers)})
            with open(os.path.join(scratch, "log-counters.csv"), encoding="utf-8") as file:
                found.append((done.status, rows_of(file.read(), item)))
    return item, found


def main():
    for (name, variant), found in parallel(counted, list(asked())):
        differ = [list((one[1] - found[0][1]).items()) for one in found]
        case(found[0][0] == 0 and all(one == found[0] for one in found),
             f"{name} {variant}: the same counters in {len(WORKERS)} runs", differ)
    leave()


if __name__ == "__main__":
    main()
