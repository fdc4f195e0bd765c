"""
A blind test of --estimate, step by step. See plots/blind/compare.py.

usage: plots/record blind estimate SET   SET-nvcc.txt, if nvcc is there, and SET-estimated.csv; refused once the
                                      set has been measured
       plots/record blind today SET      SET-nvcc.txt, the same, and SET-today.csv: what this tree's model estimates
       plots/record blind compare        SET-compared.txt of each set that has been measured

BUILD is the build directory (default: build-check); its plots/blind/SET is built before. On a GPU plots/blind/SET,
without arguments, prints what is kept as SET-measured.csv.
"""
import os
import subprocess
import sys

from plots.blind import compare as blind
from common.commands.arguments import Arguments
from common.commands.drive.support import BUILD, run
from common.commands.cudacpu import sass


def stop(message):
    sys.exit(f"plots/record blind: {message}")


def estimated(name):
    """The lines that the set's program prints."""
    target = os.path.join("plots", "blind", name)
    if subprocess.run(["ninja", "-C", BUILD, target], stdout=subprocess.DEVNULL, check=False).returncode:
        stop(f"{target} cannot be built in {BUILD}")
    done = run(os.path.join(BUILD, target), limit=600)
    if done.status:
        stop(done)
    return done.out


def write(name, rest, text):
    with open(blind.path(name, rest), "w", encoding="utf-8") as file:
        file.write(text)


def read_code(name):
    if not sass.table([os.path.join(blind.BLIND, name + ".cu")], ["-std=c++17"], blind.path(name, "nvcc.txt"), True):
        print(f"{name}-nvcc.txt stays as it is: nvcc or nvdisasm is missing")


def estimate(name):
    if blind.measured(name):
        stop(f"{name}: it has been measured, so that an estimate would not be blind")
    read_code(name)
    write(name, "estimated.csv", estimated(name))


def compare():
    for name in blind.SETS:
        times = blind.measured(name)
        found = blind.compared(blind.estimated(name), times)
        if found:
            write(name, "compared.txt", blind.told(found, blind.compared(blind.today(name), times)))


def main():
    parser = Arguments("plots/record blind", __doc__)
    parser.add_argument("what", metavar="WHAT", choices=("estimate", "today", "compare"))
    parser.add_argument("set", metavar="SET", nargs="?", choices=blind.SETS)
    asked = parser.parse(sys.argv[1:])
    if (asked.what != "compare") != bool(asked.set):
        parser.error("estimate SET, today SET or compare is needed; SET: one of " + " ".join(blind.SETS))
    if asked.what == "compare":
        compare()
    elif asked.what == "today":
        read_code(asked.set)
        write(asked.set, "today.csv", estimated(asked.set))
    else:
        estimate(asked.set)


if __name__ == "__main__":
    main()
