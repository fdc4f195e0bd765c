"""Configures and builds the series. Its output is shown only when it fails."""
import os
import re
import subprocess

from common.commands.runner import packages
from common.commands.runner.lock import only_one
from common.commands.runner.screen import Stop

DEVICE = "device"  # the Meson option (Meson keeps the name "backend" for itself)
# What a new build may begin without: (its mark, a file in the build as long as it is so; the options of such a build;
# what adds it).
LIBRARIES = ("without-libraries", ["-Dpeers=disabled"], ["-Dpeers=auto"])
TYPES = ("without-types", ["-Dtypes=run", "-Dtogether=8"], ["-Dtypes=all"])
STEP = re.compile(r"\[(\d+)/(\d+)\]")  # how ninja begins a line, which it prints when that is done
LINKED = re.compile(r"Linking target (\S+)")


class Failed(Stop):
    """Meson or Ninja failed, and what they said has been shown."""


def make(root, folder, options, screen, tests=False, targets=(), libraries=None, types=None, watch=None,
         jobs=None):
    """Builds the steps in folder with these Meson options, -Dname=value, or only these targets, and
    what the tests need where asked for; raises Stop where that fails. libraries: whether those are wanted that are
    measured beside the steps on a GPU; types: whether element types are that no line of steps/run has; None: as the
    options say. watch: a Behind, which runs this, or None. jobs: so many compilers at a time; None: as Ninja has
    it."""
    try:
        os.makedirs(folder, exist_ok=True)
        with only_one(os.path.join(folder, ".lock"),
                      lambda: screen.line(f"waiting for another build in {folder}")):
            parts = [(LIBRARIES, libraries), (TYPES, types)]
            said = configure(root, folder, [*options, *(word for what, wanted in parts
                                                        for word in less(folder, what, wanted))], screen)
            for (mark, _, _), wanted in parts:
                if not said and wanted and os.path.exists(os.path.join(folder, mark)):
                    os.remove(os.path.join(folder, mark))
            if not said and tests:
                said = ninja(folder, [], screen)
            elif not said and targets:
                said = ninja(folder, [*in_order(folder, targets), *targets], screen, watch, jobs)
            elif not said:  # steps.txt comes from Meson, which Ninja calls again where it must
                said = ninja(folder, ["build.ninja"], screen) or \
                    ninja(folder, [f"steps/{step}/{step}" for step in steps(folder)], screen)
    except OSError as error:
        raise Stop(f"{error.filename or folder}: {error.strerror}: cannot build there", 2) from None
    if said:
        screen.quote(said)
        raise Failed("the build failed", 3)


def less(folder, what, wanted):
    """The options for the libraries, or the types: where they are not wanted a new build is begun without them, which
    takes half the time, and the first that wants them adds them."""
    mark, without, added = what
    mark = os.path.join(folder, mark)
    if wanted is False and not os.path.exists(os.path.join(folder, "build.ninja")):
        with open(mark, "w", encoding="utf-8"):
            return without
    return added if wanted and os.path.exists(mark) else []


def configure(root, folder, options, screen):
    """What Meson said if it failed, as lines; else none."""
    if not os.path.exists(os.path.join(folder, "build.ninja")):
        command = ["meson", "setup", folder, root, *options]
    elif options:
        command = ["meson", "configure", folder, *options]
    else:
        return []
    screen.progress("configuring")
    good, text = packages.quiet(*command)
    return [] if good else text.splitlines() or ["meson failed"]


def ninja(folder, targets, screen, watch=None, jobs=None):
    """What Ninja said if it failed, as lines without its list of what went well; else none. Before what runs
    at the same time its compilers stand back. watch, jobs: see make."""
    lines = []
    back = ["nice"] if watch else []
    many = ["-j", str(jobs)] if jobs else []
    with subprocess.Popen([*back, packages.ninja(), "-C", folder, *many, *targets], encoding="utf-8",
                          errors="replace", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT) as process:
        if watch:
            watch.begins(process)
        try:
            for line in process.stdout:
                at = STEP.match(line)
                if at:
                    screen.progress(f"building: {at[1]} of {at[2]}")
                    linked = LINKED.search(line)
                    if linked and watch:
                        watch.linked(linked[1])
                else:
                    lines.append(line.rstrip("\n"))
        except BaseException:
            process.terminate()  # it ends its compilers
            raise
    screen.clear()
    return lines if process.returncode and not (watch and watch.stopped) else []


def in_order(folder, targets):
    """What to build, too, so that of all steps those are built first that are run first: see steps/meson.build."""
    return [f"steps/ready-{os.path.basename(targets[-1])}"] if len(targets) == len(steps(folder)) else []


def steps(folder):
    """The steps' names, in teaching order."""
    path = os.path.join(folder, "steps", "steps.txt")
    try:
        with open(path, encoding="utf-8") as file:
            return [line.split()[0] for line in file if line.strip()]
    except OSError as error:
        raise Stop(f"{path}: {error.strerror}", 3) from None


def program(folder, step):
    return os.path.join(folder, "steps", step, step)
