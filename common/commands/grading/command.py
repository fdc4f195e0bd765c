"""The command line of steps/practice --grade."""
import argparse
import os

from common.commands.arguments import Arguments, positive, text
from common.commands.grading import marks

USAGE = f"""\
usage: steps/practice --grade DIR [--step STEP]... [--function NAME] [--seed S] [--out DIR] [-j N]
                      [--within X] [--time S] [--sandbox whole|limits] [--build DIR] [--install]

Judges all submissions in a directory on the CPU device, each in a sandbox: STUDENT.cu, or a directory
STUDENT with a file per step. A file's last line names its step. Only functions for the device may differ
from the step. Writes marks.csv, similar.csv, and of each student report.md and Gradescope's results.json.
What was judged before, and is the same, is not judged again; interrupted, it goes on where it was.

  --step STEP      these steps; a student without one has no marks for it; default: all that are there
  --function NAME  the function that was taken out; default: as steps/practice STEP takes it
  --seed S         of the hidden launches: keep it to yourself, and give it again for the same marks
                   (default: a new one, which marks.csv's directory keeps)
  --out DIR        write there; default: DIR-marks, beside DIR
  -j, --jobs N     so many at the same time; default: as many as there are processors
  --within X       accesses and estimated time may be so many times the step's; default: {marks.WITHIN}
  --time S         seconds of the processor per submission, and ten times what the step itself takes;
                   default: {marks.TIME}
  --sandbox KIND   whole (default): bubblewrap, which is asked for; limits: without it, where the machine
                   holds nothing else: see docs/class.md
  --install        install bubblewrap, if it is missing
  -h, --help       this text

Exit status: 0 all were judged, whatever their marks, 2 bad usage, 3 something is missing."""


def directory(word):
    if not os.path.isdir(word):
        raise argparse.ArgumentTypeError(f"{word}: no such directory")
    return word


def whole(word):
    if not word.isdigit():
        raise argparse.ArgumentTypeError(f"{word}: must be a number from 0")
    return int(word)


def parse(words):
    parser = Arguments("steps/practice", USAGE)
    parser.add_argument("--grade", type=directory, required=True)
    parser.add_argument("--step", action="append", default=[], type=text)
    for option in ("--function", "--out", "--build"):
        parser.add_argument(option, type=text)
    parser.add_argument("--seed", type=whole)
    parser.add_argument("-j", "--jobs", type=positive(int), default=os.cpu_count() or 1)
    parser.add_argument("--within", type=positive(float), default=marks.WITHIN)
    parser.add_argument("--time", type=positive(int), default=marks.TIME)
    parser.add_argument("--sandbox", choices=("whole", "limits"), default="whole")
    parser.add_argument("--install", action="store_true")
    return parser.parse(words)
