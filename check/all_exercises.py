"""
All exercises of ./steps/practice: of each step, each function that its page shows is taken out; the
program must then fail, as the step itself must pass.

usage: check/exercises [STEP...]     all steps, or these; on the CPU device, in build-check

Prints a line per exercise, and a family with fewer than two. Status 1 if one is no exercise. Takes about
five seconds each; check/cases/practice takes a sample of them.
"""
import sys
import tempfile

from common.commands.drive.support import SOURCE, case, leave, step, steps
from check.exercises import empty, exercises, judged, make
from common.commands.practice import shelf


def main():
    if {"-h", "--help"} & set(sys.argv[1:]):
        print(__doc__.strip())
        return
    unknown = [name for name in sys.argv[1:] if name not in steps()]
    if unknown:
        print(f"check/exercises: unknown step {unknown[0]} (accepted: {' '.join(steps())})",
              file=sys.stderr)
        sys.exit(2)
    count = {}
    for name in sys.argv[1:] or steps():
        good, said = judged(step(name), name)
        case(good, f"{name} itself passes", said)
        for function in exercises(name):
            with tempfile.TemporaryDirectory() as scratch:
                done, program = make(scratch, name, empty(name, function), "cut")
                if case(done.status == 0, f"{name}: {function.name} taken out, it compiles", done):
                    good, said = judged(program, name)
                    family = shelf.steps(SOURCE)[name][0]
                    count[family] = count.get(family, 0) + (not good)
                    case(not good, f"{name}: without {function.name} it fails", said)
    for family, found in count.items():
        case(found > 1 or sys.argv[1:], f"{family} has {found} exercises")
    leave()


if __name__ == "__main__":
    main()
