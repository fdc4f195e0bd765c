"""The directory practice/: what stands in it, and the list of it that Meson reads."""
import ast
import collections
import os
import re
import tempfile

from common.commands.runner.lock import only_one
from common.commands.runner.screen import Stop

HEAD = """\
# What ./steps/practice builds; it writes this file. Of each: the program, its family, its element
# types, its source, and the step that it stands beside.
"""
Entry = collections.namedtuple("Entry", "target family types source beside")


def steps(root):
    """{step: (family, types)}, in teaching order, from steps/meson.build."""
    with open(os.path.join(root, "steps", "meson.build"), encoding="utf-8") as file:
        rows = re.findall(r"^\s*(\['[\w-]+', '\w+', \[.*?\]\]),", file.read(), re.MULTILINE)
    return {name: (family, types) for name, family, types in map(ast.literal_eval, rows)}


def path(root):
    return os.path.join(root, "practice", "meson.build")


def entries(root):
    """Those of the list whose source is there, by target."""
    try:
        with open(path(root), encoding="utf-8") as file:
            rows = re.findall(r"^\s*(\[.*\]),$", file.read(), re.MULTILINE)
        found = [Entry(*ast.literal_eval(row)) for row in rows]
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, SyntaxError, TypeError) as error:
        raise Stop(f"{path(root)}: {error}; delete it, and name each exercise again", 2) from None
    return {entry.target: entry for entry in found
            if os.path.exists(os.path.join(root, entry.source))}


def add(root, entry):
    """Puts an entry into the list, which changes only if it must: Meson runs again then."""
    os.makedirs(os.path.join(root, "practice"), exist_ok=True)
    with only_one(os.path.join(root, "practice", ".lock"), lambda: None):
        found = entries(root)
        if found.get(entry.target) == entry:
            return
        found[entry.target] = entry
        text = HEAD + "practice = [\n" + "".join(
            f"  {list(each)},\n" for each in found.values()) + "]\n"
        handle, name = tempfile.mkstemp(dir=os.path.join(root, "practice"))
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(name, path(root))


def write_new(name, text):
    """A file that was not there; never one that is."""
    os.makedirs(os.path.dirname(name), exist_ok=True)
    try:
        with open(name, "x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise Stop(f"{name} is there already, and stays as it is", 2) from None
