"""The command line of steps/practice."""
import re

from common.commands.arguments import Arguments, text
from common.commands.languages import LANGUAGES

USAGE = """\
usage: steps/practice STEP [--function NAME] [--backend auto|cuda|cpu] [--build DIR] [--hint] [--json]
                      [--language L]
       steps/practice new FAMILY NAME [--from STEP]
       steps/practice NAME [--hint] [--json] [--language L]
       steps/practice --patch NAME [--backend auto|cuda|cpu] [--build DIR] [-- OPTION...]
       steps/practice --list
       steps/practice --grade DIR [OPTION...]    judges a class: see steps/practice --grade --help

STEP: the first time, copies the step to practice/STEP/STEP.cu with the body of a function taken out:
the first kernel that its page shows, or its first device function where the page shows no kernel. Write
the body. After that the same command builds the copy, runs the variants that you changed, and says which
kind of mistake stands at which line; of a right copy, how its counters differ from the step's. Your file
is never overwritten; to begin again, delete practice/STEP.

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
  --hint           in place of the verdict's lines say a question; asked again for the same mistake, the place;
                   then the cause
  --json           print the verdict as one JSON object: see docs/practice.md
  --language L     en, zh (Chinese) or ko (Korean): what a person reads; default: that of LC_ALL, LC_MESSAGES or LANG
  -h, --help       this text

Exit status: 0 all results right and nothing found, 1 a wrong result, a finding, or a file that does not
compile, 2 bad usage, 3 something is missing. Of --patch: the program's own."""

NAME = re.compile(r"[a-z][a-z0-9-]{0,39}$")


def parse(words):
    """What was asked for, and in .what which of "step", "new", "patch" and "list" that is."""
    parser = Arguments("steps/practice", USAGE, behind=True)
    parser.add_argument("names", nargs="*", metavar="NAME")
    for option in ("--function", "--from", "--patch", "--build"):
        parser.add_argument(option, type=text, dest={"--from": "source"}.get(option))
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--hint", action="store_true")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--backend", choices=("auto", "cuda", "cpu"))
    parser.add_argument("--language", choices=("en", *LANGUAGES))
    asked = parser.parse(words)
    asked.what = "patch" if asked.patch else "list" if asked.list else \
        "new" if asked.names[:1] == ["new"] else "step"
    if asked.what == "new" and len(asked.names) != 3:
        parser.error("new needs a family and a name, as in: new reduce my-sum")
    wanted = {"step": 1, "new": 3, "patch": 0, "list": 0}[asked.what]
    if len(asked.names) < wanted:
        parser.error("which step? (see --help and --list)")
    if len(asked.names) > wanted:
        parser.error(f"{asked.names[wanted]}: one thing at a time (see --help)")
    for option, given, where in (("--function", asked.function, "step"),
                                 ("--from", asked.source, "new"),
                                 ("--list", asked.list, "list"), ("--json", asked.json, "step"),
                                 ("--hint", asked.hint, "step"),
                                 ("-- OPTION...", asked.behind, "patch")):
        if given and asked.what != where:
            parser.error(f"{option}: not accepted here (see --help)")
    return asked
