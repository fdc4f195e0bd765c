"""
Launches of the steps that a seed chooses, for counters that nobody looked at before: a step, one of its
variants, an element type, sizes and what else it has axes for, a grid, threads, and where the input starts.

Steps come without repetition until all have had their turn. All else is drawn between bounds that follow
from what the step says of itself on the CPU device, as that one's record has it, because the CPU device is to count
each launch, too, and in seconds. What the step's own rules refuse is drawn anew. So the same seed gives the same
launches on each device that takes them.
"""
import functools
import itertools
import json
import math
import random

from common.commands.drive.shapes import THREADS, axis_values, broken, elements, number, parse
from common.commands.drive.support import steps
from plots import recorded

ARRAY = 2**18  # elements of an array or a matrix, at most
PRODUCT = 2**26  # multiply-adds of a product of matrices, at most
SIDES = {2: 2**10, 3: 2**9}  # the longest side, by their number
BLOCKS = 264
ROWS = 2**20  # threads, where a row of the array may take a block
RESIDENT = 16  # of those that must all be there at once: each device holds so many
TRIES = 1000  # draws until the rules take one

TIMING = "its warps poll shared memory for one another, and how often is a matter of timing"
LEFT_OUT = {  # what cannot be compared, and that no flag tells
    "scan-segmented-stream": TIMING,
    "compact-stream": TIMING,
    "block-sync-cooperative": "the toolkit's grid barrier reads words of its own, which the CPU device's does not have",
}


@functools.lru_cache(maxsize=None)
def record():
    """{step: what it says of itself on the CPU device}"""
    with open(recorded.place("describe.json", device=recorded.CPU), encoding="utf-8") as file:
        return {told["step"]: told for told in json.load(file)}


def why_not_step(name):
    """Why no variant of a step is chosen; "": they are."""
    if name not in record():
        return "the CPU device's record does not have it yet"
    if any(axis["name"] == "devices" for axis in record()[name]["axes"]):
        return "it is for several devices"
    return LEFT_OUT.get(name, "")


def why_not(variant):
    """Why this variant of a step is not chosen; "": it is."""
    if "wrong_on_purpose" in variant["flags"]:
        return "it is wrong on purpose"
    if variant["library"] or variant["role"] == "host":
        return "it has no kernel of ours"
    if "waits" in variant["flags"] and variant["takes"]["blocks"] == "by_size":
        return "its blocks wait for each other, and one block alone cannot be asked for"
    return ""


def countable(name):
    """The variants of a step that may be chosen."""
    return [] if why_not_step(name) else [v for v in record()[name]["variants"] if not why_not(v)]


def left_out():
    """[(step or step/variant, why it is not chosen)]"""
    found = []
    for name in steps():
        if why_not_step(name):
            found.append((name, why_not_step(name)))
        else:
            found += [(f"{name}/{v['name']}", why_not(v)) for v in record()[name]["variants"] if why_not(v)]
    return found


def places(seed, count):
    """[(place, step)]: so many steps in an order that the seed gives."""
    order = [name for name in steps() if countable(name)]
    random.Random(f"{seed}").shuffle(order)
    return list(enumerate(itertools.islice(itertools.cycle(order), count if order else 0)))


def between(rng, low, high):
    """A number of low to high, each order of magnitude as likely as the others."""
    return min(high, int(math.exp(rng.uniform(math.log(low), math.log(high + 1)))))


def size(rng, axis, sides):
    """A value of an axis of the array's size."""
    most = SIDES.get(sides) or min(ARRAY, axis["default"]["cpu"])
    return between(rng, max(1, math.isqrt(most)), most)


def other(rng, axis, only):
    """A value of another axis: one that the variant takes or that is tested, or one between these."""
    known = only or [*axis["test"], axis["default"]["cpu"]]
    if only or rng.random() < 0.5:
        return rng.choice(known)
    return between(rng, min(known) + 1, max(known) + 1) - 1  # a logarithm has no 0


def axes(rng, told, variant):
    """{axis: value}. An array has at least one row, or one transform."""
    sides = sum(axis["option"] == "size" for axis in told["axes"])
    values = {axis["name"]: size(rng, axis, sides) if axis["option"] == "size" else
              other(rng, axis, variant["takes"]["only"].get(axis["name"])) for axis in told["axes"]}
    if sides == 1:
        values["n"] = max(values["n"], values.get("cols", 0), values.get("length", 0))
    return values


def grid(rng, told, variant):
    """The words for blocks and threads, where the variant has a choice."""
    takes, words = variant["takes"], []
    if "blocks" in told["options"] and takes["blocks"] != "by_size":
        alone = takes["blocks"] == "one" or "waits" in variant["flags"]
        words += ["-b", 1 if alone else between(rng, 1, RESIDENT if takes["resident"] else BLOCKS)]
    if takes["threads"] is None and not takes["threads_by_size"] and len(told["test"]["threads"]) > 1:
        words += ["-t", rng.choice([2**rng.randint(5, 10), 32 * rng.randint(1, 32), rng.randint(1, 1024)])]
    return words


def offset(rng, told, variant):
    """The words for where the inputs start; half of them are aligned."""
    multiple = 4 if variant["takes"]["whole_quads"] else 1
    moved = [value for value in told["test"]["offsets"] if value and value % multiple == 0]
    return ["--offset", rng.choice(moved)] if moved and rng.random() < 0.5 else []


def draw(rng, told):
    """A variant and a line of options; the line may be one that the variant does not take."""
    variant = rng.choice(countable(told["step"]))
    values = axes(rng, told, variant)
    words = ["-n", "x".join(str(values[axis["name"]]) for axis in told["axes"] if axis["option"] == "size")]
    for axis in told["axes"]:
        words += [] if axis["option"] == "size" else ["--" + axis["option"], values[axis["name"]]]
    words += [*grid(rng, told, variant), *offset(rng, told, variant)]
    words += ["--type", rng.choice(variant["types"])] if "type" in told["options"] else []
    return variant, " ".join(map(str, [*words, "-v", variant["name"]]))


def is_small(told, line):
    """Whether the CPU device counts it in seconds."""
    sides, asked = sum(axis["option"] == "size" for axis in told["axes"]), parse(line)
    values = axis_values(told, asked)
    n, threads = elements(told, values), number(asked.get("threads", [str(THREADS)])[-1])
    return n <= (PRODUCT if sides == 3 else ARRAY) and ("cols" not in values or sides > 1 or
                                                       n // values["cols"] * threads <= ROWS)


def lines(seed, place, name):
    """The lines of options of one place, one after the other: the first that the program does not refuse counts."""
    rng, told = random.Random(f"{seed} {place} {name}"), record()[name]
    for _ in range(TRIES):
        variant, line = draw(rng, told)
        if is_small(told, line) and not broken(name, variant, line):
            yield line
