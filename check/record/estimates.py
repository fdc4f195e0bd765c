"""
Estimates beside what an H200 took: which rows of its log are estimated, and how far off the estimates are.

A row is estimated at the grid that the log has. Not estimated are: variants whose blocks wait for each other,
since counters do not show how long; sizes below 2^16, whose times are the launches'; histograms above 2^18,
which the CPU device counts in pieces.
"""
import csv
import os
import tempfile

from support import SOURCE, describe, rows_of, run, step

DEVICE = os.path.join(SOURCE, "plots/data/nvidia-h200")
MACHINE = os.path.join(DEVICE, "machine.json")
RECORD = os.path.join(SOURCE, "plots/data/cpu-device/estimates.csv")
SIZES = [2**16, 2**18, 2**20, 2**22]
MOST_IN_PIECES = {"histogram": 2**18}
NOT = {"limits"}  # groups: they measure what the machine file has
# Of the log's columns, those that make a row another one, and the options that ask for the same.
OPTIONS = {"blocks": "-b", "threads": "-t", "bins": "--bins", "keep": "--keep", "segment": "--segment"}
KEY = ["step", "variant", "n", "rows", "cols", *OPTIONS]
COLUMNS = [*KEY, "measured_us", "estimated_us", "waits_for"]


def covered(row):
    """Is this row of the log one that is estimated?"""
    told = describe(row["step"])
    variant = next((v for v in told["variants"] if v["name"] == row["variant"]), None)
    flags = variant["flags"] if variant else []
    return (row["role"] == "step" and row["cache"] == "warm" and row["status"] == "ok" and
            row["type"] == told["types"][0] and row["input"] in (told["inputs"][:1] or [""]) and
            variant and "waits" not in flags and "wrong_on_purpose" not in flags and
            told["group"] not in NOT and int(row["n"]) in SIZES and
            int(row["n"]) <= MOST_IN_PIECES.get(told["family"], int(row["n"])))


def key_of(row):
    return tuple(row.get(column) or "" for column in KEY)


def measured(known):
    """{key: microseconds} of the log's rows of steps that this build has; of equal ones the last."""
    return {key_of(row): float(row["median_us"]) for row in rows_of(os.path.join(DEVICE, "log.csv"))
            if row["step"] in known and covered(row)}


def estimate(key, machine=MACHINE):
    """(the row of the estimate or None, the run)"""
    row = dict(zip(KEY, key))
    size = f"{row['rows']}x{row['cols']}" if row["rows"] else row["n"]
    options = [word for column, option in OPTIONS.items() if row[column]
               for word in (option, row[column])]
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "log.csv")
        done = run(step(row["step"]), "-v", row["variant"], "-n", size, *options, "-q",
                   f"--estimate={machine}", "--log", log)
        rows = rows_of(log[:-4] + "-estimates.csv")
    return (rows[0] if done.status == 0 and len(rows) == 1 else None), done


def write(path, rows):
    """rows: (key, measured, the row of the estimate)"""
    with open(path, "w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(COLUMNS)
        for key, us, found in rows:
            out.writerow([*key, f"{us:.4g}", found["estimated_us"], found["waits_for"]])


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


def summary(rows):
    """The lines of estimates.txt: how far off, by size, and the worst."""
    yield f"{'elements':>10}{'rows':>7}{'mean error':>12}{'median':>9}{'4 of 5 within':>15}{'worst':>8}" \
          f"{'pairs in order':>18}"
    for size in [*SIZES, 0]:
        chosen = [row for row in rows if not size or int(row["n"]) == size]
        if not chosen:
            continue
        off = sorted(100 * abs(error) for error, _ in errors(chosen))
        right, every = pairs(chosen)
        name = f"2^{size.bit_length() - 1}" if size else "all"
        yield f"{name:>10}{len(off):7d}{sum(off) / len(off):10.1f} %{off[len(off) // 2]:7.1f} %" \
              f"{off[4 * len(off) // 5]:13.1f} %{off[-1]:6.0f} %{right:10d} of {every}"
    yield ""
    yield f"{'the worst':<38}{'elements':>9}{'measured us':>13}{'estimated':>11}{'error':>8}  waits for"
    for error, row in errors(rows)[:12]:
        name = f"{row['step']} {row['variant']}" + (f", {row['bins']} bins" if row["bins"] else "")
        yield f"{name:<38}{'2^' + str(int(row['n']).bit_length() - 1):>9}" \
              f"{float(row['measured_us']):13.4g}{float(row['estimated_us']):11.4g}" \
              f"{100 * error:+7.0f} %  {row['waits_for']}"


def make(out):
    """estimates.csv and estimates.txt in the directory; False: there is no machine file."""
    from support import parallel, steps
    if not os.path.exists(MACHINE):
        return False
    keys = measured(set(steps()))
    found = []
    for key, (row, done) in zip(keys, parallel(estimate, keys)):
        if row is None:
            raise RuntimeError(f"{' '.join(key)}: {done}")
        found.append((key, keys[key], row))
    write(os.path.join(out, "estimates.csv"), found)
    with open(os.path.join(out, "estimates.txt"), "w", encoding="utf-8") as file:
        file.writelines(line.rstrip() + "\n" for line in summary(rows_of(os.path.join(out, "estimates.csv"))))
    return True
