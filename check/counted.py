"""
The CPU device's counters of launches against those of a GPU's record, for cases/counters and cases/launches.

A record is two files of a device's directory: NAME.csv, a row for each step, options, kernel, grid, block and set of
counts, and NAME-known.txt, the rows that are known to differ, with their cause. A cause that begins with
"arithmetic:" is of those columns alone, one with "launches:" of how often the kernel ran, one with "arithmetic and
launches:" of both: all else must be equal.
"""
import collections
import os
import re
import tempfile

from common.commands.drive import counters
from common.commands.drive.support import SOURCE, case, rows_of, run, step
from plots import recorded

# Of one kernel: whether it is as the record and its causes say, or None where the record lacks it; what is said, and
# what below that if it is not good; whether it differs at all.
Verdict = collections.namedtuple("Verdict", "kernel good text details differs")


def classes():
    """The texts by which --counters tells in what a GPU's counters may differ."""
    with open(os.path.join(SOURCE, "common/cpu/tools/counters/differences.c"), encoding="utf-8") as file:
        table = file.read().partition("classes[] = {")[2]
    return re.findall(r'"(.*)"', table.partition("};")[0])


def devices(name):
    """The GPUs that have such a record."""
    return [device for device in recorded.names() if device != recorded.CPU and
            os.path.exists(recorded.place(f"{name}.csv", device=device))]


def causes(path):
    """{(step, options, kernel): cause}, from lines 'step|options|kernel|cause', and what stands there twice."""
    found, twice = {}, []
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            for line in file:
                if line.strip() and not line.startswith("#"):
                    *what, cause = line.rstrip("\n").split("|")
                    twice += [tuple(what)] if tuple(what) in found else []
                    found[tuple(what)] = cause
    return found, twice


class Record:
    """rows: {(step, options): the record's rows of it}; causes: {(step, options, kernel): cause}"""

    def __init__(self, device, name, folder=None):
        folder = folder or recorded.place(device=device)
        self.device, self.file = device, f"{name}-known.txt"
        self.rows = {}
        for row in rows_of(os.path.join(folder, f"{name}.csv")):
            self.rows.setdefault((row["step"], row["options"]), []).append(row)
        self.causes, twice = causes(os.path.join(folder, self.file))
        for what in twice:
            case(False, f"{device}: {self.file} names {'|'.join(what)} once")

    def columns(self, item):
        """The counters that the record has of a launch."""
        return counters.recorded_columns(self.rows[item])

    def verdicts(self, item, rows):
        """Verdicts for each kernel of the rows that were counted here and of the record's."""
        columns = self.columns(item)
        here, there = folded(rows, columns), folded(self.rows[item], columns)
        for kernel in sorted({key[0] for key in here} | {key[0] for key in there}):
            ours, theirs = (sorted(pair for pair in of_both.items() if pair[0][0] == kernel)
                            for of_both in (here, there))
            text = f"counters of {kernel}, {' '.join(item)}, {self.device}"
            if theirs:
                yield from of_kernel(kernel, text, ours, theirs, columns, self.causes.get((*item, kernel), ""))
            else:
                yield Verdict(kernel, None, text, "", False)


def count(item, quiet=True, env=None):
    """(step, options), the rows of its counters, the run"""
    name, options = item
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "log.csv")
        done = run(step(name), *options.split(), *(counters.ONCE if quiet else counters.ONCE[:-1]), "--counters",
                   "--log", log, env=env)
        return item, rows_of(log[:-4] + "-counters.csv"), done


def arithmetic(columns):
    """The places of what counts arithmetic, in the counts of a launch."""
    return [columns.index(column) for column, _ in counters.ARITHMETIC if column in columns]


def folded(rows, columns):
    """{(kernel, grid, block, counts...): launches}"""
    return counters.fold(((counters.base_name(row["kernel"]), row["grid"], row["block"],
                           *(int(row[column]) for column in columns)), int(row["launches"])) for row in rows)


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


def of_kernel(kernel, text, ours, theirs, columns, cause):
    """Its Verdicts: of all counters, and before it, where the cause is of some, of the others."""
    parts = partial(cause)
    if parts:
        yield Verdict(kernel, without(ours, parts, columns) == without(theirs, parts, columns),
                      f"{text}: all but {' and '.join(parts)}", f"{ours}\n{theirs}", False)
        if parts == ["arithmetic"] and not arithmetic(columns):
            return
    if cause:
        text += f": differs, as known: {cause}"
    yield Verdict(kernel, (ours != theirs) == bool(cause), text, "\n".join(
        f"{label:10} {n} x {key}" for label, pairs in (("CPU device", ours), ("GPU", theirs))
        for key, n in pairs), ours != theirs)
