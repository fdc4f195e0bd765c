"""
Which row of a log stands for what: the size to compare at, a row for each variant, speed-ups.
"""
from plots.family import BESIDE, number


def backends(rows):
    """The backends of the rows: a GPU's times never share a table or a chart with the others."""
    return sorted({row["backend"] for row in rows}, key=lambda name: (name != "cuda", name))


def main_size(rows, family):
    """
    The size to compare at: measured for the most variants, loops on the host aside, which are given
    small ones; among equals, the one with the most runs per measurement (a sweep has few), then the
    largest.
    """
    seen = {}
    for row in [row for row in rows if row["role"] != "host"] or rows:
        keys, runs = seen.setdefault((family.size(row), row["n"]), (set(), []))
        keys.add((row["step"], row["variant"]))
        runs.append(row["runs"] or 0)
    return max(seen, key=lambda size: (len(seen[size][0]), max(seen[size][1]), size[1]))


def page_size(rows, family, wanted=2.0 ** 28):
    """
    How many elements a step's table on a page is for: the number nearest to the wanted one that was
    measured, cold as well if any was. None where a sweep walks the grid, or the main size is to be shown.
    """
    rows = [row for row in rows if family.plain(row)] or rows
    sizes = {row["n"] for row in rows if row["cache"] == "cold"} or {row["n"] for row in rows}
    return None if family.over_blocks or len(family.sides) > 2 or not sizes else \
        min(sizes, key=lambda n: (abs(n - wanted), n))


def ladder_size(rows, family):
    """The elements of a family's ladder: those of its steps' pages, if each step was measured there; else
    None, the main size. (A variant of small sizes shows its nearest there.)"""
    rows = [row for row in rows if row["step"] in family.steps]
    n = page_size(rows, family)
    warm = family.of(rows)

    def steps(of):
        return {row["step"] for row in of if row["role"] == "step"}

    return n if steps(row for row in warm if row["n"] == n) == steps(warm) else None


def cold_beside(row, rows, family):
    """The cold row of the same variant, problem and type, or None."""
    same = [other for other in rows if other["cache"] == "cold" and all(
        other[name] == row[name] for name in ("step", "variant", "type", "n", "input"))
        and family.size(other) == family.size(row)
        and family.parameters_of(other) == family.parameters_of(row)]
    return max(same, key=lambda other: other["runs"] or 0, default=None)


def ranked(rows, family):
    """Rows in teaching order, what a step is compared with last."""
    return sorted(rows, key=lambda row: (family.steps.index(row["step"]), row["role"] in BESIDE))


def measured(rows, family, n=None):
    """
    One row for each step and variant at n elements (None: main_size), in teaching order and within
    a step in the log's, with what it is compared with last. A variant that has no row at this
    size gives its nearest. Of several rows the one with the most runs counts, then the largest
    grid, then the later.
    """
    if not rows:
        return []
    size, main = main_size(rows, family)
    n = main if n is None else n
    fixed = {axis: value for axis, value in zip(family.axes, size)
             if n == main or axis not in family.sides}
    chosen = {}
    for row in rows:
        name = (row["step"], row["variant"])
        rank = (-abs(row["n"] - n), all(row.get(axis) == fixed[axis] for axis in fixed),
                row["runs"] or 0, row["blocks"] or 0)
        if name not in chosen or rank >= chosen[name][0]:
            chosen[name] = (rank, row)
    return ranked((row for _, row in chosen.values()), family)


def once(rows, family):
    """
    The family's rows without those of a peer or a ceiling that stand beside another step too: each
    counts once, as measured beside the last step that it was measured with.
    """
    rows = [row for row in rows if row["step"] in family.steps]
    last = {}
    for row in rows:
        if row["role"] in BESIDE:
            at = family.steps.index(row["step"])
            last[row["variant"]] = max(last.get(row["variant"], -1), at)
    return [row for row in rows if row["role"] not in BESIDE
            or family.steps.index(row["step"]) == last[row["variant"]]]


