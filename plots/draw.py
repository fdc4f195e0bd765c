"""
Draw every chart that a run's files have the data for, as SVG and PNG.

usage: plots/draw DIRECTORY [OUTPUT_DIRECTORY]

DIRECTORY holds run logs and counters CSVs with their describe.json, and perhaps what --trace and --timeline
wrote (*trace*.csv, *timeline*.csv); the charts go there too unless another directory is named. Drawn again from the
same files, they are the same byte for byte.
"""
import sys

from common.commands.arguments import Arguments
from plots.charts import draw
from plots.start import start


def main():
    parser = Arguments("plots/draw", __doc__)
    parser.add_argument("directory", metavar="DIRECTORY")
    parser.add_argument("output", metavar="OUTPUT_DIRECTORY", nargs="?")
    args = parser.parse(sys.argv[1:])
    return draw(args.directory, args.output or args.directory)


if __name__ == "__main__":
    start(main, "plots/draw")
