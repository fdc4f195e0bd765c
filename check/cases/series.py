"""
steps/run: what it leaves, what it refuses, and that four at once, a full standard output, a link and
a stale directory do not stop it; then its parts with programs and descriptions made up for it.
"""
import ast
import io
import json
import os
import re
import select
import shutil
import signal
import stat
import subprocess
import tempfile
import threading
import time

from common.commands import course
from common.commands.drive.support import BUILD, SOURCE, case, leave, rows_of, run, sample_step
from common.commands.drive.support import step, variants
from common.commands.practice import shelf
from common.commands.runner import build, command, lines, series
from common.commands.runner.__main__ import lines_of
from common.commands.runner.behind import Behind
from common.commands.runner.directory import Directory
from common.commands.runner.order import side_by_side
from common.commands.runner.packages import ninja
from common.commands.runner.program import Runner
from common.commands.runner.screen import Screen

RUN = os.path.join(SOURCE, "steps", "run")
REFUSED = ["--help", "-h", "-qh", "--he", "--list", "--version", "--describe", "-o F", "-oF",
           "--log=F", "--batch F", "--progress", "--done", "--wait"]
KEPT = {"log.csv", "counters.csv", "describe.json", "env.txt", "output.txt"}


def quick(*more, command=RUN, **how):
    return run(command, "--build", BUILD, "--quick", sample_step(), *more, **how)


def left_by(done):
    """The directory that a run names on its last line, or None."""
    found = re.search(r"^log[^:]*: ([^;\s]+)", done.out, re.MULTILINE)
    return os.path.join(SOURCE, found[1]) if found else None


def refusals():
    for words in REFUSED:
        done = run(RUN, "--build", "/proc/none", "--", *words.split())
        case(done.status == 2 and not done.out and words.split()[0] in done.err and
             len(done.err.splitlines()) == 1, f"steps/run -- {words} is refused at once", done)


def chosen():
    """Which steps are run, and that nothing is built for a name that is none."""
    reduction = series.chosen(SOURCE, ["reduce"])
    case(series.chosen(SOURCE, []) == course.steps(SOURCE), "without a name all steps")
    case(series.chosen(SOURCE, ["reduce4", "add", "reduce2"]) == ["add", "reduce2", "reduce4"],
         "named steps, in teaching order", series.chosen(SOURCE, ["reduce4", "add", "reduce2"]))
    case("reduce2" in reduction and "add" not in reduction, "a family by its name", reduction)
    for name, wanted in (("reduec2", "did you mean reduce2?"), ("qqq", "unknown step qqq (accepted: ")):
        done = run(RUN, "--build", "/proc/none", name)
        case(done.status == 2 and not done.out and wanted in done.err and len(done.err.splitlines()) == 1,
             f"steps/run {name} is refused before anything is built", done)
    done = run(RUN, "--build", "/proc/none", "--path", "reduce2")
    case(done.status == 2 and "--path reduce2" in done.err, "--path beside a name is refused", done)
    path = course.path_steps(SOURCE)
    case("reduce2" in path and "reduce3" not in path and path == [s for s in course.steps(SOURCE) if s in path],
         "the steps of the first path, in teaching order", path)


def built():
    """Only what is named, into a directory of its own: beside the build, so that ccache, where it is, knows the same
    compilations. How fast the programs are is not asked, so the C is not optimized."""
    folder, named = BUILD + "-one", sample_step()
    shutil.rmtree(folder, ignore_errors=True)
    done = run(RUN, "--build", folder, "--backend", "cpu", "--quick", named, limit=900,
               env={"CCACHE_NOHASHDIR": "1", "CFLAGS": "-O0"})
    found = [step for step in course.steps(SOURCE) if os.path.exists(os.path.join(folder, "steps", step, step))]
    case(done.status == 0 and found == [named], f"steps/run {named} builds this step and no other", f"{found}\n{done}")
    left = left_by(done)
    if left:
        shutil.rmtree(left)
    shutil.rmtree(folder)


