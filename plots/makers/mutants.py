"""
Does the CPU device find mistakes? Makes every small change of the steps' kernels of the kinds
below, runs each, and tells how it was found: by a wrong result, by --check, or by its counters.

usage: plots/record mutants [--sample N] [--seed S] [--family NAME]... [--step NAME]... [--kind KIND]...
                     [--headers] [--missing] [--jobs J] [--limit SECONDS] [--seconds S] [--report FILE] [--list]
                     [--unexplained] [--all] [--out-of-reach]

  --sample N      only N of those that have a verdict in the report, spread over kinds and families; --seed chooses
                  which (default 1). The steps that have others are named
  --family, --step, --kind   only these; repeat for more
  --headers       only those of functions in headers: of the families' headers, and of the kit's. Each is of the first
                  step that uses it
  --missing       only those that have no verdict in the report, or one of other launches than the step has now; the
                  report keeps the others', and their day
  --jobs J        so many at a time (default: the cores)
  --limit S       a run that prints nothing for so long hangs, which counts as found (default 300); one that takes
                  many times the processor time that the step takes for the launch hangs, too
  --seconds S     begin no further mutant then; steps of which not all were judged are left out. The steps are judged
                  one after the other, as they are named
  --report FILE   renew the report: a page, docs/mutants.md, say, and plots/mutants/judged.csv, the
                  verdicts. With --step or --family only these steps are renewed in it, with --headers only
                  their functions of headers; it is of whole steps, so neither --sample nor --kind goes with it
  --out-of-reach  ask those, too, whose reason says that they are out of the CPU device's reach: to see whether that
                  is still so, when the device or a step's launches have changed
  --all           print the verdicts that are kept, and the reasons; run nothing
  --list          name the mutants and run nothing
  --unexplained   print the rows that plots/mutants/equivalent.csv lacks, the reason left empty

BUILD names the build of the CPU device (default build-check). The launches are those that a step
declares as "mutated"; the step itself must be clean in each. The kind index is run by check/large. Verdicts are kept
in BUILD/mutants/ and asked again when the source, the compiler or the launches change; the files may be taken to
another machine. Where no verdict is kept, all take about an hour of two cores.

A mutant that gives right results and no finding is equivalent, or the device missed a mistake. So
each such mutant needs a row with its reason in plots/mutants/equivalent.csv, and each row there a
mutant that is not found. A reason that begins with "Out of reach:" says that the mutant is wrong,
and why the CPU device does not show it, or only by luck; it may be found. Whatever it would answer is right, so it is
asked only with --out-of-reach.

Exit status: 0 if that is so, 1 if not (or a step has no mutants), 2 for bad usage.
"""
import concurrent.futures
import csv
import itertools
import math
import os
import sys
import time

from plots.makers.mutation import headers, judge, make, report
from common.commands.arguments import Arguments, positive
from common.commands.drive.support import CHOSEN, all_steps, case, describe, parallel, step, steps


