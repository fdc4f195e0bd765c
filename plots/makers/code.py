"""What nvcc makes of the products' kernels, for a GPU that has a machine file.

usage: plots/record code [--device NAME] [--step NAME...]

Writes nvcc/STEP.txt beside the machine file, which --estimate reads: the instructions of each kernel by source line,
and how many registers a thread has (common/commands/cudacpu/sass.py describes the table). It has the products of
matrices of f32: docs/estimate.md says why no others. No GPU is needed.

  --device NAME    a directory of plots/devices (default: the one that the pages quote)
  --step NAME...   only these steps; all others stay

Exit status: 0, 1 where nvcc is missing or does not compile a step, 2 bad usage.
"""
import hashlib
import json
import os
import sys

from common.commands import ROOT
from common.commands.arguments import Arguments
from common.commands.cudacpu import sass
from common.commands.practice import shelf
from plots import recorded

DIRECTORY = "nvcc"
FAMILY, TYPE = "gemm", "f32"


def wanted(steps):
    """Those of shelf.steps that have a table."""
    return [name for name, (family, types, *_) in steps.items() if family == FAMILY and TYPE in types]


def architecture(device):
    with open(recorded.place("machine.json", device=device), encoding="utf-8") as file:
        return "sm_" + json.load(file)["device"]["compute_capability"].replace(".", "")


def table_of(step, device):
    return recorded.place(DIRECTORY, step + ".txt", device=device)


def source_of(step):
    return os.path.join(ROOT, "steps", step, step + ".cu")


def marks(step, text):
    """The lines at the head of a table, which the CPU device passes over: of which state of the files its rows are."""
    folders = [os.path.dirname(source_of(step)), os.path.join(ROOT, "common", "families", FAMILY)]
    lines = []
    for name in sorted({line.split("|")[1] for line in text.splitlines() if line.count("|") > 1} - {""}):
        path = next(path for path in (os.path.join(folder, name) for folder in folders) if os.path.exists(path))
        with open(path, "rb") as file:
            lines.append(f"# {name} {hashlib.sha256(file.read()).hexdigest()}\n")
    return "".join(lines)


def is_current(step, text):
    """Is this table of the lines that the step's files have now?"""
    return text.startswith(marks(step, text) or "no rows")


def lacks(step):
    """Whether a step that has kernels of products has no table that is current, for the device that the pages quote."""
    path = table_of(step, recorded.reference())
    if step not in wanted(shelf.steps(ROOT)):
        return False
    if not os.path.exists(path):
        return True
    with open(path, encoding="utf-8") as file:
        return not is_current(step, file.read())


def record(step, device):
    """False where nvcc does not compile the step."""
    path = table_of(step, device)
    flags = ["-std=c++17", "-I", os.path.join(ROOT, "common"), "-DBACKEND_CUDA=1", "-DCCCL_DISABLE_FP16_SUPPORT",
             f"-DELEMENT_TYPE={TYPE}"]
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if not sass.table([source_of(step)], flags, path, arch=architecture(device)):
        return False
    with open(path, "r+", encoding="utf-8") as file:
        text = file.read()
        file.seek(0)
        file.write(marks(step, text) + text)
    return True


def main():
    parser = Arguments("plots/record code", __doc__)
    parser.add_argument("--device", default=recorded.reference())
    parser.add_argument("--step", nargs="+", default=[])
    asked = parser.parse(sys.argv[1:])
    steps = wanted(shelf.steps(ROOT))
    parser.one_of("--device", [asked.device], recorded.names())
    parser.one_of("--step", asked.step, steps)
    if not sass.tools():
        sys.exit("plots/record code: missing: nvcc and nvdisasm, of the CUDA Toolkit")
    for step in asked.step or steps:
        if not record(step, asked.device):
            sys.exit(f"plots/record code: nvcc does not compile {step}")


if __name__ == "__main__":
    main()
