"""Of a result that is wrong although --check finds nothing: how many elements were added, and which lines access memory
more often or less often than the step."""
import csv
import math
import os
import re
import tempfile

from common.commands.practice import batch
from common.commands.practice.words import say
from common.commands.runner import lines

# Of accesses, in the order in which a difference says more: what is read comes before what is made of it.
KINDS = ["global load", "shared load", "shared atomic", "global atomic", "shared store", "global store", "barrier"]


def note(message):
    """Of a complaint only what is wrong."""
    found = re.search(r"wrong in \d+ of \d+ runs(?:; |: )?(.*)$", message or "")
    return found[1] if found else message or ""


def counted(row):
    """What the value of a run with --input ones says; None where it is no count."""
    value, reference, n = (row.get(key) for key in ("value", "reference", "n"))
    if not isinstance(reference, (int, float)) or not math.isfinite(reference) or reference <= 0:
        return None
    if not isinstance(value, (int, float)) or not math.isfinite(value):
        return say("With --input ones, what should be {right} was not written", right=f"{reference:.9g}")
    if value == reference:
        return None
    return say("With --input ones, {value} of {right} elements were added" if reference == n else
               "With --input ones, {value} of {right} products were added" if reference == row.get("depth") else
               "With --input ones, it is {value} instead of {right}", value=f"{value:.9g}", right=f"{reference:.9g}")


def ones(program, told, words):
    """The row of a program whose input is all 1, where it can be, if its result is wrong; else None."""
    if "ones" not in (told["inputs"] or []) or lines.value(words, "input"):
        return None
    rows = batch.work_off(program, [[*words, "--input", "ones"]], lambda row: False).rows
    return rows[0] if rows and rows[0]["verdict"] == "wrong" else None


def added(row):
    """How many elements or products such a row counts: "few" or "many"; "none" of a result that was not written; else
    None."""
    value, right = row.get("value"), row.get("reference")
    if not isinstance(value, (int, float)) or not math.isfinite(value):
        return "none"
    return None if right not in (row.get("n"), row.get("depth")) else "few" if value < right else "many"


def by_line(program, words, scratch):
    """The rows of a launch by source line: what, file, line, count (of threads; of warps at a barrier) and cost."""
    log = os.path.join(scratch, "log.csv")
    batch.said_by(program, [*words, "-q", "--counters=lines", "--log", log])
    path = os.path.join(scratch, "log-lines.csv")
    if not os.path.exists(path):
        return []
    with open(path, newline="", encoding="utf-8") as file:
        return [{"what": row["what"], "file": row["file"], "line": int(row["line"]), "cost": int(row["cost"]),
                 "count": int(row["requests" if row["what"] == "barrier" else "accesses"])}
                for row in csv.DictReader(file)]


def compared(what, yours, its, source):
    """One kind of access of both. others, costlier: the lines of yours that do so as often, or at such a cost, as no
    line of the step."""
    def lines_where(holds):
        return sorted({row["line"] for row in yours if row["file"] == source and holds(row)})

    return {"what": what, "yours": sum(row["count"] for row in yours), "step": sum(row["count"] for row in its),
            "lines": lines_where(lambda row: True),
            "others": lines_where(lambda row: row["count"] not in [each["count"] for each in its]),
            "costlier": lines_where(lambda row: row["cost"] not in [each["cost"] for each in its])}


def accesses(program, step, words, source):
    """How often each kind of access is done in a launch, in yours and in the step, as compared() has it."""
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
        mine, theirs = by_line(program, words, one), by_line(step, words, two)
    if not mine or not theirs:
        return []
    return [compared(what, *([row for row in rows if row["what"] == what] for rows in (mine, theirs)), source)
            for what in sorted({row["what"] for row in mine + theirs}, key=KINDS.index)]


def suspects(found):
    """Lines of yours that are unlike the step's: of the first kind of access of which there are more or fewer, else
    whose cost is another, because they go elsewhere; where there is none, all between global memory and the result."""
    found = [each for each in found if each["what"] != "barrier"]
    for each in found:
        if each["yours"] != each["step"]:
            return each["others"] or each["lines"]
    for each in found:
        if each["costlier"]:
            return each["costlier"]
    return sorted({line for each in found if each["what"].startswith("global") for line in each["lines"]})
