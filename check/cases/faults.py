"""
Planted faults: each wrong kernel of check/faults/ must be reported wrong, with status 1, one line
that tells the numbers, and a row in the log; beside each, what is right must pass, so that it is
the fault that was found.
"""
import os
import tempfile

from common.commands.drive.building import build, sources
from common.commands.drive.support import case, leave, on_gpu, parallel, rows_of, run

SHAPE = ["-n", 100003, "-b", 7, "-t", 64, "-r", 5, "-w", 0]

# (program, variant, more options, "wrong" or "ok")
PLAN = [(program, "right", more, "ok") for program in ("barrier", "coverage", "output",
                                                       "arithmetic")
        for more in ([], ["--input", "hostile", "--seed", 0], ["--input", "hostile", "--seed", 2],
                     ["--type", "i32"])]
PLAN += [(program, variant, more, "wrong") for program, variants in (
    ("barrier", ("missing-barrier-tree",)),
    ("coverage", ("dropped-tail", "off-by-one-end", "off-by-one-start", "one-skipped",
                  "double-count")),
    ("output", ("nothing-written", "some-written", "not-zeroed", "previous-run",
                "previous-partials", "kept", "one-bad-run", "first-run-bad")))
    for variant in variants for more in (["--input", "ones"], ["--type", "i32"])]
PLAN += [
    # In the usual order a block's last warp loads first, so that one worker finds nothing wrong.
    ("barrier", "missing-barrier-loads", ["--schedule=random:1", "--input", "ones"], "wrong"),
    ("barrier", "missing-barrier-loads", ["--schedule=random:1", "--type", "i32"], "wrong"),
    ("barrier", "early-ticket", [], "wrong"),
    ("barrier", "early-ticket", ["--type", "i32"], "wrong"),
    ("output", "exchanged", ["-r", 2], "wrong"),  # then the input is as it was
    ("output", "exchanged", ["-r", 2, "--type", "i32"], "wrong"),
    ("output", "exchanged", ["-r", 1], "wrong"),
    ("output", "previous-run", ["-w", 2], "wrong"),  # the good run is not even a timed one
    ("output", "one-bad-run", ["-w", 3], "wrong"),
    ("output", "one-bad-run", ["-r", 3], "ok"),  # its fourth run is the bad one
    ("arithmetic", "narrow", ["--input", "ones"], "wrong"),
    ("arithmetic", "narrow", ["--type", "i32"], "wrong"),
    ("arithmetic", "integer", [], "wrong"),
    ("arithmetic", "integer", ["--type", "i32"], "ok"),
    ("arithmetic", "real", ["--type", "i32"], "wrong"),
    ("arithmetic", "rounded", ["--input", "ones"], "wrong"),
    ("arithmetic", "saturated", ["--type", "i32"], "wrong"),
    ("arithmetic", "finite", ["--input", "hostile", "--seed", 1], "wrong"),
    ("arithmetic", "finite", ["--input", "hostile", "--seed", 2], "wrong"),
    ("arithmetic", "finite", ["--input", "hostile", "--seed", 3], "wrong"),
    ("arithmetic", "finite", [], "ok"),
    # A bound for so many would hide one element; "ones" leaves 2^24 behind.
    ("coverage", "right", ["-n", 2**25 + 5, "-r", 2, "--input", "exact"], "ok"),
    ("coverage", "one-skipped", ["-n", 2**25 + 5, "-r", 1, "--input", "random"], "ok"),
    ("coverage", "one-skipped", ["-n", 2**25 + 5, "-r", 1, "--input", "exact"], "wrong"),
    ("coverage", "off-by-one-end", ["-n", 2**25 + 5, "-r", 1, "--input", "exact"], "wrong"),
    ("shape", "as-published", ["-b", 256, "-t", 256], "ok"),
    ("shape", "as-published", ["-b", 270, "-t", 256], "wrong"),
    ("shape", "as-published", ["-b", 264, "-t", 256, "--type", "i32"], "wrong"),
    ("shape", "no-rule", ["-t", 64], "ok"),
    ("shape", "no-rule", ["-t", 100], "wrong"),
    ("shape", "grid-too-small", ["-b", 270, "-t", 1000], "ok"),
    ("shape", "grid-too-small", ["-b", 100, "-t", 1000, "--type", "i32"], "wrong"),
]


def make(scratch, source):
    """The program of a fault, for floats and ints, as a step is made."""
    name = os.path.splitext(os.path.basename(source))[0]
    return name, build(source, os.path.join(scratch, name), types=["f32", "i32"])


def attempt(item):
    scratch, at, (program, variant, more, _) = item
    log = os.path.join(scratch, f"{at}.csv")
    done = run(os.path.join(scratch, program), "-v", variant, *SHAPE, *more, "--log", log)
    return item, done, rows_of(log)


def main():
    # On a GPU a missing barrier may go well.
    plan = [each for each in PLAN if each[1] == "right" or each[0] != "barrier" or not on_gpu()]
    with tempfile.TemporaryDirectory() as scratch:
        for name, done in parallel(lambda source: make(scratch, source), sources("check/faults")):
            case(done.status == 0, f"faults/{name}.cu is built", done)
        for (_, _, (program, variant, more, expected)), done, rows in parallel(
                attempt, [(scratch, at, each) for at, each in enumerate(plan)]):
            lines = done.err.splitlines()
            if expected == "wrong":
                good = done.status == 1 and len(lines) == 1 and "wrong in" in lines[0] and \
                    lines[0].startswith(f"{program} {variant}: ") and \
                    ("the input was written to" if variant == "exchanged" else "instead of") in lines[0]
            else:
                good = done.status == 0 and not lines
            good = good and [row["status"] for row in rows] == [expected]
            text = " ".join(str(word) for word in more)
            verdict = "found" if expected == "wrong" else "passes"
            case(good, f"{program} {variant} {text}: {verdict}", f"{done}\nlogged: {rows}")
    leave()


if __name__ == "__main__":
    main()
