"""
What plots/record needs to run other people's programs.
"""
import os
import signal
import subprocess
import tempfile

from common.commands import ROOT
from common.commands.runner.screen import Stop


def prepare(folder):
    """Builds the CPU device; a program of one line is run for it."""
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "empty.cu")
        with open(path, "w", encoding="utf-8") as file:
            file.write("int main() { return 0; }\n")
        done = subprocess.run([os.path.join(ROOT, "steps", "cuda"), "--build", folder, path], check=False)
    if done.returncode != 0:
        raise Stop(f"the CPU device could not be built in {folder}", 3)


def output_of(process, seconds):
    """(what a process of its own session printed, whether it ended by itself): it, and all that it has started, is
    killed when it takes longer."""
    try:
        return process.communicate(timeout=seconds), True
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        return process.communicate(), False
