"""Makes a program of its files: translates, compiles and links."""
import concurrent.futures
import os
import re
import shlex
import subprocess
import sys
import time

from common.commands.cudacpu import libraries, sass
from common.commands.runner.screen import Stop

ROUNDS = "-DCPU_DEVICE_ROUNDS"  # common/cpu/translate/rounds.h
OPTIMIZED = ["-O2", "-g"]
# A module finds its own functions and variables, whatever the program and other modules call theirs.
MODULE = ["-fPIC", "-fno-gnu-unique", "-fno-semantic-interposition", "-Wa,--defsym,cpu_module=1"]
MEETS = "-DCPU_DEVICE_MEETS"  # common/cpu/translate/meets.h
PRINTS = ["-Wl,--wrap=printf,--wrap=__printf_chk,--wrap=puts,--wrap=putchar"]  # common/cpu/runtime/print.c
MODULE_LINK = ["-shared", "-Wl,-Bsymbolic", *PRINTS]


class Maker:
    """With a toolchain, what a Command asks for, in the directory scratch."""

    def __init__(self, tools, asked, scratch, screen):
        self.tools, self.asked, self.scratch, self.screen = tools, asked, scratch, screen
        self.used = libraries.Used(asked)
        self._begun = time.monotonic()

    def make(self):
        """The program's path; raises Stop, after the compiler's own words, where it fails."""
        sources = [file for file in self.asked.files if file[1] != "object"]
        objects = [path for path, kind in self.asked.files if kind == "object"]
        linked = [library for library in self.used.libraries
                  if library.source and library not in self.used.missing]
        for library in linked:
            library.check_system(self.tools.cc)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool:
            answers = [pool.submit(self._library, library) for library in linked]
            jobs = [pool.submit(self._object, at, *source) for at, source in enumerate(sources)]
            self._watch(jobs, "compiling " + " ".join(path for path, _ in sources))
            made = [job.result() for job in jobs]
            failed = [path for (path, _), (_, good) in zip(sources, made) if not good]
            if failed:
                raise Stop(f"{' '.join(failed)}: not compiled" +
                           "".join("; " + library.how_to_install() for library in self.used.missing), 2)
            program = os.path.join(self.scratch, self.name())
            answers = [job.result() for job in answers]
            links = [word for library in linked if library.over for word in library.over[2]]
            link = pool.submit(self._link, [path for path, _ in made] + objects + answers, links, program)
            self._watch([link], "linking")
            link.result()
        return program

    def name(self):
        return os.path.splitext(os.path.basename(self.asked.files[0][0]))[0] + ".program"

    def make_module(self):
        """The path of a module; raises Stop as make does."""
        for library in self.used.missing:
            raise Stop(library.how_to_install(), 2)
        path = self.asked.files[0][0]
        parts = os.path.join(self.tools.common, "cpu", "libraries", "module.c")
        about, module = os.path.join(self.scratch, "parts.o"), os.path.join(self.scratch, "module")
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            job = pool.submit(self._object, 0, path, "cu")
            self._watch([job], "compiling " + path)
            output, good = job.result()
        first, last = self.tools.includes()
        if not good or not self._say(self._run([*self.tools.cc, "-O2", "-fPIC", *first, *last, "-c", parts, "-o",
                                                about])):
            raise Stop(f"{path}: not compiled", 2)
        if not self._say(self._run([*self.tools.cpp, *MODULE_LINK, output, about, "-o", module])):
            raise Stop(f"{path}: not linked", 2)
        return module

    def _watch(self, jobs, what):
        """Waits for the jobs, and says so on a terminal once a second has gone."""
        while concurrent.futures.wait(jobs, 0.5).not_done:
            passed = time.monotonic() - self._begun
            if passed > 1:
                self.screen.progress(f"{what}: {passed:.0f} s")
        self.screen.clear()

    def _run(self, command):
        if self.asked.verbose:
            print(shlex.join(command), file=sys.stderr)
        return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, encoding="utf-8", errors="replace",
                              check=False)

    def _say(self, done):
        """Shows what the compiler said, errors and warnings; whether it succeeded."""
        if done.stdout:
            sys.stderr.write(done.stdout if done.stdout.endswith("\n") else done.stdout + "\n")
        return done.returncode == 0

    def _object(self, at, path, kind):
        """(the object made of a source, whether that went well)"""
        output = os.path.join(self.scratch, f"{at}.o")
        if kind == "cu":
            translated = os.path.join(self.scratch, f"{at}.cpp")
            compiler = self._kernel()
            headers = [] if self.asked.fast or self.asked.gdb else self.tools.headers
            good = self._say(self._run([self.tools.translate, path, translated, "--", *compiler, *headers]))
            return output, good and self._say(self._run([*compiler, "-c", translated, "-o", output]))
        return output, self._say(self._run(self._host(path, kind, output)))

    def _kernel(self):
        first, last = self.tools.includes()
        return [*self.tools.cpp, "-std=" + self.asked.standard, *first, *self.asked.flags, *last,
                *self.used.flags, *self._optimized(), *(MODULE if self.asked.module else []),
                *([] if self.asked.fast or self.asked.explore is not None else [MEETS]),
                *([ROUNDS] if sass.counts_rounds(self.asked) else []),
                *(self.tools.plain if self.asked.is_plain() and not self.used.asks_tools else []),
                *(self.tools.fast_flags() if self.asked.fast else self.tools.flags)]

    def _optimized(self):
        """For gdb variables stay where it finds them."""
        return ["-O0", "-g"] if self.asked.gdb else OPTIMIZED

    def _host(self, path, kind, output):
        first, last = self.tools.includes()
        compiler = [*self.tools.cpp, "-std=" + self.asked.standard, *self.tools.host_flags()] if kind == "cpp" else \
            self.tools.cc
        return [*compiler, *self._optimized(), *first, *self.asked.flags, *last,
                *self.used.host_flags, *self.used.flags, "-c", path, "-o", output]

    def _library(self, library):
        """The object that answers a library's calls."""
        path = os.path.join(self.tools.common, "cpu", "libraries", library.source)
        output = os.path.join(self.scratch, f"{library.source}.o")
        first, last = self.tools.includes()
        if path.endswith(".cu"):
            good = self._object(library.source, path, "cu")[1]
        else:
            good = self._say(self._run([*self.tools.cc, "-O2", "-w", *first, *last, *self.used.flags,
                                        f'-DCUDA_CPU="{self.tools.command}"', f"-DCUDA_CPU_FAST={int(self.asked.fast)}",
                                        "-c", path, "-o", output]))
        if not good:
            raise Stop(f"{path}: not compiled" + (
                f" with {library.name}'s headers in {library.folder()}" if library.folder() else ""), 2)
        return output

    def _link(self, objects, links, program):
        device = ["-Wl,--whole-archive", self.tools.library, "-Wl,--no-whole-archive", "-rdynamic"] \
            if self.used.loads else [self.tools.library]  # of which modules may need any part
        done = self._run([*self.tools.cpp, *objects, "-o", program, "-Wl,-u,cpu_device_start,-u,__wrap_printf", *PRINTS,
                          *device, *self.asked.links, *links, *self.tools.libraries])
        if done.returncode != 0:
            files = " ".join(path for path, _ in self.asked.files)
            missing = list(dict.fromkeys(re.findall(r"undefined reference to [`'](.*)'",
                                                    done.stdout)))
            if missing == ["main"]:
                raise Stop(f"{files}: no function main; give all files of the program", 2)
            if not missing:
                self._say(done)
            raise Stop(f"{files}: not linked" +
                       (f": what it calls is nowhere: {', '.join(missing)}" if missing else ""), 2)
