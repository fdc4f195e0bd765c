"""
Code seen before it is used: a piece of code on a page that calls a function of ours is understood only
by a reader who knows the function. It is known if this page, or an earlier one in the order of the course,
shows its code, or says in its text, as `name`, what it does.

The course is docs/start.md, then the pages in the order in which docs/index.md links to them. Of ours are
the functions that steps/ and the headers of common/ define.
"""
import functools
import glob
import os
import re

FENCE = re.compile(r"^```c\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ANY_FENCE = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
# A definition begins at the margin and ends before a body; the name stands before the first bracket.
DEFINED = re.compile(r"^(?:template\b[^\n]*\n)?[A-Za-z_][^\n;{}()=]*?(?:__launch_bounds__\([^\n]*\)\s+)?"
                     r"\b(\w+)\s*\([^;{}]*\)\s*(?:const\s*)?\n?\{", re.MULTILINE)
CALLED = re.compile(r"(?<!\.)(?<!->)\b([A-Za-z_]\w*)\s*(?:<[\w\s,:*]*>\s*)?(?:<<<|\()")
KEYWORDS = {"if", "for", "while", "switch", "return", "sizeof", "main", "defined"}


def code(text):
    return COMMENT.sub(lambda comment: "\n" * comment[0].count("\n"), text)


@functools.lru_cache(maxsize=None)
def ours(root):
    """The names of all functions that the steps and the headers of common/ define."""
    found = set()
    for pattern in ("steps/*/*.cu", "common/families/*/*.h", "common/harness/**/*.h"):
        for path in glob.glob(os.path.join(root, pattern), recursive=True):
            with open(path, encoding="utf-8") as file:
                found |= set(DEFINED.findall(code(file.read())))
    return found - KEYWORDS


@functools.lru_cache(maxsize=None)
def course(root):
    """The pages' paths, in the order in which they are read."""
    with open(os.path.join(root, "docs", "index.md"), encoding="utf-8") as file:
        linked = re.findall(r"\]\(([\w-]+\.md)\)", file.read())
    names = [name for name in dict.fromkeys(["start.md", *linked])
             if os.path.exists(os.path.join(root, "docs", name))]
    return [os.path.join(root, "docs", name) for name in names]


def shown(page):
    """What a page shows: functions whose code it has, and those that its text names as code."""
    pieces = "\n".join(piece for piece in FENCE.findall(page))
    text = ANY_FENCE.sub("", page)
    named = {name for span in re.findall(r"`([^`\n]+)`", text) for name in re.findall(r"^\w+", span)}
    return set(DEFINED.findall(code(pieces) + "\n")) | named


def calls(page):
    """(line, name) of each call in the page's code."""
    for piece in FENCE.finditer(page):
        text, first = code(piece[1]), page.count("\n", 0, piece.start(1)) + 1
        for call in CALLED.finditer(text):
            yield first + text.count("\n", 0, call.start()), call[1]


@functools.lru_cache(maxsize=None)
def known_before(root, path):
    """What the pages before one show; of a page that is not in the course, what all of it shows."""
    found = set()
    for earlier in course(root):
        if os.path.samefile(earlier, path):
            break
        with open(earlier, encoding="utf-8") as file:
            found |= shown(file.read())
    return frozenset(found)


def faults(page, path, root):
    """(line, what is wrong), each function once."""
    known = known_before(root, path) | shown(page)
    found = {}
    for line, name in calls(page):
        if name in ours(root) and name not in known:
            found.setdefault(name, line)
    return [(line, f"the code calls {name}(), which neither this page nor an earlier one shows or explains")
            for name, line in found.items()]
