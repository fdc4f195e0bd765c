"""
Wrong attempts at the exercises of ./steps/practice, and what the judge says of each: the kind of mistake, and the line.

check/attempts/STEP.txt has those of a step. An attempt is the step with some lines of a function changed:

  == what is wrong
  in FUNCTION
  - lines of the step's, one after the other       as often as needed: a "-" behind a "+" begins another change
  + lines in their place
  = the kind of mistake that the judge must name, of common/commands/practice/findings.py; "right": none
  @ a line of the changed source that it must name
  ~ words that it must say, too
  ? the rule of common/commands/practice/hints.py that must speak

usage: check/cases/attempts.py [PATTERN]    all, or those whose step or words have the pattern
"""
import collections
import glob
import os
import re
import signal
import sys

from common.commands import course
from common.commands.drive.building import compile_cpp, compile_main, link, translate
from common.commands.drive.support import BUILD, CHOSEN, SOURCE, case, leave, parallel, steps
from common.commands.practice import findings, hints, shelf, source
from check.exercises import judged, text_of

HOME = os.path.join(SOURCE, "check", "attempts")
PLACE = os.path.join(BUILD, "attempts")  # the same each time: the compiler's cache knows it

RIGHT = "right"
SHORT, LONG = 1, 60  # seconds for further launches once one is wrong: what all wrong ones have in common needs them all
ELSEWHERE = {"empty", "compile", "launch"}  # rules of what does not run: practice has them

Attempt = collections.namedtuple("Attempt", "step what function changes kind at says rule label")


def read(path):
    """The attempts of a file."""
    step = os.path.basename(path)[:-4]
    with open(path, encoding="utf-8") as file:
        for number, text in enumerate(re.split(r"^== ", file.read(), flags=re.MULTILINE)[1:], 1):
            what, *lines = text.split("\n")
            rest = {mark: [line[2:] for line in lines if line[:2] == mark + " "] for mark in ("in", "=", "@", "~", "?")}
            changes, before = [], ""
            for line in lines:
                if line[:1] == "-" and before != "-":
                    changes.append(([], []))
                if line[:1] in "-+" and line:
                    changes[-1][line[0] == "+"].append(line[2:])
                before = line[:1]
            function = next(line[3:] for line in lines if line.startswith("in "))
            yield Attempt(step, what, function, changes, rest["="][0], rest["@"], rest["~"],
                          "".join(rest["?"]), f"{step}-{number}")


def changed(attempt):
    """The step's source with the changes; None where the step has no such lines."""
    lines = text_of(attempt.step).split("\n")
    for old, new in attempt.changes:
        function = source.functions("\n".join(lines)).get(attempt.function)
        if not function:
            return None
        for at in range(function.begin, function.close):
            if lines[at:at + len(old)] == old:
                lines[at:at + len(old)] = new
                break
        else:
            return None
    return "\n".join(lines)


def build(attempt):
    """(how it went, the program), with the step's first element type. The changed source must be there."""
    types = shelf.steps(SOURCE)[attempt.step][1][:1]
    program = os.path.join(PLACE, attempt.label)
    with open(program + ".cu", "w", encoding="utf-8") as file:
        file.write(changed(attempt))
    done = translate(program + ".cu", program + ".cpp", [f"-DELEMENT_TYPE={types[0]}"])
    if done.status == 0:
        done = compile_cpp(program + ".cpp", program + ".o")
    if done.status == 0:
        done = link([program + ".o", main_of(types[0])], program, common=True)
    return done, program


def main_of(kind):
    return os.path.join(PLACE, f"main-{kind}.o")


def faults(attempt, result, said):
    """What the judge should have said and did not."""
    hint = hints.hint(result) or {"rule": None, "lines": []}
    kind, at = (result["mistake"][key] if result["mistake"] else right
                for key, right in (("kind", RIGHT), ("lines", hint["lines"])))
    lines = changed(attempt).split("\n")
    named = [lines[number - 1].strip() for number in at if 0 < number <= len(lines)]
    return [f"its kind is {kind}, not {attempt.kind}"] * (kind != attempt.kind) + \
        [f"the line is not named: {line.strip()}" for line in attempt.at if line.strip() not in named] + \
        [f"it does not say: {words}" for words in attempt.says if words not in said] + \
        [f"its hint is of the rule {hint['rule']}, not {attempt.rule}"] * (hint["rule"] != attempt.rule)


def judge(attempt):
    """(what is missing, what was said)"""
    if changed(attempt) is None:
        return [f"{attempt.step} has no such lines in {attempt.function}"], ""
    done, program = build(attempt)
    if done.status:
        return ["it does not compile"], str(done)
    _, said, result = judged(program, attempt.step, changed(attempt), attempt.function,
                             LONG if attempt.kind == "result" else SHORT)
    return faults(attempt, result, said), said


def main():
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)  # a job in the background of a script has it ignored
    pattern = sys.argv[1] if len(sys.argv) > 1 else ""
    found = [attempt for path in sorted(glob.glob(os.path.join(HOME, "*.txt"))) for attempt in read(path)
             if attempt.step in steps() and re.search(pattern, f"{attempt.step}: {attempt.what}")]
    os.makedirs(PLACE, exist_ok=True)
    for kind in sorted({shelf.steps(SOURCE)[attempt.step][1][0] for attempt in found}):
        case(compile_main(main_of(kind), [kind]).status == 0, f"the main program for {kind}")
    if not found:
        leave()
    few = [name for name in steps() if name in course.PATH and sum(each.step == name for each in found) < 2]
    case(not few or pattern, "each step of the first path has two attempts", " ".join(few))
    lost = {rule.name for rule in hints.RULES} - {attempt.rule for attempt in found} - ELSEWHERE
    case(not lost or pattern or CHOSEN, "each rule of a hint has an attempt", " ".join(sorted(lost)))
    unknown = sorted({attempt.kind for attempt in found} - {*findings.NAMES, RIGHT})
    case(not unknown, "each attempt has a kind of mistake that the judge knows", " ".join(unknown))
    for attempt, (missing, said) in zip(found, parallel(judge, found)):
        case(not missing, f"{attempt.step}: {attempt.what}: {findings.NAMES.get(attempt.kind, RIGHT)}",
             "\n".join([*missing, said]))
    leave()


if __name__ == "__main__":
    main()
