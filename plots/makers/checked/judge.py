"""
Compiles and runs a program by steps/cuda --check, and keeps what came of it.
"""
import csv
import glob
import hashlib
import os
import re
import resource
import signal
import subprocess

from common.commands import ROOT
from plots.labelled import Verdict
from plots.makers.running import output_of

FINDING = re.compile(r"^--check: (memory|race|init|sync|async): ", re.MULTILINE)
TOTAL = re.compile(r"^--check: (\d+) findings?$", re.MULTILINE)
WORST = ["ok", "deadlock", "crash", "limit", "not compiled"]


def run(command, limit, env, patience=10):
    """(status, standard error) of a program; status None where it ran longer than the limit, in seconds of a core, or,
    because it may wait for ever, in so many times as many of the clock."""
    def limited():
        resource.setrlimit(resource.RLIMIT_CPU, (int(limit), int(limit) + 5))

    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          env={**os.environ, **env}, start_new_session=True, preexec_fn=limited) as process:
        (_, err), in_time = output_of(process, patience * limit)
    ended = process.returncode
    if not in_time or ended in (-signal.SIGXCPU, 128 + signal.SIGXCPU):
        ended = None
    return ended, err.decode(errors="replace")


def how_ended(status, err):
    if status is None:
        return "limit"
    if "deadlock" in err:
        return "deadlock"
    if re.search(r"^--check: (\d+ findings?|nothing found)$", err, re.MULTILINE):
        return "ok"
    return "not compiled" if status == 2 else "crash"


def judge(program, scratch, limit, build):
    """The Verdict; scratch: a directory of this program alone; build: of the CPU device, for steps/cuda."""
    kept = os.path.join(scratch, "program")
    command = [os.path.join(ROOT, "steps", "cuda"), "--build", build, *program.files, *program.flags, "--check",
               "-o", kept, "--"]
    kinds, most, worst = set(), 0, "ok"
    for at, arguments in enumerate(program.runs):
        if at == 0:
            status, err = run([*command, *arguments], limit, {})
        else:
            status, err = run([kept, *arguments], limit, {"CPU_DEVICE_TOOLS": "check"})
        ended = how_ended(status, err)
        kinds |= set(FINDING.findall(err))
        most = max([most] + [int(number) for number in TOTAL.findall(err)])
        worst = max(worst, ended, key=WORST.index)
        if not os.path.exists(kept):
            worst = "not compiled" if ended != "limit" else "limit"
            break
    if os.path.exists(kept):
        os.unlink(kept)
    return Verdict(program.name, program.labels, " ".join(sorted(kinds)), most, worst)


def digest_of(build):
    """What a verdict depends on beside the program: the CPU device."""
    total = hashlib.sha256()
    paths = [os.path.join(build, "common", "cpu", name) for name in ("libcpudevice.a", "translate")]
    for path in paths + sorted(glob.glob(os.path.join(ROOT, "common", "cpu", "include", "**", "*.h"), recursive=True)):
        with open(path, "rb") as file:
            total.update(file.read())
    return total.hexdigest()[:16]


def write(path, verdicts):
    """A table of verdicts, in the order given, written whole or not at all."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path + ".new", "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(Verdict._fields)
        writer.writerows(verdicts)
    os.replace(path + ".new", path)
