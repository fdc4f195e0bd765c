"""
The mutants, of one small change each, of a step's kernels, and of what its launches ask for.
"""
import collections
import functools
import os
import re
import tempfile

from common.commands.drive.counters import base_name
from common.commands.drive.shapes import broken
from common.commands.drive.support import SOURCE, declared, describe, rows_of, run, step

from . import order
from .text import blank, matching, names_before_brackets, squeeze, until

KINDS = collections.OrderedDict([
    ("barrier", "a `__syncthreads()`, a grid's barrier or one across devices deleted"),
    ("warp", "a `__syncwarp()` deleted"),
    ("compare", "`<` to `<=`, `>` to `>=`, and the other way round"),
    ("bound", "what a comparison compares with: one less for `<` and `>=`, one more for `>` and "
              "`<=`; where a loop starts: one more"),
    ("atomic", "an atomic operation, or a volatile access that stands for one, to a plain one"),
    ("fence", "a `__threadfence()`, also that of system scope, deleted; release, acquire to relaxed"),
    ("early", "a flag stored before its data: the store that releases changes places with the statement before it"),
    ("epoch", "a barrier across devices, or a wait for another one's flag, that takes the number before its own"),
    ("stride", "the factor `gridDim.x` dropped; `/= 2` to `/= 4`, `*= 2` to `*= 4`; a loop's step "
               "plus one"),
    ("padding", "a padded tile without its padding"),
    ("scope", "a fence or an atomic for a block, where it was for the device; for the device, where it "
              "was for the system"),
    ("vote", "a `__ballot_sync()`, which orders no memory, instead of a `__syncwarp()`"),
    ("stale", "what is set to zero before a launch, or for the next one, left as it is"),
    ("index", "a function that counts elements in 32 bits: each `size_t` an `unsigned`; run on "
              "arrays of more than 2^32 elements"),
    ("wait", "a wait for asynchronous copies, or the commit before it, deleted; a wait for one "
             "group less; a stream's wait for an event deleted"),
    ("copy", "a copy that a launch function queues, deleted"),
    ("short", "a loop of a launch function that works on several devices, a turn shorter"),
    ("divergent", "a barrier that the last thread, or one that fails the condition before it, does not "
                  "reach"),
])
# What --check must find even if results suffer.
ORDERING = ("barrier", "warp", "atomic", "fence", "early", "epoch", "scope", "vote", "wait", "divergent")

# What takes the place of atomics: the same update in a plain load and a plain store.
PLAIN = """#include <cuda_runtime.h>
template <typename T, typename V> static __device__ inline T plain_atomicAdd(T *p, V v)
{
    T old = *p;
    *p = old + v;
    return old;
}
template <typename T, typename V> static __device__ inline T plain_atomicInc(T *p, V most)
{
    T old = *p;
    *p = old >= most ? 0 : old + 1;
    return old;
}
"""

Mutant = collections.namedtuple("Mutant", "step family function kind change line nth number text")


def key(mutant):
    return (mutant.step, mutant.function, mutant.kind, mutant.change, mutant.line, str(mutant.nth))


def of_header(mutant):
    """The header that its function stands in, "" for the step's own file; and the name of the function."""
    header, _, name = mutant.function.partition(":")
    return (header, name) if name else ("", header)


def where(mutant):
    header, _ = of_header(mutant)
    return f"{mutant.step}: {header}:{mutant.number}" if header else f"{mutant.step}.cu:{mutant.number}"


def title(mutant):
    nth = f" (no. {mutant.nth})" if mutant.nth > 1 else ""
    return f"{where(mutant)} {of_header(mutant)[1]} {mutant.kind}: {mutant.change}{nth}"


def device_functions(code):
    """(name, where its head begins, where its body begins and ends)"""
    for match in re.finditer(r"__(?:global|device)__", code):
        at = match.end()
        while code[at] not in "{;=":
            at = matching(code, at) + 1 if code[at] == "(" else at + 1
        if code[at] == "{":
            yield names_before_brackets(code[match.end():at])[0], match.end(), at, matching(code, at)


