"""
The command line: every mistake is one line on standard error that names the option, status 2, and
nothing written. What all steps share is asked of one that has every option.
"""
import math
import os
import re
import resource
import subprocess
import tempfile

from common.commands.drive.shapes import right
from common.commands.drive.support import SOURCE, case, describe, leave, run, sample_step, step
from common.commands.drive.support import steps, variants

STEP = sample_step()
FIRST = right(STEP)[0]["name"]
SMALL = ["-n", 1000, "-r", 1, "-w", 0]

# What is given, and what the one line must name.
BAD = [
    (["--nonsense"], "--nonsense"),
    (["--nonsense=3"], "--nonsense"),
    (["-z"], "-z"),
    (["-n", "0x"], "--size 0x"),
    (["-n", "0x10"], "--size 0x10"),
    (["-n", "-1"], "--size -1"),
    (["--size=-5"], "--size -5"),
    (["-n", "2^70"], "--size 2^70"),
    (["-n", "2^41"], "--size 2^41"),
    (["-n", "99999999999999999999999"], "--size 9999"),
    (["-n", "12abc"], "--size 12abc"),
    (["-n", ""], "--size ''"),
    (["-n", " "], "--size"),
    (["-n", "1.5"], "--size 1.5"),
    (["-n", "1e"], "--size 1e"),
    (["-n", "1e99"], "--size 1e99"),
    (["-n", "nan"], "--size nan"),
    (["-n", "10\nall: fine"], "--size 10"),
    (["-n", "10x10"], "--size 10x10"),
    (["-t", "1025"], "--threads 1025"),
    (["-t", "0"], "--threads 0"),
    (["-t", "-32"], "--threads -32"),
    (["-t", "4294967328"], "--threads 4294967328"),
    (["-t", "x"], "--threads x"),
    (["-b", "0"], "--blocks 0"),
    (["-b", "2^31"], "--blocks 2^31"),
    (["-b", "-1"], "--blocks -1"),
    (["-b", "2^31-1"], "--blocks 2^31-1"),
    (["-b", "2147483647", "-t", "1024"], "2147483647"),  # more partial sums than it may keep
    (["-r", "0"], "--runs 0"),
    (["-r", "-1"], "--runs -1"),
    (["-r", "many"], "--runs many"),
    (["-w", "-1"], "--warmup -1"),
    (["-w", "2^40"], "--warmup 2^40"),
    (["-v", "fastest"], "--variant fastest"),
    (["-v", ""], "--variant ''"),
    (["-v", FIRST.upper()], "--variant " + FIRST.upper()),
    (["--input", "worst"], "--input worst"),
    (["--input", ""], "--input ''"),
    (["--seed", "-1"], "--seed -1"),
    (["--seed", "2^64"], "--seed 2^64"),
    (["--offset", "64"], "--offset 64"),
    (["--offset", "-1"], "--offset -1"),
    (["--sweep", "5"], "--sweep 5"),
    (["--sweep", "5:"], "--sweep 5:"),
    (["--sweep", ":5"], "--sweep :5"),
    (["--sweep", "9:5"], "--sweep 9:5"),
    (["--sweep", "5:9:"], "--sweep 5:9:"),
    (["--sweep", "5:9:0"], "--sweep 5:9:0"),
    (["--sweep", "5:9:2:2"], "--sweep 5:9:2:2"),
    (["--sweep", "0:41"], "--sweep 0:41"),
    (["--sweep", "a:b"], "--sweep a:b"),
    (["--sweep", "3:5", "-n", "10"], "--size"),
    (["--type", "f64"], "--type f64"),
    (["--type", ""], "--type ''"),
    (["-v", "cub"], "--variant cub"),  # a library's, in a build without any
    (["--peers"], "--peers"),
    (["--batch"], "--batch"),
    (["--the"], "--then"),
    (["--describe=yes"], "--describe"),
    (["--oversubscribe"], "--oversubscribe"),
    (["--counters=all"], "--counters all"),
    (["--quiet=3"], "--quiet"),
    (["--cold=yes"], "--cold"),
    (["--trace"], "--trace"),
    (["--trace", "0"], "--trace 0"),
    (["--trace", "x"], "--trace x"),
    (["--schedule=foo"], "--schedule foo"),
    (["--schedule="], "--schedule"),
    (["--schedule=random"], "--schedule random"),
    (["--schedule=random:"], "--schedule random:"),
    (["--schedule=random:x"], "--schedule random:x"),
    (["--schedule=random:1x"], "--schedule random:1x"),
    (["extra"], "extra"),
    (["--", "extra"], "extra"),
    (["-t", "33"], "threads must be a power of two; got 33"),
] + [([option], name) for option, name in (
    ("-n", "--size"), ("--size", "--size"), ("-s", "--sweep"), ("-b", "--blocks"),
    ("-t", "--threads"), ("-v", "--variant"), ("-r", "--runs"), ("-w", "--warmup"),
    ("--input", "--input"), ("--seed", "--seed"), ("--offset", "--offset"), ("--type", "--type"),
    ("-o", "--log"), ("--log", "--log"), ("--schedule", "--schedule"))]


