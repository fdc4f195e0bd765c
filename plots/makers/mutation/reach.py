"""
What stands at the top of a file, what uses it, and so which variants of the step a change reaches.
"""
import collections
import functools
import os
import re

from .text import behind_template, blank, matching, names_before_brackets, until

UNNAMED = ("STEP", "static_assert")

# What stands at the top of a file, from `begin` to `end`; name: what it defines, "" for nothing that is known.
Item = collections.namedtuple("Item", "begin end name words")


def words_of(code):
    """The identifiers, but for members."""
    return set(re.findall(r"(?<![.>\w])[A-Za-z_]\w*|(?<=[^-]>)[A-Za-z_]\w*", code))


def name_of(code):
    """What a declaration or a definition names."""
    begin = behind_template(code, 0)
    head = code[begin:until(code, begin, (";", "=", "{"))]
    if "(" in head:
        names = names_before_brackets(head)
        return names[0] if names and names[0] not in UNNAMED else ""
    record = re.match(r"(?:struct|union|enum)\s+(\w+)\s*$", head.strip())
    if record:
        return record[1]
    name = re.search(r"(\w+)\s*(?:\[[^\]]*\]\s*)*$", head)
    return name[1] if name else ""


def items_of(code):
    """The items of a file's blanked text, and those in extern "C" { ... }."""
    at = 0
    while True:
        begin = at + re.match(r"(?:\s|extern\s*\{|\})*", code[at:]).end()
        if begin == len(code):
            return
        at, initialised = behind_template(code, begin), False
        while code[at] != ";":
            if code[at] in "([{":
                body = code[at] == "{" and not initialised and "(" in code[begin:at]
                at = matching(code, at)
                if body:
                    break
            initialised |= code[at] == "="
            at += 1
        at += 1
        yield Item(begin, at, name_of(code[begin:at]), words_of(code[begin:at]))


def changed_span(old, new):
    """Where two texts differ: from there, to there in the old, to there in the new."""
    first = len(os.path.commonprefix([old, new]))
    last = len(os.path.commonprefix([old[first:][::-1], new[first:][::-1]]))
    return first, len(old) - last, len(new) - last


def users(items, first):
    """The names of the items that use the first, directly or not, and its own; None where one has no name."""
    names, found = {first.name}, {first.begin}
    if not first.name:
        return None
    while True:
        more = [item for item in items if item.begin not in found and
                (item.words & names or item.name in names)]
        if not more:
            return names
        if any(not item.name and not item.words & {"STEP"} for item in more):
            return None
        found |= {item.begin for item in more}
        names |= {item.name for item in more if item.name}


@functools.lru_cache(maxsize=4)
def macro_words(text):
    """The words of all macros."""
    macros = re.findall(r"^[ \t]*#[ \t]*define\b(?:\\\n|[^\n])*", text, re.MULTILINE)
    return words_of(re.sub(r"/\*.*?\*/|//[^\n]*", " ", " ".join(macros), flags=re.DOTALL))


@functools.lru_cache(maxsize=4)
def items_of_text(text):
    return list(items_of(blank(text)))


def users_of_change(text, mutant):
    """The names of the items that use what the mutant changes, its own too; None where that is not known, or a macro
    may use it."""
    items = items_of_text(text)
    a, b, new_b = changed_span(text, mutant)
    changed = next((item for item in items if item.begin <= a and b <= item.end), None)
    names = users(items, changed) if changed and new_b >= a else None
    return None if not names or names & macro_words(text) else names


def reached(text, mutant):
    """The names of the variants that run what the mutant changes; None: all may."""
    names = users_of_change(text, mutant)
    tables = [item for item in items_of_text(text) if re.search(r"\bstruct variant \w+\[\]", text[item.begin:item.end])]
    if not names or len(tables) != 1:
        return None
    begin, found = text.index("{", tables[0].begin) + 1, set()
    code = blank(text[:tables[0].end])
    while "{" in code[begin:]:
        begin = code.index("{", begin)
        end = matching(code, begin)
        variant = re.match(r'\{\s*"([^"]+)"', text[begin:end])
        if not variant:
            return None
        if words_of(code[begin:end]) & names:
            found.add(variant[1])
        begin = end
    return found or None
