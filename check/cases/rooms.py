"""
The rooms of common/ and steps/, and the arrows between them: what a file includes, and what an
object needs of another (nm). Fails on an arrow that ALLOWED does not have, on a circle, and on a
file that stands in no room. The same for the rooms of Python, by what their modules import. At the end it
plants each of these faults in what it read, and expects to find it.
"""
import ast
import functools
import json
import os
import re
import subprocess

from common.commands.drive.support import BUILD, SOURCE, case, leave

ROOMS = [  # the first pattern that a path begins with, and its room
    (r"steps/[^/]+/", "steps"),
    (r"common/families/([^/]+)/", r"families/\1"),
    (r"common/harness/family\.h$", "family.h"),
    (r"common/harness/program\.c$", "program.c"),
    (r"common/harness/run/(tools\.c|estimate[a-z_]*\.[ch])$", "run/tools.c"),
    (r"common/harness/kit/guard\.c$", "kit/guard.c"),
    (r"common/harness/(kit|run)/", r"\1"),
    (r"common/csv/", "csv"),
    (r"common/cpu/include/cpu_device\.h$", "cpu_device.h"),
    (r"common/cpu/(abi\.h|device\.c)$", r"cpu/\1"),
    (r"common/cpu/start\.c$", "start.c"),  # outside, like a program that it serves
    (r"common/cpu/include/", "CUDA"),
    (r"common/cpu/(assemble|translate|engine|runtime|libraries|tools)/", r"cpu/\1"),
    (r"(plots|check)/", r"\1"),
]
ALLOWED = {  # a room, and those that it may look into; families/* is any family, but for another's
    "steps": "families/* kit family.h CUDA",
    "families/*": "kit family.h CUDA",
    "kit": "family.h CUDA",
    "kit/guard.c": "kit cpu_device.h",
    "family.h": "",
    "run": "kit family.h CUDA csv run/tools.c",
    "run/tools.c": "run kit family.h csv cpu_device.h",
    "program.c": "run kit family.h steps families/*",
    "csv": "",
    "CUDA": "cpu/abi.h",
    "cpu_device.h": "",
    "cpu/abi.h": "",
    "cpu/assemble": "",
    "cpu/translate": "",
    "cpu/engine": "cpu/abi.h CUDA",
    "cpu/runtime": "cpu/engine cpu/abi.h CUDA",
    "cpu/libraries": "cpu/abi.h CUDA",
    "cpu/tools": "cpu/engine cpu/abi.h CUDA csv cpu_device.h",
    "cpu/device.c": "cpu/engine cpu/tools cpu_device.h",
    "start.c": "cpu_device.h",
}
PYTHON = {  # a room of Python, and those that it may look into; check may into all
    "common/commands": "docs/mistakes",
    "docs/mistakes": "",
    "plots": "common/commands",
    "plots/blind": "common/commands plots",
    "plots/makers": "common/commands plots docs/mistakes docs/page_writer docs/site_builder",
    "docs/figures": "common/commands plots",
    "docs/site_builder": "common/commands plots",
    "docs/server": "common/commands docs/site_builder",
    "docs/page_writer": "common/commands plots docs/site_builder",
    "check": "common/commands plots plots/blind plots/makers docs/figures docs/mistakes docs/page_writer "
             "docs/server docs/site_builder",
}
ONE_ROOM = {"run/tools.c": "run", "kit/guard.c": "kit"}  # a file with a right of its own, in the room it stands in
SOURCES = re.compile(r"\.(c|h|cu|cpp)$|/include/[\w/]+$")


@functools.lru_cache(maxsize=None)
def room_of(path):
    for pattern, room in ROOMS:
        match = re.match(pattern, path)
        if match:
            return match.expand(room)
    return None


def is_allowed(here, there):
    if ONE_ROOM.get(here, here) == ONE_ROOM.get(there, there):
        return True
    name = re.sub("^families/.*", "families/*", there)
    return name in ALLOWED.get(re.sub("^families/.*", "families/*", here), "").split()


def read_tree(tree):
    """{path from the tree's root: its text} of common/ and steps/; comments keep only their lines."""
    texts = {}
    for top in ("common", "steps"):
        for folder, _, names in os.walk(os.path.join(tree, top)):
            for path in (os.path.join(folder, name) for name in names):
                if SOURCES.search(path):
                    with open(path, encoding="utf-8") as file:
                        texts[os.path.relpath(path, tree)] = re.sub(
                            r"/\*.*?\*/|//[^\n]*", lambda m: "\n" * m[0].count("\n"), file.read(),
                            flags=re.DOTALL)
    return texts


