"""
The ladder table of each family in a run log.

usage: steps/table LOG_OR_DIRECTORY [--family F] [--size N] [--markdown]
       steps/table CSV --columns NAME,NAME...

From a GPU, for every step and variant: median time, GB/s, share of the copy rate measured in the
same run, speed-up over the step before and over the first step, and whether the result was
verified. The step before and the first step count with their fastest verified variant.

From the CPU device: launches, and what they did per element (counters.csv beside the log). Its
times are those of a simulation and stay in the log. Estimates beside it (estimates.csv) make a
ladder of the GPU that they are of.

  --columns NAME,...   these columns of the rows of a CSV, such as a log or its counters, as they stand
                       there: a column is asked for by its name, because its place changes
"""
import argparse
import sys

from common.commands.arguments import Arguments, text
from plots.log import MOST
from plots.start import start
from plots.tables import columns, ladders


def elements(word):
    try:
        value = float(word)
    except ValueError:
        value = -1
    if not 0 <= value <= MOST:
        raise argparse.ArgumentTypeError(f"{word}: must be a number of elements from 0 to {MOST:g}")
    return value


def main():
    parser = Arguments("steps/table", __doc__)
    parser.add_argument("log", metavar="LOG_OR_DIRECTORY")
    parser.add_argument("--family")
    parser.add_argument("--size", type=elements)
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--columns", type=text)
    args = parser.parse(sys.argv[1:])
    if args.columns and (args.family or args.size is not None or args.markdown):
        parser.error("--columns stands alone (see --help)")
    print(columns(args.log, args.columns.split(",")) if args.columns else
          ladders(args.log, args.family, args.size, args.markdown))


if __name__ == "__main__":
    start(main, "steps/table")
