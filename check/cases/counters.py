"""
The CPU device's counters against those that Nsight Compute read on a GPU, row by row: of every
launch that a step declares as counted, with each device's record that has it. What no record has is skipped, by its
name: a launch, a kernel of it, a counter.

Rows that are known to differ stand in the record's own counters-known.txt with their cause; a row there that
has come to be equal, or that names nothing counted, is a failure too, so that the list stays true. What
a record lacks is not asked. check/counted.py has the form of the files.

Each class of differences, which --counters tells below its tables, is told of some of these launches.
"""
import os
import tempfile

from check.counted import Record, classes, count, devices
from common.commands.drive import counters
from common.commands.drive.support import CHOSEN, case, leave, parallel, rows_of, run, step, steps, unrecorded
from common.commands.practice.counters import PAIRS, SINGLE
from plots import ladder

MAKE = "plots/record gpu DIR --step {} counters, then plots/record merge DIR plots/devices/NAME"


def compare(record, item, rows):
    """A case per kernel; returns the kernels."""
    seen = set()
    for verdict in record.verdicts(item, rows):
        seen.add((*item, verdict.kernel))
        if verdict.good is None:
            unrecorded(verdict.text, MAKE.format(item[0]))
        else:
            case(verdict.good, verdict.text, verdict.details)
    return seen


def check_names():
    """What charts, practice and the comparison with a GPU ask of the CSV by name stands in its header."""
    asked = {column for columns in ladder.COUNTS.values() for column in columns} | \
        {column for pair in PAIRS for column in pair[1::2]} | {column for _, column in SINGLE} | \
        {column for column, _ in counters.METRICS}
    for name in steps():  # the first that has a kernel of its own: not each has, as it is launched here
        with tempfile.TemporaryDirectory() as folder:
            log = os.path.join(folder, "log.csv")
            done = run(step(name), "-r", 1, "-w", 0, "-q", "--counters", "--log", log)
            rows = rows_of(log[:-4] + "-counters.csv")
        if rows:
            break
    if not rows and CHOSEN:
        return
    lacking = sorted(asked - set(rows[0] if rows else ()))
    case(rows and not lacking, f"counters: {len(asked)} columns that are read are in the CSV", lacking or done)


def stale_causes(record, items, seen):
    """A cause names what is counted; what no record has is said above."""
    for what in sorted(key for key in set(record.causes) - seen if key[0] in steps() or not CHOSEN):
        case(what[:2] in items and what[:2] not in record.rows,
             f"{record.device}: counters-known.txt names what is counted: {' '.join(what)}")


def main():
    check_names()
    items, there = counters.all_cases(), [Record(device, "counters") for device in devices("counters")]
    kept = {item: [record for record in there if item in record.rows] for item in items}
    for item, rows, done in parallel(count, [item for item in items if not kept[item]]):
        if rows:
            unrecorded(f"counters of {' '.join(item)}", MAKE.format(item[0]))
        else:
            case(done.status == 0, f"{' '.join(item)} has no kernel to count", done)
    for column, _ in counters.METRICS:
        lacking = [item for record in there for item in record.rows if column not in record.columns(item)]
        if lacking:
            unrecorded(f"{column} of {len(lacking)} launches", MAKE.format(lacking[0][0]))
    seen, said = {record: set() for record in there}, ""
    for item, rows, done in parallel(lambda item: count(item, quiet=False), [item for item in items if kept[item]]):
        said += done.out
        if case(done.status == 0 and rows, f"{' '.join(item)} is counted", done):
            for record in kept[item]:
                seen[record] |= compare(record, item, rows)
    for record in there:
        stale_causes(record, items, seen[record])
    for text in [] if CHOSEN else classes():
        case(f": {text}\n" in said, f"of some launch is told: {text}")
    leave()


if __name__ == "__main__":
    main()
