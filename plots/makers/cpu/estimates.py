"""
Estimates beside what an H200 took: which rows of its log are estimated, and how far off the estimates are.

A row is estimated at the grid that the log has. Of variants whose blocks wait for each other there is but a
bound, and sizes below 2^16 are not estimated: they take no part. What the programs refuse to estimate is
listed with their reasons.
"""
import collections
import csv
import os
import re
import tempfile

from common.commands.drive.support import SOURCE, describe, rows_of, run, step
from plots import recorded

DEVICE = recorded.place()
MACHINE = os.path.join(DEVICE, "machine.json")
RECORD = os.path.join(SOURCE, "plots/devices/cpu-device/estimates.csv")
SIZES = [2**16, 2**18, 2**20, 2**22, 2**24, 2**26, 2**28]
ALONE = {"fft": 2**27}  # families that have one size
# Groups: limits measure what the machine file has, overlap the bus, a head of attention is too much to count, and the
# others' addresses depend on the data.
NOT = {"limits", "overlap", "attention", "hattention", "histogram", "compact"}
SIDES = [2**10, 2**11, 2**12, 2**13]  # of products of matrices, which are square here: three sides
# Of the log's columns, those that make a row another one, and the options that ask for the same.
OPTIONS = {"blocks": "-b", "threads": "-t", "bins": "--bins", "keep": "--keep", "segment": "--segment",
           "length": "--length"}
KEY = ["step", "variant", "n", "rows", "cols", "depth", *OPTIONS]
COLUMNS = [*KEY, "measured_us", "estimated_us", "waits_for", "refused"]


def sides(told):
    return [axis for axis in told["axes"] if axis["option"] == "size"]


def has_size(told, row):
    """Is the row of one of the sizes that are estimated?"""
    if len(sides(told)) == 3:
        return row["rows"] == row["cols"] == row["depth"] and int(row["rows"]) in SIDES
    return int(row["n"]) in (SIZES if told["family"] not in ALONE else [ALONE[told["family"]]])


def takes(variant, row):
    """Has the variant, as it is now, the row's values of an axis?"""
    return all(int(row[axis]) in values for axis, values in variant["takes"].get("only", {}).items())


def covered(row):
    """Is this row of the log one that is estimated?"""
    told = describe(row["step"])
    variant = next((v for v in told["variants"] if v["name"] == row["variant"]), None)
    flags = variant["flags"] if variant else []
    return (row["role"] == "step" and row["cache"] == "warm" and row["status"] == "ok" and
            row["type"] == told["types"][0] and row["input"] in (told["inputs"][:1] or [""]) and
            variant and takes(variant, row) and "waits" not in flags and "wrong_on_purpose" not in flags and
            told["group"] not in NOT and has_size(told, row))


def key_of(row):
    return tuple(row.get(column) or "" for column in KEY)


def measured(known):
    """{key: microseconds} of the log's rows of steps that this build has; of equal ones that with the most
    runs, then the last."""
    found = {}
    for row in rows_of(os.path.join(DEVICE, "log.csv")):
        if row["step"] in known and covered(row):
            key, runs = key_of(row), int(row["runs"])
            if key not in found or runs >= found[key][0]:
                found[key] = runs, float(row["median_us"])
    return {key: us for key, (_, us) in found.items()}


def estimate(key, machine=MACHINE):
    """(the row of the estimate, or why there is none; the run)"""
    row = dict(zip(KEY, key))
    size = "x".join(row[side] for side in ("rows", "cols", "depth") if row[side]) or row["n"]
    takes = next(v["takes"] for v in describe(row["step"])["variants"] if v["name"] == row["variant"])
    options = [word for column, option in OPTIONS.items()
               if row[column] and not (column == "threads" and takes["threads_by_size"])
               for word in (option, row[column])]
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "log.csv")
        done = run(step(row["step"]), "-v", row["variant"], "-n", size, *options,
                   f"--estimate={machine}", "--log", log, limit=600)
        rows = rows_of(log[:-4] + "-estimates.csv")
    if done.status == 0 and len(rows) == 1:
        return rows[0], done
    said = re.search(r"not estimated for [^:]*: (.*)", done.out)
    if done.status == 0 and said:
        return said[1], done
    raise RuntimeError(f"{' '.join(key)}: {done}")


