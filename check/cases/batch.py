"""--batch: a verdict a line and variant, whatever stands in the other lines."""
import json
import os
import subprocess
import sys
import tempfile
import time

from common.commands.drive import batch
from common.commands.drive.shapes import right
from common.commands.drive.support import Done, case, leave, run, sample_step, step, variants

STEP = sample_step()
FIRST = right(STEP)[0]["name"]
KEYS = {"line", "variant", "verdict", "findings", "message", "n", "type", "blocks", "threads",
        "runs", "median_us", "flops", "value", "reference", "error", "bound"}


def ask(text, *more, by_file=None):
    """The rows and how it ended; text on standard input, or in a file."""
    command = [step(STEP), "--batch", by_file or "-", *map(str, more)]
    if by_file:
        with open(by_file, "w", encoding="utf-8") as file:
            file.write(text)
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=120,
                          check=False)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return rows, Done(command, done.returncode, done.stdout, done.stderr)


def verdicts(rows):
    return [(row["line"], row["variant"], row["verdict"]) for row in rows]


def mixed(scratch):
    text = f"""# a comment
-n 1000 -v {FIRST}

-n 5x -v {FIRST}
-n 1000 -t 33 -v {FIRST}
--log x.csv
--nonsense
-n 77 -b 3 -t 64 --offset 1 -v {FIRST}
-n 100
extra
"""
    want = [(2, FIRST, "ok"), (4, None, "usage"), (5, FIRST, "refused"), (6, None, "usage"),
            (7, None, "usage"), (8, FIRST, "ok")] + [(9, v, "ok") for v in variants(STEP)] + \
        [(10, None, "usage")]
    for where in (None, os.path.join(scratch, "lines")):
        rows, done = ask(text, "-r", 2, "-w", 0, by_file=where)
        case(verdicts(rows) == want and done.status == 0 and not done.err,
             f"good and bad lines, from {'a file' if where else 'standard input'}", done)
    case(all(KEYS <= set(row) for row in rows if row["verdict"] == "ok"),
         "each row has all its members", done)
    named = {4: "--size 5x", 5: "got 33", 6: "--log", 7: "--nonsense", 10: "extra"}
    case(all(named[row["line"]] in row["message"] and "\n" not in row["message"]
             for row in rows if row["verdict"] in ("usage", "refused")),
         "what is refused is named in one line", done)
    told = next((row for row in rows if row["line"] == 8), {})
    case((told.get("n"), told.get("blocks"), told.get("threads"), told.get("runs")) ==
         (77, 3, 64, 2), "a row tells the line's run, with what holds for all lines", told)
    case(not os.path.exists("x.csv"), "no log is written")


def ends(scratch):
    rows, done = ask("", by_file=os.path.join(scratch, "empty"))
    case(not rows and done.status == 0 and not done.err, "an empty file has no verdicts", done)
    rows, done = ask("# only\n\n# comments")
    case(not rows and done.status == 0, "nor have comments", done)
    rows, done = ask(f"-n 10 -v {FIRST}")
    case(verdicts(rows) == [(1, FIRST, "ok")], "a last line needs no line end", done)
    for name in ("missing", "."):
        done = run(step(STEP), "--batch", os.path.join(scratch, name))
        case(done.status == 2 and len(done.err.splitlines()) == 1 and "--batch" in done.err,
             f"--batch {name} is refused", done)
    rows, done = ask(f"-n 10 -v {FIRST}\n", "--log", os.path.join(scratch, "log.csv"))
    case(not rows and done.status == 2 and "--log" in done.err, "a batch takes no log", done)


def infinite():
    """What is no number in JSON is a string."""
    rows, done = ask("".join(f"-n 1000 --input hostile --seed {seed} -v {FIRST}\n"
                             for seed in range(4)), "-r", 1, "-w", 0)
    odd = {row["value"] for row in rows if isinstance(row["value"], str)}
    case(len(rows) == 4 and odd and odd <= {"nan", "inf", "-inf"}, "nan and inf are strings", done)


def restarted(scratch):
    """check/batch.py, on a program that a line ends: told for that line, and the rest goes on."""
    program = os.path.join(scratch, "program")
    with open(program, "w", encoding="utf-8") as file:
        file.write(f"""#!{sys.executable} -S
import json, os, sys, time
for at, line in enumerate(open(sys.argv[2]), 1):
    for name in ("a", "b"):
        word = line.split()[0] if name == "b" else "good"
        if word == "crash":
            os.kill(os.getpid(), 11)
        if word == "hang":
            time.sleep(60)
        while word == "spin":
            pass
        if word == "device":
            print("program: cudaMalloc failed", file=sys.stderr)
            sys.exit(3)
        print(json.dumps({{"line": at, "variant": name, "verdict": "ok", "message": ""}}),
              flush=True)
""")
    os.chmod(program, 0o700)
    lines = ["good", "crash", "good", "hang", "spin", "device", "good"]
    rows = batch.batches([(program, ["a", "b"], lines)], limit=8)[0]
    want = [[("a", "ok"), ("b", {"good": "ok", "spin": "hang"}.get(word, word))] for word in lines]
    case([[(row["variant"], row["verdict"]) for row in of_line] for of_line in rows] == want,
         "a line that ends the process is told, and the later ones are run", rows)
    begun = time.monotonic()
    rows = batch.work_off(program, ["a", "b"], ["spin", "good", "good"], [], limit=[1, 1, 60])
    case([row["verdict"] for of_line in rows for row in of_line] == ["ok", "hang", "ok", "ok", "ok", "ok"] and
         time.monotonic() - begun < 30, "a line hangs by its own limit", rows)


def main():
    with tempfile.TemporaryDirectory() as scratch:
        mixed(scratch)
        ends(scratch)
        restarted(scratch)
    infinite()
    leave()


if __name__ == "__main__":
    main()