def ladder(rows, family, n=None):
    """
    The ladder of a family: a list of (row, step_speedup, cumulative_speedup, is_best).

    The step before counts with its fastest verified variant of role "step", and so does the first
    step for the cumulative figure. Speed-ups compare times at the same size. The first one is only
    there between steps, the second tells of peers too how far above the first step they are; both
    are None for unverified rows and where the sizes differ.
    """
    return rank(measured(family.of(rows), family, n), family, n)


def at_another_size(rows, n):
    """The ids of those rows of variants that have other than n elements, where their step has one of n:
    variants that take only few elements, say."""
    of_steps = [row for row in rows if row["role"] == "step"]
    has = {row["step"] for row in of_steps if row["n"] == n}
    return {id(row) for row in of_steps if row["n"] != n and row["step"] in has}


def rank(chosen, family, n=None):
    """The same of rows that are chosen already."""
    best = {}
    elsewhere = at_another_size(chosen, n)
    for row in chosen:
        step = row["step"]
        if row["status"] == "ok" and row["role"] == "step" and id(row) not in elsewhere and (
                step not in best or family.cost(row) < family.cost(best[step])):
            best[step] = row
    of_steps = [best[step] for step in family.steps if step in best]

    def times(base, row):
        return family.cost(base) / family.cost(row) if family.size(base) == family.size(row) \
            else None

    result = []
    for row in chosen:
        speedup = total = None
        if row["status"] == "ok" and of_steps:
            at = family.steps.index(row["step"])
            before = [base for base in of_steps if family.steps.index(base["step"]) < at]
            if before and row["role"] == "step":
                speedup = times(before[-1], row)
            total = times(of_steps[0], row)
        result.append((row, speedup, total, best.get(row["step"]) is row))
    return result


def lesson_ladder(lesson, rows, family):
    """The ladder of a lesson (plots/lesson.py): of several rows the one with the most runs, then the
    later."""
    chosen = {}
    for row in rows:
        if row["step"] in family.steps and lesson.has(row, family):
            name = (row["step"], row["variant"])
            if name not in chosen or (row["runs"] or 0) >= (chosen[name]["runs"] or 0):
                chosen.pop(name, None)  # so that they stay in the log's order
                chosen[name] = row
    return rank(ranked(chosen.values(), family), family)


COUNTS = {
    "sectors": ("global_load_sectors", "global_store_sectors"),
    "wavefronts": ("shared_load_wavefronts", "shared_store_wavefronts"),
    "atomics": ("atomic_requests",),
    "barriers": ("barriers",),
}


def timed(counters):
    """The launches that a run is timed by, without those that only verify it."""
    return [row for row in counters if row.get("phase") != "verify"]


def total(counters, *columns):
    """The sum of columns over a run's launches; a row stands for `launches` equal ones."""
    return sum((number(row.get(column)) or 0) * (number(row.get("launches")) or 1)
               for row in counters for column in columns)


def counted(rows, counters, family, n=None):
    """
    The ladder of the CPU device, where times mean nothing: a list of (row, counts, factor). counts
    are the launches of a run and, per element, what COUNTS names; None without counters. factor:
    the sectors as a multiple of the fewest that a verified variant of the step before needs.
    """
    result, fewest = [], {}  # fewest: {step: (sectors, size)} of the steps so far
    for row in measured(family.of(rows), family, n):
        of = [c for c in timed(counters) if (c["step"], c.get("variant")) == (row["step"], row["variant"])
              and number(c.get("n")) in (None, row["n"])]
        counts = factor = None
        if of and row["n"]:
            counts = {name: total(of, *columns) / row["n"] for name, columns in COUNTS.items()}
            counts["launches"] = sum(number(c.get("launches")) or 1 for c in of)
        if counts and row["role"] == "step":
            before = [fewest[step] for step in family.steps if step in fewest
                      and step != row["step"]]
            if before and before[-1][1] == family.size(row) and before[-1][0]:
                factor = counts["sectors"] / before[-1][0]
            if row["status"] == "ok":
                own = (counts["sectors"], family.size(row))
                fewest[row["step"]] = min(fewest.get(row["step"], own), own)
        result.append((row, counts, factor))
    return result
