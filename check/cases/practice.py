"""
./steps/practice: what it takes out of each step and says of it, that it never overwrites a file, its
command line; and its verdicts on bodies of a step: the step's own, none, one without a barrier, one
that is right and reads across the lanes. check/exercises takes all exercises; so does --full, and of the steps that
it names CHECK_STEPS.
"""
import os
import shutil
import sys
import tempfile

from common.commands.drive.support import CHOSEN, FULL, SOURCE, case, leave, parallel, program_cases, run, step, steps
from check.exercises import empty, exercises, judged, make, text_of, with_body
from common.commands.practice import patch, shelf, source
from common.commands.runner.screen import Stop

STEP, FUNCTION = "reduce2", "sum_sequential"
TREE = """\
    s[t] = sum;
    __syncthreads();
    for (unsigned k = blockDim.x / 2; k > 0; k /= 2) {
        if (t < k)
            s[t] += s[t + k];
        __syncthreads();
    }
    if (t == 0)
        partial[blockIdx.x] = s[0];"""
BEGIN = """\
    extern __shared__ element s[];
    unsigned t = threadIdx.x;
    element sum = 0;
"""
SLICES = BEGIN + """\
    size_t each = (n + gridDim.x * blockDim.x - 1) / (gridDim.x * blockDim.x);
    size_t first = ((size_t)blockIdx.x * blockDim.x + t) * each;

    for (size_t i = first; i < first + each && i < n; i++)
        sum += x[i];
""" + TREE
ENDLESS = "    while (*(volatile const element *)x == *(volatile const element *)x)\n        ;"
BODIES = [  # what, the body, whether it is right, and what must be said
    ("right, a slice per thread", SLICES, True, "yours 31.99 sectors per load, the step's 4.00"),
    ("no barrier in the tree", SLICES.replace("        __syncthreads();\n    }", "    }"), False,
     "--check: race: one thread reads what another writes"),
] + ([("a loop without an end", ENDLESS, False, "deadlock")] if FULL else [])


def sources():
    """What is taken out of every step, without building it."""
    families = {}
    for name in steps():
        text, bad = text_of(name), []
        family = shelf.steps(SOURCE)[name][0]
        for function in exercises(name):
            lines = text.split("\n")
            cut = empty(name, function)
            body = lines[function.open + 1:function.close]
            after = source.functions(cut)[function.name]
            left = cut.split("\n")[after.open + 1:after.close]
            if with_body(name, function, body) != text or body == left or \
                    left[0].strip() != "/*" or len(" ".join(left)) < 60:
                bad.append(function.name)
            families[family] = families.get(family, 0) + 1
        case(not bad, f"{name}: {len(exercises(name))} functions can be taken out", " ".join(bad))
    few = [family for family, count in families.items() if count < 2 and not CHOSEN]
    case(not few, "each family has two exercises", " ".join(few))