def refused(text, done, named, written=(), program=STEP):
    """A refusal: status 2, one line that starts with the program and names what is wrong."""
    lines = done.err.splitlines()
    good = done.status == 2 and done.out == "" and len(lines) == 1 and \
        lines[0].startswith(program) and named in lines[0] and \
        not any(os.path.exists(path) for path in written)
    case(good, f"refused: {text}", f"{done}\nexpected on standard error: {named}")
    for path in written:
        if os.path.isfile(path):
            os.unlink(path)  # the next case shall not find it


def bad_options(scratch):
    log = os.path.join(scratch, "unwritten.csv")
    for words, named in BAD:
        text = " ".join(repr(word) if not re.fullmatch(r"[\w:=^.-]+", word) else word
                        for word in words)
        # The log comes first, so that a missing value stays missing.
        refused(f"{STEP} {text}", run(step(STEP), "--log", log, *words), named, [log])
    refused("-n 12abc beside the second type",
            run(step(STEP), "--type", describe(STEP)["types"][1], "-n", "12abc", "--log", log),
            "--size 12abc", [log])


def having(what):
    """The first (step, variant) of which what(description, variant) is true."""
    return next((name, variant["name"]) for name in steps()
                for variant in describe(name)["variants"] if what(describe(name), variant))


def bad_for_some(scratch):
    """What only some steps or variants refuse."""
    log = os.path.join(scratch, "unwritten.csv")
    for what, words, named in (
            (lambda d, v: d["types"] == ["f32"], ["--type", "i32"], "--type i32"),
            (lambda d, v: v["takes"]["blocks"] == "by_size" and "blocks" in d["options"],
             ["-b", 4], "--blocks"),
            (lambda d, v: "blocks" not in d["options"], ["-b", 4], "--blocks"),
            (lambda d, v: v["takes"]["whole_warps"], ["-t", 33], "multiple of 32; got 33"),
            (lambda d, v: v["takes"]["power_of_two"], ["-t", 33], "a power of two; got 33"),
            (lambda d, v: v["takes"]["threads"], ["-t", 100], "got 100"),
            (lambda d, v: v["takes"]["whole_quads"], ["-n", 62], "a multiple of 4; got 62"),
            (lambda d, v: v["takes"]["whole_quads"], ["-n", 64, "--offset", 2], "--offset must be"),
            (lambda d, v: len(d["axes"]) == 2, ["-n", "3x"], "--size 3x"),
            (lambda d, v: len(d["axes"]) == 2, ["-n", "2^30x2^30"], "--size 2^30x2^30"),
            (lambda d, v: "repeat" in d["parameters"], ["--repeat", 0], "--repeat 0"),
            (lambda d, v: "repeat" in d["parameters"], ["--repeat", "some"], "--repeat some"),
            (lambda d, v: "repeat" in d["parameters"], ["--repeat", 1001], "--repeat 1001"),
            (lambda d, v: "repeat" in d["parameters"] and "destroys_input" in v["flags"],
             ["--repeat", 2], "only once; got 2"),
            (lambda d, v: "bits" in d["parameters"], ["--bits", "8:8"], "--bits 8:8"),
            (lambda d, v: "bits" in d["parameters"], ["--order", "up"], "--order up"),
            (lambda d, v: "bits" in d["parameters"], ["--type", "c32"], "accepted: u32, i32"),
            (lambda d, v: "bits" in d["parameters"] and not v["takes"]["threads"], ["-n", "2^40", "-t", 256],
             "keys need 21632.1 GiB, and"),  # five arrays, two of them on the host, and 9 bytes per 8 keys
            (lambda d, v: "oversubscribe" not in d["options"], ["--oversubscribe"],
             "--oversubscribe")):
        name, variant = having(what)
        refused(f"{name} -v {variant} {' '.join(map(str, words))}",
                run(step(name), "-v", variant, *words, "--log", log), named, [log], name)


