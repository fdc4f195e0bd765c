"""
What steps/table and plots/draw make of logs that are not as a program leaves them
today: older and wider ones, and libraries of any name. The samples are check/data's.
"""
import glob
import json
import os
import re
import tempfile

from check.sample import DRAW, TABLE, Copy, read, refused, write
from common.commands.drive.support import SOURCE, case, leave, run


def unknown_peer(scratch):
    """A role makes a peer, not a name; describe.json need not know it."""
    copy, known = Copy(scratch, "gpu", "peer"), Copy(scratch, "gpu", "known")
    for row in copy.rows:
        row["variant"] = "thrust" if row["variant"] == "cub" else row["variant"]
    for step in copy.described:
        step["variants"] = [v for v in step["variants"] if v["role"] == "step"]
    other = [dict(row, step="reduce1", median_us="100", gb_per_s="9999") for row in copy.rows
             if row["step"] == "reduce7" and row["variant"] == "thrust"]
    copy.save()
    done = copy.table()
    case([line.split() for line in done.out.replace("thrust", "cub").split("\n")] ==
         [line.split() for line in copy.wanted.split("\n")],
         "a peer of an unknown name stands in the table as any other", done)
    charts, before = copy.charts(), known.charts()
    for name in ("ladder-reduce.svg", "rate-reduce.svg", "ladder-scan.svg"):
        case(">thrust<" in charts.get(name, "") and
             charts[name].replace(">thrust<", ">cub<") == before[name],
             f"and is drawn as any other in {name}")
    copy.rows[:0] = other
    copy.save()
    again = copy.table()
    case(again.out == done.out, "a peer stands once in the table", again)
    copy.rows = [dict(row, variant="lone") for row in other] + copy.rows[len(other):]
    copy.save()
    again = [line.split() for line in copy.table().out.split("\n")]
    lone = [line for line in again if "lone" in line]
    case([line[-3] for line in lone] == ["-"] and
         [line for line in again if line not in lone] ==
         [line.split() for line in done.out.split("\n")],
         "a peer faster than its step takes no part in speed-ups", again)


def older(scratch):
    """A log without roles is refused rather than guessed."""
    copy = Copy(scratch, "gpu", "older")
    columns = [name for name in copy.rows[0] if name != "role"]
    copy.save(columns)
    case('"Sample GPU, 80 GB"' in copy.log and "role" not in copy.log, "the older log has no roles")
    done = copy.table()
    case(done.status == 0 and done.out == copy.wanted,
         "an older log is read where describe.json knows all roles", done)
    for step in copy.described:
        step["variants"] = [v for v in step["variants"] if v["role"] == "step"]
    copy.save(columns)
    done = copy.table()
    case(done.status == 2 and "has no role" in done.err and "describe.json" in done.err and not done.out
         and len(done.err.splitlines()) == 1, "else it is refused, with what is missing", done)
    path = os.path.join(copy.path, "log.csv")
    for name, text in (("empty", ""), ("other", "a,b\n1,2\n"), ("bytes", copy.log.encode() + b"\xff")):
        write(text, path)
        refused(f"steps/table of a log that is {name}", run(TABLE, path), path)


def columns_by_name(scratch):
    copy = Copy(scratch, "gpu", "columns")
    names, path = list(copy.rows[0]), os.path.join(copy.path, "log.csv")
    copy.save(names)
    asked = run(TABLE, path, "--columns", "value,step")
    copy.save(names[::-1])
    again = run(TABLE, path, "--columns", "value,step")
    case(asked.status == 0 and asked.out == again.out and [line.split() for line in asked.out.splitlines()[2:]] ==
         [[row["value"], row["step"]] for row in copy.rows], "--columns takes them by name, wherever they stand", again)
    refused("a column that the log has not", run(TABLE, path, "--columns", "value,nosuch"),
            "no column nosuch (accepted: ")
    done = copy.table()
    case(done.status == 0 and done.out == copy.wanted, "the order of columns is free", done)
    unread = ("utc", "commit", "driver", "cuda", "min_us", "q1_us", "q3_us", "max_us", "bytes",
              "value", "reference", "error", "bound")
    copy.save([name for name in names if name not in unread])
    done = copy.table()
    case(done.status == 0 and done.out == copy.wanted, "a log with fewer columns is read", done)
    row = dict(copy.rows[0], step="product0", variant="plain", role="step", blocks="", n="131072",
               m="256", k="512", gb_per_s="", copy_gb_per_s="", gflop_per_s="100", runs="5",
               median_us="10")
    copy.rows += [row, dict(row, variant="turned", m="512", k="256", runs="3"),
                  dict(row, step="product1", gflop_per_s="400", median_us="2.5"),
                  dict(row, step="product1", variant="turned", m="512", k="256")]
    axes = [{"name": "m", "option": "size"}, {"name": "k", "option": "size"}]
    copy.described += [{"step": step, "family": "product", "title": "Product", "axes": axes,
                        "measure": "gflop_per_s", "charts": ["ladder"]}
                       for step in ("product0", "product1")]
    copy.save(names + ["m", "k"])
    done = copy.table("--family", "reduce")
    case(done.status == 0 and done.out.strip() in copy.wanted,
         "more axes in the log leave the other families' ladders as they are", done)
    done = copy.table("--family", "product")
    lines = [line.split() for line in done.out.split("\n")[3:]]
    case(done.status == 0 and "GFLOP/s" in done.out and "GB/s" not in done.out and
         ["product1", "plain", "256", "x", "512", "2.50", "400", "4.00x", "4.00x", "yes"] in lines,
         "a family of new axes and another measure has its ladder", done)
    case(["product1", "turned", "512", "x", "256", "10.0", "400", "-", "-", "yes"] in lines or
         ["product1", "turned", "512", "x", "256", "10.0", "100", "-", "-", "yes"] in lines,
         "and no speed-up between shapes of as many elements", done)
    case("ladder-product.svg" in copy.charts(), "and its chart")


