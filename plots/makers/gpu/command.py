"""The command line of plots/record gpu, the build, and the parts one after the other."""
import os
import shlex
import shutil
import sys

from plots.makers.gpu import parts
from common.commands.arguments import Arguments, positive, text
from common.commands.runner import build, packages, series
from common.commands.runner.screen import Screen, Stop, end_of

USAGE = """\
usage: plots/record gpu DIR [--quick] [--step NAME]... [--seed S] [--launches N] [PART...]

Builds the series for this machine's GPU, with the libraries beside it, and leaves in DIR (made if
it is not there; nothing is written elsewhere) describe.json, what the steps say of themselves, and:

  env        env.txt: device, driver, CUDA, compiler, date, commit, command
  matrix     matrix.txt: the scripts of check/cases that can run on a GPU, there
  runs       log.csv: all steps, variants and libraries, the launches that the steps declare for it;
             log-timeline.csv: of those with --timeline, when each operation ran
  counters   counters.csv: what Nsight Compute reads of the launches that the steps declare;
             kernels.csv: of the kernels in plots/ncu
  launches   counters-chosen.csv: the same of N launches (40) that the seed S (1) chooses, at sizes and
             shapes that no step declares; counters-chosen.txt: which these are, and what is left out
  sanitizer  sanitizer.csv: the four tools of compute-sanitizer, on every step; verdicts.csv: on the
             small mistakes of check/verdicts

Without a PART, all of them. --quick leaves sizes above 2^20 elements out. With --step the record is of
these steps alone, without kernels.csv and verdicts.csv, and without launches unless that is named;
plots/record merge puts it into one of more, but counters-chosen.* is copied. COMMIT in the environment
names the commit of a tree that is not a git checkout.

Exit status: 0 all is well, 1 a wrong result or a finding, 2 bad usage, 3 a tool or the GPU is
missing."""


def parse(words):
    parser = Arguments("plots/record gpu", USAGE)
    parser.add_argument("folder", type=os.path.abspath, metavar="DIR")
    parser.add_argument("parts", nargs="*", metavar="PART", default=[])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--step", action="append", type=text, default=[])
    parser.add_argument("--seed", type=positive(int), default=1)
    parser.add_argument("--launches", type=positive(int), default=40)
    asked = parser.parse(words)
    parser.one_of("part", asked.parts, parts.PARTS)
    return asked


def prepare(root, folder, names, screen):
    """Builds these steps, or all, in folder, with everything there that is needed for it."""
    if not packages.nvcc():
        raise Stop("nvcc is missing", 3)
    if not packages.quiet("nvidia-smi", "-L")[0]:
        raise Stop("no NVIDIA GPU here (nvidia-smi -L finds none)", 3)
    os.environ["PATH"] += os.pathsep + os.path.dirname(packages.nvcc())
    packages.ensure(root, screen, "cuda")
    screen.line(f"building in {folder}")
    named = os.environ.get("COMMIT") or "unknown"  # where git cannot say
    build.make(root, folder, [f"-D{build.DEVICE}=cuda", "-Dpeers=enabled", f"-Dcommit={named}"],
               screen, targets=[f"steps/{name}/{name}" for name in names])


def keep(built, names):
    """Leaves only these steps in the build's list, which all scripts go by; no names: all."""
    known = build.steps(built)
    for name in names:
        if name not in known:
            raise Stop(f"--step must be one of {' '.join(known)}; got {name!r}", 2)
    if names:
        with open(os.path.join(built, "steps", "steps.txt"), "w", encoding="utf-8") as file:
            file.write("".join(f"{name}\n" for name in known if name in names))


def parts_of(asked):
    """Those that are made where none is named; a choice among some steps is none of the series."""
    return [part for part in parts.PARTS if part != "launches" or not asked.step]


def record(root, screen, asked):
    folder, names, chosen = asked.folder, asked.step, asked.parts or parts_of(asked)
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise Stop(f"{folder}: {error.strerror}", 2) from None
    built = os.path.join(folder, "build")
    prepare(root, built, names, screen)
    keep(built, names)
    series_of = series.describe(built)
    series.write(series_of, os.path.join(folder, "describe.json"))
    job = parts.Job(root=root, folder=folder, build=built, quick=asked.quick, some=bool(names),
                    seed=asked.seed, launches=asked.launches,
                    commit=series_of[0]["commit"],
                    command=shlex.join(["plots/record gpu", *sys.argv[1:]]), series=series_of,
                    screen=screen)
    worst = 0
    for part in chosen:
        screen.line(f"== {part}")
        worst = max(worst, parts.PARTS[part](job))
    if "env" not in chosen:  # a record made in parts
        with open(os.path.join(folder, "env.txt"), "a", encoding="utf-8") as file:
            file.write(f"command: {job.command}\n")
    shutil.rmtree(built)
    return worst


def main(root):
    screen = Screen("plots/record gpu")
    return end_of(screen, lambda: record(root, screen, parse(sys.argv[1:])))
