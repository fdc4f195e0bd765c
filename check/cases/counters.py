"""
The CPU device's counters against those that Nsight Compute read on a GPU, row by row: of every
launch that a step declares as counted. What the record lacks is skipped, by its name: a launch, a kernel of
it, a counter.

Rows that are known to differ stand in the record's counters-known.txt with their cause; a row there that
has come to be equal, or that names nothing counted, is a failure too, so that the list stays true. A
cause that begins with "arithmetic:" is of those columns alone: all others must be equal, and what a
record lacks is not asked.
"""
import os
import tempfile

from common.commands.drive import counters
from common.commands.drive.support import CHOSEN, case, leave, parallel, rows_of, run, step, steps, unrecorded
from common.commands.practice.counters import PAIRS, SINGLE
from plots import ladder, recorded

RECORD = recorded.place("counters.csv")
MAKE = "plots/record gpu DIR --step {} counters, then plots/record merge DIR plots/devices/NAME"


def columns_of():
    """{(step, options): the counters that the record has of it}"""
    rows = {}
    for row in rows_of(RECORD):
        rows.setdefault((row["step"], row["options"]), []).append(row)
    return {item: counters.recorded_columns(of_item) for item, of_item in rows.items()}


COLUMNS = columns_of()


def arithmetic(item):
    """The places of what counts arithmetic, in the counts of a launch."""
    return [COLUMNS[item].index(column) for column, _ in counters.ARITHMETIC
            if column in COLUMNS[item]]


def numbers(item, row):
    return tuple(int(row[column]) for column in COLUMNS[item])


def count_here(item):
    """(step, options), {(kernel, grid, block, counts...): launches}, the run"""
    name, options = item
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "log.csv")
        done = run(step(name), *options.split(), "-r", 1, "-w", 0, "-q", "--counters",
                   "--log", log)
        rows = [((counters.base_name(row["kernel"]), row["grid"], row["block"],
                  *numbers(item, row)), int(row["launches"])) for row in rows_of(log[:-4] + "-counters.csv")]
    return item, counters.fold(rows), done


def known():
    """{(step, options, kernel): cause}, from lines 'step|options|kernel|cause'"""
    found = {}
    with open(recorded.place("counters-known.txt"), encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                *what, cause = line.rstrip("\n").split("|")
                if tuple(what) in found:
                    case(False, f"counters-known.txt names {'|'.join(what)} once")
                found[tuple(what)] = cause
    return found


def rows_there():
    found = {}
    for row in rows_of(RECORD):
        item = row["step"], row["options"]
        found.setdefault(item, []).append(
            ((row["kernel"], row["grid"], row["block"], *numbers(item, row)), int(row["launches"])))
    return {item: counters.fold(rows) for item, rows in found.items()}


def of_memory(rows, places):
    """{key: launches} of the same, without the counts of arithmetic at these places."""
    first = 3  # behind kernel, grid and block
    return counters.fold((key[:first] + tuple(number for at, number in enumerate(key[first:])
                                              if at not in places), launches)
                         for key, launches in rows)


def compare(item, here, there, differences):
    """One case a kernel; returns the kernels."""
    kernels = sorted({key[0] for key in here} | {key[0] for key in there})
    for kernel in kernels:
        ours, theirs = (sorted(pair for pair in rows.items() if pair[0][0] == kernel)
                        for rows in (here, there))
        text = f"counters of {kernel}, {' '.join(item)}"
        if not theirs:
            unrecorded(text, MAKE.format(item[0]))
            continue
        expected = differences.get((*item, kernel))
        if expected and expected.startswith("arithmetic:"):
            places = arithmetic(item)
            case(of_memory(ours, places) == of_memory(theirs, places), f"{text}: of memory",
                 f"{ours}\n{theirs}")
            if not places:
                continue
        if expected:
            text += f": differs, as known: {expected}"
        case((ours != theirs) == bool(expected), text, "\n".join(
            f"{label:10} {n} x {key}" for label, rows in (("CPU device", ours), ("GPU", theirs))
            for key, n in rows))
    return kernels


def check_names():
    """What charts, practice and the comparison with a GPU ask of the CSV by name stands in its header."""
    asked = {column for columns in ladder.COUNTS.values() for column in columns} | \
        {column for pair in PAIRS for column in pair[1::2]} | {column for _, column in SINGLE} | \
        {column for column, _ in counters.METRICS}
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "log.csv")
        done = run(step(steps()[0]), "-r", 1, "-w", 0, "-q", "--counters", "--log", log)
        rows = rows_of(log[:-4] + "-counters.csv")
    lacking = sorted(asked - set(rows[0] if rows else ()))
    case(rows and not lacking, f"counters: {len(asked)} columns that are read are in the CSV", lacking or done)


def main():
    there, differences, seen = rows_there(), known(), set()
    check_names()
    items = counters.all_cases()
    for item in items:
        if item not in there:
            unrecorded(f"counters of {' '.join(item)}", MAKE.format(item[0]))
    for column, _ in counters.METRICS:
        lacking = [item for item in there if column not in COLUMNS[item]]
        if lacking:
            unrecorded(f"{column} of {len(lacking)} launches", MAKE.format(lacking[0][0]))
    for item, here, done in parallel(count_here, [item for item in items if item in there]):
        if case(done.status == 0 and here, f"{' '.join(item)} is counted", done):
            seen |= {(*item, kernel) for kernel in compare(item, here, there[item], differences)}
    for what in sorted(key for key in set(differences) - seen if key[0] in steps() or not CHOSEN):
        case(what[:2] in items and what[:2] not in there,  # said above
             f"counters-known.txt names what is counted: {' '.join(what)}")
    leave()


if __name__ == "__main__":
    main()
