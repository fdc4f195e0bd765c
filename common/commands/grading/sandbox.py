"""
Runs a command that nobody trusts: with bubblewrap in a file system, processes, network and users of its own and under a
filter of system calls; and always with limits of time, memory, output and files. It can write to one directory alone,
whose size is limited, too.

The filter (seccomp, in the classic BPF of linux/filter.h) refuses new processes to a program that needs none, sockets,
and what looks into other processes. Its threads are limited by its memory, because each needs a stack.
"""
import collections
import os
import platform
import selectors
import shutil
import signal
import struct
import subprocess
import tempfile
import threading
import time

from common.commands.practice import batch
from common.commands.runner import contained
from common.commands.runner.screen import Stop

TICK = 0.05  # seconds between two looks at its memory and its files
RESERVED = 4  # times as much memory as is in use may be reserved: stacks of threads of a GPU that nobody touches

# time: seconds of processor; wall: seconds; memory: bytes; written: bytes of all its files; printed: bytes; forks:
# whether it may begin processes, as a compiler must.
Limits = collections.namedtuple("Limits", "time wall memory written printed forks")

ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "CCACHE_DISABLE": "1"}

# status: None where a limit ended it. why: which; empty. seconds: of the processor, as seen every TICK.
Done = collections.namedtuple("Done", "status said why seconds")

# The numbers of the system calls that are refused: x86-64, arm64; None where the machine has no such call.
REFUSED = {"socket": (41, 198), "connect": (42, 203), "bind": (49, 200), "listen": (50, 201),
           "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
           "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41),
           "chroot": (161, 51), "unshare": (272, 97), "setns": (308, 268), "keyctl": (250, 219),
           "add_key": (248, 217), "request_key": (249, 218), "bpf": (321, 280), "perf_event_open": (298, 241),
           "userfaultfd": (323, 282), "io_uring_setup": (425, 425), "shmget": (29, 194), "msgget": (68, 186),
           "semget": (64, 190), "mq_open": (240, 180), "personality": (135, 92)}
FORKS = {"fork": (57, None), "vfork": (58, None), "socketpair": (53, 199), "memfd_create": (319, 279)}
CLONE, CLONE3 = (56, 220), 435
MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}  # the place above; AUDIT_ARCH
LOAD, JUMP_EQUAL, JUMP_AT_LEAST, JUMP_SET, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06  # of linux/filter.h
ALLOW, KILL, EPERM, ENOSYS = 0x7FFF0000, 0x80000000, 0x00050001, 0x00050026
NUMBER, ARCHITECTURE, FIRST_ARGUMENT = 0, 4, 16  # offsets in struct seccomp_data
X32 = 0x40000000
CLONE_THREAD = 0x10000


def filter_of(machine, forks):
    """The filter as bytes; forks: without what refuses new processes."""
    at, arch = MACHINES[machine]

    def step(code, value, yes=0, no=0):
        return struct.pack("<HBBI", code, yes, no, value)

    lines = [step(LOAD, ARCHITECTURE), step(JUMP_EQUAL, arch, 1), step(RETURN, KILL), step(LOAD, NUMBER),
             step(JUMP_AT_LEAST, X32, 0, 1), step(RETURN, KILL)]
    for numbers in [*REFUSED.values(), *([] if forks else FORKS.values())]:
        if numbers[at] is not None:
            lines += [step(JUMP_EQUAL, numbers[at], 0, 1), step(RETURN, EPERM)]
    if not forks:  # the C library takes clone where there is no clone3, whose flags a filter cannot see
        lines += [step(JUMP_EQUAL, CLONE3, 0, 1), step(RETURN, ENOSYS),
                  step(JUMP_EQUAL, CLONE[at], 0, 3), step(LOAD, FIRST_ARGUMENT),
                  step(JUMP_SET, CLONE_THREAD, 1), step(RETURN, EPERM)]
    return b"".join([*lines, step(RETURN, ALLOW)])


def bubblewrap(readable, folder):
    """The words before a command: what it may read, each at its own path, and the one directory that it may write."""
    words = ["bwrap", "--unshare-all", "--unshare-user", "--uid", "65534", "--gid", "65534", "--hostname", "sandbox",
             "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--size", str(64 << 20), "--tmpfs",
             "/tmp", "--ro-bind", "/usr", "/usr"]
    for name in ("bin", "sbin", "lib", "lib32", "lib64"):
        if os.path.islink("/" + name):
            words += ["--symlink", os.readlink("/" + name), "/" + name]
        elif os.path.isdir("/" + name):
            words += ["--ro-bind", "/" + name, "/" + name]
    for name in ("/etc/ld.so.cache", "/etc/alternatives"):
        words += ["--ro-bind-try", name, name]
    for name in readable:
        words += ["--ro-bind", name, name]
    return [*words, "--bind", folder, folder, "--proc", "/proc", "--dev", "/dev", "--size", str(1 << 20), "--tmpfs",
            "/dev/shm", "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", folder]


