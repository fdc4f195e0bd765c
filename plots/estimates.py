"""
The ladder of estimated times, of a run on the CPU device: estimates.csv, which --estimate appends to.
"""
import csv
import os

from plots.family import figures, number

# Two estimates that are less apart are no different: of pairs further apart, 95 % are in the order
# of an H200's log (check/cases/estimates).
APART = 1.15
HEADER = ["step", "variant", "elements", "estimated us", "range", "GB/s", "step", "waits for (us)"]
LEGEND = "estimated: from counters of the CPU device and the machine file of that GPU, not " \
         "measured; range: four of five\nestimates are no further off; no difference: less than 15 % " \
         "apart; at least: blocks wait for each other, which\ncounters do not show; at most: not all variants of " \
         "the step before are estimated; docs/estimate.md"


def read(path):
    """The rows beside a log, or of a directory of a run."""
    base = os.path.join(path, "estimates.csv") if os.path.isdir(path) else \
        os.path.splitext(path)[0] + "-estimates.csv"
    try:
        with open(base, newline="", encoding="utf-8", errors="replace") as file:
            return [row for row in csv.DictReader(file) if number(row.get("estimated_us"))]
    except (OSError, csv.Error):
        return []


def size(row):
    n = int(row["n"])
    return f"2^{n.bit_length() - 1}" if n and not n & (n - 1) else str(n)


def speedup(us, before, whole):
    """In words: against the fastest of the step before; whole: all of its variants are estimated."""
    ratio = before / us
    if not whole:
        return f"at most {figures(ratio)}x"
    return "no difference" if 1 / APART < ratio < APART else f"{figures(ratio)}x"


def tables(rows, family):
    """(the title, the header, the cells) of each device that rows of the family are of."""
    rows = [row for row in rows if row["step"] in family.steps]
    for device in dict.fromkeys(row["device"] for row in rows):
        of = sorted((row for row in rows if row["device"] == device),
                    key=lambda row: family.steps.index(row["step"]))
        best, known, cells = {}, {}, []
        for row in of:
            us, bound = number(row["estimated_us"]), row["kind"] == "bound"
            before = [(best[step, row["n"]], known[step, row["n"]] >= family.variants.get(step, set()))
                      for step in family.steps[:family.steps.index(row["step"])]
                      if (step, row["n"]) in best]
            cells.append([row["step"], row["variant"], size(row),
                          ("at least " if bound else "") + figures(us),
                          "" if bound else f"{figures(number(row['least_us']))} to "
                                           f"{figures(number(row['most_us']))}",
                          row["gb_per_s"] and ("at most " if bound else "") + figures(number(row["gb_per_s"])),
                          "-" if bound or not before else speedup(us, *before[-1]),
                          f"{row['waits_for']} {figures(number(row['part_us']))}, then "
                          f"{row['then_for']} {figures(number(row['then_us']))}"])
            if not bound:
                key = row["step"], row["n"]
                best[key] = min(best.get(key, us), us)
                known.setdefault(key, set()).add(row["variant"])
        yield f"{family.name}: estimated for {device} from counters, not measured", HEADER, cells
