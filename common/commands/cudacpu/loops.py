"""
The loops of a source file, as far as they can be read without a compiler: where the head of each ends, and by how much
a round changes what it counts.
"""
import collections
import re

# line: where its head ends, as common/cpu/translate/rounds.c has it; step: None where it is not a number
Loop = collections.namedtuple("Loop", "line step")
NO_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
CONSTANT = re.compile(r"(?<!if )\bconstexpr\b[^;={}]*\)[^;={}]*\{")
HEAD = re.compile(r"\b(for|while)\s*\(")
STEP = re.compile(r"(?:\+\+|--)\s*\w+|\w+\s*(?:\+\+|--)|\w+\s*[+-]=\s*(\d+)u?")


def without_text(source):
    """The source with blanks for comments and strings, its lines where they were."""
    return NO_CODE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), source)


def close_of(text, start):
    """Where the bracket that opens before START closes; the semicolons at its own depth."""
    depth, marks = 1, []
    for at in range(start, len(text)):
        if text[at] in "([{":
            depth += 1
        elif text[at] in ")]}":
            depth -= 1
            if not depth:
                return at, marks
        elif text[at] == ";" and depth == 1:
            marks.append(at)
    return len(text), marks


def without_constants(text):
    """The text without the bodies of constexpr functions, whose rounds common/cpu/translate/rounds.c does not count."""
    for match in CONSTANT.finditer(text):
        end, _ = close_of(text, match.end())
        text = text[:match.end()] + re.sub(r"[^\n]", " ", text[match.end():end]) + text[end:]
    return text


def step_of(text):
    """Of a for's third part."""
    match = STEP.fullmatch(text.strip())
    return int(match[1] or 1) if match else None


def loops_of(source):
    """[Loop] of the text of a file."""
    text, found = without_constants(without_text(source)), []
    for match in HEAD.finditer(text):
        end, marks = close_of(text, match.end())
        if match[1] == "for" and len(marks) != 2:
            continue
        step = step_of(text[marks[1] + 1:end]) if marks else None
        found.append(Loop(text[:end].rstrip().count("\n") + 1, step))
    return found
