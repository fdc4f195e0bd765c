"""
Faults planted in the steps' own sources, beside what plots/record mutants makes by rule: each must be told
as a wrong result, or as a deadlock.
"""
import os
import re
import tempfile

from common.commands.drive.building import build
from common.commands.drive.support import SOURCE, case, describe, leave, parallel, run, steps

TILED, VECTOR = "transpose-tiled", "transpose-vector"
LOCK, LOCKFREE = "block-sync-lock", "block-sync-lockfree"
FEW, STREAM, SMALL = "scan-segmented-few", "scan-segmented-stream", "sgemm-small"
SLOW = {SMALL}  # to optimise, which takes far longer than slower code takes to run
GRID = "-b 16 -t 64 -n 2 -r 3"
COPIED, SHORT = "-b 1 -n 400000 -r 1", "-n 60000 -b 4 --segment 2^40 -r 1 --schedule=random:1"

# (step, variant, what the source says, the fault put in its place, a shape that shows it)
FAULTS = [
    (TILED, "conflicts", "__syncthreads();", ";", "-n 96x96 -r 2"),
    (TILED, "swizzled", "tile[x][y ^ x];", "tile[x][y];", "-n 32x32 -r 2"),
    (TILED, "swizzled", "if (row + x < rows && col + y < cols)\n            "
     "out[(col + y) * rows + row + x] = tile[x][y ^ x];",
     "if (col + y < cols)\n            out[(col + y) * rows + row + x] = tile[x][y ^ x];",
     "-n 33x31 -r 2"),
    (VECTOR, "quads", "c / 4 % 8", "c / 4 % 4", "-n 64x64 -r 2"),
    (VECTOR, "ordered", "tile[4 * across + 1][place] = make_float4(a.y, b.y,",
     "tile[4 * across + 1][place] = make_float4(b.y, a.y,", "-n 64x64 -r 2"),
    (VECTOR, "any", "- skew] = tile", "] = tile", "-n 65x66 -r 2"),
    # One block is let through early: the first, or all but the last to arrive.
    (LOCK, "lock", "while (!reached(*(volatile", "while (blockIdx.x && !reached(*(volatile", GRID),
    (LOCK, "lock", "(task->passed + round) * gridDim.x;",
     "(task->passed + round) * gridDim.x - 1;", GRID),
    # The block arrives before all its threads have.
    (LOCK, "lock-acquire", "    __syncthreads();\n    if (threadIdx.x == 0) {\n        count",
     "    if (threadIdx.x == 0) {\n        count", GRID),
    # What is timed is not what is verified.
    (LOCK, "lock", "    else\n        cudaLaunchCooperativeKernel(sync_lock",
     "    else if (w->task.kind == TASK_NOTHING)\n        sync_none<<<w->blocks, w->threads>>>(w->task);\n"
     "    else\n        cudaLaunchCooperativeKernel(sync_lock", GRID),
    # A comparison that does not survive the wrap.
    (LOCK, "lock", "!reached(*(volatile unsigned *)task->words, target)",
     "*(volatile unsigned *)task->words < target", GRID),
    (LOCKFREE, "in-turn", "!reached(*word, value)", "*word < value", GRID),
    # Nobody waits for block 0; block 0 does not wait for what its other threads wait for.
    (LOCKFREE, "in-turn", "for (unsigned k = 0; k", "for (unsigned k = 1; k", GRID),
    (LOCKFREE, "gathered", "__syncthreads(); /* and so", "/* and so", GRID),
    # A wait for one group of copies too few, and a group that is not closed.
    (STREAM, "stream", "__pipeline_wait_prior(STAGES - LAG - 1);",
     "__pipeline_wait_prior(STAGES - LAG);", COPIED),
    (STREAM, "stream", "__pipeline_commit(); /* one group", "/* one group", COPIED),
    # Words that an earlier launch has left are taken for this one's, or of no head for the sum since the last.
    (FEW, "few", "last_tag = last_tag % 0x7fffffff + 1;", "last_tag = 1;", SHORT),
    (FEW, "few", "all += warp_sum(with & ((1u << lane) - 1) ? 0 : p.value);", "all += warp_sum(p.value);",
     "-n 200000 --segment 5000 -r 1"),
    # A count that stays; sums of warps that are added before all are there.
    (SMALL, "small", "left.store(0, cuda::memory_order_relaxed); /* for the next run */", ";", "-n 1x100x700 -r 2"),
    (SMALL, "small", "__syncthreads();\n    for (int r = (int)warp; r", "for (int r = (int)warp; r", "-n 100 -r 1"),
]


def read(*path):
    with open(os.path.join(SOURCE, *path), encoding="utf-8") as file:
        return file.read()


def with_headers(text):
    """The same with its family's headers in place of their includes, so that a fault can be put there."""
    return re.sub(r'#include "(families/.*)"', lambda header: read("common", header[1]), text)


def attempt(item):
    at, (name, variant, right, wrong, line), scratch = item
    text = read("steps", name, name + ".cu")
    if right not in text:
        text = with_headers(text)
    source, program = (os.path.join(scratch, f"fault{at}{end}") for end in (".cu", ""))
    if right not in text:
        return item, None
    with open(source, "w", encoding="utf-8") as file:
        file.write(text.replace(right, wrong))
    done = build(source, program, types=describe(name)["types"][:1], also=["-O0"] if name in SLOW else [])
    if done.status == 0:
        done = run(program, "-v", variant, *line.split(), "-w", 0, "-q")
    return item, done


def main():
    with tempfile.TemporaryDirectory() as scratch:
        items = [(at, planted, scratch) for at, planted in enumerate(FAULTS)
                 if planted[0] in steps()]
        for (_, (name, variant, _, wrong, _), _), done in parallel(attempt, items):
            found = done is not None and (done.status == 1 and ": wrong in " in done.err or
                                          done.status == 3 and "deadlock" in done.err)
            case(found, f"{name} {variant} with `{' '.join(wrong.split())[:50]}` is found", done)
    leave()


if __name__ == "__main__":
    main()
