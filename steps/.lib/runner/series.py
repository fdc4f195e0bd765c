"""What the steps say of themselves: --describe, and the launches that it lists."""
import json
import shlex
import subprocess

from runner import build
from runner.command import given
from runner.screen import Stop

LETTERS = {"size": "n", "sweep": "s", "blocks": "b", "threads": "t", "runs": "r",
           "warmup": "w"}


def describe(folder):
    """The descriptions of all steps of a build, in teaching order."""
    found = []
    for step in build.steps(folder):
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


def write(descriptions, path):
    """A JSON array, a line per step."""
    with open(path, "w", encoding="utf-8") as file:
        file.write("[\n" + ",\n".join(map(json.dumps, descriptions)) + "\n]\n")


def launches(description, kind):
    """The lines of one kind for the backend that the step is built for, each a list of words."""
    lines = description["launches"].get(kind, {}).get(description["backend"], [])
    return [shlex.split(line) for line in lines]


def has_peers(description):
    return any(variant["role"] == "peer" for variant in description["variants"])


def spellings(option):
    letter = LETTERS.get(option)
    return ["--" + option] + (["-" + letter] if letter else [])


def value(words, option):
    """What a line gives for an option, or None."""
    found = None
    for at, word in enumerate(words):
        if word in spellings(option) and at + 1 < len(words):
            found = words[at + 1]
        elif word.startswith("--" + option + "="):
            found = word.partition("=")[2]
    return found


def without(words, *options):
    """A line without these options and their values."""
    kept, skip = [], False
    for word in words:
        if skip:
            skip = False
        elif any(word in spellings(o) for o in options):
            skip = True
        elif not any(word.startswith("--" + o + "=") for o in options):
            kept.append(word)
    return kept


def replaced(words, option, new):
    return without(words, option) + ["--" + option, new]


def swept(description):
    """The options whose values --sweep gives, so that it excludes them."""
    if description["sweep"] == "blocks":
        return ["blocks"]
    return [axis["option"] for axis in description["axes"]]


def chooses_size(description, words):
    """Whether options on the command line set a size, or a sweep, themselves."""
    options = {"sweep", *swept(description), *(axis["option"] for axis in description["axes"])}
    return any(given(words, option, LETTERS.get(option, "")) for option in options)


def fitted(description, words):
    """
    The line, cut down to what the variants take, as a list of lines: most often one; with -v where
    variants differ in what they take, and none where no variant has the line's type.
    """
    groups = {}
    for variant in description["variants"]:
        line = _fit(words, variant)
        if line is not None:
            groups.setdefault(tuple(line), []).append(variant["name"])
    if list(map(len, groups.values())) == [len(description["variants"])]:
        return [list(line) for line in groups]
    return [[*line, *(word for name in names for word in ("-v", name))]
            for line, names in groups.items()]


def _fit(words, variant):
    takes, threads = variant["takes"], value(words, "threads")
    if value(words, "type") not in (None, *variant["types"]):
        return None
    if takes.get("blocks", "any") != "any":
        words = without(words, "blocks")
    if threads and takes.get("threads") not in (None, int(threads)):
        words = without(words, "threads")
    return words
