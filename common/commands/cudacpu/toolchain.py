"""What a program is made with: the CPU device's library, its headers, the translator, a compiler."""
import json
import os
import shutil

from common.commands.runner.screen import Stop


class Toolchain:
    """Of the build or installation whose toolchain.json this is. flags: of a kernel. headers: more for the translator,
    which then takes CUDA's headers as they were compiled before."""

    def __init__(self, path):
        try:
            with open(path, encoding="utf-8") as file:
                told = json.load(file)
        except OSError as error:
            raise Stop(f"{path}: {error.strerror}", 2) from None
        home = os.path.dirname(os.path.abspath(path))
        self.version, self.cc, self.cpp = told["version"], told["cc"], told["cpp"]
        self.flags, self.libraries = told["flags"], told["libraries"]
        if told["assemble"]:  # a directory, in which the compiler finds an assembler
            self.flags = [*self.flags, f"-B{os.path.join(home, told['assemble'])}/"]
        self.common, self.translate, self.library = (
            os.path.join(home, told[name]) if told[name] != "." else home
            for name in ("common", "translate", "library"))
        self.headers = ["-fpch-preprocess", "-iquote", told["headers"]] if told["headers"] else []
        for file in (self.library, self.translate):
            if not os.path.exists(file):
                raise Stop(f"{file}: no such file; build or install the CPU device again", 2)
        if not shutil.which(self.cpp[0]):
            raise Stop(f"no compiler: {self.cpp[0]}, with which the CPU device was built, is not "
                       "there", 2)

    def includes(self):
        """Before the program's own directories: (these, and those behind them)."""
        return ["-I" + os.path.join(self.common, "cpu", "include")], ["-I" + self.common]
