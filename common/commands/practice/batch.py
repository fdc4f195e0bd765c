"""Runs a program of the shelf: many launches in one process, or one of them to hear what it says."""
import collections
import json
import os
import selectors
import signal
import subprocess
import tempfile
import time

from common.commands.runner.screen import Stop

PATIENCE = 5  # seconds without a result
LONGEST = 60  # seconds for one launch by itself
ENOUGH = 10  # seconds, once a launch was wrong
TICK = os.sysconf("SC_CLK_TCK")

# rows: of --batch. status None: it did not end, and was asked where it is. said: on standard error.
Run = collections.namedtuple("Run", "rows status said")


def describe(program):
    """What --describe tells, without the libraries' variants."""
    done = subprocess.run([program, "--describe"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          stdin=subprocess.DEVNULL, encoding="utf-8", errors="replace", check=False)
    try:
        told = json.loads(done.stdout)
        told["variants"] = [each for each in told["variants"] if not each["library"]]
        return told
    except ValueError:
        said = (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1]
        raise Stop(f"{program} --describe: {said}", 3) from None


def cpu_seconds(process):
    """That a process has used; 0 where the system does not tell."""
    try:
        with open(f"/proc/{process.pid}/stat", encoding="utf-8", errors="replace") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICK
    except (OSError, IndexError, ValueError):
        return 0.0


class Watch:
    """Whether a process has had time enough since its last result: patience, and as many times as long as beside()
    says that a step took for the same, in seconds."""

    def __init__(self, process, patience, beside):
        self.process, self.patience, self.beside = process, patience, beside
        self.restart()

    def restart(self):
        self.begun, self.used, self.limit = time.monotonic(), cpu_seconds(self.process), None

    def is_over(self):
        passed, used = time.monotonic() - self.begun, cpu_seconds(self.process) - self.used
        if passed <= self.patience or 0 < used < self.patience / 2 and passed < LONGEST:
            return False
        if self.limit is None:
            self.limit = self.patience * (1 + self.beside())
        return time.monotonic() - self.begun > self.limit


def read_rows(process, done, watch):
    """The rows of a process, as it prints them; its status, or None where it does not go on. done(row): whether that
    is enough."""
    rest, status = b"", None
    with selectors.DefaultSelector() as ready:
        ready.register(process.stdout, selectors.EVENT_READ)
        while status is None and not watch.is_over():
            if not ready.select(0.2):
                continue
            part = os.read(process.stdout.fileno(), 1 << 16)
            *whole, rest = (rest + part).split(b"\n")
            watch.restart()
            if any([done(json.loads(line)) for line in whole]):
                return 0
            if not part:
                status = process.wait()
    return status


def end(process):
    """Asks a process that goes on where it is, and ends it."""
    process.send_signal(signal.SIGQUIT)
    try:
        process.wait(2 * PATIENCE)
    except subprocess.TimeoutExpired:
        pass


def work_off(program, asked, done, patience=PATIENCE, beside=lambda line: 0):
    """Runs all lines in one process, up to one that ends it, or that takes too long, or until done(row) of a row of
    --batch says that it is enough. beside(line): see Watch; a line gives a row."""
    rows = []

    def take(row):
        rows.append(row)
        return done(row)

    with tempfile.TemporaryDirectory() as scratch:
        listed = os.path.join(scratch, "lines")
        with open(listed, "w", encoding="utf-8") as file:
            file.writelines(" ".join(line) + "\n" for line in asked)
        with open(os.path.join(scratch, "said"), "w+", encoding="utf-8", errors="replace") as err, \
                subprocess.Popen([program, "--batch", listed], stdout=subprocess.PIPE, stderr=err,
                                 stdin=subprocess.DEVNULL, cwd=scratch) as process:
            try:
                watch = Watch(process, patience, lambda: beside(asked[min(len(rows), len(asked) - 1)]))
                status = read_rows(process, take, watch)
                if status is None:
                    end(process)
            finally:
                process.kill()
            err.seek(0)
            return Run(rows, status, err.read().splitlines())


def seconds_of(program, words):
    """How long a launch takes."""
    begun = time.monotonic()
    said_by(program, words)
    return time.monotonic() - begun


def said_by(program, words, limit=LONGEST):
    """The lines that one launch says, as a reader would see them."""
    try:
        done = subprocess.run([program, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              stdin=subprocess.DEVNULL, encoding="utf-8", errors="replace",
                              check=False, timeout=limit)
    except subprocess.TimeoutExpired:
        return ["(it did not end)"]
    return done.stdout.splitlines()
