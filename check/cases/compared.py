"""
The comparison of whole arrays sees what is wrong in one place: each variant of check/compared/FAMILY.cu
must be told wrong, with the words of its summary, and the one without a summary must pass. The last of
the lines that a file is tested with is its own. A family has such a file, or a reason stands below.
"""
import os
import tempfile

from common.commands.drive.building import build, sources
from common.commands.drive.support import case, declared_of, describe_program, families, leave, parallel, run

WITHOUT = {  # family: where else its verdict is tested
    "reduce": "a single number: check/unit/test_sums.c",
    "operators": "a single result: check/unit/test_operators.c",
    "peercopy": "a copy is a sum of one term, compared as those of allreduce are",
    "jacobi": "the same, with a reference in place of the input",
    "launchgraph": "a step with wrong arguments is told wrong: docs/mistakes/overlap-graph-argument.patch",
    "handover": "a step without a fence is told wrong: docs/mistakes/peers-flag-fence.patch",
    "barrier": "a step without a barrier is told wrong: check/cases/barrier-own",
    **dict.fromkeys(["gemm", "hgemm"], "check/unit/test_gemm.c"),
    "fft": "check/unit/test_fft.c",
    **dict.fromkeys(["limit-flops", "limit-latency", "limit-barrier", "limit-branches", "limit-launch",
                     "limit-atomics"], "a few words, compared as those of limit-words' sums are"),
}


def name_of(source):
    return os.path.splitext(os.path.basename(source))[0]


def without_file(types, named, known):
    """What is wrong with the list of files."""
    return [f"check/compared/{family}.cu, or a reason in check/cases/compared" for family in types
            if family not in {*named, *known}] + \
        [f"{family}: a file, and a reason for none" for family in set(named) & set(known)] + \
        [f"{family}: no step has it" for family in {*named, *known} - set(types)]


def faults_of(source, types, scratch):
    """Builds the program of a family, and runs its variants."""
    name = name_of(source)
    program = os.path.join(scratch, name)
    done = build(source, program, types=types)
    if not case(done.status == 0, f"compared/{name}.cu is built", done):
        return
    told = describe_program(program)
    shape = declared_of(told, "tested")[-1].split()

    def attempt(item):
        variant, kind = item
        runs = 1 if variant["name"].startswith("damaged") else 3  # later ones read what is damaged
        return item, run(program, "-v", variant["name"], *shape, "--type", kind, "-r", runs, "-w", 0, "-q")

    chosen = [(variant, kind) for variant in told["variants"] for kind in types if kind in variant["types"]]
    for (variant, kind), done in parallel(attempt, chosen):
        words = variant["summary"]
        good = done.status == 1 and words in done.err if words else done.status == 0 and not done.err
        case(good, f"{name} {variant['name']} {kind}: {words or 'right'}", done)


def main():
    types, found = families(), sources("check/compared")
    wrong = without_file(types, [name_of(source) for source in found], WITHOUT)
    case(not wrong, "each family's comparison is tested", "\n".join(wrong))
    wrong = without_file({**types, "new": ["f32"]}, [name_of(source) for source in found], WITHOUT)
    case(len(wrong) == 1 and "check/compared/new.cu" in wrong[0], "a new family without a file is noticed",
         wrong)
    with tempfile.TemporaryDirectory() as scratch:
        for source in found:
            faults_of(source, types.get(name_of(source), ["f32"]), scratch)
    leave()


if __name__ == "__main__":
    main()
