"""
The files of a run, read.

A directory of a run holds log.csv (and other logs), perhaps counters CSVs and traces, and
describe.json: what each step's --describe prints, as an array in teaching order. Columns are found
by name, so that a log with fewer or more of them is read as well.
"""
import csv
import glob
import io
import json
import os
import sys

from plots.family import ROLES, Family, number

NEEDED = ("step", "variant", "n", "median_us")  # a CSV without the last is no run log
WORDS = ("utc", "commit", "backend", "device", "driver", "cuda", "step", "variant", "role", "input",
         "type", "cache", "status")
RESULTS = ("value", "reference", "error", "bound")  # kept as texts: they may truly be nan
TEXTS = {*WORDS, *RESULTS}
EMPTY = {**dict.fromkeys(WORDS, ""), **dict.fromkeys(
    ("blocks", "threads", "runs", "flops", "gb_per_s", "gflop_per_s", "copy_gb_per_s"))}  # what each row has
COUNTERS_MARK = "global_load_requests"
COUNTERS_WORDS = ("step", "variant", "options", "kernel", "grid", "block")
MOST = 1e18  # no measurement has a larger number


class LogError(Exception):
    """A file that cannot be used. The text is one line that names it and says why."""


def _text(path):
    try:
        with open(path, "rb") as file:
            return file.read().decode("utf-8")
    except OSError as error:
        raise LogError(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise LogError(f"{path}: not UTF-8 text at byte {error.start}") from error


def table(path):
    """The header of a CSV and [(line, {column: text})], without the rows that were cut short."""
    # A comment becomes an empty line, so that the lines' numbers stay.
    lines = ["\n" if line.startswith("#") else line
             for line in io.StringIO(_text(path), newline="")]
    reader, header, rows = csv.reader(lines), [], []
    try:
        for cells in reader:
            if not header:
                header = cells
            elif len(cells) == len(header):
                rows.append((reader.line_num, dict(zip(header, cells))))
            elif cells:
                # A full disk or an interrupted copy left it; the other rows are whole.
                print(f"{path}: line {reader.line_num} was cut short and is left out",
                      file=sys.stderr)
    except csv.Error as error:
        raise LogError(f"{path}: line {reader.line_num}: {error}") from error
    return header, rows


def measured_number(path, line, column, text):
    value = number(text)
    if value is not None and not abs(value) <= MOST:
        raise LogError(f"{path}: line {line}: {column} is {text[:40]}, which nothing measures")
    return value


def _row(path, line, cells):
    row = {**EMPTY, **dict.fromkeys(cells)}
    row["texts"] = cells
    row["found"] = f"{path}: line {line}"
    for name, text in cells.items():
        if name in TEXTS:
            row[name] = text
        elif text:
            row[name] = measured_number(path, line, name, text)
    return row


def _tables(path):
    """[(name, header, lines)] of a log or of all CSVs in a directory."""
    names = sorted(glob.glob(os.path.join(glob.escape(path), "*.csv"))) \
        if os.path.isdir(path) else [path]
    return [(name, *table(name)) for name in names]


def _measurements(path, tables):
    rows = []
    for name, header, lines in tables:
        lacks = [column for column in NEEDED if column not in header]
        if lacks and name == path:
            raise LogError(f"{path}: no run log: it has no column {lacks[-1]}")
        if not lacks:
            made = [_row(name, line, cells) for line, cells in lines]
            rows += [row for row in made if row["median_us"] and row["n"] is not None]
    return rows


def _counters(tables):
    rows = []
    for name, header, lines in tables:
        if COUNTERS_MARK not in header or "step" not in header:
            continue
        for line, cells in lines:
            for column, text in cells.items():
                if text not in ("", "0") and column not in COUNTERS_WORDS:
                    measured_number(name, line, column, text)
            rows.append(cells)
    return rows


def read(path):
    """The measurements of a log, or of all logs in a directory, in the order they were made."""
    return _measurements(path, _tables(path))


def read_counters(path):
    """The rows of the counters CSVs in a directory (or of one file), as texts."""
    return _counters(_tables(path))


def _counters_beside(path):
    """The counters of one log: LOG-counters.csv, or those of the directory of a run."""
    for name in (os.path.splitext(path)[0] + "-counters.csv",
                 os.path.join(os.path.dirname(path), "counters.csv")):
        if os.path.exists(name):
            return read_counters(name)
    return []


def _described(path, step):
    """A step of describe.json with what a reader may rely on, or LogError."""
    def need(good, what):
        if not good:
            raise LogError(f"{path}: {what} is missing or not as --describe prints it")

    need(isinstance(step, dict), "a step")
    for name in ("step", "family", "title", "measure"):
        need(isinstance(step.get(name), str), f"'{name}' of a step")
    axes, charts = step.get("axes"), step.get("charts")
    need(isinstance(axes, list) and axes and all(
        isinstance(axis, dict) and isinstance(axis.get("name"), str) for axis in axes),
         f"'axes' of {step['step']}")
    need(isinstance(charts, list), f"'charts' of {step['step']}")
    for name in ("inputs", "parameters"):
        need(isinstance(step.setdefault(name, []), list), f"'{name}' of {step['step']}")
    need(isinstance(step.setdefault("types", []), list), f"'types' of {step['step']}")
    need(isinstance(step.setdefault("item", None), (str, type(None))), f"'item' of {step['step']}")
    variants = step.setdefault("variants", [])
    need(isinstance(variants, list), f"'variants' of {step['step']}")
    for variant in variants:
        need(isinstance(variant, dict) and isinstance(variant.get("name"), str)
             and variant.get("role") in ROLES, f"a variant of {step['step']}")
    try:
        Family(step)
    except ValueError as error:
        raise LogError(f"{path}: {step['step']}: {error}") from error
    return step


def steps(path):
    """What --describe told of each step, in teaching order, from describe.json beside a log."""
    directory = path if os.path.isdir(path) else os.path.dirname(path) or "."
    name = os.path.join(directory, "describe.json")
    if not os.path.exists(name):
        raise LogError(f"{directory}: no describe.json, which says what was measured there; "
                       f"STEP --describe >{name} makes one for one step")
    try:
        described = json.loads(_text(name))
    except (ValueError, RecursionError) as error:
        raise LogError(f"{name}: {error}") from error
    if isinstance(described, dict):
        described = [described]
    if not isinstance(described, list):
        raise LogError(f"{name}: not an array of what --describe prints")
    return [_described(name, step) for step in described]


def families(described):
    """The families of described steps, in teaching order."""
    found = {}
    for step in described:
        found.setdefault(step["family"], Family(step)).take(step)
    return list(found.values())


def role_of(described):
    """{(step, variant): role} of what describe.json knows."""
    return {(step["step"], variant["name"]): variant["role"]
            for step in described for variant in step["variants"]}


def _give_roles(rows, described):
    """Rows of an older log have no role; where describe.json does not tell it, do not guess."""
    known, names = role_of(described), {step["step"] for step in described}
    for row in rows:
        role = row["role"] or known.get((row["step"], row["variant"]), "")
        if row["step"] not in names:
            raise LogError(f"{row['found']}: describe.json says nothing of step {row['step']}")
        if not role:
            raise LogError(f"{row['found']}: {row['variant']} has no role; accepted: a column role, or a "
                           "describe.json beside the log that has the variant")
        if role not in ROLES:
            raise LogError(f"{row['found']}: role {role} is none of {', '.join(ROLES)}")
        row["role"] = role


def load(path):
    """
    (rows, counters, described) of a directory, or of one log and the describe.json beside it; all
    empty where nothing was measured or counted.
    """
    if not os.path.exists(path):
        raise LogError(f"{path}: no such file or directory")
    tables = _tables(path)
    rows = _measurements(path, tables)
    counters = _counters(tables) if os.path.isdir(path) else _counters_beside(path)
    if not rows and not counters:
        return [], [], []
    described = steps(path)
    _give_roles(rows, described)
    return rows, counters, described
