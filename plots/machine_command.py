"""
Makes, or shows, a machine file: at most 20 numbers that say what a GPU's limits are.

usage: steps/machine DIRECTORY    make DIRECTORY/machine.json of the log of the steps limits there
       steps/machine FILE         check a machine file and print it

docs/machine.md tells of the form. Exit status: 0, or 2 after one line that says what is wrong.
"""
import os
import sys

from common.commands.arguments import Arguments
from plots import machine
from plots.start import start
from plots.tables import text


def main():
    parser = Arguments("steps/machine", __doc__)
    parser.add_argument("path", metavar="DIRECTORY|FILE")
    path = parser.parse(sys.argv[1:]).path
    if not os.path.isdir(path):
        found = machine.read(path)
    else:
        found = machine.make(path)
        with open(os.path.join(path, machine.NAME), "w", encoding="utf-8") as file:
            file.write(machine.text_of(found))
    header, cells = machine.table(found)
    print(f"\n{found['device']['name']}\n\n{text(header, cells)}")


if __name__ == "__main__":
    start(main, "steps/machine")
