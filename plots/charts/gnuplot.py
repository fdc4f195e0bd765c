"""Running the chart scripts of plots/."""
import concurrent.futures
import os
import shutil
import subprocess
import sys

SCRIPTS = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))


def quote(text):
    """A gnuplot string; enhanced text would take _ and ^ as markup."""
    escaped = str(text).replace("\\", "\\\\").replace('"', '\\"')
    return '"' + escaped.replace("_", "\\\\_") + '"'


class Charts:
    """Draws into the directory out, several charts at once; drawn and failed tell after wait()."""

    def __init__(self, out, scratch):
        self.out, self.scratch = out, scratch
        self.failed = 0
        self.drawn = []
        self._pool = concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1)
        self._jobs = []

    def draw(self, script, name, values, formats=("svg", "png")):
        """Begin to run one gnuplot script for each format. Nothing half-drawn is left behind."""
        values_file = os.path.join(self.scratch, name + ".values")
        with open(values_file, "w", encoding="utf-8") as file:
            file.write("\n".join(values) + "\n")
        for suffix in formats:
            self._jobs.append(self._pool.submit(self._make, script, values_file, f"{name}.{suffix}"))

    def _make(self, script, values_file, name):
        """(the chart's name, why it is not there)"""
        made = os.path.join(self.scratch, name)
        done = subprocess.run(["gnuplot", "-c", script, values_file, made], cwd=SCRIPTS,
                              capture_output=True, text=True, errors="replace", check=False)
        if done.returncode or not os.path.exists(made) or not os.path.getsize(made):
            return name, done.stderr.strip() or f"gnuplot ended with status {done.returncode}"
        shutil.move(made, os.path.join(self.out, name))
        return name, None

    def wait(self):
        for job in self._jobs:
            name, why = job.result()
            if why:
                print(f"draw: {name}: {why}", file=sys.stderr)
                self.failed += 1
            else:
                self.drawn.append(name)
        self._jobs.clear()
        self._pool.shutdown()
