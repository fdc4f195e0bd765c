"""Reads the counters of every launch that a step declares as counted, on a real GPU, with Nsight
Compute.

usage: plots/makers/gpu/counters.py BUILD OUTPUT.csv

BUILD is a build for CUDA. One row a kernel, grid, block and set of counts. Exit status: 0, 2 bad
usage, 3 ncu is missing or failed (the rows of the others are written all the same).
"""
import csv
import os
import sys

if len(sys.argv) != 3:
    print(__doc__.split("\n\n")[1], file=sys.stderr)
    sys.exit(2)
os.environ["BUILD"] = os.path.abspath(sys.argv[1])
from common.commands.drive import counters
from common.commands.drive.support import step


def main():
    status = 0
    with open(sys.argv[2], "w", newline="", encoding="utf-8") as f:
        out = csv.writer(f, lineterminator="\n")
        out.writerow(counters.COLUMNS)
        for name, options in counters.all_cases():
            try:
                launches = counters.of_step(step(name), options)
            except (OSError, RuntimeError, KeyError, ValueError) as e:
                print(f"gpu-counters: {name} {options}: {e}", file=sys.stderr)
                status = 3
                continue
            for row, times in counters.fold(launches).items():
                out.writerow([name, options, *row[:3], times, *row[3:]])
            f.flush()
    return status


if __name__ == "__main__":
    sys.exit(main())
