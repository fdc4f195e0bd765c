"""Makes programs of submissions, and of the steps beside them: in a sandbox, with the flags of the build."""
import os
import re

from common.commands import ROOT
from common.commands.drive import building
from common.commands.grading import gate
from common.commands.grading.sandbox import Limits
from common.commands.practice import batch

MIB = 1 << 20
COMPILING = Limits(60, 300, 2048 * MIB, 256 * MIB, MIB, True)
# What a kernel prints goes nowhere: no format of its own reaches the C library.
NO_PRINT = "int grading_no_{0}(const void *, ...);\nint grading_no_{0}(const void *p, ...) {{ return !p; }}\n"


class NotCompiled(Exception):
    """A submission with an error: (what the compiler said)."""


class Workroom:
    """For one step: its own program, made as a submission's is, and what a submission may be."""

    def __init__(self, box, folder, step, kind):
        self.box, self.step, self.kind = box, step, kind
        self.readable = [os.path.join(ROOT, "common"), os.path.join(building.BUILD, "common"),
                         os.path.join(ROOT, "plots", "devices")]  # of these the machine file of --estimate
        self.folder = os.path.join(folder, "steps-own", step)
        os.makedirs(self.folder, exist_ok=True)
        with open(os.path.join(ROOT, "steps", step, step + ".cu"), encoding="utf-8") as file:
            self.text = file.read()
        self.reference = None
        self.main = [os.path.join(self.folder, name) for name in ("main.o", "prints.o")]
        self.make_main()
        self.program = self.make(self.text, self.folder)
        self.told = batch.describe(self.program)

    def make_main(self):
        """Our own part of each program: compiled once, outside of the sandbox."""
        source = self.main[1][:-2] + ".c"
        with open(source, "w", encoding="utf-8") as file:
            file.writelines(NO_PRINT.format(name) for name in gate.PRINTS)
        for done in (building.compile_main(self.main[0], [self.kind]),
                     building.run(*building.compile_command(building.is_program), "-c", source, "-o", self.main[1],
                                  cwd=building.BUILD)):
            if done.status:
                raise OSError(3, "the harness does not compile", done.err[-300:])

    def run(self, words, folder, limits=COMPILING, readable=()):
        return self.box.run(words, folder, limits, [*self.readable, *readable])

    def compile(self, words, folder):
        """Raises NotCompiled where that goes wrong, with what was said."""
        inner = ["sh", "-c", 'cd "$1" && shift && exec "$@"', "sh", building.BUILD, *words]
        done = self.run(inner, folder)
        if done.status != 0:
            raise NotCompiled([re.sub(r"\S*/(\w[\w.-]*\.cu)", r"\1", line) for line in done.said if line.strip()] or
                              [done.why or "a limit ended the compiler"])
        return done.said

    def make(self, text, folder):
        """The program of a text; raises gate.Refused or NotCompiled. folder is for it alone."""
        os.makedirs(folder, exist_ok=True)
        place = os.path.join(folder, self.step)
        names = {end: place + end for end in (".cu", ".cpp", ".o", ".kept.o", "")}
        if self.reference:
            gate.check_file(text, self.text)
        with open(names[".cu"], "w", encoding="utf-8") as file:
            file.write(text)
        self.compile([os.path.join(building.BUILD, "common", "cpu", "translate"), names[".cu"], names[".cpp"], "--",
                      *translation(self.text), "-DELEMENT_TYPE=" + self.kind], folder)
        with open(names[".cpp"], encoding="utf-8", errors="replace") as file:
            translated = file.read(16 * MIB)
        if self.reference:
            gate.check_translated(translated, self.reference)
        self.compile([*without_cache(building.kernel_command()), "-fno-jump-tables", "-DELEMENT_TYPE=" + self.kind,
                      "-c", names[".cpp"], "-o", names[".o"]], folder)
        dumped = self.dump(names[".o"], folder)
        if self.reference:
            gate.check_object(dumped, self.reference)
        else:
            self.reference = gate.Reference(self.text, self.step + ".cu", translated, dumped)
        self.link(names, folder)
        return names[""]

    def dump(self, name, folder):
        """What objdump and nm print of an object."""
        into = name + ".txt"
        self.compile(["sh", "-c", 'objdump -dr --no-show-raw-insn "$1" >"$2"; nm -u "$1" >>"$2"', "sh", name, into],
                     folder)
        with open(into, encoding="utf-8", errors="replace") as file:
            return file.read().split("\n")

    def link(self, names, folder):
        """The step alone is seen from outside, so that nothing of the submission takes the place of ours."""
        prints = [word for name in gate.PRINTS for word in ("--redefine-sym", f"{name}=grading_no_{name}")]
        self.compile(["objcopy", f"--keep-global-symbol=step_{self.kind}", *prints, names[".o"], names[".kept.o"]],
                     folder)
        compiler = [word for word in without_cache(building.kernel_command()) if not word.startswith("-")]
        own = [] if folder == self.folder else [self.folder]
        inner = ["sh", "-c", 'cd "$1" && shift && exec "$@"', "sh", building.BUILD, *compiler, names[".kept.o"],
                 *self.main, "-o", names[""], os.path.join(building.BUILD, "common", "libcommon.a"),
                 os.path.join(building.BUILD, "common", "cpu", "libcpudevice.a"),
                 *building.libraries_of("fftw3"), *building.linked_with()]
        done = self.run(inner, folder, readable=own)
        if done.status != 0:
            raise NotCompiled(done.said or [done.why or "a limit ended the linker"])


def translation(step):
    """The compiler of the translator for a step's text. Of a step that asks for the architecture the headers stand in
    the translation as text; then they do for a submission that does not ask, too, because the two are compared."""
    return [word for word in without_cache(building.translation_command())
            if word != "-fpch-preprocess" or gate.ARCHITECTURE not in step]


def without_cache(words):
    """A compiler's command without ccache, which keeps files outside of the sandbox."""
    return [word for word in words if os.path.basename(word) != "ccache"]
