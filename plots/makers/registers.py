"""How many registers a thread of each product's kernel has, as nvcc compiles it for a GPU that has a machine file.

usage: plots/record registers [--device NAME] [--step NAME...]

Writes registers.csv beside the machine file, which --estimate reads: step, type, kernel, registers. It has the products
of matrices of f32: docs/estimate.md says why no others. No GPU is needed.

  --device NAME    a directory of plots/devices (default: the one that the pages quote)
  --step NAME...   only these steps' rows; all others stay

Exit status: 0, 1 where nvcc is missing or does not compile a step, 2 bad usage.
"""
import csv
import json
import os
import sys
import tempfile

from common.commands import ROOT
from common.commands.arguments import Arguments
from common.commands.cudacpu import sass
from common.commands.practice import shelf
from common.commands.runner import packages
from plots import recorded

NAME = "registers.csv"
COLUMNS = ["step", "type", "kernel", "registers"]
FAMILY, TYPE = "gemm", "f32"


def wanted(steps):
    """Those of shelf.steps that have rows."""
    return [name for name, (family, types, *_) in steps.items() if family == FAMILY and TYPE in types]


def architecture(device):
    with open(recorded.place("machine.json", device=device), encoding="utf-8") as file:
        return "sm_" + json.load(file)["device"]["compute_capability"].replace(".", "")


def rows_of_step(nvcc, device, step):
    """The step's rows; None where it is not compiled."""
    source = os.path.join(ROOT, "steps", step, step + ".cu")
    flags = ["-std=c++17", "-I", os.path.join(ROOT, "common"), "-DBACKEND_CUDA=1", "-DCCCL_DISABLE_FP16_SUPPORT",
             f"-DELEMENT_TYPE={TYPE}"]
    with tempfile.TemporaryDirectory() as scratch:
        found = sass.compile_kernels(nvcc, source, flags, os.path.join(scratch, "code.cubin"),
                                     architecture(device))
    if found is None:
        return None
    names = sass.demangled(list(found))
    most = {}  # of kernels of one name, as of two overloads
    for mangled, count in found.items():
        name = names.get(mangled, mangled)
        most[name] = max(count, most.get(name, 0))
    return [[step, TYPE, name, most[name]] for name in sorted(most)]


def read(path):
    """Rows of a file; none where it is not there."""
    if not os.path.exists(path):
        return []
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.reader(file))[1:]


def write(path, rows):
    with open(path, "w", encoding="utf-8") as file:
        file.write(",".join(COLUMNS) + "\n" + "".join(f'{step},{kind},"{kernel}",{count}\n'
                                                      for step, kind, kernel, count in rows))


def main():
    parser = Arguments("plots/record registers", __doc__)
    parser.add_argument("--device", default=recorded.reference())
    parser.add_argument("--step", nargs="+", default=[])
    asked = parser.parse(sys.argv[1:])
    steps, nvcc = wanted(shelf.steps(ROOT)), packages.nvcc()
    parser.one_of("--device", [asked.device], recorded.names())
    parser.one_of("--step", asked.step, steps)
    if not nvcc:
        sys.exit("plots/record registers: missing: nvcc, of the CUDA Toolkit")
    path = recorded.place(NAME, device=asked.device)
    kept = {step: [row for row in read(path) if row[0] == step] for step in steps}
    for step in asked.step or steps:
        kept[step] = rows_of_step(nvcc, asked.device, step)
        if kept[step] is None:
            sys.exit(f"plots/record registers: nvcc does not compile {step}")
    write(path, [row for of_step in kept.values() for row in of_step])


if __name__ == "__main__":
    main()
