"""
The order of the pages, which common/commands/course.py decides: the head of each page of the course, with its place on
the first path or with what it needs; the line at its end that leads to the page before and to the next; the lines of
docs/index.md; the first path and the table of README.md. A step that is new in steps/meson.build gets its lines, with
the words of its page's heading; words that stand there stay; a step that is gone loses its lines.
"""
import os
import re

from common.commands import ROOT, course

LAST = "[the machine file](machine.md)"  # behind the course
INDEX, README = "docs/index.md", "README.md"
BLOCK = re.compile(r"(<!-- begin: path -->\n).*?(<!-- end -->)", re.DOTALL)
HEAD = re.compile(r"\A(# [^\n]*\n\n)<!-- begin: path -->\n.*?<!-- end -->\n\n", re.DOTALL)
LEADS = re.compile(  # it may be wrapped
    r"\n*^\[(?:before: |all steps\])(?:[^\n]|\n(?!\n|\Z))*\(index\.md\)(?:[^\n]|\n(?!\n|\Z))*\n*\Z", re.MULTILINE)
NEEDS = re.compile(r" \*Needs [^*\n]*\*$")
PATH_LINE = re.compile(r"^\d+\. \[([\w-]+)\]\(\1\.md\): .*$", re.MULTILINE)
OTHER_LINE = re.compile(r"^- \[([a-z0-9-]+)\]\(\1\.md\): .*$", re.MULTILINE)
README_LINE = re.compile(r"^\|[ \d]*\| \[([\w-]+)\]\(docs/\1\.md\) \| .* \|$", re.MULTILINE)


def steps(root=ROOT):
    return course.steps(root)


def link(name, folder=""):
    return f"[{name}]({folder}{name}.md)"


def without_made(page, name, listed):
    """The page of this name without its head and its last line, so that what is put at its end stands before that."""
    return LEADS.sub("\n", HEAD.sub(r"\1", page)) if name in course.pages(listed) else page


def head(name, listed):
    """The place on the first path, or what the page needs."""
    path = course.path(listed)
    if name not in path:
        return f"*Second reading.* It needs {' and '.join(map(link, course.needs(name, listed)))}."
    at = path.index(name)
    around = [f"before {link(path[at - 1])}"] if at else []
    around += [f"next {link(path[at + 1])}"] if at + 1 < len(path) else []
    return f"First path, page {at + 1} of {len(path)}" + ": " * bool(around) + ", ".join(around) + "."


def leads(name, listed):
    """The line at the end: a page of the first path leads along that, and says what of the second reading follows."""
    order, path = course.pages(listed), course.path(listed)
    way = path if name in path else order
    at = way.index(name)
    parts = [f"[before: {way[at - 1]}]({way[at - 1]}.md)"] if at else []
    parts += ["[all steps](index.md)"]
    parts += [f"[next: {way[at + 1]}]({way[at + 1]}.md)"] if at + 1 < len(way) else [LAST] if way is order else []
    following = order[order.index(name) + 1:][:1]
    if name in path and following and following[0] not in path:
        parts.append(f"second reading: {link(following[0])}")
    return " · ".join(parts)


def with_made(page, name, listed):
    """The page of this name with its head and its last line; as it is where it is not of the course."""
    if name not in course.pages(listed):
        return page
    title, _, rest = without_made(page, name, listed).rstrip("\n").partition("\n\n")
    return f"{title}\n\n<!-- begin: path -->\n{head(name, listed)}\n<!-- end -->\n\n{rest}\n\n{leads(name, listed)}\n"


def heading(name, root=ROOT):
    """What the page's heading says of the step."""
    try:
        with open(os.path.join(root, "docs", name + ".md"), encoding="utf-8") as file:
            found = re.match(r"# [\w-]+: (.*)", file.readline())
    except OSError:
        found = None
    return found[1].strip() if found else "no page yet"