def less():
    """A new build that --quick begins has no libraries, one for all steps not all types; the next that wants them adds
    them, and once."""
    for part in (build.LIBRARIES, build.TYPES):
        mark, without, added = part
        with tempfile.TemporaryDirectory() as folder:
            said = [build.less(folder, part, wanted) for wanted in (None, True, False)]
            with open(os.path.join(folder, "build.ninja"), "w", encoding="utf-8"):
                said += [build.less(folder, part, wanted) for wanted in (False, None, True)]
            case(said == [[], [], without, [], [], added],
                 f"a new build is begun {mark}, the next run that wants them adds them", said)
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "build.ninja"), "w", encoding="utf-8"):
                said = [build.less(folder, part, wanted) for wanted in (False, True)]
            case(said == [[], []], f"a build that is there is not made one {mark}", said)


def unlike_lines(described, run_types):
    """What a build with -Dtypes=run lacks for the lines that steps/run runs, and has without need."""
    named = {(d["family"], device, kind) for d in described for use in ("ladder", "sweep", "lesson", "quick")
             for device, declared in d["launches"].get(use, {}).items() for line in declared
             for kind in lines.parse(line.split()).get("type", []) if kind in d["types"][1:]}
    has = {(family, "cuda", kind) for family, kinds in run_types.items() for kind in kinds}
    first = {(d["family"], "cuda", d["types"][0]) for d in described}
    return [f"{family}: {kind} on {device}" for family, device, kind in sorted(named ^ (has - (first - named)))]


def types_that_run():
    """The types of a build for the whole series are those of its lines."""
    families, has = shelf.steps(SOURCE), {}
    described = [{**d, "family": families[d["step"]][0]} for d in series.describe(BUILD)]
    for family in {d["family"] for d in described}:
        with open(os.path.join(SOURCE, "common/families", family, "meson.build"), encoding="utf-8") as file:
            found = re.search(r"^run_types = (\[.*\])$", file.read(), re.MULTILINE)
        has[family] = ast.literal_eval(found[1]) if found else []
    wrong = unlike_lines(described, has)
    case(not wrong, "run_types of the families are those that lines of steps/run name", wrong)
    wrong = unlike_lines(described, {**has, "histogram": ["i32"]})
    case(wrong == ["histogram: i32 on cuda", "histogram: u8 on cuda"],
         "a type that a line lacks, and one that none names, are found", wrong)
    wrong = unlike_lines([{"family": "f", "types": ["f32", "i32"], "launches": {
        "ladder": {"cpu": ["-n 8 --type i32"], "cuda": []}}}], {})
    case(wrong == ["f: i32 on cpu"], "a line of the CPU device that names another type than the first is found", wrong)


def estimated_once():
    """Estimates are of one device and one run: what differs in less is estimated once, and what goes between
    devices, or stands on a line of time, not at all."""
    described, asked = series.describe(BUILD), command.parse([])
    found = {d["step"]: [line for *_, more in [lines_of(d, asked)] for line in more] for d in described}
    twice = [step for step, more in found.items() if len(more) != len(set(map(tuple, more)))]
    case(not twice and any(found.values()), "no step is estimated twice for the same", twice)
    several = [d["step"] for d in described if d["group"] == "devices"]
    case(several and not any(found[step] for step in several), "no step of several devices is estimated", several)
    timed = [d["step"] for d in described if any("--timeline" in line for line in d["launches"]["ladder"]["cuda"])]
    case(timed and not any("--timeline" in line for step in timed for line in found[step]),
         "no timeline, of which the CPU device has none, is asked of an estimate", timed)


