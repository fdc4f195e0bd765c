"""The same file on this machine's GPU, made by nvcc."""
import os
import shutil
import subprocess
import sys
import tempfile

from runner.screen import Stop

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


def check(program, asked):
    """Its status under each tool of compute-sanitizer in turn; 1 if that is 0 and one found
    something."""
    sanitizer = shutil.which("compute-sanitizer") or \
        shutil.which(os.path.join(os.path.dirname(nvcc()), "compute-sanitizer"))
    if not sanitizer:
        raise Stop("--gpu --check: compute-sanitizer is missing; it comes with the CUDA Toolkit", 2)
    found, own = False, 0
    for tool in CHECKS:
        status = subprocess.run([sanitizer, "--tool", tool, "--error-exitcode", str(FOUND), program,
                                 *asked.arguments], check=False).returncode
        sys.stdout.flush()
        found |= status == FOUND
        own = own or (status if status != FOUND else 0)
    return own or int(found)


def run(asked, screen, run_program):
    if not has_gpu():
        raise Stop("--gpu: this machine has no NVIDIA GPU that nvidia-smi finds", 2)
    with tempfile.TemporaryDirectory(prefix="cuda-cpu-") as scratch:
        program = asked.output or os.path.join(scratch, "program")
        make(asked, program, screen)
        if asked.check:
            return check(program, asked)
        return run_program(os.path.abspath(program), program, asked, screen)
