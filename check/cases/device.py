"""
The CPU device: the programs of check/kernels/, its failures, and the memory that it needs.
"""
import os
import re
import subprocess
import tempfile
import time

from common.commands.drive.shapes import right
from common.commands.drive.building import build, sources
from common.commands.drive.support import case, leave, parallel, program_cases, run, sample_step, step

# Of errors.cu, each in a process of its own. A hang would run into the limit, in seconds.
FAILURES = ("barrier-and-shuffle", "barrier-and-warp", "barrier-and-spin", "resident-grid",
            "too-large-grid", "far-too-large-grid", "sleeping", "grid-barrier-missed",
            "not-cooperative", "barrier-number", "barrier-threads", "barrier-too-many", "barrier-differs",
            "barriers-crossed", "lock-taken-twice", "null", "host-pointer")
# What a program that does not ask for errors ends with: the status, and words of the line.
UNASKED = (("unasked", 0, "at_null", "illegal"), ("refused", 0, "nothing", "2000"),
           ("read-by-host", 3, "reads 4 bytes of device memory"))
SECONDS = 120
NO_DEVICES = ("0", "17", "-1", "two", "2x", " 2x", "0x4")  # of CPU_DEVICE_DEVICES


def programs(scratch):
    """The programs, built and run: with the machine's workers, one, and more than cores."""
    def make(source):
        name = os.path.splitext(os.path.basename(source))[0]
        return name, build(source, os.path.join(scratch, name))

    for name, done in parallel(make, sources("check/kernels")):
        if not case(done.status == 0, f"kernels/{name}.cu is built", done):
            continue
        program_cases(os.path.join(scratch, name))
        for workers in (1, 5):
            done = run(os.path.join(scratch, name), env={"CPU_DEVICE_WORKERS": str(workers)})
            case(done.status == 0 and "not ok" not in done.out, f"{name} with {workers} workers",
                 done)


def failures(scratch):
    program = os.path.join(scratch, "errors")
    for workers in (1, 2, 3):
        for what in FAILURES:
            begun = time.monotonic()
            env = {"CPU_DEVICE_WORKERS": str(workers)}
            program_cases(program, what, env=env, limit=SECONDS)
            took = time.monotonic() - begun
            case(took < SECONDS, f"{what} with {workers} workers is found in time", f"{took} s")
    for what, status, *words in UNASKED:
        done = run(program, what)
        case(done.status == status and all(word in done.err for word in words) and
             len(done.err.splitlines()) == 1, f"{what}: a line on standard error", done)


def memory():
    """A step on 2^24 floats: at most 1 GiB over the data."""
    name, data = sample_step(), 4 * 2**24
    variant = right(name)[0]["name"]
    command = [step(name), "-v", variant, "-n", "2^24", "-r", "1", "-w", "0", "-q"]
    with subprocess.Popen(command) as program:
        _, status, usage = os.wait4(program.pid, 0)
        program.returncode = os.waitstatus_to_exitcode(status)
    over = usage.ru_maxrss * 1024 - data
    case(program.returncode == 0 and over <= 2**30,
         f"{name} on 2^24 floats holds at most 1 GiB over its data",
         f"status {program.returncode}, {over / 2**20:.0f} MiB over")


def outside():
    """What cannot be had ends a step with status 3 and a line."""
    name = sample_step()
    done = run(step(name), "-n", "2^40", "-r", 1, "-q")
    case(done.status == 3 and len(done.err.splitlines()) == 1 and
         re.search(name + r": .*MiB.*smaller", done.err) is not None,
         "2^40 floats are more than there is: status 3, one line", done)


def devices():
    """The number of devices changes nothing for a step; a bad one is refused before it begins."""
    command = [step(sample_step()), "-n", "2^12", "-r", "1", "-w", "0", "-q", "--check"]
    for number in ("", "1", "4", "8", "16"):
        done = run(*command, env={"CPU_DEVICE_DEVICES": number})
        case(done.status == 0, f"a step with CPU_DEVICE_DEVICES={number or '(nothing)'}", done)
        done = run(*command, "--gpus", number or "2")
        case(done.status == 0, f"a step with --gpus {number or '2'}", done)
    for number in NO_DEVICES:
        done = run(*command, env={"CPU_DEVICE_DEVICES": number})
        case(done.status == 2 and done.out == "" and
             done.err == f"CPU_DEVICE_DEVICES={number}: not accepted; accepted: 1 to 16\n",
             f"CPU_DEVICE_DEVICES='{number}': status 2 and a line", done)
        done = run(*command, "--gpus", number)
        case(done.status == 2 and done.out == "" and len(done.err.splitlines()) == 1 and
             "gpus" in done.err and "1 to 16" in done.err, f"--gpus '{number}': status 2 and a line", done)


def main():
    with tempfile.TemporaryDirectory() as scratch:
        programs(scratch)
        if os.path.exists(os.path.join(scratch, "errors")):
            failures(scratch)
    memory()
    outside()
    devices()
    leave()


if __name__ == "__main__":
    main()