def behind():
    """A build at the same time as what it has made."""
    first, last = threading.Event(), threading.Event()

    def work(_, watch):
        watch.linked("steps/a/a")
        first.wait(10)
        watch.linked("steps/b/b")
        last.wait(10)
        raise build.Failed("the build failed", 3)

    going = Behind(work, "series", None)
    going.wait("steps/a/a")
    first.set()
    going.wait("steps/b/b")
    last.set()
    said = []
    for path in ("steps/c/c", None, "steps/a/a"):
        try:
            going.wait(path)
            said.append("built")
        except build.Failed as failed:
            said.append(str(failed))
    case(said == ["the build failed", "the build failed", "built"],
         "what is linked can be run at once, and who waits for the rest hears that the build failed", said)
    going.stop()
    with subprocess.Popen(["sleep", "100"]) as process:
        going = Behind(lambda _, watch: (watch.begins(process), process.wait()), "series", None)
        going.stop()
        case(process.wait(10) == -signal.SIGTERM, "a build that is stopped ends its ninja", process.returncode)


def told():
    """Progress where there is no terminal: a line when enough time has passed."""
    for patience, wanted in ((None, ""), (3600, ""), (0, "building: 1 of 2\n")):
        text = io.StringIO()
        Screen("series", text, patience).progress("building: 1 of 2")
        case(text.getvalue() == wanted, f"progress in a pipe, told every {patience} s", text.getvalue())


def unwritable():
    """Where nothing can be built, as in a checkout of another user's."""
    done = run(RUN, "--build", "/proc/none/build", "--quick")
    case(done.status == 2 and "Traceback" not in done.err and "cannot build there" in done.err and
         len(done.err.splitlines()) == 1, "a place to build that cannot be written is told", done)


def directories(scratch):
    link = os.path.join(scratch, "link")
    os.symlink(RUN, link)
    os.makedirs(os.path.join(SOURCE, "runs", ".unfinished-1"), exist_ok=True)
    done = quick(command=link, cwd=scratch, env={"TMPDIR": "/nonexistent"})
    folder = left_by(done)
    if not case(done.status == 0 and folder and os.path.isdir(folder),
                "through a link, without a TMPDIR, beside a stale directory", done):
        return
    files = set(os.listdir(folder))
    case(KEPT <= files and not [f for f in files if f.startswith((".", "log-"))],
         "the directory holds the log, the counters and the surroundings", sorted(files))
    rows = rows_of(os.path.join(folder, "log.csv"))
    case([row["variant"] for row in rows] == list(variants(sample_step())) and
         {row["runs"] for row in rows} == {"1"}, "every variant once in the log", rows)
    with open(os.path.join(folder, "describe.json"), encoding="utf-8") as file:
        case([d["step"] for d in json.load(file)] == [sample_step()], "describe.json holds the step that was run")
    shutil.rmtree(folder)
    os.rmdir(os.path.join(SOURCE, "runs", ".unfinished-1"))


def at_once():
    """Four, while something must be rebuilt."""
    os.utime(os.path.join(SOURCE, "steps", sample_step(), sample_step() + ".cu"))
    command = [RUN, "--build", BUILD, "--backend", "cpu", "--quick", sample_step()]
    four = [subprocess.Popen(command, cwd=SOURCE, stdout=subprocess.PIPE, text=True,
                             stderr=subprocess.STDOUT) for _ in range(4)]
    said = [process.communicate()[0] for process in four]
    folders = [found[1] for text in said
               for found in [re.search(r"^log[^:]*: ([^;\s]+)", text, re.MULTILINE)] if found]
    case(all(p.returncode == 0 for p in four) and len(set(folders)) == 4,
         "four at once, each with a directory", "\n".join(said))
    for folder in folders:
        shutil.rmtree(os.path.join(SOURCE, folder))


