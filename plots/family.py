"""
What a family compares, told by a step's --describe, and how its sizes and figures are written.
"""
import re

from plots.lesson import Lesson

ROLES = ("step", "peer", "ceiling", "host")
BESIDE = ("peer", "ceiling")  # what is measured beside a step to compare with
CHARTS = ("ladder", "rate", "work", "cost", "inputs", "library", "roofline")
QUANTITIES = {  # what a measure is called in titles and at axes, and its unit
    "gb_per_s": ("effective bandwidth", "GB/s"),
    "gflop_per_s": ("arithmetic rate", "GFLOP/s"),
    "us_per_item": ("time per {item}", "ns"),
    "median_us": ("median time", "us"),
}
MEASURES = ("gb_per_s", "gflop_per_s", "us_per_item")  # what a family may compare
SHAPE = ("threads", "blocks")  # what may be swept beside a family's axes


def known_chart(chart, axes):
    """Whether it is one of CHARTS, axis:NAME, fastest:NAME or swept:X:MEASURE, X a product of
    names."""
    kind, _, rest = str(chart).partition(":")
    if kind in ("axis", "fastest"):
        return rest in axes
    swept, _, measure = rest.partition(":")
    return chart in CHARTS or kind == "swept" and measure in MEASURES and \
        all(name in (*axes, *SHAPE) for name in swept.split("*"))


def number(text):
    """A column's value, or None where the log left it empty."""
    if not text:  # most are, and an exception takes ten times as long
        return None
    try:
        return float(text)
    except (TypeError, ValueError):
        return None


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


def power(n):
    """2^20 for a power of two from 1024 up, else the number."""
    n = int(n)
    if n >= 1024 and n & (n - 1) == 0:
        return f"2^{n.bit_length() - 1}"
    return str(n)


