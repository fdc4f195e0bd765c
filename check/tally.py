"""
Counts cases in the output of tests. A case is a line "ok ..." or "not ok ..."; the lines up to the next
belong to it. Cases that were skipped count as neither passed nor failed.
"""
import json
import re

CASE = re.compile(r"^\s*(not )?ok\b(?: - )?")
SKIP = re.compile(r"#\s*skip\s*", re.IGNORECASE)
LAST = 60  # lines of standard error that are shown beside what failed


class Count:
    """What became of a test's cases, or of several tests'. shown: what a person must see of them."""

    def __init__(self, passed=0, failed=0, skipped=0, shown=()):
        self.passed, self.failed, self.skipped, self.shown = passed, failed, skipped, list(shown)

    def __add__(self, other):
        return Count(self.passed + other.passed, self.failed + other.failed,
                     self.skipped + other.skipped, self.shown + other.shown)

    def __str__(self):
        return f"{self.passed} passed, {self.failed} failed" + \
            (f", {self.skipped} skipped" if self.skipped else "")


def of_text(text):
    """The cases in what a test printed; shown: those that failed in full, and the names of those skipped."""
    count, keep = Count(), False
    for line in text.splitlines():
        match = CASE.match(line)
        if match:
            skip = SKIP.search(line)
            keep = bool(match[1]) and not skip
            count.skipped += bool(skip)
            count.failed += keep
            count.passed += not keep and not skip
            if skip:
                count.shown.append("skipped: " + SKIP.sub("", line[match.end():]))
        if keep:
            count.shown.append(line)
    return count


def of_test(name, text, good, extra=""):
    """The same of a test by its name; good: that it ended well. One that died, or that had no case at all, is a
    failed case more, if none of its cases says why. extra: its standard error."""
    count = of_text(text)
    none = not count.passed + count.failed + count.skipped
    if not count.failed and (none or not good):
        count.failed = 1
        count.shown += [f"not ok - {name} " + ("has no case" if none and good else "runs to its end"),
                        *text.splitlines()[-30:]]
    if count.failed:
        count.shown += extra.splitlines()[-LAST:]
    if count.shown:
        count.shown = [f"{name}:", *("    " + line for line in count.shown)]
    return count


def of_log(path):
    """The Count of each test, of the JSON lines that `meson test` leaves."""
    with open(path, encoding="utf-8") as file:
        for test in map(json.loads, filter(str.strip, file)):
            good = test["result"] in ("OK", "SKIP")  # SKIP: so Meson calls it where all cases are skipped
            name = test["name"].split(" / ")[-1].split(":")[-1]
            yield of_test(name, test.get("stdout") or "", good, test.get("stderr") or "")
