"""Bars: one for each step's variant, or for each kind of input."""
import re

from plots.charts.gnuplot import quote
from plots.charts.titles import tick_lines, titles
from plots.family import BESIDE, figures, power
from plots.ladder import at_another_size, ladder, ladder_size, lesson_ladder, main_size

MOST_BARS = 24  # more would need smaller type
COPY = "cudaMemcpy"  # the ceiling: a copy by the library, and no kernel of a step's
TIE = 1.01  # times that differ by less are equal
ALIKE = 1.1  # bars that differ by less look the same


def name_of(step, variant):
    """What a bar is called: the step and, where it has one that says something, the variant."""
    return step if step.endswith(variant) else f"{step} {variant}"


def is_copy(row, family):
    """Whether it is the copy that the series compares with, in the log as a variant."""
    return row["role"] == "ceiling" and row["variant"] in family.libraries


def beside_name(row, family):
    """What a row is called that is no step's: a step's own copy is a kernel, and no ceiling."""
    if is_copy(row, family):
        return COPY
    return f"{row['variant']} kernel" if row["role"] == "ceiling" else row["variant"]


def short(name):
    return name if len(name) <= 32 else name[:31] + "…"


def kept(entries, keep, size):
    """At most MOST_BARS entries: the smallest ones that need not stay give way."""
    entries = list(entries)
    spare = sorted((e for e in entries if not keep(e)), key=size)
    while len(entries) > MOST_BARS and spare:
        entries.remove(spare.pop(0))
    return entries


def tells(figures_of):
    """Whether bars show something that a sentence would not: at least two stand out from what most of them are, or
    there are just two; and most are not zero."""
    figures_of = sorted(figures_of)
    groups = []  # of bars that look the same
    for figure in figures_of:
        if groups and figure <= groups[-1][0] * ALIKE:
            groups[-1].append(figure)
        else:
            groups.append([figure])
    most = max(map(len, groups), default=0)
    zeros = sum(figure == 0 for figure in figures_of)
    return len(groups) > 1 and (len(figures_of) - most > 1 or len(figures_of) == 2) and 2 * zeros <= len(figures_of)


def size_words(row, family, but=None):
    """Its size in a title, without axes that are as usual."""
    text = family.size_text(row, " × ", f" {family.elements}", but)
    usual = [f"{axis} {power(row[axis])}" for axis in family.axes
             if axis not in family.sides and row.get(axis) is not None and not family.in_title(axis, row)]
    text = ", ".join(part for part in text.split(", ") if part not in usual)
    return re.sub(r"2\^(\d+)", r"2^{\1}", text)


def ladder_values(rows, family):
    """Bars of what the family compares, in teaching order, with the speed-up over the step
    before."""
    n = ladder_size(rows, family)
    table = ladder(rows, family, n)
    elsewhere = at_another_size([e[0] for e in table], n)
    table = [e for e in table if id(e[0]) not in elsewhere]
    return table and bars_of(table, family, size_words(table[0][0], family))


def lesson_values(lesson, rows, family):
    """The same of a lesson; None where not even two steps have rows of it."""
    table = lesson_ladder(lesson, rows, family)
    if len({row["step"] for row, *_ in table}) < 2:
        return None
    return bars_of(table, family, lesson.title(family), lesson)


