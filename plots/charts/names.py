"""
Where the names of single points stand in a chart with two logarithmic axes, so that none covers another one, a
point, or the edge. The charts that use it have the margins below.
"""
import dataclasses
import math

from plots.charts.gnuplot import quote

WIDTH, HEIGHT = 1920, 1080  # of the chart; lengths are pixels
LEFT, RIGHT, BOTTOM, TOP = 0.105, 0.965, 0.15, 0.90  # of the plot, parts of the chart
POINT = 20  # from the middle of a point to where a name may begin
LETTER = 0.62  # the width of a letter, of its height
# To the right, left, above, below, and between them.
SIDES = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1))
FAR = [1, 3, 6, 10]  # as many points' widths away; where it is more than one, a line leads to the point


@dataclasses.dataclass
class Name:
    """A name at a point; the letters' height; on which sides it may stand. x, y: of its middle, as parts of the
    plot, once it is placed."""
    point: tuple
    text: str
    letters: float
    sides: tuple = SIDES
    x: float = 0
    y: float = 0
    led: bool = False


def _box(x, y, wide, high):
    return x - wide / 2, y - high / 2, x + wide / 2, y + high / 2


def _common(a, b):
    """The area that two boxes have in common."""
    return max(0, min(a[2], b[2]) - max(a[0], b[0])) * max(0, min(a[3], b[3]) - max(a[1], b[1]))


def place(names, points, ranges):
    """Give each of the names its place. points: all of the chart; ranges: (left, right), (bottom, top)."""
    size = (RIGHT - LEFT) * WIDTH, (TOP - BOTTOM) * HEIGHT

    def pixels(point):
        return tuple(math.log(value / low) / math.log(high / low) * long
                     for value, (low, high), long in zip(point, ranges, size))

    taken = [_box(*pixels(point), POINT, POINT) for point in points]
    for name in names:
        x, y = pixels(name.point)
        wide, high = LETTER * name.letters * len(name.text), 1.1 * name.letters
        best = None
        for far in FAR:
            for right, up in name.sides:
                middle = x + right * (far * POINT + wide / 2), y + up * (far * POINT + high / 2)
                box = _box(*middle, wide, high)
                inside = _common(box, (0, 0, *size))
                cost = wide * high - inside + sum(_common(box, other) for other in taken)
                if best is None or cost < best[0] - 1:
                    best = cost, middle, box, far > 1
        _, middle, box, name.led = best
        name.x, name.y = middle[0] / size[0], middle[1] / size[1]
        taken.append(box)


def lines(names):
    """What the chart scripts read."""
    count = max(len(names), 1)  # gnuplot has no empty arrays
    out = [f"names = {len(names)}"] + \
        [f"array {array}[{count}]" for array in ("name", "name_at_x", "name_at_y", "name_of_x", "name_of_y",
                                                 "name_size", "name_led")]
    for at, name in enumerate(names, 1):
        out += [f"name[{at}] = {quote(name.text)}", f"name_at_x[{at}] = {name.x:.4f}",
                f"name_at_y[{at}] = {name.y:.4f}", f"name_of_x[{at}] = {name.point[0]:.6g}",
                f"name_of_y[{at}] = {name.point[1]:.6g}", f"name_size[{at}] = {name.letters}",
                f"name_led[{at}] = {int(name.led)}"]
    return out
