"""
The lines of cases/matrix for a step, and what is right of their rows.
"""
import re

from check import pairwise
from common.commands.drive.shapes import axis_values, broken, chosen, elements, number, parse, resident, tested
from common.commands.drive.support import FULL, declared, describe, variants

LARGE_THREADS = (64, 256, 320, 1024)
MOST_LARGE = 2**23  # elements of a shape with one large side
MANY_THREADS = 2**12  # in a grid, of which the simulation takes long; what has so many without asking runs once
MOST_THREADS = 2048  # in a grid, where what is repeated may be repeated often


def groups(name):
    """The step's variants, those that take the same together."""
    found = {}
    for variant in describe(name)["variants"]:
        key = repr((variant["takes"], variant["types"]))
        found.setdefault(key, []).append(variant)
    return list(found.values())


def line_of(told, row):
    """The line of a row: {axis or option: value}, None for what is left out."""
    sides = [str(row[axis["name"]]) for axis in told["axes"] if axis["option"] == "size"]
    words = ["-n", "x".join(sides)]
    for axis in told["axes"]:
        if axis["option"] != "size":
            words += ["--" + axis["option"], str(row[axis["name"]])]
    for option in ("threads", "blocks", "offset", "type"):
        if row.get(option) is not None:
            words += [{"threads": "-t", "blocks": "-b"}.get(option, "--" + option),
                      str(row[option])]
    if row.get("input"):
        words += ["--input", row["input"][0], "--seed", str(row["input"][1])]
    return " ".join(words + ["-r 1"] * row.get("once", False))


def inputs(told):
    """(kind, seed); the seed chooses what is hostile: cancelling, NaN, one infinity, two."""
    return [(kind, seed) for kind in told["inputs"]
            for seed in (range(4) if kind == "hostile" else [1])] or [None]


def threads_of(name, variant):
    """The numbers of threads that it takes."""
    takes, listed = variant["takes"], describe(name)["test"]["threads"]
    if takes["threads_by_size"]:
        return [None]
    wanted = listed + [t for t in [takes["threads"]] if t and t not in listed]
    return [t for t in wanted if not broken(name, {**variant, "takes": {
        **takes, "resident": False, "elements_a_thread": None}}, f"-t {t}")]


def blocks_of(name, variant, threads):
    """The grids that it takes; None: the default."""
    takes, listed = variant["takes"], describe(name)["test"]["blocks"]
    if takes["blocks"] == "by_size" or not listed:
        return [None]
    if takes["blocks"] == "one":
        return [1, None]
    most = max(resident(name, variant["name"], t)[0] for t in threads) if takes["resident"] \
        else max(listed)
    return [b for b in listed if b <= most] + [None]


def offsets_of(told, variant):
    """Where the inputs start that it takes."""
    return [offset for offset in told["test"]["offsets"]
            if not variant["takes"]["whole_quads"] or offset % 4 == 0] or [None]


def too_many_threads(row, usual):
    """How many more than MANY_THREADS; USUAL per block if the row does not say. Where an array has rows, or heads of
    some length, each may take a block."""
    of_one = row.get("cols") or row.get("length")
    rows = row["n"] // of_one if row.get("n") and of_one else 1
    return max(0, (row.get("blocks") or rows) * (row.get("threads") or usual) - MANY_THREADS)


def combine(told, variant, axes, threads, blocks):
    """Rows of these values of the axes, with all the rest."""
    offsets = offsets_of(told, variant)
    parameters = [*axes, ("threads", threads), ("blocks", blocks), ("input", inputs(told)),
                  ("type", variant["types"])]
    if not FULL:
        usual = max(told["test"]["threads"], default=1)
        rows = pairwise.cover(parameters + [("offset", offsets)], lambda row: too_many_threads(row, usual))
        for row in rows:
            row["once"] = row.get("blocks") is None and too_many_threads(row, usual) > 0
        return rows
    return taking_turns(pairwise.product(parameters), "offset", offsets)