def command_line(scratch):
    """In a copy that holds what the commands read; nothing is built."""
    root = os.path.join(scratch, "tree")
    for name in ("steps", "common"):  # the commands go by the place of common/commands
        shutil.copytree(os.path.join(SOURCE, name), os.path.join(root, name))
    os.symlink(os.path.join(SOURCE, "docs"), os.path.join(root, "docs"))
    program = os.path.join(root, "steps", "practice")

    def refused(words, named):
        done = run(program, *words)
        case(done.status == 2 and not done.out and len(done.err.splitlines()) == 1 and
             named in done.err, f"{' '.join(words) or 'no word'}: refused", done)

    for words, named in (
            ([], "which step"), (["nonsense"], "nonsense"), ([STEP, "scan-hillis"], "scan-hillis"),
            (["--nonsense"], "--nonsense"), ([STEP, "--backend", "tpu"], "tpu"),
            ([STEP, "--backend"], "--backend"), ([STEP, "--function", "main"], "main"),
            ([STEP, "--", "-n", "3"], "--"), (["new", "reduce"], "new"),
            (["new", "nonsense", "mine"], "nonsense"), (["new", "reduce", STEP], STEP),
            (["new", "reduce", "../mine"], "../mine"), (["new", "reduce", "new"], "new"),
            (["new", "reduce", "mine", "--from", "scan-hillis"], "scan-hillis"),
            (["--patch", "nonsense"], "nonsense"), (["--patch", "../" + STEP], "../" + STEP)):
        refused(words, named)
    case(not os.path.exists(os.path.join(root, "practice")), "what is refused writes nothing")
    done = run(program, "--help")
    case(done.status == 0 and done.out.startswith("usage: steps/practice") and not done.err, "--help",
         done)
    done = run(program, "--list")
    case(done.status == 0 and f"{FUNCTION} " in done.out and len(done.out.splitlines()) == len(steps()),
         "--list", done)

    path = os.path.join(root, "practice", STEP, STEP + ".cu")
    done = run(program, STEP)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    first = exercises(STEP)[0]
    case(done.status == 0 and text == empty(STEP, first) and FUNCTION in done.out,
         f"{STEP}: taken out", done)
    case(list(shelf.entries(root)) == ["practice-" + STEP], "it stands in the list")
    done = run(program, "new", "reduce", "mine")
    case(done.status == 0 and 'STEP("mine"' in open(
        os.path.join(root, "practice", "mine", "mine.cu"), encoding="utf-8").read(), "new", done)
    case(len(shelf.entries(root)) == 2, "both stand in the list")
    refused(["new", "reduce", "mine"], "stays as it is")
    with open(path, "w", encoding="utf-8") as file:
        file.write("mine\n")
    try:
        shelf.write_new(path, "another")
        case(False, "a file that is there is not overwritten")
    except Stop as error:
        with open(path, encoding="utf-8") as file:
            case(file.read() == "mine\n" and "stays as it is" in str(error),
                 "a file that is there is not overwritten")
    patches(root)
    shutil.rmtree(os.path.join(root, "practice", STEP))
    case(list(shelf.entries(root)) == ["practice-mine"], "what was deleted is not in the list")


def files(root, *folders):
    """{path: its text} of some directories."""
    found = {}
    for folder in folders:
        for top, _, names in os.walk(os.path.join(root, folder)):
            for path in (os.path.join(top, name) for name in names):
                with open(path, "rb") as file:
                    found[os.path.relpath(path, root)] = file.read()
    return found


def patches(root):
    """Each change is made in a copy, and in nothing else."""
    before, bad = files(root, "steps"), []
    for name in patch.names(root):
        try:
            path = patch.make(root, name)
            with open(os.path.join(root, path), encoding="utf-8") as file:
                text = file.read()
            changed = patch.files_of(root, name)
            plain = [each for each in changed if each.endswith(".cu")]
            if not path.startswith(f"practice/.patch/{name}/") or \
                    plain and text == before[plain[0]].decode():
                bad.append(name)
        except (Stop, OSError) as error:
            bad.append(f"{name}: {error}")
    case(not bad, "each change of docs/mistakes applies, in a copy", "\n".join(bad))
    case(files(root, "steps") == before, "the steps stay as they are")
    case(sorted(os.listdir(os.path.join(root, "practice", ".patch"))) == patch.names(root),
         "nothing else is left")


def verdicts(scratch):
    function = exercises(STEP)[0]
    case(function.name == FUNCTION, f"{STEP}: {function.name} is taken out")
    good, said = judged(step(STEP), STEP)
    case(good and "all the same" in said, "the step itself: verified", said)
    texts = [("none", empty(STEP, function), False, "0 of ")] + [
        (what, with_body(STEP, function, body.split("\n")), good, words)
        for what, body, good, words in BODIES]
    made = parallel(lambda item: make(scratch, STEP, item[1][1], f"body{item[0]}", ["f32"]),
                    enumerate(texts))
    for (what, _, good, words), (done, program) in zip(texts, made):
        if case(done.status == 0, f"body, {what}: it compiles", done):
            right, said = judged(program, STEP)
            case(right == good and words in said, f"body, {what}: " +
                 ("verified" if good else "not right"), said)


def main():
    sources()
    if not CHOSEN:
        with tempfile.TemporaryDirectory() as scratch:
            command_line(scratch)
            verdicts(scratch)
    if FULL or CHOSEN:
        program_cases(sys.executable, "-B", os.path.join(SOURCE, "check", "all_exercises.py"), *CHOSEN, limit=3600)
    leave()


if __name__ == "__main__":
    main()
