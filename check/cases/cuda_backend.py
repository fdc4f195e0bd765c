"""
The cuda backend compiles; nobody runs it here. With CHECK_FULL=1 for all GPUs (where this machine has one: for
that), with the peers. It gives way to the other tests.
"""
import os

from common.commands.drive.support import BUILD, FULL, SOURCE, case, leave
from common.commands.runner import build, packages
from common.commands.runner.screen import Screen, Stop


def main():
    if not packages.nvcc():
        print("ok - the cuda backend compiles # skip missing: nvcc, of the CUDA Toolkit")
        return
    os.nice(19)
    os.environ["PATH"] += os.pathsep + os.path.dirname(packages.nvcc())
    options = ["-Dgpu_arch=", "-Dpeers=auto", "-Dfast_compile=false", "-Dtogether=1"] if FULL else \
        ["-Dgpu_arch=90", "-Dpeers=disabled", "-Dfast_compile=true", "-Dtogether=64"]
    try:
        build.make(SOURCE, BUILD + "-cuda", [f"-D{build.DEVICE}=cuda", *options], Screen("cuda_backend"),
                   tests=True)  # kernels of the other types, too, which no program is linked with
        said = ""
    except Stop as stop:
        said = stop  # after what the compiler said, on standard error
    case(not said, "the cuda backend compiles", said)
    leave()


if __name__ == "__main__":
    main()
