"""What two programs' kernels did, side by side: a variant at a time, all its launches together."""
import csv
import os
import subprocess
import tempfile

from common.commands.practice.words import left, right, say

STEPS = "the step's"
PAIRS = [  # what is counted, and what it costs each
    ("global loads", "global_load_requests", "sectors per load", "global_load_sectors"),
    ("global stores", "global_store_requests", "sectors per store", "global_store_sectors"),
    ("global atomics", "global_atomic_requests", "sectors per atomic", "global_atomic_sectors"),
    ("shared loads", "shared_load_instructions", "wavefronts per load", "shared_load_wavefronts"),
    ("shared stores", "shared_store_instructions", "wavefronts per store",
     "shared_store_wavefronts"),
    ("shared atomics", "shared_atomic_instructions", "wavefronts per atomic",
     "shared_atomic_wavefronts"),
]
SINGLE = [("bank conflicts", "bank_conflicts"), ("barriers", "barriers"),
          ("divergent warps", "divergent_warps"), ("local accesses", "local_accesses")]


def measure(program, line, limit):
    """{variant: {measure: number}}; empty where the program did not end well."""
    with tempfile.TemporaryDirectory() as scratch:
        log = os.path.join(scratch, "log.csv")
        try:
            subprocess.run([program, *line, "-r", "1", "-w", "0", "-q", "--counters", "--log", log],
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                           stdin=subprocess.DEVNULL, check=False, timeout=limit)
            with open(os.path.join(scratch, "log-counters.csv"), newline="", encoding="utf-8") as file:
                return figures(csv.DictReader(file))
        except (subprocess.TimeoutExpired, FileNotFoundError):
            return {}


def figures(rows):
    """The same of the rows of a file of counters."""
    sums = {}
    for row in rows:
        into = sums.setdefault(row["variant"], {})
        launches = int(row["launches"] or 1)
        for column in {column for pair in PAIRS for column in (pair[1], pair[3])} | \
                {column for _, column in SINGLE}:
            into[column] = into.get(column, 0) + launches * int(row.get(column) or 0)
        into["launches"] = into.get("launches", 0) + launches
    return {variant: told(found) for variant, found in sums.items()}


def told(sums):
    """{what a person reads: its figure}"""
    found = {"launches": str(sums["launches"])}
    for many, count, each, cost in PAIRS:
        found[many] = str(sums[count])
        found[each] = f"{sums[cost] / sums[count]:.2f}" if sums[count] else "-"
    found.update({name: str(sums[column]) for name, column in SINGLE})
    return found


def beside(yours, step):
    """The lines of a table: only what either has, and a mark where they differ."""
    rows = [(name, yours[name], step[name]) for name in yours
            if {yours[name], step[name]} - {"0", "-"}]
    width = max((len(cell) for row in rows for cell in row[1:]), default=1)
    width = max(width, len(STEPS))
    lines = [f"    {'':<24} {right(say('yours'), width)}  {right(say(STEPS), width)}"]
    lines += [f"    {left(say(name), 24)} {mine:>{width}}  {theirs:>{width}}" +
              ("  <== " + say("differs") if mine != theirs else "") for name, mine, theirs in rows]
    return lines


def costs(yours, step):
    """A sentence for each way in which an access of the one costs more than of the other."""
    return [say("yours {yours} {what}, the step's {step}", yours=yours[each], what=say(each), step=step[each])
            for _, _, each, _ in PAIRS if yours[each] != step[each] and "-" not in (yours[each], step[each])]
