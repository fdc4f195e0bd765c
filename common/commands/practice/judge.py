"""Judges a program of the shelf beside a step: what became of its launches, and what the first that is wrong says."""
import concurrent.futures
import os
import time

from common.commands.practice import batch, counters, explain, findings, hints, launches
from common.commands.practice.words import say
from common.commands.runner import lines, series
from common.commands.runner.screen import Stop

NO_RESULT = ("refused", "usage")
SHOWN = 40  # lines of what a launch says


class Judge:
    """Of one program on one device, beside a step. source: the student's file, without its folders; variants: those
    to judge, none: all; enough: seconds after which no more launches are tried, once one was wrong."""

    def __init__(self, program, step, source, variants=(), enough=batch.ENOUGH):
        self.source, self.enough = source, enough
        self.program, self.step = os.path.abspath(program), os.path.abspath(step)
        self.told, self.step_told = batch.describe(program), batch.describe(step)
        self.on_gpu = self.told["backend"] == "cuda"
        known = {each["name"]: each for each in self.told["variants"]}
        self.variants = [name for name in known if name in variants] or list(known)
        self.on_purpose = {name for name in known if "wrong_on_purpose" in known[name]["flags"]}
        self.check = [] if self.on_gpu else ["--check"]

    # --- one row of --batch

    def is_right(self, row):
        """A variant that is wrong on purpose may be so."""
        return row["verdict"] in (["ok", "unsynchronised"] if row["variant"] in self.on_purpose else ["ok"])

    def is_found(self, row):
        return (row.get("findings") or 0) > 0 and row["variant"] not in self.on_purpose

    def is_bad(self, row):
        return row["verdict"] not in NO_RESULT and (not self.is_right(row) or self.is_found(row))

    # --- all launches

    def result(self):
        """What became of them, as docs/practice.md describes "devices"."""
        asked = launches.of(self.told, self.variants, self.check)
        began, bad = time.monotonic(), []

        def enough(row):
            """Not where the row is the last anyway: it is of no variant, and the program's status says why."""
            bad.extend([row] if self.is_bad(row) else [])
            return row["variant"] and bad and time.monotonic() - began > self.enough

        run = batch.work_off(self.program, [words for _, words in asked], enough,
                             batch.LONGEST if self.on_gpu else batch.PATIENCE,
                             lambda words: batch.seconds_of(self.step, lines.without(words, "variant")))
        result = {"device": "cuda" if self.on_gpu else "cpu",
                  "variants": [self.of_variant(name, run.rows) for name in self.variants],
                  "tried": len(run.rows), "launches": len(asked), "mistake": None, "launch": None, "pattern": None}
        first = self.first(bad)
        if run.status not in (0, 1):  # the line that ended it is the last one, if it had a row, else the one behind
            at = run.rows[-1]["line"] - 1 if run.rows and run.rows[-1]["variant"] is None else len(run.rows)
            self.need_device(asked[0][1], run)
            self.show(result, asked[min(at, len(asked) - 1)], None, run)
        elif first:
            self.show(result, asked[first["line"] - 1], first, run)
            result["pattern"] = hints.split([(asked[row["line"] - 1][1], row, self.is_bad(row)) for row in run.rows
                                             if row["variant"] == first["variant"] and row["verdict"] not in NO_RESULT])
        elif not any(each["launches"] for each in result["variants"]):
            result["mistake"] = {"kind": "launch", "lines": [], "text": say("the program refuses all launches"),
                                 "advice": ""}
        return result

    def need_device(self, words, run):
        """Raises Stop where the step cannot be launched either."""
        if self.on_gpu and not any(row["variant"] for row in run.rows):
            rows = batch.work_off(self.step, [lines.without(words, "variant")], lambda row: True, batch.LONGEST).rows
            if rows and rows[0]["verdict"] == "device":
                raise Stop(rows[0]["message"], 3)

    def of_variant(self, name, rows):
        rows = [row for row in rows if row["variant"] == name and row["verdict"] not in NO_RESULT]
        return {"variant": name, "launches": len(rows), "right": sum(map(self.is_right, rows)),
                "found": sum(map(self.is_found, rows))}

    def first(self, bad):
        """The first launch that is wrong; one with a finding, if most have one: it says why."""
        found = [row for row in bad if self.is_found(row)]
        if bad and not self.is_found(bad[0]) and 2 * len(found) > len(bad):
            return found[0]
        return bad[0] if bad else None

    # --- the launch that is shown

    def show(self, result, asked, row, run):
        """Fills in "launch" and "mistake"."""
        variant, words = asked
        words = [*lines.without(words, "check", "variant"), "-v", variant]
        endless = run.status is None
        said = run.said if endless else batch.said_by(self.program, [*words, "-q", *self.check])
        if endless:
            said = said[max((at for at, line in enumerate(said) if findings.ENDLESS.match(line)), default=0):]
        found = findings.read(said)
        launch = result["launch"] = {
            "options": [*words, "-q", *self.check], "variant": variant, "findings": found, "said": said[:SHOWN],
            "message": None, "ones": None, "added": None, "accesses": []}
        if row:
            launch["message"] = explain.note(row["message"])
        if found:
            result["mistake"] = self.of_finding(found[0])
        elif row and row["verdict"] != "device":
            result["mistake"] = self.of_result(launch, words)
        else:
            text = say("no result within {seconds} s", seconds=batch.PATIENCE) if endless else \
                say("signal {number}", number=-run.status) if run.status < 0 else \
                said[-1] if said else say("status {number}", number=run.status)
            kind, advice = ("endless", "") if endless else findings.without(run.status, text)
            result["mistake"] = {"kind": kind, "lines": [], "text": text, "advice": advice}

    def of_finding(self, finding):
        at = findings.lines_of(finding, self.source)
        return {"kind": finding["kind"], "lines": at, "text": finding["text"],
                "advice": findings.advice(finding, at)}

    def of_result(self, launch, words):
        """Of a wrong result without a finding: where the accesses are others than the step's."""
        row = explain.ones(self.program, self.told, words)
        launch["ones"], launch["added"] = (explain.counted(row), explain.added(row)) if row else (None, None)
        at = []
        if not self.on_gpu:
            launch["accesses"] = explain.accesses(self.program, self.step, words, self.source)
            at = explain.suspects(launch["accesses"])
        return {"kind": "result", "lines": at, "text": launch["message"], "advice": launch["ones"] or ""}

    # --- beside the step

    def pairs(self, mine, theirs):
        """(variant, the step's beside it): that of the same name, else its first."""
        return [(name, name if name in theirs else next(iter(theirs))) for name in mine]

    def beside(self, purpose, measure, at_once=1):
        """[{variant, beside, yours, step}]: what measure(program, words) finds of both, at_once at the same time; and
        the options."""
        mine, theirs = fitted(self.told, purpose), fitted(self.step_told, purpose)
        with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
            one, two = pool.map(measure, (self.program, self.step), ([*mine, *self.chosen()], theirs))
        return [{"variant": name, "beside": other, "yours": one[name], "step": two[other]}
                for name, other in self.pairs(one, two)] if one and two else [], mine

    def chosen(self):
        return [word for name in self.variants for word in ("-v", name)]

    def counters(self):
        return self.beside("record", lambda program, words: counters.measure(program, words, 600), 2)

    def accesses(self):
        """Of a right kernel, beside the step, in the first launch of each variant: as explain.accesses() has it."""
        first = {}
        for variant, words in launches.of(self.told, self.variants, []):
            first.setdefault(variant, [*lines.without(words, "variant"), "-v", variant])
        return [each for words in first.values()
                for each in explain.accesses(self.program, self.step, words, self.source)]

    def times(self):
        return self.beside("ladder", lambda program, words: {
            row["variant"]: row["median_us"] for row in batch.work_off(program, [words], lambda row: False, 60).rows
            if row.get("median_us")})


def fitted(description, purpose):
    """The first line of a purpose, as the variants take it, without their names."""
    for line in series.launches(description, purpose):
        for part in series.fitted(description, line):
            return lines.without(part, "variant")
    return []
