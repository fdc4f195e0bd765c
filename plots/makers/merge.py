"""Puts the record of some steps, as plots/record gpu DIR --step NAME makes it, into a record of more.

usage: plots/record merge FROM INTO

For each of describe.json, log.csv, log-timeline.csv, counters.csv and sanitizer.csv that FROM has, INTO's rows of
FROM's steps are replaced; all else of INTO stays. INTO gets the teaching order of steps/meson.build.
Exit status: 0, 2 bad usage (then nothing is written).
"""
import csv
import json
import os
import re
import sys

from common.commands import ROOT
from common.commands.arguments import Arguments

TABLES = ("log.csv", "log-timeline.csv", "counters.csv", "sanitizer.csv")


def teaching_order():
    with open(os.path.join(ROOT, "steps", "meson.build"), encoding="utf-8") as file:
        return re.findall(r"^  \['([^']+)',", file.read(), re.MULTILINE)


def table(path):
    """(columns, rows) of a CSV file; of one that is not there, none."""
    if not os.path.exists(path):
        return [], []
    with open(path, newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        rows = list(reader)
        return reader.fieldnames or [], rows


def merged(new, old, steps, place):
    """The rows of two tables, those of the steps from the new one; columns of either."""
    columns = old[0] + [column for column in new[0] if column not in old[0]]
    rows = [row for row in old[1] if row["step"] not in steps] + new[1]
    if "tool" not in columns:  # of the sanitizer, ordered by tool
        return columns, sorted(rows, key=lambda row: place(row["step"]))
    return columns, sorted(rows, key=lambda row: (row["tool"], row["step"]))


def described(folder):
    with open(os.path.join(folder, "describe.json"), encoding="utf-8") as file:
        return json.load(file)


def main(source, target):
    ours, theirs = described(source), described(target)
    order, steps = teaching_order(), {told["step"] for told in ours}
    unknown = steps - set(order)
    if unknown:
        raise ValueError(f"{source}: no step of this series: {' '.join(sorted(unknown))}")
    place = {name: at for at, name in enumerate(order)}.get
    written = {}
    for name in TABLES:
        if os.path.exists(os.path.join(source, name)):
            written[name] = merged(table(os.path.join(source, name)),
                                   table(os.path.join(target, name)), steps,
                                   lambda step: place(step, len(order)))
    told = sorted([t for t in theirs if t["step"] not in steps] + ours,
                  key=lambda t: place(t["step"], len(order)))
    with open(os.path.join(target, "describe.json"), "w", encoding="utf-8") as file:
        file.write("[\n" + ",\n".join(map(json.dumps, told)) + "\n]\n")
    for name, (columns, rows) in written.items():
        with open(os.path.join(target, name), "w", newline="", encoding="utf-8") as file:
            out = csv.DictWriter(file, columns, restval="", lineterminator="\n")
            out.writeheader()
            out.writerows(rows)


if __name__ == "__main__":
    parser = Arguments("plots/record merge", __doc__)
    parser.add_argument("part", metavar="FROM")
    parser.add_argument("whole", metavar="INTO")
    asked = parser.parse(sys.argv[1:])
    try:
        main(asked.part, asked.whole)
    except (OSError, ValueError, KeyError) as error:
        parser.error(error)
