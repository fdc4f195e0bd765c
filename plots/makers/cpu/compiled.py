"""What nvcc makes of a kernel: PTX of the steps, as docs/mistakes/transcripts.py asks for it."""
import os
import re

from common.commands.drive.support import SOURCE, run

from .said import apply, take_back
from .series import succeed

FLAGS = ["-O3", "-std=c++17", "-arch=sm_80", "-DBACKEND_CUDA=1"]


def ptx(nvcc, row, copy, scratch):
    """(the command as a reader types it, the lines of the kernel), of the step with its change."""
    changed = os.path.exists(os.path.join(SOURCE, "docs", "mistakes", row.name + ".patch"))
    if changed:
        apply(copy, row.name)
    source, made = os.path.join("steps", row.step, row.step + ".cu"), os.path.join(scratch, "ptx")
    succeed(run(nvcc, *FLAGS, "-I" + os.path.join(copy, "common"), "-ptx",
                os.path.join(copy, source), "-o", made), f"nvcc: {source}")
    if changed:
        take_back(copy, row.name)
    inside, lines = False, []
    with open(made, encoding="utf-8") as file:
        for line in file.read().splitlines():
            if ".entry" in line:
                inside = row.options in line
            if inside:
                lines.append(line)
    return f"$ nvcc {' '.join(FLAGS)} -Icommon -ptx {source}", lines


def compiled(nvcc, row, out, copy, scratch):
    """Barriers and branches in the code."""
    command, lines = ptx(nvcc, row, copy, scratch)
    barriers, warps, branches, reads = (
        sum(bool(re.search(what, line)) for line in lines)
        for what in (r"bar\.sync", r"bar\.warp\.sync", r"[ \t]bra", r"ntid\.x"))
    write(out, row, command, [f"{row.text}: {barriers} bar.sync, {warps} bar.warp.sync, {branches} "
                              f"branches, reads blockDim.x {reads} times"])


def waits(nvcc, row, out, copy, scratch):
    """The wait, from its first fence to its second, and the block at its end."""
    command, lines = ptx(nvcc, row, copy, scratch)
    fences, last, kept = 0, [], []
    for line in lines:
        if not line or ".loc" in line:
            continue
        fences += "membar" in line
        if fences == 1 or "membar" in line and fences == 2:
            kept.append(line)
            continue
        last = [line] if line.startswith("$") else [*last, line]
        if line.startswith("}"):
            break
    write(out, row, command, [*kept, "    ...", *last])


def write(out, row, *parts):
    command, lines = parts
    with open(os.path.join(out, "compiled", row.name + ".txt"), "w", encoding="utf-8") as file:
        file.write("\n".join([command, *lines]) + "\n")
