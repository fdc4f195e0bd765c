"""
docs/scale.md: its formulas (plots/scale.py) against what the CPU device counts of the steps, with up to 16 devices:
bytes per link and port, and rounds; and the numbers that they are given, which come from the record.
"""
import math
import os
import tempfile

from common.commands.drive.support import case, leave, rows_of, run, step
from plots import recorded, scale

DEVICES = (1, 2, 3, 4, 8, 16)
SIZE = 2**14  # elements, and 4 times as many bytes


def counted(name, variant, devices, scratch, elements=SIZE):
    """(how it ended, its links, its ports): rows of LOG-links.csv."""
    log = os.path.join(scratch, f"{name}-{variant}-{devices}.csv")
    done = run(step(name), "-v", variant, "-n", elements, "--devices", devices, "--counters", "-q", "-o", log)
    rows = [row for row in rows_of(log[:-4] + "-links.csv") if row["phase"] == "run"]
    return done, [row for row in rows if row["from"] and row["to"]], [row for row in rows
                                                                      if not (row["from"] and row["to"])]


def ring(scratch):
    """Copies alone: each link one way has so many bytes, by so many copies."""
    for p in DEVICES:
        elements = SIZE // (4 * p) * 4 * p  # shares of whole quads, all alike
        done, links, ports = counted("allreduce-ring", "copies", p, scratch, elements)
        want = [] if p == 1 else [(str(d), str((d + 1) % p), round(scale.share("ring", p) * 4 * elements),
                                   scale.hops("ring", p)) for d in range(p)]
        found = sorted((row["from"], row["to"], int(row["bytes"]), int(row["copies"])) for row in links)
        case(done.status == 0 and found == sorted(want), f"ring of {p}: bytes and rounds per link",
             f"{done}\n{found[:2]}\n{want[:2]}")
        each = {int(row["bytes"]) for row in ports}
        case(each == ({want[0][2]} if want else set()), f"ring of {p}: bytes per port", each)


def kernels(scratch):
    """Loads and stores, and besides them only the barrier's flags."""
    for name, variant, share in (("allreduce-oneshot", "loads", lambda p: p - 1),
                                 ("allreduce-twoshot", "stores", lambda p: scale.share("ring", p))):
        for p in DEVICES[1:]:
            elements = SIZE // (4 * p) * 4 * p
            done, links, ports = counted(name, variant, p, scratch, elements)
            data = share(p) * 4 * elements
            good = len(links) == p * (p - 1) and len(ports) == 2 * p and \
                all(data <= int(row["bytes"]) < 1.1 * data for row in ports)
            case(done.status == 0 and good, f"{name} of {p}: bytes per port",
                 f"{done}\n{data}\n{[row['bytes'] for row in ports]}")


def formulas():
    link = scale.Link(2e-6, 1e11, "a GPU")
    for way in scale.WAYS:
        case(scale.seconds(way, 1, 10**9, link) == 0, f"{way}: one GPU has nothing to send")
        case(math.isclose(scale.seconds(way, 2, 0, link), 2 * link.alpha), f"{way}: two GPUs, two hops")
    case([scale.levels(p, 2) for p in (1, 2, 3, 4, 5, 16384)] == [0, 1, 2, 2, 3, 14] and
         [scale.levels(p, 64) for p in (2, 64, 65, 4096, 4097)] == [1, 1, 2, 2, 3], "levels of trees and switches")
    for p in (8, 64, 512):
        size = scale.even(p, link)
        case(math.isclose(scale.seconds("ring", p, size, link), scale.seconds("tree", p, size, link)),
             f"where the ring and the tree of {p} take as long")
    found = scale.measured()
    case(found is not None and 1e-7 < found.alpha < 1e-5 and 1e11 < found.beta < 1e12,
         "alpha and beta are those of the record", found and vars(found))
    case(scale.measured([recorded.reference()]) is None, "a record without the steps has neither")


def main():
    formulas()
    with tempfile.TemporaryDirectory() as scratch:
        ring(scratch)
        kernels(scratch)
    leave()


if __name__ == "__main__":
    main()