def bad_logs(scratch):
    missing = os.path.join(scratch, "missing", "log.csv")
    refused("a log in a missing directory", run(step(STEP), *SMALL, "-o", missing),
            "--log", [missing, os.path.dirname(missing)])
    refused("a log that is a directory", run(step(STEP), *SMALL, "-o", scratch), "--log")
    refused("a log in a file's place", run(step(STEP), *SMALL, "-o", "/dev/null/log.csv"),
            "--log")
    if os.geteuid() != 0:
        path = os.path.join(scratch, "readonly.csv")
        with open(path, "w", encoding="utf-8"):
            pass
        os.chmod(path, 0o400)
        refused("a log without leave to write", run(step(STEP), *SMALL, "-o", path), "--log")
    other = os.path.join(scratch, "letter.txt")
    with open(other, "w", encoding="utf-8") as file:
        file.write("Dear reader\n")
    refused("a log that holds something else", run(step(STEP), *SMALL, "-o", other), "--log")
    with open(other, encoding="utf-8") as file:
        case(file.read() == "Dear reader\n", "and it is left as it was")
    if os.path.exists("/dev/full"):
        done = run(step(STEP), *SMALL, "-q", "-v", FIRST, "-o", "/dev/full")
        refused("a full disk under the log", done, "--log /dev/full")


def answers():
    for name in steps():
        for option in ("--help", "-h", "--list", "--version"):
            done = run(step(name), option)
            case(done.status == 0 and done.out and not done.err, f"{name} {option}", done)
        done = run(step(name), "--help")
        wide = [line for line in done.out.splitlines() if len(line) > 100]
        case(not wide and all(v in done.out for v in variants(name)),
             f"{name} --help names every variant in at most 100 columns", done)
        done = run(step(name), "--list")
        named = [line.split()[0] for line in done.out.splitlines()]
        case(named == list(variants(name)), f"{name} --list has a line a variant", done)
    done = run(step(STEP), "--version")
    case(re.match(STEP + r" \(cuda-steps\) \d+\.\d+", done.out) is not None and
         done.out.count("\n") == 1, "--version is one line", done)
    done = run(step(STEP), *SMALL, "-q")
    case(done.status == 0 and not done.out and not done.err, "--quiet says nothing of success",
         done)
    done = run(step(STEP), "-n", "1Ki", "-r", 1)
    case(done.status == 0 and "1024" in done.out.replace(" ", "") or "2^10" in done.out,
         "sizes may end in Ki", done)


def full_output():
    """What nobody can read is not done."""
    words = [*SMALL, "-v", FIRST]
    for more in ([], ["--counters"], ["--help"], ["--list"], ["--describe"], ["--version"],
                 ["--batch", os.devnull, "--help"]):
        command = [step(STEP), *map(str, words), *more]
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True,
                                  check=False)
        case(done.returncode == 3 and len(done.stderr.splitlines()) == 1 and
             "standard output" in done.stderr, f"a full standard output of {' '.join(more)} is told",
             done)


def no_memory():
    """The device's memory is the machine's: what fits there once does not fit twice."""
    n = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") * 6 // 10 // 4
    done = run(step(STEP), "-n", n, "-r", 1, "-w", 0, "-v", FIRST)
    case(done.status == 3 and len(done.err.splitlines()) == 1 and "on the host" in done.err,
         "an array without room for its copy on the host is refused", done)


def several_lines():
    """--then: one line of options after another, up to one that cannot go on."""
    done = run(step(STEP), "-n", 10, "-r", 1, "-q", "--then", "--version", "--then", "-b", 0, "--then", "--list")
    shown = [line for line in done.out.splitlines() if line.startswith("$ ")]
    case(done.status == 2 and "--blocks 0" in done.err and len(done.err.splitlines()) == 1 and
         shown == [f"$ {STEP} -n 10 -r 1 -q", f"$ {STEP} --version", f"$ {STEP} -b 0"],
         "several lines in one process", done)


def progress():
    """Lines on standard error for a script; on no terminal none without the option."""
    words = ["-n", "2^20", "-v", FIRST]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run(step(STEP), *words, "-r", 20, "-q")
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    cores = os.cpu_count() or 1  # of which the simulation keeps all busy: some seconds, whatever else the machine does
    words += ["-r", math.ceil(60 * cores / max(used.ru_utime - before.ru_utime, 0.01))]
    done = run(step(STEP), *words, "--progress")
    lines = done.err.splitlines()
    shape = re.compile(rf"progress: {STEP} {FIRST} \S+ run \d+ of \d+, \d+ s left")
    case(done.status == 0 and lines and all(shape.fullmatch(line) for line in lines),
         "--progress tells of a run that takes long", done)
    done = run(step(STEP), *words)
    case(done.status == 0 and not done.err, "without it nothing is told in a pipe", done)


