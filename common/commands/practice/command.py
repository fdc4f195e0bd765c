"""The command line of steps/practice."""
import re

from common.commands.runner.screen import Stop

USAGE = """\
usage: steps/practice STEP [--function NAME] [--backend auto|cuda|cpu] [--build DIR]
       steps/practice new FAMILY NAME [--from STEP]
       steps/practice NAME
       steps/practice --patch NAME [--backend auto|cuda|cpu] [--build DIR] [-- OPTION...]
       steps/practice --list

STEP: the first time, copies the step to practice/STEP/STEP.cu with the body of a function taken out:
the first kernel that its page shows, or its first device function where the page shows no kernel. Write
the body. After that the same command builds the copy, runs it beside the step, and says whether its
results are right, what --check finds, and how its counters differ. Your file is never overwritten; to
begin again, delete practice/STEP.

new FAMILY NAME: begins a kernel of your own, practice/NAME/NAME.cu, as a copy of the family's first
step. steps/practice NAME judges it beside that step.

--patch NAME: builds the step of docs/mistakes/NAME.patch with the change, in a copy, and runs it with
these options, or else with those of its page; on the CPU device if one of them asks for its tools. Nothing
of yours is changed.

  --function NAME  take out this function, in practice/STEP-NAME
  --from STEP      begin with a copy of this step of the family
  --list           the steps, and the functions that can be taken out of each
  --backend B      cpu: the CPU device alone; cuda: a GPU alone; default: the CPU device, and for right
                   results and times a GPU, too, where there is one and nvcc
  --build DIR      build there; default: build, or build-cpu and build-cuda where that has the other device
  -h, --help       this text

Exit status: 0 all results right and nothing found, 1 a wrong result, a finding, or a file that does not
compile, 2 bad usage, 3 something is missing. Of --patch: the program's own."""

NAME = re.compile(r"[a-z][a-z0-9-]{0,39}$")


class Command:
    """What was asked for. what: "step", "new", "patch", "list" or "help"."""

    def __init__(self, words):
        self.what, self.names, self.options = "step", [], []
        self.function = self.source = self.backend = self.build = self.patch = None
        words = list(words)
        while words and self.what != "help":
            self._take(words.pop(0), words)
        if self.what != "help":
            self._verify()

    def _take(self, word, rest):
        name, equals, value = word.partition("=")
        if word == "--":
            self.options = rest[:]
            rest.clear()
        elif word in ("-h", "--help"):
            self.what = "help"
        elif word == "--list":
            self.what = "list"
        elif name in ("--function", "--from", "--backend", "--build", "--patch"):
            if not equals and rest:
                value = rest.pop(0)
            if not value:
                raise Stop(f"{name} needs a value", 2)
            setattr(self, {"from": "source"}.get(name[2:], name[2:]), value)
            self.what = "patch" if name == "--patch" else self.what
        elif word.startswith("-"):
            raise Stop(f"unknown option {word} (accepted: --function --from --list --patch --backend "
                       "--build -h)", 2)
        else:
            self.names.append(word)

    def _verify(self):
        if self.what == "step" and self.names[:1] == ["new"]:
            self.what = "new"
            if len(self.names) != 3:
                raise Stop("new needs a family and a name, as in: new reduce my-sum", 2)
        wanted = {"step": 1, "new": 3, "patch": 0, "list": 0}[self.what]
        if len(self.names) < wanted:
            raise Stop("which step? (see --help and --list)", 2)
        if len(self.names) > wanted:
            raise Stop(f"{self.names[wanted]}: one thing at a time (see --help)", 2)
        if self.backend not in (None, "auto", "cuda", "cpu"):
            raise Stop(f"--backend {self.backend}: must be auto, cuda or cpu", 2)
        for option, given, where in (("--function", self.function, "step"),
                                     ("--from", self.source, "new"),
                                     ("-- OPTION...", self.options, "patch")):
            if given and self.what != where:
                raise Stop(f"{option}: not accepted here (see --help)", 2)
