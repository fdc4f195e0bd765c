"""
Draw every chart that a run's files have the data for, as SVG and PNG.

usage: plots/draw DIRECTORY [OUTPUT_DIRECTORY]

DIRECTORY holds run logs and counters CSVs with their describe.json, and perhaps what --trace wrote
(*trace*.csv); the charts go there too unless another directory is named. Drawn again from the same
files, they are the same byte for byte.
"""

from plots.charts import draw
from plots.start import Arguments, start


def main():
    parser = Arguments(prog="plots/draw", description=__doc__.strip().split("\n")[0])
    parser.add_argument("directory")
    parser.add_argument("output", nargs="?")
    args = parser.parse_args()
    return draw(args.directory, args.output or args.directory)


if __name__ == "__main__":
    start(main, "plots/draw")
