"""The command line of steps/cuda and cuda-cpu: our options, and those of nvcc that books use."""
import os
import re

from common.commands.cudacpu import libraries
from common.commands.runner.screen import Stop

USAGE = """\
usage: {name} FILE... [OPTION...] [-- ARGUMENT...]

Translates, compiles and runs CUDA programs on the CPU device, without a GPU. FILE is a .cu file; or
a .cpp, .c, .o or .a file that belongs to the same program. ARGUMENT... goes to the program.

      --counters[=lines]  count what each kernel did; =lines: by source line
      --estimate[=MACHINE]
                          how long a GPU would take for each launch, what it would wait for, and what
                          each change would bring; MACHINE: its machine file, default: an H200's
      --json FILE         of --estimate the same for programs
      --fast              nothing looks at the kernels' addresses: loops take less time; for programs
                          that are right
      --check             find memory, race, init, sync and async mistakes
      --explore[=SPEC]    every execution of each launch that CUDA's memory model allows; seconds:N:
                          at most so long per launch; races: races are no finding; replay:STEPS: the
                          one that an exploration told
      --sample B          run B blocks of each launch, for --counters and --estimate: results are
                          void then
      --schedule SPEC     order of threads and blocks: random:SEED
      --trace LINE        print one warp's access at this source line, as CSV
      --record-steps FILE write what each warp did, step after step, as JSON: launches of up to 4 blocks
                          of 128 threads; --record-part: of larger ones the first so many
      --log FILE          append the counters to FILE-counters.csv, the trace to FILE-trace.csv
      --gdb               run in gdb, which then knows threads and blocks of the device: docs/debugger.md;
                          FILE may be a program of the CPU device, too
      --gpu               run on this machine's GPU, by nvcc; --check is then compute-sanitizer
  -ptx, -cubin, -fatbin   make a module of FILE, which a program loads by the driver API: FILE.ptx, or -o
  -o, --output PROGRAM    keep the program; CPU_DEVICE_TOOLS=check,lines ./PROGRAM is then --check
                          --counters=lines
  -v, --verbose           show the commands
  -h, --help              print this page
      --version           print the version
{more}
Of nvcc's options -I -D -U -isystem -include -std -x -L -l -Xcompiler and -Xlinker act as there. -arch,
-O, -lineinfo, -rdc, --use_fast_math and others that choose how a GPU's code is made are taken, and
change nothing. The counters, findings and the trace go to standard error.

Exit status: the program's own, but if that is 0: 1 if --check found something or --explore a wrong
execution, 2 if --explore did not come to its end; 128 + the signal that ended it; 2 if there was no
program to run.
"""
BUILD = "      --build DIR         build the CPU device there; default: build\n"

# nvcc's options by their names without dashes, with their values.
VALUED = {"I": "include-path", "D": "define-macro", "U": "undefine-macro", "L": "library-path",
          "l": "library", "isystem": "system-include", "include": "pre-include", "std": "std",
          "x": "x", "Xcompiler": "compiler-options", "Xlinker": "linker-options"}
EXPLORE = re.compile(r"seconds:[1-9]\d{0,4}$|races$|replay:[\d:,<]+$")
TOOLS = ["CPU_DEVICE_" + name for name in ("TOOLS", "TRACE", "LOG", "EXPLORE", "RECORD", "LAUNCHES")]
LETTERS = "IDULl"  # the value may follow at once
IGNORED_VALUED = {
    "arch", "gpu-architecture", "code", "gpu-code", "gencode", "generate-code", "ccbin",
    "compiler-bindir", "cudart", "t", "threads", "default-stream", "Xptxas", "ptxas-options",
    "Xcudafe", "Xnvlink", "nvlink-options", "diag-suppress", "diag-warn", "maxrregcount", "O",
    "optimize", "rdc", "relocatable-device-code", "ftz", "prec-div", "prec-sqrt", "fmad", "m",
    "machine", "split-compile", "modify-stack-limit", "Werror", "target-directory", "target-dir"}
