"""
What a button of the page does, as a process of its own: it writes a JSON object per line, which the page gets as it
is written. One that has "progress", "said" or "error" is a line for a person; the others are said where they are made.

usage: worker.py ACTION STEP WHAT LANGUAGE BUILD      (WHAT: see exercise.whats; BUILD: a folder, or -)
"""
import csv
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import types

from common.commands.practice import __main__ as practice
from common.commands.practice import counters, findings, judge, report, words
from common.commands.runner import lines
from common.commands.runner.screen import Screen, Stop, end_of
from common.commands.watched import __main__ as recordings
from docs.server import beside
from docs.server.exercise import Exercise

ESTIMATE = re.compile(r"(\S+), .*: estimated for (.+) from counters, not measured: ([\d.e+-]+) us "
                      r"\(([\d.e+-]+) to ([\d.e+-]+)\)[^;]*;? ?(.*)$")
STEPS, BYTES = 4000, 2 << 20  # of a recording that the page gets


def event(**what):
    print(json.dumps(what), flush=True)


class Told(Screen):
    """What a terminal would show goes to the page."""

    def line(self, text=""):
        for each in text.split("\n"):
            event(said=each)

    def progress(self, text):
        event(progress=text)

    def quote(self, lines):
        for each in lines:
            event(said="    " + each)

    def complain(self, text):
        event(error=str(text))


class Work:
    """On one exercise. asked: what steps/practice takes from its command line."""

    def __init__(self, screen, exercise, build):
        self.screen, self.exercise = screen, exercise
        self.asked = types.SimpleNamespace(build=build, backend="cpu", hint=False, json=True)
        self.entry = practice.on_shelf(exercise.name, exercise.step)

    def build(self):
        """The Judge of the program, or None where it does not compile, which the page has been told then."""
        one, said = practice.built("cpu", self.screen, self.asked, self.entry, self.exercise.name)
        if not one:
            mistake = practice.not_compiled(said, os.path.basename(self.entry.source), "cpu")["mistake"]
            self.tell(mistake)
        return one

    def tell(self, mistake):
        event(mistake={**mistake, "title": report.title(mistake, os.path.basename(self.entry.source))})

    def run(self, program, options, unsaid=()):
        """Runs a program, and passes on what it says; (its status, those lines). unsaid: options that are ours."""
        self.screen.line(f"$ {os.path.relpath(program)} {' '.join(options)}")
        said = []
        with subprocess.Popen([program, *options, *unsaid], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              stdin=subprocess.DEVNULL, encoding="utf-8", errors="replace") as process:
            for line in process.stdout:
                said.append(line.rstrip("\n"))
                self.screen.line(said[-1])
        return process.returncode, said


# --- what the page may ask for: each is called with a Work, and returns an exit status -------------------------------

def prepare(work):
    """Builds all that the first verdict waits for."""
    practice.built("cpu", Quiet("docs/serve"), work.asked, work.entry, work.exercise.name)
    return 0


class Quiet(Told):
    """What does not compile yet is nobody's mistake."""

    def quote(self, lines):
        pass


def judged(work):
    """As steps/practice; the verdict is what it prints as JSON."""
    told = practice.assess(work.screen, work.asked, work.exercise.name, work.exercise.step)
    event(verdict=told)
    if told["mistake"] and not work.asked.hint:
        work.tell(told["mistake"])
        for device in told["devices"]:
            tell_findings((device["launch"] or {}).get("findings", []))
    return 1 if told["mistake"] else 0


def hinted(work):
    """The same with --hint."""
    work.asked.hint = True
    return judged(work)


def ran(work, purpose="quick", *more):
    one = work.build()
    if not one:
        return 1
    options = judge.fitted(one.told, purpose)
    status, said = work.run(one.program, [*lines.without(options, *(["runs"] if more else [])), *more, *one.chosen()])
    return ended(work, one, status, said)


def tell_findings(found):
    event(findings=[{**each, "title": words.say(findings.NAMES[each["kind"]])} for each in found])


def ended(work, one, status, said):
    """What --check found, and a wrong result; the status."""
    found = findings.read(said)
    tell_findings(found)
    if found:
        work.tell(one.of_finding(found[0]))
    elif status < 0:
        event(error=words.say("signal {number}", number=-status))
    return 1 if status else 0


def checked(work):
    return ran(work, "quick", "-r", "1", "-w", "0", "--check")


