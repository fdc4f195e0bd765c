"""The same file on this machine's GPU, made by nvcc."""
import os
import shutil
import subprocess
import sys
import tempfile

from common.commands.runner.screen import Stop

FOUND = 99  # what compute-sanitizer ends with where it found something
CHECKS = ("memcheck", "racecheck", "initcheck", "synccheck")


def nvcc():
    found = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")
    if not found:
        raise Stop("--gpu: nvcc is missing: install the CUDA Toolkit, or put its folder bin on PATH",
                   2)
    return found


def has_gpu():
    try:
        return subprocess.run(["nvidia-smi", "-L"], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, check=False).returncode == 0
    except OSError:
        return False


def make(asked, program, screen):
    words = [nvcc(), *asked.nvcc, "-lineinfo", *(path for path, _ in asked.files), "-o", program]
    if not any(word.startswith(("-arch", "-gencode", "--gpu-arch", "--generate-code"))
               for word in asked.nvcc):
        words.insert(1, "-arch=native")
    if not any(word.lstrip("-").startswith("std") for word in asked.nvcc):
        words.insert(1, "-std=c++17")
    screen.progress("compiling by nvcc")
    done = subprocess.run(words, check=False, stdin=subprocess.DEVNULL)
    screen.clear()
    if done.returncode != 0:
        raise Stop(f"{' '.join(path for path, _ in asked.files)}: not compiled by nvcc", 2)


def check(program, asked, scratch):
    """Runs it under each tool of compute-sanitizer in turn, and shows what they found; its own status,
    or 1 if that is 0 and one found something. Its output is shown once."""
    sanitizer = shutil.which("compute-sanitizer") or \
        shutil.which(os.path.join(os.path.dirname(nvcc()), "compute-sanitizer"))
    if not sanitizer:
        raise Stop("--gpu --check: compute-sanitizer is missing; it comes with the CUDA Toolkit", 2)
    statuses, found = [], []
    for tool in CHECKS:
        report = os.path.join(scratch, tool)
        statuses.append(subprocess.run(
            [sanitizer, "--tool", tool, "--error-exitcode", str(FOUND), "--log-file", report,
             program, *asked.arguments], check=False,
            stdout=subprocess.DEVNULL if statuses else None).returncode)
        if statuses[-1] == FOUND:
            found.append(tool)
            with open(report, encoding="utf-8", errors="replace") as file:
                sys.stderr.write(file.read())
    print("--check: " + (f"{' and '.join(found)} found something" if found else "nothing found"),
          file=sys.stderr)
    return next((status for status in statuses if status not in (0, FOUND)), int(bool(found)))


def run(asked, screen, run_program):
    if not has_gpu():
        raise Stop("--gpu: this machine has no NVIDIA GPU that nvidia-smi finds", 2)
    with tempfile.TemporaryDirectory(prefix="cuda-cpu-") as scratch:
        program = asked.output or os.path.join(scratch, "program")
        make(asked, program, screen)
        if asked.check:
            return check(os.path.abspath(program), asked, scratch)
        return run_program(os.path.abspath(program), program, asked, screen)
