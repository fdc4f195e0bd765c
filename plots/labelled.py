"""
Other people's labelled programs: what plots/record checked wrote of them in plots/checked, and the tables of it that
docs/checked.md shows.
"""
import collections
import csv
import fnmatch
import os

from common.commands import ROOT

FOLDER = os.path.join(ROOT, "plots", "checked")

# What a label may be, and the kinds of findings that say the same. A program may have several labels.
KINDS = {
    "clean": (),
    "race": ("race",),
    "bounds": ("memory",),
    "sync": ("sync", "race"),
    "uninitialised": ("init", "memory"),
    "livelock": (),  # told by how the program ends
    "arithmetic": (),  # nothing that --check looks for
    "other": ("race", "memory", "sync", "init", "async"),
}
ENDLESS = ("limit", "deadlock")

# found: the kinds of findings of all runs, in order of their names; findings: how many, of the run with the most;
# ended: ok, deadlock, limit (it ran longer), crash, not compiled
Verdict = collections.namedtuple("Verdict", "program labels found findings ended")
Corpus = collections.namedtuple("Corpus", "name url commit licence about")
Reason = collections.namedtuple("Reason", "corpus programs reason")
OUTCOMES = ("found as labelled", "found as something else", "nothing found", "not run")


def rows(name, kind):
    """The rows of a table in plots/checked, as this kind of tuple; none if there is no such table."""
    path = os.path.join(FOLDER, name + ".csv")
    if not os.path.exists(path):
        return []
    with open(path, newline="", encoding="utf-8") as file:
        return [kind(**row) for row in csv.DictReader(file)]


def corpora():
    return rows("corpora", Corpus)


def outcome(verdict):
    """One of OUTCOMES."""
    labels = verdict.labels.split()
    if labels == ["livelock"]:
        if verdict.ended in ENDLESS:
            return OUTCOMES[0]
    elif verdict.ended == "not compiled" or verdict.ended != "ok" and not verdict.found:
        return OUTCOMES[3]
    found = verdict.found.split()
    if not found:
        return OUTCOMES[2]
    as_labelled = labels != ["clean"] and all(set(found) & set(KINDS[label]) for label in labels)
    return OUTCOMES[0] if as_labelled else OUTCOMES[1]


def differs(verdict):
    """Whether the outcome is another than the label asks for."""
    return outcome(verdict) != (OUTCOMES[2] if verdict.labels in ("clean", "arithmetic") else OUTCOMES[0])


def share(part, whole):
    return f"{100 * part / whole:.1f} %" if whole else "-"


def corpora_table():
    """(header, rows)"""
    return ["corpus", "what it is", "version", "licence", "programs run"], [
        [f"[{c.name}]({c.url})", c.about, f"`{c.commit[:12]}`", c.licence, str(len(rows(c.name, Verdict)))]
        for c in corpora() if rows(c.name, Verdict)]


def counts_table(more=""):
    """(header, rows): the outcomes by corpus and label; more: of the tables CORPUS + more."""
    table = []
    for corpus in corpora():
        labels = collections.defaultdict(collections.Counter)
        for verdict in rows(corpus.name + more, Verdict):
            labels[verdict.labels][outcome(verdict)] += 1
        for label, tally in sorted(labels.items()):
            table.append([corpus.name, label, str(sum(tally.values())), *(str(tally[o] or "") for o in OUTCOMES)])
    return ["corpus", "label", "programs", *OUTCOMES], table


def rates_table():
    """(header, rows): recall and precision by corpus, of the programs that were run: --check's, and compute-sanitizer's
    of those that both ran."""
    def rates(verdicts):
        ran = [v for v in verdicts if outcome(v) != OUTCOMES[3] and v.labels != "arithmetic"]
        faulty = [v for v in ran if v.labels != "clean"]
        told = [v for v in ran if v.found or v.labels == "livelock" and not differs(v)]
        right = [v for v in told if v.labels != "clean"]
        return [str(len(ran)), share(sum(not differs(v) for v in faulty), len(faulty)),
                share(len(right), len(told))]

    table = []
    for corpus in corpora():
        ours, theirs = rows(corpus.name, Verdict), rows(corpus.name + "-gpu", Verdict)
        if ours:
            table.append([corpus.name, *rates(ours), *(rates(theirs) if theirs else ["-"] * 3)])
    return ["corpus", "programs", "recall", "precision", "compute-sanitizer: programs", "recall", "precision"], table


def reason_of(verdict, reasons):
    return next((r.reason for r in reasons if any(fnmatch.fnmatchcase(verdict.program, pattern)
                                                  for pattern in r.programs.split())), "")


def differences_table(name):
    """(header, rows): the programs of a corpus that differ from their labels, by reason."""
    reasons = [r for r in rows("reasons", Reason) if r.corpus == name]
    found = collections.OrderedDict()
    for verdict in rows(name, Verdict):
        if differs(verdict):
            found.setdefault((verdict.labels, outcome(verdict), reason_of(verdict, reasons)), []).append(verdict)
    return ["label", "outcome", "programs", "reason"], [
        [label, result, names(verdicts), reason or "*not explained*"]
        for (label, result, reason), verdicts in sorted(found.items(), key=lambda item: (-len(item[1]), item[0]))]


def names(verdicts):
    """How many, and up to three of their names."""
    shown = ", ".join(f"`{v.program}`" for v in verdicts[:3]) + (", ..." if len(verdicts) > 3 else "")
    return f"{len(verdicts)}: {shown}" if len(verdicts) > 1 else shown


def unexplained():
    """Names of programs that differ and have no reason, and of patterns of reasons that fit none that differs."""
    faults = []
    for corpus in corpora():
        reasons = [r for r in rows("reasons", Reason) if r.corpus == corpus.name]
        differing = [v for v in rows(corpus.name, Verdict) if differs(v)]
        faults += [f"{corpus.name}: {v.program} has no reason" for v in differing if not reason_of(v, reasons)]
        faults += [f"{corpus.name}: no program that differs is {pattern}" for r in reasons
                   for pattern in r.programs.split() if not fnmatch.filter([v.program for v in differing], pattern)]
    return faults
