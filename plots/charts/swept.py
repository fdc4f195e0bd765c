"""
What a step that measures one thing shows: a line for each way of doing it, against what is swept.

A family asks for it as swept:X:MEASURE. X is a column of the log, an axis most often, or a product of
columns, as threads*resident; MEASURE what the lines show, the family's own measure or another.
"""
import math

from plots.charts.bars import name_of
from plots.charts.gnuplot import quote
from plots.charts.lines import line_values
from plots.charts.titles import titles
from plots.family import MEASURES, figures
from plots.lesson import value

MOST_LINES = 8
FEWEST_POINTS = 3  # fewer are no sweep


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
        x = math.prod(values)
        key = (row["step"], row["variant"], tuple((name, row.get(name)) for name in others))
        points = found.setdefault(key, {})
        if x > 0 and (x not in points or (row["runs"] or 0) >= (points[x]["runs"] or 0)):
            points[x] = row
    return {key: points for key, points in found.items() if len(points) >= FEWEST_POINTS}


def number(value, form):
    """A number as a name has it: above 2048, a power of two by its exponent."""
    value = int(value)
    return form.format(value.bit_length() - 1) if value > 2048 and value & (value - 1) == 0 \
        else str(value)


def names(keys, family, form="2^{}"):
    """What the lines are called: the variant where they differ by it, and as much more as tells them
    apart: the axes, then the threads, then what --size gives."""
    columns = [name for name, _ in next(iter(keys))[2]]
    order = sorted(columns, key=lambda name: (name in family.sides, name == "threads"))
    used = []

    def name(key):
        step, variant, others = key
        words = [variant] if len({key[1] for key in keys}) > 1 else []
        words += [f"{column} {number(dict(others)[column], form)}" for column in used
                  if dict(others)[column] is not None]
        return ", ".join(words) or name_of(step, variant)

    for column in order:
        if len({name(key) for key in keys}) == len(keys):
            break
        if len({dict(key[2])[column] for key in keys}) > 1:
            used.append(column)
    return [name(key) for key in keys]


def proportional(lines):
    """From the line's point with the smallest x on: what comes in proportion to x, as far as the largest y.
    So much would be on its way if nobody had to wait for anything but its own answer."""
    x, y = min(point for _, _, points in lines for point in points)
    top, right = (max(point[at] for _, _, points in lines for point in points) for at in (1, 0))
    xs = [x * 2 ** (step / 4) for step in range(200)]
    return "in proportion", True, [(each, y * each / x) for each in xs
                                   if each <= right and y * each / x <= top]


def size_of(n, family):
    """What n counts, as a title has it."""
    return f"{number(n, '2^{{{}}}')} {family.elements}"


def values(rows, family, chart):
    """The lines of its values file for swept.gp, or None."""
    columns, measure = parts(chart)
    found = series_of(rows, family, columns, measure)
    if not found:
        return None
    most = sorted(found, key=lambda key: -len(found[key]))[:MOST_LINES]
    keys = [key for key in found if key in most]
    lines = [(name, False, [(x, figure(row, measure)) for x, row in found[key].items()])
             for name, key in zip(names(keys, family, "2^{{{}}}"), keys)]
    ys = [y for _, _, points in lines for _, y in points]
    xs = {x for _, _, points in lines for x, _ in points}
    # What comes in proportion is straight only where both axes have logarithms, or none.
    wide = max(ys) > (100 if measure == "us_per_item" else 10) * min(ys)
    if measure != "us_per_item" and "resident" in columns:
        lines.append(proportional(lines))
    device = next(iter(found[keys[0]].values()))["device"]
    sizes = {row["n"] for key in keys for row in found[key].values()}
    where = [size_of(sizes.pop(), family)] if len(sizes) == 1 else []
    # Without the sweep's variant a line has no name that tells which it is.
    where += [variant for variant in {key[1] for key in keys} if len({key[:2] for key in keys}) == 1]
    words, unit = zip(*map(family.axis_words, columns))
    against = (" × ".join(words), ", ".join(filter(None, unit))) if columns != ["threads", "resident"] else \
        ("threads of a multiprocessor", "")
    made = line_values(lines, titles(family.title, family.quantity(measure), ", ".join([*where, device]), against),
                       log_y=wide)
    return made and made + [f"logarithmic = {int(powers(xs))}", f"log_y = {int(wide)}",
                            *marks(found, family, columns, measure)]


def marks(found, family, columns, measure):
    """What a point of the curve is the machine's number of, as --describe names it: "a load from the L1 cache"."""
    made, xs = [], [x for points in found.values() for x in points]
    for number in family.numbers if len(found) == 1 else ():
        wanted = dict(part.partition("=")[::2] for part in number.get("where", "").split())
        for (_, variant, _), points in found.items():
            x = value(wanted.get(columns[0], "")) if len(columns) == 1 else None
            if variant == number.get("variant") and number.get("column") == measure and x in points:
                y, part = figure(points[x], measure), math.log(x / min(xs)) / math.log(max(xs) / min(xs))
                made.append((f"{number['what']}: {figures(y)} {number['unit']}", x, y, int(part > 0.4)))
    lines = [f"marks = {len(made)}", *(f"array {name}[{max(len(made), 1)}]" for name in (
        "mark", "mark_x", "mark_y", "mark_left"))]
    for at, (text, x, y, left) in enumerate(made, 1):
        lines += [f"mark[{at}] = {quote(text)}", f"mark_x[{at}] = {x:.8g}", f"mark_y[{at}] = {y:.6g}",
                  f"mark_left[{at}] = {left}"]
    return lines


def powers(xs):
    """Whether all are powers of two, at least four of them: then each is as far from the next."""
    return len(xs) > 3 and all(x == int(x) and int(x) & (int(x) - 1) == 0 for x in xs)
