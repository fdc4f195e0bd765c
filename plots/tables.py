"""
Ladders as tables: text for a terminal, markdown for a page.
"""
from plots import estimates, log
from plots.family import figures
from plots.ladder import backends, counted, ladder, ladder_size, once

COUNTS = "counts of one run"
LEGEND = "sectors: of 32 bytes, of global memory; wavefronts: passes through shared memory; " \
         "barriers: of a block, once per warp"
VERIFIED = {"ok": "yes", "wrong": "WRONG", "unsynchronised": "unsynchronised"}


def text(header, cells):
    """Columns padded to align: the first two and the last to the left, numbers to the right."""
    titles = [title.split("\n") for title in header]
    most = max(map(len, titles))
    lines = [[title[at] if at < len(title) else "" for title in titles] for at in range(most)]
    lines += cells
    left = {0, 1, len(header) - 1}
    widths = [max(len(line[at]) for line in lines) for at in range(len(header))]
    out = []
    for line in lines:
        padded = [cell.ljust(width) if at in left else cell.rjust(width)
                  for at, (cell, width) in enumerate(zip(line, widths))]
        out.append("  ".join(padded).rstrip())
    out.insert(most, "  ".join("-" * width for width in widths))
    return "\n".join(out)


def markdown(header, cells, left):
    """left: the places of the columns with words."""
    rule = ["---" if at in left else "---:" for at in range(len(header))]
    lines = [[title.replace("\n", " ") for title in header], rule] + cells
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def grid(row):
    if row["blocks"] is None:
        return ""
    return f"{row['blocks']:.0f}" + (f" x {row['threads']:.0f}" if row["threads"] else "")


def place(family):
    """The title of the column that tells where on its axis a row stands."""
    return "grid" if family.over_blocks else "size"


def place_text(row, family):
    return grid(row) if family.over_blocks else family.size_text(row)


def share(row):
    """Its rate as a share of the copy's, in percent."""
    rate, copy = row["gb_per_s"], row["copy_gb_per_s"]
    return figures(100 * rate / copy) if rate is not None and copy else ""


def times(value):
    return "-" if value is None else f"{figures(value)}x"


def measured_table(rows, family, n=None):
    """The header and the cells of a ladder of times."""
    header = ["step", "variant", place(family)] + ([family.item + "s"] if family.item else [])
    header += ["median us", family.unit()]
    header += ["% of copy"] if family.measure == "gb_per_s" else []
    header += ["step", "cumulative", "verified"]
    cells = []
    n = ladder_size(rows, family) if n is None else n
    for row, speedup, total, _ in ladder(once(rows, family), family, n):
        line = [row["step"], row["variant"], place_text(row, family)]
        line += [f"{row['n']:.0f}"] if family.item else []
        line += [figures(row["median_us"]), figures(family.figure(row))]
        line += [share(row)] if family.measure == "gb_per_s" else []
        cells.append(line + [times(speedup), times(total),
                             VERIFIED.get(row["status"], row["status"])])
    return header, cells


def counted_table(rows, counters, family, n=None):
    """The same for the CPU device: counts, since its times are those of a simulation."""
    names = ["sectors", "wavefronts", "atomics", "barriers"]
    header = ["step", "variant", place(family), "launches"]
    header += [f"{name}\nper {family.element}" for name in names]
    header += ["sectors to\nstep before", "verified"]
    cells = []
    for row, counts, factor in counted(once(rows, family), counters, family, n):
        line = [row["step"], row["variant"], place_text(row, family)]
        if counts:
            line += [f"{counts['launches']:.0f}"]
            line += [figures(counts[name]) if counts[name] else "0" for name in names]
        else:
            line += [""] * (1 + len(names))
        cells.append(line + [times(factor), VERIFIED.get(row["status"], row["status"])])
    return header, cells


def columns(path, names):
    """The named columns of the rows of a CSV, as they stand there, as one text."""
    header, rows = log.table(path)
    for name in names:
        if name not in header:
            raise log.LogError(f"{path}: no column {name} (accepted: {', '.join(header)})")
    return text(names, [[cells[name] for name in names] for _, cells in rows])


def ladders(path, only=None, n=None, as_markdown=False):
    """The ladder tables of a directory of a run, or of one log, as one text."""
    rows, counters, described = log.load(path)
    estimated = estimates.read(path)
    if not rows:
        raise log.LogError(f"{path}: no measurement")
    parts, families = [], log.families(described)
    if only and only not in [family.name for family in families]:
        raise log.LogError(f"{path}: no family {only} "
                           f"(accepted: {', '.join(family.name for family in families)})")
    for family in families:
        for backend in backends(rows):
            of = [row for row in rows if row["backend"] == backend]
            if only and family.name != only or not family.of(of):
                continue
            title = f"{family.name}, on {family.of(of)[0]['device']}"
            if backend == "cuda":
                header, cells = measured_table(of, family, n)
            else:
                header, cells = counted_table(of, counters, family, n)
                title += f": {COUNTS}"
            parts.append(markdown(header, cells, {0, 1, len(header) - 1}) if as_markdown else
                         f"\n{title}\n\n{text(header, cells)}")
            if backend == "cuda" or as_markdown:
                continue
            for title, header, cells in estimates.tables(estimated, family):
                parts.append(f"\n{title}\n\n{text(header, cells)}")
    if not parts:
        raise log.LogError(f"{path}: no measurement of {only}")
    if not as_markdown and backends(rows) != ["cuda"]:
        parts.append(f"\n{LEGEND}" + (f"\n{estimates.LEGEND}" if estimated else ""))
    return "\n".join(parts)