def bars_of(table, family, where, lesson=None):
    """lesson: whose grid the bars have, but for those that say another."""
    # The library's copy is the line, and no bar.
    table = [e for e in table if family.figure(e[0]) is not None and not is_copy(e[0], family)]
    if not table:
        return None
    fastest = {e[0]["step"]: family.cost(e[0]) for e in table if e[3]}
    first = next((e[0]["step"] for e in table if e[3]), None)
    table = kept(table, lambda e: e[3] or e[0]["role"] in BESIDE,
                 lambda e: family.figure(e[0]))
    lines, longest = ["$bars << EOD"], 8
    for at, (row, speedup, _, best) in enumerate(table, 1):
        beside, figure = row["role"] in BESIDE, family.figure(row)
        label = figures(figure)
        tied = not beside and row["status"] == "ok" and \
            family.cost(row) < TIE * fastest.get(row["step"], 0)
        if row["status"] != "ok":
            label += " " + row["status"]
        elif best and speedup is not None and row["step"] != first:
            label += "   =" if 1 / TIE < speedup < TIE else f"   ×{speedup:.2f}"
        if lesson and row["blocks"] and not lesson.has_grid(row):
            label += f"   with {row['blocks']:.0f} × {row['threads']:.0f}"
        name = short(beside_name(row, family) if beside else name_of(row["step"], row["variant"]))
        longest = max(longest, len(name))
        lines.append(f"{at} {figure:.6g} {2 if beside else 1 if best or tied else 0} "
                     f"{quote(name)} {quote(label)}")
    lines.append("EOD")
    copies = sorted(e[0]["copy_gb_per_s"] for e in table if e[0]["copy_gb_per_s"])
    copy = copies[len(copies) // 2] if copies and family.measure == "gb_per_s" else 0
    most = max(family.figure(e[0]) for e in table)
    row = table[0][0]
    good = "shorter" if family.measure == "us_per_item" else "longer"
    hints = [f"{good} is faster"] + [f"{sign} {words}" for sign, words in (
        ("×", "over the step before"), ("=", f"within {100 * TIE - 100:.0f} %")) if any(sign in line for line in lines)]
    top = 1.12 * max(most, copy)
    return lines + titles(family.title, family.quantity(), f"{where}, {row['device']}",
                          hint="; " + ", ".join(hints)) + tick_lines(top) + [
        f"bars = {len(table)}", f"longest = {longest}", f"top = {top:.6g}",
        f"ceiling_at = {copy:.6g}",
        f"ceiling_text = {quote(f'{COPY}: {copy:.0f} GB/s')}",
    ]


def best_of_last(rows, family):
    """(step, variant) of the last step's best, or None."""
    best = [(row["step"], row["variant"]) for row, _, _, is_best in ladder(rows, family) if is_best]
    return best[-1] if best else None


def by_input(rows, family, plain):
    """{input: {variant: row}} of the last step's best variant and of the peers, at the main size of
    the plain rows; of several the one with the most runs, then the later."""
    ours, (size, n), table = best_of_last(plain, family), main_size(plain, family), {}
    for row in rows:
        wanted = (row["step"], row["variant"]) == ours or row["role"] == "peer"
        if not wanted or (family.size(row), row["n"]) != (size, n) or not family.figure(row):
            continue
        of = table.setdefault(family.input_of(row), {})
        before = of.get(row["variant"])
        if not before or (row["runs"] or 0) >= (before["runs"] or 0):
            of[row["variant"]] = row
    order = [kind for kind in family.inputs if kind in table]
    return {kind: table[kind] for kind in order + [k for k in table if k not in order]}


def inputs_values(rows, family, plain):
    """A bar for each kind of input: the last step's best, then the peers, with how often as fast as
    the fastest of them it is. rows: of all inputs; plain: of the default one."""
    table = by_input(rows, family, plain)
    if len(table) < 2:
        return None
    lines, longest, at, most = ["$bars << EOD"], 8, 0, 0
    for kind, of in table.items():
        peers = [family.cost(row) for row in of.values() if row["role"] == "peer"]
        for row in sorted(of.values(), key=lambda row: row["role"] == "peer"):
            peer, figure, at = row["role"] == "peer", family.figure(row), at + 1
            label = figures(figure) + ("" if row["status"] == "ok" else " " + row["status"])
            if not peer and peers and row["status"] == "ok":
                label += f"   ×{min(peers) / family.cost(row):.2f}"
            name = short(f"{kind}: {row['variant']}")
            longest, most = max(longest, len(name)), max(most, figure)
            lines.append(f"{at} {figure:.6g} {2 if peer else 1} {quote(name)} {quote(label)}")
    row = next(iter(next(iter(table.values())).values()))
    return lines + ["EOD", *titles(family.title + " by input", family.quantity(),
                                   f"{size_words(row, family)}, {row['device']}",
                                   hint="; × is the speed-up over the library"), *tick_lines(1.12 * most),
                    f"bars = {at}", f"longest = {longest}", f"top = {1.12 * most:.6g}",
                    "ceiling_at = 0", 'ceiling_text = ""']


def library_values(rows, family):
    """For each variant whose name, behind a hyphen, ends that of a peer: how often as fast it is.
    Of a family whose variants do different things, each with a library's function to compare with."""
    table = [row for row, *_ in ladder(rows, family)
             if row["status"] == "ok" and family.figure(row)]
    peers, lines, longest, at, most = [r for r in table if r["role"] == "peer"], [], 8, 0, 1
    factors = []
    for row in table:
        same = [peer for peer in peers if peer["step"] == row["step"] and
                peer["variant"].endswith("-" + row["variant"]) and
                (family.size(peer), peer["n"]) == (family.size(row), row["n"])]
        if row["role"] != "step" or not same:
            continue
        factor, at = min(map(family.cost, same)) / family.cost(row), at + 1
        factors.append(factor)
        label = f"×{factor:.3f}   {figures(family.figure(row))} {family.unit()}"
        longest, most = max(longest, len(row["variant"])), max(most, factor)
        lines.append(f"{at} {factor:.6g} {1 if factor >= 1 else 0} {quote(short(row['variant']))} "
                     f"{quote(label)}")
    if not tells(factors):
        return None
    return ["$bars << EOD", *lines, "EOD",
            *titles(family.title, ("speed-up over the library", ""),
                    f"{size_words(table[0], family)}, {table[0]['device']}",
                    hint=", its function that does the same"), *tick_lines(1.4 * most),
            f"bars = {at}", f"longest = {longest}", f"top = {1.4 * most:.6g}", "ceiling_at = 1",
            f"ceiling_text = {quote('the library')}"]


def counter_values(groups, heads, first, second=None, names=(), places=0):
    """Bars of counters, from [(name, rows of one step's variant)]; first and second take the rows
    and give the two parts of a bar, called names. heads: the lines of titles()."""
    bars = [(name, first(rows) or 0, (second(rows) or 0) if second else 0)
            for name, rows in groups if first(rows) is not None]
    bars = kept(bars, lambda bar: False, lambda bar: bar[1] + bar[2])
    most = max((a + b for _, a, b in bars), default=0)
    if not tells([a + b for _, a, b in bars]):
        return None
    lines = ["$bars << EOD"]
    for at, (name, a, b) in enumerate(bars, 1):
        label = f"{a + b:,.0f}" if not places else f"{a + b:.{places}f}"
        lines.append(f"{at} {a:.10g} {b:.10g} {quote(short(name))} {quote(label)}")
    lines += ["EOD", *heads, *tick_lines(1.16 * most), f"bars = {len(bars)}",
              f"longest = {max(len(short(name)) for name, _, _ in bars)}",
              f"top = {1.16 * most:.8g}", f"parts = {2 if second else 1}", "array part_name[2]"]
    lines += [f"part_name[{at}] = {quote(name)}" for at, name in enumerate(names, 1)]
    return lines
