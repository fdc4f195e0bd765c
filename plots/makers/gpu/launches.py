"""Reads the counters of launches that a seed chooses, on a real GPU, with Nsight Compute.

usage: plots/makers/gpu/launches.py BUILD SEED COUNT OUTPUT.csv

BUILD is a build for CUDA. One row a kernel, grid, block and set of counts. Before it comes OUTPUT.txt: what was
chosen, how often a program refused what was drawn before, and what is left out. Exit status: 0, 2 bad usage, 3 ncu or a
step failed (the rows of the others are written all the same).
"""
import csv
import os
import sys
from concurrent.futures import ThreadPoolExecutor

if len(sys.argv) != 5 or not all(word.isdecimal() for word in sys.argv[2:4]):
    print(__doc__.split("\n\n")[1], file=sys.stderr)
    sys.exit(2)
os.environ["BUILD"] = os.path.abspath(sys.argv[1])
from common.commands.drive import counters
from common.commands.drive.support import run, step
from plots.makers.gpu import chosen

LIMIT = 60  # seconds for ncu and one program
AT_ONCE = 4  # programs that are asked whether they take a line


def taken(seed, place):
    """(the first line that the step's program does not refuse, how many it refused)"""
    refused, (at, name) = 0, place
    for line in chosen.lines(seed, at, name):
        done = run(step(name), *line.split(), *counters.ONCE)
        if done.status == 0:
            return line, refused
        if done.status != 2:
            print(f"gpu-launches: {done}", file=sys.stderr)
            break
        refused += 1
    return None, refused


def count(name, line):
    """{row: launches}; none where it failed, which is said."""
    try:
        return counters.fold(counters.of_step(step(name), line, LIMIT))
    except (OSError, RuntimeError, KeyError, ValueError) as error:
        print(f"gpu-launches: {name} {line}: {error}", file=sys.stderr)
        return {}


def report(path, seed, choices):
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"# {len(choices)} launches chosen by seed {seed}: step|options|lines that it refused before\n")
        for name, line, refused in choices:
            file.write(f"{name}|{line or ''}|{refused}\n")
        file.write("# Left out: step, or step and variant|why\n")
        for what, why in chosen.left_out():
            file.write(f"{what}|{why}\n")


def main():
    seed, path, status = int(sys.argv[2]), sys.argv[4], 0
    places = chosen.places(seed, int(sys.argv[3]))
    with ThreadPoolExecutor(AT_ONCE) as pool:
        choices = [(place[1], *found) for place, found in
                   zip(places, pool.map(lambda place: taken(seed, place), places))]
    report(os.path.splitext(path)[0] + ".txt", seed, choices)
    with open(path, "w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["seed", *counters.COLUMNS])
        for name, line, _ in choices:
            rows = count(name, line) if line else {}
            status = status if rows else 3
            for row, times in rows.items():
                out.writerow([seed, name, line, *row[:3], times, *row[3:]])
            file.flush()
    return status


if __name__ == "__main__":
    sys.exit(main())
