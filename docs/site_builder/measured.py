"""
What was measured: the record's rows of a step, those of a reader's own runs beside them, and the charts of
both.
"""
import glob
import html
import os
from typing import NamedTuple

from plots import log, recorded
from plots.family import figures
from plots.ladder import backends, measured, page_size
from plots.tables import counted_table, place, place_text, share

GPU = recorded.reference()
CPU = recorded.CPU


class Bar(NamedTuple):
    """kind: before, step, peer or ceiling."""
    label: str
    figure: float
    text: str
    kind: str
    status: str


class Run:
    """A directory of a run, or a record. own: a reader's."""

    def __init__(self, path, charts, own):
        self.path, self.charts, self.own = path, charts, own
        self.name = os.path.basename(os.path.abspath(path))
        self.rows, self.counters, described = log.load(path)
        self.families = log.families(described)
        self.device = self.rows[0]["device"] if self.rows else ""
        self.gpu = backends(self.rows)[:1] == ["cuda"]

    def family(self, step):
        return next((family for family in self.families if step in family.steps), None)

    def chosen(self, step, beside=None):
        """A row per variant, at the size that the page shows; or at that of another run's rows."""
        family = self.family(step)
        own = [row for row in self.rows if row["step"] == step]
        if not family or not own:
            return []
        wanted = beside[0]["n"] if beside else page_size(own, family)
        return [row for row in measured(family.of(own), family, wanted) if row["step"] == step]

    def charts_of(self, step):
        """The paths of the charts of a step's family."""
        family = self.family(step)
        found = sorted(glob.glob(os.path.join(glob.escape(self.charts), "*.svg"))) if family else []
        return [path for path in found if os.path.basename(path).endswith(f"-{family.name}.svg")]


def records():
    """The GPU's record and the CPU device's; None for one that is not there."""
    made = []
    for name in (GPU, CPU):
        path = recorded.place(device=name)
        made.append(Run(path, os.path.join(path, "charts"), False) if os.path.isdir(path) else None)
    return made


def bars(run, step, before):
    """(bars, unit, size) of a step on a GPU: the fastest variant of the step before first. A bar of another size
    than most says its own."""
    rows = run.chosen(step) if run and run.gpu else []
    if not rows:
        return [], "", ""
    family = run.family(step)
    made = []
    old = [row for row in (run.chosen(before, rows) if before else [])
           if row["role"] == "step" and row["status"] == "ok" and family.size(row) == family.size(rows[0])]
    if old:
        best = min(old, key=family.cost)
        made.append(Bar(f"{before}: {best['variant']}", family.figure(best) or 0,
                        figures(family.figure(best)), "before", "ok"))
    rows = [row for row in rows if row["role"] != "host" and family.figure(row)]
    sizes = [place_text(row, family) for row in rows]
    usual = max(sizes, key=sizes.count, default="")
    for row, size in zip(rows, sizes):
        made.append(Bar(row["variant"] + ("" if size == usual else f" ({other_words(size, usual)})"),
                        family.figure(row), figures(family.figure(row)), row["role"], row["status"]))
    less = "; less is better" if family.measure == "us_per_item" else ""
    return made, family.unit(" per ") + less, usual


def other_words(size, usual):
    """What a size says that the usual one does not: "footprint 2^14" of "2^18, footprint 2^14"."""
    return ", ".join(part for part in size.split(", ") if part not in usual.split(", "))


def cell(text, tag="td"):
    scope = ' scope="col"' if tag == "th" else ""
    return f"<{tag}{scope}>{html.escape(str(text))}</{tag}>"


def table(header, lines):
    body = "".join("<tr>" + "".join(map(cell, line)) + "</tr>" for line in lines)
    return ('<div class="wide" tabindex="0" role="region" aria-label="table"><table><thead><tr>' +
            "".join(cell(title.replace("\n", " "), "th") for title in header) +
            f"</tr></thead><tbody>{body}</tbody></table></div>")


def own_table(run, step, record):
    """A reader's own rows of a step, beside the record's; empty without any."""
    family = run.family(step)
    if not family or not any(row["step"] == step for row in run.rows):
        return ""
    if not run.gpu:
        header, lines = counted_table(run.rows, run.counters, family)
        return table(header[1:], [line[1:] for line in lines if line[0] == step])
    theirs = {row["variant"]: row for row in record.chosen(step)} if record else {}
    beside = record.device if record else ""
    copied = family.measure == "gb_per_s"
    header = ["variant", place(family), "median us", family.unit(" per ")] + ["% of a copy"] * copied + \
        ["verified"] + [f"{beside}: {place(family)}", f"{beside}: {family.unit(' per ')}"] * bool(theirs)
    lines = []
    for row in run.chosen(step, list(theirs.values())):
        other = theirs.get(row["variant"])
        lines.append([row["variant"], place_text(row, family), figures(row["median_us"]),
                      figures(family.figure(row))] + [share(row)] * copied +
                     ["yes" if row["status"] == "ok" else row["status"]] +
                     ([place_text(other, family), figures(family.figure(other))] if other else
                      ["", ""] * bool(theirs)))
    return table(header, lines)