def without_git(scratch):
    """A source that git knows nothing of: its programs say so, or what they are told."""
    source = os.path.join(scratch, "source")
    left_out = shutil.ignore_patterns(".git", "build*", "runs", ".venv")
    shutil.copytree(SOURCE, source, ignore=left_out)
    for option, wanted in ((None, "unknown"), ("-Dcommit=v1.2", "v1.2")):
        folder = os.path.join(scratch, wanted)
        done = run("meson", "setup", folder, source, "-Ddevice=cpu", *([option] if option else []),
                   env={"GIT_CEILING_DIRECTORIES": scratch})
        if done.status == 0:
            done = run(ninja(), "-C", folder, "common/commit.h",
                       env={"GIT_CEILING_DIRECTORIES": scratch})
        text = ""
        if done.status == 0:
            with open(os.path.join(folder, "common", "commit.h"), encoding="utf-8") as file:
                text = file.read()
        case(f'"{wanted}"' in text, f"without git the commit is {wanted}", f"{text}\n{done}")


def full_output():
    before = set(os.listdir(os.path.join(SOURCE, "runs")))
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run([RUN, "--build", BUILD, "--quick", sample_step()], stdout=full,
                              stderr=subprocess.PIPE, text=True, check=False)
    case(done.returncode == 3 and len(done.stderr.splitlines()) == 1,
         "a full standard output is told, with status 3", done.stderr)
    for name in set(os.listdir(os.path.join(SOURCE, "runs"))) - before:
        shutil.rmtree(os.path.join(SOURCE, "runs", name))