def edits(code, head, begin, end):
    """(kind, from, to, the text that takes its place) of a device function."""
    body = code[begin:end]

    def found(pattern):
        return ((m, begin + m.start(), begin + m.end()) for m in re.finditer(pattern, body))

    yield from order.edits(code, begin, found)

    for _, a, b in found(r"__syncthreads\(\);|cooperative_groups::this_grid\(\)\.sync\(\);|wait_for_devices\([^;]*\);"):
        yield "barrier", a, b, ";"
    for _, a, b in found(r"__syncwarp\(\);"):
        yield "warp", a, b, ";"
    for _, a, b in found(r"__threadfence(?:_system)?\(\);"):
        yield "fence", a, b, ";"
    for _, a, b in found(r"memory_order_(?:release|acquire|acq_rel)\b"):
        yield "fence", a, b, "memory_order_relaxed"

    for m, a, b in found(r"(?<=\s)(?:<=|>=|<|>)(?=\s)"):
        other = {"<": "<=", ">": ">=", "<=": "<", ">=": ">"}[m.group()]
        last = until(code, b, (";", ",", "?", ":", "&&", "||", "{"))
        operand = code[b:last].rstrip()
        yield "compare", a, b + len(operand), other + operand
        yield "bound", a, b + len(operand), \
            m.group() + operand + (" - 1" if m.group() in ("<", ">=") else " + 1")
    for _, a, b in found(r"\bfor \("):
        stop = matching(code, b - 1)
        first = until(code, b, (";",))
        second = until(code, first + 1, (";",))
        start = re.match(r"[^=;]*?\b(\w+) = ", code[b:first])
        if start:
            last = until(code, b + start.end(), (",", ";"))
            value = code[b + start.end():last]
            wrapped = f"({value})" if "?" in value else value
            yield "bound", b + start.start(1), last, f"{start.group(1)} = {wrapped} + 1"
        for each in re.finditer(r"(\w+)(\+\+| [+-]= )", code[second + 1:stop]):
            a = second + 1 + each.start()
            last = until(code, second + 1 + each.end(), (",", ";"))
            yield "stride", a, last, f"{each.group(1)} += 2" if each.group(2) == "++" else \
                code[a:last] + " + 1"
    for m, a, b in found(r"\w+ [/*]= 2\b"):
        yield "stride", a, b, m.group()[:-1] + "4"
    for m, a, b in found(r"(\(size_t\))?gridDim\.x \* (?=[\w(])"):
        yield "stride", a, b, m.group(1) or ""
    for _, a, b in found(r" \* gridDim\.x"):
        yield "stride", a, b, ""

    for m, a, b in found(r"\batomic(?:Add|Inc)\b"):
        yield "atomic", a, b, "plain_" + m.group()
    names = {m.group(1): m.group(2) for m in
             re.finditer(r"atomic_ref<[^>]*>\s+(\w+)\(([^;]*)\);", body)}
    for m, a, b in found(r"(?:\b(\w+)|cuda::atomic_ref<[^>]*>\((\*\w+)\))\s*"
                         r"\.(fetch_add|load|store)\("):
        word = names.get(m.group(1)) if m.group(1) else m.group(2)
        if word:
            last = matching(code, b - 1)
            value = code[b:until(code, b, (",",))]
            lines = code[a:last].count("\n") * "\n"
            yield "atomic", a, last + 1, {"fetch_add": f"plain_atomicAdd(&({word}), {value})",
                                          "store": f"{word} = {value}",
                                          "load": f"({word})"}[m.group(3)] + lines
    for _, a, b in found(r"\bvolatile\s+"):
        yield "atomic", a, b, ""
    for m in re.finditer(r"volatile (\w+) \*(\w+)[,)]", code[head:begin]):
        for _, a, b in found(r"(?<=[(\s])\*" + m.group(2) + r"\b"):
            yield "atomic", a, b, f"*({m.group(1)} *){m.group(2)}"
    for m in re.finditer(r"volatile (\w+) \*(\w+)\(", code):  # functions that return such a pointer
        for each, a, b in found(r"(?<![&\w])" + m.group(2) + r"\((\w+)\)(?=\[)"):
            yield "atomic", a, b, f"(({m.group(1)} *){each.group()})"

    for m, a, b in found(r"\[(\w+) \+ 1\](?=;)"):
        yield "padding", a, b, f"[{m.group(1)}]"


def narrow_edit(function, code, text, head, begin, end):
    """The function with an unsigned for each size_t, if it has one, but for its type and for what
    tells an address. A parameter stays as it is for the caller."""
    start = code.rfind("\n\n", 0, head)
    start += re.search(r"\S", code[start:]).start()
    names = re.findall(r"\bsize_t (\w+)(?=[,)])", code[head:begin])
    inner = re.sub(r"\(size_t\)(?=(?:\w+|\([^;()]*\)) [%/] \w*\(?sizeof)|(\bsize_t\b)",
                   lambda m: "unsigned" if m.group(1) else m.group(), text[begin + 1:end])
    if not names and inner == text[begin + 1:end]:
        return []
    outer = text[start:head] + re.sub(r"\bsize_t (\w+)(?=[,)])", r"size_t wide_\1", text[head:begin])
    first = "".join(f" unsigned {name} = (unsigned)wide_{name};" for name in names)
    return [(function, "index", start, end, outer + "{" + first + inner)]


