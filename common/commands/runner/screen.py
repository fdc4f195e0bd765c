"""
What a person sees: whole lines on standard output (or on another stream where that is a program's
own) and, on a terminal, one line on standard error that is rewritten while something runs; elsewhere, where
a program wants it, a line of that now and then. A program
prints complaints and ends by raising Stop.
"""
import errno
import os
import shutil
import sys
import time


class Stop(Exception):
    """The end of the program: one line for standard error, and the exit status."""

    def __init__(self, message, status):
        super().__init__(message)
        self.status = status


class Screen:
    """name stands before every complaint. out: where lines go, None for standard output. patience: where
    there is no terminal progress is a line every so many seconds, None for never. failed: why out took no
    more, or None."""

    def __init__(self, name, out=None, patience=None):
        self.name, self.out = name, out
        self.patience, self._told = patience, time.monotonic()
        self.failed = None
        self.live = bool(sys.stderr and sys.stderr.isatty()) and \
            os.environ.get("TERM", "dumb") != "dumb"
        self._shown = False

    def line(self, text=""):
        self.clear()
        if self.failed:
            return
        try:
            if sys.stdout is None and self.out is None:
                raise OSError(errno.EBADF, "it is closed")
            print(text + "\n", end="", flush=True, file=self.out)  # at once: others write, too
        except OSError as error:
            self.failed = error.strerror
            if sys.stdout:  # else Python would try once more, at exit
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            if error.errno != errno.EPIPE:  # somebody has read enough
                self.complain(f"standard output: {error.strerror}")

    def complain(self, text):
        self.clear()
        print(f"{self.name}: {text}", file=sys.stderr)

    def quote(self, lines):
        """What another program said on standard error."""
        self.clear()
        for line in lines:
            print("    " + line, file=sys.stderr)

    def progress(self, text):
        if not self.live:
            now = time.monotonic()
            if self.patience is not None and now - self._told >= self.patience:
                self._told = now
                self.line(text)
            return
        width = shutil.get_terminal_size().columns - 1
        sys.stderr.write("\r\033[K" + text[:width])
        sys.stderr.flush()
        self._shown = True

    def clear(self):
        if self._shown:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()
            self._shown = False


def end_of(screen, work):
    """The exit status of a program whose work() returns one; what ends it early is told."""
    try:
        status = work()
    except Stop as stop:
        screen.complain(stop)
        status = stop.status
    except KeyboardInterrupt:
        screen.clear()
        return 130
    except OSError as error:  # a full disk, say
        screen.complain(f"{error.filename or 'a file'}: {error.strerror}")
        status = 3
    return max(status, 3) if screen.failed else status
