"""
Which mutants are asked, which need a reason, and the report: a page, docs/mutants.md, and what it is made
of, plots/mutants/judged.csv: a row per mutant, with the day, and with what names the launches that it was asked in, so
that a step with other launches is judged again; empty in a row of before that was kept. A report renews the units that
were judged, leaves the others as they are, and drops those that are no more. A unit is a step's own file, or the
functions of headers that the step judges. The list of all verdicts and reasons follows from
judged.csv and equivalent.csv: it is printed, and not kept.
"""
import collections
import csv
import hashlib
import math
import os
import time

from common.commands.drive.support import SOURCE

from .judge import ASKED, NO_PROGRAM, NOT_ASKED, caught, verdict_name
from .make import KINDS, ORDERING, Mutant, key, of_header, where

EQUIVALENT = os.path.join(SOURCE, "plots", "mutants", "equivalent.csv")
JUDGED_FILE = os.path.join(SOURCE, "plots", "mutants", "judged.csv")
EXPLAINED = "has a reason"
VERDICTS = ["wrong result", "found by --check", "found in another order", EXPLAINED, "counters changed", "survived"]
COLUMNS = ["step", "function", "kind", "change", "line", "nth", "reason"]
JUDGED = ["day", "launches", *Mutant._fields[:-1], *ASKED]


def unnamed(_step):
    """No name for its launches: any are those that it had."""
    return ""


def sample(mutants, count, seed):
    """Spread over kinds and families, in turn, in an order that the seed gives them. Each is of a step that has one of
    the sample already, else of the shortest that has such a one: a step's launches cost more than a mutant's."""
    groups, length = collections.defaultdict(list), {}
    for mutant in mutants:
        groups[mutant.kind, mutant.family].append(mutant)
        length[mutant.step] = min(length.get(mutant.step, math.inf), len(mutant.text))

    def mark(what):
        return hashlib.sha256(repr((seed, what)).encode()).hexdigest()

    chosen = []
    while len(chosen) < count and any(groups.values()):
        for name in sorted(filter(groups.get, groups), key=mark)[:count - len(chosen)]:
            taken = {mutant.step for mutant in chosen}
            chosen.append(min(groups[name], key=lambda m: (m.step not in taken, length[m.step], mark(key(m)))))
            groups[name].remove(chosen[-1])
    return sorted(chosen, key=lambda m: (m.step, m.number))


def read_reasons():
    with open(EQUIVALENT, newline="", encoding="utf-8") as file:
        return {tuple(row[c] for c in COLUMNS[:-1]): row["reason"] for row in csv.DictReader(file)}


def unit(mutant):
    """(its step, whether what it changes stands in a header)"""
    return mutant.step, bool(of_header(mutant)[0])


def read_judged(path):
    """[(mutant without its text, verdict)] and {unit: the day} of a judged.csv; nothing if there is none."""
    if not os.path.exists(path):
        return [], {}
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    ran = [(Mutant(*(int(row[f]) if f in ("nth", "number") else row[f] for f in Mutant._fields[:-1]), ""),
            {name: row[name] for name in (*ASKED, "launches")}) for row in rows]
    return ran, {unit(m): row["day"] for (m, _), row in zip(ran, rows)}


def write_judged(path, ran, days):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(JUDGED)
        writer.writerows([days[unit(m)], v.get("launches", ""), *m[:-1], *(v[name] for name in ASKED)]
                         for m, v in ran)


def renewed(path, results, current, whole=True, launches=unnamed):
    """What judged.csv has of the mutants in current, with the results in place of what it had of their units; beside
    it, if they are not whole. launches: what names those of a step."""
    ran, days = read_judged(path)
    new = [(m, {**(v if "refused" not in v else {**NOT_ASKED, "result": NO_PROGRAM}),
                "launches": launches(m.step)}) for m, v in results]
    steps, units = list(dict.fromkeys(step for step, _ in current)), {unit(m) for m, _ in results}
    asked, today = {key(m) for m, _ in results}, dict.fromkeys(units, time.strftime("%Y-%m-%d", time.gmtime()))
    ran = [(m, v) for m, v in ran if key(m) in current.get(unit(m), ()) and key(m) not in asked and
           not (whole and unit(m) in units)] + new
    days = {**days, **today} if whole else {**today, **days}

    def place(pair):
        step, in_header = unit(pair[0])
        return steps.index(step), in_header

    return sorted(ran, key=place), days


def code_cell(text):
    return "`" + text.replace("|", "\\|") + "`"


