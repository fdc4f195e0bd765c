"""
check/run: how it counts, and that what fails, dies or is interrupted is told and leaves no process; which tests a
name means, and which a changed file; that nothing is installed unasked.
"""
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from check import __main__ as front
from check import chosen, tally
from common.commands.drive.support import BUILD, SOURCE, case, leave, run
from common.commands.runner import packages
from common.commands.runner.screen import Screen, Stop

TESTS = {  # name: what it does
    "good": "echo ok - one; echo ok - two",
    "failing": "echo ok - one; echo not ok - two; echo '# why'; echo ok - three; exit 1",
    "dying": "echo ok - one; echo last words >&2; kill -9 $$",
    "silent": "exit 0",
    "status": "echo ok - one; exit 1",
    "skipping": "echo 'ok - all # skip no such thing'",
}
ENDLESS = "sleep 1000 & echo $! $$ > pids; wait"
APART = "setsid " + ENDLESS  # it leaves its test's session, and Meson waits for what it might still print


class Silent(Screen):
    """Keeps the lines."""

    def __init__(self):
        super().__init__("check/run")
        self.said = []

    def line(self, text=""):
        self.said.append(text)


def project(scratch, tests):
    """A build with these tests, set up by Meson; its directory."""
    source = os.path.join(scratch, "source")
    os.mkdir(source)
    with open(os.path.join(source, "meson.build"), "w", encoding="utf-8") as file:
        file.write("project('planted', meson_version: '>=1.0.1')\nsh = find_program('sh')\n")
        for name, text in tests.items():
            path = os.path.join(source, name + ".sh")
            with open(path, "w", encoding="utf-8") as script:
                script.write(text + "\n")
            file.write(f"test('{name}', sh, args: files('{name}.sh'), protocol: 'tap', suite: 'cases')\n")
    folder = os.path.join(scratch, "build")
    done = run("meson", "setup", folder, source)
    case(done.status == 0, "a project of planted tests is set up", done)
    return folder


def counts(folder):
    """What is planted is told, with all that it said."""
    screen = Silent()
    count = front.run_tests(folder, chosen.Part(), 2, screen)
    shown = "\n".join(count.shown)
    case(str(count) == "6 passed, 4 failed, 1 skipped", "cases are counted, not scripts", f"{count}\n{shown}")
    for what, text in (("a failing case, with its details", "failing:\n    not ok - two\n    # why\n"),
                       ("a script that dies, with its last words", "dying:\n    not ok - dying runs to its end\n"
                        "    ok - one\n    last words"),
                       ("a script without a case", "silent:\n    not ok - silent has no case"),
                       ("a bad status without a bad case", "status:\n    not ok - status runs to its end"),
                       ("what is skipped, by name", "skipping:\n    skipped: all no such thing")):
        case(text in shown, f"told: {what}", shown)
    case("good" not in shown and "ok - three" not in shown, "what went well is not shown", shown)
    case(sum("good" in line for line in screen.said) == 1, "a line per test as it ends", screen.said)
    count = front.run_tests(folder, chosen.Part(["good"]), 2, Silent())
    case(str(count) == "2 passed, 0 failed", "a test by its name", count)
    count = front.run_tests(folder, chosen.Part(["none"]), 2, Silent())
    case(count.failed == 1 and count.shown, "no test at all is a failure", count.shown)
    case(tally.of_text("ok - a\nnot ok - b # SKIP c\n").passed == 1, "a failing case that is skipped has not failed")


def alive(pids):
    return [pid for pid in pids if os.path.exists(f"/proc/{pid}") and
            open(f"/proc/{pid}/stat", encoding="utf-8").read().rsplit(")", 1)[1].split()[0] != "Z"]


