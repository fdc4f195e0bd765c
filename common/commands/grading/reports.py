"""What --grade leaves: a table of all marks, and for each student a report and Gradescope's results.json."""
import csv
import os
import re
import tempfile

from common.commands.grading import marks

HEAD = ["student", "step", "score", *(each.name for each in marks.PROPERTIES), "launches", "right_launches", "first"]


def of_result(result):
    """{property: marks}"""
    return marks.marks(result["shares"], result["judged"])


def score(result):
    return round(sum(of_result(result).values()), 1)


def replace(path, text):
    """A file that is whole at any moment."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    handle, name = tempfile.mkstemp(dir=os.path.dirname(path))
    with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
        file.write(text)
    os.chmod(name, 0o644)
    os.replace(name, path)


class Lines(list):
    """What csv writes to."""

    write = list.append


def table(head, rows):
    lines = Lines()
    csv.writer(lines, lineterminator="\n").writerows([head, *map(plain, rows)])
    return "".join(lines)


def plain(row):
    """Cells that no spreadsheet takes for a formula: a student chooses the names, and what a compiler quotes."""
    return ["'" + cell if re.match(r"[=+@\t\r-]", str(cell)) and isinstance(cell, str) else cell for cell in row]


def row(student, result):
    own = of_result(result)
    return [student, result["step"], score(result), *(own.get(each.name, "") for each in marks.PROPERTIES),
            result["details"].get("launches", ""), result["details"].get("right", ""), result["first"]]


def gradescope(results):
    """The object of https://gradescope-autograders.readthedocs.io/en/latest/specs/"""
    tests = []
    for result in results:
        own, most = of_result(result), marks.weights(result["judged"])
        for each in marks.PROPERTIES:
            if each.name in own:
                passed = own[each.name] >= round(most[each.name], 1)
                tests.append({"name": f"{result['step']}: {each.title}", "score": own[each.name],
                              "max_score": round(most[each.name], 1), "status": "passed" if passed else "failed",
                              "output": "" if passed else result["first"], "output_format": "text",
                              "visibility": "visible"})
    return {"output": "\n".join(f"{result['step']}: {score(result)} of 100. {result['first']}" for result in results),
            "output_format": "text", "stdout_visibility": "hidden", "tests": tests}


def report(student, results, how):
    """In words, as Markdown."""
    lines = [f"# {student}", "", how, ""]
    for result in results:
        own, most = of_result(result), marks.weights(result["judged"])
        lines += [f"## {result['step']}: {score(result)} of 100", "", "| property | marks | of |", "|---|---:|---:|"]
        lines += [f"| {each.title} | {own[each.name]} | {round(most[each.name], 1)} |" for each in marks.PROPERTIES
                  if each.name in own]
        if "launches" in result["details"]:
            told = result["details"]
            lines += ["", f"{told['right']} of {told['launches']} launches are right; --check finds mistakes in "
                          f"{told['with findings']}."]
        if result["first"]:
            lines += ["", f"First: {result['first']}"]
        if result["lines"]:
            lines += ["", *("    " + line for line in result["lines"])]
        lines.append("")
    return "\n".join(lines)