@functools.lru_cache(maxsize=None)
def asked_for(text):
    """(the bracket, the name) of each file that a text includes."""
    return re.findall(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', text, re.MULTILINE)


def includes(path, texts):
    """The files among the texts that this one includes."""
    for opening, name in asked_for(texts[path]):
        folders = ["common", "common/cpu/include"]
        for folder in ([os.path.dirname(path)] if opening == '"' else []) + folders:
            found = os.path.normpath(os.path.join(folder, name))
            if found in texts:
                yield found
                break


def circles(arrows):
    """The circles of {a: set of b}, each as a sorted list: what reaches itself, by what it reaches."""
    reach = {a: set(found) for a, found in arrows.items()}
    for via in list(reach):
        for a in reach:
            if via in reach[a]:
                reach[a] |= reach[via]
    return sorted({tuple(sorted(b for b in reach[a] if a in reach.get(b, ()))) for a in reach
                   if a in reach[a]})


def by_room(arrows):
    """The same arrows between rooms, without those within one."""
    rooms = {}
    for a, found in arrows.items():
        here = ONE_ROOM.get(room_of(a), room_of(a))
        there = {ONE_ROOM.get(room_of(b), room_of(b)) for b in found}
        rooms.setdefault(here, set()).update(there - {here, None})
    return rooms


def file_faults(texts):
    """What is wrong with the files, a line each."""
    faults, arrows = [], {}
    for path, text in sorted(texts.items()):
        here = room_of(path)
        if not here:
            faults.append(f"{path} stands in no room")
            continue
        if path.startswith("common/") and re.search(r"(?<![\w/])(\.\./)*(plots|check)/", text):
            faults.append(f"{path} refers to plots/ or check/")
        arrows[path] = {there for there in includes(path, texts) if room_of(there)}
        faults += [f"{path} includes {there}: {here} -> {room_of(there)}"
                   for there in sorted(arrows[path]) if not is_allowed(here, room_of(there))]
    faults += [f"circle of includes: {' '.join(c)}" for c in circles(arrows)]
    faults += [f"circle of rooms: {' '.join(c)}" for c in circles(by_room(arrows))]
    return faults


def interface(here, there, symbol):
    """The room that a symbol is asked of. From outside the CPU device stands behind its headers."""
    if here.startswith("cpu/") or not there.startswith("cpu/"):
        return there
    return "cpu_device.h" if symbol.startswith("cpu_device_") else "CUDA"


def object_faults(objects):
    """The same of objects, each (path of the source, symbols it defines, symbols it needs)."""
    faults, owner, arrows = [], {}, {}
    for path, defines, _ in objects:
        for symbol in defines:
            owner.setdefault(symbol, path)
    for path, _, needs in objects:
        here, used = room_of(path), arrows.setdefault(path, set())
        for symbol in sorted(needs):
            if symbol not in owner or owner[symbol] == path:
                continue
            there = interface(here, room_of(owner[symbol]), symbol)
            if not is_allowed(here, there):
                faults.append(f"{path} needs {symbol} of {owner[symbol]}: {here} -> {there}")
            if path.startswith("common/cpu/") == owner[symbol].startswith("common/cpu/"):
                used.add(owner[symbol])
    shared = {a: found for a, found in arrows.items() if a.startswith("common/")}
    faults += [f"circle of objects: {' '.join(c)}" for c in circles(shared)]
    faults += [f"circle of rooms: {' '.join(c)}" for c in circles(by_room(arrows))]
    return faults


def built_objects(texts):
    """What is in BUILD of common/ and steps/. A translated source is the .cu of its name, which may
    have the element type behind it; of a family's peers it has the family."""
    with open(os.path.join(BUILD, "compile_commands.json"), encoding="utf-8") as file:
        entries = [e for e in json.load(file) if re.match("(common|steps)/", e.get("output", ""))]
    stems = {os.path.basename(path)[:-3]: path for path in texts if path.endswith(".cu")}
    stems.update({f"peers_{path.split('/')[-2]}": path for path in texts if path.endswith("/peers.cu")})
    found = {}  # output: its source
    for entry in entries:
        output = os.path.join(BUILD, entry["output"])
        path = os.path.relpath(os.path.join(entry["directory"], entry["file"]), SOURCE)
        stem = os.path.splitext(os.path.basename(path))[0]
        path = path if path in texts else stems.get(stem) or stems.get(stem.rpartition("_")[0])
        if path and room_of(path) and os.path.exists(output):
            found[output] = path
    symbols = {output: [] for output in found}
    for line in subprocess.run(["nm", "-g", "-A", *found], capture_output=True, text=True,
                               check=True).stdout.splitlines():
        output, _, symbol = line.rpartition(":")
        symbols[output].append(symbol.split()[-2:])
    return [(path, {s for kind, s in symbols[output] if kind not in "UwWvVu"},
             {s for kind, s in symbols[output] if kind in "Uw"}) for output, path in found.items()]


# --- Python --------------------------------------------------------------------------------------

def modules(tree):
    """{path: text} of the modules in the rooms of Python."""
    texts = {}
    for room in PYTHON:
        for folder, _, names in os.walk(os.path.join(tree, room)):
            for path in (os.path.join(folder, name) for name in names if name.endswith(".py")):
                with open(path, encoding="utf-8") as file:
                    texts[os.path.relpath(path, tree)] = file.read()
    return texts


def python_room(path):
    """The innermost room of a path, or of a module as a path; None outside of them."""
    found = [room for room in PYTHON if (path + "/").startswith(room + "/")]
    return max(found, key=len) if found else None


@functools.lru_cache(maxsize=None)  # each planted fault asks for all
def imported(text):
    """The modules that a text imports, as paths from the root."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found += [alias.name.replace(".", "/") for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found += [f"{node.module}.{alias.name}".replace(".", "/") for alias in node.names]
    return found


def python_faults(texts):
    """What imports of another room what it may not, and what is in no room."""
    for path, text in texts.items():
        here = python_room(path)
        if here is None:
            yield f"{path} is in no room"
            continue
        for there in map(python_room, imported(text)):
            if there and there != here and there not in PYTHON[here].split():
                yield f"{path}: {here} -> {there}"


# --- planted faults ------------------------------------------------------------------------------

PLANTED = [  # (what, {file of common/: line to add}, words of the fault)
    ("an include of a tool by the engine", {"cpu/engine/fiber.c": '#include "cpu/tools/grow.h"'},
     "cpu/engine -> cpu/tools"),
    ("an include of a family by the harness",
     {"harness/kit/planted.c": '#include "families/planted/planted.h"',
      "families/planted/planted.h": ""}, "kit -> families/planted"),
    ("an include of a family by another",
     {"families/other/other.c": '#include "families/planted/planted.h"',
      "families/planted/planted.h": ""}, "families/other -> families/planted"),
    ("an include of the CPU device's own header by the kit",
     {"harness/kit/planted.c": "#include <cpu_device.h>"}, "kit -> cpu_device.h"),
    ("an include of check/", {"cpu/engine/fiber.c": '#include "../check/unit/unit.h"'},
     "refers to plots/ or check/"),
    ("two headers that include each other",
     {"cpu/engine/one.h": '#include "cpu/engine/two.h"',
      "cpu/engine/two.h": '#include "cpu/engine/one.h"'}, "circle of includes"),
    ("a file in no room", {"lost.c": ""}, "in no room"),
]
A, B = "common/cpu/engine/fiber.c", "common/cpu/engine/block_barrier.c"
PLANTED_OBJECTS = [
    ("a tool's symbol in the engine", [(A, {"a"}, {"t"}), ("common/cpu/tools/grow.c", {"t"}, set())],
     "cpu/engine -> cpu/tools"),
    ("a circle of objects of the CPU device", [(A, {"a"}, {"b"}), (B, {"b"}, {"a"})], "circle of objects"),
    ("a circle of objects of the harness",
     [("common/harness/run/help.c", {"a"}, {"b"}), ("common/harness/run/options.c", {"b"}, {"a"})],
     "circle of objects"),
    ("a circle of objects of a family",
     [("common/families/x/x.c", {"a"}, {"b"}), ("common/families/x/y.c", {"b"}, {"a"})],
     "circle of objects"),
    ("the device's own functions in a family",
     [("common/families/x/x.c", set(), {"cpu_device_report"}),
      ("common/cpu/tools/counters/report.c", {"cpu_device_report"}, set())],
     "families/x -> cpu_device.h"),
]


def plant(texts):
    before = file_faults(texts)
    for what, lines, wanted in PLANTED:
        planted = {"common/" + name: texts.get("common/" + name, "") + "\n" + line + "\n"
                   for name, line in lines.items()}
        new = [fault for fault in file_faults({**texts, **planted}) if fault not in before]
        case(any(wanted in fault for fault in new), f"rooms: finds {what}", "\n".join(new))
    texts = modules(SOURCE)
    for path, line, wanted in (("plots/log.py", "import docs.site_builder.tree", "plots -> docs/site_builder"),
                               ("docs/site_builder/page.py", "from docs.page_writer import links",
                                "docs/site_builder -> docs/page_writer"),
                               ("plots/log.py", "from plots import makers", "plots -> plots/makers"),
                               ("common/commands/runner/lines.py", "import plots.log", "common/commands -> plots")):
        found = list(python_faults({**texts, path: texts[path] + "\n" + line + "\n"}))
        case(any(wanted in fault for fault in found), f"rooms: finds {line}", "\n".join(found))
    for what, objects, wanted in PLANTED_OBJECTS:
        found = object_faults(objects)
        case(any(wanted in fault for fault in found), f"rooms: finds {what}", "\n".join(found))


def main():
    texts = read_tree(SOURCE)
    faults = file_faults(texts)
    case(texts and not faults, f"rooms: the includes of {len(texts)} files", "\n".join(faults))
    objects = built_objects(texts)
    faults = object_faults(objects)
    case(objects and not faults, f"rooms: the symbols of {len(objects)} objects", "\n".join(faults))
    python = modules(SOURCE)
    faults = list(python_faults(python))
    case(len(python) > 30 and not faults, f"rooms: the imports of {len(python)} modules", "\n".join(faults))
    plant(texts)
    leave()


if __name__ == "__main__":
    main()
