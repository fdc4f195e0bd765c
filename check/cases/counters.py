"""
The CPU device's counters against those that Nsight Compute read on a GPU, row by row: of every
launch that a step declares as counted, with each device's record that has it. What no record has is skipped, by its
name: a launch, a kernel of it, a counter.

Rows that are known to differ stand in the record's own counters-known.txt with their cause; a row there that
has come to be equal, or that names nothing counted, is a failure too, so that the list stays true. A
cause that begins with "arithmetic:" is of those columns alone, one with "launches:" of how often the kernel ran,
one with "arithmetic and launches:" of both: all else must be equal, and what a record lacks is not asked.
"""
import functools
import os
import tempfile

from common.commands.drive import counters
from common.commands.drive.support import CHOSEN, case, leave, parallel, rows_of, run, step, steps, unrecorded
from common.commands.practice.counters import PAIRS, SINGLE
from plots import ladder, recorded

MAKE = "plots/record gpu DIR --step {} counters, then plots/record merge DIR plots/devices/NAME"


def devices():
    """The GPUs whose record has counters."""
    return [name for name in recorded.names() if name != recorded.CPU and
            os.path.exists(recorded.place("counters.csv", device=name))]


@functools.lru_cache(maxsize=None)
def rows_of_record(device):
    """{(step, options): the record's rows of it}"""
    rows = {}
    for row in rows_of(recorded.place("counters.csv", device=device)):
        rows.setdefault((row["step"], row["options"]), []).append(row)
    return rows


@functools.lru_cache(maxsize=None)
def columns_of(device, item):
    """The counters that the record has of a launch."""
    return counters.recorded_columns(rows_of_record(device)[item])


def arithmetic(columns):
    """The places of what counts arithmetic, in the counts of a launch."""
    return [columns.index(column) for column, _ in counters.ARITHMETIC if column in columns]


def folded(rows, columns):
    """{(kernel, grid, block, counts...): launches}"""
    return counters.fold(((counters.base_name(row["kernel"]), row["grid"], row["block"],
                           *(int(row[column]) for column in columns)), int(row["launches"])) for row in rows)


def count_here(item):
    """(step, options), the rows of its counters, the run"""
    name, options = item
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "log.csv")
        done = run(step(name), *options.split(), "-r", 1, "-w", 0, "-q", "--counters",
                   "--log", log)
        return item, rows_of(log[:-4] + "-counters.csv"), done


@functools.lru_cache(maxsize=None)
def known(device):
    """{(step, options, kernel): cause}, from lines 'step|options|kernel|cause'; none without the file."""
    found, path = {}, recorded.place("counters-known.txt", device=device)
    if not os.path.exists(path):
        return found
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                *what, cause = line.rstrip("\n").split("|")
                if tuple(what) in found:
                    case(False, f"{device}: counters-known.txt names {'|'.join(what)} once")
                found[tuple(what)] = cause
    return found


def partial(cause):
    """What alone a cause is of; nothing: all."""
    head = cause.partition(":")[0].split(" and ")
    return head if set(head) <= {"arithmetic", "launches"} else []


def without(rows, parts, columns):
    """{key: launches} of the same, without these parts."""
    places = arithmetic(columns) if "arithmetic" in parts else []
    first = 3  # behind kernel, grid and block
    kept = counters.fold((key[:first] + tuple(number for at, number in enumerate(key[first:])
                                              if at not in places), launches) for key, launches in rows)
    return set(kept) if "launches" in parts else kept


def compare(device, item, rows):
    """One case per kernel, of the rows that were counted here and the record's; returns the kernels."""
    columns = columns_of(device, item)
    here, there = folded(rows, columns), folded(rows_of_record(device)[item], columns)
    kernels = sorted({key[0] for key in here} | {key[0] for key in there})
    for kernel in kernels:
        ours, theirs = (sorted(pair for pair in of_both.items() if pair[0][0] == kernel)
                        for of_both in (here, there))
        text = f"counters of {kernel}, {' '.join(item)}, {device}"
        if not theirs:
            unrecorded(text, MAKE.format(item[0]))
            continue
        expected = known(device).get((*item, kernel))
        parts = partial(expected or "")
        if parts:
            case(without(ours, parts, columns) == without(theirs, parts, columns),
                 f"{text}: all but {' and '.join(parts)}", f"{ours}\n{theirs}")
            if parts == ["arithmetic"] and not arithmetic(columns):
                continue
        if expected:
            text += f": differs, as known: {expected}"
        case((ours != theirs) == bool(expected), text, "\n".join(
            f"{label:10} {n} x {key}" for label, pairs in (("CPU device", ours), ("GPU", theirs))
            for key, n in pairs))
    return kernels


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


def stale_causes(device, items, seen):
    """A cause names what is counted; what no record has is said above."""
    for what in sorted(key for key in set(known(device)) - seen if key[0] in steps() or not CHOSEN):
        case(what[:2] in items and what[:2] not in rows_of_record(device),
             f"{device}: counters-known.txt names what is counted: {' '.join(what)}")


def main():
    check_names()
    items, there = counters.all_cases(), {device: rows_of_record(device) for device in devices()}
    kept = {item: [device for device, rows in there.items() if item in rows] for item in items}
    for item, rows, done in parallel(count_here, [item for item in items if not kept[item]]):
        if rows:
            unrecorded(f"counters of {' '.join(item)}", MAKE.format(item[0]))
        else:
            case(done.status == 0, f"{' '.join(item)} has no kernel to count", done)
    for column, _ in counters.METRICS:
        lacking = [item for device, rows in there.items() for item in rows if column not in columns_of(device, item)]
        if lacking:
            unrecorded(f"{column} of {len(lacking)} launches", MAKE.format(lacking[0][0]))
    seen = {device: set() for device in there}
    for item, rows, done in parallel(count_here, [item for item in items if kept[item]]):
        if case(done.status == 0 and rows, f"{' '.join(item)} is counted", done):
            for device in kept[item]:
                seen[device] |= {(*item, kernel) for kernel in compare(device, item, rows)}
    for device in there:
        stale_causes(device, items, seen[device])
    leave()


if __name__ == "__main__":
    main()
