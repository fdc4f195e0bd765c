"""How the commands of this package end."""
import os
import sys

from plots.log import LogError


def start(action, name):
    """Run the action of the command of this name and end with the status that it returns; 2 after a line about a
    bad file."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")
    try:
        status = action()
        sys.stdout.flush()
    except LogError as error:
        status, why = 2, str(error)
    except BrokenPipeError:  # the reader has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except OSError as error:
        status, why = 2, f"{error.filename or 'output'}: {error.strerror}"
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    else:
        sys.exit(status)
    print(f"{name}: {why}", file=sys.stderr)
    sys.exit(status)