def scripts(scratch):
    """The commands refuse what they do not know before they do anything."""
    for name, words, named in (
            ("steps/run", ["--nonsense"], "--nonsense"),
            ("steps/run", ["--backend", "fpga"], "fpga"),
            ("steps/run", ["--backend"], "--backend"),
            ("steps/run", ["--build"], "--build"), ("steps/run", ["--build="], "--build needs a value"),
            ("steps/run", ["--quick=1"], "--quick takes no value; got 1"),
            ("steps/run", ["--lesson", STEP, "--quick"], "--quick and --lesson"),
            ("steps/table", ["--size", "-1", "log.csv"], "--size -1: must be"),
            ("steps/table", ["--columns", "step", "--markdown", "log.csv"], "--columns stands alone"),
            ("plots/draw", ["--no", "a"], "unknown option --no"), ("steps/machine", [], "DIRECTORY|FILE is missing"),
            ("docs/build", ["--out"], "--out needs a value"), ("docs/pages", ["--wr"], "(accepted: --write -h)"),
            ("docs/figures/draw", ["a", "b"], "b: one word too many"),
            ("check/run", ["--nonsense"], "--nonsense"),
            ("check/run", ["extra"], "unknown name extra (accepted: a case: "),
            ("check/run", ["docs/nosuch.md"], "docs/nosuch.md"),
            ("check/run", ["--jobs", "0"], "--jobs 0"),
            ("check/run", ["matrix", "--changed"], "matrix beside --changed"),
            ("check/run", ["--build"], "--build")):
        done = run(os.path.join(SOURCE, name), *words, cwd=scratch)
        refused(f"{name} {' '.join(words)}", done, named, program=name)
    for name in ("steps/run", "check/run"):
        done = run(os.path.join(SOURCE, name), "--help", cwd=scratch)
        case(done.status == 0 and done.out.startswith("usage:") and not done.err,
             f"{name} --help", done)
    for words in ("--jobs -1", "--jobs 0", "--sample 0", "--limit -1", "--limit nan", "--limit x",
                  "--family nosuch", "--step nosuch", "--kind nosuch", "extra"):
        done = run(os.path.join(SOURCE, "plots", "record"), "mutants", *words.split(), "--list")
        case(done.status == 2 and not done.out and len(done.err.splitlines()) == 1 and
             words.split()[-1] in done.err, f"plots/record mutants {words} is refused", done)
    for words in ([], ["/nonexistent.csv"], ["--size"]):
        done = run(os.path.join(SOURCE, "steps/table"), *words)
        case(done.status != 0 and not done.out and done.err and "Traceback" not in done.err,
             f"steps/table {' '.join(words)} is refused", done)
    done = run(os.path.join(SOURCE, "plots/draw"), "/nonexistent", scratch)
    case(done.status != 0 and "/nonexistent" in done.err and "Traceback" not in done.err,
         "plots/draw of a missing directory is refused", done)


def tall_grids():
    """Along y a grid takes 65535 blocks: a stencil's side of one more is refused, whichever side it is."""
    for name, variant, side, refused_size, taken in (("stencil-naive", "plane", "rows", "{}x1", "1x{}"),
                                                     ("stencil-naive", "turned", "columns", "1x{}", "{}x1"),
                                                     ("stencil-tiled", "loop", "rows", "{}x1", "1x{}")):
        words = [step(name), "-v", variant, "-t", 32, "-r", 1, "-w", 0, "-q", "-n"]
        done = run(*words, refused_size.format(65536))
        case(done.status == 2 and len(done.err.splitlines()) == 1 and f"65536 {side}" in done.err and not done.out,
             f"{name} {variant} refuses 65536 {side} in blocks of 32 x 1", done)
        for size in (refused_size.format(65535), taken.format(65536)):
            done = run(*words, size)
            case(done.status == 0, f"{name} {variant} takes {size}", done)


def main():
    with tempfile.TemporaryDirectory() as scratch:
        bad_options(scratch)
        bad_for_some(scratch)
        bad_logs(scratch)
        answers()
        full_output()
        no_memory()
        several_lines()
        tall_grids()
        progress()
        scripts(scratch)
    leave()


if __name__ == "__main__":
    main()
