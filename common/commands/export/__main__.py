"""steps/export: a step as one file."""
import difflib
import sys

from common.commands import ROOT
from common.commands.arguments import Arguments, text
from common.commands.export import write
from common.commands.practice import shelf
from common.commands.runner.screen import Screen, Stop, end_of

USAGE = """\
usage: steps/export STEP [-o FILE]

Writes a step, with what it needs of its family and of the harness, as one .cu file that runs, verifies and
times its variants: nvcc FILE compiles it, steps/cuda FILE runs it without a GPU. It knows the options of the
step but for the log, scripts' options and those of the CPU device, and one element type, chosen when it is
compiled. The first program of the series, steps/add/plain.cu, is one file as it is.

  STEP               its name, as reduce2
  -o, --output FILE  default: STEP.cu; - is standard output
  -h, --help         this text

Exit status: 0; 2 there is no such step, or FILE cannot be written."""


def arguments():
    parser = Arguments("steps/export", USAGE)
    parser.add_argument("step", metavar="STEP")
    parser.add_argument("-o", "--output", type=text)
    return parser.parse(sys.argv[1:])


def save(path, whole):
    if path == "-":
        sys.stdout.write(whole)
        return
    try:
        with open(path, "x", encoding="utf-8") as file:
            file.write(whole)
    except FileExistsError:
        raise Stop(f"{path}: it exists; name another with -o FILE", 2) from None
    except OSError as error:
        raise Stop(f"{path}: {error.strerror}", 2) from None


def work():
    asked, known = arguments(), shelf.steps(ROOT)
    if asked.step not in known:
        near = difflib.get_close_matches(asked.step, known, 1)
        raise Stop(f"{asked.step}: no such step{f'; did you mean {near[0]}?' if near else ''}; accepted: "
                   f"{' '.join(known)}", 2)
    save(asked.output or asked.step + ".cu", write.Writer(ROOT, asked.step).whole())
    return 0


if __name__ == "__main__":
    sys.exit(end_of(Screen("steps/export"), work))
