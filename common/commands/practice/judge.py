"""Runs a program of the shelf beside a step, and says what it finds."""
import collections
import json
import os
import selectors
import subprocess
import tempfile
import time

from common.commands.practice import counters
from common.commands.runner import lines, series
from common.commands.runner.screen import Stop

ONCE = ["-r", "1", "-w", "0"]
PATIENCE = 20  # seconds without a result, and as many times as long as the step took
SHOWN = 12  # lines of what a program says

Run = collections.namedtuple("Run", "rows status longest said")  # status None: it did not end


def describe(program):
    """What --describe tells, without the libraries' variants."""
    done = subprocess.run([program, "--describe"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          stdin=subprocess.DEVNULL, encoding="utf-8", errors="replace", check=False)
    try:
        told = json.loads(done.stdout)
        told["variants"] = [each for each in told["variants"] if not each["library"]]
        return told
    except ValueError:
        said = (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1]
        raise Stop(f"{program} --describe: {said}", 3) from None


def fitted(description, purpose, more):
    """The lines that the step declares for a purpose, as its variants take them."""
    return [[*part, *more] for line in series.launches(description, purpose)
            for part in series.fitted(description, lines.without(line, "runs", "warmup"))]


def work_off(program, asked, limit, screen, what):
    """Runs all lines in one process, up to one that ends it, or that takes longer than the limit."""
    rows, status, longest, begun = [], None, 0.0, time.monotonic()
    with tempfile.TemporaryDirectory() as scratch:
        listed = os.path.join(scratch, "lines")
        with open(listed, "w", encoding="utf-8") as file:
            file.writelines(" ".join(line) + "\n" for line in asked)
        with open(os.path.join(scratch, "said"), "w+", encoding="utf-8", errors="replace") as err, \
                subprocess.Popen([program, "--batch", listed], stdout=subprocess.PIPE, stderr=err,
                                 stdin=subprocess.DEVNULL, cwd=scratch) as process, \
                selectors.DefaultSelector() as ready:
            ready.register(process.stdout, selectors.EVENT_READ)
            rest = b""
            try:
                while status is None and ready.select(limit):
                    part = os.read(process.stdout.fileno(), 1 << 16)
                    *whole, rest = (rest + part).split(b"\n")
                    rows += map(json.loads, whole)
                    longest, begun = max(longest, time.monotonic() - begun), time.monotonic()
                    if not part:
                        status = process.wait()
                    elif rows:
                        screen.progress(f"{what}: {rows[-1]['line']} of {len(asked)} launches")
            finally:
                process.kill()
            screen.clear()
            err.seek(0)
            return Run(rows, status, longest, err.read().strip().splitlines())


def key(row):
    return row["line"], row["variant"]


class Verdict:
    """What became of the lines, a variant at a time. reference: the step's rows by their key; none of
    a kernel of the student's own."""

    def __init__(self, run):
        self.run = run

    def variants(self):
        return list(dict.fromkeys(row["variant"] for row in self.run.rows if row["variant"]))

    def rows(self, variant):
        return [row for row in self.run.rows if row["variant"] == variant and
                row["verdict"] not in ("refused", "usage")]

    def line(self, variant, reference, on_gpu):
        """(whether it is right, one line)"""
        rows = self.rows(variant)
        right = [row for row in rows if self.is_right(row, reference)]
        found = [row for row in rows if self.found(row, reference)]
        text = f"{len(right)} of {len(rows)} launches are right"
        if not on_gpu:
            text += ", " + (f"--check finds mistakes in {len(found)}" if found else
                            "--check finds nothing")
        good = len(right) == len(rows) and not found and bool(rows)
        return good, ("verified: " if good else "WRONG: ") + text

    @staticmethod
    def is_right(row, reference):
        """A variant that is wrong on purpose may be so."""
        return row["verdict"] in ("ok", reference.get(key(row), {}).get("verdict", "unsynchronised"))

    @staticmethod
    def found(row, reference):
        if not reference and row["verdict"] == "unsynchronised":
            return False
        return (row.get("findings") or 0) > (reference.get(key(row), {}).get("findings") or 0)

    def first_bad(self, reference):
        """The first row that is wrong and has a finding; else with a finding; else that is wrong."""
        rows = [row for row in self.run.rows if row["verdict"] not in ("refused", "usage")]
        found = [row for row in rows if self.found(row, reference)]
        wrong = [row for row in rows if not self.is_right(row, reference)]
        both = [row for row in found if row in wrong]
        return next(iter(both + found + wrong), None)


def said_by(program, words, limit):
    """The lines that one launch says, as a reader would see them."""
    try:
        done = subprocess.run([program, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              stdin=subprocess.DEVNULL, encoding="utf-8", errors="replace",
                              check=False, timeout=limit)
    except subprocess.TimeoutExpired:
        return ["(it did not end)"]
    said = done.stdout.splitlines()
    return said[:SHOWN] + (["..."] if len(said) > SHOWN else [])


class Judge:
    """Of one program on one device, beside a step. named: what the lines call it."""

    def __init__(self, screen, program, step, named):
        self.screen, self.named = screen, named
        self.program, self.step = os.path.abspath(program), os.path.abspath(step)
        self.told, self.step_told = describe(program), describe(step)
        self.on_gpu = self.told["backend"] == "cuda"
        self.own = self.told["step"] != self.step_told["step"]

    def fitted(self, purpose, more):
        """The lines of a purpose, as the program's variants take them."""
        return fitted(self.told if self.own else self.step_told, purpose, more)

    def shown(self, words):
        return " ".join([os.path.relpath(self.program), *words])

    def lines(self):
        check = [] if self.on_gpu else ["--check"]
        return self.fitted("mutated", ONCE) + self.fitted("checked", [*ONCE, *check])

    def verdict(self):
        """Prints what became of the launches; whether all is well."""
        asked = self.lines()
        reference, limit = {}, 3 * PATIENCE
        if not self.own:
            before = work_off(self.step, asked, 600, self.screen, "the step")
            if before.status == 3 and not any(row["variant"] for row in before.rows):
                words = [row["message"] for row in before.rows if row.get("message")] + before.said
                raise Stop(words[0] if words else f"{self.step}: no usable device", 3)
            reference = {key(row): row for row in before.rows}
            limit = PATIENCE * (1 + before.longest)
        run = work_off(self.program, asked, limit, self.screen, self.named)
        verdict, good = Verdict(run), True
        width = max(map(len, verdict.variants()), default=0)
        for variant in verdict.variants():
            right, text = verdict.line(variant, reference, self.on_gpu)
            good = good and right
            self.screen.line(f"{variant:<{width}}  {text}")
        if run.status not in (0, 1):
            good = False
            self._ended_early(run, asked, limit)
        elif not good:
            self._show(verdict.first_bad(reference), asked, limit)
        return good and bool(run.rows)

    def _ended_early(self, run, asked, limit):
        """A line that ended the program, or that it did not end."""
        at = min(run.rows[-1]["line"] if run.rows else 0, len(asked) - 1)
        how = f"did not end within {limit:.0f} s: a loop or a wait without an end" \
            if run.status is None else f"ended by signal {-run.status}: an address far out of range, say" \
            if run.status < 0 else f"ended with status {run.status}"
        self.screen.line(f"WRONG: the program {how}; the launches after that were not tried")
        for line in run.said[-3:]:
            self.screen.line(f"    {line}")
        if run.status is not None:
            self._say(lines.without(asked[at], "check"), limit)

    def _show(self, row, asked, limit):
        """One launch that is wrong, as a reader can run it."""
        if not row:
            return
        words = lines.without(asked[row["line"] - 1], "check", "variant")
        self._say([*words, "-v", row["variant"]], limit)

    def _say(self, words, limit):
        """What one launch says under --check, and the command."""
        words = [*words, "-q", *([] if self.on_gpu else ["--check"])]
        self.screen.line(f"\n    $ {self.shown(words)}")
        for line in said_by(self.program, words, limit):
            self.screen.line(f"    {line}")

    def pairs(self, mine, theirs):
        """(variant, the step's beside it): that of the same name, else its first."""
        return [(name, name if name in theirs else next(iter(theirs))) for name in mine]

    def counters(self):
        """Prints the counters of both; on the CPU device."""
        told, theirs_told = self.fitted("record", [])[0], fitted(self.step_told, "record", [])[0]
        with tempfile.TemporaryDirectory() as scratch:
            self.screen.progress("counting")
            theirs = counters.measure(self.step, theirs_told, os.path.join(scratch, "step.csv"), 600)
            mine = counters.measure(self.program, told, os.path.join(scratch, "yours.csv"), 300)
        self.screen.line(f"\nCounters, yours and those of {self.step_told['step']}, with "
                         f"{' '.join(told) or 'the defaults'}:")
        if not mine or not theirs:
            self.screen.line("    none: that run did not end well")
            return
        costs = []
        for name, other in self.pairs(mine, theirs):
            title = name if name == other else f"{name}, beside {other}"
            costs += [f"{title}: {text}" for text in counters.costs(mine[name], theirs[other])]
            if mine[name] == theirs[other]:
                self.screen.line(f"  {title}: all the same")
                continue
            self.screen.line(f"  {title}")
            for line in counters.beside(mine[name], theirs[other]):
                self.screen.line(line)
        for line in costs:
            self.screen.line(line)

    def times(self):
        """Prints the times of both; on a GPU."""
        told, theirs_told = self.fitted("ladder", [])[:1], fitted(self.step_told, "ladder", [])[:1]
        mine, theirs = (
            {row["variant"]: row for row in
             work_off(program, asked, 300, self.screen, "timing").rows if row.get("median_us")}
            for program, asked in ((self.program, told), (self.step, theirs_told)))
        if not mine or not theirs:
            return
        self.screen.line(f"\nMedian times, with {' '.join(told[0])}:")
        self.screen.line(f"    {'variant':<24} {'yours, us':>12}  {'the step' + chr(39) + 's, us':>14}"
                         "  times as fast")
        for name, other in self.pairs(mine, theirs):
            one, two = mine[name]["median_us"], theirs[other]["median_us"]
            title = name if name == other else f"{name}, {other}"
            self.screen.line(f"    {title:<24} {one:>12.4g}  {two:>14.4g}  {two / one:.2f}")