def write(path, rows):
    """rows: (key, measured, the row of the estimate or why there is none)"""
    with open(path, "w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(COLUMNS)
        for key, us, found in rows:
            told = ("", "", found) if isinstance(found, str) else \
                (found["estimated_us"], found["waits_for"], "")
            out.writerow([*key, f"{us:.4g}", *told])


def estimated(rows):
    """The record's rows that are estimated."""
    return [row for row in rows if row["estimated_us"]]


def errors(rows):
    """[(error, row)] of the record's rows, the error as a part of what was measured, the worst first."""
    return sorted(((float(row["estimated_us"]) / float(row["measured_us"]) - 1, row) for row in rows),
                  key=lambda pair: -abs(pair[0]))


def pairs(rows, apart=1.15):
    """(in the right order, all) of the variants that the log puts further apart than that, at equal n."""
    right = every = 0
    for at, a in enumerate(rows):
        for b in rows[:at]:
            x, y = float(a["measured_us"]), float(b["measured_us"])
            if a["n"] == b["n"] and max(x, y) > apart * min(x, y):
                every += 1
                right += (x < y) == (float(a["estimated_us"]) < float(b["estimated_us"]))
    return right, every


def pairs_told(rows, apart):
    """The same of those that are estimated further apart than that, and measured a hundredth apart."""
    right = every = 0
    for at, a in enumerate(rows):
        for b in rows[:at]:
            x, y = float(a["estimated_us"]), float(b["estimated_us"])
            u, v = float(a["measured_us"]), float(b["measured_us"])
            if a["n"] == b["n"] and max(x, y) > apart * min(x, y) and max(u, v) > 1.01 * min(u, v):
                every += 1
                right += (x < y) == (u < v)
    return right, every


def summary(rows):
    """The lines of estimates.txt: how far off, by size, the worst, and what is not estimated."""
    every, rows = rows, estimated(rows)
    yield f"{'elements':>10}{'rows':>7}{'mean error':>12}{'median':>9}{'4 of 5 within':>15}{'worst':>8}" \
          f"{'pairs in order':>18}"
    for size in sorted({*SIZES, *ALONE.values(), *(side**3 for side in SIDES)}) + [2**20 + 1, 0]:
        chosen = [row for row in rows if size in (0, int(row["n"])) or
                  (size == 2**20 + 1 and int(row["n"]) >= 2**20)]
        if not chosen:
            continue
        off = sorted(100 * abs(error) for error, _ in errors(chosen))
        right, all_pairs = pairs(chosen)
        name = "from 2^20" if size & 1 else f"2^{size.bit_length() - 1}" if size else "all"
        yield f"{name:>10}{len(off):7d}{sum(off) / len(off):10.1f} %{off[len(off) // 2]:7.1f} %" \
              f"{off[4 * len(off) // 5]:13.1f} %{off[-1]:6.0f} %{right:10d} of {all_pairs}"
    yield ""
    yield f"{'the worst':<38}{'elements':>9}{'measured us':>13}{'estimated':>11}{'error':>8}  waits for"
    for error, row in errors(rows)[:12]:
        name = f"{row['step']} {row['variant']}" + (f", {row['bins']} bins" if row["bins"] else "")
        yield f"{name:<38}{'2^' + str(int(row['n']).bit_length() - 1):>9}" \
              f"{float(row['measured_us']):13.4g}{float(row['estimated_us']):11.4g}" \
              f"{100 * error:+7.0f} %  {row['waits_for']}"
    yield ""
    refused = collections.Counter((row["refused"], row["step"]) for row in every if row["refused"])
    yield "not estimated"
    for why in dict.fromkeys(why for why, _ in refused):
        of = {name: count for (said, name), count in refused.items() if said == why}
        yield f"{sum(of.values()):4d} rows: {why}: {' '.join(of)}"


def make(out):
    """estimates.csv and estimates.txt in the directory; False: there is no machine file."""
    from common.commands.drive.support import parallel, steps
    if not os.path.exists(MACHINE):
        return False
    keys = measured(set(steps()))
    found = []
    for key, (row, _) in zip(keys, parallel(estimate, keys)):
        found.append((key, keys[key], row))
    write(os.path.join(out, "estimates.csv"), found)
    with open(os.path.join(out, "estimates.txt"), "w", encoding="utf-8") as file:
        file.writelines(line.rstrip() + "\n" for line in summary(rows_of(os.path.join(out, "estimates.csv"))))
    return True
