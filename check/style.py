"""
The style of the sources: which files there are, which tool looks at which, and what is found, a line each.

usage: check/format [--check] [FILE...]    all .c, .h, .cu and .cuh files, or these

Formats them with clang-format 14, as .clang-format says. A folder whose own .clang-format says DisableFormat stays
as it is.

  --check     changes nothing and names each file that differs
  -h, --help  this text

Exit status: 0, 1 with --check: a file differs, 2 bad usage, 3 clang-format is missing or of another version.
"""
import fnmatch
import os
import re
import shutil
import subprocess
import sys

from common.commands import ROOT
from common.commands.arguments import Arguments
from common.commands.runner.screen import Screen, Stop, end_of

FORMATTED = (".c", ".h", ".cu", ".cuh")
COLUMNS = {".c": 100, ".h": 100, ".cu": 120, ".cuh": 120, ".py": 120}
VERSIONS = {"clang-format": 14, "gcc": 12}  # each major version formats, or warns, otherwise
INSTALL = {"clang-format": "sudo apt-get install clang-format-14", "shellcheck": "sudo apt-get install shellcheck",
           "ruff": "pip install ruff", "clang": "sudo apt-get install clang",
           "gcc": "sudo apt-get install gcc-12"}
RUFF = os.path.join(ROOT, "check", "ruff.toml")
# Steps that clang-format would change: records and pages quote their line numbers, so it waits for the next record.
RECORDED_LINES = ("fft-shared", "reduce5", "scan-rounds", "transpose-tiled")
SHELL = re.compile(r"#!.*\b(ba|da)?sh\b|# shellcheck shell=")
PYTHON = re.compile(r"#!.*\bpython|(import|from) \w[\w.]*( import .*)?$|def \w+\(.*\):$", re.MULTILINE)
PATH_CHANGED = re.compile(r"^\s*sys\.path\b.*[=(]", re.MULTILINE)


def ignored(path, patterns):
    """Whether .gitignore's patterns name the path, which ends with / where it is a folder."""
    return any(fnmatch.fnmatch(path, pattern[1:]) if pattern.startswith("/") else
               fnmatch.fnmatch("/" + path, "*/" + pattern) for pattern in patterns)


def files(root=ROOT):
    """The paths of all files from the root, without what .gitignore names and other people's packages."""
    with open(os.path.join(root, ".gitignore"), encoding="utf-8") as file:
        patterns = [".git/", ".git", *file.read().split()]
    for folder, folders, names in os.walk(root):
        here = os.path.relpath(folder, root) + "/" if folder != root else ""
        folders[:] = sorted(name for name in folders if not ignored(here + name + "/", patterns) and
                            not os.path.exists(os.path.join(folder, name, "pyvenv.cfg")))
        yield from (here + name for name in sorted(names) if not ignored(here + name, patterns))


def texts(root=ROOT):
    """{path: text} of the sources: C, CUDA, Python, shell, and files without a suffix."""
    found = {}
    for path in files(root):
        if suffix(path) in (*COLUMNS, ".sh", ""):
            try:
                with open(os.path.join(root, path), encoding="utf-8") as file:
                    found[path] = file.read()
            except (UnicodeDecodeError, FileNotFoundError):  # no text; a link that leads nowhere
                pass
    return found


def suffix(path):
    return os.path.splitext(path)[1]


def formatted(paths):
    return [path for path in paths if suffix(path) in FORMATTED and
            os.path.splitext(os.path.basename(path))[0] not in RECORDED_LINES]


def shell_scripts(sources):
    return [path for path, text in sources.items() if suffix(path) != ".py" and SHELL.match(text)]


# --- what needs no tool --------------------------------------------------------------------------

def long_lines(sources):
    for path, text in sources.items():
        most = COLUMNS.get(suffix(path))
        for number, line in enumerate(text.splitlines(), 1):
            if most and len(line) > most and not line.startswith("#include"):
                yield f"{path}:{number}: {len(line)} columns, at most {most}"


def names(sources):
    """Python without its suffix, changes of the path that modules come from, and hidden folders."""
    for path, text in sources.items():
        if not suffix(path) and not SHELL.match(text) and PYTHON.search(text):
            yield f"{path}: Python without the suffix .py"
        if suffix(path) == ".py" and PATH_CHANGED.search(text):
            yield f"{path}: changes sys.path"
        for part in os.path.dirname(path).split("/"):
            if part.startswith(".") and part not in (".ci", ".devcontainer", ".github"):
                yield f"{path}: the folder {part} begins with a dot"


def unseen_pictures(pictures, pages):
    """Of the paths of PNG files those whose name stands in none of the pages' texts."""
    return [f"{path}: no page shows it" for path in pictures
            if not any(os.path.basename(path) in text for text in pages)]


# --- tools ---------------------------------------------------------------------------------------

def lacking(tool):
    """The command that installs a tool which is missing or of another version than is needed; else None."""
    if not shutil.which(tool):
        return INSTALL[tool]
    said = subprocess.run([tool, "--version"], capture_output=True, text=True, check=False).stdout
    major = re.search(r"(?:version |\) )(\d+)\.", said)
    wanted = VERSIONS.get(tool)
    return INSTALL[tool] if wanted and (not major or int(major[1]) != wanted) else None


def said_by(*command, root=ROOT, text=None):
    """What a tool prints."""
    done = subprocess.run(command, cwd=root, input=text, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", check=False)
    return done.stdout if done.returncode else ""


def unformatted(paths, root=ROOT):
    """The paths that clang-format would change."""
    paths = formatted(paths)
    said = said_by("clang-format", "--dry-run", "--Werror", *paths, root=root) if paths else ""
    return list(dict.fromkeys(re.findall(r"^(.*?):\d+:\d+: error: code should be clang-formatted", said, re.MULTILINE)))


def ruff(*paths, root=ROOT):
    return said_by("ruff", "check", "--no-cache", "--quiet", "--output-format", "concise", "--config", RUFF, *paths,
                   root=root)


def shellcheck(paths, root=ROOT):
    return said_by("shellcheck", "-x", "--source-path=SCRIPTDIR", "--format=gcc", *paths, root=root)


# --- check/format --------------------------------------------------------------------------------

def run(screen):
    parser = Arguments("check/format", __doc__)
    parser.add_argument("files", nargs="*", metavar="FILE")
    parser.add_argument("--check", action="store_true")
    asked = parser.parse(sys.argv[1:])
    for path in asked.files:
        if suffix(path) not in FORMATTED or not os.path.isfile(path):
            raise Stop(f"{path}: must be a file that ends with {' '.join(FORMATTED)}", 2)
    if lacking("clang-format"):
        raise Stop(f"clang-format {VERSIONS['clang-format']} is missing (Debian, Ubuntu: {INSTALL['clang-format']})", 3)
    paths = [os.path.abspath(path) for path in asked.files] or formatted(files())
    changed = unformatted(paths)
    if changed and not asked.check:
        subprocess.run(["clang-format", "-i", *changed], cwd=ROOT, check=True)
    for path in changed:
        screen.line(path)
    return 1 if changed and asked.check else 0


if __name__ == "__main__":
    shown = Screen("check/format")
    sys.exit(end_of(shown, lambda: run(shown)))
