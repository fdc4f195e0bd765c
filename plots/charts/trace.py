"""Pictures of one warp's accesses, from what --trace wrote."""
import glob
import os

from plots import log
from plots.charts.gnuplot import quote

COLUMNS = ("lane", "offset", "bytes", "space", "kind")
COUNTS = ("lane", "offset", "bytes")


def accesses(path):
    """The accesses of a warp in a --trace file, in the order they were made."""
    header, lines = log.table(path)
    if any(column not in header for column in COLUMNS):
        return []
    made = []
    for line, row in lines:
        for column in COUNTS:
            if not row[column].isdecimal() or len(row[column]) > 18:
                raise log.LogError(f"{path}: line {line}: {column} is {row[column][:40]!r}, "
                                   "which is no count")
        kind = (row["space"], row["kind"])
        if not made or made[-1][0] != kind or \
                any(row["lane"] == other["lane"] for other in made[-1][1]):
            made.append((kind, []))
        made[-1][1].append(row)
    return made


def read(directory):
    """{path: accesses} of a directory's trace files that have any."""
    paths = sorted(glob.glob(os.path.join(glob.escape(directory), "*trace*.csv")))
    return {path: made for path in paths if (made := accesses(path))}


def words_of(pieces):
    """The words of the first lanes, which tell the rounds of a loop apart."""
    first = [f"{offset // 4:,}" for _, offset in pieces[:3]]
    return ", ".join(first) + (", …" if len(pieces) > 3 else "")


def values(kind, rows, name):
    """A picture of one access. Global addresses count from the first sector that was touched."""
    space, words = kind[0], {"load": "load from", "store": "store to"}.get(kind[1], kind[1] + " in")
    pieces = [(int(row["lane"]), int(row["offset"]) + at) for row in rows
              for at in range(0, int(row["bytes"]), 4)]
    if space == "shared":
        banks = {}
        for _, offset in pieces:
            banks.setdefault(offset // 4 % 32, set()).add(offset // 4)
        cost, least = max(map(len, banks.values())), -(-len({o // 4 for _, o in pieces}) // 32)
        cells = [(lane, offset // 4 % 32) for lane, offset in pieces]
        labels, places = [(bank, bank) for bank in range(0, 32, 4)], 32
        verdict = f"{len(banks)} of 32 banks, {cost} wavefront{'s' if cost > 1 else ''}"
        y_text, where = "bank of the word", f"words {words_of(pieces)}"
    else:
        sectors = sorted({offset // 32 for _, offset in pieces})
        cost, least = len(sectors), -(-len({o // 4 for _, o in pieces}) // 8)
        cells = [(lane, sectors.index(offset // 32)) for lane, offset in pieces]
        every = max(1, cost // 8)
        labels = [(at, f"{32 * (sectors[at] - sectors[0]):,}") for at in range(0, cost, every)]
        places = cost
        verdict = f"{cost} sector{'s' if cost > 1 else ''} of 32 bytes for " \
                  f"{4 * len({o for _, o in pieces})} bytes"
        y_text, where = "sector: bytes after the first", f"{len(pieces)} words"
    lines = ["$cells << EOD"] + [f"{lane} {place}" for lane, place in sorted(set(cells))]
    lines += ["EOD", "$labels << EOD"] + [f"{at} {quote(label)}" for at, label in labels]
    lines += ["EOD", f"title_text = {quote(f'{name}: a {words} {space} memory, {where}')}",
              'x_text = "lane of the warp"', f"y_text = {quote(y_text)}",
              f"verdict = {quote(verdict)}", f"bad = {int(cost > least)}", f"places = {places}"]
    return lines


def draw(charts, traces):
    for path, made in traces.items():
        stem = os.path.splitext(os.path.basename(path))[0]
        for at, (kind, rows) in enumerate(made, 1):
            number = f"-{at}" if len(made) > 1 else ""
            name = stem.replace("trace-", "").replace("-trace", "")
            place = f" ({at} of {len(made)})" if len(made) > 1 else ""
            charts.draw("trace.gp", f"{stem}{number}", values(kind, rows, name + place))
