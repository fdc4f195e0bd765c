"""
The exercises of a page, under "## Exercises", and their answers: each a "<details>" below its exercise.
An answer is made from a record: it has a block that docs/pages makes, most often

    <!-- begin: answer reduce2-1 -->

the output of the exercise's own commands, in plots/devices/cpu-device/transcripts/exercise-reduce2-1.txt, which
plots/record cpu writes; or its sentences cite rows (claims.py). What is run stands in the exercise, as
code: each span that begins with a program's path, with ./steps/practice --patch, nvcc or "for".
"""
import collections
import re

SECTION = re.compile(r"^## Exercises\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
ITEM = re.compile(r"^(\d+)\. ", re.MULTILINE)
DETAILS = re.compile(r"<details>.*?</details>", re.DOTALL)
COMMAND = re.compile(r"(?:CPU_DEVICE_WORKERS=4 )?(?:build/steps/|\./steps/(?:cuda|practice --patch) |nvcc )|for ")

Exercise = collections.namedtuple("Exercise", "number line text answer")


def of(page):
    """The exercises of a page; line is where one begins, answer its details, "" without."""
    section = SECTION.search(page)
    if not section:
        return []
    found, starts = [], list(ITEM.finditer(section[1]))
    for at, start in enumerate(starts):
        end = starts[at + 1].start() if at + 1 < len(starts) else len(section[1])
        text = section[1][start.end():end]
        answer = DETAILS.search(text)
        line = page.count("\n", 0, section.start(1) + start.start()) + 1
        found.append(Exercise(start[1], line, DETAILS.sub("", text), answer[0] if answer else ""))
    return found


def commands(exercise):
    """What the exercise runs, each in one line."""
    spans = [" ".join(span.split()) for span in re.findall(r"`([^`]+)`", exercise.text)]
    return [span for span in spans if COMMAND.match(span)]


def with_answers(page, name):
    """The page with a block "answer" under each exercise that runs something and has none."""
    for each in reversed(of(page)):
        if each.answer or not commands(each):
            continue
        lines = page.split("\n")
        end = each.line  # from 0, the line behind its first
        while end < len(lines) and not ITEM.match(lines[end]) and not lines[end].startswith("## "):
            end += 1
        while not lines[end - 1].strip():
            end -= 1
        lines[end:end] = ["", "<details><summary>Answer</summary>", "",
                          f"<!-- begin: answer {name}-{each.number} -->", "<!-- end -->", "", "</details>",
                          *([""] if end < len(lines) and lines[end].strip() else [])]
        page = "\n".join(lines)
    return page


def faults(page, name):
    """(line, what is wrong) with the answers of the page docs/NAME.md."""
    found = []
    for each in of(page):
        where = f"exercise {each.number}"
        block = re.search(r"<!-- begin: answer (\S+) -->\n(.*?)<!-- end -->", each.answer, re.DOTALL)
        if not each.answer:
            found.append((each.line, f"{where} has no answer folded under it"))
        elif block and block[1] != f"{name}-{each.number}":
            found.append((each.line, f"{where} has the answer {block[1]}"))
        elif block:
            ran = re.findall(r"^\$ (.*)$", block[2], re.MULTILINE)
            if ran and ran != commands(each):
                found.append((each.line, f"{where}: its answer is of other commands; run "
                              "plots/record cpu --answers"))
        elif "<!-- begin: " not in each.answer and "<!-- rows: " not in each.answer:
            found.append((each.line, f"{where}: its answer rests on no record"))
    return found
