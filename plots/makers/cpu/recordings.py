"""
What the pages' players play: recordings/STEP.json, a small launch of each step as --record-steps tells it. Kept in the
record and not made by docs/build, because that needs no compiler and no build of the series.
"""
import json
import os
import tempfile

from common.commands.drive.support import run, step, steps
from common.commands.watched.__main__ import shortened
from plots.makers.cpu.series import Failed

MOST = 320  # steps of a recording; of a longer one the first
MOST_BYTES = 64 << 10  # or as many as have room in that
SMALL = "-n 256 -b 2 -t 64"
PART = "--record-part"  # blocks of more than 128 threads
# Options per step: of its first kernels as many as tell its idea. A step that launches no kernel has none.
LAUNCHES = {
    "add": "-n 256 -b 2 -t 64", "stencil-naive": f"-n 16 {PART}", "stencil-tiled": f"-n 16 {PART}",
    "stencil-registers": "-n 16 -t 64 -v column",
    "reduce0": "-n 256 -t 64", "reduce1": SMALL, "reduce2": f"{SMALL} -v interleaved -v sequential",
    "reduce3": f"{SMALL} -v guard", "reduce4": "-n 256 -b 1 -t 128 -v lockstep --check", "reduce5": SMALL,
    "reduce6": f"{SMALL} -v per-block", "reduce7": f"{SMALL} -v shuffle",
    "reduce-float4": f"{SMALL} -v four-loads -v float4", "reduce-vector": f"{SMALL} -v ticket",
    "reduce-bulk": f"{SMALL} -v bulk",
    "reduce-cluster": f"-n 512 -b 8 -t 32 {PART}",
    "reduce-operators": f"{SMALL} -v dot", "reduce-states": f"{SMALL} -v argmax",
    "scan-hillis": "-n 128 -b 1 -t 64 -v array", "scan-blelloch": "-n 128 -b 1 -t 64 -v conflicts",
    "scan-lookback": "-n 128 -b 2 -t 32 -v lookback", "scan-rounds": f"-n 256 -v rounds {PART}",
    "scan-segmented": "-n 128 -b 2 -t 32 -v lookback", "scan-segmented-few": f"-n 8192 -v few {PART}",
    "scan-segmented-stream": f"-n 256 -v stream {PART}",
    "histogram-global": "-n 128 -b 2 -t 64 --check", "histogram-shared": "-n 128 -b 1 -t 64 -v atomic",
    "histogram-narrow": "-n 128 -b 1 -t 32 --bins 7",
    "histogram-private": "-n 128 -b 1 -t 64 -v aggregated --range 0:16",
    "compact-scan": "-n 128 -b 1 -t 64 -v flags", "compact-lookback": "-n 128 -b 2 -t 64 -v lookback",
    "compact-stream": f"-n 256 -v stream {PART}",
    "sort-bitonic": "-n 64 -b 1 -t 32 -v shared", "sort-merge": "-n 64 -b 1 -t 32",
    "sort-rank": f"-n 64 -v ballots {PART}",
    "sort-radix": f"-n 64 -v bits-4 {PART}", "sort-onesweep": f"-n 64 {PART}", "sort-msd": f"-n 64 {PART}",
    "sort-crowded": f"-n 64 -v moved {PART}",
    "transpose-naive": "-n 16 -t 128 -v rows -v reads-coalesced",
    "transpose-tiled": "-n 16 -t 64 -v conflicts -v padded",
    "transpose-vector": f"-n 16 -v quads {PART}",
    "sgemm-naive": "-n 8 -t 64", "sgemm-tiled": f"-n 16 -v tile16 {PART}", "sgemm-column": "-n 16 -v words",
    "sgemm-registers": f"-n 16 -v together {PART}", "sgemm-pipelined": f"-n 16 {PART}", "sgemm-shapes": f"-n 16 {PART}",
    "sgemm-small": f"-n 16 {PART}", "sgemm-streamk": f"-n 16 {PART}",
    "softmax-naive": "-n 128 --cols 64 -t 32 -v thread -v block", "softmax-online": "-n 128 --cols 64 -t 32",
    "softmax-registers": "-n 128 --cols 64 -t 32 -v warp",
    "softmax-cluster": "-n 256 --cols 256 -t 32 -v two", "softmax-async": "-n 256 --cols 256 -t 32 -v two",
    "layernorm": "-n 256 --cols 64 -t 32 -v block",
    "attention-naive": f"-n 16 --length 16 --dim 16 {PART}", "attention-tiled": f"-n 8 --length 8 {PART}",
    "hgemm-wmma": f"-n 16 -v shared {PART}", "hgemm-async": f"-n 16 -v ahead {PART}", "hgemm-mma": f"-n 16 {PART}",
    "hgemm-wgmma": f"-n 16 {PART}", "hgemm-tma": f"-n 16 {PART}",
    "hgemm-cluster": f"-n 16 -v multicast {PART}", "hgemm-narrow": f"-n 16 -v narrow {PART}",
    "attention-mma": f"-n 16 --length 16 {PART}", "attention-tf32": f"-n 16 --length 16 {PART}",
    "attention-wgmma": f"-n 16 --length 16 -v turns {PART}", "attention-balanced": f"-n 16 --length 16 {PART}",
    "fft-registers": "-n 256 --length 8 -t 32", "fft-shared": f"-n 64 --length 64 -v points {PART}",
    "fft-block": f"-n 8192 --length 8192 {PART}", "fft-fourstep": f"-n 8192 --length 8192 -v two {PART}",
    "fft-fused": f"-n 16384 --length 16384 {PART}",
    "block-sync-lock": "-n 2 -b 2 -t 32 -v lock", "block-sync-lockfree": "-n 2 -b 2 -t 32 -v parallel",
    "block-sync-cooperative": "-n 2 -b 2 -t 32",
    "overlap-copy": f"{SMALL} -v two-streams", "overlap-graph": f"-n 4 -v queue {PART}",
    "peers-load": f"{SMALL} -v stores -v loads", "peers-flag": "-n 2 -b 1 -t 32 -v ring",
    "allreduce-oneshot": f"{SMALL} -v loads", "allreduce-twoshot": f"{SMALL} -v loads",
    "reduce-devices": f"{SMALL} -v flags", "scan-devices": f"-n 256 -v add {PART}",
    "scan-cyclic": f"-n 256 {PART}",
    "transpose-devices": "-n 16 -b 1 -t 32 -v stores", "jacobi-devices": "-n 8 -t 32 -v copies",
    "limit-words": "-n 256 -b 2 -t 64 -v copy-4 -v copy-16", "limit-flops": f"{SMALL} -v multiply-add",
    "limit-latency": "-n 32 -b 1 -t 32 -v loads", "limit-barrier": "-n 4 -b 1 -t 64 -v barrier",
    "limit-branches": f"{SMALL} -v lanes", "limit-launch": "-n 2 -t 32 -v queue",
    "limit-atomics": "-n 8 -b 1 -t 32 -v global-same -v shared-same",
}
# Steps whose work is the library's or the copies' alone: no kernel runs. And steps that keep an address in shared
# memory: it is another one each time, and a recording shows what is stored.
WITHOUT = ("allreduce-ring", "peers-copy", "softmax-ahead", "layernorm-ahead")


