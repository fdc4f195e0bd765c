"""Lines against the size or the grid, labelled at their ends."""
import math
import os

from plots.charts.bars import COPY, beside_name, is_copy, size_words
from plots.charts.gnuplot import quote
from plots.charts.titles import tick_lines, titles
from plots.family import BESIDE
from plots.ladder import ladder, main_size

CEILING = -1  # the kind of a line that nothing can pass
FEWEST = 1024  # elements; below, a rate is that of a launch
APART = 0.02  # of the axis' height: lines that are nowhere farther apart lie on one another


def spread(wanted, gap):
    """Label heights (0 to 1) moved apart to at least gap, as near as can be to where wanted."""
    order = sorted(range(len(wanted)), key=lambda at: wanted[at])
    groups = []  # [centre, members]: neighbours that would touch share the space around them
    for at in order:
        groups.append([wanted[at], [at]])
        while len(groups) > 1:
            low, high = groups[-2], groups[-1]
            need = gap * (len(low[1]) + len(high[1])) / 2
            if high[0] - low[0] >= need:
                break
            members = low[1] + high[1]
            centre = sum(wanted[m] for m in members) / len(members)
            half = gap * (len(members) - 1) / 2
            groups[-2:] = [[min(max(centre, half), max(1 - half, half)), members]]
    placed = [0.0] * len(wanted)
    for centre, members in groups:
        for at, member in enumerate(members):
            placed[member] = centre + gap * (at - (len(members) - 1) / 2)
    return placed


def _heights(ys, log_y):
    """bottom and top of the y axis, and where on it (0 to 1) a value stands."""
    if not log_y:
        top = 1.06 * max(ys)
        return 0, top, lambda y: y / top
    bottom, top = 10 ** math.floor(math.log10(min(ys))), 10 ** math.ceil(math.log10(max(ys)))
    top = top if top > bottom else bottom * 10
    return bottom, top, lambda y: math.log(y / bottom) / math.log(top / bottom)


def dashes(kinds):
    """0 for a step's line, CEILING for a ceiling's; what else stands beside has a dash of its own each."""
    used, found = 0, []
    for kind in kinds:
        used += kind is True
        found.append(used if kind is True else int(kind))
    return found


def together(series, height):
    """[[places in series]]: steps whose lines lie on one another are drawn alike, with one name for all."""
    groups = []

    def near(a, b):
        a, b = (dict(series[at][2]) for at in (a, b))
        both = set(a) & set(b)
        return len(both) > 1 and all(abs(height(a[x]) - height(b[x])) < APART for x in both)

    for at, (_, kind, _) in enumerate(series):
        group = next((group for group in reversed(groups) if kind is False and series[group[0]][1] is False and
                      all(near(at, other) for other in group)), None)
        if group:
            group.append(at)
        else:
            groups.append([at])
    return groups


def name_of_all(names, every):
    """One name for several lines: "first to last" of neighbours, else all of them. What all begin with is said
    once: "threads 32 to 512"."""
    at = [every.index(name) for name in names]
    begin = os.path.commonprefix(names)
    begin = begin[:begin.rfind(" ") + 1]
    ends = [names[0], *(name[len(begin):] for name in names[1:])]
    if len(names) > 2 and at == list(range(at[0], at[0] + len(at))):
        return f"{ends[0]} to {ends[-1]}"
    return ", ".join(ends)


def line_values(series, heads, log_y=False):
    """[(name, kind, [(x, y)])] as lines.gp wants them; None where there is no line to draw. kind: False
    or True for what it is compared with, or CEILING. heads: the lines of titles()."""
    series = [(name, dashed, sorted(points)) for name, dashed, points in series if points]
    if not any(len(points) > 1 for _, _, points in series):
        return None
    xs = [x for _, _, points in series for x, _ in points]
    ys = [y for _, _, points in series for _, y in points if y > 0]
    if not ys:
        return None
    bottom, top, height = _heights(ys, log_y)
    groups, names = together(series, height), [name for name, _, _ in series]
    leads = {max(group, key=lambda at: series[at][2][-1][0]): group for group in groups}
    heights = spread([height(series[at][2][-1][1]) for at in leads], 0.058)
    places = dict(zip(leads, heights))
    colours = {at: number for number, group in enumerate(groups, 1) for at in group}
    count, kinds = len(series), dashes([dashed for _, dashed, _ in series])
    lines = [*heads, f"lines = {count}", f"left = {min(xs):.6g}",
             f"right = {max(xs):.6g}", f"bottom = {bottom:.6g}", f"top = {top:.6g}"]
    for name in ("name", "dashed", "colour", "label_y", "end_x", "end_y"):
        lines.append(f"array {name}[{count}]")
    for at, ((_, _, points), dash) in enumerate(zip(series, kinds), 1):
        named = name_of_all([names[member] for member in leads[at - 1]], names) if at - 1 in leads else ""
        lines += [f"name[{at}] = {quote(named)}", f"dashed[{at}] = {dash}", f"colour[{at}] = {colours[at - 1]}",
                  f"label_y[{at}] = {places.get(at - 1, 0):.4f}", f"end_x[{at}] = {points[-1][0]:.8g}",
                  f"end_y[{at}] = {points[-1][1]:.6g}", f"$line{at} << EOD"]
        lines += [f"{x:.8g} {y:.6g}" for x, y in points]
        lines.append("EOD")
    return lines


