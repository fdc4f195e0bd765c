"""The launches by which a kernel is judged, in the order in which they are tried: small ordinary ones first."""
import math
import re

from common.commands.runner import lines, series

ONCE = ["-r", "1", "-w", "0"]
ORDINARY = {1: 1000, 2: 2000, 3: 40000}  # elements of a small problem, by its number of dimensions


def size_of(words):
    """The numbers of -n; none where the line has no such option."""
    given = lines.value(words, "size") or ""
    return [lines.number(part) for part in given.split("x")] if re.fullmatch(r"[\d^x]+", given) else []


def oddity(words):
    """How far a launch is from a small ordinary one: of nothing, of single elements, much larger or smaller, of a
    block that is no whole number of warps, of arrays off their alignment, of an input that is chosen."""
    sizes, threads = size_of(words), int(lines.value(words, "threads") or 32)
    if not sizes:
        return (0, 1)
    if min(sizes) <= 1:
        return (1 + (min(sizes) == 0), 0)
    ordinary = ORDINARY.get(len(sizes), 40000)
    return (0, abs(round(math.log2(math.prod(sizes) / ordinary))) + (threads % 32 > 0) +
            (lines.value(words, "offset") is not None) + (lines.value(words, "input") is not None))


def of(description, variants, more):
    """[(variant, words)] of what shows a wrong kernel (the lines "mutated" and "checked"), for these variants."""
    found = []
    for purpose in ("mutated", "checked"):
        for line in series.launches(description, purpose):
            for part in series.fitted(description, lines.without(line, "runs", "warmup")):
                named = lines.parse(part).get("variant") or variants
                words = lines.without(part, "variant")
                found += [(name, [*words, *ONCE, "-v", name, *more]) for name in variants if name in named]
    unique = {(name, tuple(words)): (name, words) for name, words in found}
    return sorted(unique.values(), key=lambda each: oddity(each[1]))
