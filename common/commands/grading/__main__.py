"""steps/practice --grade: see command.USAGE."""
import collections
import concurrent.futures
import hashlib
import json
import os
import re
import secrets
import signal
import sys
import tempfile

from common.commands import ROOT
from common.commands.grading import command
from common.commands.practice import shelf, source, workshop
from common.commands.runner import build, packages
from common.commands.runner.screen import Screen, Stop, end_of

Submission = collections.namedtuple("Submission", "student step text why")
STEP = re.compile(r'^STEP\("([\w-]+)"', re.MULTILINE)
MOST = 1 << 18  # bytes of a submission that are read
NEEDED = ["common/libcommon.a", "common/cpu/libcpudevice.a", "common/cpu/translate", "common/cpu/assemble/as",
          "common/cpu/cuda_preinclude.h.gch"]


def read(path):
    """The text of a file that may be anything; symbolic links are not followed."""
    if os.path.islink(path) or not os.path.isfile(path):
        return None
    with open(path, "rb") as file:
        return file.read(MOST + 1).decode("utf-8", "replace")


def text_of(step):
    return read(os.path.join(ROOT, "steps", step, step + ".cu"))


def files_of(folder):
    """(student, path) of each file."""
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        if os.path.isdir(path) and not os.path.islink(path):
            yield from ((name, os.path.join(top, each)) for top, _, names in sorted(os.walk(path))
                        for each in sorted(names) if each.endswith(".cu"))
        elif name.endswith(".cu"):
            yield name[:-3], path


def find(folder, wanted, known):
    """([submissions], in the order of the students and the steps; [the steps])"""
    found, students = {}, []
    for student, path in files_of(folder):
        students += [student] * (student not in students)
        text = read(path)
        named = STEP.findall(text or "")
        step = named[-1] if named else os.path.basename(path)[:-3]
        if step not in known or wanted and step not in wanted:
            step = wanted[0] if len(wanted) == 1 else ""
        why = "a link, or no plain file" if text is None else "it names no step in its last line" if not step else ""
        if (student, step) in found:
            why = "two files for one step"
        found[student, step] = Submission(student, step, text or "", why)
    steps = [step for step in known if step in (wanted or {step for _, step in found})]
    listed = [found.get((student, step), Submission(student, step, "", "no file"))
              for student in students for step in steps]
    return listed + [each for each in found.values() if each.step not in steps], steps


def seed_of(asked, out):
    """The seed that is asked for, or the one of an earlier call, or a new one, which is kept."""
    path = os.path.join(out, "seed")
    if asked is None and os.path.exists(path):
        with open(path, encoding="ascii") as file:
            return int(file.read())
    seed = secrets.randbelow(1 << 48) if asked is None else asked
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="ascii") as file:
        file.write(f"{seed}\n")
    return seed


class Kept:
    """What was judged, a file each, so that nothing is lost and nothing is judged twice."""

    def __init__(self, out, asked, seed):
        self.folder = os.path.join(out, ".judged")
        self.how = [seed, asked.within, asked.time, asked.function, asked.sandbox]
        os.makedirs(self.folder, exist_ok=True)

    def path(self, one, own):
        key = json.dumps([one.student, one.step, one.text, own, *self.how])
        return os.path.join(self.folder, hashlib.sha256(key.encode()).hexdigest() + ".json")

    def get(self, one, own):
        try:
            with open(self.path(one, own), encoding="utf-8") as file:
                return json.load(file)
        except (OSError, ValueError):
            return None


def blank(one, judged, why):
    return {"step": one.step, "function": "", "shares": {}, "judged": judged, "first": why, "lines": [], "details": {}}


def tools(folder):
    """The modules that work in a build, which its name in the environment tells them."""
    os.environ["BUILD"], os.environ["SOURCE"] = folder, ROOT
    from common.commands.grading import assess, reports, sandbox, similar, workroom  # now that BUILD is known
    return assess, reports, sandbox, similar, workroom


