"""
The style of all sources: clang-format, ruff and shellcheck find nothing, lines end in time, Python has its suffix and
comes from the root, no folder with sources begins with a dot, and each picture stands on a page. With CHECK_FULL clang's
analyzer finds nothing in common/. Of a tool that is missing, or of another version, the case is skipped by name.
Then a fault of each kind is planted, and must be found.
"""
import json
import os
import re
import shlex
import shutil
import tempfile

from check import style
from common.commands.drive.support import BUILD, FULL, SOURCE, case, leave, parallel, run

BADLY_SPACED = "int  f( int a ){return a ;}\n"
UNUSED_IMPORT = "import os\n"
UNQUOTED = "#!/bin/sh\nrm $1\n"
NULL_READ = "int f(int *p)\n{\n    if (p)\n        return 1;\n    return *p;\n}\n"
WIDE = "x" * 121
PLANTED = [  # (what, sources, a word of the fault)
    ("a line of C that is too long", {"a.c": f"/* {WIDE} */\n"}, "a.c:1: 127 columns"),
    ("a line of CUDA that is too long", {"a.cu": f"\n// {WIDE}\n"}, "a.cu:2: 124 columns"),
    ("a line of Python that is too long", {"a.py": f"# {WIDE}\n"}, "a.py:1: 123 columns"),
    ("a command in Python without its suffix", {"steps/a": "#!/usr/bin/env python3\n"}, "without the suffix"),
    ("a module without its suffix", {"steps/a": '"""What it does."""\nimport os\n'}, "without the suffix"),
    ("a path to import from", {"a.py": "import sys\nsys.path.insert(0, 'x')\n"}, "changes sys.path"),
    ("a hidden folder", {"steps/.lib/a.py": ""}, ".lib begins with a dot"),
]


def tool_case(tool, text, faults):
    """A case that needs a tool. faults: makes what it prints, one line each."""
    command = style.lacking(tool)
    if command:
        case(True, f"{text} # skip {tool} is missing, or of another version: {command}")
    else:
        found = faults()
        case(not found, text, "\n".join(found))


def planted_case(tool, text, name, content, look):
    """The same of one file with a fault, which must be found, in a folder with the settings of ours."""
    def faults():
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(os.path.join(SOURCE, ".clang-format"), folder)
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(content)
            return [] if look(folder, name) else [f"{tool} finds nothing in: {content}"]
    tool_case(tool, f"style: {tool} finds {text}", faults)


def tools(sources):
    paths, scripts = style.formatted(sources), style.shell_scripts(sources)
    tool_case("clang-format", f"style: {len(paths)} files are as check/format makes them",
              lambda: style.unformatted(paths, SOURCE))
    tool_case("ruff", "style: ruff finds nothing", lambda: style.ruff(root=SOURCE).splitlines())
    tool_case("shellcheck", f"style: shellcheck finds nothing in {len(scripts)} scripts",
              lambda: style.shellcheck(scripts, SOURCE).splitlines())
    planted_case("clang-format", "spaces", "a.cu", BADLY_SPACED, lambda folder, name: style.unformatted([name], folder))
    planted_case("ruff", "an unused import", "a.py", UNUSED_IMPORT, lambda folder, name: style.ruff(name, root=folder))
    planted_case("shellcheck", "a word without quotes", "a", UNQUOTED,
                 lambda folder, name: style.shellcheck([name], folder))


def analyzed(path, words=(), folder=None):
    """What clang's analyzer says of a file of C, which is compiled with these words."""
    done = run("clang", "--analyze", "--analyzer-output", "text", *words, path, cwd=folder)
    said = re.findall(r"^.*(?:warning|error): .*$", done.err, re.MULTILINE)
    return said or (["clang --analyze fails on " + path] if done.status else [])


def compiled():
    """(path, the words that it is compiled with, where) of each file of C in common/, once."""
    with open(os.path.join(BUILD, "compile_commands.json"), encoding="utf-8") as file:
        entries = json.load(file)
    found = {}
    for entry in entries:
        path = os.path.normpath(os.path.join(entry["directory"], entry["file"]))
        if path.startswith(os.path.join(SOURCE, "common", "")) and path.endswith(".c"):
            words = [word for word in shlex.split(entry["command"]) if re.match("-(I|D|std|isystem)", word)]
            found.setdefault(path, (path, words, entry["directory"]))
    return list(found.values())


def analyzer():
    units = compiled()
    case(len(units) > 100, f"style: the build names {len(units)} files of C in common/")
    tool_case("clang", "style: clang's analyzer finds nothing in common/",
              lambda: sum(parallel(lambda unit: analyzed(*unit), units), []))
    planted_case("clang", "a pointer that may be NULL", "a.c", NULL_READ,
                 lambda folder, name: analyzed(name, folder=folder))


def pictures(root):
    """(the paths of the PNG files, the texts of the pages)"""
    paths, pages = [], []
    for path in style.files(root):
        if path.endswith(".png"):
            paths.append(path)
        elif path.endswith(".md"):
            with open(os.path.join(root, path), encoding="utf-8") as file:
                pages.append(file.read())
    return paths, pages


def main():
    sources = style.texts(SOURCE)
    for what, look in (("no line is too long", style.long_lines), ("names and folders", style.names)):
        found = list(look(sources))
        case(len(sources) > 500 and not found, f"style: {what}, of {len(sources)} files", "\n".join(found))
    paths, pages = pictures(SOURCE)
    found = style.unseen_pictures(paths, pages)
    case(paths and not found, f"style: pages show {len(paths)} pictures", "\n".join(found))
    for what, planted, word in PLANTED:
        found = [*style.long_lines(planted), *style.names(planted)]
        case(len(found) == 1 and word in found[0], f"style: finds {what}", "\n".join(found))
    found = style.unseen_pictures([*paths, "docs/screens/nowhere.png"], pages)
    case(len(found) == 1 and "nowhere" in found[0], "style: finds a picture that no page shows", "\n".join(found))
    tools(sources)
    if FULL:
        analyzer()
    leave()


if __name__ == "__main__":
    main()
