"""Bars: one for each step's variant."""
from plots.charts.gnuplot import quote
from plots.family import BESIDE, figures
from plots.ladder import ladder

MOST_BARS = 18  # more would need smaller type


def name_of(step, variant):
    """What a bar is called: the step and, where it has one that says something, the variant."""
    return step if step.endswith(variant) else f"{step} {variant}"


def short(name):
    return name if len(name) <= 32 else name[:31] + "…"


def kept(entries, keep, size):
    """At most MOST_BARS entries: the smallest ones that need not stay give way."""
    entries = list(entries)
    spare = sorted((e for e in entries if not keep(e)), key=size)
    while len(entries) > MOST_BARS and spare:
        entries.remove(spare.pop(0))
    return entries


def size_words(row, family):
    text = family.size_text(row, " × ")
    if len(family.axes) > 1:
        return text
    return (text.replace("2^", "2^{") + "}" if text.startswith("2^") else text) + \
        f" {family.item or 'element'}s"


def ladder_values(rows, family):
    """Bars of what the family compares, in teaching order, with the speed-up over the step
    before."""
    table = [e for e in ladder(rows, family) if family.figure(e[0]) is not None]
    if not table:
        return None
    first = next((e[0]["step"] for e in table if e[3]), None)
    table = kept(table, lambda e: e[3] or e[0]["role"] in BESIDE,
                 lambda e: family.figure(e[0]))
    lines, longest = ["$bars << EOD"], 8
    for at, (row, speedup, _, best) in enumerate(table, 1):
        beside, figure = row["role"] in BESIDE, family.figure(row)
        label = figures(figure)
        if row["status"] != "ok":
            label += " " + row["status"]
        elif best and speedup is not None and row["step"] != first:
            label += f"   ×{speedup:.2f}"
        name = short(row["variant"] if beside else name_of(row["step"], row["variant"]))
        longest = max(longest, len(name))
        lines.append(f"{at} {figure:.6g} {2 if beside else 1 if best else 0} "
                     f"{quote(name)} {quote(label)}")
    lines.append("EOD")
    copies = sorted(e[0]["copy_gb_per_s"] for e in table if e[0]["copy_gb_per_s"])
    copy = copies[len(copies) // 2] if copies and family.measure == "gb_per_s" else 0
    most = max(family.figure(e[0]) for e in table)
    row = table[0][0]
    title = f"{family.title} at {size_words(row, family)}, {row['device']}"
    return lines + [
        f"title_text = {quote(title)}",
        f"x_text = {quote(f'{family.unit_words()}; × is the speed-up over the step before')}",
        f"bars = {len(table)}", f"longest = {longest}", f"top = {1.12 * max(most, copy):.6g}",
        f"ceiling_at = {copy:.6g}",
        f"ceiling_text = {quote(f'a copy: {copy:.0f} GB/s')}",
    ]


def counter_values(groups, title, first, second=None, names=(), places=0):
    """Bars of counters, from [(name, rows of one step's variant)]; first and second take the rows
    and give the two parts of a bar, called names."""
    bars = [(name, first(rows) or 0, (second(rows) or 0) if second else 0)
            for name, rows in groups if first(rows) is not None]
    bars = kept(bars, lambda bar: False, lambda bar: bar[1] + bar[2])
    most = max((a + b for _, a, b in bars), default=0)
    if most <= 0:
        return None
    lines = ["$bars << EOD"]
    for at, (name, a, b) in enumerate(bars, 1):
        label = f"{a + b:,.0f}" if not places else f"{a + b:.{places}f}"
        lines.append(f"{at} {a:.10g} {b:.10g} {quote(short(name))} {quote(label)}")
    lines += ["EOD", f"title_text = {quote(title)}", f"bars = {len(bars)}",
              f"longest = {max(len(short(name)) for name, _, _ in bars)}",
              f"top = {1.16 * most:.8g}", f"parts = {2 if second else 1}", "array part_name[2]"]
    lines += [f"part_name[{at}] = {quote(name)}" for at, name in enumerate(names, 1)]
    return lines
