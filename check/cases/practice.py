"""
./steps/practice: what it takes out of each step and says of it, that it never overwrites a file, its
command line; which variants and launches it judges by; and its verdicts on the step itself, on no body, and on one
that is right and reads across the lanes. What it says of wrong bodies: attempts. check/exercises takes all exercises;
so does --full, and of the steps that it names CHECK_STEPS.
"""
import json
import os
import shutil
import sys
import tempfile
import time
import types

from common.commands.drive.support import CHOSEN, FULL, SOURCE, case, leave, program_cases, run, step, steps
from check.exercises import ONE_EXERCISE, SLICES, empty, exercises, judged, make, text_of, with_body
from common.commands.practice import __main__ as main_of_practice
from common.commands.practice import findings, hints, judge, patch, shelf, source, touched
from common.commands.runner.screen import Stop

STEP, FUNCTION = "reduce2", "sum_sequential"


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
    few = {family for family, count in families.items() if count < 2}
    case(CHOSEN or few == set(ONE_EXERCISE), "each family has two exercises, but for those with a reason",
         " ".join(few ^ set(ONE_EXERCISE)))


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
            ([], "which step"), (["nonsense"], "nonsense"), (["reduec2"], "did you mean reduce2"),
            ([STEP, "--function", "sum_sequental"], "did you mean sum_sequential"),
            (["peers-copy"], "peers-copy: it has no function for the device"),
            (["--patch", "reduce2-block"], "did you mean reduce2-blocks"), (["--list", "--json"], "--json"),
            (["--list", "--hint"], "--hint"),
            ([STEP, "scan-hillis"], "scan-hillis"),
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
    unwritten(program, path, first)
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


def unwritten(program, path, function):
    """A body that is still empty is said to be, at once: nothing is built. As text and as JSON."""
    done, told = run(program, STEP), run(program, STEP, "--json")
    words = f"{STEP}.cu:{function.open + 1}: the body is still empty"
    case(done.status == 1 and words in done.out and "build" not in done.err, "the body is still empty", done)
    try:
        said = json.loads(told.out)
        case(told.status == 1 and said["schema"] == 1 and said["verdict"] == "wrong" and
             said["mistake"]["kind"] == "empty" and said["mistake"]["lines"] == [function.open + 1], "the same as JSON",
             told)
    except ValueError:
        case(False, "the same as JSON", told)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    after = source.functions(text)[function.name]
    case(source.is_empty(text, after), "a comment is no body")
    lines = text.split("\n")
    lines[after.close:after.close] = ["    partial[0] = 0; // {"]
    filled = "\n".join(lines)
    case(not source.is_empty(filled, source.functions(filled)[function.name]), "a statement is one")


def errors():
    """The line of a compiler's first error, as compilers say it."""
    for said, lines in ((["a.cu: In function 'void f()':", "practice/a/a.cu:24:18: error: expected ';'"], [24]),
                        (['practice/a/a.cu(7): error: identifier "y" is undefined'], [7]),
                        (["common/families/reduce/reduce.h:3:1: fatal error: no such file"], []), (["killed"], [])):
        found = main_of_practice.not_compiled(said, "a.cu", "cpu")["mistake"]
        case(found["kind"] == "compile" and found["lines"] == lines, f"a compiler says: {said[-1]}", found)


def without_finding():
    """What ended a program that found nothing itself: on a GPU an access outside of an array is no refused launch."""
    for status, text, kind in (
            (-11, "", "crash"),
            (3, "reduce2 sequential: kernel failed: an illegal memory access was encountered (cudaErrorIllegalAddress)",
             "memory"),
            (3, "add: kernel failed: misaligned address (cudaErrorMisalignedAddress)", "memory"),
            (3, "add: kernel failed: unspecified launch failure (cudaErrorLaunchFailure)", "crash"),
            (3, "add: kernel launch failed: invalid argument (cudaErrorInvalidValue)", "launch")):
        case(findings.without(status, text)[0] == kind, f"status {status}, {text[:60]}: {kind}")


