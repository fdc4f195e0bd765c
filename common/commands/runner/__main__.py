"""steps/run: see command.USAGE."""
import contextlib
import os
import shlex
import signal
import subprocess
import sys
import time

from common.commands import ROOT, course
from common.commands.runner import build, command, lines, packages, series
from common.commands.runner.behind import Behind
from common.commands.runner.directory import Directory, output_of
from common.commands.runner.order import one_by_one, side_by_side
from common.commands.runner.program import Runner
from common.commands.runner.screen import Screen, Stop, end_of

MACHINE = "limits"  # the group whose steps make the machine file
# And that which works on several devices: an estimate is of one, and knows nothing of what goes between them.
UNESTIMATED = (MACHINE, "devices")
PATIENCE = 10  # seconds between two lines of progress where there is no terminal
ONCE = ["-r", "1", "-w", "0"]  # the CPU device: its times tell nothing
BUDGET = ["--budget", "20"]  # a GPU: no variant is repeated at a size for longer, in milliseconds
POINTS = 12  # of a sweep, where a GPU runs all steps: of longer ones every second is left out


def lines_of(description, asked):
    """The lines to run a step with: (the main ones, the sweeps, those that estimate a GPU's ladder)."""
    peers = ["--peers"] if series.has_peers(description, asked.behind) else []
    on_cpu = description["backend"] == "cpu"
    lessons = series.lessons(description)
    main = lessons if asked.lesson else series.launches(description, "quick") if asked.quick else \
        series.launches(description, "ladder") + lessons
    sweeps = [] if asked.quick or asked.lesson else series.launches(description, "sweep")
    if on_cpu and "work" not in description["charts"]:
        sweeps = []
    elif not (on_cpu or asked.steps or asked.path):
        sweeps = [lines.thinned(line, POINTS, main) for line in sweeps]
    if series.chooses_size(description, asked.behind):
        main, sweeps = main[:1], []
    if command.given(asked.behind, "sweep", "s"):
        main = [lines.without(line, *series.swept(description)) for line in main]

    def whole(line, more=()):
        if on_cpu:
            line = lines.without(line, "runs", "warmup") + ONCE
        elif not any(command.given(asked.behind, *option) for option in (("runs", "r"), ("budget", ""))):
            line = [*line, *BUDGET]
        return [[*part, *peers, *more, *asked.behind]
                for part in series.fitted(description, line)]

    counters = ["--counters"] if on_cpu else []
    estimated = []
    if on_cpu and not asked.quick and description["group"] not in UNESTIMATED:
        estimated = description["launches"]["ladder"].get("cuda", [])
        estimated = main[:1] if series.chooses_size(description, asked.behind) else \
            once_each(words for words in map(shlex.split, estimated) if "--timeline" not in words)
    return ([part for line in main for part in whole(line, counters)],
            [part for line in sweeps for part in whole(line)],
            [part for line in estimated for part in whole(line, ["--estimate"])])


def once_each(asked):
    """Lines that differ in how often they run alone are the same."""
    return [list(line) for line in dict.fromkeys(tuple(lines.without(words, "runs", "warmup")) for words in asked)]


class Work:
    """What is done with a step: see order.py. behind: its build. begun: descriptions of the steps that were begun."""

    def __init__(self, asked, folder, behind):
        self.asked, self.folder, self.behind, self.begun = asked, folder, behind, {}

    def write_begun(self, names, directory):
        """What the steps that were begun say of themselves, in this order, into the directory; returned, too."""
        found = [self.begun[name] for name in names if name in self.begun]
        series.write(found, directory.file("describe.json"))
        return found

    def described(self, step):
        """What it says of itself, as soon as it is built."""
        self.behind.wait(f"steps/{step}/{step}")
        return series.describe(self.folder, [step])[0]

    def opened(self, runner, description):
        main, sweeps, _ = lines_of(description, self.asked)
        runner.open(build.program(self.folder, description["step"]), main, sweeps)

    def run(self, runner, description, place):
        """Runs all its lines: the highest status, how it went, in lines, and its complaints."""
        begun, self.begun[description["step"]] = time.monotonic(), description
        program = build.program(self.folder, description["step"])
        main, sweeps, estimated = lines_of(description, self.asked)
        if description["backend"] == "cuda":
            status = worst = runner.run_all(program, main, sweeps, place)
        else:  # whose counters and estimates each belong to a process
            worst = max((runner.run(program, line, place) for line in main + estimated), default=0)
            status = worst
            for line in sweeps if worst <= 1 else ():
                worst = max(worst, runner.sweep(program, line, place))
        said = [f"{description['step']}: without the variant nccl, because NCCL was not found (PyPI: "
                "nvidia-nccl-cu13, in .venv)"] if series.lacks_nccl(description) else []
        said.append(f"{description['step']:<24} {time.monotonic() - begun:.0f} s" +
                    ("" if status == 0 else ", WRONG" if status == 1 else f", failed with status {status}"))
        complaints, runner.complaints = runner.complaints, []
        return worst, said, complaints