def why_not():
    """Why bubblewrap cannot do it here, as a sentence; empty where it can."""
    if platform.machine() not in MACHINES:
        return f"the filter of system calls is for x86-64 and arm64, and this is {platform.machine()}"
    if not shutil.which("bwrap"):
        return "bubblewrap is not installed (--install does it)"
    with tempfile.TemporaryDirectory() as folder:
        done = Box(True).run(["true"], folder, Limits(10, 30, 1 << 30, 1 << 20, 1 << 16, False))
    return "" if done.status == 0 else \
        f"bubblewrap does not work here, because user namespaces are off ({' '.join(done.said)[:160] or done.why})"


Process = collections.namedtuple("Process", "pid")


class Stopped(Exception):
    """Of a run that was ended because everything ends."""


class Box:
    """whole: with bubblewrap and the filter; else with the limits alone, in the machine as it is. stop: ends all runs,
    which raise Stopped then."""

    def __init__(self, whole):
        self.whole, self.stop = whole, threading.Event()

    def run(self, command, folder, limits, readable=()):
        """Runs it in the folder, the one directory that it may write to; readable: what else it may read."""
        words = ["prlimit", f"--cpu={limits.time}:{limits.time + 1}", f"--data={RESERVED * limits.memory}",
                 f"--fsize={limits.written}", "--core=0", "--nofile=256", "--stack=8388608", "--"]
        with tempfile.TemporaryFile() as rules:
            kept = []
            if self.whole:
                rules.write(filter_of(platform.machine(), limits.forks))
                rules.seek(0)
                kept = [rules.fileno()]
                words += [*bubblewrap(readable, folder), "--seccomp", str(rules.fileno()), "--"]
            with subprocess.Popen([*words, *command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, pass_fds=kept, cwd=folder, start_new_session=True,
                                  env=ENVIRONMENT) as process:  # ours could be read in /proc, too
                try:
                    why, said, seconds = watch(process, folder, limits, self.stop)
                finally:
                    end(process)
        status = None if why else process.returncode
        if status in (-signal.SIGXCPU, 128 + signal.SIGXCPU, -signal.SIGKILL, 128 + signal.SIGKILL):
            status, why = None, f"it took more than {limits.time} s of the processor"
        if status in (-signal.SIGXFSZ, 128 + signal.SIGXFSZ):
            status, why = None, f"it wrote more than {limits.written >> 20} MiB"
        return Done(status, said.decode("utf-8", "replace").splitlines(), why, seconds)


def watch(process, folder, limits, stop):
    """(why it must end, or an empty text; the first bytes that it printed; seconds of the processor), when it has ended
    or must; raises Stopped after stop.set()."""
    begun, said, printed, seconds, open_ = time.monotonic(), b"", 0, 0.0, True
    with selectors.DefaultSelector() as ready:
        ready.register(process.stdout, selectors.EVENT_READ)
        while open_ or process.poll() is None:
            if open_ and ready.select(TICK):
                part = os.read(process.stdout.fileno(), 1 << 16)
                printed += len(part)
                said += part[:limits.printed - len(said)]
                open_ = bool(part)
            elif not open_:
                time.sleep(TICK / 5)
            if stop.is_set():
                raise Stopped
            seconds = max(seconds, sum(map(batch.cpu_seconds, map(Process, tree(process.pid)))))
            why = over(process.pid, folder, limits, printed, time.monotonic() - begun)
            if why:
                return why, said, seconds
    return "", said, seconds


def over(pid, folder, limits, printed, passed):
    """Which limit is passed; empty."""
    if passed > limits.wall:
        return f"it had not ended after {limits.wall:.0f} s"
    if printed > limits.printed:
        return f"it printed more than {limits.printed >> 10} KiB"
    if written(folder) > limits.written:
        return f"it wrote more than {limits.written >> 20} MiB"
    if contained.in_use(tree(pid)) > limits.memory:
        return f"it took more than {limits.memory >> 20} MiB of memory"
    return ""


def written(folder):
    """Bytes of the files in a folder, with a page for each; what is not flat counts as too much."""
    total = 0
    with os.scandir(folder) as files:
        for file in files:
            try:
                total += 4096 + (1 << 40 if file.is_dir(follow_symlinks=False) else
                                 file.stat(follow_symlinks=False).st_size)
            except FileNotFoundError:
                pass
    return total


def tree(pid):
    """A process and those below it."""
    return [pid, *contained.descendants(pid)]


def end(process):
    """Nothing is left of it: with bubblewrap the first process takes all others along."""
    if process.poll() is None:
        contained.send(reversed(tree(process.pid)), signal.SIGKILL)
    process.stdout.close()
    process.wait()


def box(kind, screen):
    """What --sandbox asks for; raises Stop where the machine has it not."""
    reason = why_not() if kind == "whole" else ""
    if reason:
        raise Stop(f"--grade: {reason}. Nothing was run. --sandbox limits runs submissions without it, in a machine "
                   "that holds nothing else: see docs/class.md", 3)
    if kind != "whole":
        screen.line("sandbox: limits alone; a submission can read and write what you can, and reach the network")
    return Box(kind == "whole")