IGNORED = {
    "lineinfo", "generate-line-info", "g", "debug", "G", "device-debug", "use_fast_math",
    "expt-relaxed-constexpr", "expt-extended-lambda", "extended-lambda", "restrict", "w", "dlto",
    "disable-warnings", "resource-usage", "res-usage", "allow-unsupported-compiler", "run",
    "extra-device-vectorization", "minimal", "builtin-move-forward", "builtin-initializer-list", "device-int128",
    "no-source-include", "dopt", "source-in-ptx", "src-in-ptx", "forward-unknown-to-host-compiler",
    "forward-unknown-to-host-linker", "extensible-whole-program", "ewp", "pthread"}
MODULES = {"ptx", "cubin", "fatbin"}  # the driver API loads them
DEVICE_BY_DEFAULT = {"default-device", "device-as-default-execution-space"}  # NVRTC's
PARTIAL = {"c", "compile", "dc", "device-c", "dw", "device-w", "dlink", "device-link",
           "E", "preprocess", "lib", "cuda", "M", "generate-dependencies"}
LIBRARIES = {  # the vendor's, by how their names begin
    "cusparse": "cuSPARSE",
    "cusolver": "cuSOLVER", "cudnn": "cuDNN", "cutensor": "cuTENSOR", "nccl": "NCCL",
    "nvshmem": "NVSHMEM", "npp": "NPP", "nvjpeg": "nvJPEG",
    "nvidia-ml": "NVML", "cupti": "CUPTI"}
STANDARD = re.compile(r"(?:c|gnu)\+\+(\d[0-9a-z])$")
SOURCES = {".cu": "cu", ".cpp": "cpp", ".cc": "cpp", ".cxx": "cpp", ".C": "cpp", ".c": "c",
           ".o": "object", ".a": "object"}


