"""The text of the one file."""
import functools
import os
import re
import subprocess

from common.commands.export import source
from common.commands.export.gather import LEFT_OUT, MAIN, File, Gathering, Library
from common.commands.practice import shelf
from common.commands.runner.screen import Stop

HEAD = """\
/*
 * {step}, a step of cuda-steps {version}{commit}, as one file that needs no other:
 * made by steps/export. The step itself begins at line {line}; above it stand its headers, and
 * below it what times and verifies it.
 *
 *     nvcc {flags}{step}.cu -o {step} && ./{step}
 *
{types} * Its options: ./{step} --help. Its page: docs/{step}.md of the series. MIT licence: at the end.
 */
"""
TYPES = """\
 * For elements of another type, here {others}: nvcc {flags}-DELEMENT_TYPE={other} {step}.cu
"""
# What code has in it that only machine code for 9.0a gets, and how nvcc is told to make that.
ARCHITECTURE, NEEDS_90A = "__CUDA_ARCH_FEAT_SM90_ALL", "-arch=sm_90a"
# Headers have functions for elements of each type; the harness has what other families use.
UNUSED = """
#ifdef __NVCC_DIAG_PRAGMA_SUPPORT__
#pragma nv_diag_suppress 177
#endif
"""
ON_CPU_DEVICE = """
#ifdef CPU_DEVICE
#define BACKEND_CPU 1
#endif
"""
REST = """\
/* ---- from here on: what times and verifies; nothing to read for the step, so without its comments,
 * which stand in the series ---- */
"""


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def version(root):
    return re.search(r"version: '([^']+)'", read(root, "meson.build"))[1]


@functools.lru_cache(maxsize=None)
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


def renamed(text, names, tags):
    """The text with these words replaced, tags behind struct, but for members and what stands in comments and texts."""
    structs, result, before = [], [], ["", ""]
    for word in source.tokens(text):
        new, tag = word.text, before[-1] in ("struct", "union", "enum")
        if word.text == "{":
            structs.append("struct" in before or "union" in before)
        elif word.text == "}" and structs:
            structs.pop()
        if tag:
            new = tags.get(word.text, word.text)
        elif word.kind == "word" and before[-1] not in (".", "->") and \
                not (structs and structs[-1] and before[-1] != "["):
            new = names.get(word.text, word.text)
        result.append(new)
        if word.kind not in ("space", "comment"):
            before = [before[-1], word.text]
    return "".join(result)


def kinds(items, taken=lambda item: True):
    """(the tags that the items define, their other names); one that is declared alone is another file's."""
    tags = {name for item in items if taken(item) and "{" in item.text for name in item.tags}
    return tags, {name for item in items if taken(item) for name in item.names - item.tags}


def stand_together(one, other):
    """Both are directives, or declarations without a body: no empty line stands between such lines."""
    last = one.splitlines()[-1] if one else ""
    if other.startswith("#"):
        return last.startswith("#")
    return bool(last) and not any("{" in text or text.startswith("#") or "/*" in text for text in (one, other))


def section(texts, file, begin=0, end=None):
    """The items of a file that are taken, from one place to before another."""
    text = before = ""
    for item, one in texts[file]:
        if begin <= item.place and (end is None or item.place < end):
            text += ("" if stand_together(before, one) else "\n") + one + "\n"
            before = one
    return f"\n/* {file.path} */{text}" if text else ""


def bare(text):
    """Without the comments that have lines of their own: of what nobody reads for the step."""
    return re.sub(r"^[ \t]*/\*(?:[^*]|\*(?!/))*\*/\n", "", text, flags=re.MULTILINE)


def stubs(words):
    """What stands for the functions among the words that are not in the file."""
    lines = "".join(f"#define {name}(...) {value}\n" for name, value in LEFT_OUT.items() if name in words)
    return f"\n/* Not in this file. */\n{lines}" if lines else ""


def words_of(text):
    return set(re.findall(r"[A-Za-z_]\w*", text))


def macros(items):
    return [name for item in items if re.search(r"^[ \t]*#[ \t]*define", item.text, re.MULTILINE)
            for name in sorted(item.names)]


def undefined(items, behind):
    """#undef of the macros among the items that are words of what stands behind them."""
    names = [name for name in macros(items) if name in behind]
    return "".join(f"#undef {name}\n" for name in names)


