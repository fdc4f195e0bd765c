"""What only scans can be asked: that the log counts at least the additions that a scan needs."""

from common.commands.drive import batch
from common.commands.drive.support import case, leave, step, steps, variants

SIZES = (0, 1, 2, 33, 320, 5000, 1000003)


def main():
    case(steps("scan"), "the build has scans")
    for name in steps("scan"):
        rows = batch.batches([(step(name), list(variants(name)), [f"-n {n}" for n in SIZES])],
                             ["-r", 1, "-w", 0])[0]
        for n, of_size in zip(SIZES, rows):
            for row in of_size:
                if row["verdict"] != "refused":
                    case(row["verdict"] == "ok" and (row["flops"] or 0) >= n - 1,
                         f"{name} {row['variant']}: at least {max(n - 1, 0)} additions", row)
    leave()


if __name__ == "__main__":
    main()