class Command:
    """What was asked for. files: (path, kind); flags: for the compiler; links: for the linker;
    standard: of C++; nvcc: the same for nvcc, as it was given."""

    def __init__(self, words, may_build):
        self.files, self.flags, self.links, self.nvcc, self.arguments = [], [], [], [], []
        self.standard, self.all_cu, self.module = "gnu++17", False, None
        self.counters = self.schedule = self.trace = self.log = self.output = self.build = None
        self.explore = self.sample = self.estimate = self.json = self.record_steps = None
        self.record_part = self.fast = self.check = self.gdb = self.gpu = False
        self.verbose = self.help = self.version = False
        self._may_build = may_build
        self._words = list(words)
        while self._words and not self.help:
            self._take(self._words.pop(0))
        if not self.help and not self.version:
            self._verify()

    def _take(self, word):
        if word == "--":
            self.arguments, self._words = self._words, []
        elif word in ("-h", "--help"):
            self.help = True
        elif not word.startswith("-") or word == "-":
            self.files.append(word)
        elif not self._ours(word):
            self._nvccs(word)

    def _value(self, name, equals, value):
        if not equals and self._words:
            value = self._words.pop(0)
        if not value:
            raise Stop(f"{name} needs a value", 2)
        return value

    def _ours(self, word):
        """Takes an option of ours; whether it is one."""
        name, equals, value = word.partition("=")
        if word in ("--fast", "--check", "--gdb", "--gpu", "--record-part", "--verbose", "--version"):
            setattr(self, word[2:].replace("-", "_"), True)
        elif word == "-v":
            self.verbose = True
        elif name == "--counters":
            if equals and value != "lines":
                raise Stop(f"{word}: not accepted; accepted: no value, or lines", 2)
            self.counters = "lines" if equals else "counters"
        elif name == "--explore":
            self.explore = value
        elif name == "--estimate":
            self.estimate = value
        elif name in ("--sample", "--schedule", "--trace", "--record-steps", "--json", "--log", "--output") or \
                name == "--build" and self._may_build:
            setattr(self, name[2:].replace("-", "_"), self._value(name, equals, value))
        elif name == "-o":
            self.output = self._value(name, equals, value)
        else:
            return False
        return True

    def _nvccs(self, word):
        """Takes an option of nvcc's."""
        before = len(self._words)
        given = self._words[:]
        name, equals, value = word.lstrip("-").partition("=")
        short = not word.startswith("--")
        known = next((k for k, long in VALUED.items() if name in (k, long)), None)
        if short and not known and name not in IGNORED | IGNORED_VALUED and \
                word[1:2] in LETTERS:
            known, equals, value = word[1], "=", word[2:]
        if known:
            self._act(known, self._value(word, equals, value), word)
        elif name in IGNORED_VALUED and (equals or name not in ("O", "m", "Werror")):
            self._value(word, equals, value)
        elif name in MODULES and not equals:
            self.module = name
        elif name in DEVICE_BY_DEFAULT:
            self.flags.append("-DCPU_DEVICE_BY_DEFAULT")
        elif name in PARTIAL:
            raise Stop(f"{word} makes no program: give all files of the program at once", 2)
        elif name not in IGNORED and not re.match(r"O\d?$|m64$|W", name):
            raise Stop(f"unknown option {word} (see --help)", 2)
        self.nvcc += [word, *given[:before - len(self._words)]]

    def _act(self, name, value, word):
        if name == "std":
            match = STANDARD.match(value)
            if not match:
                raise Stop(f"{word}: not accepted; accepted: c++11 to c++26", 2)
            if match[1] not in ("98", "03", "0x", "11", "1y", "14"):  # older ones: as c++17
                self.standard = "gnu++" + match[1]
        elif name == "x":
            if value not in ("cu", "c", "c++"):
                raise Stop(f"-x {value}: not accepted; accepted: cu", 2)
            self.all_cu |= value == "cu"
        elif name == "Xcompiler":
            parts = re.split(r"[,\s]+", value.strip())
            self.flags += parts
            self.links += [part for part in parts if part in ("-fopenmp", "-pthread")]
        elif name == "Xlinker":
            self.links += ["-Wl," + value]
        elif name == "l":
            self._library(value)
        elif name == "L":
            self.links.append("-L" + value)
        elif name in ("isystem", "include"):
            self.flags += ["-" + name, value]
        else:
            self.flags.append(f"-{name}{value}")

    def _library(self, name):
        maker = next((LIBRARIES[start] for start in LIBRARIES if name.startswith(start)), None)
        if maker and not self.gpu:
            raise Stop(f"-l{name}: the CPU device has no {maker}", 2)
        if name not in ("cuda", "cudart", "cudart_static", "cudadevrt") and \
                (self.gpu or not name.startswith((*libraries.LINKED, "nvToolsExt"))):
            self.links.append("-l" + name)

    def _verify(self):
        if not self.files:
            raise Stop("no file: give a .cu file (see --help)", 2)
        self.files = [self._kind(path) for path in self.files]
        if self.program() and (len(self.files) > 1 or self.output):
            raise Stop(f"{self.program()}: is a program already; --gdb takes it alone", 2)
        if self.gdb and (self.fast or self.gpu or self.explore is not None):
            raise Stop("--gdb takes none of --fast, --gpu and --explore", 2)
        if self.schedule is not None and not re.match(r"random:\d+$", self.schedule):
            raise Stop(f"--schedule {self.schedule}: not accepted; accepted: random:SEED", 2)
        if self.trace is not None and not re.match(r"[1-9]\d{0,7}$", self.trace):
            raise Stop(f"--trace {self.trace}: not accepted; accepted: the number of a source line",
                       2)
        if self.sample is not None and not re.match(r"[1-9]\d{0,8}$", self.sample):
            raise Stop(f"--sample {self.sample}: not accepted; accepted: a number of blocks, from 1 on",
                       2)
        counted = self.counters or self.estimate is not None
        if self.sample is not None and (not counted or self.check or self.trace):
            raise Stop("--sample takes --counters or --estimate, and neither --check nor --trace", 2)
        if self.json is not None and self.estimate is None:
            raise Stop("--json is for --estimate", 2)
        if self.json is not None and os.path.isdir(self.json):
            raise Stop(f"--json {self.json}: is a directory", 2)
        if self.fast and (self.check or counted or self.trace or self.gpu or
                          self.explore is not None):
            raise Stop("--fast takes none of --check, --counters, --estimate, --explore, --trace and --gpu", 2)
        if self.explore and not EXPLORE.match(self.explore):
            raise Stop(f"--explore={self.explore}: not accepted; accepted: no value, seconds:N, "
                       "races or replay:STEPS", 2)
        if self.explore is not None and (self.check or counted or self.schedule or self.trace):
            raise Stop("--explore takes none of --check, --counters, --estimate, --schedule and --trace", 2)
        if self.gpu and (counted or self.schedule or self.trace or self.explore is not None):
            raise Stop("--gpu takes --check alone: counters of a GPU are Nsight Compute's (ncu)", 2)
        self._verify_recording()
        self._verify_module()
        if self.output and os.path.isdir(self.output):
            raise Stop(f"-o {self.output}: is a directory", 2)
        if self.output and (os.path.splitext(self.output)[1] in SOURCES or
                            re.search(r"\.(h|hpp|cuh)$", self.output)):
            raise Stop(f"-o {self.output}: would be a program by the name of a source", 2)

    def _verify_module(self):
        """A module is made, and nothing is run."""
        if not self.module:
            return
        if len(self.files) > 1 or self.files[0][1] != "cu":
            raise Stop(f"-{self.module} takes one .cu file", 2)
        if self.check or self.counters or self.estimate is not None or self.trace or self.record_steps or \
                self.explore is not None or self.gdb or self.gpu or self.arguments:
            raise Stop(f"-{self.module} makes a module and runs nothing: tools are for the program that loads it", 2)
        if not self.output:
            stem = os.path.splitext(os.path.basename(self.files[0][0]))[0]
            self.output = f"{stem}.{self.module}"

    def _verify_recording(self):
        if self.record_part and self.record_steps is None:
            raise Stop("--record-part is for --record-steps", 2)
        if self.record_steps is None:
            return
        if self.counters or self.estimate is not None or self.trace or self.explore is not None or \
                self.fast or self.gpu:
            raise Stop("--record-steps takes none of --counters, --estimate, --trace, --explore, --fast and "
                       "--gpu", 2)
        folder = os.path.dirname(os.path.abspath(self.record_steps))
        if os.path.isdir(self.record_steps) or not os.path.isdir(folder) or not os.access(folder, os.W_OK):
            raise Stop(f"--record-steps {self.record_steps}: cannot be written", 2)

    def _kind(self, path):
        kind = SOURCES.get(os.path.splitext(path)[1])
        if os.path.isdir(path):
            raise Stop(f"{path}: is a directory; give its .cu files", 2)
        if not os.path.exists(path):
            raise Stop(f"{path}: no such file", 2)
        if not os.access(path, os.R_OK):
            raise Stop(f"{path}: cannot be read", 2)
        if kind is None and self.gdb and os.access(path, os.X_OK):
            return path, "program"
        if kind is None:
            raise Stop(f"{path}: not a .cu, .cpp, .c, .o or .a file" +
                       ("; a header is found by those that include it"
                        if re.search(r"\.(h|hpp|cuh)$", path) else ""), 2)
        return path, "cu" if self.all_cu and kind in ("cpp", "c") else kind

    def program(self):
        """The file that is a program already, for --gdb; None."""
        return next((path for path, kind in self.files if kind == "program"), None)

    def is_plain(self):
        """Whether no tool looks at the program: none is asked for, and it is not kept for another run; and whether it
        is made as usual, of sources alone, so that the assembler's stand-in sees all its hooks."""
        given = {**os.environ, **self.environment()}
        return not (self.output or self.module or self.fast or self.gdb or self.estimate is not None) and \
            not any(given.get(name) for name in TOOLS) and \
            not any(re.match(r"-m|-f(?!openmp)|-pipe|.*cpu_device\.h", flag) for flag in self.flags) and \
            not any(kind == "object" for _, kind in self.files)

    def environment(self):
        """What switches the tools on: common/cpu/start.c."""
        tools = [word for word in (self.counters, "check" if self.check else None,
                                   "explore" if self.explore is not None else None) if word]
        found = {"CPU_DEVICE_TOOLS": ",".join(tools), "CPU_DEVICE_SCHEDULE": self.schedule,
                 "CPU_DEVICE_SAMPLE": self.sample,
                 "CPU_DEVICE_EXPLORE": self.explore,
                 "CPU_DEVICE_RECORD": self.record_steps,
                 "CPU_DEVICE_RECORD_PART": "1" if self.record_part else None,
                 "CPU_DEVICE_TRACE": self.trace, "CPU_DEVICE_LOG": self.log}
        if self.gdb:
            found["CPU_DEVICE_WORKERS"] = "1"  # one thread of the system has all of the device's
        return {name: value for name, value in found.items() if value}
