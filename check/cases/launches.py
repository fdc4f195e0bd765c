"""
The CPU device's counters of launches that a seed chose against those that Nsight Compute read on a GPU, row by row,
with each device's counters-chosen.csv. Each is counted with as many multiprocessors as that device has, because some
steps choose their tiles by that.

A row that differs stands in counters-chosen-known.txt with its cause, and what --counters prints says of its kernel
that a GPU may count otherwise: by a line below the tables, or by the mark behind the name. Where it does not say so
yet, the cause ends with "(not printed)".

Before that the choice itself: the same seed gives the same launches, the programs take them, and each step is chosen
from or left out by name. And the record is made of a few launches with a program in place of ncu, which counts on the
CPU device: then all rows are equal, and with a planted count none.
"""
import json
import os
import re
import sys
import tempfile

from check.counted import Record, classes, count, devices
from common.commands.drive import counters
from common.commands.drive.support import BUILD, CHOSEN, SOURCE, all_steps, case, leave, parallel, run, step, steps, \
    unrecorded
from plots import recorded
from plots.makers.gpu import chosen

NAME = "counters-chosen"
MAKE = "plots/record gpu DIR --seed S launches; then copy its counters-chosen.* to plots/devices/NAME"
MAKER = os.path.join(SOURCE, "plots", "makers", "gpu", "launches.py")
PLACES, SEEDS = 40, (1, 2)
UNPRINTED = "(not printed)"
FEW = 4  # launches that the record is made of here
TOLD = re.compile(r"^(\S.*): .*\b(nvcc may|a GPU counts)\b", re.MULTILINE)  # kernels, and a class of differences


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def first_lines(seed, count_of=PLACES):
    """[(step, the first line that it is offered)]"""
    return [(name, next(chosen.lines(seed, at, name))) for at, name in chosen.places(seed, count_of)]


def offered(place):
    """The step, and the first of its lines that is not refused, as its run; None: a thousand are."""
    at, name = place
    for line in chosen.lines(SEEDS[0], at, name):
        done = run(step(name), *line.split(), *counters.ONCE)
        if done.status != 2:
            return name, done
    return name, None


def check_choice():
    one, again, other = first_lines(SEEDS[0]), first_lines(SEEDS[0]), first_lines(SEEDS[1])
    case(one and one == again != other, "a seed gives the same launches each time, and another seed others", one)
    names = [name for name, _ in one]
    case(CHOSEN or len(set(names)) == PLACES, f"{PLACES} places have {PLACES} steps", names)
    from_these = {name for _, name in chosen.places(SEEDS[0], len(steps()))}
    lacking = set(steps()) - from_these - {what.split("/")[0] for what, _ in chosen.left_out()}
    case(not lacking and not set(chosen.LEFT_OUT) - set(all_steps()),
         "each step is chosen from, or left out by name", lacking or chosen.LEFT_OUT)
    for name, done in parallel(offered, chosen.places(SEEDS[0], PLACES)):
        if done is None or done.status:
            case(False, f"{name} takes a line that is chosen for it", done)


def chosen_of(folder):
    """[(step, options)] of the file beside a record that says what was chosen, and as many lines as are left out."""
    lines = read(os.path.join(folder, f"{NAME}.txt")).splitlines()
    heads = [at for at, line in enumerate(lines) if line.startswith("#")]
    if len(heads) != 2:
        return [], 0
    return [tuple(line.split("|")[:2]) for line in lines[1:heads[1]]], len(lines) - heads[1] - 1


def made(folder, planted):
    """The record of a few launches, by a program in place of ncu; what it says was chosen; the run of its maker."""
    ncu, out = os.path.join(folder, "ncu"), os.path.join(folder, f"{NAME}.csv")
    with open(ncu, "w", encoding="utf-8") as file:
        file.write(f"#!/bin/sh\nexec '{sys.executable}' -B '{SOURCE}/check/ncu.py' \"$@\"\n")
    os.chmod(ncu, 0o755)
    done = run(sys.executable, "-B", MAKER, BUILD, SEEDS[0], FEW, out,
               env={"PATH": folder + os.pathsep + os.environ["PATH"], "PYTHONPATH": SOURCE, "PLANTED": str(planted)})
    return Record("a program in place of ncu", NAME, folder), chosen_of(folder), done


def check_record():
    """The whole way of a record, without a GPU."""
    for planted in (0, 1):
        with tempfile.TemporaryDirectory() as folder:
            record, (choice, left_out), done = made(folder, planted)
        verdicts = [verdict for item, rows, _ in map(count, record.rows)
                    for verdict in record.verdicts(item, rows)]
        case(done.status == 0 and len(record.rows) == FEW and verdicts and
             all(verdict.good == (not planted) for verdict in verdicts),
             "a record that is made here has " + ("the planted counts, and all are found" if planted else
                                                  "the counts of the CPU device"),
             "\n".join([str(done), *(f"{v.text}: {v.good}\n{v.details}" for v in verdicts)]))
        case(choice == list(record.rows) and left_out == len(chosen.left_out()),
             "beside it stands what was chosen, and what is left out", (choice, left_out))


def check_classes():
    """Each class of differences is found where it is printed."""
    texts = classes()
    case(texts and all(told_of([], f"\nfirst, second<1>: {text}\n") == {"first", "second"} for text in texts),
         f"{len(texts)} classes of differences are found where they are printed", texts)


def told_of(rows, text):
    """The kernels of which the counters say that a GPU may count otherwise."""
    marked = {counters.base_name(row["kernel"]) for row in rows if row["nvcc_may_differ"] == "1"}
    return marked | {counters.base_name(name) for line in TOLD.findall(text) for name in line[0].split(", ")
                     if name.strip()}


def multiprocessors(device):
    return json.loads(read(recorded.place("machine.json", device=device)))["device"]["multiprocessors"]


def compare(record):
    """The rows of a record; those that differ are told."""
    seen, env = set(), {"CPU_DEVICE_SMS": str(multiprocessors(record.device))}
    lacking = set(chosen_of(recorded.place(device=record.device))[0]) ^ set(record.rows)
    case(not lacking, f"{record.device}: {len(record.rows)} launches were chosen, and all are recorded", lacking)
    items = [item for item in record.rows if not CHOSEN or item[0] in CHOSEN]
    for item, rows, done in parallel(lambda item: count(item, False, env), items):
        if not case(done.status == 0 and rows, f"{' '.join(item)} is counted", done):
            continue
        told = told_of(rows, done.out)
        for verdict in record.verdicts(item, rows):
            seen.add((*item, verdict.kernel))
            case(verdict.good, verdict.text, verdict.details or "the record has no such kernel")
            if verdict.differs:
                unprinted = record.causes.get((*item, verdict.kernel), "").endswith(UNPRINTED)
                case((verdict.kernel in told) != unprinted,
                     f"{verdict.kernel}, {' '.join(item)}: what is printed says that a GPU may differ" +
                     (", but not yet of this, as known" if unprinted else ""))
    for what in sorted(what for what in set(record.causes) - seen if not CHOSEN or what[0] in CHOSEN):
        case(False, f"{record.device}: {record.file} names what is counted: {' '.join(what)}")


def main():
    if not CHOSEN or chosen.places(SEEDS[0], 1):
        check_choice()
    if not CHOSEN:
        check_record()
        check_classes()
    records = [Record(device, NAME) for device in devices(NAME)]
    for record in records:
        compare(record)
    if not records:
        unrecorded("counters of launches that a seed chooses", MAKE)
    leave()


if __name__ == "__main__":
    main()
