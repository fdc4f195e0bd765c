"""The command line of steps/run."""
import re
import shlex

from common.commands.runner.screen import Stop

USAGE = """\
usage: steps/run [STEP...] [--quick] [--lesson] [--backend auto|cuda|cpu] [--build DIR]
                 [--install] [-- OPTION...]

Runs every step of the series in teaching order, or the named ones: a name is a step's, a
family's as in reduce, or limits for all that measure the machine. The log, the charts and the
surroundings of the run (env.txt) are left in runs/DEVICE-UTC/. Without a GPU the tables show what
each kernel did, and the times that an H200 would take at its own sizes, estimated from that.

  --quick        small sizes, few runs, no sweep over sizes
  --lesson       only where ideas pay that a large array hides: the shapes that the families declare
                 for that, on a GPU
  --backend B    build for this device; default: a GPU where there is one and nvcc, else the CPU
  --build DIR    build there; default: build
  --install      first install what is missing, with apt or from PyPI
  -h, --help     this text
  -- OPTION...   handed to every step, e.g. -- --type i32 -t 128; a size or a sweep given here
                 takes the place of this script's own

Exit status: 0 every result verified, 1 a wrong result, 2 bad usage, 3 something is missing; with
several failures, the highest."""

# What may not stand after --: a step that prints this measures nothing; and what is set here.
SILENT = [("help", "h"), ("list", ""), ("version", ""), ("describe", ""),
          ("attributes", "")]
OURS = [("log", "o"), ("batch", ""), ("progress", ""), ("then", "")]


class Command:
    """What was asked for."""

    def __init__(self, words, build):
        self.text = shlex.join(["./steps/run", *words])
        self.steps, self.options = [], []
        self.quick, self.help, self.backend, self.build = False, False, None, build
        self.lesson = self.install = False
        words = list(words)
        while words and not self.help:
            self._take(words.pop(0), words)
        if self.backend not in (None, "auto", "cuda", "cpu"):
            raise Stop(f"--backend {self.backend}: must be auto, cuda or cpu", 2)
        if self.quick and self.lesson:
            raise Stop("--quick and --lesson: only one of them", 2)
        if not self.help:
            check_options(self.options)

    def _take(self, word, rest):
        name, equals, value = word.partition("=")
        if word == "--":
            self.options = rest[:]
            rest.clear()
        elif word == "--quick":
            self.quick = True
        elif word == "--lesson":
            self.lesson = True
        elif word == "--install":
            self.install = True
        elif word in ("-h", "--help"):
            self.help = True
        elif name in ("--backend", "--build"):
            if not equals and rest:
                value = rest.pop(0)
            if not value:
                raise Stop(f"{name} needs a value", 2)
            setattr(self, name[2:], value)
        elif word.startswith("-"):
            raise Stop(f"unknown option {word} (accepted: --quick --lesson --backend --build --install -h; the "
                       "steps' own after --)", 2)
        else:
            self.steps.append(word)


def given(words, name, letter=""):
    """The first word that gives a step's option --name, or -letter, in any spelling; or None."""
    for word in words:
        if word.startswith("--"):
            start = word[2:].partition("=")[0]
            if len(start) > 1 and name.startswith(start):
                return word
        elif letter and re.match(f"-q*{letter}", word):
            return word
    return None


def check_options(words):
    """Refuses what this script sets itself and what measures nothing."""
    for name, letter in SILENT:
        word = given(words, name, letter)
        if word:
            raise Stop(f"{word} after -- measures nothing: ask one program by itself, as in "
                       f"build/steps/STEP/STEP {word}", 2)
    for name, letter in OURS:
        word = given(words, name, letter)
        if word:
            raise Stop(f"{word} may not stand after --: the log goes to runs/DEVICE-UTC/", 2)