def another_axis(scratch):
    """An axis that a sweep leaves alone: its other values take no part in the sweep's lines."""
    copy = Copy(scratch, "gpu", "axis")
    names = list(copy.rows[0])
    copy.rows = [dict(row, bins="256") for row in copy.rows if row["step"] in ("reduce0", "reduce1")]
    copy.described = [step for step in copy.described if step["step"] in ("reduce0", "reduce1")]
    for step in copy.described:
        step["axes"].append({"name": "bins", "option": "bins"})
    copy.save(names + ["bins"])
    before, table = copy.charts(), copy.table()
    copy.rows += [dict(row, bins="16", gb_per_s="1", median_us="5") for row in copy.rows
                  if row["step"] == "reduce0"]
    copy.save(names + ["bins"])
    done = copy.table()
    case("2^28, bins 256" in table.out and done.out == table.out,
         "the ladder stands at one value of an axis that is not swept", done)
    case(before.get("rate-reduce.svg") and copy.charts() == before, "and so do the lines")


def simulation(scratch):
    """No time of the CPU device is told: other times, the same tables and charts."""
    copy = Copy(scratch, "cpu", "simulation")
    tables, charts = [], []
    for factor in (1, 1000):
        for at, row in enumerate(copy.rows):
            for name in ("median_us", "min_us", "q1_us", "q3_us", "max_us"):
                row[name] = f"{float(row[name]) * factor * (1 + at % 7):.4f}"
            row["gb_per_s"] = str(1000 + at)
        copy.save()
        tables.append(copy.table())
        charts.append(copy.charts())
    case(tables[0].status == 0 and tables[0].out == tables[1].out == copy.wanted,
         "the CPU device's table holds no time", tables[1])
    case(charts[0] and charts[0] == charts[1], "nor do its charts")
    case(not re.search(r"\bus\b|GB/s|copy\b.*%|cumulative", tables[0].out),
         "nor the names of times and rates", tables[0])
    os.remove(os.path.join(copy.path, "counters.csv"))
    done = copy.table()
    case(done.status == 0 and "reduce7" in done.out, "without counters the rows stand alone", done)


def names():
    """No reader knows a family, a step or a library by name."""
    known = set()
    for path in glob.glob(os.path.join(SOURCE, "plots/devices/*/describe.json")):
        for step in json.loads(read(path)):
            known |= {step["family"], step["step"]}
            known |= {v["name"] for v in step["variants"] if v["role"] == "peer"}
    files = [*glob.glob(os.path.join(SOURCE, "plots/*.py")), TABLE, DRAW,
             *glob.glob(os.path.join(SOURCE, "plots/charts/*.py")),
             *glob.glob(os.path.join(SOURCE, "plots/*.gp")), os.path.join(SOURCE, "docs/pages")]
    found = [f"{os.path.relpath(path, SOURCE)}: {name}" for path in files for name in known
             if re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", read(path))]
    case(known and not found, "the readers name no family, no step and no library",
         "\n".join(found))


def main():
    with tempfile.TemporaryDirectory() as scratch:
        unknown_peer(scratch)
        older(scratch)
        columns_by_name(scratch)
        another_axis(scratch)
        simulation(scratch)
    names()
    leave()


if __name__ == "__main__":
    main()