def made_up(scratch, name, text):
    path = os.path.join(scratch, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\n" + text)
    os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
    return path


def thinned():
    """What becomes of sweeps where a GPU runs all steps."""
    beside = [["-n", "2^28"]]
    for sweep, wanted in (("10:28", "10:27:2"), ("10:26", "10:26:2"), ("7:13", "7:13"), ("cols=5:28", "cols=5:28:2")):
        got = lines.value(lines.thinned(["--sweep", sweep, "-r", "3"], 12, beside), "sweep")
        case(got == wanted, f"thinned: --sweep {sweep} is {wanted}", got)


def programs(scratch):
    runner = Runner(scratch, Screen("series"))
    small = made_up(scratch, "small", 'case "$*" in *10:1[4-9]*) echo no memory >&2; exit 3;; esac')
    status = runner.sweep(small, ["--sweep", "10:18", "-r", "3"], "step 1 of 1")
    with open(runner.output, encoding="utf-8") as file:
        asked = re.findall(r"^\$ .*?10:(\d+)", file.read(), re.MULTILINE)
    case(status == 0 and asked == ["18", "16", "14", "12"] and not runner.complaints,
         "a sweep without memory starts over with a smaller end", f"{status} {asked}")
    tells = made_up(scratch, "tells", "echo 'progress: tells x 2^3 run 1 of 2, 1 s left' >&2\n"
                    "echo first >&2; echo 'second, wrong' >&2; echo first >&2; exit 1")
    status = runner.run(tells, [], "step 1 of 1")
    with open(runner.output, encoding="utf-8") as file:
        case(status == 1 and runner.complaints == ["first", "second, wrong"] and
             "progress" not in file.read(), "progress is no complaint and no output",
             runner.complaints)
    runner.complaints.clear()
    go = os.path.join(scratch, "go")
    lingers = made_up(scratch, "lingers", f"""echo 'done: 1' >&2
exec 2>&-
at=0
while [ ! -e {go} ] && [ $at -lt 600 ]; do at=$((at + 1)); sleep 0.1; done
[ -e {go} ] && exit 1
exit 4""")
    status = runner.run(lingers, [], "step 1 of 1")
    with open(go, "w", encoding="utf-8"):  # now it leaves as it said; where it was waited for, otherwise
        pass
    case(status == 1, "a program that is done is not waited for", status)
    runner.run(made_up(scratch, "falls", "echo 'done: 0' >&2; exec 2>&-; exit 7"), [], "step 1 of 1")
    said = [runner.left, runner.complaints[:]]
    runner.stop()
    case(said == [0, []] and runner.left == 3 and runner.complaints == [
        "falls: all was done, but it ended with status 7"], "a program that then falls is told", runner.complaints)
    runner = Runner(scratch, Screen("series"))
    status = runner.run(made_up(scratch, "dies", "kill -9 $$"), [], "step 1 of 1")
    case(status == 137 and "signal 9" in runner.complaints[-1], "a crash is told", status)


def joined(scratch):
    """Lines of a GPU's step in one process: which of them are begun, and again where it cannot go on."""
    folder = os.path.join(scratch, "joined")
    os.makedirs(folder)
    runner = Runner(folder, Screen("series"))
    program = made_up(scratch, "lines", """first="$*"
case "$first" in *--then*) several=1;; esac
while [ $# -gt 0 ]; do
    words=
    while [ $# -gt 0 ] && [ "$1" != --then ]; do words="$words $1"; shift; done
    [ $# -gt 0 ] && shift
    [ -z "$several" ] || echo "\\$ lines$words"
    case "$words" in
        *" -n 2 "*) echo bad line >&2; exit 2;;
        *10:1[6-9]*) echo no memory >&2; exit 3;;
    esac
done""")

    def begun(main, sweeps):
        if os.path.exists(runner.output):
            os.remove(runner.output)
        runner.complaints.clear()
        status = runner.run_all(program, [line.split() for line in main],
                                [line.split() for line in sweeps], "step 1 of 1")
        with open(runner.output, encoding="utf-8") as file:
            return status, re.findall(r"^\$ lines (.*?)(?: --done)? --log log.csv(?: --done)?$", file.read(),
                                      re.MULTILINE)

    got = begun(["-n 1", "-n 3"], ["--sweep 10:14", "--sweep a=1:2"])
    case(got == (0, ["-n 1", "-n 3", "--sweep 10:14", "--sweep a=1:2"]) and not runner.complaints,
         "a step's lines in one process", got)
    got = begun(["-n 1", "-n 2", "-n 3"], ["--sweep 10:14"])
    case(got == (2, ["-n 1", "-n 2", "-n 3"]) and runner.complaints == ["bad line"],
         "a line that fails: the others are run, no sweep is", got)
    got = begun(["-n 1"], ["--sweep 10:18 -r 3", "--sweep a=1:2"])
    case(got == (0, ["-n 1", "--sweep 10:18 -r 3", "-r 3 --sweep 10:16", "-r 3 --sweep 10:14",
                     "--sweep a=1:2"]) and not runner.complaints,
         "a sweep without memory starts over with a smaller end, and the next one follows", got)


def ahead(scratch):
    """A process that opens its GPU while another step is run, and begins with the lines that it was begun with."""
    folder = os.path.join(scratch, "ahead")
    os.makedirs(folder)
    runner = Runner(folder, Screen("series"))
    program = made_up(scratch, "waits", """if [ "$1" = --wait ]; then
    echo $$ >> FOLDER/pids
    read line || exit 9
    shift
    echo waited
fi
echo "ran $*"
""".replace("FOLDER", folder))
    pids = os.path.join(folder, "pids")

    def began(number):
        end = time.monotonic() + 60
        while time.monotonic() < end:
            if os.path.exists(pids):
                with open(pids, encoding="utf-8") as file:
                    found = file.read().split()
                if len(found) == number:
                    return int(found[-1])
            time.sleep(0.05)
        return None

    def said():
        with open(runner.output, encoding="utf-8") as file:
            return re.sub(r" --log \S+", "", file.read()).splitlines()

    two, one = [["-n", "1"], ["-n", "2"]], [["-n", "3"]]
    runner.open(program, two, [])  # and before that one is run the next, as where a step says at once what it has
    runner.open(program, one, [])
    pid, before = began(2), said()
    status = runner.run_all(program, two[::-1], [], "step 1 of 3")
    other = said()
    status = max(status, runner.run_all(program, two, [], "step 2 of 3"),
                 runner.run_all(program, one, [], "step 3 of 3"))
    case(pid and not before and status == 0 and other == ["ran -n 2 --then -n 1 --done"] and
         said() == [*other, "waited", "ran -n 1 --then -n 2 --done", "$ waits -n 3 --done", "waited",
                    "ran -n 3 --done"] and not os.path.exists(f"/proc/{pid}"),
         "lines that a process was begun ahead with are its, and no others", (pid, before, status, said()))
    runner.open(made_up(scratch, "cannot", 'case "$1" in --wait) exit 3;; esac'), one, [])
    ended = runner._waiting[-1][0].wait(60)  # pylint: disable=protected-access
    status = runner.run_all(os.path.join(scratch, "cannot"), one, [], "step 1 of 1")
    case((ended, status) == (3, 0), "what could not open its GPU ahead is begun again", (ended, status))
    runner.open(program, two, [])
    pid = began(3)
    runner.stop()
    runner.open(program, two, [])
    case(pid and not os.path.exists(f"/proc/{pid}") and began(3) == pid,
         "a run that is ended leaves nothing that waits, and begins nothing more", pid)


class Made:
    """Work (see order.py) whose steps are programs that write rows; go: a file that the first one waits for."""

    def __init__(self, program, go):
        self.program, self.go, self.ran = program, go, []

    def described(self, name):
        return name

    def run(self, runner, name, place):
        status = runner.run(self.program, ["-n", name], place)
        self.ran.append(name)
        if name == "two":
            with open(self.go, "w", encoding="utf-8"):
                pass
        return status, place


def at_a_time(scratch):
    """Steps of the CPU device: two at a time, and what they write in their order; what was written is kept when all is
    stopped."""
    folder, go = os.path.join(scratch, "side"), os.path.join(scratch, "side-go")
    os.makedirs(folder)
    program = made_up(scratch, "writes", f"""echo "$2 runs"
for log; do :; done
for kind in .csv -counters.csv; do
    [ -e "${{log%.csv}}$kind" ] || echo header > "${{log%.csv}}$kind"
    echo "$2" >> "${{log%.csv}}$kind"
done
[ "$2" = four ] && exec sleep 600
at=0
while [ "$2" = one ] && [ ! -e {go} ] && [ $at -lt 600 ]; do at=$((at + 1)); sleep 0.1; done
[ -e {go} ] || [ "$2" = two ]""")
    directory = Directory(scratch, "cpu")
    work = Made(program, go)
    names = ["one", "two", "three", "four", "five"]

    def written(name):
        with open(directory.file(name), encoding="utf-8") as file:
            return [line for line in file.read().split("\n") if line and not line.startswith("$")]

    order = side_by_side(directory, Screen("series"), work, names)
    got = [next(order) for _ in range(3)]
    case(got == [(0, f"step {at} of 5") for at in (1, 2, 3)] and work.ran.index("two") < work.ran.index("one") and
         written("log.csv") == written("log-counters.csv") == ["header", *names[:3]] and
         written("output.txt") == [f"{name} runs" for name in names[:3]],
         "the CPU device: two steps at a time, told and kept in their order", (got, work.ran))
    end = time.monotonic() + 60
    while not os.path.exists(directory.file(".four/log-counters.csv")) and time.monotonic() < end:
        time.sleep(0.05)
    order.close()
    while "four" not in work.ran and time.monotonic() < end:
        time.sleep(0.05)
    case(set(written("log.csv")) <= {"header", *names} and "four" in work.ran and
         written("log.csv")[:5] == ["header", *names[:4]] and
         not [name for name in os.listdir(directory.path) if name.startswith(".")],
         "what a step has written when all is stopped is kept", (written("log.csv"), os.listdir(directory.path)))


def waits():
    """--wait of a real step: nothing before a line comes."""
    name = sample_step()
    for given, wanted in (("\n", 0), ("now\n", 0), ("", 2), ("now", 2)):
        done = subprocess.run([step(name), "--wait", "-n", "33", "-q", "--then", "-n", "33", "-q"], input=given,
                              capture_output=True, text=True, check=False)
        shown = re.findall(rf"^\$ {name} ", done.stdout, re.MULTILINE)
        case(done.returncode == wanted and len(shown) == (1 if wanted else 2) and
             done.stderr.count("\n") == (1 if wanted else 0), f"--wait, and {given!r} comes", done)
    with subprocess.Popen([step(name), "--wait", "-n", "33"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          text=True) as process:
        time.sleep(1)
        early, going = select.select([process.stdout], [], [], 0)[0], process.poll() is None
        said = process.communicate("\n", timeout=60)[0]
    case(not early and going and process.returncode == 0 and " ok" in said, "--wait: nothing is run before the line",
         (early, going, process.returncode, said))


def fitted_lines():
    takes = {"blocks": "any", "threads": None, "threads_by_size": False}
    told = {"types": ["f32", "i32"], "variants": [
        {"name": "a", "role": "step", "types": ["f32", "i32"], "takes": takes},
        {"name": "b", "role": "step", "types": ["f32"], "takes": {**takes, "blocks": "by_size"}},
        {"name": "c", "role": "step", "types": ["f32"], "takes": {**takes, "threads": 320}}]}
    own = {"backend": "cuda", "types": told["types"],
           "launches": {"lesson": {"cpu": [], "cuda": ["-n 8 -b 2 -t 64", "-n 9 -v elsewhere"]}},
           "variants": [*told["variants"], {"name": "d", "role": "step", "types": ["f32"],
                                            "takes": {**takes, "own_shape": True}}]}
    got = [" ".join(words) for words in series.lessons(own)]
    case(got == ["-n 8 -b 2 -t 64 -v a", "-n 8 -t 64 -v b", "-n 8 -b 2 -v c", "-n 8 -v d"],
         "a lesson's grid is not for a variant that has its own, its line not for a step without the variant",
         got)
    case(not series.lessons({**own, "backend": "cpu"}), "a lesson of the GPU alone", "")
    ints = {"types": ["f32", "i32"], "variants": [
        told["variants"][0], {**told["variants"][0], "name": "ints", "types": ["i32"]}]}
    got = [series.fitted(ints, line.split()) for line in ("-n 8", "-n 8 --type i32")]
    case(got == [["-n 8 -v a".split()], ["-n 8 --type i32".split()]],
         "a variant of ints alone is not asked for floats", got)
    for line, wanted in (
            ("-n 8", ["-n 8"]),
            ("-n 8 -b 2", ["-n 8 -b 2 -v a -v c", "-n 8 -v b"]),
            ("-n 8 -t 320", ["-n 8 -t 320"]),
            ("-n 8 -t 64", ["-n 8 -t 64 -v a -v b", "-n 8 -v c"]),
            ("-n 8 --type i32", ["-n 8 --type i32 -v a"]),
            ("-n 8 --type=f64", []),
            ("-n 8 -b 2 -v a", ["-n 8 -b 2 -v a"]),
            ("-v b -n 8 -b 2 -v a", ["-n 8 -b 2 -v a", "-n 8 -v b"]),
            ("-n 8 -b 2 -v d", ["-n 8 -b 2 -v d"])):
        got = [" ".join(words) for words in series.fitted(told, line.split())]
        case(got == wanted, f"'{line}' for variants that differ in what they take", got)


def main():
    with tempfile.TemporaryDirectory() as scratch:
        refusals()
        chosen()
        less()
        types_that_run()
        estimated_once()
        behind()
        told()
        unwritable()
        built()
        directories(scratch)
        at_once()
        without_git(scratch)
        full_output()
        programs(scratch)
        thinned()
        joined(scratch)
        ahead(scratch)
        at_a_time(scratch)
        waits()
        fitted_lines()
    leave()


if __name__ == "__main__":
    main()
