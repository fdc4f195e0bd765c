"""
Tables whose figures come from the logs of the trial programs, and whose other cells are the page's.

A table in a block "<!-- begin: trials LOG: TITLE | TITLE... -->" names in its column "row" a row of
that log; "#" in LOG stands for the number in its column "round". A column that begins with "us" is
the row's median under the next TITLE, and the columns "x LIBRARY" and "x copy" after it how many
times as fast as those it was; they are empty where the row was not measured so.
"""
import os
import re

SOURCE = re.compile(r"(\S+): (.+)")
ROW = re.compile(r"(.+?)\s+(\d+\.\d{3})\s+\d+\.\d{3}\s+\d+\.\d((?:\s+\d+\.\d{3})*)(?:\s+\(floor\))?$")


class TrialError(Exception):
    """A table that names what no log has."""


def section(path, title):
    """Each row's median and its two ratios, to the library and to the copy, as they are printed."""
    rows, inside, copied = {}, False, False
    try:
        with open(path, encoding="utf-8") as file:
            lines = file.read().split("\n")
    except OSError as error:
        raise TrialError(f"{path}: {error.strerror}") from error
    for line in lines:
        if line.startswith("== "):
            inside = line[3:].startswith((title + " (", title + ","))
        elif inside and line.startswith("variant "):
            copied = line.rstrip().endswith("copy D2D")
        elif inside and ROW.match(line.rstrip()):
            name, median, ratios = ROW.match(line.rstrip()).groups()
            ratios = ratios.split()
            rows[name.strip()] = (median, ratios[0], ratios[-1] if copied else "")
    return rows


def filled(line, header, logs, titles):
    cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
    if len(cells) != len(header):
        raise TrialError(f"a row of {len(cells)} cells under a header of {len(header)}: {line}")
    name, left, found = cells[header.index("row")].strip("`"), list(titles), ("", "", "")
    path = logs.replace("#", cells[header.index("round")] if "round" in header else "")
    seen = False
    for at, column in enumerate(header):
        if column.startswith("us"):
            found = section(path, left.pop(0)).get(name, ("", "", ""))
            seen = seen or found[0]
            cells[at] = found[0]
        elif column.startswith("x "):
            cells[at] = found[2 if column == "x copy" else 1]
    if not seen:
        raise TrialError(f"{os.path.basename(path)}: no row '{name}' in {', '.join(titles)}")
    return "| " + " | ".join(cells) + " |"


def table(source, text, directory):
    """The table with the figures that the logs in this directory have. source: "LOG: TITLE | TITLE..."."""
    found = SOURCE.fullmatch(source)
    if not found:
        raise TrialError(f"trials {source}: LOG: TITLE is needed")
    lines = text.splitlines()
    if len(lines) < 3 or not all(line.startswith("|") for line in lines):
        raise TrialError(f"trials {source}: a table is needed, and nothing else, up to the end of the block")
    header = [cell.strip() for cell in lines[0].strip("|").split("|")]
    rows = [filled(line, header, os.path.join(directory, found[1]), found[2].split(" | ")) for line in lines[2:]]
    return "\n".join([*lines[:2], *rows])
