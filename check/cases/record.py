"""
plots/record merge puts the record of some steps into a record of more: their rows are replaced, all
other rows stay byte for byte, and a part that does not fit is refused and changes nothing.
"""
import csv
import io
import json
import os
import shutil
import tempfile

from common.commands.drive.support import SOURCE, case, leave, run
from common.commands.runner.screen import Screen
from plots import recorded
from plots.makers.gpu import parts

MERGE = os.path.join(SOURCE, "plots", "record")
RECORD = recorded.place()
FILES = ("log.csv", "counters.csv", "sanitizer.csv", "describe.json")


def read(*parts):
    with open(os.path.join(*parts), encoding="utf-8", newline="") as file:
        return file.read()


def copy(folder):
    os.mkdir(folder)
    for name in FILES:
        shutil.copy(os.path.join(RECORD, name), folder)
    return folder


def only(folder, step, change=None):
    """Leaves the rows of one step in a copy, each changed by a function."""
    told = [t for t in json.loads(read(folder, "describe.json")) if t["step"] == step]
    with open(os.path.join(folder, "describe.json"), "w", encoding="utf-8") as file:
        json.dump(told, file)
    for name in FILES[:3]:
        with open(os.path.join(folder, name), newline="", encoding="utf-8") as file:
            rows = [row for row in csv.DictReader(file) if row["step"] == step]
        for row in rows:
            if change and name == "log.csv":
                change(row)
        with open(os.path.join(folder, name), "w", newline="", encoding="utf-8") as file:
            out = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
            out.writeheader()
            out.writerows(rows)


def recorded_whole(folder):
    """A step, not the first, that has rows of each kind: some are recorded before their counters."""
    with_rows = [{row["step"] for row in csv.DictReader(io.StringIO(read(folder, name)))} for name in FILES[:3]]
    return next(told["step"] for told in json.loads(read(folder, "describe.json"))[1:]
                if all(told["step"] in steps for steps in with_rows))


def on_gpu(scratch):
    """The part matrix runs the scripts that it names, here with one that passes and one that is not there."""
    missing = [name for name in parts.CASES
               if not os.path.exists(os.path.join(SOURCE, "check", "cases", name + ".py"))]
    case(not missing, f"the {len(parts.CASES)} scripts of check/cases for a GPU are there", missing)
    os.makedirs(os.path.join(scratch, "check", "cases"))
    with open(os.path.join(scratch, "check", "cases", "good.py"), "w", encoding="utf-8") as file:
        file.write("print('ok - one')\n")
    kept, parts.CASES = parts.CASES, ("good", "gone")
    job = parts.Job(root=scratch, folder=scratch, build=scratch, quick=True, some=False, seed=1, launches=1, commit="",
                    command="", series=[], screen=Screen("plots/record gpu", io.StringIO()))
    status = parts.matrix(job)
    parts.CASES = kept
    lines = read(scratch, "matrix.txt").splitlines()
    case(status == 1 and lines[:2] == ["good: 1 passed, 0 failed", "gone: 0 passed, 1 failed"],
         "plots/record gpu DIR matrix counts the cases of each script", lines)


def main():
    with tempfile.TemporaryDirectory() as scratch:
        on_gpu(scratch)
    with tempfile.TemporaryDirectory() as scratch:
        part, whole = copy(os.path.join(scratch, "part")), copy(os.path.join(scratch, "whole"))
        step = recorded_whole(part)
        only(part, step)
        done = run(MERGE, "merge", part, whole)
        case(done.status == 0 and all(read(whole, name) == read(RECORD, name) for name in FILES),
             "a part of the record itself changes nothing", done)

        for row in (part, whole):
            shutil.rmtree(row)
        copy(part)
        copy(whole)

        def change(row):
            row.update(commit="another", planted="7")
        only(part, step, change)
        done = run(MERGE, "merge", part, whole)
        rows = list(csv.DictReader(read(whole, "log.csv").splitlines()))
        old = list(csv.DictReader(read(RECORD, "log.csv").splitlines()))
        case(done.status == 0 and len(rows) == len(old) and all(
            (row["commit"] == "another", row["planted"]) == (row["step"] == step, "7" if
                                                            row["step"] == step else "")
            for row in rows), "the rows of a part replace those of its step alone, a column is added",
             done)
        case([{**row, "commit": "", "planted": ""} for row in rows]
             == [{**row, "commit": "", "planted": ""} for row in old], "all rows keep their place")

        with open(os.path.join(part, "describe.json"), "w", encoding="utf-8") as file:
            json.dump([{"step": "no-step"}], file)
        before = read(whole, "log.csv")
        done = run(MERGE, "merge", part, whole)
        case(done.status == 2 and "no-step" in done.err and len(done.err.splitlines()) == 1
             and read(whole, "log.csv") == before, "a step that is not in the series is refused", done)
        done = run(MERGE, "merge", part)
        case(done.status == 2 and done.err == "plots/record merge: INTO is missing (see --help)\n",
             "plots/record merge needs two directories", done)
    leave()


if __name__ == "__main__":
    main()
