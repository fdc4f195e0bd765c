"""What the steps say of themselves: --describe, and the launches that it lists."""
import difflib
import json
import shlex
import subprocess

from common.commands.practice import shelf
from common.commands.runner import build, lines
from common.commands.runner.command import given
from common.commands.runner.screen import Stop


def describe(folder, steps=None):
    """The descriptions of these steps of a build, or of all, in teaching order."""
    found = []
    for step in steps or build.steps(folder):
        command = [build.program(folder, step), "--describe"]
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  stdin=subprocess.DEVNULL, encoding="utf-8", errors="replace",
                                  check=False)
            found.append(json.loads(done.stdout))
        except OSError as error:
            raise Stop(f"{command[0]}: {error.strerror}", 3) from None
        except ValueError:
            said = (done.stderr.strip().splitlines() or ["it prints no JSON"])[-1]
            raise Stop(f"{step} --describe: {said}", 3) from None
    return found


def chosen(root, names):
    """The steps that are named, by their own name or their family's; all without a name. In teaching order, and known
    before anything is built."""
    families = {step: family for step, (family, _) in shelf.steps(root).items()}
    for name in names:
        if name not in families and name not in families.values():
            accepted = [*families, *dict.fromkeys(families.values())]
            near = difflib.get_close_matches(name, accepted, 1)
            raise Stop(f"unknown step {name}" + (f": did you mean {near[0]}?" if near else "") +
                       f" (accepted: {' '.join(accepted)})", 2)
    return [step for step, family in families.items() if not names or {step, family} & set(names)]


def write(descriptions, path):
    """A JSON array, a line per step."""
    with open(path, "w", encoding="utf-8") as file:
        file.write("[\n" + ",\n".join(map(json.dumps, descriptions)) + "\n]\n")


def launches(description, kind):
    """The lines of one kind for the backend that the step is built for, each a list of words. A
    line that names variants is left out where none of them is there: in a student's copy of a step."""
    declared = description["launches"].get(kind, {}).get(description["backend"], [])
    own = {variant["name"] for variant in description["variants"] if variant["role"] == "step"}
    words = [shlex.split(line) for line in declared]
    return [line for line in words
            if own.intersection(lines.parse(line).get("variant") or own)]


def has_peers(description, words=()):
    """A library beside ours for the element type of these options. On the CPU device it has the simulation's times,
    which say nothing."""
    kind = lines.parse(list(words)).get("type") or description["types"][:1]
    return description["backend"] == "cuda" and any(
        variant["role"] == "peer" and set(kind) <= set(variant["types"]) for variant in description["variants"])


def lacks_nccl(description):
    """Whether its family works on several GPUs, and the build found no NCCL to run beside it."""
    return description["backend"] == "cuda" and not has_peers(description) and \
        any(axis["name"] == "devices" for axis in description["axes"])


def swept(description):
    """The options whose values --sweep gives, so that it excludes them."""
    if description["sweep"] == "blocks":
        return ["blocks"]
    return [axis["option"] for axis in description["axes"]]


def chooses_size(description, words):
    """Whether options on the command line set a size, or a sweep, themselves."""
    options = {"sweep", *swept(description), *(axis["option"] for axis in description["axes"])}
    return any(given(words, option, lines.LETTERS.get(option, "")) for option in options)


def lessons(description):
    """The lines that show what a large array hides, each as fitted gives it: variants with a grid of
    their own keep that."""
    return [part for line in launches(description, "lesson")
            for part in fitted(description, line, own_shape=True)]


def fitted(description, words, own_shape=False):
    """
    The line, cut down to what the variants take, as a list of lines: most often one; with -v where
    variants differ in what they take, and none where none but a library takes it. own_shape: a variant
    with a grid of its own is not given another.
    """
    groups, named = {}, lines.parse(words).get("variant")
    asked = [variant for variant in description["variants"]
             if not named or variant["name"] in named]
    if named and len(asked) < len(named):
        return [list(words)]  # the program says which it has not
    for variant in asked:
        line = _fit(lines.without(words, "variant"), variant, description["types"][0])
        if line and own_shape and variant["takes"].get("own_shape") and lines.value(line, "blocks"):
            line = lines.without(line, "blocks", "threads")
        if line is not None:
            groups.setdefault(tuple(line), []).append(variant["name"])
    fit = {name for names in groups.values() for name in names}
    if all(variant["role"] == "peer" for variant in asked if variant["name"] in fit):
        return []  # a library's rate stands beside a step's
    if list(map(len, groups.values())) == [len(description["variants"])]:
        return [list(line) for line in groups]
    return [[*line, *(word for name in names for word in ("-v", name))]
            for line, names in groups.items()]


def _fit(words, variant, default):
    """As lines.fit; and without threads where the variant has its own."""
    line, threads = lines.fit(words, variant, default), lines.value(words, "threads")
    if line and threads and (variant["takes"]["threads_by_size"] or
                             variant["takes"]["threads"] not in (None, int(threads))):
        return lines.without(line, "threads")
    return line