def taking_turns(rows, name, values):
    for at, row in enumerate(rows):
        row[name] = values[(at + at // len(values)) % len(values)]
    return rows


def small(name, variant, threads, blocks):
    told = describe(name)
    axes = tested(told, variant)
    a_thread = variant["takes"]["elements_a_thread"]
    if not a_thread:
        return combine(told, variant, axes, threads, blocks)
    rows = []
    for t in threads:  # what fits, and what just does not, depends on the threads
        most = a_thread * t
        sizes = sorted({n for n in [*axes[0][1], most - 1, most] if n <= most})
        rows += combine(told, variant, [(axes[0][0], sizes), *axes[1:]], [t], blocks)
    return rows


def large(name, variant, threads, blocks):
    """Each large value of an axis with a few of the others', few shapes, inputs in turn. The first of each value runs
    as often as the small ones, the others once: what a run leaves behind does not depend on the shape."""
    told = describe(name)
    if variant["takes"]["elements_a_thread"]:
        return []
    parameters = [("threads", [t for t in LARGE_THREADS if t in threads] or threads[-1:]),
                  ("blocks", [b for b in blocks if b in (7, None)]), ("type", variant["types"])]
    rows = []
    for axis in told["axes"]:
        others = [(o, sorted({test[min(1, len(test) - 1)], test[len(test) // 2], test[-1]}))
                  for o, test in tested(told, variant) if o != axis["name"]]
        mixed = [(axis["name"], axis["large"]), *others, *parameters]
        of_axis = (pairwise.product if FULL else pairwise.cover)(mixed) if axis["large"] else []
        seen = set()
        for row in of_axis:
            row["once"] = not FULL and row[axis["name"]] in seen
            seen.add(row[axis["name"]])
        rows += of_axis
    rows = [row for row in rows if elements(told, row) <= MOST_LARGE]
    taking_turns(rows, "input", inputs(told))
    return taking_turns(rows, "offset", offsets_of(told, variant))


def wrong_shapes(name, variant, threads):
    """Rows that it refuses, each for one reason."""
    told, takes = describe(name), variant["takes"]
    middle = {axis: test[-1] for axis, test in tested(told, variant)}
    middle["type"] = variant["types"][0]
    rows = [{**middle, "threads": t} for t in told["test"]["threads"] if t not in threads]
    if takes["blocks"] == "by_size" and told["test"]["blocks"]:
        rows.append({**middle, "blocks": 4})
    if takes["whole_quads"]:
        rows += [{**middle, axis["name"]: middle[axis["name"]] + more} for axis in told["axes"]
                 if axis["option"] == "size" for more in (1, 2, 3)]
        rows += [{**middle, "offset": offset} for offset in told["test"]["offsets"] if offset % 4]
    rows += [{**middle, axis: value + 1} for axis, only in takes["only"].items() for value in only]
    if takes["elements_a_thread"]:
        axis = told["axes"][0]["name"]
        rows += [{**middle, axis: takes["elements_a_thread"] * 64 + 1, "threads": 64},
                 {**middle, axis: 10, "threads": 64, "blocks": 2}]
        rows = [{**row, axis: min(row[axis], row["threads"])} if row["threads"] not in threads
                else row for row in rows]
    return rows


def lines_of(name):
    """[(line, names of the variants that it asks)]"""
    told = describe(name)
    lines = []
    for group in groups(name):
        variant, names = group[0], [v["name"] for v in group]
        threads = threads_of(name, variant)
        blocks = blocks_of(name, variant, threads)
        rows = small(name, variant, threads, blocks) + large(name, variant, threads, blocks)
        for row in rows:
            if told["item"] and not FULL and \
                    (row["blocks"] or 1) * row["threads"] > MOST_THREADS:
                repeated = told["axes"][0]["name"]  # often enough with fewer
                row[repeated] = min(row[repeated], 2)
        rows += wrong_shapes(name, variant, threads)
        for line in dict.fromkeys(line_of(told, row) for row in rows):
            lines.append((f"{line} {chosen(names)}", names))
    for line in declared(name, "tested"):
        names = parse(line).get("variant", list(variants(name)))
        lines.append((line, names))
    return lines


def judge(name, variant, line, row, runs):
    """None if the variant did with the line what it should, else why not."""
    told, asked = describe(name), parse(line)
    if row is None:
        return "no verdict"
    bad = broken(name, variant, line)
    if bad:
        named = any(re.search(rf"(?<!\d){value}(?!\d)", row["message"]) for value in bad)
        return None if row["verdict"] == "refused" and named and \
            len(row["message"].splitlines()) == 1 else f"not refused, naming {bad}"
    wrong = "wrong_on_purpose" in variant["flags"]
    if row["verdict"] != "ok" and not (wrong and row["verdict"] == "unsynchronised"):
        return f"it is {row['verdict']}: {row['message']}"
    values = axis_values(told, asked)
    once = variant["role"] == "host"  # a loop on the host is measured once
    wanted = {**values, "n": elements(told, values), "runs": 1 if once else runs}
    for option in ("runs", "threads", "blocks"):
        if option in asked:
            wanted[option] = number(asked[option][-1])
    if "type" in asked:
        wanted["type"] = asked["type"][-1]
    other = {key: row.get(key) for key, value in wanted.items()
             if row.get(key) != value and (row.get(key) is not None or value != 0)}
    if other:
        return f"the row tells of another run: {other}"
    if row["message"] and not wrong:
        return "it says something of a right run"
    if not wrong and all(isinstance(row.get(key), (int, float)) for key in ("error", "bound")) and \
            row["error"] > row["bound"]:
        return "its error is beyond the bound"
    if "exact" in asked.get("input", []) and "rounded" not in variant["flags"] and \
            row.get("bound") != 0:
        return "exact sums are not compared by equality"
    return None
