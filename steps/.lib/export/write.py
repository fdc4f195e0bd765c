"""The text of the one file."""
import os
import re
import subprocess

from export import source
from export.gather import LEFT_OUT, MAIN, File, Gathering, Library
from runner.screen import Stop

HEAD = """\
/*
 * {step}, a step of cuda-steps {version}{commit}, as one file that needs no other: made by steps/export. The step itself begins at
 * line {line}; what stands before it is of its headers, what stands behind it verifies and times it.
 *
 *     nvcc {step}.cu -o {step} && ./{step}          ./{step} --help tells its options
{types} *
 * Its page is docs/{step}.md of the series. MIT licence: see the end.
 */
"""
TYPES = """\
 *     nvcc -DELEMENT_TYPE={other} {step}.cu -o {step}     for elements of that type; there are {all}
"""
ON_CPU_DEVICE = """
#ifdef CPU_DEVICE
#define BACKEND_CPU 1
#endif
"""
REST = """\
/* ---- from here on: what times and verifies; nothing to read for the step ---- */
"""


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def steps(root):
    """{name: its element types, the default first}, as steps/meson.build lists them."""
    rows = re.findall(r"^  \['([\w-]+)', '\w+', \[([^]]*)\]\]", read(root, "steps", "meson.build"), re.MULTILINE)
    return {name: re.findall(r"\w+", types) for name, types in rows}


def version(root):
    return re.search(r"version: '([^']+)'", read(root, "meson.build"))[1]


def commit(root):
    """What Meson's vcs_tag says, "" outside of a repository."""
    try:
        done = subprocess.run(["git", "-C", root, "describe", "--always", "--dirty", "--abbrev=12"],
                              capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def own_name(file, name, others):
    new = re.sub(r"\W", "_", os.path.splitext(os.path.basename(file.path))[0]) + "_" + name
    return new if new not in others else "own_" + new


def renamed(text, names):
    """The text with these words replaced, but for members and what stands in comments and texts."""
    words, structs = source.tokens(text), []
    result, before = [], ["", ""]
    for word in words:
        new = word.text
        if word.text == "{":
            structs.append("struct" in before or "union" in before)
        elif word.text == "}" and structs:
            structs.pop()
        if word.kind == "word" and word.text in names and before[-1] not in (".", "->") and \
                not (structs and structs[-1] and before[-1] not in ("struct", "union", "enum", "[")):
            new = names[word.text]
        result.append(new)
        if word.kind not in ("space", "comment"):
            before = [before[-1], word.text]
    return "".join(result)


def section(texts, file, begin=0, end=None):
    """The items of a file that are taken, from one place to before another."""
    text = ""
    for item, one in texts[file]:
        if begin <= item.place and (end is None or item.place < end):
            close = one.startswith("#") and text.splitlines()[-1:] and text.splitlines()[-1].startswith("#")
            text += ("" if close else "\n") + one + "\n"
    return f"\n/* {file.path} */{text}" if text else ""


def undefined(items, behind):
    """#undef of the macros among the items that are other words behind them."""
    words = {word.text for word in source.tokens(behind) if word.kind == "word"}
    names = [name for item in items if re.search(r"^[ \t]*#[ \t]*define", item.text, re.MULTILINE)
             for name in sorted(item.names) if name in words]
    return "".join(f"#undef {name}\n" for name in names)


class Writer:
    """One step's text, from its files."""

    def __init__(self, root, step):
        self.root, self.step, self.types = root, step, steps(root)[step]
        path = os.path.join("steps", step, step + ".cu")
        self.text = read(root, path)
        self.file = File(path, self.text)
        family = next((os.path.dirname(name) for name in self.file.ours if name.startswith("families/")), None)
        if not family:
            raise Stop(f"{path}: it includes no header of a family; accepted: a step with one", 2)
        self.library = Library(root, path, family)
        roots = [start + kind for kind in self.types for start in ("type_", "element_", "element4_")]
        self.gathering = Gathering(self.library, self.file, roots)

    def whole(self):
        used = [file for file in self.library.sources if file in self.gathering.taken]
        used.sort(key=lambda file: file.path.startswith("harness/"))  # the family's first
        seen = set()
        first = self.library.pieces(self.file, seen)
        late = [piece for file in used for piece in self.library.pieces(file, seen)]
        texts = {file: self.part(file) for file in [*seen, *used]}
        self.rename(texts, {file for file, *_ in first}, {file for file, *_ in late}, used)
        systems = sorted({name for file in texts if texts[file] for name in file.systems})
        body = "".join(f"#include {name}\n" for name in systems)
        body += f"\n#ifndef ELEMENT_TYPE\n#define ELEMENT_TYPE {self.types[0]}\n#endif\n"
        body += ON_CPU_DEVICE if "BACKEND_CPU" in self.text else ""
        body += "".join(section(texts, *piece) for piece in first)
        step = re.sub(r'^#include "[^"]*"[^\n]*\n', "", self.text, flags=re.MULTILINE)
        rest = self.rest(texts, late, used)
        return self.head(body) + body + "\n" + step + undefined(self.file.items, rest) + rest

    def part(self, file):
        """The items of a file that are taken, in order, each as a text."""
        taken = self.gathering.taken.get(file, ())
        return [(item, self.gathering.text_of(item)) for item in file.items
                if item in taken or (taken and not item.names and "static_assert" in item.text)]

    def rename(self, texts, first, late, used):
        """Names of one file alone, where another has the same."""
        step = {name for item in self.file.items for name in item.names}
        public = {name for file in [*first, *late] for item, _ in texts[file] for name in item.names}
        public |= {name for file in used for item, _ in texts[file] if not item.private for name in item.names}
        own = {file: {name for item, _ in texts[file] if item.private and not item.text.startswith("#")
                      for name in item.names} for file in used}
        above = {name: "harness_" + name for name in public & step
                 if not any(name in item.names for file in first for item, _ in texts[file])}
        for file in [*late, *used]:
            others = step | public | {name for other in used if other is not file for name in own[other]}
            names = {**above, **{name: own_name(file, name, others) for name in own.get(file, set()) & others}}
            texts[file] = [(item, renamed(text, names) if names else text) for item, text in texts[file]]

    def rest(self, texts, late, used):
        parts = [MAIN]
        for file in reversed(used):
            end = undefined([item for item, _ in texts[file]], "".join(parts))
            parts.insert(0, section(texts, file) + end)
        headers = "".join(section(texts, *piece) for piece in late)
        words = {word.text for word in source.tokens(headers + "".join(parts)) if word.kind == "word"}
        stubs = "".join(f"#define {name}(...) {value}\n" for name, value in LEFT_OUT.items() if name in words)
        licence = "".join(f" * {line}".rstrip() + "\n" for line in read(self.root, "LICENSE").splitlines())
        return (f'\n{REST}\n#define PROJECT_VERSION "{version(self.root)}"\n'
                f'#define PROJECT_COMMIT "{commit(self.root)}"\n\n/* Not in this file. */\n{stubs}'
                f'{headers}{"".join(parts[:-1])}\n{parts[-1]}\n/*\n{licence} */\n')

    def head(self, body):
        types = TYPES.format(step=self.step, other=self.types[1], all=", ".join(self.types)) if self.types[1:] else ""
        tag = commit(self.root)
        fields = {"step": self.step, "version": version(self.root), "commit": f", commit {tag}" if tag else "",
                  "types": types, "line": 0}
        line = (HEAD.format(**fields) + body).count("\n") + 2
        return HEAD.format(**{**fields, "line": line})
