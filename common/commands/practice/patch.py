"""A change of docs/mistakes, tried in a copy: practice/.patch/NAME."""
import os
import re
import shutil
import subprocess
import tempfile

from common.commands.practice import shelf
from common.commands.runner import packages
from common.commands.runner.screen import Stop
from docs.mistakes import transcripts

CHANGES = os.path.join("docs", "mistakes")


def names(root):
    return sorted(name[:-6] for name in os.listdir(os.path.join(root, CHANGES))
                  if name.endswith(".patch"))


def files_of(root, name):
    """The paths that a patch changes."""
    with open(os.path.join(root, CHANGES, name + ".patch"), encoding="utf-8") as file:
        return re.findall(r"^\+\+\+ b/(.*)$", file.read(), re.MULTILINE)


def step_of(root, name):
    """The step that a patch changes: it begins the patch's name."""
    steps = [step for step in shelf.steps(root) if name.startswith(step + "-")]
    if not steps:
        raise Stop(f"--patch {name}: its name must begin with that of a step", 2)
    return max(steps, key=len)


def options_of(name):
    """The options with which the step's page shows the change; None if it shows none."""
    return next((row.options.split() for row in transcripts.ALL
                 if row.kind in ("change", "keep") and row.name == name), None)


def apply(root, name, place):
    """Copies the files and applies the patch there; outside of the tree's own repository."""
    paths = files_of(root, name)
    step = step_of(root, name)
    for path in dict.fromkeys([os.path.join("steps", step, step + ".cu"), *paths]):
        os.makedirs(os.path.dirname(os.path.join(place, path)), exist_ok=True)
        shutil.copy(os.path.join(root, path), os.path.join(place, path))
    if not packages.have("git"):
        raise Stop("git is missing: install it (Debian, Ubuntu: sudo apt-get install git)", 3)
    done = subprocess.run(["git", "apply", os.path.join(root, CHANGES, name + ".patch")], cwd=place,
                          env={**os.environ, "GIT_CEILING_DIRECTORIES": os.path.dirname(place)},
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8",
                          errors="replace", stdin=subprocess.DEVNULL, check=False)
    if done.returncode:
        raise Stop(f"{name}.patch does not apply: its step was changed ("
                   f"{(done.stdout.strip().splitlines() or ['no word why'])[0]})", 3)


def same(one, other):
    """Whether two directories hold the same files."""
    def held(folder):
        found = {}
        for top, _, files in os.walk(folder):
            for path in (os.path.join(top, file) for file in files):
                with open(path, "rb") as file:
                    found[os.path.relpath(path, folder)] = file.read()
        return found
    return held(one) == held(other)


def make(root, name):
    """The changed source, from the tree's root; a copy that is as it should be stays, so that nothing
    is built twice."""
    home = os.path.join(root, "practice", ".patch")
    os.makedirs(home, exist_ok=True)
    place, scratch = os.path.join(home, name), tempfile.mkdtemp(dir=home)
    try:
        apply(root, name, scratch)
        if not same(scratch, place):
            shutil.rmtree(place, ignore_errors=True)
            os.replace(scratch, place)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    plain = [path for path in files_of(root, name) if path.endswith("/plain.cu")]
    step = step_of(root, name)
    path = plain[0] if plain else os.path.join("steps", step, step + ".cu")
    return os.path.join("practice", ".patch", name, path)
