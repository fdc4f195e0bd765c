"""Runs the launches that the steps declare as sanitized under the tools of compute-sanitizer.

usage: plots/makers/gpu/sanitize.py BUILD OUTPUT.csv

BUILD is a build for CUDA. One row a tool and step: clean, or the first line of what it found.
Variants that are wrong on purpose are left out: their findings are their lesson. What is not clean
is printed too. Exit status: 0 all clean, 1 not, 2 bad usage, 3 compute-sanitizer is missing.
"""
import concurrent.futures
import csv
import os
import re
import shutil
import sys

if len(sys.argv) != 3:
    print(__doc__.split("\n\n")[1], file=sys.stderr)
    sys.exit(2)
os.environ["BUILD"] = os.path.abspath(sys.argv[1])
from common.commands.drive.shapes import chosen, launches
from common.commands.drive.support import run, step, steps

TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
# Without it synccheck says that its table is full where 496 blocks have two barrier objects each, and the kernel fails.
OPTIONS = {"synccheck": ["--num-cuda-barriers", 4096]}
AT_ONCE = 8  # of the tool; a GPU has room for a few small programs
FOUND = re.compile(r"=========.*(Error|Invalid|Race|hazard|Uninit|Barrier).*")


def verdict(item):
    tool, name = item
    asked = launches(name, "sanitized")
    if not asked:
        return item, "not run: it declares no launch that a variant takes"
    for line, names in asked:
        words = f"{line} {chosen(names)} -r 1 -w 0 -q".split()
        done = run("compute-sanitizer", "--tool", tool, *OPTIONS.get(tool, ()), "--error-exitcode", 9, step(name),
                   *words)
        if done.status != 0:
            found = FOUND.search(done.out + done.err)
            said = found.group().strip("= ").replace('"', "") if found else ""
            return item, f"status {done.status}: {said}"
    return item, "clean"


def main():
    if not shutil.which("compute-sanitizer"):
        print("gpu-sanitize: compute-sanitizer is missing", file=sys.stderr)
        return 3
    items = sorted((tool, name) for tool in TOOLS for name in steps())
    bad = 0
    with open(sys.argv[2], "w", newline="", encoding="utf-8") as file, \
            concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["tool", "step", "verdict"])
        for item, said in pool.map(verdict, items):
            out.writerow([*item, said])
            file.flush()
            if said != "clean":
                bad = 1
                print(",".join([*item, said]))
    return bad


if __name__ == "__main__":
    sys.exit(main())
