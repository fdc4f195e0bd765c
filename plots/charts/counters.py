"""Charts of the counters of a run: counts, the same on any machine."""
from plots import log
from plots.charts.bars import counter_values, name_of
from plots.ladder import timed, total


def ratio(rows, above, below):
    under = total(rows, *below)
    return total(rows, *above) / under if under else None


def _wanted(groups, label, device):
    def kinds(form, first, second):
        return [form.format(first), form.format(second)]

    requests = kinds("global_{}_requests", "load", "store")
    sectors = kinds("global_{}_sectors", "load", "store")
    instructions = kinds("shared_{}_instructions", "load", "store")
    wavefronts = kinds("shared_{}_wavefronts", "load", "store")
    return {
        "barriers": counter_values(groups, f"{label}: barriers, {device}",
                                   lambda rows: total(rows, "barriers")),
        "accesses": counter_values(groups, f"{label}: memory instructions, {device}",
                                   lambda rows: total(rows, *requests),
                                   lambda rows: total(rows, *instructions),
                                   ("global memory", "shared memory")),
        "sectors": counter_values(groups, f"{label}: sectors per request, {device}",
                                  lambda rows: ratio(rows, sectors, requests), places=2),
        "wavefronts": counter_values(groups,
                                     f"{label}: wavefronts per shared instruction, {device}",
                                     lambda rows: ratio(rows, wavefronts, instructions),
                                     places=2),
    }


def draw(charts, counters, described, device):
    groups = {}
    for row in timed(counters):
        if "variant" in row:  # what a profiler read knows kernels only
            groups.setdefault((row["step"], row["variant"]), []).append(row)
    for family in log.families(described):
        of = [(name_of(step, variant), groups[step, variant]) for at in family.steps
              for step, variant in groups if step == at]
        for name, values in _wanted(of, family.title, device).items():
            if values:
                charts.draw(f"counters-{name}.gp", f"counters-{name}-{family.name}", values)
