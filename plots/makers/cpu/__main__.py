"""
Makes the record of the CPU device that the pages show: plots/devices/cpu-device.

usage: plots/record cpu [--build DIR] [--out DIR] [--counters | --lines | --estimates |
       --recordings | --answers [NAME...] | --only NAME...]

Builds the series for the CPU device in DIR (default: build-check) and writes, the same each time but for
cache_sectors in counters.csv:

  counters.csv        what each kernel of each step did
  lines.csv           the same by source line, for the heat column of docs/build
  recordings/STEP.json  what each warp does in a small launch of the step, for the pages' players
  describe.json       what the steps tell of themselves, in teaching order
  totals.txt          the same counters added up, a line a variant
  estimates.csv, .txt how long an H200 would take by --estimate, beside its log
  trace-NAME.csv      one access of a warp, for docs/figures/draw
  transcripts/NAME.txt  what the programs say of bad use, and of each change in docs/mistakes
  transcripts/exercise-*.txt  what the commands of the pages' exercises print
  compiled/NAME.txt   what nvcc makes of a kernel; kept as it is where there is no nvcc

docs/mistakes/transcripts.py lists the last three but for the exercises, and the traces. Changes are built in a
copy of the tree.

  --out DIR           write there in place of plots/devices/cpu-device
  --counters          only the first five
  --estimates         only the estimates
  --lines             only lines.csv
  --recordings        only the recordings
  --answers           only the answers of exercises: all; or of pages, as reduce2, or single ones, as
                      reduce2-3
  --only              only these of docs/mistakes/transcripts.py

Exit status: 0, 1 if something could not be made, 2 bad usage.
"""
import os
import shutil
import sys
import tempfile

from common.commands import ROOT
from common.commands.arguments import Arguments, text
from docs.mistakes import transcripts



def arguments():
    parser = Arguments("plots/record cpu", __doc__)
    parser.add_argument("--build", type=text, default=os.path.join(ROOT, "build-check"))
    parser.add_argument("--out", type=text, default=os.path.join(ROOT, "plots", "devices", "cpu-device"))
    for option in ("--counters", "--estimates", "--lines", "--recordings"):
        parser.add_argument(option, action="store_true")
    parser.add_argument("--answers", nargs="*")
    parser.add_argument("--only", nargs="+", default=[])
    asked = parser.parse(sys.argv[1:])
    parser.one_of("--only", asked.only, [row.name for row in transcripts.ALL])
    return asked


def write_transcripts(rows, out, copy, scratch):
    """Makes each of the rows of docs/mistakes/transcripts.py; without nvcc those of its code stay as they are."""
    from plots.makers.cpu import compiled, said, series

    build = os.path.join(scratch, "build")
    nvcc = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")
    makers = {
        "trace": lambda row: series.write_trace(row, out, scratch),
        "say": lambda row: said.say(row, out),
        "remarks": lambda row: said.remarks(row, out),
        "count": lambda row: said.count(row, out),
        "orders": lambda row: said.orders(row, out, scratch),
        "ends": lambda row: said.ends(row, out),
        "alone": lambda row: series.write_alone(row, out),
        "change": lambda row: said.change(row, out, copy, build),
        "keep": lambda row: said.keep_change(row, out, copy, build),
        "own": lambda row: said.own(row, out),
        "plain": lambda row: said.plain(row, out, copy),
        "practice": lambda row: said.practice(row, out, copy, build),
        "compiled": lambda row: nvcc and compiled.compiled(nvcc, row, out, copy, scratch),
        "waits": lambda row: nvcc and compiled.waits(nvcc, row, out, copy, scratch)}
    for row in rows:
        makers[row.kind](row)


def make(options, scratch):
    # These read BUILD when they are loaded.
    from plots.makers.cpu import answers, estimates, recordings, said, series
    from common.commands.drive.support import BUILD, SOURCE

    out, copy = options.out, os.path.join(scratch, "tree")
    said.build_tree(SOURCE, BUILD)
    if options.lines:
        series.write_lines(out)
        return
    if options.recordings:
        recordings.write(out)
        return
    if options.answers is not None:
        said.copy_tree(copy)
        answers.write(options.answers, out, copy, os.path.join(scratch, "build"))
        return
    if options.only:
        said.copy_tree(copy)
        write_transcripts([row for row in transcripts.ALL if row.name in options.only], out, copy, scratch)
        return
    if options.estimates:
        if not estimates.make(out):
            raise series.Failed(f"{estimates.MACHINE} is not there")
        return
    series.write_counters(out, scratch)
    series.write_lines(out)
    series.write_described(out)
    series.write_totals(out)
    recordings.write(out)
    if not estimates.make(out):
        print(f"{estimates.MACHINE} is not there: no estimates")
    if options.counters:
        write_transcripts([row for row in transcripts.ALL if row.kind == "trace"], out, copy, scratch)
        return
    said.copy_tree(copy)
    write_transcripts(transcripts.ALL, out, copy, scratch)
    answers.write([], out, copy, os.path.join(scratch, "build"))


def main():
    options = arguments()
    os.environ["BUILD"] = os.path.abspath(options.build)
    os.environ["CPU_DEVICE_WORKERS"] = "1"  # so that also what atomics order comes out the same
    from plots.makers.cpu.series import Failed

    try:
        for folder in ("transcripts", "compiled"):
            os.makedirs(os.path.join(options.out, folder), exist_ok=True)
        with tempfile.TemporaryDirectory() as scratch:
            make(options, scratch)
    except (Failed, OSError) as error:
        print(f"plots/record cpu: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