class Family:
    """
    name, title, item (what n counts, or None), element (the same, if need be "element"), measure,
    charts, types: as described.
    axes: names of the columns that make a size. sides: those among them that --size gives, and that
    a sweep over sizes makes equal. over_blocks: its sweep walks the grid. steps: in teaching order.
    lessons: see plots/lesson.py. own_grids, one_block: steps' variants that have a grid of their own,
    and that are for one block. libraries: the variants that are a library's. variants: each step's own, as far as
    they are right and run on the device.
    """

    def __init__(self, step):
        self.name, self.title, self.measure = step["family"], step["title"], step["measure"]
        self.axes = [axis["name"] for axis in step["axes"]]
        self.sides = [axis["name"] for axis in step["axes"] if axis.get("option") == "size"]
        self.sides = self.sides or self.axes
        self.item, self.types = step.get("item"), list(step.get("types", []))
        self.element = step.get("element") or self.item or "element"
        self.elements = re.sub("y$", "ie", self.element) + "s"
        self.words = {axis["name"]: (axis.get("words") or axis["name"], axis.get("unit", ""))
                      for axis in step["axes"]}
        self.defaults = {axis["name"]: axis.get("default", {}).get("cuda") for axis in step["axes"]}
        self.numbers = step.get("numbers", [])
        self.inputs, self.parameters = step.get("inputs", []), step.get("parameters", [])
        self.over_blocks = step.get("sweep") == "blocks"
        self.charts, self.steps = step["charts"], []
        lines = step.get("launches", {}).get("lesson", {}).get("cuda", [])
        self.lessons, self.libraries = [Lesson(line) for line in lines], set()
        self.own_grids, self.one_block, self.variants = set(), set(), {}
        if self.measure not in MEASURES:
            raise ValueError(f"measure {self.measure} is none of {', '.join(MEASURES)}")
        for chart in self.charts:
            if not known_chart(chart, self.axes):
                raise ValueError(f"chart {chart} is none of {', '.join(CHARTS)}, axis:NAME, "
                                 "fastest:NAME, swept:X:MEASURE")

    def of(self, rows, lessons=False):
        """The family's warm rows of plain inputs, of one type: the first it knows of which there are any.
        Without those that are there for a lesson alone, unless they are wanted."""
        rows = [row for row in rows if row["step"] in self.steps
                and (lessons or not self.is_apart(row))]
        return self.alike([row for row in rows if self.plain(row)] or rows)

    def of_inputs(self, rows):
        """The same of all inputs, without parameters."""
        return self.alike([row for row in rows if row["step"] in self.steps
                           and not self.parameters_of(row)])

    def take(self, step):
        """One more step, as it is described."""
        self.steps.append(step["step"])
        self.types += [name for name in step["types"] if name not in self.types]
        self.variants[step["step"]] = {v["name"] for v in step["variants"] if v.get("role", "step") == "step" and
                                       "wrong_on_purpose" not in v.get("flags", [])}
        for variant in step["variants"]:
            name, takes = (step["step"], variant["name"]), variant.get("takes", {})
            if takes.get("own_shape") or takes.get("blocks") == "by_size":
                self.own_grids.add(name)
            if variant.get("library"):
                self.libraries.add(variant["name"])
            if takes.get("blocks") == "one":
                self.one_block.add(name)

    def has_own_grid(self, row):
        return row["role"] in BESIDE or (row["step"], row["variant"]) in self.own_grids

    def is_apart(self, row):
        """Whether the row is there for a lesson alone."""
        return any(lesson.is_apart(row, self) for lesson in self.lessons)

    def alike(self, rows):
        """The warm ones of one type; without any, the others."""
        rows = [row for row in rows if row["cache"] != "cold"] or rows
        for name in self.types:
            typed = [row for row in rows if row["type"] == name]
            if typed:
                return typed
        return rows

    def plain(self, row):
        """Whether its input is the default one, and no parameter was given."""
        return self.input_of(row) in ("", *self.inputs[:1]) and not self.parameters_of(row)

    def input_of(self, row):
        """The kind of its input: where the log leaves it empty, the default."""
        return row["input"] or "".join(self.inputs[:1])

    def parameters_of(self, row):
        """What the family's own options were given."""
        return [row["texts"][name] for name in self.parameters if row["texts"].get(name)]

    def size(self, row):
        """The key of a size: the values of its axes."""
        return tuple(row.get(axis) for axis in self.axes)

    def size_text(self, row, by=" x ", unit="", but=None):
        """
        The size as a person would say it: 2^20, 1000 x 3000, or 2^28, bins 256: what --size gives,
        then each other axis with its name, but for one. unit: what stands behind a single number.
        """
        if None in self.size(row):
            return power(row["n"]) + unit
        sides = [power(row[axis]) if len(self.sides) == 1 else f"{row[axis]:.0f}"
                 for axis in self.sides]
        others = [f"{axis} {power(row[axis])}" for axis in self.axes
                  if axis not in self.sides and axis != but]
        return ", ".join([by.join(sides) + (unit if len(sides) == 1 else ""), *others])

    def in_title(self, axis, row):
        """Whether a title says what the axis is: where it is not the default, or a chart of its own shows it."""
        return row.get(axis) != self.defaults.get(axis) or any(axis in chart.split(":")[1:] for chart in self.charts)

    def axis_words(self, name):
        """(what a column is, its unit or "") for titles and axes: an axis, what --size gives, or the launch's
        shape."""
        if name in SHAPE:
            return {"threads": "threads of a block", "blocks": "blocks"}[name], ""
        words, unit = self.words[name]
        return (self.elements if words == "n" else words), unit

    def quantity(self, measure=None):
        """(what the measure is, its unit), of a family's own measure or another."""
        words, unit = QUANTITIES[measure or self.measure]
        return words.format(item=self.item or "item"), unit

    def cost(self, row):
        """Microseconds to compare by: of a run, or of one of the items that a run repeats."""
        if self.measure == "us_per_item" and row["n"]:
            return row["median_us"] / row["n"]
        return row["median_us"]

    def figure(self, row):
        """What its ladder shows, in unit()."""
        return 1000 * self.cost(row) if self.measure == "us_per_item" else row[self.measure]

    def unit(self, per="/", measure=None):
        """The unit of a measure, else of the family's own, as tables have it."""
        measure = measure or self.measure
        return f"ns{per}{self.item or 'item'}" if measure == "us_per_item" else QUANTITIES[measure][1]