def arguments():
    parser = Arguments("plots/record mutants", __doc__)
    for name, kind in (("--sample", int), ("--jobs", int), ("--limit", float), ("--seconds", float)):
        parser.add_argument(name, type=positive(kind))
    parser.add_argument("--seed", default="1")
    for name in ("--family", "--step", "--kind"):
        parser.add_argument(name, action="append", default=[])
    parser.add_argument("--report")
    parser.add_argument("--headers", action="store_true")
    parser.add_argument("--missing", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--unexplained", action="store_true")
    parser.add_argument("--out-of-reach", action="store_true")
    options = parser.parse(sys.argv[1:])
    parser.one_of("--family", options.family, list(dict.fromkeys(describe(name)["family"] for name in steps())))
    parser.one_of("--step", options.step, steps())
    parser.one_of("--kind", options.kind, make.KINDS)
    if options.report and (options.sample or options.kind):
        parser.error("--report is of whole steps: without --sample and --kind")
    return options


def mutants_of(name):
    """Those of the step's own file, and those of functions in headers that it judges."""
    return [*make.mutants_of(name), *headers.mutants_of(name)]


def units(mutants):
    """{unit: the keys of its mutants}"""
    found = {}
    for mutant in mutants:
        found.setdefault(report.unit(mutant), set()).add(make.key(mutant))
    return found


def all_mutants():
    """Those of every step; a step without any is a failure, and so is one that is not clean."""
    def made(name):
        try:
            return mutants_of(name)
        except (OSError, RuntimeError) as error:
            case(False, f"{name}: its kernels are told apart", error)
            return []

    found, good = [], True
    for name, of_step in zip(steps(), parallel(made, steps())):
        if not of_step and name not in headers.judges().values():
            good = case(False, f"{name} has no mutants: nothing tells whether its faults are found")
        found += of_step
    return found, good


def grouped(mutants):
    """Those of a unit, which are judged together."""
    return [list(of_unit) for _, of_unit in itertools.groupby(mutants, report.unit)]


def order(groups, options):
    """Which of the groups is begun first: what takes longest, by the size of the step's program; with --seconds the
    steps one after the other, as they are named, so that the first of them are whole."""
    if options.seconds:
        named = options.step or steps()
        return sorted(range(len(groups)), key=lambda at: named.index(groups[at][0].step))
    return sorted(range(len(groups)), key=lambda at: -len(groups[at]) * os.path.getsize(step(groups[at][0].step)))


def verdicts_of(groups, options, jobs, end, reasons):
    """(group, its verdicts) of each in turn; None for those that there was no time for. A step that is not clean
    itself has none: that is a failure, told once."""
    os.environ["CPU_DEVICE_WORKERS"] = "1"  # each processor has a program; two workers of one would wait for each other
    workers, unclean = judge.Workers(jobs, end), set()
    with concurrent.futures.ThreadPoolExecutor(2 * jobs) as pool:
        asked = {at: pool.submit(judge.cached, groups[at], options.limit or 300, workers, reasons)
                 for at in order(groups, options)}
        for at, group in enumerate(groups):
            try:
                yield group, asked[at].result()
            except judge.Unclean as fault:
                if group[0].step not in unclean:
                    case(False, f"{group[0].step} is clean in its \"mutated\" launches", fault)
                unclean.add(group[0].step)
                yield group, [None] * len(group)


def tell(mutant, verdict, reason, unexplained):
    """Print a verdict; whether it is as it should be. An explained mutant must not be found, so
    that the list stays true."""
    found = judge.caught(mutant, verdict)
    beyond = report.out_of_reach(reason)
    good = found if not reason else not found or beyond
    if unexplained:
        if not found and not reason:
            csv.writer(sys.stdout, lineterminator="\n").writerow([*make.key(mutant), ""])
            sys.stdout.flush()
        return good
    state = judge.verdict_name(mutant, verdict)
    if found and not good:
        state += ", though plots/mutants/equivalent.csv calls it equivalent"
    elif not found:
        state += ", and nothing explains why" if not reason else \
            ": out of reach" if beyond else ": equivalent"
    return case(good, f"{make.title(mutant)}: {state}", verdict)


def tell_unjudged(mutants):
    """Names the units of which the kept verdicts lack a mutant, with the command that judges them."""
    without = report.lacking(report.read_judged(report.JUDGED_FILE)[0], units(mutants), judge.digest_of_launches)
    for (name, in_header), keys in without.items():
        of_what = "headers" if in_header else "its own file"
        command = f"plots/record mutants --step {name}{' --headers' * in_header} --missing --report docs/mutants.md"
        print(f"ok - {name}: verdicts of {len(keys)} mutants of {of_what} # skip not judged yet: {command}", flush=True)


def main():
    options = arguments()
    end = time.monotonic() + (options.seconds or math.inf)
    if options.all:
        print(report.listing(report.read_judged(report.JUDGED_FILE)[0], report.read_reasons()), end="")
        return 0
    every, good = all_mutants()
    known, mutants = {make.key(m) for m in every}, every
    for chosen, member in ((options.family, "family"), (options.step, "step"),
                           (options.kind, "kind")):
        mutants = [m for m in mutants if not chosen or getattr(m, member) in chosen]
    if options.headers:
        mutants = [m for m in mutants if make.of_header(m)[0]]
    without = report.lacking(report.read_judged(report.JUDGED_FILE)[0], units(every), judge.digest_of_launches)
    if options.missing:
        mutants = [m for m in mutants if make.key(m) in without.get(report.unit(m), ())]
    reasons, jobs = report.read_reasons(), options.jobs or os.cpu_count() or 2
    if options.sample:
        judged = [m for m in mutants if make.key(m) not in without.get(report.unit(m), ())]
        mutants = report.sample(report.to_ask(judged, reasons, options.out_of_reach), options.sample, options.seed)
    if options.list:
        print("\n".join(make.title(m) for m in mutants))
        return 0 if good else 1
    good, asked = good and bool(mutants), report.to_ask(mutants, reasons, options.out_of_reach)
    if len(asked) < len(mutants) and not options.unexplained:
        print(f"# {len(mutants) - len(asked)} are out of reach: not asked without --out-of-reach")
    left_out, verdict_of = set(), {make.key(m): judge.NOT_ASKED for m in mutants}
    for group, verdicts in verdicts_of(grouped(asked), options, jobs, end, reasons):
        for mutant, verdict in zip(group, verdicts):
            verdict_of[make.key(mutant)] = verdict
            if not verdict:
                left_out.add(report.unit(mutant))
                continue
            good &= tell(mutant, verdict, reasons.get(make.key(mutant), ""), options.unexplained)
    results = [(mutant, verdict_of[make.key(mutant)]) for mutant in mutants if verdict_of[make.key(mutant)]]
    for row in reasons:
        if row not in known and (not CHOSEN or row[0] in CHOSEN):
            good = case(False, "plots/mutants/equivalent.csv names a mutant that is not: "
                        + " | ".join(row))
    if left_out:
        good = case(False, "not all mutants were judged in time, of " +
                    " ".join(sorted({name for name, _ in left_out})))
        results = [(mutant, verdict) for mutant, verdict in results
                   if options.missing or report.unit(mutant) not in left_out]
    if options.report:
        report.report(options.report, report.JUDGED_FILE, results, reasons,
                      units([m for name in all_steps() for m in mutants_of(name)]), not options.missing,
                      judge.digest_of_launches)
    if not options.unexplained:
        tell_unjudged(every)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
