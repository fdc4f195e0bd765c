"""
Many mutants of a step in one source, each a branch: `if (mutant_is(3))` stands before the changed statement, and the
statement as it was behind `else`; a condition, or what a variable begins with, is chosen by `?`. So the kernels are
compiled once, not once per mutant. The program is the mutant whose number its own name ends in; without a number it is
the step. Where REACHED names a file, the step writes there the numbers of the mutants whose place it came to, of those
of a value that can be computed twice only where it differs: the others would have run as the step did.
"""
import collections
import re

from .text import blank, matching, until
from .reach import changed_span

# The number is read by an instruction of the compiler's user, because -fsanitize=thread calls a function for each load.
HEAD = """static int mutant_number __attribute__((used)) = 0;
extern "C" bool mutant_reached(int number);

static inline int mutant_chosen(void)
{
    int number;

#if defined(__x86_64__)
    __asm__("movl %1, %0" : "=r"(number) : "m"(*&mutant_number));
#elif defined(__aarch64__)
    __asm__("ldr %w0, %1" : "=r"(number) : "m"(*&mutant_number));
#else
    number = mutant_number;
#endif
    return number;
}

static inline bool mutant_is(int number)
{
    int chosen = mutant_chosen();

    return chosen == number || (chosen < 0 && mutant_reached(number));
}

template <class C, class O> static inline auto mutant_of(int number, C change, O own)
{
    int chosen = mutant_chosen();

    return chosen == number || (chosen < 0 && change != own && mutant_reached(number)) ? change : own;
}
#line 1
"""
TAIL = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static bool mutants_reached[MUTANTS + 1];

extern "C" __attribute__((noipa, cold, no_sanitize("thread"))) bool mutant_reached(int number)
{
    mutants_reached[number] = true;
    return false;
}

static __attribute__((destructor)) void tell_reached(void)
{
    const char *path = getenv("REACHED");
    FILE *file = path ? fopen(path, "w") : NULL;

    for (int number = 1; file && number <= MUTANTS; number++)
        if (mutants_reached[number])
            fprintf(file, "%d\\n", number);
    if (file)
        fclose(file);
}

