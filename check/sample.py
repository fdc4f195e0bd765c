"""
Copies of the samples of check/data to change, for the cases of what reads the logs.
"""
import csv
import glob
import io
import json
import os
import shutil

from common.commands.drive.support import SOURCE, case, run

TABLE, DRAW = (os.path.join(SOURCE, name) for name in ("steps/table", "plots/draw"))


def read(*parts):
    with open(os.path.join(*parts), encoding="utf-8", newline="") as file:
        return file.read()


def write(text, *parts):
    with open(os.path.join(*parts), "wb") as file:
        file.write(text if isinstance(text, bytes) else text.encode())


class Copy:
    """A copy of sample data: its log as rows, its describe.json as objects."""

    def __init__(self, scratch, kind, name):
        self.path = os.path.join(scratch, name)
        shutil.copytree(os.path.join(SOURCE, "check", "data", kind), self.path)
        self.wanted = read(self.path, "table.txt")
        self.log = read(self.path, "log.csv")
        self.rows = list(csv.DictReader(io.StringIO(self.log)))
        self.described = json.loads(read(self.path, "describe.json"))

    def save(self, columns=None):
        out = io.StringIO()
        writer = csv.DictWriter(out, columns or list(self.rows[0]), extrasaction="ignore",
                                restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(self.rows)
        self.log = out.getvalue()
        write(self.log, self.path, "log.csv")
        write(json.dumps(self.described), self.path, "describe.json")

    def table(self, *more):
        return run(TABLE, self.path, *more)

    def charts(self):
        """{name: text} of the SVGs."""
        out = os.path.join(self.path, "out")
        run(DRAW, self.path, out)
        return {os.path.basename(path): read(path) for path in
                glob.glob(os.path.join(out, "*.svg"))}


def refused(name, done, *named):
    case(done.status == 2 and not done.out and len(done.err.splitlines()) == 1
         and all(word in done.err for word in named), f"{name} is refused in one line", done)
