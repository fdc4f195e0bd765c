"""
Run logs, read: what the ladder table, the charts and the pages have in common.

A directory of a run holds log.csv (and other logs with the same header row), perhaps a counters
CSV, and steps.txt, the steps in teaching order with their families. Standard library only.
"""
import csv
import glob
import os
import re

LOG_MARK = "median_us"  # a column that only run logs have
COUNTERS_MARK = "global_load_requests"
PEERS = ("cub", "cub-exclusive", "cublas", "memcpy", "cooperative-groups", "copy", "copy-tile")


def is_peer(variant):
    """Whether a row's variant is a library's and not the step's own."""
    return variant in PEERS or re.match(r"(cub|cublas|memcpy)\b", variant) is not None


def _read(path, mark):
    with open(path, newline="", encoding="utf-8") as file:
        lines = [line for line in file if not line.startswith("#")]
    rows = list(csv.DictReader(lines))
    if not lines or mark not in lines[0].strip().split(","):
        return []
    # A row that was cut short (a full disk, an interrupted copy) lacks its last columns.
    return [row for row in rows if None not in row.values()]


def _files(path):
    return sorted(glob.glob(os.path.join(path, "*.csv"))) if os.path.isdir(path) else [path]


def number(text):
    """A column's value, or None where the log left it empty."""
    try:
        return float(text)
    except (TypeError, ValueError):
        return None


def read(path):
    """The measurements of a log, or of all logs in a directory, in the order they were made."""
    rows = []
    for name in _files(path):
        for row in _read(name, LOG_MARK):
            for key in ("n", "rows", "cols", "blocks", "threads", "runs", "median_us", "bytes",
                        "flops", "gb_per_s", "copy_gb_per_s"):
                row[key] = number(row.get(key))
            if row["median_us"] and row["n"] is not None:
                rows.append(row)
    return rows


def read_counters(path):
    """The rows of the counters CSVs in a directory (or of one file)."""
    return [row for name in _files(path) for row in _read(name, COUNTERS_MARK)]


def steps(path, rows=()):
    """[(step, family)] in teaching order: steps.txt beside the log, else the log's own order."""
    directory = path if os.path.isdir(path) else os.path.dirname(path) or "."
    known = []
    try:
        with open(os.path.join(directory, "steps.txt"), encoding="utf-8") as file:
            known = [tuple(line.split()[:2]) for line in file if len(line.split()) >= 2]
    except OSError:
        pass
    names = {name for name, _ in known}
    for row in rows:
        if row["step"] not in names:
            names.add(row["step"])
            family = re.sub(r"(\d+|-[^-]+)$", "", row["step"])
            known.append((row["step"], family))
    return [(name, "barrier" if family == "block-sync" else family) for name, family in known]


def families(known):
    """The families in teaching order."""
    return list(dict.fromkeys(family for _, family in known))


def is_gpu(rows):
    """Whether the rows were measured on a GPU: its times never share a chart with the others."""
    return any(row["backend"] == "cuda" for row in rows)


def of_family(rows, known, family):
    """The warm rows of one family, of one type: floats where there are any."""
    names = {name for name, of in known if of == family}
    rows = [row for row in rows if row["step"] in names]
    rows = [row for row in rows if row["cache"] != "cold"] or rows
    return [row for row in rows if row["type"] == "f32"] or rows


def main_size(rows):
    """
    The size to compare at: measured for the most step variants; among equals, the one with the
    most runs a measurement (the sweep has few), then the largest.
    """
    seen = {}
    for row in rows:
        keys, runs = seen.setdefault(row["n"], (set(), []))
        keys.add((row["step"], row["variant"]))
        runs.append(row["runs"] or 0)
    return max(seen, key=lambda n: (len(seen[n][0]), max(seen[n][1]), n))


def measured(rows, known, size=None):
    """
    One row for each step and variant at the given size (None: main_size), in teaching order and
    within a step in the log's. A variant that has no row at this size gives its nearest. Of
    several rows the one with the most runs counts, then the largest grid, then the later.
    """
    if not rows:
        return []
    size = main_size(rows) if size is None else size
    place = {name: at for at, (name, _) in enumerate(known)}
    chosen = {}
    for row in rows:
        key = (row["step"], row["variant"])
        rank = (-abs(row["n"] - size), row["runs"] or 0, row["blocks"] or 0)
        if key not in chosen or rank >= chosen[key][0]:
            chosen[key] = (rank, row)
    order = sorted(chosen, key=lambda key: (place[key[0]], is_peer(key[1])))
    return [chosen[key][1] for key in order]


def cost(row, family):
    """Microseconds to compare by: of one run, or of one barrier for the loops of barriers."""
    if family == "barrier" and row["n"]:
        return row["median_us"] / row["n"]
    return row["median_us"]


def ladder(rows, known, family, size=None):
    """
    The ladder of a family: a list of (row, step_speedup, cumulative_speedup, is_best).

    The step before counts with its fastest verified variant, and so does the first step for the
    cumulative figure. Speed-ups compare times for the same n; they are None for the first step's
    own (step), for peers (step), for unverified rows, and where the sizes differ.
    """
    table = measured(of_family(rows, known, family), known, size)
    best = {}
    for row in table:
        if row["status"] == "ok" and not is_peer(row["variant"]):
            step = row["step"]
            if step not in best or cost(row, family) < cost(best[step], family):
                best[step] = row
    ranked = [name for name, _ in known if name in best]
    result = []
    for row in table:
        step, speedup, total = row["step"], None, None
        if row["status"] == "ok" and ranked:
            before = [name for name in ranked if _before(known, name, step)]
            if before and not is_peer(row["variant"]) and best[before[-1]]["n"] == row["n"]:
                speedup = cost(best[before[-1]], family) / cost(row, family)
            if best[ranked[0]]["n"] == row["n"]:
                total = cost(best[ranked[0]], family) / cost(row, family)
        result.append((row, speedup, total, best.get(step) is row))
    return result


def _before(known, first, second):
    names = [name for name, _ in known]
    return names.index(first) < names.index(second)


def size_text(n):
    """2^20 for a power of two from 1024 up, else the number."""
    n = int(n)
    if n >= 1024 and n & (n - 1) == 0:
        return f"2^{n.bit_length() - 1}"
    return str(n)


def shape_text(row):
    """The problem's size as a person would say it: 2^20, or 1000 x 3000 for a matrix."""
    if row["rows"] and row["cols"]:
        return f"{int(row['rows'])} x {int(row['cols'])}"
    return size_text(row["n"])


def figures(value, digits=3):
    """A number with about this many significant digits and no exponent."""
    if value is None:
        return ""
    if value >= 10 ** (digits - 1):
        return f"{value:.0f}"
    for places in range(1, digits + 3):
        if value >= 10 ** (digits - 1 - places):
            return f"{value:.{places}f}"
    return f"{value:.{digits + 2}f}"


def peers_once(rows, known):
    """
    The rows without those of a peer that stand beside another step too: each library counts once,
    as measured beside the last step of the family that it was measured with.
    """
    place = {name: at for at, (name, _) in enumerate(known)}
    family = dict(known)
    last = {}
    for row in rows:
        if is_peer(row["variant"]):
            key = (family.get(row["step"]), row["variant"])
            last[key] = max(last.get(key, -1), place.get(row["step"], -1))
    return [row for row in rows if not is_peer(row["variant"]) or
            place.get(row["step"], -1) == last[family.get(row["step"]), row["variant"]]]
