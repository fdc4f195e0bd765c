"""
Mutants in the order of things: who a fence speaks to, what a barrier waits for, which copies have
come, and what a launch leaves for the next one.
"""
import re

from .text import matching, until

BARRIERS = r"(?:__syncthreads\(\)|__syncwarp\(\)|cooperative_groups::this_grid\(\)\.sync\(\));"


def narrower(code):
    """The names that stand for the scope of a device, each with one for a block; for that of the system, one for
    a device."""
    names = {"cuda::thread_scope_device": "cuda::thread_scope_block",
             "cuda::thread_scope_system": "cuda::thread_scope_device"}
    macros = dict(re.findall(r"^#define (\w+) (cuda::thread_scope_\w+)$", code, re.MULTILINE))
    blocks = [name for name, value in macros.items() if value == "cuda::thread_scope_block"]
    for name, value in macros.items():
        if value == "cuda::thread_scope_device":
            names[name] = blocks[0] if blocks else "cuda::thread_scope_block"
    return names


def scopes(source, found):
    for _, a, b in found(r"__threadfence\(\);"):
        yield "scope", a, b, "__threadfence_block();"
    for _, a, b in found(r"__threadfence_system\(\);"):
        yield "scope", a, b, "__threadfence();"
    for m, a, b in found(r"\b(atomic(?:Add|Inc|Exch|CAS|Min|Max))(?=\()"):
        yield "scope", a, b, m.group() + "_block"
    for wide, narrow in narrower(source).items():
        for _, a, b in found(rf"(?<![\w:]){wide}\b"):
            yield "scope", a, b, narrow


def waits(found):
    for m, a, b in found(r"__pipeline_wait_prior\(([^;]*)\);"):
        yield "wait", a, b, ";"
        yield "wait", a, b, f"__pipeline_wait_prior({m.group(1)} + 1);"
    for _, a, b in found(r"__pipeline_commit\(\);"):
        yield "wait", a, b, ";"


def guarded(code, begin, at):
    """Where the statement begins that ends just before `at`, if an if without braces guards it."""
    for m in re.finditer(r"\bif \(", code[begin:at]):
        first = matching(code, begin + m.end() - 1) + 1
        first += len(code[first:]) - len(code[first:].lstrip())
        if re.fullmatch(r"(?!(?:if|for|while|do)\b)[^;{}]*;\s*", code[first:at]):
            return first
    return None


def statement_before(code, begin, at):
    """Where the statement begins, with the if that guards it, that ends just before `at`; None after a brace."""
    end = begin + len(code[begin:at].rstrip())
    depth, first = 0, end - 1
    if code[first] != ";":
        return None
    while depth or code[first - 1] not in ";{}":
        first -= 1
        depth += (code[first] == ")") - (code[first] == "(")
    return first + len(code[first:end]) - len(code[first:end].lstrip())


def early(code, begin, found):
    """The statement that stores a flag, before the one that stood before it; a fence stays behind that."""
    for m, _, b in found(r"(__threadfence(?:_system)?\(\);\s*)?(?:\*\(volatile [^;=]*\) ?=[^;=]*;|"
                         r"\.store\([^;]*memory_order_release\);)"):
        fence = m.group(1) or ""
        if m.group().endswith("release);"):
            first = statement_before(code, begin, b)
        elif fence:
            first = begin + m.start()
        else:
            continue
        before = statement_before(code, begin, first)
        if before is not None and "memory_order_release" not in code[before:first]:
            flag = code[first:b][len(fence):]
            yield "early", before, b, f"{flag} {code[before:first].rstrip()} {fence.rstrip()}".rstrip()


def epochs(found, code):
    """The number that a barrier across devices or a wait for a flag waits for, less one."""
    for _, _, b in found(r"\b(?:wait_for_devices|await_word)\("):
        first = until(code, b, (",",)) + 1
        last = until(code, first, (",",))
        yield "epoch", first, last, code[first:last] + " - 1"


def divergent(code, begin, found):
    """Into the condition of the statement before, if that is an if without braces; else into one
    that the last thread fails."""
    for m, a, b in found(BARRIERS):
        at = guarded(code, begin, a)
        if at is None:
            yield "divergent", a, b, f"if (threadIdx.x + 1 < blockDim.x) {m.group()}"
        else:
            yield "divergent", at, b, "{ " + code[at:a].rstrip() + " " + m.group() + " }"


def stale(source, found):
    """A word of the program's own set to zero for the next launch."""
    for name in re.findall(r"__device__ (?:\w+ )+(\w+)(?: = [^;]*)?;", source):
        for _, a, b in found(rf"(?<![\w.>]){name} = 0;"):
            yield "stale", a, b, ";"


def edits(code, begin, found):
    """(kind, from, to, the text that takes its place) of a device function; found(pattern) looks in
    its body, which begins at `begin`."""
    for _, a, b in found(r"__syncwarp\(\);"):
        yield "vote", a, b, "(void)__ballot_sync(0xffffffff, 1);"
    yield from scopes(code, found)
    yield from early(code, begin, found)
    yield from epochs(found, code)
    yield from waits(found)
    yield from divergent(code, begin, found)
    yield from stale(code, found)
