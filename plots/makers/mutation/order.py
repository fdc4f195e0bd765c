"""
Mutants in the order of things: who a fence speaks to, what a barrier waits for, which copies have
come, and what a launch leaves for the next one.
"""
import re

from .text import matching

BARRIERS = r"(?:__syncthreads\(\)|__syncwarp\(\)|cooperative_groups::this_grid\(\)\.sync\(\));"


def narrower(code):
    """The names that stand for the scope of a device, each with one for a block."""
    names = {"cuda::thread_scope_device": "cuda::thread_scope_block"}
    macros = dict(re.findall(r"^#define (\w+) (cuda::thread_scope_\w+)$", code, re.MULTILINE))
    blocks = [name for name, value in macros.items() if value == "cuda::thread_scope_block"]
    for name, value in macros.items():
        if value == "cuda::thread_scope_device":
            names[name] = blocks[0] if blocks else "cuda::thread_scope_block"
    return names


def scopes(source, found):
    for _, a, b in found(r"__threadfence\(\);"):
        yield "scope", a, b, "__threadfence_block();"
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
    yield from waits(found)
    yield from divergent(code, begin, found)
    yield from stale(code, found)
