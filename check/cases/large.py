"""
The steps' kernels over more than 2^32 elements, on pages that are nearly all untouched: of large
grids a few blocks are run, at the beginning, in the middle and at the end. An index of 32 bits is
wrong there; planted in some of the steps, it must be found.
"""
import os
import tempfile

from common.commands.drive import large
from plots.makers.mutation import judge, make, report
from common.commands.drive.support import case, leave, parallel, program_cases, run, steps


def attempt(mutant):
    with tempfile.TemporaryDirectory() as scratch:
        program, done = judge.build(mutant, scratch)
        return mutant, run(program) if done.status == 0 else done


def planted():
    """In the first step of each family that has one, the first function in 32 bits, but for those that
    are known not to be found."""
    known = report.read_reasons()
    for family in large.families():
        yield next(m for name in steps(family) for m in make.mutants_of(name)
                   if m.kind == "index" and make.key(m) not in known)


def main():
    for mutant, done in parallel(attempt, planted()):
        case(done.status == 1 and "not ok" in done.out, f"{make.title(mutant)} is found", done)
    with tempfile.TemporaryDirectory() as scratch:
        for family in large.families():
            for name in steps(family):
                program = os.path.join(scratch, name)
                done = large.link_large(name, large.kernels_of(name), program)
                if case(done.status == 0, f"{name} is linked for large arrays", done):
                    program_cases(program)
    leave()


if __name__ == "__main__":
    main()
