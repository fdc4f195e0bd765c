"""
Draw the figures of the pages, the same each time: docs/figures/*.svg.

usage: docs/figures/draw [DIRECTORY]   where to; default: docs/figures

The figures of a warp's access are drawn from traces that plots/record cpu makes.
"""
import importlib
import os
import pkgutil
import sys

from common.commands.arguments import Arguments
from docs.figures import drawing

HERE = os.path.dirname(os.path.realpath(__file__))

SUBJECTS = [importlib.import_module(f"docs.figures.drawing.{found.name}")
            for found in pkgutil.iter_modules(drawing.__path__)]


def main():
    parser = Arguments("docs/figures/draw", __doc__)
    parser.add_argument("directory", nargs="?", default=HERE)
    directory = parser.parse(sys.argv[1:]).directory
    for subject in SUBJECTS:
        for name, make in getattr(subject, "FIGURES", {}).items():
            figure, path = make(), os.path.join(directory, name + ".svg")
            try:
                figure.save(path)
            except OSError as error:
                parser.error(f"cannot write {path!r}: {error.strerror}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
