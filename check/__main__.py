"""
usage: check/run [NAME...] [--changed [BASE]] [--full] [--release] [--browser] [--install] [--build DIR] [--jobs N]

Builds the CPU device's series and runs all tests with `meson test`: the C programs of check/unit/ and the scripts
of check/cases/. Where nvcc exists, the cuda backend is compiled too.

With names these alone: a case (matrix), a step (reduce2) or a family for what is tested of each step by itself, a
page (docs/reduce2.md), a unit test (stats). A case beside a step, as in matrix reduce2, runs for that step.

  --changed [BASE]  what the files touch that differ from the commit BASE; without it from where this branch left
                    origin/main
  --full            the full product of values instead of every pair, and the cuda backend for all GPUs (where this
                    machine has one: for that), with the peers, gcc's warnings as errors, and
                    clang's analyzer
  --release         what a GPU's record lacks is a failure; else it is skipped, by its name
  --browser         look at the site of docs/build in Chromium too; CI=true means that as well
  --install         first install what is missing, with apt or from PyPI
  --build DIR       build there; default: build-check (and DIR-cuda)
  --jobs N          tests at a time; default: 2, because most use all cores by themselves
  -h, --help        this text

The last line is "N passed, N failed" and counts cases; ", N skipped" follows where some were.
Exit status: 0 every case passed, 1 one failed or none ran, 2 bad usage, 3 packages are missing.
"""
import compileall
import contextlib
import glob
import os
import re
import signal
import subprocess
import sys
import tempfile

from check import chosen, tally
from common.commands import ROOT
from common.commands.arguments import Arguments, positive, text
from common.commands.runner import build, contained, packages
from common.commands.runner.screen import Screen, Stop, end_of

GRACE = 5  # seconds that Meson has to end its tests
DONE = re.compile(r"\s*(\d+)/(\d+) (.*)")  # what Meson prints of a test that has ended


def command_line(words):
    parser = Arguments("check/run", __doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--changed", nargs="?", const="", metavar="BASE")
    for option in ("--full", "--release", "--browser", "--install"):
        parser.add_argument(option, action="store_true")
    parser.add_argument("--build", type=text, default=os.path.join(ROOT, "build-check"))
    parser.add_argument("--jobs", type=positive(int), default=2)
    asked = parser.parse(words)
    if asked.names and asked.changed is not None:
        parser.error(f"{asked.names[0]} beside --changed: only one of them")
    return asked


def configured(folder):
    """Whether the build knows every script of check/cases: Meson does not see that one has come or gone."""
    listed = subprocess.run(["meson", "test", "-C", folder, "--no-rebuild", "--list"], text=True,
                            capture_output=True, check=False).stdout.splitlines()
    return set(chosen.cases()) == {line.split(" / ")[-1] for line in listed if "unit / " not in line}


def prepare(asked, folder, screen):
    """Installs where that is asked for, and builds; raises Stop where that fails."""
    packages.ensure(ROOT, screen, "cpu", tests=True, charts=True, install=asked.install,
                    browser=os.environ["CHECK_BROWSER"] == "1")
    screen.line(f"building in {folder}")
    fresh = not os.path.exists(os.path.join(folder, "build.ninja"))
    build.make(ROOT, folder, [f"-D{build.DEVICE}=cpu"] if fresh else [], screen, tests=True)
    if not configured(folder):
        good, said = packages.quiet("meson", "setup", "--reconfigure", folder, ROOT)
        if not good:
            screen.quote(said.splitlines()[-10:])
            raise Stop("the build cannot be configured", 3)
    # The tests start hundreds of our commands, which write no bytecode (-B), and take what is there.
    for package in ("check", "common", "docs", "plots"):
        compileall.compile_dir(os.path.join(ROOT, package), quiet=2)


def run_tests(folder, part, jobs, screen):
    """Runs some tests; the Count of them all. What failed is shown when all have ended."""
    logs = f"checklog-{os.getpid()}"  # another may run in the same build
    command = ["meson", "test", "-C", folder, "--logbase", logs, "--num-processes", str(jobs),
               "--timeout-multiplier", "0" if os.environ.get("CHECK_FULL") == "1" else "1", *part.tests]
    said = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                          stdin=subprocess.DEVNULL, start_new_session=True,
                          env={**os.environ, **part.env, "PYTHONUNBUFFERED": "1"}) as meson:
        try:
            for line in meson.stdout:
                done = DONE.match(line)
                said.append(line)
                if done:
                    screen.line("    " + done[3])
                    screen.progress(f"{done[1]} of {done[2]} tests have ended")
        except BaseException:
            started = contained.descendants(meson.pid)
            os.killpg(meson.pid, signal.SIGTERM)  # Meson ends the tests, and what they have started
            with contextlib.suppress(subprocess.TimeoutExpired):
                meson.wait(GRACE)
            # But of a test that just began it ends the first process alone, and none that has left its test's session.
            contained.send({*started, *contained.descendants(meson.pid)}, signal.SIGKILL)
            meson.wait()
            raise
    log = os.path.join(folder, "meson-logs", logs)
    found = list(tally.of_log(log + ".json")) if os.path.exists(log + ".json") else []
    for path in glob.glob(glob.escape(log) + ".*"):
        os.replace(path, path.replace(logs, "checklog"))
    return sum(found, tally.Count()) if found else \
        tally.Count(failed=1, shown=["meson test:", *map(str.rstrip, said[-30:])])


def check(asked, screen):
    parts = chosen.parts_of(asked.names, asked.changed, screen)
    browser = asked.browser or os.environ.get("CI") == "true"
    os.environ.update(CHECK_FULL=str(int(asked.full)), CHECK_BROWSER=str(int(browser)),
                      CHECK_RELEASE=str(int(asked.release)))
    count = tally.Count()
    if parts:
        folder = os.path.abspath(asked.build)
        try:
            prepare(asked, folder, screen)
        except build.Failed as failed:
            screen.complain(failed)
            count.failed = 1
            parts = []
    with tempfile.TemporaryDirectory(prefix="check-") as os.environ["TMPDIR"]:
        for part in parts:
            # The cuda backend's compiler gives way to the others: it is one more.
            count += run_tests(folder, part, asked.jobs + part.has("cuda_backend"), screen)
    for line in count.shown:
        screen.line(line)
    screen.line(str(count))
    return 0 if not count.failed and (count.passed or not parts) else 1


def interrupt(*_):
    raise KeyboardInterrupt


def main():
    screen = Screen("check/run")
    signal.signal(signal.SIGTERM, interrupt)
    signal.signal(signal.SIGHUP, interrupt)
    return end_of(screen, lambda: check(command_line(sys.argv[1:]), screen))


if __name__ == "__main__":
    sys.exit(main())
