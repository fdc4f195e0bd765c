"""
Runs a command so that nothing of it is left behind, within limits. A program of its own, because only that can keep an
eye on it: what its processes start belongs to this one, also what has left its parent and its session.

usage: contained.py SECONDS MEMORY PROCESSES -- COMMAND WORD...

MEMORY: MiB that all processes may have in use together. When the command has ended, when a limit is reached, or on
SIGTERM, which comes also when the process that started this one is gone, all that is left of it is killed. Exit
status: the command's, 128 + the signal that ended it, or one of LIMITS.
"""
import ctypes
import os
import resource
import signal
import subprocess
import sys
import time

LIMITS = {"time": 200, "memory": 201, "processes": 202, "stopped": 203}  # the status of what was ended
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
PAUSE = 0.1  # seconds between two looks
WATCHED = {signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP}
LONGEST_FILE = 4 << 30  # bytes
PAGE = os.sysconf("SC_PAGE_SIZE")


def children(pid):
    """Of all its threads; none of a process that has ended."""
    found = []
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/children", encoding="ascii") as file:
                found += map(int, file.read().split())
    except OSError:
        pass
    return found


def children_by_parents(pid):
    """The same where the kernel has no such list: takes longer."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                if int(file.read().rpartition(b")")[2].split()[1]) == pid:
                    found.append(int(name))
        except (OSError, IndexError, ValueError):
            pass  # it has just ended
    return found


LISTED = os.path.exists(f"/proc/self/task/{os.getpid()}/children")


def descendants(pid, listed=LISTED):
    """What a process has started, and what that has. listed: whether the kernel lists children."""
    children_of = children if listed else children_by_parents
    found, new = [], [pid]
    while new:
        more = children_of(new.pop())
        found += more
        new += more
    return found


def in_use(pids):
    """Bytes of memory, together."""
    pages = 0
    for pid in pids:
        try:
            with open(f"/proc/{pid}/statm", encoding="ascii") as file:
                pages += int(file.read().split()[1])
        except (OSError, IndexError):
            pass  # it has just ended
    return pages * PAGE


def send(pids, number):
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass


def reap(first=None):
    """Takes leave of what has ended. (the status of the first process, if it is among them; whether any is left)"""
    status = None
    while True:
        try:
            pid, how = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return status, False
        if pid == 0:
            return status, True
        if pid == first:
            status = os.WEXITSTATUS(how) if os.WIFEXITED(how) else 128 + os.WTERMSIG(how)


def kill_all():
    """First they are halted, so that none can start another while the others end. What has lost its parent is a child
    of this process: with its last child all are gone."""
    halted = set()
    while reap()[1]:
        found = set(descendants(os.getpid()))
        send(found - halted, signal.SIGSTOP)
        if not found - halted:
            send(found, signal.SIGKILL)
            time.sleep(0.01)
        halted |= found


def ready():
    """In the process that becomes the command: it dies first where memory is short, and leaves no image of itself."""
    os.setsid()
    signal.pthread_sigmask(signal.SIG_UNBLOCK, WATCHED)
    with open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
        file.write("1000")
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (LONGEST_FILE if most < 0 else min(most, LONGEST_FILE), most))


def run(command, seconds, memory, most):
    """The status; memory in bytes."""
    end = time.monotonic() + seconds
    signal.pthread_sigmask(signal.SIG_BLOCK, WATCHED)
    system = ctypes.CDLL(None)
    system.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    system.prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    # There are no threads here. The object is kept: without it Python would take the status itself.
    process = subprocess.Popen(command, preexec_fn=ready)
    try:
        while True:
            status, _ = reap(process.pid)
            if status is not None:
                return status
            found = descendants(os.getpid())
            for reached, what in ((time.monotonic() > end, "time"), (in_use(found) > memory, "memory"),
                                  (len(found) > most, "processes")):
                if reached:
                    return LIMITS[what]
            came = signal.sigtimedwait(WATCHED, PAUSE)
            if came and came.si_signo != signal.SIGCHLD:
                return LIMITS["stopped"]
    finally:
        kill_all()


if __name__ == "__main__":
    sys.exit(run(sys.argv[5:], float(sys.argv[1]), int(sys.argv[2]) << 20, int(sys.argv[3])))
