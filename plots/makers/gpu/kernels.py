"""Reads the counters of the kernels in plots/ncu/ on a real GPU, with Nsight Compute.

usage: plots/makers/gpu/kernels.py OUTPUT.csv
       plots/makers/gpu/kernels.py --nvcc plots/ncu/nvcc.txt

Compiles each program with nvcc, for this machine's GPU, and runs it once under ncu. One row a kernel,
grid, block and set of counts. Exit status: 0, 1 a program's results are wrong, 2 bad usage, 3 nvcc or
ncu is missing or failed (the rows of the others are written all the same).

With --nvcc it writes what nvcc makes of them instead, the table that the counters read; that needs no
GPU, but nvcc and nvdisasm (status 3: one is missing, or failed).
"""
import csv
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

from common.commands.drive import counters
from common.commands.drive.building import sources
from common.commands.cudacpu import sass

NVCC = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"


def build(source, program):
    """What nvcc said, where it failed."""
    done = subprocess.run([NVCC, "-std=c++17", "-O3", "-lineinfo", "-arch=native", "-o", program,
                           source], capture_output=True, text=True, check=False)
    return done.stderr or "status " + str(done.returncode) if done.returncode else ""


def record(source, program, out):
    """The rows of one program; the exit status."""
    name = os.path.splitext(os.path.basename(source))[0]
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"gpu-kernels: {name}:\n{done.stdout}{done.stderr}", file=sys.stderr)
        return 1 if done.returncode == 1 else 3
    try:
        launches = counters.profile(program)
    except (OSError, RuntimeError, KeyError, ValueError) as e:
        print(f"gpu-kernels: {name}: {e}", file=sys.stderr)
        return 3
    for row, times in counters.fold(launches).items():
        out.writerow([name, *row[:3], times, *row[3:]])
    return 0


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--nvcc":
        return 0 if sass.table(sources("plots/ncu"), ["-std=c++17"], sys.argv[2]) else 3
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    status = 0
    with tempfile.TemporaryDirectory() as scratch, \
            open(sys.argv[1], "w", newline="", encoding="utf-8") as file, \
            ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(counters.KERNEL_COLUMNS)
        programs = [(source, os.path.join(scratch, os.path.basename(source)[:-3]))
                    for source in sources("plots/ncu")]
        for (source, program), said in zip(programs, pool.map(lambda p: build(*p), programs)):
            if said:
                print(f"gpu-kernels: {source}:\n{said}", file=sys.stderr)
            status = max(status, 3 if said else record(source, program, out))
            file.flush()
    return status


if __name__ == "__main__":
    sys.exit(main())
