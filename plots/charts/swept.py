"""
What a step that measures one thing shows: a line for each way of doing it, against what is swept.

A family asks for it as swept:X:MEASURE. X is a column of the log, an axis most often, or a product of
columns, as threads*resident; MEASURE what the lines show, the family's own measure or another.
"""
from plots.charts.bars import name_of
from plots.charts.lines import line_values, logarithmic
from plots.family import MEASURES, power

MOST_LINES = 8
FEWEST_POINTS = 3  # fewer are no sweep
UNITS = {"gb_per_s": "GB/s", "gflop_per_s": "GFLOP/s"}


def parts(chart):
    """(columns of X, measure) of "swept:X:MEASURE", or None."""
    words = str(chart).split(":")
    if len(words) != 3 or words[0] != "swept" or words[2] not in MEASURES:
        return None
    return words[1].split("*"), words[2]


def figure(row, measure):
    """What the measure says of a row; None where it says nothing."""
    if measure == "us_per_item":
        return 1000 * row["median_us"] / row["n"] if row["n"] else None
    return row[measure]


def series_of(rows, family, columns, measure):
    """{(variant, {what else is said of it})}: {x: row}} of the sweeps among the rows."""
    others = [name for name in ["threads", *family.axes] if name not in columns or name == "threads"]
    found = {}
    for row in rows:
        values = [row.get(name) for name in columns]
        if row["status"] != "ok" or None in values or not figure(row, measure):
            continue
        x = 1
        for value in values:
            x *= value
        key = (row["step"], row["variant"], tuple((name, row.get(name)) for name in others))
        points = found.setdefault(key, {})
        if x > 0 and (x not in points or (row["runs"] or 0) >= (points[x]["runs"] or 0)):
            points[x] = row
    return {key: points for key, points in found.items() if len(points) >= FEWEST_POINTS}


def names(keys, family):
    """What the lines are called: the variant where they differ by it, and as much more as tells them
    apart: the axes, then the threads, then what --size gives."""
    columns = [name for name, _ in next(iter(keys))[2]]
    order = sorted(columns, key=lambda name: (name in family.sides, name == "threads"))
    used = []

    def name(key):
        step, variant, others = key
        words = [variant] if len({key[1] for key in keys}) > 1 else []
        words += [f"{column} {power(dict(others)[column])}" for column in used
                  if dict(others)[column] is not None]
        return ", ".join(words) or name_of(step, variant)

    for column in order:
        if len({name(key) for key in keys}) == len(keys):
            break
        if len({dict(key[2])[column] for key in keys}) > 1:
            used.append(column)
    return [name(key) for key in keys]


def values(rows, family, chart):
    """(script, the lines of its values file), or None."""
    columns, measure = parts(chart)
    found = series_of(rows, family, columns, measure)
    if not found:
        return None
    most = sorted(found, key=lambda key: -len(found[key]))[:MOST_LINES]
    keys = [key for key in found if key in most]
    lines = [(name, False, [(x, figure(row, measure)) for x, row in found[key].items()])
             for name, key in zip(names(keys, family), keys)]
    ys = [y for _, _, points in lines for _, y in points]
    xs = {x for _, _, points in lines for x, _ in points}
    wide = max(ys) > 100 * min(ys)
    device = next(iter(found[keys[0]].values()))["device"]
    unit = UNITS.get(measure) or f"ns per {family.item or 'item'}"
    made = line_values(lines, f"{family.title}, {device}", " × ".join(columns), unit, log_y=wide)
    if not made:
        return None
    return "cost.gp" if wide else "axis.gp", made + [f"logarithmic = {int(logarithmic(xs))}"]
