"""The runs that pages have asked for: one of a page at a time, each within limits, and nothing of it is left behind."""
import os
import selectors
import signal
import subprocess
import sys
import threading

from common.commands import ROOT
from common.commands.runner import contained

CORES = os.cpu_count() or 1  # a first build has a compiler on each
SECONDS, PROCESSES, OUTPUT = 300, 200 + 8 * CORES, 4 << 20  # of a run; the output in bytes
MEMORY = min(4096 + 512 * CORES, os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2 >> 20)  # MiB
AT_ONCE = 4  # runs of all pages together
WORKER = os.path.join(ROOT, "docs", "server", "worker.py")
WHY = {  # what a page says of a run that was ended
    contained.LIMITS["time"]: "It was ended after {seconds} s.",
    contained.LIMITS["memory"]: "It was ended, because it used more than {memory} MiB.",
    contained.LIMITS["processes"]: "It was ended, because it had more than {processes} processes.",
    contained.LIMITS["stopped"]: "Stopped."}
TOO_MUCH = "It was ended, because it said more than {output} MiB."
VALUES = {"seconds": SECONDS, "memory": MEMORY, "processes": PROCESSES, "output": OUTPUT >> 20}


class Busy(Exception):
    """The page has a run already, or there are too many."""


class Run:
    """One run. words: those of worker.py."""

    def __init__(self, words):
        limits = [str(SECONDS), str(MEMORY), str(PROCESSES)]
        self.process = subprocess.Popen(
            [sys.executable, "-B", contained.__file__, *limits, "--", sys.executable, "-B", WORKER, *words], cwd=ROOT,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
        self.ended = None  # why, if by us

    def stop(self, why=WHY[contained.LIMITS["stopped"]]):
        self.ended = self.ended or why
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)

    def output(self, gone):
        """What it says, in parts as they come. gone(): whether nobody hears it any more, which stops it."""
        said = 0
        os.set_blocking(self.process.stdout.fileno(), False)
        with selectors.DefaultSelector() as ready:
            ready.register(self.process.stdout, selectors.EVENT_READ)
            while True:
                part = None
                if ready.select(0.2):
                    part = self.process.stdout.read(1 << 16)
                    if part == b"":
                        return
                said += len(part or b"")
                if said > OUTPUT:
                    self.stop(TOO_MUCH)
                elif part:
                    yield part
                if gone():
                    self.stop()

    def end(self):
        """Waits until nothing of it is left; (its status, why it was ended, or None)."""
        status = self.process.wait()
        return status, self.ended or WHY.get(status)


class Runs:
    """All of them. A name is that of an exercise."""

    def __init__(self):
        self.lock, self.running, self.closed = threading.Lock(), {}, False

    def begin(self, page, words):
        with self.lock:
            if page in self.running or len(self.running) >= AT_ONCE or self.closed:
                raise Busy("it runs already" if page in self.running else f"{AT_ONCE} others run already")
            self.running[page] = Run(words)
            return self.running[page]

    def forget(self, page):
        with self.lock:
            self.running.pop(page, None)

    def stop(self, page):
        """Whether there was one."""
        with self.lock:
            run = self.running.get(page)
        if run:
            run.stop()
        return run is not None

    def close(self):
        """Stops all, and lets none begin."""
        with self.lock:
            self.closed, left = True, list(self.running.values())
        for run in left:
            run.stop()
        for run in left:
            run.process.wait()
