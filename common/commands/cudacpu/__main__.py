"""steps/cuda: builds the CPU device where that is not done, then all as cuda-cpu."""
import os
import sys

from common.commands import ROOT
from common.commands.cudacpu import command, driver
from common.commands.runner import build, packages, pypi
from common.commands.runner.screen import Screen, Stop



def built(folder):
    return os.path.join(folder, "common", "commands", "toolchain.json")


def choose_folder(asked):
    """Where the CPU device is built: with the series, but for a build that is for a GPU."""
    if asked.build:
        return os.path.abspath(asked.build)
    folder = os.path.join(ROOT, "build")
    configured = os.path.exists(os.path.join(folder, "build.ninja"))
    for_gpu = not os.path.exists(built(folder)) if configured else \
        packages.device_of(None) == "cuda"
    return folder + "-cpu" if for_gpu else folder


def prepare(asked):
    """The path of toolchain.json, with all that it names built."""
    screen, folder = Screen("steps/cuda", sys.stderr), choose_folder(asked)
    fresh = not os.path.exists(os.path.join(folder, "build.ninja"))
    if fresh:
        packages.ensure(ROOT, screen, "cpu")
        screen.line(f"building the CPU device in {folder}")
    elif not os.path.exists(built(folder)):
        raise Stop(f"{folder} is a build for a GPU: name another with --build", 2)
    elif not packages.ninja():
        pypi.use(ROOT)
    build.make(ROOT, folder, [f"-D{build.DEVICE}=cpu"] if fresh else [], screen,
               targets=["cuda-cpu"])
    return built(folder)


if __name__ == "__main__":
    sys.exit(driver.main("steps/cuda", sys.argv[1:], prepare, command.BUILD))
