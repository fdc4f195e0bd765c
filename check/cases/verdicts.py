"""
The mistakes of verdicts/verdicts.cu under --check, beside what compute-sanitizer said of the same on
a GPU (verdicts.csv of the reference's record). With the argument --table it prints the two side by side.
"""
import os
import re
import sys
import tempfile

from common.commands.drive.building import build
from common.commands.drive.support import SOURCE, case, leave, rows_of, run, unrecorded
from plots import recorded

RECORD = recorded.place("verdicts.csv")
KINDS = [("memcheck", "memory"), ("racecheck", "race"), ("initcheck", "init"),
         ("synccheck", "sync")]


def findings(program, name):
    """The kinds of finding that --check reports, and the run."""
    done = run(program, "-v", name, "-n", 64, "-r", 1, "-w", 0, "-q", "--check")
    return set(re.findall(r"^--check: (\w+):", done.err, re.MULTILINE)), done


def main():
    table = sys.argv[1:] == ["--table"]
    if not os.path.exists(RECORD):
        unrecorded("verdicts of compute-sanitizer", "plots/record gpu DIR sanitizer")
        leave()
    rows = rows_of(RECORD)
    with tempfile.TemporaryDirectory() as scratch:
        program = os.path.join(scratch, "verdicts")
        done = build(os.path.join(SOURCE, "check/verdicts/verdicts.cu"), program, types=["f32"])
        if done.status != 0:
            case(False, "verdicts.cu is built", done)
            leave()
        if table:
            print("| mistake | compute-sanitizer on a GPU | --check |\n|---|---|---|")
        for row in rows:
            ours, done = findings(program, row["mistake"])
            theirs = {kind for tool, kind in KINDS if row[tool] == "found"}
            if table:
                tools = [tool for tool, kind in KINDS if kind in theirs]
                print(f"| {row['what']} | {', '.join(tools) or 'clean'} | "
                      f"{', '.join(sorted(ours)) or 'clean'} |")
            else:
                case(ours == theirs, f"verdict on {row['mistake']}: "
                     f"{', '.join(sorted(theirs)) or 'clean'}", f"--check: {sorted(ours)}\n{done}")
    leave()


if __name__ == "__main__":
    main()
