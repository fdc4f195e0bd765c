"""steps/export: a step as one file."""
import argparse
import difflib
import sys

from common.commands import ROOT
from common.commands.export import write
from common.commands.practice import shelf
from common.commands.runner.screen import Screen, Stop, end_of

TEXT = """\
Writes a step, with what it needs of its family and of the harness, as one .cu file that runs, verifies and
times its variants: nvcc FILE compiles it, steps/cuda FILE runs it without a GPU. It knows the options of the
step but for the log, scripts' options and those of the CPU device, and one element type, chosen when it is
compiled. The first program of the series, steps/add/plain.cu, is one file as it is."""


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise Stop(f"{message} (see --help)", 2)


def arguments():
    parser = Parser(prog="steps/export", description=TEXT, formatter_class=argparse.RawDescriptionHelpFormatter,
                    epilog="Exit status: 0; 2 there is no such step, or FILE cannot be written.")
    parser.add_argument("step", metavar="STEP", help="its name, as reduce2")
    parser.add_argument("-o", "--output", metavar="FILE", help="default: STEP.cu; - is standard output")
    return parser.parse_args()


def save(path, text):
    if path == "-":
        sys.stdout.write(text)
        return
    try:
        with open(path, "x", encoding="utf-8") as file:
            file.write(text)
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