def hinted(scratch):
    """The rules of what does not run; what all wrong launches have in common; and the stages."""
    for kind in ("empty", "compile", "launch"):
        case(hints.hint(main_of_practice.not_run(kind, [1], ""))["rule"] == kind, f"a hint of the rule {kind}")
    row = {"n": 1000, "blocks": 1, "threads": 64}
    right, two = (["-n", "1000"], row, False), (["-n", "1000"], {**row, "blocks": 2}, True)
    for what, tried, found in (
            ("two right ones of one block", [right, right, two], "blocks"),
            ("one right one", [right, two], None), ("no right one", [two, two], None),
            ("a wrong one of one block", [right, right, two, (["-n", "1000"], row, True)], None),
            ("right ones of one element", [(["-n", "1"], {**row, "n": 1}, False)] * 3 + [two], None)):
        told = hints.split(tried)
        case((told or {}).get("what") == found, f"a wrong launch of two blocks, and {what}: {found}", told)
    path = hints.kept(scratch)
    stages = [hints.next_stage(path, rule) for rule in ("end", "end", "loop", "loop", "loop", "loop", "end")]
    with open(path, "w", encoding="utf-8") as file:
        file.write("[]")
    case([*stages, hints.next_stage(path, "end")] == [1, 2, 1, 2, 3, 3, 1, 1], "a new rule begins with its question",
         stages)
    found = hints.hint(main_of_practice.not_run("compile", [7], ""))
    told = ["\n".join(hints.told(hints.up_to(found, stage), "a.cu", "\n" * 6 + "seventh")) for stage in (1, 2, 3)]
    case(["a.cu:7  seventh" in each for each in told] == [False, True, True] and
         [found["cause"] in each for each in told] == [False, False, True], "a question, the place, the cause", told)


def patience():
    """A launch that the step takes long for, too, has time."""
    for seconds, over in ((0, True), (1000, False)):
        watch = judge.batch.Watch(types.SimpleNamespace(pid=0), 0.01, lambda seconds=seconds: seconds)
        time.sleep(0.05)
        case(watch.is_over() == over, f"patience with a launch for which the step takes {seconds} s")


def ended_late(scratch):
    """A launch that fails is the mistake, whether or not the time for further launches is over by then."""
    path = os.path.join(scratch, "fails")
    row = {"line": 1, "variant": None, "verdict": "device", "findings": 1, "message": "kernel failed"}
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"#!/bin/sh\ncase \"$1\" in --describe) exec '{step(STEP)}' --describe;; "
                   f"--batch) echo '{json.dumps(row)}';; *) echo '{STEP}: kernel failed';; esac\nexit 3\n")
    os.chmod(path, 0o755)
    for seconds in (60, 0):
        result = judge.Judge(path, step(STEP), "fails.cu", ["sequential"], seconds).result()
        case(result["mistake"]["kind"] == "launch" and result["tried"] == 1,
             f"a launch that fails, and {seconds} s for further ones: told", result)


def keys_of(value):
    """The keys of all objects in a JSON value."""
    if isinstance(value, dict):
        inner = [each for name, each in value.items() if name not in ("yours", "step")]  # counters, by their names
        return {*value, *(key for each in inner for key in keys_of(each))}
    return {key for each in value for key in keys_of(each)} if isinstance(value, list) else set()


def documented(*results):
    """Each key that programs get has its word on the page."""
    with open(os.path.join(SOURCE, "docs", "practice.md"), encoding="utf-8") as file:
        page = file.read().partition("## For programs")[2]
    keys = keys_of(json.loads(json.dumps(results)))
    lacking = sorted(key for key in keys if f"`{key}`" not in page)
    case(len(keys) > 20 and not lacking, "docs/practice.md has each key of --json", " ".join(lacking))


