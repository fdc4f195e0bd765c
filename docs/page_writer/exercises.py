"""
The exercises of a page, under "## Exercises", and their answers: each a "<details>" below its exercise.
What an exercise runs stands in it as lines of a block of their own, a command per line:

    1. The question, in words.

       ```sh
       build/steps/reduce2/reduce2 -n 2^20 --counters
       ```

An answer has words, and behind them what they rest on, made from a record: most often

    <!-- begin: answer reduce2-1 -->

the output of the exercise's own commands, in plots/devices/cpu-device/transcripts/exercise-reduce2-1.txt, which
plots/record cpu writes; or another block, or the sentences cite rows (claims.py). Words behind the name choose
parts of the output: `answer reduce2-1 shared lines` shows of the counters these two alone, each whole. A last line
says what was left out. A number in the words stands in what they rest on or in the exercise, or in a sum that the
sentence writes out ("16 x 8 = 128"), or the sentence cites rows.
"""
import ast
import collections
import re

from .claims import arithmetic
from .text import CODE, COMMENT, plain, sentences

SECTION = re.compile(r"^## Exercises\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
ITEM = re.compile(r"^(\d+)\. ", re.MULTILINE)
DETAILS = re.compile(r"<details>.*?</details>", re.DOTALL)
BLOCK = re.compile(r"<!-- begin: .*?<!-- end -->", re.DOTALL)
COMMANDS = re.compile(r"^ *```sh\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"(?:CPU_DEVICE_WORKERS=4 )?(?:build/steps/|\./steps/(?:cuda|table|practice --patch) |nvcc )|for ")

# The parts of an output that a page may choose, by the word for it, and how each begins.
PARTS = {"global": "Global memory", "shared": "Shared memory", "atomics": "Atomics", "arithmetic": "Arithmetic",
         "tensor": "Tensor cores", "bulk": "Copies in bulk", "clusters": "Clusters", "span": "Span",
         "lines": "By source line"}
UNASKED = ("arithmetic", "span")  # shown only where a page names them
HEAD = re.compile(r"  # kernel|kernel +line ")  # of a part's table: what stands before it is the legend
TABLE = re.compile(r"\s+\d|\S+ +\S+:\d+ |most: |active: |\*: nvcc")  # its rows, and the legend behind it
RESULTS = "variant "  # the head of a table of results, from which plots/record leaves the times out

NUMBER = re.compile(r"(?<![\w.^])\d+(?:\.\d+)?(?:e[+-]?\d+)?(?:\^\d+)?(?![\w^]|\.\d)")
FEW = {*map(float, range(10)), 32.0, 1024.0}  # need no source: small counts, the lanes of a warp, the bytes of a KiB
SUM = re.compile(r"(\d[\d.]*(?:\^\d+)?(?: [-+x*/] \d[\d.]*(?:\^\d+)?)+) = (\d[\d.]*)")

Exercise = collections.namedtuple("Exercise", "number line text answer")


class PartError(Exception):
    """A part of an output that is not there. The text says which are."""


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
    return [line.strip() for block in COMMANDS.findall(exercise.text) for line in block.splitlines() if line.strip()]


def question(exercise):
    """The exercise without what it runs."""
    return COMMANDS.sub("", exercise.text).strip()


def words(exercise):
    """The sentences of the answer."""
    inner = re.sub(r"</?details>|<summary>.*?</summary>", "", BLOCK.sub("", exercise.answer))
    return [each for each in sentences(inner) if re.search(r"\w+\W+\w+", COMMENT.sub("", each.text))]


def parts(lines):
    """[(word of PARTS or "", lines)] of an output: each part from its title to the end of its table."""
    found, headed = [("", [])], False
    for line in lines:
        begun = next((word for word, title in PARTS.items() if line.startswith(title)), None)
        if begun:
            found.append((begun, []))
            headed = False
        elif found[-1][0] and (not line.strip() or headed and not TABLE.match(line)):
            found.append(("", [""] if line.strip() else []))
        headed = headed or HEAD.match(line) is not None
        found[-1][1].append(line)
    return found


def shown(text, wanted):
    """An output with the wanted parts of its counters, all that are usual if none is named, and behind
    each command a line that says what was left out."""
    unknown = [word for word in wanted if word not in PARTS]
    if unknown:
        raise PartError(f"{unknown[0]} is no part of an output (accepted: {', '.join(PARTS)})")
    made, had = [], set()
    for output in re.split(r"^(?=\$ )", text, flags=re.MULTILINE):
        left = ["settings and times"] if re.search("^" + RESULTS, output, re.MULTILINE) else []
        for word, lines in parts(output.splitlines()):
            had.add(word)
            if word and (word not in wanted if wanted else word in UNASKED):
                left += [PARTS[word]] * (PARTS[word] not in left)
            else:
                made += lines
        if left:
            made += [f"(left out: {', '.join(left)})", ""]
    missing = [word for word in wanted if word not in had]
    if missing:
        raise PartError(f"the output has no {missing[0]} (it has: {', '.join(sorted(had - {''})) or 'none'})")
    return "\n".join(line for at, line in enumerate(made) if line.strip() or at and made[at - 1].strip()).rstrip()


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


def value(text):
    base, power, exponent = text.partition("^")
    return float(base) ** float(exponent) if power else float(base)


def values(text):
    return {value(found) for found in NUMBER.findall(text)}


def worked_out(sentence, known):
    """The numbers of the sums that a sentence writes out, where they are right and begin with known ones
    or with results of those before."""
    found = set()
    for left, result in SUM.findall(sentence):
        terms, result = re.sub(r"[\d.]+(?:\^\d+)?", lambda term: repr(value(term[0])), left), result.rstrip(".")
        digits = len(result.partition(".")[2])
        if f"{arithmetic(ast.parse(terms.replace('x', '*'), mode='eval').body):.{digits}f}" == result \
                and values(left) <= known | found:
            found |= values(left) | {value(result)}
    return found


def unfounded(exercise):
    """The numbers in the words of an answer that rest on nothing, as they are written."""
    base = FEW | values(exercise.text) | {found for block in BLOCK.findall(exercise.answer) for found in values(block)}
    for sentence in words(exercise):
        if any(re.match(r"(no )?rows:", comment) for comment in sentence.comments):
            continue
        text = CODE.sub("", " ".join(plain(sentence.text).split()))
        known = base | worked_out(text, base)
        yield from (found for found in NUMBER.findall(text) if value(found) not in known)


def answer_faults(each, name):
    """What is wrong with the answer of an exercise of docs/NAME.md."""
    block = re.search(r"<!-- begin: answer (\S+)[^\n]* -->\n(.*?)<!-- end -->", each.answer, re.DOTALL)
    if not each.answer:
        yield " has no answer folded under it"
    elif block and block[1] != f"{name}-{each.number}":
        yield f" has the answer {block[1]}"
    elif block:
        ran = re.findall(r"^\$ (.*)$", block[2], re.MULTILINE)
        if ran and ran != commands(each):
            yield ": its answer is of other commands; run plots/record cpu --answers"
    elif "<!-- begin: " not in each.answer and "<!-- rows: " not in each.answer:
        yield ": its answer rests on no record"
    if each.answer:
        if not words(each):
            yield ": its answer has no words"
        for found in unfounded(each):
            yield f": {found} stands neither in the output nor in the exercise, and the sentence cites no rows"


def faults(page, name):
    """(line, what is wrong) with the exercises of the page docs/NAME.md."""
    found = []
    for each in of(page):
        found += [(each.line, f"exercise {each.number}{fault}") for fault in answer_faults(each, name)]
        found += [(each.line, f"exercise {each.number}: the command `{span[:40]}` stands in a sentence; commands have "
                   "a block ```sh, one per line")
                  for span in re.findall(r"`([^`]+)`", question(each)) if INLINE.match(span)]
    return found
