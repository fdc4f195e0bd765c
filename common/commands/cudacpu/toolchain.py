"""What a program is made with: the CPU device's library, its headers, the translator, a compiler."""
import json
import os
import re
import shutil

from common.commands.runner.screen import Stop


# Of the flags of a kernel those of all C++ of a program: common/commands/meson.build says what for.
NO_VALUE = ("-fno-strict-return", "-fsanitize=unreachable", "-fsanitize-undefined-trap-on-error")


class Toolchain:
    """Of the build or installation whose toolchain.json this is. flags: of a kernel. plain: more, of one that no
    tool will look at. headers: more for the translator, which then takes CUDA's headers as they were compiled."""

    def __init__(self, path):
        try:
            with open(path, encoding="utf-8") as file:
                told = json.load(file)
        except OSError as error:
            raise Stop(f"{path}: {error.strerror}", 2) from None
        home = os.path.dirname(os.path.abspath(path))
        self.command = os.path.join(home, "cuda-cpu")  # of this toolchain
        self.version, self.cc, self.cpp = told["version"], told["cc"], told["cpp"]
        self.flags, self.plain, self.libraries = told["flags"], told["plain"], told["libraries"]
        if told["assemble"]:  # a directory, in which the compiler finds an assembler
            self.flags = [*self.flags, f"-B{os.path.join(home, told['assemble'])}/"]
        self.common, self.translate, self.library = (
            os.path.join(home, told[name]) if told[name] != "." else home
            for name in ("common", "translate", "library"))
        self.estimate, self.machine, self.machines = (os.path.join(home, told[name])
                                                      for name in ("estimate", "machine", "machines"))
        self.headers = ["-fpch-preprocess", "-iquote", told["headers"]] if told["headers"] else []
        for file in (self.library, self.translate):
            if not os.path.exists(file):
                raise Stop(f"{file}: no such file; build or install the CPU device again", 2)
        if not shutil.which(self.cpp[0]):
            raise Stop(f"no compiler: {self.cpp[0]}, with which the CPU device was built, is not "
                       "there", 2)

    def machine_file(self, asked):
        """The path of the machine file that is asked for, by its own or by its device's in plots/devices; "": the
        one that goes with the toolchain."""
        found = next((path for path in (asked, os.path.join(self.machines, asked, "machine.json"))
                      if os.path.isfile(path)), None) if asked else self.machine
        if not found:
            raise Stop(f"--estimate={asked}: neither a machine file nor the name of a device in plots/devices", 2)
        return found

    def fast_flags(self):
        """Those of a kernel that no tool looks at: without hooks, and what keeps accesses as the source has them."""
        kept = ("-fno-strict-aliasing", "-fno-math-errno", *NO_VALUE)
        return [flag for flag in self.flags if flag in kept or
                not re.match(r"-fno-|-fsanitize=|--param=tsan|-mllvm$|-tsan-|-B|-mno-red-zone$", flag)]

    def host_flags(self):
        """Those of the program's C++ without kernels."""
        return [flag for flag in self.flags if flag in NO_VALUE]

    def includes(self):
        """Before the program's own directories: (these, and those behind them)."""
        return ["-I" + os.path.join(self.common, "cpu", "include")], ["-I" + self.common]
