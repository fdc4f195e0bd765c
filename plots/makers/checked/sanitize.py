"""
The same programs on this machine's GPU, made by nvcc, under compute-sanitizer: what plots/record checked --gpu does.
"""
import os
import shutil
import time

from common.commands.cudacpu import gpu
from common.commands.runner.screen import Stop
from plots.labelled import Verdict
from plots.makers.checked.judge import WORST, run

TOOLS = {"racecheck": "race", "memcheck": "memory", "synccheck": "sync"}  # and the kind of what each finds
# CUDA 13 has these numbers no more, and older programs print them.
GONE = ["-DclockRate=l2CacheSize", "-DmemoryClockRate=l2CacheSize"]


def compile_command(program, kept, architecture, more):
    return [gpu.nvcc(), "-arch=" + architecture, "-std=c++17", "-w", *more, *program.flags, *program.files, "-o", kept]


def sanitizer():
    found = shutil.which("compute-sanitizer") or \
        shutil.which(os.path.join(os.path.dirname(gpu.nvcc()), "compute-sanitizer"))
    if not found:
        raise Stop("--gpu: compute-sanitizer is missing; it comes with the CUDA Toolkit", 2)
    return found


def judge(program, scratch, limit, end):
    """The Verdict of the three tools; .findings: how many of the runs found something. None if time.monotonic() is
    past the end before all is run."""
    kept, report = os.path.join(scratch, "program"), os.path.join(scratch, "report")
    for more in ([], GONE):
        if time.monotonic() > end:
            return None
        status, _ = run(compile_command(program, kept, "native", more), 60, {}, 1)
        if status in (0, None):
            break
    if status != 0:
        return Verdict(program.name, program.labels, "", 0, "limit" if status is None else "not compiled")
    kinds, found, worst = set(), 0, "ok"
    for tool, kind in TOOLS.items():
        for arguments in program.runs:
            if time.monotonic() > end:
                return None
            status, _ = run([sanitizer(), "--tool", tool, "--error-exitcode", str(gpu.FOUND), "--log-file", report,
                             kept, *arguments], limit, {}, 1)
            if status == gpu.FOUND:
                kinds.add(kind)
                found += 1
            elif status is None or status < 0 or status > 128:
                worst = max(worst, "limit" if status is None else "crash", key=WORST.index)
    os.unlink(kept)
    return Verdict(program.name, program.labels, " ".join(sorted(kinds)), found, worst)