def show(directory, screen):
    """The table, and the charts; the highest status."""
    shown = os.path.relpath(directory.path)
    shown = directory.path if shown.startswith("..") else shown
    if not directory.first_row():
        screen.complain(f"no measurement; what the steps said: {shown}/output.txt")
        return 1
    status, text = output_of(os.path.join(ROOT, "steps", "table"), directory.path)
    screen.line(text.rstrip("\n") + "\n")
    if not packages.have("gnuplot"):
        screen.line(f"log: {shown}; no gnuplot here: install gnuplot-nox, then draw with "
                    f"plots/draw {shown}")
    else:
        screen.progress("drawing")
        drawn, said = output_of(os.path.join(ROOT, "plots", "draw"), directory.path, complaints=subprocess.STDOUT)
        if drawn == 1:
            screen.quote(said.splitlines())
        screen.line("log and charts: " + shown if drawn == 0 else
                    f"log: {shown}; no chart would show a difference" if drawn == 2 else f"log: {shown}")
        status = max(status, int(drawn == 1))
    return min(status, 1)


def show_machine(directory, chosen, folder, screen):
    """The machine file, where all steps that measure the machine were run; the status."""
    measuring = series.chosen(ROOT, [MACHINE])
    if not set(measuring) <= {d["step"] for d in chosen}:
        return 0
    if chosen[0]["backend"] == "cpu":
        screen.line("no machine file: its numbers are times, and those here are the simulation's")
        return 0
    status, text = output_of(build.program(folder, measuring[0]), "--attributes")
    if status == 0:
        with open(directory.file("device.json"), "w", encoding="utf-8") as file:
            file.write(text)
        status, text = output_of(os.path.join(ROOT, "steps", "machine"), directory.path)
        screen.line(text.rstrip("\n") + "\n")
    return min(status, 1)


def in_turn(names, device):
    """The order in which they are run: on a GPU the limits first, which have no library beside them to wait for."""
    limits = series.chosen(ROOT, [MACHINE]) if device == "cuda" else []
    return sorted(names, key=lambda name: name not in limits)


def run_steps(screen, asked, folder, names, turn, behind):
    """Runs each step in its turn, as soon as it is built; the highest status, the directory, what the steps say of
    themselves."""
    work = Work(asked, folder, behind)
    first = work.described(turn[0])
    directory = Directory(ROOT, first["backend"])
    runner = Runner(directory.path, screen)
    order = one_by_one(runner, work, turn) if first["backend"] == "cuda" else \
        side_by_side(directory, screen, work, turn)
    worst = 0
    behind.hush()
    try:
        with contextlib.closing(order):
            for status, said, complaints in order:
                worst = max(worst, status)
                work.write_begun(names, directory)  # a run that is killed leaves it beside its rows
                for line in said:
                    screen.line(line)
                screen.quote(complaints)
    finally:
        chosen = work.write_begun(names, directory)
        directory.finish()
        directory.write_surroundings(asked.text, first.get("commit") or "unknown")
    screen.quote(runner.complaints)
    return max(worst, runner.left), directory, chosen


def compilers():
    """So many at a time while a GPU's steps are run: the other processors make and verify what these compute."""
    return max((os.cpu_count() or 2) * 3 // 4, 1)


def run_series(screen, asked):
    names = course.path_steps(ROOT) if asked.path else series.chosen(ROOT, asked.steps)
    device = packages.device_of(asked.backend)
    turn = in_turn(names, device)
    packages.ensure(ROOT, screen, device, charts=True, install=asked.install)
    folder = os.path.abspath(asked.build)
    screen.line(f"building in {folder}")

    def make(its_screen, watch):
        begun = time.monotonic()
        libraries = not asked.quick or bool(command.given(asked.behind, "peers"))
        build.make(ROOT, folder, [f"-D{build.DEVICE}={asked.backend}"] if asked.backend else [], its_screen,
                   targets=[f"steps/{step}/{step}" for step in turn],
                   libraries=libraries if device == "cuda" else None,
                   types=True if command.given(asked.behind, "type") else None if asked.steps else False,
                   watch=watch, jobs=compilers() if device == "cuda" else None)
        if not watch.stopped:
            its_screen.line(f"built in {time.monotonic() - begun:.0f} s")

    behind = Behind(make, screen.name, screen.patience)
    try:
        if asked.lesson:  # what all of them say is wanted first
            behind.wait()
            if not any(map(series.lessons, series.describe(folder, names))):
                raise Stop("--lesson: these steps have no such shapes on this device", 2)
        worst, directory, chosen = run_steps(screen, asked, folder, names, turn, behind)
        behind.wait()
    finally:
        behind.stop()
    status = show(directory, screen)
    if not asked.quick and not asked.lesson and not asked.behind:
        status = max(status, show_machine(directory, chosen, folder, screen))
    return max(worst, status)


def interrupt(*_):
    raise KeyboardInterrupt


def main():
    screen = Screen("steps/run", patience=PATIENCE)
    signal.signal(signal.SIGTERM, interrupt)
    return end_of(screen, lambda: run_series(screen, command.parse(sys.argv[1:])))


if __name__ == "__main__":
    sys.exit(main())
