"""
Which of the harness and of its family a step needs, as one text.

All in it is what some name leads to, from the step and main on. So nothing here knows a step or a family, and
what a build for a GPU does not use is left out: a part of a table that nothing reads, too.
"""
import functools
import os
import re

from common.commands.export import source
from common.commands.runner.screen import Stop

# Of Meson's and the compiler's macros: whether they are defined.
KNOWN = {"BACKEND_CPU": False, "BACKEND_CUDA": True, "HAVE_FFTW": False, "SOME_TYPES": False, "__cplusplus": True,
         "ELEMENT_TYPE": True, "PROJECT_VERSION": True, "PROJECT_COMMIT": True}

# What scripts ask for, a library's variants, the run log, the CPU device's tools and what they are told, what makes
# large arrays arrive sooner: functions that are not taken in, and what stands for a call.
LEFT_OUT = {"batch_run": "0", "describe_print": "((void)0)", "attributes_print": "0", "runlog_check": "0",
            "runlog_append": "0", "estimate_session": "0",
            "copy_to_device": "device_copy(__VA_ARGS__)", "copy_to_host": "device_copy(__VA_ARGS__)",
            "buffer_input_there": "buffer_input(__VA_ARGS__)", "input_fill_device": "0", "spans_sum_device": "0",
            "handed_open": "0", "handed_forget": "((void)0)", "handed_note": "((void)0)", "handed_write": "0",
            "take_handed": "false", "note_missing": "((void)0)", "guard_set": "((void)0)",
            "large_pages": "((void)0)", "tools_variant": "((void)0)",
            "tools_phase": "((void)0)", "tools_report": "0", "tools_verified": "((void)0)",
            "tools_start": "0", "tools_stop": "0", "tools_findings": "0", "tools_devices": "device_visible_count()",
            "tell_wrong": "((void)0)", "buffer_point": "((void)0)", "spread_point": "((void)0)",
            "first_changed": "SIZE_MAX", "fft_furthest": "0",
            "ranks_begin": "0", "ranks_end": "(__VA_ARGS__)", "ranks_count": "1",
            "ranks_own": "0", "ranks_device": "0", "ranks_agree": "(__VA_ARGS__)", "ranks_largest": "(__VA_ARGS__)",
            "read_versions": "((void)0)", "line_length": "argc", "begin_line": "((void)0)", "peers_join": "NULL",
            "choose_all_peers": "0", "choose_peer": "false", "name_peers": "0", "check_tools": "0",
            "progress_as_lines": "((void)0)", "refuse_need": "0",
            "take_worst": "((void)0)", "join_ranks": "((void)0)", "refuse_ranks": "false", "spans_run": "0",
            "timeline_begin": "((void)0)", "timeline_end": "((void)0)", "timeline_stamps": "NULL"}
# The options that go with them, and those that such a program cannot have, by words of their lines.
OPTIONS, NOT_OPTIONS = "option_specs", re.compile(r"NEEDS_CPU_DEVICE|NEEDS_PEERS|NEEDS_SERIES|NEEDS_GPU")

MAIN = """\
int main(int argc, char **argv)
{
    static const struct step *const steps[] = {&ELEMENT_NAME(step_), NULL};

    return harness_main(argc, argv, steps, NULL);
}
"""


class File:
    """One of ours. path: as it is included; items: of its text; ours, systems: what it includes,
    ours with how many items stand above."""

    def __init__(self, path, text):
        self.path, self.header = path, path.endswith((".h", ".cuh"))
        guard = source.guard_of(text)
        text = source.resolve(text, {**KNOWN, **({guard: False} if guard else {})})
        if guard:
            text = re.sub(rf"^#define {guard}\n", "", text, flags=re.MULTILINE)
        self.items, includes = source.split(text)
        self.items = [cut_options(item) for item in self.items]
        self.ours = {name[1:-1]: place for name, place in includes if name.startswith('"')}
        self.systems = [name for name, _ in includes if name.startswith("<")]


def rows_of_options(text):
    """What stands before the rows of the table, and they."""
    begin = text.index("= {") + 3
    return text[:begin], re.split(r"(?<=\},)(?=\n    \{)", text[begin:text.rindex("};")])


def cut_options(item):
    """The table of options without those that are left out."""
    if OPTIONS not in item.names or not item.members and not item.body:
        return item
    head, rows = rows_of_options(item.text)
    return source.Item(head + "".join(row for row in rows if not NOT_OPTIONS.search(row)).rstrip() + "\n};", item.place)


@functools.lru_cache(maxsize=None)
def keys_left_out(root):
    """What a switch has for the options that are left out: letters, and enumerators."""
    with open(os.path.join(root, "common", "harness", "run", "option_table.c"), encoding="utf-8") as file:
        rows = rows_of_options(file.read())[1]
    return {re.match(r"\s*\{([^,]+),", row)[1] for row in rows if NOT_OPTIONS.search(row)}


def cut_cases(item, keys):
    """A function without their cases in its switch."""
    text = re.sub(r"^    case ([^:\n]+):\n(?:        .*\n)*", lambda match: "" if match[1] in keys else match[0],
                  item.text, flags=re.MULTILINE)
    return item if text == item.text else source.Item(text, item.place)


