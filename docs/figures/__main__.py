"""
Draw the figures of the pages, the same each time: docs/figures/*.svg.

usage: docs/figures/draw [DIRECTORY]   where to; default: docs/figures

The figures of a warp's access are drawn from traces that plots/record cpu makes.
"""
import importlib
import os
import pkgutil
import sys

from docs.figures import drawing

HERE = os.path.dirname(os.path.realpath(__file__))

SUBJECTS = [importlib.import_module(f"docs.figures.drawing.{found.name}")
            for found in pkgutil.iter_modules(drawing.__path__)]


def refuse(why):
    print(f"draw: {why}", file=sys.stderr)
    return 2


def main():
    if sys.argv[1:2] in (["-h"], ["--help"]):
        sys.exit(__doc__)
    if len(sys.argv) > 2:
        return refuse(f"one directory at most; got {len(sys.argv) - 1} arguments")
    directory = sys.argv[1] if len(sys.argv) == 2 else HERE
    for subject in SUBJECTS:
        for name, make in getattr(subject, "FIGURES", {}).items():
            figure, path = make(), os.path.join(directory, name + ".svg")
            try:
                figure.save(path)
            except OSError as error:
                return refuse(f"cannot write {path!r}: {error.strerror}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
