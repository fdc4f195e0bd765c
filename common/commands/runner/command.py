"""The command line of steps/run."""
import os
import re
import shlex

from common.commands import ROOT
from common.commands.arguments import Arguments, text

USAGE = """\
usage: steps/run [STEP... | --path] [--quick] [--lesson] [--backend auto|cuda|cpu] [--build DIR]
                 [--install] [-- OPTION...]

Builds and runs every step of the series in teaching order, on a GPU the limits first, or the named
ones: a name is a step's, a family's as in reduce, or limits for all that measure the machine. The
log, the charts and the surroundings of the run (env.txt) are left in runs/DEVICE-UTC/. Without a GPU
the tables show what each kernel did, and the times that an H200 would take at its own sizes,
estimated from that.

  --path         the steps of the first path: see docs/index.md
  --quick        small sizes, few runs, no sweep over sizes; on a GPU a new build without the libraries,
                 which the next run without --quick adds
  --lesson       only where ideas pay that a large array hides: the shapes that the families declare
                 for that, on a GPU
  --backend B    build for this device; default: a GPU where there is one and nvcc, else the CPU
  --build DIR    build there; default: build
  --install      first install what is missing, with apt or from PyPI
  -h, --help     this text
  -- OPTION...   handed to every step, e.g. -- --type i32 -t 128; a size or a sweep given here
                 takes the place of this script's own

Exit status: 0 every result verified, 1 a wrong result, 2 bad usage, 3 something is missing; with
several failures, the highest."""

# What may not stand after --: a step that prints this measures nothing; and what is set here.
SILENT = [("help", "h"), ("list", ""), ("version", ""), ("describe", ""),
          ("attributes", "")]
OURS = [("log", "o"), ("batch", ""), ("progress", ""), ("done", ""), ("wait", ""), ("then", "")]


def parse(words):
    """What was asked for; .text: as a person types it, .behind: the options for every step."""
    parser = Arguments("steps/run", USAGE, behind=True)
    parser.add_argument("steps", nargs="*", metavar="STEP")
    for option in ("--path", "--quick", "--lesson"):
        parser.add_argument(option, action="store_true")
    parser.add_argument("--backend", choices=("auto", "cuda", "cpu"))
    parser.add_argument("--build", type=text, default=os.path.join(ROOT, "build"))
    parser.add_argument("--install", action="store_true")
    asked = parser.parse(words)
    if asked.path and asked.steps:
        parser.error(f"--path {asked.steps[0]}: either --path or names of steps")
    if asked.quick and asked.lesson:
        parser.error("--quick and --lesson: only one of them")
    why = refusal(asked.behind)
    if why:
        parser.error(why)
    asked.text = shlex.join(["./steps/run", *words])
    return asked


def given(words, name, letter=""):
    """The first word that gives a step's option --name, or -letter, in any spelling; or None."""
    for word in words:
        if word.startswith("--"):
            start = word[2:].partition("=")[0]
            if len(start) > 1 and name.startswith(start):
                return word
        elif letter and re.match(f"-q*{letter}", word):
            return word
    return None


def refusal(words):
    """Why these may not stand after --: what this script sets itself, and what measures nothing; or None."""
    for name, letter in SILENT:
        word = given(words, name, letter)
        if word:
            return f"{word} after -- measures nothing: ask one program by itself, as in " \
                   f"build/steps/STEP/STEP {word}"
    for name, letter in OURS:
        word = given(words, name, letter)
        if word:
            return f"{word} may not stand after --: the log goes to runs/DEVICE-UTC/"
    return None
