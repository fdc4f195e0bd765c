"""Estimates against what was measured: the record that plots/record cpu makes (estimates.csv)."""
import csv
import os

from plots.charts import names
from plots.charts.gnuplot import quote
from plots.family import number

LARGE = 2 ** 20  # elements
ABOVE, BELOW = ((-1, 0), (-1, 1), (0, 1)), ((1, 0), (1, -1), (0, -1))  # of the line, where its names stand
NAMED = 4  # of the large ones, the worst of so many steps have their names


def read(directory):
    """[(measured, estimated, elements, step, variant)]"""
    try:
        with open(os.path.join(directory, "estimates.csv"), newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
    except (OSError, csv.Error):
        return []
    return [(number(row["measured_us"]), number(row["estimated_us"]), number(row["n"]), row["step"],
             row["variant"]) for row in rows
            if number(row.get("measured_us")) and number(row.get("estimated_us"))]


def worst(points):
    """{place: name} of the worst large points, one of each step."""
    off = sorted((-abs(us / real - 1), at) for at, (real, us, n, _, _) in enumerate(points)
                 if n >= LARGE)
    named = {}
    for _, at in off:
        named.setdefault(points[at][3], at)
    return {at: f"{step} {points[at][4]}" for step, at in list(named.items())[:NAMED]}


def draw(charts, directory):
    points = read(directory)
    if len(points) < 2:
        return
    times = [us for point in points for us in point[:2]]
    left, right = 0.7 * min(times), 1.5 * max(times)
    places = [names.Name(points[at][:2], text, 24, ABOVE if points[at][1] > points[at][0] else BELOW)
              for at, text in worst(points).items()]
    names.place(places, [point[:2] for point in points], ((left, right), (left, right)))
    lines = [f"title_text = {quote('Estimated against measured, an H200')}", f"left = {left:.6g}",
             f"right = {right:.6g}", *names.lines(places), "$points << EOD"]
    lines += [f"{real:.6g} {us:.6g} {int(n >= LARGE)}" for real, us, n, _, _ in points]
    charts.draw("estimated.gp", "estimated", lines + ["EOD"])
