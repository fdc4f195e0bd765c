"""The command lines of the project's programs in Python: argparse, whose bad usage is one line."""
import argparse
import re
import sys

from common.commands.runner.screen import Screen

REWORDED = (  # argparse's words, and ours: the option, the value, what is accepted
    (r"argument (\S+): expected .*argument.*", r"\1 needs a value"),
    (r"argument (\S+): invalid choice: '(.*)' \(choose from (.*)\)", r"\1 \2: must be one of \3"),
    (r"argument (\S+): ignored explicit argument '(.*)'", r"\1 takes no value; got \2"),
    (r"the following arguments are required: (.*)", r"\1 is missing (see --help)"),
    (r"argument (\S+): ", r"\1 "))


def text(word):
    """The type of an option whose value is any text but none."""
    if not word:
        raise argparse.ArgumentTypeError("needs a value")
    return word


def positive(kind):
    """The type of an option whose value is a number above 0, of this kind."""
    def parse(word):
        try:
            value = kind(word)
        except ValueError:
            value = 0
        if not 0 < value < 1e9:
            raise argparse.ArgumentTypeError(f"{word}: must be a number above 0")
        return value
    return parse


class Arguments(argparse.ArgumentParser):
    """name: the command's, before every complaint. page: what --help prints. behind: whether words may stand
    after --, which are another program's. Options and names stand in any order."""

    def __init__(self, name, page, behind=False):
        super().__init__(prog=name, add_help=False, allow_abbrev=False)
        self._page, self._behind = page.strip(), behind

    def parse(self, words):
        """What was asked for, as argparse has it, and in .behind the words after --. Ends the program after
        --help, with status 0, and after a line about bad usage, with status 2."""
        words = list(words)
        at = words.index("--") if "--" in words else len(words)
        ours, behind = words[:at], words[at + 1:]
        if {"-h", "--help"} & set(ours):
            screen = Screen(self.prog)
            screen.line(self._page)
            sys.exit(3 if screen.failed else 0)
        asked, rest = self.parse_known_intermixed_args(ours)
        rest += [] if self._behind else words[at:at + 1]
        if rest and rest[0].startswith("-"):
            self.error(f"unknown option {rest[0]} (accepted: {' '.join(self._accepted())})")
        if rest:
            self.error(f"{rest[0]}: one word too many (see --help)")
        asked.behind = behind
        return asked

    def one_of(self, option, given, known):
        """Refuses a word that is none of the known."""
        for word in given:
            if word not in known:
                self.error(f"{option} {word}: must be one of {' '.join(known)}")

    def error(self, message):
        message = str(message)
        for theirs, ours in REWORDED:
            message, found = re.subn("^" + theirs, ours, message, flags=re.DOTALL)
            if found:
                break
        self.exit(2, f"{self.prog}: {message}\n")

    def _accepted(self):
        options = [action.option_strings[-1] for action in self._actions if action.option_strings]
        return [*options, "-h", *(["--"] if self._behind else [])]
