"""
The steps' kernels over more than 2^32 elements, on pages that are nearly all untouched: of large
grids a few blocks are run, at the beginning, in the middle and at the end. An index of 32 bits is
wrong there; planted in some of the steps, it must be found. A family has a file in check/large, or a
reason stands below.
"""
import os
import tempfile

from common.commands.drive import large
from plots.makers.mutation import make, programs, report
from common.commands.drive.support import CHOSEN, case, families, leave, parallel, program_cases, run, steps

WITHOUT = {  # family: why it is not run over so many elements
    **dict.fromkeys(["gemm", "hgemm"], "a block needs whole rows and columns: matrices of 2^32 elements take too long"),
    "fft": "the numbers of vectors and of points stay below 2^32 for all arrays of less than 32 GiB",
    "barrier": "no array of elements",
    "handover": "no array of elements",
    "launchgraph": "no array, but launches",
    "overlap": "its elements are in the host's memory, in five arrays",
    **dict.fromkeys(["peercopy", "allreduce", "spreadsum", "spreadscan", "alltoall", "jacobi"],
                    "each works on several devices, and a few blocks are run on one"),
    **dict.fromkeys(["limit-words", "limit-flops", "limit-latency", "limit-barrier", "limit-branches",
                     "limit-launch", "limit-atomics"], "the limits are not run on so many words"),
}


def without_file(named, found):
    """What is wrong with the list of files."""
    return [f"check/large/{family}.c, or a reason in check/cases/large" for family in named
            if family not in {*found, *WITHOUT}] + \
        [f"{family}: a file, and a reason for none" for family in set(found) & set(WITHOUT)] + \
        [f"{family}: no step has it" for family in {*found, *WITHOUT} - set(named)]


def attempt(mutant):
    with tempfile.TemporaryDirectory() as scratch:
        program, done = programs.build(mutant, scratch)
        return mutant, run(program) if done.status == 0 else done


def planted():
    """In the first step of each family that has one, the first function in 32 bits, but for those that
    are known not to be found. A family may have those alone: each has its reason."""
    known = report.read_reasons()
    for family in large.families():
        narrow = [m for name in steps(family) for m in make.mutants_of(name) if m.kind == "index"]
        found = next((m for m in narrow if make.key(m) not in known), None)
        if found or not (CHOSEN or narrow):
            yield found


def main():
    named, found = list(families()), large.families()
    wrong = without_file(named, found)
    case(not wrong, "each family is tested with large arrays", "\n".join(wrong))
    wrong = without_file([*named, "new"], found)
    case(len(wrong) == 1 and "check/large/new.c" in wrong[0], "a new family without a file is noticed", wrong)
    for mutant, done in parallel(attempt, planted()):
        if CHOSEN and "left out" in done.out and "not ok" not in done.out:
            continue  # a chosen step that is not run over so many elements, as its own cases say
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