static __attribute__((constructor)) void choose_mutant(int argc, char **argv)
{
    const char *dot = argc > 0 ? strrchr(argv[0], '.') : NULL;

    mutant_number = dot ? atoi(dot + 1) : getenv("REACHED") ? -1 : 0;
}
"""

# A statement: kind is "simple", "label", "block" or a keyword; exprs: (how they are chosen, begin, end) of what stands
# in its brackets; lists: the lists of statements in it.
Statement = collections.namedtuple("Statement", "kind begin end exprs lists")
Region = collections.namedtuple("Region", "begin end how")

FIXED = re.compile(r"\b(?:constexpr|static|extern|__shared__|typedef|using|static_assert|struct|union|enum)\b")
DECLARATION = re.compile(r"(?!return\b|goto\b|delete\b|throw\b)(?:(?:const|volatile|unsigned|signed|long|short)\s+)*"
                         r"(?:::)?\w+(?:::\w+)*(?:<[^;=]*>(?:::\w+)*)?(?:\s+(?:const|long|int|char|short))*[\s*&]+"
                         r"(?:const\s+|__restrict__\s+)*\w+\s*(?:[=;,({]|\[)")


def spaces(code, at):
    return at + len(code[at:]) - len(code[at:].lstrip())


def statement(code, at):
    """The statement that begins there, of a blanked text."""
    word = re.compile(r"(if|for|while|switch)\s*(?:constexpr\s*)?\(").match(code, at)
    label = re.compile(r"(?:case\b(?:[^:;]|::)*|default\s*):(?!:)").match(code, at)
    if label:
        return Statement("label", at, label.end(), [], [])
    if code[at] == "{":
        end = matching(code, at)
        return Statement("block", at, end + 1, [], [statements(code, at + 1, end)])
    if re.compile(r"do\b").match(code, at):
        body = statement(code, spaces(code, at + 2))
        first = code.index("(", body.end)
        last = matching(code, first)
        return Statement("do", at, code.index(";", last) + 1, [("value", first + 1, last)], [[body]])
    if not word:
        return Statement("simple", at, until(code, at, (";",)) + 1, [], [])
    first, last = word.end(), matching(code, word.end() - 1)
    body = statement(code, spaces(code, last + 1))
    lists, end = [[body]], body.end
    if word[1] == "for":
        semicolon = until(code, first, (";",), last)
        second = until(code, semicolon + 1, (";",), last)
        exprs = [("first", first, semicolon), ("value", semicolon + 1, second), ("void", second + 1, last)]
        exprs = exprs if semicolon < last else []
    else:
        exprs = [] if "constexpr" in word[0] else [("value", first, last)]
    behind = spaces(code, end)
    if word[1] == "if" and re.compile(r"else\b").match(code, behind):
        other = statement(code, spaces(code, behind + 4))
        lists, end = [*lists, [other]], other.end
    return Statement(word[1], at, end, exprs, lists)


def statements(code, at, end):
    found, at = [], spaces(code, at)
    while at < end:
        found.append(statement(code, at))
        at = spaces(code, found[-1].end)
    return found


def of_variable(code, begin, end, a, b):
    """What a variable begins with, where a declaration that is no constant has the change there."""
    at = begin
    if FIXED.search(code[begin:end]):
        return None
    while at < end:
        equals = until(code, at, ("=",), end)
        at = until(code, equals + 1, (",", ";"), end)
        first = spaces(code, equals + 1)
        if first <= a and b <= at:
            return None if code[first] == "{" else Region(first, at, "value")
    return None


def region(code, listed, a, b):
    """The smallest part of these statements that has the change from a to b, and may be chosen when it runs; None where
    there is none."""
    over = [s for s in listed if s.begin <= b and s.end >= a and not (s.end == a < b or s.begin == b > a)]
    inside = [s for s in over if s.begin <= a and b <= s.end]
    if len(inside) == 1:
        s = inside[0]
        for of_list in s.lists:
            if of_list and of_list[0].begin <= a and b <= of_list[-1].end:
                return region(code, of_list, a, b)
        for how, first, last in s.exprs:
            if first <= a and b <= last:
                if how == "first" and DECLARATION.match(code, spaces(code, first)):
                    return of_variable(code, first, last, a, b)
                return Region(first, last, "void" if how == "first" else how)
        if s.kind == "simple" and (FIXED.match(code, s.begin) or DECLARATION.match(code, s.begin)):
            return of_variable(code, s.begin, s.end, a, b)
        over = [s]
    if not over or over[0].begin > a or over[-1].end < b:
        return None
    for s in over:
        if s.kind == "label" or s.kind == "simple" and (FIXED.match(code, s.begin) or DECLARATION.match(code, s.begin)):
            return None
    return Region(over[0].begin, over[-1].end, "statement")


def bodies(code):
    """The lists of statements of all functions of a blanked text: of each `) {` outside of functions."""
    at = 0
    for m in re.finditer(r"\)\s*(?:const\s*)?\{", code):
        if m.start() >= at:
            first, at = m.end() - 1, matching(code, m.end() - 1)
            yield first, at, statements(code, first + 1, at)


def regions(text, mutants):
    """{number: (its region, the region's text with the change)} of the mutants, numbered from 1, that one source can
    have"""
    code, found = blank(text), {}
    functions = list(bodies(code))
    for number, mutant in enumerate(mutants, 1):
        a, b, new_b = changed_span(text, mutant)
        if new_b < a:
            continue
        listed = next((listed for first, end, listed in functions if first < a and b <= end), None)
        where = listed and region(code, listed, a, b)
        if where:
            found[number] = where, mutant[where.begin:where.end + len(mutant) - len(text)]
    taken = []
    for where in sorted({where for where, _ in found.values()}, key=lambda r: (r.begin, -r.end, r.how)):
        if not any(other.begin < where.begin < other.end < where.end or
                   (other.begin, other.end) == (where.begin, where.end) for other in taken):
            taken.append(where)
    return {number: pair for number, pair in found.items() if pair[0] in taken}


# What a value that is computed twice has none of: an access to memory, a change of a variable, a call.
OF_MEMORY = re.compile(r"[\[\]&]|->|(?:^|[(=<>?:|,])\s*\*")
CHANGED = re.compile(r"\+\+|--|(?<![<>=!])=(?!=)|[\w>)]\s*\(")


def twice(code, text):
    """Whether the value of an expression may be computed twice: of numbers and of the variables of a thread alone."""
    shared = " ".join(re.sub(r"\[[^\]]*\]", "", each) for each in re.findall(r"__shared__[^;]*;", code))
    text = text.replace("&&", " and ")
    return not OF_MEMORY.search(text) and not CHANGED.search(text) and \
        not set(re.findall(r"\w+", shared)) & set(re.findall(r"[A-Za-z_]\w*", text))


def chosen(how, changes, own, simple):
    """The text of a region: one of {number: changed text}, or what it was. simple: these can be computed twice."""
    if simple:
        of_mutants = (f"mutant_of({number}, ({change}), " for number, change in changes.items())
        return "".join(of_mutants) + f"({own})" + ")" * len(changes)
    if how == "statement":
        of_mutants = (f"if (mutant_is({number})) {{ {change} }} else " for number, change in changes.items())
        return "{ " + "".join(of_mutants) + f"{{ {own} }} }}"
    cast = "(void)" * (how == "void")
    return "(" + "".join(f"mutant_is({number}) ? {cast}({change}) : " for number, change in changes.items()) + \
        f"{cast}({own}))"


def source(text, mutants):
    """(the file with these mutants, each the text of a whole file; the numbers of those that it has, from 1)"""
    found, changes, code = regions(text, mutants), {}, blank(text)
    for number, (where, change) in found.items():
        changes.setdefault(where, {})[number] = change
    places = sorted(changes, key=lambda r: (r.begin, -r.end))

    def put(begin, end, inner):
        out, at = [], begin
        while inner:
            where = inner[0]
            within = [r for r in inner[1:] if r.end <= where.end]
            inner = [r for r in inner[1:] if r.end > where.end]
            own = text[where.begin:where.end]
            simple = where.how == "value" and all(twice(code, each) for each in (own, *changes[where].values()))
            inside = put(where.begin, where.end, within)
            out += [text[at:where.begin], chosen(where.how, changes[where], inside, simple)]
            at = where.end
        return "".join(out) + text[at:end]

    return HEAD + put(0, len(text), places) + TAIL.replace("MUTANTS", str(len(mutants))), sorted(found)