class Writer:
    """One step's text, from its files."""

    def __init__(self, root, step):
        self.root, self.step = root, step
        self.types = shelf.steps(root)[step][1]
        path = os.path.join("steps", step, step + ".cu")
        self.text = read(root, path)
        self.file = File(path, self.text)
        for name in self.file.ours:
            if not os.path.isfile(os.path.join(root, "common", name)):
                raise Stop(f'{path}: #include "{name}": no such header; accepted: those in common/', 2)
        family = next((os.path.dirname(name) for name in self.file.ours if name.startswith("families/")), None)
        if not family:
            raise Stop(f"{path}: it includes no header of a family; accepted: a step with one", 2)
        self.library = Library(root, family)
        begun = {start for file in (*self.library.headers(self.file), self.file) for item in file.items
                 for start in re.findall(r"\bELEMENT_NAME\((\w+_)\)", item.text)}
        roots = [start + kind for kind in self.types for start in ("type_", *sorted(begun))]
        self.gathering = Gathering(self.library, self.file, roots)

    def whole(self):
        used = [file for file in self.library.sources if file in self.gathering.taken]
        used.sort(key=lambda file: file.path.startswith("harness/"))  # the family's first
        seen = set()
        first = self.library.pieces(self.file, seen)
        late = [piece for file in used for piece in self.library.pieces(file, seen)]
        texts = {file: self.part(file) for file in [*seen, *used]}
        for file in texts:
            if file.path.startswith("harness/"):
                texts[file] = [(item, bare(text)) for item, text in texts[file]]
        self.rename(texts, {file for file, *_ in first}, {file for file, *_ in late}, used)
        systems = sorted({name for file in texts if texts[file] for name in file.systems})
        body = "".join(f"#include {name}\n" for name in systems)
        body += f"\n#ifndef ELEMENT_TYPE\n#define ELEMENT_TYPE {self.types[0]}\n#endif\n"
        body += UNUSED
        body += ON_CPU_DEVICE if "BACKEND_CPU" in self.text else ""
        kernels = "".join(section(texts, *piece) for piece in first)
        step_names = {name for item in self.file.items for name in item.names}
        shown = (words_of(kernels) | words_of(self.text)) - step_names
        body += stubs(shown) + kernels
        step = re.sub(r'^#include "[^"]*"[^\n]*\n', "", self.text, flags=re.MULTILINE)
        above = [item for file in dict.fromkeys(file for file, *_ in first) for item, _ in texts[file]]
        again = {name for file in used for name in macros([item for item, _ in texts[file]])}
        rest = self.rest(texts, late, used, shown)
        ends = undefined(self.file.items, words_of(rest)) + undefined(above, again)
        return self.head(body) + body + "\n" + step + ends + rest

    def part(self, file):
        """The items of a file that are taken, in order, each as a text."""
        taken = self.gathering.taken.get(file, ())
        return [(item, self.gathering.text_of(item)) for item in file.items
                if item in taken or (taken and not item.names and "static_assert" in item.text)]

    def rename(self, texts, first, late, used):
        """Names of one file alone, where another has the same."""
        items = {file: [item for item, _ in texts[file]] for file in texts}
        above = kinds([item for file in first for item in items[file]])
        step = kinds(self.file.items)
        public = kinds([item for file in late for item in items[file]] +
                       [item for file in used for item in items[file] if not item.private])
        own = {file: kinds(items[file], lambda item: item.private and not item.text.startswith("#")) for file in used}
        for file in [*late, *used]:
            maps = []
            for kind in (1, 0):  # names, and tags
                others = step[kind] | above[kind] | public[kind]
                others = others.union(*(own[other][kind] for other in used if other is not file))
                names = {name: "harness_" + name for name in (public[kind] & step[kind]) - above[kind]}
                mine = own[file][kind] if file in own else set()
                maps.append({**names, **{name: own_name(file, name, others) for name in mine & others}})
            words = maps[0].keys() | maps[1].keys()
            texts[file] = [(item, renamed(text, *maps) if words & (item.uses | item.names) else text)
                           for item, text in texts[file]]

    def rest(self, texts, late, used, shown):
        texts = {file: [(item, bare(text)) for item, text in texts[file]] for file in texts}
        parts, words = [MAIN], words_of(MAIN)
        for file in reversed(used):
            text = section(texts, file)
            parts.insert(0, text + undefined([item for item, _ in texts[file]], words))
            words |= words_of(text)
        headers = "".join(section(texts, *piece) for piece in late)
        words |= words_of(headers)
        licence = "".join(f" * {line}".rstrip() + "\n" for line in read(self.root, "LICENSE").splitlines())
        return (f'\n{REST}\n#define PROJECT_VERSION "{version(self.root)}"\n'
                f'#define PROJECT_COMMIT "{commit(self.root)}"\n\n{stubs(words - shown)}'
                f'{headers}{"".join(parts[:-1])}\n{parts[-1]}\n/*\n{licence} */\n')

    def head(self, body):
        others = self.types[1:]
        flags = NEEDS_90A + " " if ARCHITECTURE in body else ""
        types = TYPES.format(step=self.step, other=others[0], others=", ".join(others), flags=flags) if others else ""
        tag = commit(self.root)
        fields = {"step": self.step, "version": version(self.root), "commit": f", commit {tag}" if tag else "",
                  "types": types, "flags": flags, "line": 0}
        line = (HEAD.format(**fields) + body).count("\n") + 2
        return HEAD.format(**{**fields, "line": line})
