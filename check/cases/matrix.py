"""
Every variant of every step, over sizes, launch shapes, inputs, types and starts as --describe lists
them: every pair of values that the variant takes is met; with CHECK_FULL=1 the full product of all
but the starts, which take turns. Large sizes go with a few shapes. What a variant does not take it
must refuse, in one line that names the value.
"""

from common.commands.drive import batch
from check import matrix
from common.commands.drive.support import case, leave, step, steps, variants

RUNS = 2  # the second finds what the first left behind


def main():
    items = {name: matrix.lines_of(name) for name in steps()}
    found = batch.batches([(step(name), list(variants(name)), [line for line, _ in lines])
                           for name, lines in items.items()], ["-r", RUNS, "-w", 0])
    for (name, lines), rows in zip(items.items(), found):
        for (line, names), of_line in zip(lines, rows):
            for variant in names:
                row = batch.row_of(of_line, variant)
                why = matrix.judge(name, variants(name)[variant], line, row, RUNS)
                case(why is None, f"{name} {variant}: {line}", f"{why}\n{row}")
    leave()


if __name__ == "__main__":
    main()