def introduce(put, count, refused, missing, open_headers, changed):
    put("# Mutants: does the CPU device find mistakes?", "",
        "Written by `plots/record mutants --report docs/mutants.md`; do not edit.", "",
        f"Each of these {count} programs is a step with one small thing changed, mostly a token of "
        "one kernel. It was", "compiled for the CPU device and run in launches chosen to expose: odd "
        "sizes, blocks of any size, more", "blocks than threads. Of the kind index the sampled "
        "blocks of large grids were run (check/large).",
        "Where they can be, the mutants of a step are one program, whose name says which of them runs.",
        f"{refused} more do not compile.",
        "The kernels of variants that are wrong on purpose are left out. A device function that stands in a header "
        "of a family, or of", "the kit, is changed for one step alone: the first, in teaching order, that uses it. "
        "Other steps that use it may find more.", "", "The kinds:", "")
    put(*(f"- **{kind}**: {text}" for kind, text in KINDS.items()))
    put("", "The verdicts, the first that applies. The element types are asked in turn, until one shows the mutant, "
        "and other orders and", "counters only where none does. Where the result is wrong, `--check` is asked only of "
        "the kinds in the order of things,", "which the last column counts. A launch that does not come to what a "
        "mutant changes, or in which that has the same", "value as before, is not run for it:", "",
        "- **wrong result**: the program's own verification failed, or it hung, crashed or "
        "deadlocked;",
        "- **found by `--check`**: results were right, and `--check` printed a finding;",
        "- **found in another order**: only `--check --schedule=random:SEED` did, or the result "
        "was wrong then, or under `--check`;",
        f"- **{EXPLAINED}**: it was not found, and `plots/mutants/equivalent.csv` says why: it is equivalent, or "
        "out of the CPU device's reach;",
        "- **counters changed**: results were right and nothing was found, but `--counters` differ. Only padding may "
        "be counted as", "  found by that, since it is there for the counters alone;",
        "- **survived**: none of these.", "",
        "`plots/record mutants --all` prints all mutants with their verdicts and reasons. What has a reason is asked "
        "in the default order", "alone when it is judged again, once under `--check`, and not for its counters; what "
        "is out of reach, whose answer says nothing", "either way, only with `--out-of-reach`. A step is judged as it "
        "was on the day that stands in its row.", "")
    if missing:
        put("Not judged so far: " + ", ".join(missing) + ".", "")
    if open_headers:
        put("Not judged so far, of functions in headers: those of the steps below. `plots/record mutants --step STEP "
            "--headers --missing --report", "docs/mutants.md` judges them. " + ", ".join(open_headers) + ".", "")
    if changed:
        put("Changed since they were judged, so that some mutants have no verdict: " + ", ".join(changed) + ".", "")


def put_counts(put, ran, days, reasons):
    """The verdicts by kind and by step."""
    def counts(rows):
        tally = collections.Counter(EXPLAINED if key(m) in reasons and not caught(m, v) else verdict_name(m, v)
                                    for m, v in rows)
        return " | ".join(str(tally[name] or "") for name in VERDICTS)

    names = " | ".join(VERDICTS)
    put("## By kind", "", f"| kind | mutants | {names} | of all, found by `--check` |",
        "|---|" + "---:|" * (len(VERDICTS) + 2))
    for kind in [*KINDS, "all"]:
        rows = [(m, v) for m, v in ran if kind in (m.kind, "all")]
        by_check = sum(bool(v["check"]) for _, v in rows)  # of the others it is not asked where the result is wrong
        put(f"| {kind} | {len(rows)} | {counts(rows)} | {by_check if kind in ORDERING else ''} |")
    put("", "## By step", "", "Of the steps' own files.", "", f"| step | judged | mutants | {names} |",
        "|---|---|" + "---:|" * (len(VERDICTS) + 1))
    own, of_headers = ([pair for pair in ran if unit(pair[0])[1] == in_header] for in_header in (False, True))
    for name, rows in grouped(own, lambda m: m.step):
        put(f"| {name} | {days[name, False]} | {len(rows)} | {counts(rows)} |")
    if of_headers:
        put("", "## By header", "", f"| header, in `common/` | step | judged | mutants | {names} |",
            "|---|---|---|" + "---:|" * (len(VERDICTS) + 1))
    for (name, header), rows in grouped(of_headers, lambda m: (m.step, of_header(m)[0])):
        put(f"| {header} | {name} | {days[name, True]} | {len(rows)} | {counts(rows)} |")


def grouped(ran, what):
    """(what it is of, its pairs) of each that what(mutant) gives"""
    found = {}
    for m, v in ran:
        found.setdefault(what(m), []).append((m, v))
    return found.items()


def put_silent(put, ran):
    silent = [(m, v) for m, v in ran if m.kind in ORDERING and v["result"] not in ("", "hang")
              and not v["check"]]
    put("", "## Wrong results that `--check` does not explain", "",
        "Mutants of the kinds " + ", ".join(ORDERING) + " whose result is wrong, while `--check` "
        "finds nothing.", "The verification catches them. (Those that hang are not asked.)", "")
    put(*([f"- {where(m)}, {of_header(m)[1]}: {code_cell(m.change)}: {v['result']}"
           for m, v in silent] or ["None."]))


