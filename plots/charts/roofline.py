"""The roofline: what each step reaches, against how much it computes per byte that it asks for."""
import os

from plots import log, recorded
from plots.charts import names
from plots.charts.bars import short
from plots.charts.gnuplot import quote
from plots.charts.titles import titles
from plots.family import BESIDE, number
from plots.ladder import ladder, timed, total

# Counts are the same on any machine, so those of the CPU device serve for a GPU's times.
COUNTED = recorded.place(device=recorded.CPU)
SECTOR = 32  # bytes
FLOPS = {"flops_fma": 2, "flops_add": 1, "flops_mul": 1}


def counted(family):
    """{(step, variant): (row, counters of a run)}, as the record of the CPU device has them."""
    if not os.path.isdir(COUNTED):
        return {}
    counters, found = log.read_counters(COUNTED), {}
    for row in timed(counters):
        found.setdefault((row["step"], row["variant"]), []).append(row)
    return {key: of for key, of in found.items() if key[0] in family.steps}


def intensity(row, counters):
    """
    Operations per byte at the size of the row. The counters are of another, smaller size, with whole
    tiles. Loads grow with the operations; stores, of which there are few, are left out.
    """
    loads, counted_n = total(counters, "global_load_sectors"), number(counters[0].get("n"))
    flops = sum(weight * total(counters, name) for name, weight in FLOPS.items())
    flops = flops or (row["flops"] / row["n"] * counted_n if row["flops"] and row["n"] else 0)
    return flops / (SECTOR * loads) if loads and flops else None


def peak(rows, family):
    """The highest rate that another family of the same log has measured with floats, or None: that of
    multiply-adds alone."""
    return max((row["gflop_per_s"] for row in rows if row["step"] not in family.steps
                and row["type"] == "f32" and row["gflop_per_s"] and row["status"] == "ok"),
               default=None)


def values(rows, family, everything):
    """rows: the family's; everything: of all families, for the roof."""
    counters, points, peers, shown = counted(family), [], [], ladder(rows, family)
    for row, _, _, best in shown:
        if row["role"] in BESIDE:
            peers.append((row["variant"], row["gflop_per_s"]))
            continue
        of = counters.get((row["step"], row["variant"]))
        x = intensity(row, of) if of and row["gflop_per_s"] else None
        if x:
            points.append((x, row["gflop_per_s"], row["step"], row["variant"], best))
    if len(points) < 2:
        return None
    copies = sorted(row["copy_gb_per_s"] for row in rows if row["copy_gb_per_s"])
    roof = peak(everything, family)
    tops = [y for _, y, _, _, _ in points] + [y for _, y in peers if y] + ([roof] if roof else [])
    heads = titles(f"{family.title}, roofline", family.quantity("gflop_per_s"),
                   f"{family.size_text(shown[0][0], ' × ')}, {rows[0]['device']}",
                   ("operations per byte", "of global memory that is requested"))
    left, right = 0.6 * min(p[0] for p in points), 2.2 * max(p[0] for p in points)
    bottom, top = 0.5 * min(p[1] for p in points), 2 * max(tops)
    lines = [*heads, f"copy = {copies[-1] if copies else 0:.6g}", f"roof = {roof or 0:.6g}",
             f"left = {left:.6g}", f"right = {right:.6g}", f"bottom = {bottom:.6g}", f"top = {top:.6g}",
             f"peers = {len(peers)}", "array peer_name[10]", "array peer_rate[10]"]
    for at, (name, rate) in enumerate(peers[:10], 1):
        lines += [f"peer_name[{at}] = {quote(name)}", f"peer_rate[{at}] = {rate or 0:.6g}"]
    places = [names.Name((x, y), short(step if best else variant), 28 if best else 24)
              for x, y, step, variant, best in points]
    places.sort(key=lambda name: -name.letters)
    taken = [name.point for name in places]
    if roof:
        taken += [(left * (right / left) ** (i / 50), roof) for i in range(50)]
    names.place(places, taken, ((left, right), (bottom, top)))
    lines += names.lines(places) + ["$points << EOD"]
    lines += [f"{x:.6g} {y:.6g} {int(best)}" for x, y, _, _, best in points]
    return lines + ["EOD"]
