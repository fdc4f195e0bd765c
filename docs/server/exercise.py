"""
What a reader edits on a step's page: what steps/practice keeps in practice/. It is the step with a function taken
out, or a copy of the whole step.
"""
import hashlib
import os
import tempfile

from common.commands import ROOT
from common.commands.practice import __main__ as practice
from common.commands.practice import source
from common.commands.runner.screen import Screen, Stop

COPY = "copy"  # in place of a function's name
LONGEST = 1 << 20  # bytes of a file


class Silent(Screen):
    """What the page says in its own way."""

    def line(self, text=""):
        pass


class Changed(Exception):
    """The file is another than the page knew."""


def mark(text):
    return hashlib.sha256(text.encode()).hexdigest()


def whats(step):
    """What can be edited of a step: the function that its page is about, then its others, then all of it."""
    text = practice.read(practice.step_source(step))
    found = list(source.functions(text))
    first = [source.chosen(ROOT, step, text).name] if found else []
    return [*dict.fromkeys([*first, *found]), COPY]


class Exercise:
    """Of a step that is one of shelf.steps(), and of what is one of whats(step). name: as steps/practice knows it."""

    def __init__(self, step, what):
        self.step, self.what = step, what
        first = whats(step)[0]
        self.name = f"my-{step}" if what == COPY else step if what == first else f"{step}-{what}"
        self.file = practice.place(self.name)
        self.path = os.path.join(ROOT, self.file)

    def begin(self):
        """Puts it onto the shelf, unless it is there."""
        if not os.path.exists(self.path):
            screen = Silent("docs/serve")
            if self.what == COPY:
                practice.copy_of(screen, self.step, self.name)
            else:
                practice.begin(screen, self.step, self.what, self.name)
        entry = practice.on_shelf(self.name, self.step)
        if entry.beside != self.step:
            raise Stop(f"{self.file} is there already, beside {entry.beside}", 2)

    def text(self):
        with open(self.path, encoding="utf-8", errors="replace") as file:
            return file.read()

    def save(self, text, known):
        """Writes the file in one go. known: the mark of what the page believes to stand there; raises Changed where
        something else does, and then changes nothing."""
        there = self.text()
        if there == text:
            return
        if mark(there) != known:
            raise Changed(there)
        handle, name = tempfile.mkstemp(dir=os.path.dirname(self.path), prefix=".saved-")
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        os.replace(name, self.path)

    def again(self):
        """Begins anew. What stood there is kept beside it, under a name that is free."""
        at = 1
        while os.path.exists(f"{self.path}.{at}"):
            at += 1
        os.rename(self.path, f"{self.path}.{at}")
        self.begin()
        return f"{self.file}.{at}"