def reached():
    """Which variants count: those that a change reaches, and no others."""
    text = text_of(STEP)
    for what, old, new, names in (
            ("a kernel", "if (i + k < blockDim.x)", "if (i < blockDim.x)", ["interleaved"]),
            ("a function that all call", "sum += x[i];", "sum = x[i];", ["divergent", "interleaved", "sequential"]),
            ("a comment", "/* One partial sum per block.", "/* Mine. One partial sum per block.", []),
            ("a launch", "sum_divergent<<<1,", "sum_divergent<<<2,", ["divergent"]),
            ("a row of the table", '"the stride doubles: banks collide"', '"mine"', ["interleaved"])):
        found = touched.variants(text.replace(old, new, 1), text)
        case(text.count(old) and found == names, f"{STEP}: {what} is changed: {' '.join(names) or 'no variant'}",
             " ".join(found))
    rows = touched.variants(text_of("transpose-naive"), text_of("transpose-naive"), "transpose_rows")
    case(rows == ["rows"], "transpose-naive: a parameter of a function's name is no call", " ".join(rows))


def order():
    """A small ordinary launch is tried first, and nothing at all last."""
    for name in steps():
        told = judge.batch.describe(step(name))
        tried = judge.launches.of(told, [each["name"] for each in told["variants"]], ["--check"])
        sizes = [judge.launches.size_of(words) for _, words in tried]
        empty = [0 in each for each in sizes]
        case(tried and all("--check" in words for _, words in tried) and empty == sorted(empty) and
             min(sizes[0], default=2) > 1, f"{name}: ordinary launches first, all with --check",
             " ".join(tried[0][1]) if tried else "none")


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
    """Right bodies; and two wrong ones, whose results have all keys."""
    function = exercises(STEP)[0]
    case(function.name == FUNCTION, f"{STEP}: {function.name} is taken out")
    good, said, _ = judged(step(STEP), STEP)
    case(good and "all the same" in said, "the step itself: verified", said)
    text = with_body(STEP, function, SLICES.split("\n"))
    done, program = make(scratch, STEP, text, "slices", ["f32"])
    if case(done.status == 0, "a slice per thread: it compiles", done):
        right, said, result = judged(program, STEP, text, FUNCTION)
        case(right and "yours 31.99 sectors per load, the step's 4.00" in said, "a slice per thread: verified", said)
        case([each["variant"] for each in result["variants"]] == ["sequential"],
             "only the variant that was changed counts", said)
    results = [{**result, "counters": judge.Judge(program, step(STEP), "slices.cu", ["sequential"]).counters()[0]}]
    for label, new in (("wrong", SLICES.replace("k > 0", "k > 1")),
                       ("race", SLICES.replace("    __syncthreads();\n", "", 1))):
        text = with_body(STEP, function, new.split("\n"))
        done, program = make(scratch, STEP, text, label, ["f32"])
        if case(done.status == 0, f"{label}: it compiles", done):
            good, said, result = judged(program, STEP, text, FUNCTION)
            case(not good, f"{label}: found", said)
            results.append(result)
    documented(*results, main_of_practice.not_run("empty", [], ""), {"hint": hints.up_to(hints.hint(results[-1]), 3)})


def functions_found():
    """What of a source is a function for the device: no word of a comment."""
    text = "static __device__ unsigned tickets; /* behind finish() all is 0 */\n\n/* From f() on. */\n" \
           "__global__ void first(int *p)\n{\n}\n"
    told = {name: (each.begin, each.open, each.close) for name, each in source.functions(text).items()}
    case(told == {"first": (3, 4, 5)}, "a function is found by its code, not by a comment", told)


def main():
    functions_found()
    sources()
    order()
    if not CHOSEN:
        reached()
        errors()
        without_finding()
        patience()
        with tempfile.TemporaryDirectory() as scratch:
            command_line(scratch)
            hinted(scratch)
            ended_late(scratch)
            verdicts(scratch)
    if FULL or CHOSEN:
        program_cases(sys.executable, "-B", os.path.join(SOURCE, "check", "all_exercises.py"), *CHOSEN, limit=3600)
    leave()


if __name__ == "__main__":
    main()
