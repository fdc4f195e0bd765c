"""
The directory of a run: made under a name that no other has, named at the end, when the device is
known.
"""
import csv
import os
import platform
import re
import shutil
import subprocess
import tempfile
import time

from common.commands.runner import packages
from common.commands.runner.screen import Stop


class Directory:
    """path changes with finish(). started: UTC."""

    def __init__(self, root, device):
        self.root, self.device, self.finished = os.path.join(root, "runs"), device, False
        self.started = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
        try:
            os.makedirs(self.root, exist_ok=True)
            self.path = tempfile.mkdtemp(prefix=".unfinished-", dir=self.root)
            mask = os.umask(0)
            os.umask(mask)
            os.chmod(self.path, 0o777 & ~mask)
        except OSError as error:
            raise Stop(f"{error.filename or self.root}: {error.strerror}", 3) from None

    def file(self, name):
        return os.path.join(self.path, name)

    def part(self, step):
        """A directory in it for what a step's programs write while those of another step are run."""
        path = self.file(f".{step}")
        os.makedirs(path)
        return path

    def take(self, part):
        """Appends the files of a part to its own, and removes it. Of a CSV file the header stands once."""
        for name in sorted(os.listdir(part)):
            begun = os.path.exists(self.file(name))
            with open(os.path.join(part, name), "rb") as source, open(self.file(name), "ab") as file:
                if begun and name.endswith(".csv"):
                    source.readline()
                shutil.copyfileobj(source, file)
        shutil.rmtree(part)

    def first_row(self):
        """The first measurement, by column; empty if there is none."""
        try:
            with open(self.file("log.csv"), newline="", encoding="utf-8",
                      errors="replace") as file:
                return next(csv.DictReader(file), {})
        except (OSError, csv.Error):
            return {}

    def write_surroundings(self, command, commit):
        row = self.first_row()
        compiler = packages.quiet("c++", "--version")
        lines = [f"command: {command}", f"started: {self.started}", f"commit: {commit}"]
        lines += [f"{name}: {row.get(name) or ''}"
                  for name in ("device", "backend", "driver", "cuda")]
        system = os.uname()
        lines += [f"system: {system.sysname} {system.release} {system.machine}",
                  f"processor: {processor()}",
                  f"compiler: {compiler[1].splitlines()[0] if compiler[0] else ''}",
                  f"python: {platform.python_version()}"]
        if self.device == "cuda":
            release = re.search(r"release (.*)", packages.quiet(packages.nvcc() or "nvcc",
                                                                "--version")[1])
            lines.append(f"nvcc: {release[0] if release else ''}")
        with open(self.file("env.txt"), "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")

    def finish(self):
        """Names the directory after the device and the time; a second call does nothing."""
        if self.finished:
            return
        self.finished = True
        for kind in ("counters", "estimates"):
            if os.path.exists(self.file(f"log-{kind}.csv")):
                os.replace(self.file(f"log-{kind}.csv"), self.file(f"{kind}.csv"))
        device = self.first_row().get("device") or self.device
        slug = re.sub(r"[^a-z0-9]+", "-", device.lower()).strip("-") or self.device
        name = final = os.path.join(self.root, f"{slug}-{self.started}")
        more = 1
        while True:
            try:  # onto a directory that holds something, a rename fails
                os.rename(self.path, final)
                break
            except OSError as error:
                if not os.path.exists(final):
                    raise Stop(f"{final}: {error.strerror}", 3) from None
                more += 1
                final = f"{name}-{more}"
        self.path = final


def processor():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            found = re.search(r"^model name.*?: (.*)", file.read(), re.MULTILINE)
            return found[1] if found else ""
    except OSError:
        return ""


def output_of(*command, complaints=None):
    """(status, what it printed); what it complains of goes to standard error, or to complaints."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=complaints, stdin=subprocess.DEVNULL,
                          encoding="utf-8", errors="replace", check=False)
    return done.returncode, done.stdout
