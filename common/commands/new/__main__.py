"""
A new step of the series: its file, its place in the list of steps, its page, and the lines that lead there.

usage: steps/new FAMILY NAME [--from STEP]

Writes steps/NAME/NAME.cu, steps/NAME/meson.build and docs/NAME.md, a line in steps/meson.build behind the family's
last step, or behind STEP, and lets docs/pages --write make the lines of docs/index.md, README.md and the pages
before and behind. With --from the file is a copy of STEP; without, it is the family's first step with the body of
its kernel yours to write. Nothing that is there is overwritten. CONTRIBUTING.md says how to go on.

Exit status: 0, 2 bad usage, then nothing is written.
"""
import os
import re
import subprocess
import sys

from common.commands import ROOT, course
from common.commands.arguments import Arguments
from common.commands.practice import shelf, source
from common.commands.runner.screen import Screen, Stop, end_of

NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
MESON = "step_programs += executable(name, step_sources, kwargs: step_options)\n"
PAGE = """\
# {name}: {title}

{idea}

<!-- begin: code steps/{name}/{name}.cu {function} -->
<!-- end -->

## Measured

<!-- begin: counters {name} -->
<!-- end -->

<!-- begin: gpu {name} -->
<!-- end -->

## Sources

None yet.
"""


def asked(words):
    """family, name, and copied: the step to copy or None"""
    parser = Arguments("steps/new", __doc__)
    parser.add_argument("family", metavar="FAMILY")
    parser.add_argument("name", metavar="NAME")
    parser.add_argument("--from", dest="copied")
    return parser.parse(words)


def checked(family, name, copied):
    """The step whose file is the model."""
    known = shelf.steps(ROOT)
    of_family = [step for step, (its, _) in known.items() if its == family]
    if not of_family:
        families = dict.fromkeys(its for its, _ in known.values())
        raise Stop(f"{family}: no such family (accepted: {' '.join(families)})", 2)
    if not NAME.fullmatch(name):
        raise Stop(f"{name}: a name is of small letters, digits and single -, and begins with a letter", 2)
    for path in (f"steps/{name}", f"docs/{name}.md"):
        if os.path.lexists(os.path.join(ROOT, path)):
            raise Stop(f"{name}: {path} is there already, and stays as it is; choose another name", 2)
    if copied and copied not in of_family:
        raise Stop(f"--from {copied}: no step of {family} (accepted: {' '.join(of_family)})", 2)
    return copied or of_family[0]


def read(*parts):
    with open(os.path.join(ROOT, *parts), encoding="utf-8") as file:
        return file.read()


def with_line(text, name, family, behind):
    """steps/meson.build with the step's line behind another's, for the same element types."""
    types = shelf.steps(ROOT)[behind][1]
    line = f"  ['{name}', '{family}', [{', '.join(map(repr, types))}]],\n"
    changed, count = re.subn(rf"^  \['{re.escape(behind)}', .*\n", lambda match: match[0] + line, text,
                             flags=re.MULTILINE)
    if count != 1:
        raise Stop(f"steps/meson.build: no line of {behind}", 3)
    return changed


def make(family, name, copied):
    model = checked(family, name, copied)
    text = read("steps", model, model + ".cu")
    function = source.chosen(ROOT, model, text)
    if not copied:
        text, _ = source.cut(text, function, family, model)
    text = source.named(text, model, name)
    last = copied or [step for step, (its, _) in shelf.steps(ROOT).items() if its == family][-1]
    listed = with_line(read("steps", "meson.build"), name, family, last)
    title = f"begun as a copy of {model}" if copied else f"a step of the family {family}"
    shelf.write_new(os.path.join(ROOT, "steps", name, name + ".cu"), text)
    shelf.write_new(os.path.join(ROOT, "steps", name, "meson.build"), MESON)
    shelf.write_new(os.path.join(ROOT, "docs", name + ".md"),
                    PAGE.format(name=name, title=title, function=function.name, idea=source.idea(text)))
    with open(os.path.join(ROOT, "steps", "meson.build"), "w", encoding="utf-8") as file:
        file.write(listed)
    order = course.pages(course.steps(ROOT))
    at = order.index(name)
    pages = [f"docs/{page}.md" for page in ["index", *order[max(at - 1, 0):at + 2]]] + ["README.md"]
    written = subprocess.run([os.path.join(ROOT, "docs", "pages"), "--write",
                              *(os.path.join(ROOT, page) for page in pages)],
                             stdout=subprocess.DEVNULL, check=False).returncode
    return model, function, written


def run(screen):
    words = asked(sys.argv[1:])
    family, name, copied = words.family, words.name, words.copied
    model, function, written = make(family, name, copied)
    screen.line(f"steps/{name}/{name}.cu: " + (
        f"a copy of {model}, yours to change." if copied else
        f"{model} without the body of {function.name}, which is yours to write.") +
        f"\ndocs/{name}.md: its page, and a line in docs/index.md, README.md and steps/meson.build.\n"
        f"Then: ./check/run {name}")
    return written


if __name__ == "__main__":
    SCREEN = Screen("steps/new")
    sys.exit(end_of(SCREEN, lambda: run(SCREEN)))
