"""
steps/table and plots/draw of damaged files: one clear line and exit status 2, never a traceback.
"""
import csv
import io
import json
import os
import shutil
import tempfile

from check.sample import DRAW, TABLE, Copy, read, refused, write
from common.commands.drive.support import SOURCE, case, leave, run


def cut_short(scratch):
    copy = Copy(scratch, "gpu", "cut")
    write(copy.log + copy.log.splitlines()[-1][:60], copy.path, "log.csv")
    done = copy.table()
    case(done.status == 0 and done.out == copy.wanted and len(done.err.splitlines()) == 1
         and f"log.csv: line {len(copy.rows) + 2}" in done.err,
         "a row that was cut short is left out, and told", done)


def logs(copy):
    """(what, text) of damaged logs."""
    header, first = copy.log.split("\n")[:2]

    def with_value(name, value):
        out = io.StringIO()
        row = dict(copy.rows[0], **{name: value})
        csv.DictWriter(out, header.split(","), lineterminator="\n").writerow(row)
        return copy.log + out.getvalue()

    yield "not UTF-8", copy.log.encode() + b"\xff\xfe,1\n"
    yield "a field without end", copy.log + '"' + "9" * 200000
    yield "a step that is not described", f"{copy.log}{first.replace('reduce0', 'nosuch')}\n"
    yield "an unknown role", with_value("role", "rival")
    for name in ("n", "median_us", "gb_per_s", "blocks"):
        for value in ("1e999", "9" * 400, "-inf", "nan", "1e200"):
            yield f"{name} = {value[:9]}", with_value(name, value)


def descriptions(copy):
    """(what, text) of damaged describe.json; None: there is none."""
    yield from (("missing", None), ("not JSON", "[{"), ("no objects", "[1]"), ("a number", "7"),
                ("deep", "[" * 100000), ("not UTF-8", b"[\xff]"))
    for name, value in (("measure", "miles"), ("charts", ["pie"]), ("axes", []), ("axes", [1]),
                        ("step", None), ("charts", [[]]), ("variants", 7), ("types", 7),
                        ("item", []), ("variants", [{"name": "a", "role": "x"}])):
        yield f"{name} = {value}", json.dumps([dict(copy.described[0], **{name: value})])


def refuses(scratch, name, damages):
    for what, text in damages:
        bad = Copy(scratch, "gpu", "bad")
        if text is None:
            os.remove(os.path.join(bad.path, name))
        else:
            write(text, bad.path, name)
        refused(f"steps/table: {name}: {what}", bad.table(), name)
        done = run(DRAW, bad.path, os.path.join(bad.path, "out"))
        refused(f"plots/draw: {name}: {what}", done, name)
        shutil.rmtree(bad.path)


def others(copy):
    for name, text in (("counters.csv", read(SOURCE, "check/data/cpu/counters.csv")
                        .replace(",512,", ",1e999,", 1)),
                       ("t-trace.csv", "lane,offset,bytes,space,bank,sector,kind\n0,x,4,global,,0,"
                        "load\n")):
        write(text, copy.path, name)
        done = run(DRAW, copy.path, os.path.join(copy.path, "out"))
        refused(f"plots/draw: a bad {name}", done, name)
        os.remove(os.path.join(copy.path, name))
    for out in (os.path.join(copy.path, "log.csv"), "/proc/nowhere", "/dev/null/charts"):
        refused(f"plots/draw into {os.path.basename(out)}", run(DRAW, copy.path, out), out)
    refused("steps/table --size nan", run(TABLE, copy.path, "--size", "nan"), "nan")
    refused("steps/table --family nosuch", run(TABLE, copy.path, "--family", "nosuch"), "nosuch")


def main():
    with tempfile.TemporaryDirectory() as scratch:
        cut_short(scratch)
        copy = Copy(scratch, "gpu", "whole")
        refuses(scratch, "log.csv", logs(copy))
        refuses(scratch, "describe.json", descriptions(copy))
        others(copy)
    leave()


if __name__ == "__main__":
    main()
