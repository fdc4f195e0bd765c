"""
The run log: whole rows, whatever happens to the program; the same columns for all families, and by name, so
that a log of an older version takes rows in its own order, or is refused and left as it is.
"""
import functools
import os
import re
import resource
import signal
import subprocess
import tempfile
import time

from common.commands.drive.shapes import right
from common.commands.drive.support import Done, case, describe, leave, rows_of, run, sample_step, step, steps
from common.commands.drive.support import variants

STEP = sample_step()
FIRST = right(STEP)[0]["name"]
SMALL = ["-n", 1000, "-r", 1, "-w", 0]
COLUMNS = ("utc,commit,backend,device,driver,cuda,step,variant,role,n,input,type,blocks,threads,runs,"
           "cache,median_us,min_us,q1_us,q3_us,max_us,bytes,flops,gb_per_s,gflop_per_s,"
           "copy_gb_per_s,value,reference,error,bound,status")


def own_columns(name):
    """Those of a step's family that not every family has."""
    told = describe(name)
    return [axis["name"] for axis in told["axes"] if axis["name"] != "n"] + told["parameters"]


@functools.lru_cache(maxsize=None)
def header():
    """A new log's, whatever the family."""
    with tempfile.TemporaryDirectory() as scratch:
        log = os.path.join(scratch, "log.csv")
        run(step(STEP), *SMALL, "-v", FIRST, "-q", "--log", log)
        return (text_of(log).splitlines() or [""])[0]


def other_family():
    """The first step with axes that the sample step's log has no columns for."""
    return next(name for name in steps() if not describe(name)["parameters"] and
                len([axis for axis in describe(name)["axes"] if axis["option"] == "size"]) > 1)


def text_of(path):
    if not os.path.exists(path):
        return ""
    with open(path, newline="", encoding="utf-8") as file:
        return file.read()


def whole(path, header, rows=None):
    """One header, then rows with every column and a line end each."""
    text = text_of(path)
    lines = text.splitlines()
    return text.endswith("\n") and lines[0] == header and text.count("utc,commit") == 1 and \
        all(line.count(",") == header.count(",") for line in lines) and \
        (rows is None or len(lines) == rows + 1)


def appended(scratch):
    log, count = os.path.join(scratch, "log.csv"), len(variants(STEP))
    for times in (1, 2, 3):
        done = run(step(STEP), *SMALL, "-q", "--log", log)
        case(done.status == 0 and whole(log, header(), times * count),
             f"run {times} appends {count} rows, under one header", f"{done}\n{text_of(log)}")
    before = text_of(log)
    done = run(step(STEP), *SMALL, "--log", log, "-t", "1025")
    case(done.status == 2 and text_of(log) == before, "a refused run leaves the log alone", done)
    last = rows_of(log)[-1]
    empty = [key for key in ("driver", "cuda", "flops", "gflop_per_s") if last[key] != ""]
    case(not empty, "what is unknown is empty in the log", last)
    case(last["backend"] == "cpu" and last["status"] == "ok" and last["n"] == "1000" and
         last["bytes"] == "4004" and re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", last["utc"]),
         "a row tells what was run", last)


def roles(scratch):
    """Each row's role is the one that --describe tells."""
    log = os.path.join(scratch, "roles.csv")
    for name in steps():
        small = ["-n", "20"] if describe(name)["item"] else ["-n", "300"]
        run(step(name), *small, "-r", 1, "-w", 0, "-q", "--log", log)
    told = {(name, v["name"]): v["role"] for name in steps() for v in variants(name).values()}
    rows = rows_of(log)
    wrong = [(row["step"], row["variant"], row.get("role")) for row in rows
             if row.get("role") != told[row["step"], row["variant"]]]
    case({row["step"] for row in rows} == set(steps()) and not wrong,
         "one log takes every step, each row with its variant's role", wrong)
    names = header().split(",")
    own = {column for name in steps() for column in own_columns(name)}
    case(header().startswith(COLUMNS + ",") and len(names) == len(set(names)) and
         set(names) == own | set(COLUMNS.split(",")),
         "a new log has a column for each axis and parameter of all families, and no other",
         f"{header()}\n{sorted(own)}")
    case(whole(log, header()), "and all its rows are whole", text_of(log)[:2000])


def older(scratch):
    """A log with columns in an order of its own, some unknown by now; one that lacks a column."""
    other = other_family()
    old = os.path.join(scratch, "old.csv")
    names = ["colour", *reversed(COLUMNS.split(",")), *own_columns(STEP)]
    row = ",".join(f"\"{at}, as it was\"" if at == 3 else str(at) for at in range(len(names)))
    with open(old, "w", encoding="utf-8") as file:
        file.write(f"{','.join(names)}\n{row}\n")
    done = run(step(STEP), *SMALL, "-q", "--log", old)
    lines = text_of(old).splitlines()
    case(done.status == 0 and lines[:2] == [",".join(names), row] and
         len(lines) == 2 + len(variants(STEP)) and
         (rows_of(old)[-1]["step"], rows_of(old)[-1]["colour"]) == (STEP, ""),
         "a log with all of a step's columns takes its rows, in the log's order", f"{done}\n{text_of(old)}")
    with open(old, "a", encoding="utf-8") as file:
        file.write(lines[-1][:40])  # cut, as by a full disk
    run(step(STEP), *SMALL, "-q", "--log", old)
    good = [row for row in rows_of(old) if row["step"] == STEP]
    case(len(good) == 2 * len(variants(STEP)) and all(row["status"] == "ok" for row in good),
         "a row is not glued onto one that was cut", text_of(old))
    for name, words, lacking in ((other, ["-n", "32x33"], own_columns(other)[0]), (STEP, SMALL[:2], "role")):
        if lacking == "role":
            with open(old, "w", encoding="utf-8") as file:
                file.write(COLUMNS.replace("role,", "") + "\n")
        before = os.stat(old), text_of(old)
        done = run(step(name), *words, "-r", 1, "-w", 0, "--log", old)
        case(done.status == 2 and len(done.err.splitlines()) == 1 and not done.out and
             f"it has no column {lacking}," in done.err and "accepted: a new file" in done.err,
             f"{name}: a log without the column {lacking} is refused before anything is run", done)
        case(text_of(old) == before[1] and os.stat(old).st_ino == before[0].st_ino and
             os.listdir(scratch) == ["old.csv"], "and it is left as it was", os.listdir(scratch))


