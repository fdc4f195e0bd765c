"""
Functions that stand in headers of the families and of the kit, and that several steps share. Each is a mutant's of the
first step, in teaching order, that uses it; but a step without device functions of its own has those that it uses of
the headers that it includes itself. Its text is the step's file with these headers in the place of their
#include: so nothing but this program has the change, and one program may have many.
"""
import collections
import functools
import os
import re

from common.commands.drive.support import SOURCE, all_steps

from . import make, reach
from .text import blank

INCLUDED = re.compile(r'^#include "((?:families|harness/kit)/[^"\n]+)"[^\n]*\n', re.MULTILINE)
MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)((?:\\\n|[^\n])*)", re.MULTILINE)
DEVICE = re.compile(r"__(?:global|device)__")

# A part of the text, from `begin` on: the header that it is of, "" for the step's own file, and the number of its first
# line there.
Part = collections.namedtuple("Part", "begin header line")
Expanded = collections.namedtuple("Expanded", "text parts")


@functools.lru_cache(maxsize=None)
def text_of(header):
    with open(os.path.join(SOURCE, "common", header), encoding="utf-8") as file:
        return file.read()


@functools.lru_cache(maxsize=None)
def has_functions(header):
    """It has device functions, or includes a header that has."""
    text = text_of(header)
    return bool(DEVICE.search(blank(text))) or any(map(has_functions, INCLUDED.findall(text)))


def pieces(text, header, seen):
    """(the header, the number of the first line, the text) of what a file is made of; a header stands there once."""
    last = 0
    for m in INCLUDED.finditer(text):
        if not has_functions(m[1]):
            continue
        yield header, text.count("\n", 0, last) + 1, text[last:m.start()]
        if m[1] not in seen:
            seen.add(m[1])
            yield from pieces(text_of(m[1]), m[1], seen)
        last = m.end()
    yield header, text.count("\n", 0, last) + 1, text[last:]


@functools.lru_cache(maxsize=None)
def expanded(step):
    """The step's file with the headers in it."""
    with open(os.path.join(SOURCE, "steps", step, step + ".cu"), encoding="utf-8") as file:
        return expand(file.read())


def expand(own):
    out, parts, begin = [], [], 0
    for header, line, text in pieces(own, "", set()):
        parts.append(Part(begin, header, line))
        out.append(text)
        begin += len(text)
    return Expanded("".join(out), parts)


def place(of_step, at):
    """(the header, "" for the step's own file; the number of the line there) of what stands there in the text"""
    part = [part for part in of_step.parts if part.begin <= at][-1]
    return part.header, part.line + of_step.text.count("\n", part.begin, at)


def closure(words, users):
    """These words, and those of all (name, its words) that they name, directly or not."""
    while True:
        more = {word for name, of_name in users if name in words for word in of_name}
        if more <= words:
            return words
        words = words | more


def used_of(of_step, wrong):
    """{(header, function)}: what stands in headers, and what stands in the step's own file uses, directly or not, less
    the kernels there that are wrong on purpose."""
    code = blank(of_step.text)
    items = list(reach.items_of(code))
    macros = [(m[1], reach.words_of(m[2])) for m in MACRO.finditer(of_step.text)]
    own = [item for item in items if not place(of_step, item.begin)[0] and item.name not in wrong]
    words = closure({word for item in own for word in item.words},
                    [*macros, *((item.name, item.words) for item in items)])
    functions = functions_of(of_step, items)
    return {(header, name) for header, name, item in functions.values() if header and item.name in words}


def functions_of(of_step, items):
    """{where its head begins: (header, name, item)} of each device function; STRUCT::NAME is one of a structure."""
    found = {}
    for function, head, _, _ in make.device_functions(blank(of_step.text)):
        item = next(item for item in items if item.begin <= head < item.end)
        found[head] = place(of_step, head)[0], f"{item.name}::" * (item.name != function) + function, item
    return found


@functools.lru_cache(maxsize=None)
def used(step):
    of_step = expanded(step)
    return used_of(of_step, make.kernels_wrong_on_purpose(step)) if len(of_step.parts) > 1 else set()


def own_headers(step):
    """The headers that a step includes whose device functions are all in headers; else none."""
    of_step = expanded(step)
    own = any(not place(of_step, head)[0] for _, head, _, _ in make.device_functions(blank(of_step.text)))
    with open(os.path.join(SOURCE, "steps", step, step + ".cu"), encoding="utf-8") as file:
        return [] if own else INCLUDED.findall(file.read())


@functools.lru_cache(maxsize=None)
def judges():
    """{(header, function): the step that its mutants are judged by}"""
    found = {}
    for step in all_steps():
        own = own_headers(step)
        for function in used(step):
            found.setdefault(function, step)
            if function[0] in own:
                found[function] = step
    return found


def mutants_of(step):
    """Those of the header functions that this step judges."""
    own = {function for function, judge in judges().items() if judge == step}
    of_step = expanded(step)
    if not own:
        return
    code = blank(of_step.text)
    functions = functions_of(of_step, list(reach.items_of(code)))

    def named(_, head):
        header, name, _ = functions[head]
        return f"{header}:{name}" * ((header, name) in own)

    yield from make.mutants_from(step, of_step.text, code, make.device_edits(code, of_step.text, named),
                                 lambda at: place(of_step, at)[1])