@functools.lru_cache(maxsize=None)
def load(root, path):
    with open(os.path.join(root, "common", path), encoding="utf-8") as text:
        return File(path, text.read())


class Library:
    """All files that a step may need, by the paths that they are included by."""

    def __init__(self, root, family):
        self.root = root
        folders = ["harness/kit", "harness/run", family]
        self.sources = [load(root, os.path.join(folder, name)) for folder in folders if folder
                        for name in sorted(os.listdir(os.path.join(root, "common", folder)))
                        if name.endswith((".c", ".cu")) and name not in ("peers.cu", "peer.c")]
        for file in self.sources:
            file.items = [cut_cases(item, keys_left_out(root)) for item in file.items]

    def header(self, name, asking):
        """Of #include "NAME" in a file of ours; None of one that the build makes."""
        if name == "commit.h":
            return None
        if not os.path.isfile(os.path.join(self.root, "common", name)):
            raise Stop(f'{asking}: #include "{name}": no such header; accepted: those in common/', 2)
        return load(self.root, name)

    def pieces(self, file, seen):
        """The headers of a file but for those seen, as a compiler meets their items: (header, first item, the one
        behind the last)."""
        found, begin = [], 0
        for name, place in file.ours.items():
            header = self.header(name, file.path)
            if header and header not in seen:
                seen.add(header)
                if file.header and place > begin:
                    found.append((file, begin, place))
                    begin = place
                found += self.pieces(header, seen)
        return [*found, (file, begin, len(file.items))] if file.header else found

    def headers(self, file, found=None):
        """The headers that a file includes, and those that they include, each behind what it needs."""
        found = [] if found is None else found
        for name in file.ours:
            header = self.header(name, file.path)
            if header and header not in found:
                self.headers(header, found)
                if header not in found:
                    found.append(header)
        return found


class Gathering:
    """What is taken: (file, item)s, from the step's words on."""

    def __init__(self, library, step, roots):
        self.library, self.step = library, step
        self.taken, self.reads, self.waiting, self.pending = {}, set(), [], []
        self.visible, self.definitions = {}, {}
        for file in library.sources:
            for item in file.items:
                if item.body and not item.private:
                    for name in item.names:
                        self.definitions.setdefault(name, []).append((file, item))
        self.definitions.pop("main", None)  # of another program; MAIN is this one's
        for item in [*step.items, source.Item(MAIN, 0)]:
            self.use(step, item.uses | set(roots), item.reads)
            for name in item.uses:  # STEP declares its family
                self.follow(name)
        while self.waiting:
            self.visit(*self.waiting.pop())

    def scope(self, file):
        """{name: [(file, item)]} that the file sees."""
        if file not in self.visible:
            names = {}
            around = self.library.headers(self.step) if file.header else []
            for seen in dict.fromkeys([*around, *self.library.headers(file), file]):
                for item in seen.items:
                    for name in item.names:
                        names.setdefault(name, []).append((seen, item))
            self.visible[file] = names
        return self.visible[file]

    def take(self, file, item):
        if item not in self.taken.setdefault(file, set()):
            self.taken[file].add(item)
            self.waiting.append((file, item))

    def use(self, file, names, reads):
        stubs = [LEFT_OUT[name] for name in names if name in LEFT_OUT]
        for name in names.union(*(re.findall(r"\w+(?=\()", stub) for stub in stubs)):
            for where, item in self.scope(file).get(name, []):
                if name not in LEFT_OUT:
                    self.take(where, item)
        if not reads <= self.reads:
            self.reads |= reads
            pending, self.pending = self.pending, []
            for where, part in pending:
                self.member(where, part)

    def member(self, file, part):
        """A part .a = x of a table: needed where something reads a."""
        if part[0] in self.reads:
            self.use(file, part[3], part[4])
        else:
            self.pending.append((file, part))

    def visit(self, file, item):
        if item.members:
            rest, at = "", 0  # a table may have a macro among its members
            for part in item.members:
                rest, at = rest + item.text[at:part[1]], part[2]
                self.member(file, part)
            self.use(file, *source.used(source.code(rest + item.text[at:])))
        else:
            self.use(file, item.uses, item.reads)
        if not item.private:
            for name in item.names:
                self.follow(name)

    def follow(self, name):
        """The definition of what a header declares: for a GPU where there are two."""
        found = self.definitions.get(name, [])
        if name in LEFT_OUT or not found:
            return
        found = sorted(found, key=lambda pair: (not pair[0].path.endswith(".cu"),
                                                "<cpu_device.h>" in pair[0].systems))
        self.take(*found[0])

    def text_of(self, item):
        """Without the parts that nothing reads."""
        text = item.text
        for name, begin, end, *_ in reversed(item.members):
            if name not in self.reads:
                line = text.rindex("\n", 0, begin)
                begin = begin if text[line:begin].strip() else line
                text = text[:begin] + re.sub(r"\A[ \t]*/\*[^\n]*\*/", "", text[end:])
        return text
