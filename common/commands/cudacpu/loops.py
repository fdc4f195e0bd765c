"""
The loops and branches of a source file, as far as they can be read without a compiler: where the head of each loop
ends, and by how much a round changes what it counts; and between which lines the statement of an if or else stands.
"""
import collections
import re

# line: where its head ends, as common/cpu/translate/rounds.c has it; step: None where it is not a number; the lines of
# its body alone, first to last
Loop = collections.namedtuple("Loop", "line step first last")
# An if whose condition ends at line: the lines of the statement that is executed where it is true, or is not (taken)
Branch = collections.namedtuple("Branch", "line taken first last")
NO_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
CONSTANT = re.compile(r"(?<!if )\bconst(?:expr|eval)\b")
DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.MULTILINE)
HEAD = re.compile(r"\b(for|while)\s*\(")
WHETHER = re.compile(r"\bif\s*\(")
ASSIGNS = re.compile(r"(?<![=!<>+*/%&|^-])=(?!=)")
BRACKETS = re.compile(r"\([^()]*\)|\[[^][]*\]")
ATTRIBUTES = r"\s*(?:\[\[[^\]]*\]\]\s*)*"
WORD = re.compile(ATTRIBUTES + r"(?:(if|for|while|switch)\s*\(|(do)\b|(else)\b)?")
STEP = re.compile(r"(?:\+\+|--)\s*\w+|\w+\s*(?:\+\+|--)|\w+\s*[+-]=\s*(\d+)u?")


def blank(text):
    return re.sub(r"[^\n]", " ", text)


def without_text(source):
    """The source with blanks for comments, strings and directives, its lines where they were."""
    for no_code in (NO_CODE, DIRECTIVE):
        source = no_code.sub(lambda match: blank(match[0]), source)
    return source


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
        start = body_of(text, match.end())
        if start:
            end, _ = close_of(text, start)
            text = text[:start] + blank(text[start:end]) + text[end:]
    return text


def body_of(text, start):
    """Where the body of the function begins whose head goes on at START, behind its brace; None: it has none, or is a
    variable. Braces of a constructor's members are followed by a comma or a brace."""
    called = False
    while start < len(text):
        letter = text[start]
        if letter == ";" or letter == "=" and not called:
            return None
        if letter == "{":
            end = close_of(text, start + 1)[0]
            if called and not re.match(r"\s*[,{]", text[end + 1:]):
                return start + 1
            start = end
        elif letter in "([":
            called |= letter == "("
            start = close_of(text, start + 1)[0]
        start += 1
    return None


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
        line = text[:end].rstrip().count("\n") + 1
        found.append(Loop(line, step, *lines_of(text, end + 1, line)))
    return found


def statement_end(text, start):
    """Where the statement that begins behind START ends: its brace, or its semicolon."""
    match = WORD.match(text, start)
    if match[1]:
        end = statement_end(text, close_of(text, match.end())[0] + 1)
        other = WORD.match(text, end + 1)
        return statement_end(text, other.end()) if match[1] == "if" and other[3] else end
    if match[2]:
        end = statement_end(text, match.end())
        return end + len(text[end:].partition(";")[0])
    if text[match.end():match.end() + 1] == "{":
        return close_of(text, match.end() + 1)[0]
    marks = close_of(text, match.end())[1]
    return marks[0] if marks else len(text) - 1


def lines_of(text, start, last):
    """(first, last) line of the statement that begins behind START, without one that has code of before it, too: LAST;
    none where that is all."""
    end = statement_end(text, start)
    begin = start + re.match(ATTRIBUTES + r"(\{\s*)?", text[start:]).end()
    first = text.count("\n", 0, begin) + 1
    return first + (first == last), text.count("\n", 0, end) + 1


def declares(condition):
    """Does it declare something, or assign, at its own depth?"""
    inner = None
    while inner != condition:
        inner, condition = condition, BRACKETS.sub("", condition)
    return "{" in condition or bool(ASSIGNS.search(condition))


def branches_of(source):
    """[Branch] of the text of a file, without an if that declares something, and without those of which several end at
    one line: common/cpu/translate/rounds.c counts the same."""
    text, found = without_constants(without_text(source)), []
    for match in WHETHER.finditer(text):
        end, marks = close_of(text, match.end())
        if marks or declares(text[match.end():end]):
            continue
        line = text[:end].rstrip().count("\n") + 1
        last = text.count("\n", 0, end) + 1
        found.append(Branch(line, True, *lines_of(text, end + 1, last)))
        other = WORD.match(text, statement_end(text, end + 1) + 1)
        if other[3]:
            last = text.count("\n", 0, other.end()) + 1
            found.append(Branch(line, False, *lines_of(text, other.end(), last)))
    count = collections.Counter(branch.line for branch in found if branch.taken)
    return [branch for branch in found if count[branch.line] == 1 and branch.first <= branch.last]