def concurrent(scratch):
    """Two families at once."""
    log, other = os.path.join(scratch, "shared.csv"), other_family()
    more = ["-r", "1", "-w", "0", "-q", "--log", log]
    programs = [subprocess.Popen([step(name), "--sweep", "0:6", *more])
                for name in (STEP, other, STEP, other)]
    good = [program.wait() for program in programs] == [0] * 4
    text = text_of(log)
    counts = {name: sum(row["step"] == name for row in rows_of(log)) for name in (STEP, other)}
    case(good and whole(log, header()) and
         counts == {name: 2 * 7 * len(variants(name)) for name in counts},
         "programs of two families may append to one log at once", f"{counts}\n{text}")


def every_third(scratch):
    """A sweep that leaves powers out: its end as well, where no step meets it."""
    log = os.path.join(scratch, "third.csv")
    done = run(step(STEP), "--sweep", "0:7:3", "-r", "1", "-w", "0", "-q", "--log", log)
    sizes = list(dict.fromkeys(row["n"] for row in rows_of(log)))
    case(done.status == 0 and sizes == ["1", "8", "64"], "--sweep 0:7:3 measures 2^0, 2^3 and 2^6", sizes)


def interrupted(scratch):
    """kill -9 in the midst of a sweep, at several moments."""
    for wait in (0.05, 0.15, 0.3, 0.6):
        log = os.path.join(scratch, f"killed{wait}.csv")
        program = subprocess.Popen([step(STEP), "--sweep", "0:24", "-r", "3", "-q", "--log", log])
        deadline = time.monotonic() + 120
        while not (os.path.exists(log) and os.path.getsize(log)) and time.monotonic() < deadline:
            time.sleep(0.005)
        time.sleep(wait)
        program.send_signal(signal.SIGKILL)
        status = program.wait()
        case(status == -signal.SIGKILL and whole(log, header()),
             f"killed {wait} s after its first row, a run leaves whole rows",
             f"status {status}\n{text_of(log)}")


def beside(scratch):
    """The counters go to a file beside the log, which may hold other columns already."""
    log, other = (os.path.join(scratch, "x" + end) for end in (".csv", "-counters.csv"))
    with open(other, "w", encoding="utf-8") as file:
        file.write("step,variant\n")
    done = run(step(STEP), *SMALL, "-q", "--counters", "--log", log)
    case(done.status == 2 and len(done.err.splitlines()) == 1 and other in done.err,
         "counters beside a file with other columns are refused", done)
    case(text_of(other) == "step,variant\n", "and that file is left as it was")


def limited(most, *command):
    """Run with files of at most so many bytes, as on a full disk."""
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          preexec_fn=limit, restore_signals=False, check=False)
    return Done(command, done.returncode, done.stdout, done.stderr)


def full(scratch):
    """What does not fit is told, and leaves no part of a row behind."""
    for option in (["--counters"], ["--trace", line_of_a_load()]):
        log = os.path.join(scratch, f"full{len(option)}.csv")
        words = [step(STEP), *SMALL, "-v", FIRST, "-q", *option, "--log", log]
        beside = log[:-4] + f"-{option[0][2:]}.csv"
        for _ in range(4):
            done = run(*words)
        os.unlink(log)  # a new one is shorter than the file beside it
        before = text_of(beside)
        case(done.status == 0 and before.endswith("\n"), f"{option[0]} writes beside the log", done)
        case(before.count(before.splitlines()[0]) == 1, f"{option[0]}: four runs, one header", before)
        done = limited(len(before) + 70, *words)
        case(done.status == 2 and len(done.err.splitlines()) == 1 and "cannot be written" in done.err
             and text_of(beside) == before, f"{option[0]} on a full disk is told, with status 2, and "
             "the file beside the log is as it was", f"{done}\n{text_of(beside)[-300:]}")
        with open(beside, "a", encoding="utf-8") as file:
            file.write(before.splitlines()[-1][:15])  # cut all the same, by another program
        run(*words)
        text = text_of(beside)
        case(text.startswith(before + before.splitlines()[-1][:15] + "\n") and
             len(text) > len(before) + 16, f"{option[0]}: a row that was cut is not glued on", text)


def line_of_a_load():
    """A line of the sample step's source that loads: the first that --counters=lines names."""
    done = run(step(STEP), *SMALL, "-v", FIRST, "--counters=lines")
    return re.search(rf"{STEP}\.cu:(\d+)", done.out)[1]


def main():
    for what in (appended, roles, older, concurrent, every_third, interrupted, beside,
                 full):
        with tempfile.TemporaryDirectory() as scratch:
            what(scratch)
    leave()


if __name__ == "__main__":
    main()
