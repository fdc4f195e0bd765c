"""Estimates against what was measured: the record that plots/record cpu makes (estimates.csv)."""
import csv
import os

from plots.charts import names
from plots.charts.titles import titles
from plots.family import number

LARGE = 2 ** 20  # elements
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
    times, ratios = [real for real, *_ in points], [us / real for real, us, *_ in points]
    left, right = 0.7 * min(times), 1.5 * max(times)
    bottom, top = 0.9 * min(ratios), max(1.1 * max(ratios), 1.5)
    shown = list(zip(times, ratios))
    places = [names.Name(shown[at], text, 26) for at, text in worst(points).items()]
    names.place(places, shown, ((left, right), (bottom, top)))
    for name in places:
        name.led = True  # among so many points
    heads = titles("Estimates of an H200", ("estimate by measurement", ""), "", ("measured time", "us"))
    lines = [*heads, f"left = {left:.6g}", f"right = {right:.6g}", f"bottom = {bottom:.6g}", f"top = {top:.6g}",
             *names.lines(places), "$points << EOD"]
    lines += [f"{real:.6g} {ratio:.6g} {int(point[2] >= LARGE)}" for (real, ratio), point in zip(shown, points)]
    charts.draw("estimated.gp", "estimated", lines + ["EOD"])
