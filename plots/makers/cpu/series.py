"""
The record of all steps on the CPU device: what each kernel did, and traces of single accesses.
"""
import csv
import json
import os
import re

from docs.site_builder import heat
from common.commands.drive.support import SOURCE, declared, describe, rows_of, run, step, steps
from common.commands.runner import series

TOTALS = [  # the columns of totals.txt, and what is added up
    ("launches", ()), ("load sect.", ("global_load_sectors",)),
    ("store sect.", ("global_store_sectors",)),
    ("shared acc.", ("shared_load_instructions", "shared_store_instructions")),
    ("wavefronts", ("shared_load_wavefronts", "shared_store_wavefronts")),
    ("conflicts", ("bank_conflicts",)), ("atomics", ("atomic_requests",)),
    ("barriers", ("barriers",))]


LINE = re.compile(  # of the table by source line: kernel, file:line, what, requests, cost, each, ideal
    r"^(\S.{0,19}?) +(\S+):(\d+) +([a-z]+(?: [a-z]+)?) +(\d+) +(\d+|-) +([\d.]+|-) +([\d.]+|-) ")
LINES = ("step", "variant", "file", "line", "what", "kernel", "requests", "cost", "ideal", "source")


class Failed(Exception):
    """Something of the record could not be made."""


def succeed(done, what):
    if done.status != 0:
        said = (done.err or done.out).strip().splitlines()
        raise Failed(f"{what}: {said[0] if said else f'status {done.status}'}")


def write_counters(out, scratch):
    """counters.csv: the launches that the steps declare for the record."""
    log = os.path.join(scratch, "log.csv")
    for name in steps():
        print(f"counters of {name}", flush=True)
        for words in (words for line in declared(name, "record")
                      for words in series.fitted(describe(name), line.split())):
            succeed(run(step(name), *words, "-r", 1, "-w", 0, "-q", "--counters",
                        "--log", log, limit=600), name)
    os.replace(os.path.join(scratch, "log-counters.csv"), os.path.join(out, "counters.csv"))


def lines_told(text):
    """(file, line, what, kernel, requests, cost, ideal per request) of each line of --counters=lines."""
    found, reading = [], False
    for line in text.split("\n"):
        match = LINE.match(line) if reading else None
        if line.startswith("kernel  "):
            reading = "requests" in line
        elif match:
            kernel, file, number, what, requests, cost, _, ideal = match.groups()
            found.append((file, number, what, kernel, requests, cost.strip("-"), ideal.strip("-")))
        else:
            reading = False
    return found


def lines_of(name, variant):
    """What --counters=lines says of a variant, in the first run of the record's that it takes, or else of
    others that the step declares."""
    declares = [line.split() for purpose in ("record", "counted", "quick", "checked")
                for line in declared(name, purpose)]
    for words in (words for line in declares if "-v" not in line or variant in line
                  for words in series.fitted(describe(name), [*line, "-v", variant])):
        more = [] if "-v" in words else ["-v", variant]
        done = run(step(name), *words, *more, "-r", 1, "-w", 0, "--counters=lines", limit=600)
        if done.status <= 1:
            return done.out
    raise Failed(f"{name}: {variant} takes none of the runs that the step declares")


def write_lines(out):
    """lines.csv: what each source line of a step did, a variant each."""
    with open(os.path.join(out, "lines.csv"), "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(LINES)
        for name in steps():
            print(f"lines of {name}", flush=True)
            for variant in (v["name"] for v in describe(name)["variants"] if v["role"] == "step"):
                writer.writerows((name, variant, *row, heat.mark(name, row[0]))
                                 for row in lines_told(lines_of(name, variant)))


def write_described(out):
    """describe.json, without the commit: a record is the same for the same programs."""
    told = []
    for name in steps():
        done = run(step(name), "--describe")
        succeed(done, f"{name} --describe")
        told.append({**json.loads(done.out), "commit": ""})
    with open(os.path.join(out, "describe.json"), "w", encoding="utf-8") as file:
        file.write("[\n" + ",\n".join(map(json.dumps, told)) + "\n]\n")


def write_totals(out):
    """totals.txt: the same counters added up, a line per variant, without the launches that only
    verify: how often those poll depends on the time."""
    totals = {}
    for row in rows_of(os.path.join(out, "counters.csv")):
        if row["phase"] == "verify":
            continue
        sums = totals.setdefault((row["step"], row["variant"]), [0] * len(TOTALS))
        for at, (_, columns) in enumerate(TOTALS):
            each = sum(int(row[column]) for column in columns) if columns else 1
            sums[at] += int(row["launches"]) * each
    with open(os.path.join(out, "totals.txt"), "w", encoding="utf-8") as file:
        print(f"{'step':22} {'variant':20}" + "".join(f" {name:>11}" for name, _ in TOTALS),
              file=file)
        for (name, variant), sums in totals.items():
            print(f"{name:22} {variant:20}" + "".join(f" {value:11d}" for value in sums),
                  file=file)


def line_number(name, text):
    """The first source line that is the text, or else that holds it."""
    path = os.path.join(SOURCE, "steps", name, name + ".cu")
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    for matches in (lambda line: line == text, lambda line: text in line):
        for at, line in enumerate(lines, 1):
            if matches(line):
                return at
    raise Failed(f"steps/{name}/{name}.cu has no line with: {text}")


def write_trace(row, out, scratch):
    """Offsets only, since the addresses are other ones each time: the second column goes."""
    log, trace = (os.path.join(scratch, end) for end in ("t.csv", "t-trace.csv"))
    if os.path.exists(trace):
        os.unlink(trace)
    succeed(run(step(row.step), "-r", 1, "-w", 0, "-q", "--trace",
                line_number(row.step, row.text), "--log", log, *row.options.split()),
            f"the trace of {row.name}")
    with open(trace, newline="", encoding="utf-8") as file, \
            open(os.path.join(out, f"trace-{row.name}.csv"), "w", newline="",
                 encoding="utf-8") as kept:
        writer = csv.writer(kept, lineterminator="\n")
        writer.writerows([*words[:1], *words[2:]] for words in csv.reader(file))


def write_alone(row, out):
    """The counters of the launches that are timed, without those that only verify."""
    with open(os.path.join(out, "transcripts", row.name + ".txt"), "w", encoding="utf-8") as file:
        print(f"{'variant':14} {'grid x block':>12} {'loads':>7} {'stores':>7} {'atomics':>8} "
              f"{'barriers of warps':>18}", file=file)
        for each in rows_of(os.path.join(out, "counters.csv")):
            if each["step"] == row.step and each["phase"] == "run":
                print(f"{each['variant']:14} {each['grid'] + ' x ' + each['block']:>12} "
                      f"{each['global_load_requests']:>7} {each['global_store_requests']:>7} "
                      f"{each['atomic_requests']:>8} {each['barriers']:>18}", file=file)
