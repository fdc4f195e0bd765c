"""
The order of the pages, by the list of steps in steps/meson.build: the line at the end of a page that leads to the
one before and to the next, the numbered lines of docs/index.md, the table of README.md. A step that is new there
gets its line, with the words of its page's heading; words that stand there stay; a step that is gone loses its line.
"""
import os
import re

from common.commands import ROOT
from common.commands.practice import shelf

FIRST = ("start", "memory")  # before the steps
LAST = "[the machine file](machine.md)"  # behind them
INDEX, README = "docs/index.md", "README.md"
LEADS = re.compile(  # it may be wrapped
    r"\n*^\[(?:before: |all steps\])(?:[^\n]|\n(?!\n|\Z))*\(index\.md\)(?:[^\n]|\n(?!\n|\Z))*\n*\Z", re.MULTILINE)
INDEX_LINE = re.compile(r"^\d+\. \[([\w-]+)\]\(([\w-]+)\.md\): .*$", re.MULTILINE)
README_LINE = re.compile(r"^\| \[([\w-]+)\]\(docs/\1\.md\) \| .* \|$", re.MULTILINE)


def steps(root=ROOT):
    return list(shelf.steps(root))


def without_leads(page, name, listed):
    """The page of this name without its last line, so that what is put at its end stands before that."""
    return LEADS.sub("\n", page) if name in [*FIRST, *listed] else page


def with_leads(page, name, listed):
    """The page of this name with its last line; as it is where it is not in the order."""
    order = [*FIRST, *listed]
    if name not in order:
        return page
    at = order.index(name)
    parts = [f"[before: {order[at - 1]}]({order[at - 1]}.md)"] if at else []
    parts += ["[all steps](index.md)",
              f"[next: {order[at + 1]}]({order[at + 1]}.md)" if at + 1 < len(order) else LAST]
    return without_leads(page, name, listed).rstrip("\n") + "\n\n" + " · ".join(parts) + "\n"


def heading(name, root=ROOT):
    """What the page's heading says of the step."""
    try:
        with open(os.path.join(root, "docs", name + ".md"), encoding="utf-8") as file:
            found = re.match(r"# [\w-]+: (.*)", file.readline())
    except OSError:
        found = None
    return found[1].strip() if found else "no page yet"


def _listed(text, pattern, order, make, known):
    """The text with a line for each name of the order, in that order: a new one behind the line before it."""
    have = [match[1] for match in pattern.finditer(text) if match[1] in known]
    if have == [name for name in order if name in have] and set(order) == set(have) and \
            len(have) == len(list(pattern.finditer(text))):
        return text
    line = {match[1]: match[0] for match in pattern.finditer(text)}
    out, last = [], None
    first = next(match[1] for match in pattern.finditer(text))
    missing = [name for name in order if name not in line]
    for row in text.split("\n"):
        match = pattern.match(row)
        if match and match[1] not in known:
            continue
        out.append(row)
        last = match[1] if match else last
        while match and order.index(last) + 1 < len(order) and order[order.index(last) + 1] in missing:
            last = order[order.index(last) + 1]
            out.append(make(last))
    if first != order[0] and order[0] in missing:
        raise ValueError(f"the first step, {order[0]}, needs its line by hand")
    return "\n".join(out)


def index(text, listed, root=ROOT):
    """docs/index.md, its lines numbered."""
    order = [*FIRST, *listed]
    text = _listed(text, INDEX_LINE, order, lambda name: f"0. [{name}]({name}.md): {heading(name, root)}.", set(order))
    number = iter(range(1, len(order) + 1))
    return INDEX_LINE.sub(lambda match: re.sub(r"^\d+", str(next(number)), match[0]), text)


def readme(text, listed, root=ROOT):
    """README.md's table."""
    return _listed(text, README_LINE, listed,
                   lambda name: f"| [{name}](docs/{name}.md) | {heading(name, root)} |", set(listed))


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
    if name == INDEX:
        page = index(page, listed, root)
        return page, disorder(page, INDEX_LINE, [*FIRST, *listed])
    if name == README:
        page = readme(page, listed, root)
        return page, disorder(page, README_LINE, listed)
    return with_leads(page, os.path.splitext(os.path.basename(path))[0], listed), ""
