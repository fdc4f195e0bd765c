"""The parts of the record; each returns an exit status."""
import dataclasses
import os
import re
import subprocess
import sys
import time

from plots.makers.gpu import sizes
from common.commands.runner import build, directory, packages, series
from common.commands.runner.screen import Screen

# The scripts of check/cases that run on a GPU, too: what they ask for does not name the CPU device.
CASES = ("barrier_own", "compared", "faults", "matrix", "plain", "resident", "scan_own")
OF_SOME = ("matrix",)  # those that a build of some steps can pass
CASE = re.compile(r"^(not )?ok\b.*", re.MULTILINE)


@dataclasses.dataclass
class Job:
    """What all parts need: the directories, and the descriptions of the steps."""
    root: str
    folder: str
    build: str
    quick: bool
    some: bool  # the record is of some steps alone
    seed: int  # of the launches that are chosen by one
    launches: int  # how many those are
    commit: str
    command: str
    series: list
    screen: Screen

    def file(self, name):
        return os.path.join(self.folder, name)


def first_line(*command):
    good, text = packages.quiet(*command)
    return text.splitlines()[0] if good and text.strip() else ""


def env(job):
    devices = packages.quiet("nvidia-smi", "--format=csv,noheader",
                             "--query-gpu=name,driver_version,memory.total,clocks.max.sm,"
                             "clocks.max.mem")[1].splitlines()
    toolkit = re.search(r"release ([^,]*), (\S*)", packages.quiet(packages.nvcc(), "--version")[1])
    system = os.uname()
    lines = [f"command: {job.command}",
             f"started: {time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())}",
             f"commit: {job.commit}", *(f"device: {line}" for line in devices),
             f"nvcc: {' '.join(toolkit.groups()) if toolkit else ''}",
             f"compiler: {first_line('c++', '--version')}",
             f"meson: {first_line('meson', '--version')}",
             f"system: {system.sysname} {system.release} {system.machine}",
             f"processor: {directory.processor()}"]
    with open(job.file("env.txt"), "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    return 0


def failures(text):
    """The failed cases, each with what it says below."""
    starts = list(CASE.finditer(text)) + [None]
    for at, after in zip(starts, starts[1:]):
        if at[1]:
            whole = text[at.start():after.start() if after else len(text)]
            yield "\n".join(whole.splitlines()[:9])


def matrix(job):
    """The scripts in turn: each keeps all cores busy by itself."""
    worst, lines = 0, []
    for name in OF_SOME if job.some else CASES:
        script = os.path.join(job.root, "check", "cases", name + ".py")
        job.screen.progress(name)
        begun = time.monotonic()
        done = subprocess.run([sys.executable, "-B", script], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              stdin=subprocess.DEVNULL, encoding="utf-8", errors="replace",
                              env={**os.environ, "BUILD": job.build, "SOURCE": job.root,
                                   "PYTHONPATH": job.root, "CHECK_FULL": "0"}, check=False)
        failed = list(failures(done.stdout))
        passed = len(CASE.findall(done.stdout)) - len(failed)
        if done.returncode and not failed:
            failed = [f"not ok - {name}: status {done.returncode}\n{done.stdout[-2000:]}"]
        of_script = [f"{name}: {passed} passed, {len(failed)} failed", *failed]
        lines += of_script
        for line in of_script:
            job.screen.line(line)
        job.screen.line(f"    {time.monotonic() - begun:.0f} s")
        worst |= bool(failed)
    with open(job.file("matrix.txt"), "w", encoding="utf-8") as file:
        file.write("".join(line + "\n" for line in lines))
    return worst


def runs(job):
    """All launches that the steps declare for the record, with the libraries' beside them."""
    worst, log = 0, job.file("log.csv")
    for old in (log, job.file("log-timeline.csv")):
        if os.path.exists(old):
            os.remove(old)
    for description in job.series:
        begun, step = time.monotonic(), description["step"]
        program = build.program(job.build, step)
        lines = [part for line in series.launches(description, "record")
                 for part in series.fitted(description, line)] + series.lessons(description)
        for line in lines:
            words = sizes.small(description, line) if job.quick else line
            if words is not None:
                job.screen.progress(f"{step} {' '.join(words)}")
                peers = ["--peers"] if series.has_peers(description, words) else []
                status = subprocess.run([program, *words, *peers, "-q", "--log", log],
                                        stdin=subprocess.DEVNULL, check=False).returncode
                if status:
                    job.screen.complain(f"{step} {' '.join(words)}: status {status}")
                worst = max(worst, status if status >= 0 else 3)
        job.screen.line(f"{step}: {time.monotonic() - begun:.0f} s")
    return worst if job.quick or job.some else max(worst, machine(job))


def machine(job):
    """machine.json, of the log and what the device says of itself."""
    program = build.program(job.build, job.series[0]["step"])
    good, text = packages.quiet(program, "--attributes")
    with open(job.file("device.json"), "w", encoding="utf-8") as file:
        file.write(text)
    done = subprocess.run([os.path.join(job.root, "steps", "machine"), job.folder],
                          stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL, check=False)
    return done.returncode if good else 3


def tool(job, name, *words):
    """A script beside this package that writes one file of the record, its last word."""
    job.screen.progress(name)
    script = os.path.join(job.root, "plots", "makers", "gpu", name + ".py")
    done = subprocess.run([sys.executable, "-B", script, *words[:-1], job.file(words[-1])],
                          stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, encoding="utf-8",
                          errors="replace", check=False)
    for line in done.stdout.splitlines():
        job.screen.line(line)
    return done.returncode


def can_count(job):
    if not packages.have("ncu"):
        job.screen.complain("ncu is missing: Nsight Compute belongs to the CUDA Toolkit")
    return packages.have("ncu")


def counters(job):
    if not can_count(job):
        return 3
    status = tool(job, "counters", job.build, "counters.csv")
    return status if job.some else max(status, tool(job, "kernels", "kernels.csv"))


def launches(job):
    return tool(job, "launches", job.build, str(job.seed), str(job.launches), "counters-chosen.csv") \
        if can_count(job) else 3


def sanitizer(job):
    status = tool(job, "sanitize", job.build, "sanitizer.csv")
    return status if job.some else max(status, tool(job, "verdicts", job.build, "verdicts.csv"))


PARTS = {"env": env, "matrix": matrix, "runs": runs, "counters": counters, "launches": launches, "sanitizer": sanitizer}
