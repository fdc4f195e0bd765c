"""
Every chart that the files of a run have the data for.

What a family's charts show stands in bars (ladder, inputs, library), lines (rate, work, cost,
axis:NAME, fastest:NAME), swept and roofline; counters and trace draw what the CPU device's tools wrote, timeline what
a GPU's steps wrote, estimated the record of estimates, and scale what formulas say of many GPUs. Each makes the
lines of a values file for a gnuplot script in plots/, or None where there is nothing to draw.
"""
import os
import re
import shutil
import tempfile

from plots import log
from plots.charts import bars, counters, estimated, lines, roofline, scale, swept, timeline, trace
from plots.charts.gnuplot import Charts
from plots.ladder import backends, once

KINDS = {"rate": lines.rate_values, "cost": lines.cost_values, "library": bars.library_values}
COUNTED = ("work",)  # what a log of the CPU device tells too: its times mean nothing


def _values(chart, rows, family, everything):
    """(script, values) of one of a family's charts; rows: its own, of all inputs; everything: of all
    families."""
    kind, _, axis = chart.partition(":")
    plain = family.of(rows)
    if kind == "swept":
        return "swept.gp", swept.values(plain, family, chart)
    if kind == "axis":
        return "axis.gp", lines.axis_values(plain, family, axis)
    if kind == "fastest":  # with a library's rows beside each step, since their lengths differ
        return "axis.gp", lines.fastest_values(family.of(everything), family, axis)
    if kind == "ladder":
        return "ladder.gp", bars.ladder_values(rows, family)
    if kind == "work":
        return "work.gp", lines.work_values(family.of(rows, lessons=True), family)
    if kind == "inputs":
        return "ladder.gp", bars.inputs_values(family.of_inputs(rows), family, plain)
    if kind == "roofline":
        return "roofline.gp", roofline.values(plain, family, everything)
    return "ladder.gp" if kind == "library" else f"{kind}.gp", KINDS[kind](plain, family)


def _family_charts(charts, rows, described):
    gpu = backends(rows)[:1] == ["cuda"]
    rows = [row for row in rows if (row["backend"] == "cuda") == gpu]
    for family in log.families(described):
        own = once(rows, family)
        for chart in family.charts if own else ():
            if not gpu and chart not in COUNTED:
                continue
            script, values = _values(chart, own, family, rows)
            if values:
                name = re.sub("[:*]", "-", chart)
                charts.draw(script, f"{name}-{family.name}", values)
        for at, lesson in enumerate(family.lessons if gpu else (), 1):
            values = bars.lesson_values(lesson, own, family) if lesson.is_ladder() else None
            if values:
                charts.draw("ladder.gp", f"lesson-{at}-{family.name}", values)
    return rows[0]["device"] if gpu else "CPU device"


def draw(directory, out):
    """Draw into the directory out. Returns the exit status: 1 if a chart could not be made."""
    if not os.path.isdir(directory):
        raise log.LogError(f"{directory}: no such directory")
    if not shutil.which("gnuplot"):
        raise log.LogError("gnuplot is missing (Debian: gnuplot-nox)")
    traces = trace.read(directory)
    rows, counted, described = log.load(directory)
    if not rows and not counted and not traces:
        raise log.LogError(f"{directory}: no measurement")
    os.makedirs(out, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        charts = Charts(os.path.abspath(out), scratch)
        device = _family_charts(charts, rows, described)
        counters.draw(charts, counted, described, device)
        trace.draw(charts, traces)
        timeline.draw(charts, timeline.read(directory), described, device)
        estimated.draw(charts, directory)
        scale.draw(charts, directory)
        charts.wait()
    if not charts.drawn and not charts.failed:
        raise log.LogError(f"{directory}: nothing to draw: no counters that differ, and too few sizes or none "
                           "of a GPU")
    print(f"{len(charts.drawn)} charts in {out}")
    return 1 if charts.failed else 0
