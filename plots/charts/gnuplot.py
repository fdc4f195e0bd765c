"""Running the chart scripts of plots/."""
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
    def __init__(self, out, scratch):
        self.out, self.scratch = out, scratch
        self.failed = 0
        self.drawn = []

    def draw(self, script, name, values):
        """Run one gnuplot script for both formats. Nothing half-drawn is left behind."""
        values_file = os.path.join(self.scratch, name + ".values")
        with open(values_file, "w", encoding="utf-8") as file:
            file.write("\n".join(values) + "\n")
        for suffix in ("svg", "png"):
            made = os.path.join(self.scratch, f"{name}.{suffix}")
            done = subprocess.run(["gnuplot", "-c", script, values_file, made], cwd=SCRIPTS,
                                  capture_output=True, text=True, errors="replace", check=False)
            if done.returncode or not os.path.exists(made) or not os.path.getsize(made):
                why = done.stderr.strip() or f"gnuplot ended with status {done.returncode}"
                print(f"draw: {name}.{suffix}: {why}", file=sys.stderr)
                self.failed += 1
                continue
            shutil.move(made, os.path.join(self.out, f"{name}.{suffix}"))
            self.drawn.append(f"{name}.{suffix}")