def text(told, options):
    """A line per step, so that a change is seen as one; options: the command line, for those that repeat it."""
    told["options"] = options
    parts = []
    for key, value in told.items():
        rows = [json.dumps(each, separators=(",", ":")) for each in value] if isinstance(value, list) else None
        shown = "[\n" + ",\n".join(rows) + "\n]" if rows and key in ("launches", "steps", "findings") else \
            json.dumps(value, separators=(",", ":"))
        parts.append(f"{json.dumps(key)}:{shown}")
    return "{" + ",\n".join(parts) + "}\n"


def made(name):
    """The recording of a step, as a text. A wrong result, or a finding of --check, is none of a fault here."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "steps.json")
        done = run(step(name), *LAUNCHES[name].split(), "--quiet", "--record-steps", path)
        if done.status not in (0, 1) or not os.path.exists(path):
            raise Failed(f"{name} {LAUNCHES[name]}: {done.err.strip() or done.status}")
        with open(path, encoding="utf-8") as file:
            told = json.load(file)
    if not told["steps"]:
        raise Failed(f"{name} {LAUNCHES[name]}: no kernel ran")
    return text(shortened(told, MOST, MOST_BYTES), LAUNCHES[name])


def write(out):
    """A file for each step."""
    folder = os.path.join(out, "recordings")
    os.makedirs(folder, exist_ok=True)
    for name in steps():
        if name in WITHOUT:
            continue
        if name not in LAUNCHES:
            raise Failed(f"{name}: no launch to be recorded: it wants a line in plots/makers/cpu/recordings.py")
        with open(os.path.join(folder, name + ".json"), "w", encoding="utf-8") as file:
            file.write(made(name))