def _listed(text, pattern, order, make, known):
    """The text with a line for each name of the order, in that order: a new one behind the line before it, or before
    the first. Of the lines that the pattern finds those whose name is in known, or in no course, are concerned."""
    have = [match[1] for match in pattern.finditer(text) if match[1] in known]
    if have == [name for name in order if name in have] and set(order) == set(have) and \
            len(have) == len(list(pattern.finditer(text))):
        return text
    line = {match[1]: match[0] for match in pattern.finditer(text)}
    out, last = [], None
    missing = [name for name in order if name not in line]
    for row in text.split("\n"):
        match = pattern.match(row)
        if match and match[1] not in known:
            continue
        if match and last is None:
            out += map(make, order[:next((at for at, name in enumerate(order) if name not in missing), 0)])
        out.append(row)
        last = match[1] if match else last
        while match and order.index(last) + 1 < len(order) and order[order.index(last) + 1] in missing:
            last = order[order.index(last) + 1]
            out.append(make(last))
    return "\n".join(out)


def _part(text, pattern, names, make):
    """The part of docs/index.md with the lines of these names, and what is wrong with their order."""
    text = _listed(text, pattern, names, make, set(names))
    return text, disorder(text, pattern, names)


def index(text, listed, root=ROOT):
    """docs/index.md: the first path, its lines numbered, then the second reading, each line with what it needs; and
    what is wrong with the order."""
    path = course.path(listed)
    others = [name for name in course.pages(listed) if name not in path]
    first, mark, rest = text.partition("\n## Second reading\n")
    if not mark:
        return text, "its heading 'Second reading' is missing"
    first, fault = _part(first, PATH_LINE, path, lambda name: f"0. {link(name)}: {heading(name, root)}.")
    number = iter(range(1, len(path) + 1))
    first = PATH_LINE.sub(lambda match: re.sub(r"^\d+", str(next(number, 0)), match[0]), first)
    rest, other = _part(rest, OTHER_LINE, others, lambda name: f"- {link(name)}: {heading(name, root)}.")

    def with_needs(match):
        needed = " and ".join(map(link, course.needs(match[1], listed))) if match[1] in others else ""
        return NEEDS.sub("", match[0]) + f" *Needs {needed}.*"

    return first + mark + OTHER_LINE.sub(with_needs, rest), fault or other


def readme(text, listed, root=ROOT):
    """README.md: the first path, and the table of all steps with each one's place on it; and what is wrong with the
    order."""
    path = course.path(listed)
    chain = " · ".join(f"{number} {link(name, 'docs/')}" for number, name in enumerate(path, 1))
    text = BLOCK.sub(lambda match: match[1] + chain + "\n" + match[2], text)
    text = _listed(text, README_LINE, listed,
                   lambda name: f"| | {link(name, 'docs/')} | {heading(name, root)} |", set(listed))

    def with_place(match):
        place = f" {path.index(match[1]) + 1} " if match[1] in path else " "
        return re.sub(r"^\|[ \d]*\|", f"|{place}|", match[0])

    return README_LINE.sub(with_place, text), disorder(text, README_LINE, listed)


def disorder(text, pattern, order):
    """What is wrong with the order of the lines; "" for nothing."""
    have = [match[1] for match in pattern.finditer(text)]
    for at, (is_, should) in enumerate(zip(have + [""] * len(order), order)):
        if is_ != should:
            return f"line {at + 1} of the steps is of {is_ or 'none'}, and must be of {should}"
    return f"{have[len(order)]} is no step" if len(have) > len(order) else ""


def right(page, path, listed, root=ROOT):
    """(the page as the order wants it, what is wrong with it that a person must mend)"""
    name = os.path.relpath(path, root)
    for unknown in course.unknown(listed):
        return page, f"common/commands/course.py names {unknown}, which is no page of the course"
    if name in (INDEX, README):
        return (index if name == INDEX else readme)(page, listed, root)
    return with_made(page, os.path.splitext(os.path.basename(path))[0], listed), ""