def by_x(rows, x_of):
    """{(step, variant): {x: row}}, of several rows for one x the one with the most runs."""
    table = {}
    for row in rows:
        points = table.setdefault((row["step"], row["variant"]), {})
        x = x_of(row)
        if x and (x not in points or (row["runs"] or 0) >= (points[x]["runs"] or 0)):
            points[x] = row
    return table


def swept(rows, family):
    """The rows that differ from the main size in the swept axes alone."""
    main = dict(zip(family.axes, main_size(rows, family)[0])) if rows else {}
    others = [axis for axis in family.axes if axis not in family.sides]
    return [row for row in rows if all(row.get(axis) == main[axis] for axis in others)]


def _copies(table):
    """The median copy rate at each x."""
    copy = {}
    for points in table.values():
        for x, row in points.items():
            if row["copy_gb_per_s"]:
                copy.setdefault(x, []).append(row["copy_gb_per_s"])
    return [(x, sorted(rates)[len(rates) // 2]) for x, rates in copy.items()]


def beside_power(x):
    """Whether it is within a hundredth of a power of two, but none: an awkward size beside a mark."""
    nearest = 2 ** round(math.log2(x)) if x else 0
    return 0 < abs(x - nearest) < nearest / 100


def rate_values(rows, family):
    """The best variant of each step, the peers and the copy, against the size."""
    rows = [row for row in swept(rows, family) if family.figure(row) and row["n"] >= FEWEST and
            len({row.get(side) for side in family.sides}) == 1 and
            not (len(family.sides) > 2 and beside_power(row[family.sides[0]]))]
    if not rows:
        return None
    sides = len(family.sides) > 1
    table = by_x(rows, lambda row: row[family.sides[0]] if sides else row["n"])
    best = {row["step"]: row["variant"] for row, _, _, is_best in ladder(rows, family) if is_best}
    series = [(step, False, [(x, family.figure(row))
                             for x, row in table[step, best[step]].items()])
              for step in family.steps if step in best]
    for points in table.values():
        row = next(iter(points.values()))
        if row["role"] in BESIDE:
            series.append((beside_name(row, family), CEILING if is_copy(row, family) else True,
                           [(x, family.figure(each)) for x, each in points.items()]))
    # A library's ceiling in the log is the copy itself.
    if family.measure == "gb_per_s" and not any(is_copy(row, family) for row in rows):
        series.append((COPY, CEILING, _copies(table)))
    against = (" = ".join(family.sides), "") if sides else family.axis_words(family.sides[0])
    return line_values(series, titles(family.title, family.quantity(), rows[0]["device"], against), log_y=True)


def logarithmic(values):
    """Whether an axis of these is better read by their logarithms: powers of two more than 100
    apart, or any above 0 of which the largest is more than 100 times the smallest."""
    low, high = min(values), max(values)
    powers = all(v >= 1 and v == int(v) and int(v) & (int(v) - 1) == 0 for v in values)
    return powers and high - low > 100 or low > 0 and high > 100 * low


def axis_values(rows, family, axis):
    """The best variant of each step and the peers against another axis than the size."""
    main = dict(zip(family.axes, main_size(rows, family)[0]))
    rows = [row for row in rows if family.figure(row) and row.get(axis) is not None
            and all(row.get(other) == main[other] for other in family.axes if other != axis)]
    best = {row["step"]: row["variant"] for row, _, _, is_best in ladder(rows, family) if is_best}
    table = {}
    for row in rows:
        if row["role"] in BESIDE or row["variant"] == best.get(row["step"]):
            points = table.setdefault((row["role"] in BESIDE, row["step"], row["variant"]), {})
            x = within(row, family, axis)
            if x not in points or (row["runs"] or 0) >= (points[x]["runs"] or 0):
                points[x] = row
    order = sorted(table, key=lambda key: (key[0], family.steps.index(key[1])))
    series = [(key[2] if key[0] else key[1], key[0],
               [(x, family.figure(row)) for x, row in table[key].items()]) for key in order]
    return axis_lines(series, family, axis, rows[0] if rows else None)


def within(row, family, axis):
    """Where a row stands on an axis. What counts the elements has no more of them than there are."""
    counts = family.axis_words(axis)[1] == family.elements
    return min(row[axis], row["n"]) if counts and row["n"] else row[axis]


def axis_lines(series, family, axis, row):
    """Lines against an axis; row: one of them, for its size and device."""
    heads = row and titles(family.title, family.quantity(), f"{size_words(row, family, axis)}, {row['device']}",
                           family.axis_words(axis))
    made = line_values(series, heads)
    if not made:
        return None
    xs = {x for _, _, points in series for x, _ in points}
    log_x = logarithmic(xs)
    return made + [f"logarithmic = {int(log_x)}"] + ([] if log_x or min(xs) else tick_lines(max(xs)))


def fastest_values(rows, family, axis):
    """
    The fastest variant of each step at each value of an axis, the peers beside whatever step, and the
    copy: for a family whose steps each take some of the values. At the size with the most rows, with other
    axes as they are by default.
    """
    others = [other for other in family.axes if other != axis and other not in family.sides]
    rows = [row for row in rows if row["step"] in family.steps and family.figure(row) and
            row.get(axis) and row["status"] == "ok" and row["cache"] == "warm" and
            all(row.get(other) in (None, family.defaults.get(other)) for other in others)]
    sizes = [row["n"] for row in rows]
    size = max(sizes, key=lambda n: (sizes.count(n), n)) if rows else None
    table, copies = {}, {}
    for row in (row for row in rows if row["n"] == size):
        beside = row["role"] in BESIDE
        points = table.setdefault((beside, row["variant"] if beside else row["step"]), {})
        points[row[axis]] = max(points.get(row[axis], 0), family.figure(row))
        if row["copy_gb_per_s"]:
            copies.setdefault(row[axis], []).append(row["copy_gb_per_s"])
    order = sorted(table, key=lambda key: (key[0], family.steps.index(key[1]) if not key[0] else 0))
    series = [(name, beside, sorted(table[beside, name].items())) for beside, name in order]
    if family.measure == "gb_per_s" and copies:
        series.append((COPY, CEILING, [(x, sorted(rates)[len(rates) // 2])
                                      for x, rates in sorted(copies.items())]))
    return axis_lines(series, family, axis, next((row for row in rows if row["n"] == size), None))


def work_values(rows, family):
    """
    Work per element, from the log's flops, in one block that is as large as the problem, or, if none was
    measured at several sizes, in the whole array: n lg n bends upwards where O(n) stays flat.
    """
    rows = [row for row in rows if row["flops"] and row["n"] and row["role"] not in BESIDE]
    block = [row for row in rows if (row["step"], row["variant"]) in family.one_block]
    whole = len({row["n"] for row in block}) < 4
    chosen = {}
    for row in swept(rows, family) if whole else block:
        points = chosen.setdefault(row["step"], {})
        work = row["flops"] / row["n"]
        points[row["n"]] = min(points.get(row["n"], work), work)
    series = [(step, False, list(chosen[step].items())) for step in family.steps if step in chosen]
    return line_values(series, titles(family.title, (f"operations per {family.element}", ""),
                                      "" if whole else "in one block", (family.elements, "")))


def cost_values(rows, family):
    """The cost of one item for each verified variant, against the grid or the size."""
    rows = [row for row in swept(rows, family) if row["blocks"] or not family.over_blocks]
    table = by_x(rows, lambda row: row["blocks"] if family.over_blocks else row["n"])
    prefix = os.path.commonprefix(family.steps)
    prefix = prefix[:prefix.rfind("-") + 1]  # what tells the family apart, not the step
    series = []
    for (step, variant), points in sorted(table.items(),
                                          key=lambda e: family.steps.index(e[0][0])):
        if all(row["status"] == "ok" for row in points.values()):
            beside = any(row["role"] in BESIDE for row in points.values())
            words = [variant] if beside else [step[len(prefix):], variant]
            name = " ".join(dict.fromkeys(words))
            series.append((name, beside, [(x, family.figure(row)) for x, row in points.items()]))
    if not series:
        return None
    size = f"mean of {size_words(rows[0], family)}, " if family.over_blocks else ""
    against = family.axis_words("blocks" if family.over_blocks else family.sides[0])
    return line_values(series[:8], titles(family.title, family.quantity(), size + rows[0]["device"], against),
                       log_y=True)