class Class:
    """All submissions and what they are judged with."""

    def __init__(self, screen, asked, folder, out):
        self.screen, self.asked, self.out = screen, asked, out
        self.assess, self.reports, self.sandbox, self.similar, self.workroom = tools(folder)
        self.known = shelf.steps(ROOT)
        for step in asked.step:
            if step not in self.known:
                raise Stop(f"--step {step}: no such step (accepted: {' '.join(self.known)})", 2)
        self.submissions, self.steps = find(asked.grade, asked.step, list(self.known))
        if not self.submissions or not self.steps:
            raise Stop(f"--grade {asked.grade}: no submission of a step; expected STUDENT.cu or STUDENT/STEP.cu", 2)
        if asked.function and len(self.steps) > 1:
            raise Stop("--function: for one step; name it with --step", 2)
        if asked.function and asked.function not in source.functions(text_of(self.steps[0])):
            raise Stop(f"--function {asked.function}: {self.steps[0]} has no such function", 2)

    def task(self, step, box, folder, seed):
        """For the first element type that the variants which lead to the function take."""
        self.screen.progress(f"{step}: our own program")
        kinds = self.known[step][1]
        try:
            for kind in kinds:
                try:
                    room = self.workroom.Workroom(box, folder, step, kind)
                    return self.assess.Task(room, seed, self.asked.function, self.asked.within, self.asked.time)
                except self.assess.NoLaunch:
                    if kind == kinds[-1]:
                        raise
            return None
        except ValueError as error:
            raise Stop(str(error), 2) from None
        except self.workroom.NotCompiled as error:
            raise Stop(f"{step} itself cannot be compiled in the sandbox: {error.args[0][-1]}", 3) from None

    def judge(self, one, task, kept, folder):
        """The result of one, from what was kept or by running it."""
        if one.why:
            return blank(one, task.judged if task else ["right"], one.why)
        result = kept.get(one, task.room.text)
        if result is None:
            with tempfile.TemporaryDirectory(dir=folder, ignore_cleanup_errors=True) as place:
                result = task.assess(one.text, place)
            self.reports.replace(kept.path(one, task.room.text), json.dumps(result))
        return result

    def run(self, box, seed):
        """{submission: result}, of as many as there was time for; and whether those are all."""
        kept, results = Kept(self.out, self.asked, seed), {}
        with tempfile.TemporaryDirectory(prefix="grade-") as folder:
            tasks = {step: self.task(step, box, folder, seed) for step in self.steps}
            with concurrent.futures.ThreadPoolExecutor(self.asked.jobs) as pool:
                work = {pool.submit(self.judge, one, tasks.get(one.step), kept, folder): one
                        for one in self.submissions}
                try:
                    for done in concurrent.futures.as_completed(work):
                        results[work[done]] = done.result()
                        self.screen.progress(f"{len(results)} of {len(work)} judged")
                except KeyboardInterrupt:
                    pool.shutdown(wait=False)
                    for each in work:
                        each.cancel()
                    box.stop.set()
                    self.screen.complain("interrupted; what is judged is kept: the same command goes on")
                    raise
        return results

    def write(self, results, how):
        """All files."""
        rows, students = [], {}
        for one in self.submissions:
            students.setdefault(one.student, []).append(results[one])
            rows.append(self.reports.row(one.student, results[one]))
        for student, own in students.items():
            place = os.path.join(self.out, re.sub(r"[^\w.@+-]", "_", student).lstrip(".") or "_")
            self.reports.replace(os.path.join(place, "report.md"), self.reports.report(student, own, how))
            self.reports.replace(os.path.join(place, "results.json"),
                                 json.dumps(self.reports.gradescope(own), indent=1) + "\n")
        self.reports.replace(os.path.join(self.out, "marks.csv"), self.reports.table(self.reports.HEAD, rows))
        alike = [(step, *pair) for step in self.steps for pair in self.alike(step)]
        self.reports.replace(os.path.join(self.out, "similar.csv"),
                             self.reports.table(["step", "share", "one", "other"], alike))
        return students, alike

    def alike(self, step):
        """The pairs of one step, and each beside the step itself."""
        text = text_of(step)
        function = source.functions(text)[self.asked.function] if self.asked.function else \
            source.chosen(ROOT, step, text)
        given = source.cut(text, function, self.known[step][0], step)[0]
        texts = {one.student: one.text for one in self.submissions if one.step == step and not one.why}
        return self.similar.pairs({**texts, "(the step itself)": text}, given)


def make(folder, screen):
    """What every program of a step is made with."""
    fresh = workshop.device_of(folder) is None
    if fresh:
        packages.ensure(ROOT, screen, "cpu")
        screen.line(f"building in {os.path.relpath(folder)}")
    build.make(ROOT, folder, ["-Ddevice=cpu"] if fresh else [], screen, targets=NEEDED)


def grade(screen, asked):
    folder = workshop.folder_for(ROOT, asked.build, "cpu")
    out = os.path.abspath(asked.out or asked.grade.rstrip("/") + "-marks")
    if asked.install:
        packages.apt(screen, [] if packages.have("bwrap") else ["bubblewrap"], [])
    make(folder, screen)
    group = Class(screen, asked, folder, out)
    box = group.sandbox.box(asked.sandbox, screen)
    os.makedirs(out, exist_ok=True)
    seed = seed_of(asked.seed, out)
    results = group.run(box, seed)
    how = "Judged on the CPU device, in a sandbox." if box.whole else \
        "Judged on the CPU device with limits, without a sandbox of its own."
    students, alike = group.write(results, how)
    for one in group.submissions:
        screen.line(f"{one.student:<24} {one.step:<20} {group.reports.score(results[one]):>5}  {results[one]['first']}")
    screen.line(f"\n{len(students)} students: {os.path.relpath(os.path.join(out, 'marks.csv'))}"
                + (f"; {len(alike)} pairs are alike: similar.csv" if alike else ""))
    return 0


def interrupt(*_):
    raise KeyboardInterrupt


def main(words=None):
    screen = Screen("steps/practice")
    signal.signal(signal.SIGTERM, interrupt)
    asked = command.parse(sys.argv[1:] if words is None else words)
    return end_of(screen, lambda: grade(screen, asked))


if __name__ == "__main__":
    sys.exit(main())