def host_edits(code, device):
    """What a launch function queues: memory set to zero, copies, waits for another stream; for how many devices
    and in how many steps; and the padding that a launch asks for, a pitch and the size of the tile. device: where
    the device functions stand."""
    for m in re.finditer(r"\bfor \([^;]*; \w+ < ", code if "->places[" in code else ""):
        if not any(begin < m.start() < end for begin, end in device):
            last = m.end() + len(code[m.end():until(code, m.end(), (";", "&&"))].rstrip())
            yield "short", m.end(), last, code[m.end():last] + " - 1"
    for m in re.finditer(r"^typedef cuda::atomic_ref<[^;]*;", code, re.MULTILINE):
        yield from order.scopes(code, lambda pattern, m=m: (
            (each, m.start() + each.start(), m.start() + each.end()) for each in re.finditer(pattern, m.group())))
    for kind, call in (("stale", "Memset(?:Async)?"), ("copy", "Memcpy(?:Peer)?(?:Async)?"),
                       ("wait", "StreamWaitEvent")):
        for m in re.finditer(rf"\bcuda{call}\(", code):
            yield kind, m.start(), matching(code, m.end() - 1) + 1, "(void)0"
    for launch in re.finditer(r"<<<[^;]*;", code):
        for m in re.finditer(r"\(?(\bSIDE) \+ 1\)?(?=[ )])", launch.group()):
            if m.group().startswith("(") == m.group().endswith(")"):
                yield "padding", launch.start() + m.start(), launch.start() + m.end(), m.group(1)
            else:
                yield "padding", launch.start() + m.start(), \
                    launch.start() + m.end() - m.group().endswith(")"), m.group(1)


@functools.lru_cache(maxsize=None)
def kernels_wrong_on_purpose(name):
    """The kernels that only variants which are wrong on purpose launch: no mutant of theirs says
    anything. Asked of --counters, since the launches stand in the code alone."""
    told = describe(name)
    unseen = {v["name"]: v for v in told["variants"]}
    if not any("wrong_on_purpose" in v["flags"] for v in told["variants"]):
        return set()
    kernels = {True: set(), False: set()}
    for line in declared(name, "mutated"):
        takes = [v for v in unseen if not broken(name, unseen[v], line)]
        if not takes:
            continue
        with tempfile.TemporaryDirectory() as scratch:
            words = [word for variant in takes for word in ("-v", variant)]
            done = run(step(name), *line.split(), *words, "-r", 1, "-w", 0, "-q", "--counters",
                       "--log", os.path.join(scratch, "log.csv"))
            rows = rows_of(os.path.join(scratch, "log-counters.csv"))
        for row in rows:
            wrong = "wrong_on_purpose" in unseen[row["variant"]]["flags"]
            kernels[wrong].add(base_name(row["kernel"]))
        if not rows:
            raise RuntimeError(f"no kernels are counted\n{done}")
        for variant in takes:
            del unseen[variant]
    if unseen:
        raise RuntimeError(f"{name}: {', '.join(unseen)} takes no launch of \"mutated\"")
    return kernels[True] - kernels[False]


def device_edits(code, text, named):
    """[(function, *edit)] of the device functions, as named(function, where its head begins) names them; "": not of
    this one."""
    made = []
    for function, head, begin, end in device_functions(code):
        name = named(function, head)
        if name:
            made += [(name, *edit) for edit in edits(code, head, begin, end)]
            made += narrow_edit(name, code, text, head, begin, end)
    return made


def mutants_from(step_name, text, code, made, line_of):
    """The mutants of such edits, in the order of the text; line_of(where) is the number of a line."""
    seen, kinds, family = collections.Counter(), list(KINDS), describe(step_name)["family"]
    for function, kind, a, b, new in sorted(made, key=lambda m: (m[2], kinds.index(m[1]), m[4])):
        first, last = text.rfind("\n", 0, a) + 1, text.find("\n", b)
        change = f"{squeeze(text[a:b])} -> {squeeze(new) or 'nothing'}"
        if kind == "index":  # the whole function: told by its first line
            change, last = "size_t -> unsigned", text.find("\n", a)
        what = (function, kind, change, squeeze(code[first:last]))
        seen[what] += 1
        yield Mutant(step_name, family, *what, seen[what], line_of(a), text[:a] + new + text[b:])


def mutants_of(name):
    """Those of the step's own file."""
    with open(os.path.join(SOURCE, "steps", name, name + ".cu"), encoding="utf-8") as file:
        text = file.read()
    code, left_out = blank(text), kernels_wrong_on_purpose(name)
    made = device_edits(code, text, lambda function, _: function * (function not in left_out))
    device = [(head, end) for _, head, _, end in device_functions(code)]
    made += [("(launch)", *edit) for edit in host_edits(code, device)]
    yield from mutants_from(name, text, code, made, lambda at: text.count("\n", 0, at) + 1)