def counted(work):
    """Of the same launch: what both did, in all and by line."""
    one = work.build()
    if not one:
        return 1
    words_of = [judge.fitted(told, "record") for told in (one.told, one.step_told)]
    with tempfile.TemporaryDirectory() as scratch:
        logs = [os.path.join(scratch, name + ".csv") for name in ("yours", "step")]
        for program, options, log in zip((one.program, one.step), words_of, logs):
            work.screen.progress(os.path.basename(program))
            status, _ = work.run(program, [*options, "-r", "1", "-w", "0", "--counters=lines", *chosen(one, program)],
                                 ["-q", "--log", log])
            if status not in (0, 1) or not os.path.exists(log[:-4] + "-lines.csv"):
                raise Stop(f"{os.path.basename(program)}: status {status}", 3)
        mine, theirs = ([beside.cells(rows(log[:-4] + "-lines.csv"), file)] for log, file in
                        zip(logs, (one.source, work.exercise.step + ".cu")))
        both = [counters.figures(rows(log[:-4] + "-counters.csv")) for log in logs]
    event(columns=beside.columns(*mine, *theirs, [practice.read(work.entry.source), practice.read(
        practice.step_source(work.exercise.step))]))
    found = [{"variant": name, "beside": other, "yours": both[0][name], "step": both[1][other]}
             for name, other in one.pairs(*both)]
    event(counters=found)
    for line in report.counted(found, work.entry.beside, words_of[0]):
        work.screen.line(line)
    return 0


def chosen(one, program):
    """The options that name the variants to run: of the step those beside yours."""
    known = [each["name"] for each in (one.told if program == one.program else one.step_told)["variants"]]
    return [word for name in one.variants if name in known for word in ("-v", name)]


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def estimated(work):
    """How long both would take on the GPU that the pages quote."""
    one, found = work.build(), []
    if not one:
        return 1
    for program, told in ((one.program, one.told), (one.step, one.step_told)):
        options = lines.without(judge.fitted(told, "ladder"), "runs", "warmup")
        status, said = work.run(program, [*options, "-r", "1", "-w", "0", "--estimate", *chosen(one, program)])
        found.append({match[1]: {"device": match[2], "us": float(match[3]), "low": float(match[4]),
                                 "high": float(match[5]), "waits": match[6]}
                      for match in map(ESTIMATE.match, said) if match})
        if status:
            return ended(work, one, status, said)
        if not found[-1]:
            event(error=next((line for line in said if ": not estimated" in line), said[-1]))
            return 0
    event(estimates=[{"variant": name, "beside": other, "yours": found[0][name], "step": found[1][other]}
                     for name, other in one.pairs(*found)])
    return 0


def recorded(work, one, options):
    """Runs a launch; (its status, what it said, its recording or None)."""
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "steps.json")
        status, said = work.run(one.program, options, ["--record-steps", path])
        if status not in (0, 1) or not os.path.exists(path):
            return status, said, None
        with open(path, encoding="utf-8") as file:
            return status, said, recordings.shortened(json.load(file), STEPS, BYTES)


def watched(work):
    """For the player: the launch of the step's own recording. Where that is right, the first launch of steps/practice
    that is not, or the same with fewer threads: the first that is wrong and small enough to be recorded."""
    options = recordings.read(work.exercise.step)[0]["options"].split()
    one = work.build()
    if not one:
        return 1
    options = [*lines.without(options, "variant", "check"), *one.chosen(), "-q", "--check"]
    status, said, told = recorded(work, one, options)
    if status > 1:
        raise Stop(said[-1] if said else f"status {status}", status)
    status = ended(work, one, status, said)
    if status == 0:
        work.screen.progress(os.path.basename(one.program))
        judgement = one.result()
        if judgement["launch"]:
            status = 1
            work.tell(judgement["mistake"])
            tell_findings(judgement["launch"]["findings"])
            wrong = judgement["launch"]["options"]
            tried = (recorded(work, one, words) for words in
                     (wrong, lines.replaced(lines.replaced(wrong, "blocks", "2"), "threads", "64")))
            told = next((found for failed, _, found in tried if failed == 1 and found), told)
    if told and told["steps"]:
        event(recording=told)
    return status


ACTIONS = {"prepare": prepare, "run": ran, "check": checked, "counters": counted, "estimate": estimated,
           "practice": judged, "hint": hinted, "watch": watched}


def cpu_seconds():
    """That this process and all that it has started have used."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def main(action, step, what, language, build):
    words.choose(language)
    screen = Told("docs/serve")
    status = end_of(screen, lambda: ACTIONS[action](
        Work(screen, Exercise(step, what), None if build == "-" else build)))
    event(cpu=round(cpu_seconds(), 2))
    return status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
