"""
Makes the record of the CPU device that the pages show: plots/devices/cpu-device.

usage: plots/record cpu [--build DIR] [--out DIR] [--counters | --lines | --estimates |
       --answers [NAME...]]

Builds the series for the CPU device in DIR (default: build-check) and writes, the same each time:

  counters.csv        what each kernel of each step did
  lines.csv           the same by source line, for the heat column of docs/build
  describe.json       what the steps tell of themselves, in teaching order
  totals.txt          the same counters added up, a line a variant
  estimates.csv, .txt how long an H200 would take by --estimate, beside its log
  trace-NAME.csv      one access of a warp, for docs/figures/draw
  said/NAME.txt       what the programs say of bad use, and of each change in docs/mistakes
  said/exercise-*.txt what the commands of the pages' exercises print
  compiled/NAME.txt   what nvcc makes of a kernel; kept as it is where there is no nvcc

docs/mistakes/said.txt lists what stands in the last three. Changes are built in a copy of the tree.

  --out DIR           write there in place of plots/devices/cpu-device
  --counters          only the first five
  --estimates         only the estimates
  --lines             only lines.csv
  --answers           only the answers of exercises: all; or of pages, as reduce2, or single ones, as
                      reduce2-3

Exit status: 0, 1 if something could not be made, 2 bad usage.
"""
import os
import shutil
import sys
import tempfile

from common.commands import ROOT
from common.commands.arguments import Arguments, text



def arguments():
    parser = Arguments("plots/record cpu", __doc__)
    parser.add_argument("--build", type=text, default=os.path.join(ROOT, "build-check"))
    parser.add_argument("--out", type=text, default=os.path.join(ROOT, "plots", "devices", "cpu-device"))
    for option in ("--counters", "--estimates", "--lines"):
        parser.add_argument(option, action="store_true")
    parser.add_argument("--answers", nargs="*", metavar="NAME")
    return parser.parse(sys.argv[1:])


def make(options, scratch):
    # These read BUILD when they are loaded.
    from plots.makers.cpu import answers, compiled, estimates, said, series
    from common.commands.drive.support import BUILD, SOURCE

    out, copy, build = options.out, os.path.join(scratch, "tree"), os.path.join(scratch, "build")
    said.build_tree(SOURCE, BUILD)
    if options.lines:
        series.write_lines(out)
        return
    rows = said.read_table()
    if options.answers is not None:
        said.copy_tree(copy)
        answers.write(options.answers, out, copy, build)
        return
    if options.estimates:
        if not estimates.make(out):
            raise series.Failed(f"{estimates.MACHINE} is not there")
        return
    series.write_counters(out, scratch)
    series.write_lines(out)
    series.write_described(out)
    series.write_totals(out)
    if not estimates.make(out):
        print(f"{estimates.MACHINE} is not there: no estimates")
    for row in rows:
        if row.kind == "trace":
            series.write_trace(row, out, scratch)
    if options.counters:
        return
    said.copy_tree(copy)
    nvcc = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")
    for row in rows:
        if row.kind == "say":
            said.say(row, out)
        elif row.kind == "remarks":
            said.remarks(row, out)
        elif row.kind == "count":
            said.count(row, out)
        elif row.kind == "orders":
            said.orders(row, out, scratch)
        elif row.kind == "ends":
            said.ends(row, out)
        elif row.kind == "alone":
            series.write_alone(row, out)
        elif row.kind == "change":
            said.change(row, out, copy, build)
        elif row.kind == "own":
            said.own(row, out)
        elif row.kind == "plain":
            said.plain(row, out, copy)
        elif row.kind == "practice":
            said.practice(row, out, copy, build)
        elif row.kind == "keep":
            said.keep_change(row, out, copy, build)
        elif row.kind == "compiled" and nvcc:
            compiled.compiled(nvcc, row, out, copy, scratch)
        elif row.kind == "waits" and nvcc:
            compiled.waits(nvcc, row, out, copy, scratch)
    answers.write([], out, copy, build)


def main():
    options = arguments()
    os.environ["BUILD"] = os.path.abspath(options.build)
    os.environ["CPU_DEVICE_WORKERS"] = "1"  # so that also what atomics order comes out the same
    from plots.makers.cpu.series import Failed

    try:
        for folder in ("said", "compiled"):
            os.makedirs(os.path.join(options.out, folder), exist_ok=True)
        with tempfile.TemporaryDirectory() as scratch:
            make(options, scratch)
    except (Failed, OSError) as error:
        print(f"plots/record cpu: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
