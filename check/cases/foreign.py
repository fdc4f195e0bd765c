"""
Programs as students, books and samples write them, check/foreign/NAME.cu, run by cuda-cpu: each must
print check/foreign/NAME.expected, byte for byte. In its head a program may say

    // flags: WORDS    more words for cuda-cpu, behind the file, with check/foreign as the directory
    // status: N       its exit status; 0 unless said
    // devices: N      how many devices the CPU device has; 1 unless said
    // error: TEXT     a part of what it says on standard error; any number of these
    // needs: NAME     one of the vendor's libraries: without its headers, or what runs in its place, it is left out
    // nvcc: no        it is no valid CUDA, because it is about a refusal, or it needs NCCL

nvcc is not asked for the counters, so that they are the same everywhere. With arguments only the
programs of these names (check/cases/foreign 'groups-*'). With CHECK_FULL=1 nvcc compiles them too,
where it is. At the end faults are planted: each must be found.
"""
import fnmatch
import os
import re
import shlex
import shutil
import sys
import tempfile

from common.commands.drive.support import BUILD, FULL, SOURCE, Done, case, leave, parallel, run
from common.commands.cudacpu import libraries
from common.commands.cudacpu.command import Command
from common.commands.runner.screen import Stop

PROGRAMS = os.path.join(SOURCE, "check", "foreign")
CUDA_CPU = os.path.join(BUILD, "common", "commands", "cuda-cpu")
DIRECTIVE = re.compile(r"// (flags|status|devices|error|needs|nvcc): *(.*)$")
LEAST = 60  # programs; not while single ones are asked for


class Program:
    """A program's path, and what its head says."""

    def __init__(self, path):
        self.path, self.name = path, os.path.basename(path)[:-3]
        self.flags, self.status, self.errors, self.by_nvcc = [], 0, [], True
        self.devices, self.needs = "", None
        with open(path, encoding="utf-8") as file:
            for match in filter(None, map(DIRECTIVE.match, file.read().splitlines())):
                self._take(*match.groups())

    def _take(self, word, text):
        if word == "flags":
            self.flags += shlex.split(text)
        elif word == "status":
            self.status = int(text)
        elif word == "devices":
            self.devices = text
        elif word == "needs":
            self.needs = next(library for library in libraries.LIBRARIES if library.name == text)
        elif word == "error":
            self.errors.append(text)
        else:
            self.by_nvcc = text != "no"

    def can_run(self):
        if not self.needs:
            return True
        try:
            self.needs.check_system(["cc"])
        except Stop:
            return False
        return self.needs.folder() is not None

    def expected(self):
        """What it must print; None if nobody has said."""
        try:
            with open(self.path[:-3] + ".expected", encoding="utf-8") as file:
                return file.read()
        except FileNotFoundError:
            return None


def fault_of(program):
    """(what is wrong, the run); an empty text where nothing is."""
    expected = program.expected()
    if expected is None:
        return f"{program.name}.expected is missing", ""
    done = run(CUDA_CPU, os.path.basename(program.path), *program.flags,
               cwd=os.path.dirname(program.path), limit=300,
               env={"CPU_DEVICE_NVCC": "", "CPU_DEVICE_DEVICES": program.devices})
    if done.status != program.status:
        return f"the exit status is {done.status}, not {program.status}", done
    if done.out != expected:
        return "the output differs", f"{done}--- expected:\n{expected}"
    for text in program.errors:
        if text not in done.err:
            return f"standard error lacks: {text}", done
    return "", done


def compiled_by_nvcc(program, nvcc):
    """nvcc compiles all files of the program, in the directory of programs."""
    asked = Command([program.name + ".cu", *program.flags], False)
    done = Done([], 0, "", "")
    for path, _ in asked.files:
        if done.status == 0:
            done = run(nvcc, *([] if any(word.startswith("-arch") for word in asked.nvcc)
                               else ["-arch=sm_90"]), *asked.nvcc, "-c", path, "-o", os.devnull)
    return done


PLANTED = [  # (what, the program's head and status, the expected output, words of the fault)
    ("another output", "", "2\n", "the output differs"),
    ("an output without its last line end", "", "1", "the output differs"),
    ("another exit status", "// status: 3\n", "1\n", "the exit status is 0, not 3"),
    ("an error that is not said", "// error: wrong\n", "1\n", "standard error lacks: wrong"),
    ("no expected output", "", None, "missing"),
]


def plant():
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "planted.cu")
        for what, head, expected, wanted in [*PLANTED, ("nothing", "", "1\n", "")]:
            with open(path, "w", encoding="utf-8") as file:
                file.write(head + '#include <stdio.h>\nint main() { puts("1"); }\n')
            if expected is None:
                os.unlink(path[:-3] + ".expected")
            else:
                with open(path[:-3] + ".expected", "w", encoding="utf-8") as file:
                    file.write(expected)
            found, done = fault_of(Program(path))
            case(found == wanted if not wanted else wanted in found, f"foreign: planted {what} is "
                 "told", done)


def main():
    names = sorted(name[:-3] for name in os.listdir(PROGRAMS) if name.endswith(".cu"))
    chosen = [name for name in names
              if not sys.argv[1:] or any(fnmatch.fnmatch(name, each) for each in sys.argv[1:])]
    programs = [Program(os.path.join(PROGRAMS, name + ".cu")) for name in chosen]
    for program in [program for program in programs if not program.can_run()]:
        print(f"ok - {program.name} # skip missing: {program.needs.name}, or what runs in its place")
        programs.remove(program)
    for program, (fault, done) in zip(programs, parallel(fault_of, programs)):
        case(not fault, f"{program.name}: {fault or 'runs as expected'}", done)
    orphans = [name for name in os.listdir(PROGRAMS)
               if name.endswith(".expected") and name[:-len(".expected")] not in names]
    case(not orphans, "foreign: every expected output has its program", " ".join(orphans))
    nvcc = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")
    if FULL and nvcc:
        os.chdir(PROGRAMS)
        valid = [program for program in programs if program.by_nvcc]
        for program, done in zip(valid, parallel(lambda p: compiled_by_nvcc(p, nvcc), valid)):
            case(done.status == 0, f"{program.name}: nvcc compiles it", done)
    if not sys.argv[1:]:
        case(len(programs) >= LEAST, f"foreign: at least {LEAST} programs", len(programs))
        plant()
    leave()


if __name__ == "__main__":
    main()