def groups(ran, reasons):
    """(title, what is in it) of the mutants that were not found, by what their reasons say."""
    missed = [(m, v, reasons.get(key(m), "")) for m, v in ran if not caught(m, v)]
    return [(head, [entry for entry in missed if wanted(entry[2])]) for head, wanted in (
        ("Not found, and not explained", lambda reason: not reason),
        ("Wrong, but out of the CPU device's reach", out_of_reach),
        ("Equivalent mutants, and why", lambda reason: reason and not out_of_reach(reason)))]


def put_missed_counts(put, ran, reasons):
    put("", "## Not found", "", "| what they are | mutants | of the steps |", "|---|---:|---|")
    for head, missed in groups(ran, reasons):
        names = ", ".join(dict.fromkeys(m.step for m, _, _ in missed))
        put(f"| {head} | {len(missed)} | {names} |")


def put_missed(put, ran, reasons):
    for head, missed in groups(ran, reasons):
        put("", f"## {head}", "")
        put_groups(put, missed)


def put_all(put, ran):
    put("", "## All", "", "`=` stands for a mutant that was not found, see above.", "",
        "| where | function | kind | change | result | `--check` | order | counters |",
        "|---|---|---|---|---|---|---|---|")
    for m, v in ran:
        mark = "" if caught(m, v) else " ="
        put(f"| {where(m).replace('.cu', '')}{mark} | {of_header(m)[1]} | {m.kind} | {code_cell(m.change)} | "
            f"{v['result']} | {v['check']} | {v['order']} | {v['counters']} |")


def lacking(ran, current, launches=unnamed):
    """{unit: the keys of its mutants that have no verdict, or one of other launches}, of those that have such
    mutants"""
    judged = {key(m) for m, v in ran if v.get("launches", "") in ("", launches(m.step))}
    return {each: keys - judged for each, keys in current.items() if keys - judged}


def page(ran, days, current, reasons, launches=unnamed):
    """The text: what was asked, and counts of the answers."""
    out = []

    def put(*lines):
        out.extend(lines)

    judged, without = {unit(m) for m, _ in ran}, lacking(ran, current, launches)
    programs = [(m, v) for m, v in ran if v["result"] != NO_PROGRAM]
    own, of_headers = ([name for name, in_header in without if in_header == wanted and (name, in_header) not in judged]
                       for wanted in (False, True))
    introduce(put, len(programs), len(ran) - len(programs), own, of_headers,
              list(dict.fromkeys(name for name, of_header in without if (name, of_header) in judged)))
    put_counts(put, programs, days, reasons)
    put_missed_counts(put, programs, reasons)
    put_silent(put, programs)
    return "\n".join(out) + "\n"


def listing(ran, reasons):
    """What was not found and why, and the table of all."""
    out = []

    def put(*lines):
        out.extend(lines)

    put("# All mutants", "", "What the columns mean: docs/mutants.md.")
    put_missed(put, ran, reasons)
    put_all(put, ran)
    return "\n".join(out) + "\n"


def report(path, kept, results, reasons, current, whole=True, launches=unnamed):
    """Renew the page, and the verdicts that are kept: docs/mutants.md and JUDGED_FILE, say. The results are of
    whole units, or of those that had no verdict; current: {unit: the keys of its mutants}, of all steps in teaching
    order."""
    ran, days = renewed(kept, results, current, whole, launches)
    write_judged(kept, ran, days)
    with open(path, "w", encoding="utf-8") as file:
        file.write(page(ran, days, current, reasons, launches))


def out_of_reach(reason):
    return reason.startswith("Out of reach:")


def to_ask(mutants, reasons, beyond):
    """Those whose answer may be wrong; beyond: all."""
    return [m for m in mutants if beyond or not out_of_reach(reasons.get(key(m), ""))]


def line_of(mutant):
    header, _ = of_header(mutant)
    return f"{header}:{mutant.number}" if header else f"line {mutant.number}"


def put_groups(put, missed):
    """Those of a step that share a reason stand together."""
    together = collections.OrderedDict()
    for m, v, reason in missed:
        together.setdefault((m.step, reason), []).append((m, v))
    if not together:
        put("None.")
    last = None
    for (name, reason), rows in together.items():
        if name != last:
            put(f"### {name}", "")
            last = name
        put(*([reason, ""] if reason else []))
        put(*(f"- {line_of(m)}, {of_header(m)[1]}, {m.kind}: {code_cell(m.change)}"
              + (" (counters change)" if v["counters"] else "") for m, v in rows), "")
