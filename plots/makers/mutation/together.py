"""
Many mutants of a step in one source, so that what they share is compiled once. Behind each function or variable of
the file stand its copies: those of a mutant have its change, or use what has it, under names that end in the mutant's
number. The program is the mutant whose number its own name ends in: PROGRAM.3 is the third; without a number it is the
step as it was.
"""
import collections
import functools
import os
import re

from .text import behind_template, blank, matching, names_before_brackets, until

SUFFIX = "__m"
UNNAMED = ("STEP", "static_assert")
# STEP of harness/kit/element.h, once per mutant, and what makes one of them the step of the program.
HEAD = """#include "harness/kit/element.h"
#include <stdlib.h>
#include <string.h>
#undef STEP
#define STEP(...) MUTANT_STEP(0, __VA_ARGS__)
#define MUTANT_STEP(number, step_name, its_family, its_variants, ...) \\
    extern "C" { \\
    extern const struct family its_family; \\
    extern const struct type ELEMENT_NAME(type_); \\
    } \\
    static const struct step mutant_##number = { \\
        step_name, &its_family, &ELEMENT_NAME(type_), its_variants, COUNT(its_variants), __VA_ARGS__}
"""
TAIL = """
extern "C" struct step ELEMENT_NAME(step_);
struct step ELEMENT_NAME(step_);

static __attribute__((constructor)) void choose_mutant(int argc, char **argv)
{{
    static const struct step *const mutants[] = {{{mutants}}};
    const char *dot = argc > 0 ? strrchr(argv[0], '.') : NULL;
    size_t number = dot ? strtoul(dot + 1, NULL, 10) : 0;

    if (number >= sizeof(mutants) / sizeof(*mutants))
        abort();
    memcpy((void *)&ELEMENT_NAME(step_), mutants[number], sizeof(struct step));
}}
"""

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


def renamed(text, names, number):
    """The text with these names ending in the mutant's number; not in comments, strings, and not of members."""
    code, out, last = blank(text), [], 0
    for m in re.finditer(r"(?<![.\w])(?<!->)[A-Za-z_]\w*", code):
        if m.group() in names:
            out += [text[last:m.end()], f"{SUFFIX}{number}"]
            last = m.end()
    return "".join(out) + text[last:]


def users(items, first):
    """The items that use the first, directly or not, and their names; None where one has no name to copy it under."""
    names, found = {first.name}, {first.begin}
    if not first.name:
        return None
    while True:
        more = [item for item in items if item.begin not in found and
                (item.words & names or item.name in names)]
        if not more:
            return names, found
        if any(not item.name and not item.words & {"STEP"} for item in more):
            return None
        found |= {item.begin for item in more}
        names |= {item.name for item in more if item.name}


@functools.lru_cache(maxsize=4)
def macro_words(text):
    """The words of all macros: these stay as they are."""
    macros = re.findall(r"^[ \t]*#[ \t]*define\b(?:\\\n|[^\n])*", text, re.MULTILINE)
    return words_of(re.sub(r"/\*.*?\*/|//[^\n]*", " ", " ".join(macros), flags=re.DOTALL))


def plain(text):
    """What a program says of its kernels, without the numbers of mutants."""
    return re.sub(rf"{SUFFIX}\d+\b", "", text)


def parts(text, mutant):
    """(the file's items; the one that the mutant changes; the names and the places of those that use it); None where
    that is not known, or a macro may use it."""
    items = items_of_text(text)
    a, b, new_b = changed_span(text, mutant)
    changed = next((item for item in items if item.begin <= a and b <= item.end), None)
    used = changed and new_b >= a and users(items, changed)
    return (items, changed, *used) if used and not used[0] & macro_words(text) else None


@functools.lru_cache(maxsize=4)
def items_of_text(text):
    return list(items_of(blank(text)))


def reached(text, mutant):
    """The names of the variants that run what the mutant changes; None: all may."""
    known = parts(text, mutant)
    tables = [item for item in items_of_text(text) if re.search(r"\bstruct variant \w+\[\]", text[item.begin:item.end])]
    if not known or len(tables) != 1:
        return None
    begin, found = text.index("{", tables[0].begin) + 1, set()
    code = blank(text[:tables[0].end])
    while "{" in code[begin:]:
        begin = code.index("{", begin)
        end = matching(code, begin)
        name = re.match(r'\{\s*"([^"]+)"', text[begin:end])
        if not name:
            return None
        if words_of(code[begin:end]) & known[2]:
            found.add(name[1])
        begin = end
    return found or None


def line_at(text, at):
    """What tells the compiler which line begins behind it."""
    number = text.count("\n", 0, at) + 1
    return f"#line {number}\n"


def copies_of(text, mutant, number):
    """{where an item ends: its copy for the mutant}; None where it cannot be one of several."""
    known = parts(text, mutant)
    if not known:
        return None
    items, changed, names, copied = known
    found = {}
    for item in items:
        if item.begin == changed.begin:
            own = mutant[item.begin:item.end + len(mutant) - len(text)]
        elif item.begin in copied or "STEP" in item.words:
            own = text[item.begin:item.end]
        else:
            continue
        own = renamed(own, names, number)
        if "STEP" in item.words:
            own = re.sub(r"\bSTEP\(", f"MUTANT_STEP({number}, ", own)
        found[item.end] = line_at(text, item.begin) + own
    return found


def source(text, mutants):
    """(the file with these mutants, each the text of a whole file; the numbers of those that it has, from 1)"""
    taken = []
    copies = collections.defaultdict(list)
    for number, mutant in enumerate(mutants, 1):
        found = copies_of(text, mutant, number)
        for end, own in (found or {}).items():
            copies[end].append(own)
        if found:
            taken.append(number)
    out, last, head = [], 0, HEAD  # behind what the file includes: a family may have an element type of its own
    for item in items_of_text(text):
        if head and "STEP" in item.words:
            out += [text[last:item.begin], head, line_at(text, item.begin)]
            last, head = item.begin, ""
        if item.end in copies:
            out += [text[last:item.end], "\n", "\n".join(copies[item.end]), "\n", line_at(text, item.end)]
            last = item.end
    listed = ", ".join(f"&mutant_{number if number in taken else 0}" for number in range(len(mutants) + 1))
    return "".join(out) + text[last:] + TAIL.format(mutants=listed), taken
