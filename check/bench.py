"""
The CPU device's cost against its targets: measured, target, and whether it is met. `ninja bench`
runs it; it is no part of check/run, since times depend on what else the machine does.

usage: check/bench BUILD        status 1: a target is missed, 3: something could not be measured
"""
import csv
import os
import subprocess
import sys
import tempfile

if len(sys.argv) != 2:
    sys.exit(__doc__)
os.environ["BUILD"] = os.path.abspath(sys.argv[1])
from common.commands.drive import building
from check import cost
from common.commands.drive import support

ONE = {"CPU_DEVICE_WORKERS": "1"}
REDUCE = ["-v", "sequential", "-n", "2^20", "-b", 256, "-t", 256]
TRANSPOSE = ["-v", "padded", "-n", "1024x1024"]


class Failed(Exception):
    pass


def run_ms(program, options, column):
    """What a run took on one worker, in ms: a column of the log."""
    log = tempfile.mktemp(suffix=".csv")
    try:
        done = support.run(program, *options, "-q", "--log", log, env=ONE)
        if done.status != 0:
            raise Failed(str(done))
        with open(log, newline="", encoding="utf-8") as file:
            return float(next(csv.DictReader(file))[column]) / 1000
    finally:
        for path in (log, log[:-4] + "-counters.csv"):
            if os.path.exists(path):
                os.unlink(path)


def ratio(slow, fast):
    """How many times longer slow takes than fast, each [program, options]: the quickest runs of
    both, measured in turns, so that what else the machine does touches both alike."""
    times = [[run_ms(program, options, "min_us") for program, options in (slow, fast)]
             for _ in range(4)]
    return min(slow for slow, _ in times) / min(fast for _, fast in times)


def barrier_ns(scratch):
    program = os.path.join(scratch, "barrier")
    done = building.build(os.path.join(support.SOURCE, "check", "bench-barrier.cu"), program)
    if done.status == 0:
        done = support.run(program, env=ONE)
    if done.status != 0:
        raise Failed(str(done))
    return float(done.out)


def memory_gib():
    """What reduce2 on 2^24 floats holds at most, less the floats."""
    command = [support.step("reduce2"), "-v", "sequential", "-n", "2^24", "-r", "1", "-q"]
    with subprocess.Popen(command) as program:
        _, status, usage = os.wait4(program.pid, 0)
        program.returncode = os.waitstatus_to_exitcode(status)
    if program.returncode:
        raise Failed(f"{command}: status {program.returncode}")
    return (usage.ru_maxrss * 1024 - 4 * 2**24) / 2**30


def bare(scratch, name):
    """The step without instrumentation."""
    program = os.path.join(scratch, name)
    done = building.build(os.path.join(support.SOURCE, "steps", name, name + ".cu"), program,
                         types=support.describe(name)["types"], without=["-fsanitize=thread"])
    if done.status != 0:
        raise Failed(str(done))
    return program


def rows(scratch):
    """(what, measured, target, unit), one by one."""
    yield "a block barrier, a thread", barrier_ns(scratch), 25, "ns"
    yield "reduce2, 2^20 floats, 256 x 256, one worker", \
        run_ms(support.step("reduce2"), REDUCE + ["-r", 15], "median_us"), 60, "ms"
    yield "reduce2, 2^24 floats, memory over the data", memory_gib(), 1, "GiB"
    for tool, times in cost.product(scratch, 512):
        yield f"a tiled product, 512 x 512, with --{tool}", times, cost.TARGETS[tool], "x"
    for name, options in (("reduce2", REDUCE), ("transpose-tiled", TRANSPOSE)):
        program = support.step(name)
        if not os.path.exists(program):
            continue
        off = [program, options + ["-r", 7]]
        for tool, target in (("--counters", 8), ("--check", 20)):
            yield f"{name}, 2^20 floats, with {tool}", \
                ratio([program, options + ["-r", 3, "-w", 1, tool]], off), target, "x"
        plain = [bare(scratch, name), options + ["-r", 7]]
        yield f"{name}, 2^20 floats, instrumented but off", ratio(off, plain), 1.3, "x"


def main():
    missed = False
    print(f"{'':<48}{'measured':>10}  {'target':>8}")
    with tempfile.TemporaryDirectory() as scratch:
        try:
            for what, measured, target, unit in rows(scratch):
                good = measured <= target
                missed |= not good
                print(f"{what:<48}{measured:>10.3g}  {'<= ' + format(target, 'g'):>8} {unit:<4}"
                      f"{'' if good else 'MISSED'}", flush=True)
        except (Failed, cost.Failed) as failure:
            print(f"bench: {failure}", file=sys.stderr)
            sys.exit(3)
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
