"""Charts of the counters of a run: counts, the same on any machine. In all of them short is good."""
from plots import log
from plots.charts.bars import counter_values, name_of
from plots.charts.titles import titles
from plots.family import number, power
from plots.ladder import timed, total

SECTOR = 32  # bytes


def per_element(rows, columns, factor=1):
    n = number(rows[0].get("n"))
    return factor * total(rows, *columns) / n if n else None


def above_fewest(rows, wavefronts):
    """Passes through shared memory as a multiple of the fewest, which need no second pass in a bank."""
    passes = total(rows, *wavefronts)
    fewest = passes - total(rows, "bank_conflicts")
    return passes / fewest if fewest > 0 else None


def _wanted(groups, label, element, where):
    def kinds(form):
        return [form.format(kind) for kind in ("load", "store")]

    def heads(words, unit, more=""):
        return titles(label, (words, unit), where, hint=more + "; short is good")

    requests, sectors = kinds("global_{}_requests"), kinds("global_{}_sectors")
    instructions, wavefronts = kinds("shared_{}_instructions"), kinds("shared_{}_wavefronts")
    return {
        "barriers": counter_values(groups, heads("barriers of blocks", "counted once per warp"),
                                   lambda rows: total(rows, "barriers")),
        "accesses": counter_values(groups, heads("memory instructions", "counted once per warp"),
                                   lambda rows: total(rows, *requests),
                                   lambda rows: total(rows, *instructions),
                                   ("global memory", "shared memory")),
        "sectors": counter_values(groups, heads(f"bytes of sectors per {element}", ""),
                                  lambda rows: per_element(rows, sectors[:1], SECTOR),
                                  lambda rows: per_element(rows, sectors[1:], SECTOR),
                                  ("loads", "stores"), places=2),
        "wavefronts": counter_values(groups, heads("wavefronts", "as a multiple of the fewest",
                                                   ": 1 is without bank conflicts"),
                                     lambda rows: above_fewest(rows, wavefronts), places=2),
    }


def polls(steps):
    """Whether what they count depends on how often a wait polls: then a chart shows the simulator."""
    return any(step["measure"] == "us_per_item" and "waits" in variant.get("flags", [])
               for step in steps for variant in step["variants"])


def named(groups, family):
    """[(name, rows)] and the size for the title: the one that most have; the others say theirs."""
    sizes = [rows[0].get("n") for _, rows in groups]
    usual = max(sizes, key=lambda n: (sizes.count(n), number(n) or 0))

    def name(key, n):
        return name_of(*key) + ("" if n == usual else f", n = {power(n)}" if number(n) else "")

    size = power(number(usual) or 0).replace("2^", "2^{") + ("}" if "^" in power(number(usual) or 0)
                                                             else "")
    return [(name(key, rows[0].get("n")), rows) for key, rows in groups], f"{size} {family.elements}"


def draw(charts, counters, described, device):
    groups = {}
    for row in timed(counters):
        if "variant" in row:  # what a profiler read knows kernels only
            groups.setdefault((row["step"], row["variant"]), []).append(row)
    for family in log.families(described):
        of = [(key, groups[key]) for step in family.steps for key in groups if key[0] == step]
        if not of or polls([step for step in described if step["family"] == family.name]):
            continue
        of, size = named(of, family)
        for name, values in _wanted(of, family.title, family.element,
                                    f"{size}, {device}").items():
            if values:
                charts.draw("counters.gp", f"counters-{name}-{family.name}", values)