def interrupted(scratch, number, script=ENDLESS, which=""):
    """A run that is ended by a signal ends what it started."""
    folder = project(scratch, {"endless": script})
    pids = os.path.join(folder, "pids")
    code = ("import sys; from check import __main__ as front, chosen; from common.commands.runner.screen import *\n"
            "import signal; signal.signal(signal.SIGTERM, front.interrupt)\n"
            "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a shell's background jobs ignore it
            "sys.exit(end_of(Screen('check/run'), lambda: front.run_tests(sys.argv[1], chosen.Part(), 2,"
            " Screen('check/run')).failed))")
    with subprocess.Popen([sys.executable, "-B", "-c", code, folder], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as process:
        end, found = time.monotonic() + 60, []
        while len(found) < 2 and time.monotonic() < end:
            time.sleep(0.1)
            if os.path.exists(pids):
                with open(pids, encoding="utf-8") as file:
                    found = file.read().split()
        begun = len(alive(found)) == 2
        process.send_signal(number)
        try:
            status = process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            status = "it goes on"
            process.kill()
    end = time.monotonic() + 60
    while alive(found) and time.monotonic() < end:
        time.sleep(0.1)
    case(begun and status == 130 and not alive(found), f"a run that {number.name} ends leaves no process{which}",
         f"{status} {found} {alive(found)}")
    for pid in alive(found):
        os.kill(int(pid), signal.SIGKILL)


def words(choice):
    return [(part.tests, part.env["CHECK_STEPS"], part.env["CHECK_PAGES"]) for part in choice.parts()]


def names():
    """What a name means."""
    by_step = sorted(chosen.BY_STEP)
    for given, wanted in ((["matrix"], [(["matrix"], "", "")]),
                          (["matrix", "stats"], [(["matrix", "stats"], "", "")]),
                          (["docs/start.md"], [(["every_page"], "", "docs/start.md")]),
                          (["start.md", "README.md"], [(["every_page"], "", "docs/start.md README.md")]),
                          (["matrix", "reduce2"], [(["matrix"], "reduce2", "")]),
                          (["matrix", "site", "reduce2"], [(["matrix"], "reduce2", ""), (["site"], "", "")]),
                          (["barrier", "matrix"], [(["matrix"], "block-sync-lock block-sync-lockfree "
                                                    "block-sync-cooperative", "")])):
        case(words(chosen.named(given)) == wanted, f"check/run {' '.join(given)}", words(chosen.named(given)))
    (tests, steps, pages), = words(chosen.named(["reduce2"]))
    case(tests == sorted([*by_step, "every_page"]) and steps == "reduce2" and "docs/reduce2.md" in pages.split() and
         "docs/scan-hillis.md" not in pages.split(), "check/run reduce2", (tests, steps, pages))
    known = set(chosen.cases())
    tests = known | set(chosen.units())
    wrong = [word for _, listed in chosen.TOUCHED for word in listed if word[0] != "/" and word not in tests]
    case(not wrong and set(chosen.BY_STEP) <= known, "every test that check/chosen.py names is there", wrong)
    hidden = [name for name in known if os.path.exists(os.path.join(SOURCE, name, "__init__.py"))]
    case(not hidden, "no script has a package's name, which it would hide from the scripts beside it", hidden)
    for script in chosen.BY_STEP:
        with open(os.path.join(SOURCE, "check", "cases", script + ".py"), encoding="utf-8") as file:
            text = file.read()
        case(re.search(r"\bsteps\(|all_cases\(", text) is not None, f"{script} asks which steps are chosen")
    done = run(os.path.join(SOURCE, "check", "run"), "stats", "--build", BUILD)
    case(done.status == 0 and done.out.startswith("runs stats\n") and
         done.out.splitlines()[-1] == "3 passed, 0 failed", "check/run stats", done)
    done = run(sys.executable, "-B", os.path.join(SOURCE, "check", "cases", "steady.py"), env={"CHECK_STEPS": "add"})
    case(done.status == 0 and done.out == "ok - add # skip nothing here is about it\n",
         "a script without a case for the chosen steps says so", done)


def write(root, path, text):
    os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
    with open(os.path.join(root, path), "a", encoding="utf-8") as file:
        file.write(text)


def changes(scratch):
    """What a changed file means, in a repository made for it."""
    root = os.path.join(scratch, "repository")
    for path in ("steps/meson.build", "steps/reduce2/reduce2.cu", "docs/reduce2.md", "docs/start.md",
                 "check/cases/site.py", "common/families/barrier/barrier.c"):
        os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
        shutil.copy(os.path.join(SOURCE, path), os.path.join(root, path))
    git = ["git", "-C", root, "-c", "user.name=x", "-c", "user.email=x"]
    for more in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
        done = run(*git, *more)
    case(done.status == 0, "a repository is made", done)
    by_step = sorted([*chosen.BY_STEP, "every_page"])

    def told(base=""):
        screen = Silent()
        choice = chosen.changed(base, screen, root)
        return words(choice), screen.said

    parts, said = told()
    case(not parts and "0 files differ" in said[0] and "the last commit" in said[0], "nothing has changed", said)
    for path, text, wanted, line in (
            ("LICENSE", "x", [], "LICENSE: nothing"),
            ("docs/start.md", "x", [(["every_page"], "", "docs/start.md")], "docs/start.md: docs/start.md"),
            ("steps/reduce2/reduce2.cu", "// x\n",
             [(sorted([*by_step, "style"]), "reduce2", "docs/reduce2.md"), (["pages"], "", "")],
             "steps/reduce2/reduce2.cu: reduce2 pages"),
            ("check/cases/site.py", "# x\n", [(["site", "style"], "", "")], "check/cases/site.py: site"),
            ("check/foreign/x.cu", "x", [(["foreign", "style"], "", "")], "check/foreign/x.cu: foreign"),
            ("common/harness/program.c", "x", [([], "", "")], "common/harness/program.c: all"),
            ("steps/new/new.cu", "x", [([], "", "")], "steps/new/new.cu: all pages")):
        write(root, path, text)
        parts, said = told()
        case(parts == wanted and said[1:] == ["    " + line], f"{path} is changed", f"{parts}\n{said}")
        run(*git, "stash", "-qu")
    write(root, "common/families/barrier/barrier.c", "\n")
    (tests, steps, _), (full, *_) = told()[0]
    case("block-sync-lock" in steps.split() and "matrix" in tests and "compared" in full and "matrix" not in full,
         "a family's file is changed", (tests, steps, full))
    write(root, "check/cases/matrix.py", "\n")
    (tests, *_), (full, *_) = told()[0]
    case("matrix" in full and "matrix" not in tests, "a case that is changed itself runs for all steps", (tests, full))
    run(*git, "stash", "-qu")
    with open(os.path.join(root, "steps/meson.build"), encoding="utf-8") as file:
        text = file.read()
    with open(os.path.join(root, "steps/meson.build"), "w", encoding="utf-8") as file:
        file.write(text.replace("  ['reduce2',", "  ['reduce99', 'reduce', ['f32']],\n  ['reduce2',"))
    case(told()[1][1:] == ["    steps/meson.build: reduce99"], "a step is put into the list", told())
    run(*git, "commit", "-qam", "second")
    case(told()[0] == [] and told("HEAD~")[0], "a commit is changed files, beside the one before it", told("HEAD~"))
    write(root, "steps/meson.build", "# x\n")
    case(told()[0] == [([], "", "")], "another line of the list is changed", told())
    try:
        said = told("nosuch")
    except Stop as stop:
        said = stop
    case(isinstance(said, Stop) and said.status == 2 and "--changed nosuch" in str(said), "an unknown commit", said)


def unasked():
    """A missing package is named with the line that installs it; with --install apt is called, once."""
    kept, called = (packages.missing, packages.apt, packages.pypi.make), []
    packages.missing = lambda *_: (["libx-dev"], [])
    packages.apt = lambda _, needed, wished: called.append(needed)
    try:
        for install, words, calls in ((False, "or run this with --install", 0), (None, "or ./steps/run --install", 0),
                                      (True, "install libx-dev", 1)):
            called.clear()
            try:
                packages.ensure(SOURCE, Silent(), "cpu", install=install)
                said = None
            except Stop as stop:
                said = stop
            case(said and said.status == 3 and "missing packages: libx-dev" in str(said) and
                 (words in str(said) or not packages.have("apt-get")) and "\n" not in str(said) and
                 len(called) == calls, f"a missing package, install={install}", f"{said} {called}")
    finally:
        packages.missing, packages.apt, packages.pypi.make = kept


def main():
    with tempfile.TemporaryDirectory() as scratch:
        counts(project(scratch, TESTS))
    for number in (signal.SIGTERM, signal.SIGINT):
        with tempfile.TemporaryDirectory() as scratch:
            interrupted(scratch, number)
    with tempfile.TemporaryDirectory() as scratch:
        interrupted(scratch, signal.SIGTERM, APART, ", not one that has left its session")
    names()
    if packages.have("git"):
        with tempfile.TemporaryDirectory() as scratch:
            changes(scratch)
    else:
        print("ok - check/run --changed # skip missing: git")
    unasked()
    leave()


if __name__ == "__main__":
    main()
