"""
All exercises of ./steps/practice: of each step, each function that its page shows is taken out; the
program must then fail, as the step itself must pass.

usage: check/exercises [STEP...]     all steps, or these; on the CPU device, in build-check

Prints a line per exercise, and a family with fewer than two. Status 1 if one is no exercise. Takes about
five seconds each; check/cases/practice takes a sample of them.
"""
import sys
import tempfile

from common.commands.arguments import Arguments
from common.commands.drive.support import SOURCE, case, leave, step, steps
from check.exercises import empty, exercises, judged, make
from common.commands.practice import shelf


def main():
    parser = Arguments("check/exercises", __doc__)
    parser.add_argument("steps", nargs="*", metavar="STEP")
    chosen = parser.parse(sys.argv[1:]).steps
    parser.one_of("STEP", chosen, steps())
    count = {}
    for name in chosen or steps():
        good, said, _ = judged(step(name), name)
        case(good, f"{name} itself passes", said)
        for function in exercises(name):
            with tempfile.TemporaryDirectory() as scratch:
                text = empty(name, function)
                done, program = make(scratch, name, text, "cut")
                if case(done.status == 0, f"{name}: {function.name} taken out, it compiles", done):
                    good, said, _ = judged(program, name, text, function.name)
                    family = shelf.steps(SOURCE)[name][0]
                    count[family] = count.get(family, 0) + (not good)
                    case(not good, f"{name}: without {function.name} it fails", said)
    for family, found in count.items():
        case(found > 1 or chosen, f"{family} has {found} exercises")
    leave()


if __name__ == "__main__":
    main()
