"""
Other people's whole programs: what plots/record programs wrote of them in plots/programs, and the table of it that
docs/your-own-kernel.md shows.
"""
import collections
import csv
import os

from common.commands import ROOT

FOLDER = os.path.join(ROOT, "plots", "programs")
RESULTS = os.path.join(FOLDER, "results.csv")
LIMIT = 120  # seconds

Corpus = collections.namedtuple("Corpus", "name url commit licence about")
# program: CORPUS/PATH; cpu, gpu: how it ended on the CPU device and on a GPU, as `ended` tells it, or limit (it took
# longer), refused (by the CPU device, by name), not compiled; empty where it was not run.
Result = collections.namedtuple("Result", "program cpu gpu")


def ended(status):
    """In words: of a program that ended by itself, or by a signal, as a shell has it."""
    return "ok" if status == 0 else f"status {status if status > 0 else 128 - status}"


def rows(path, kind):
    with open(path, newline="", encoding="utf-8") as file:
        return [kind(**row) for row in csv.DictReader(file)]


def corpora():
    return rows(os.path.join(FOLDER, "corpora.csv"), Corpus)


def results(path=RESULTS):
    return rows(path, Result) if os.path.exists(path) else []


def write(path, found, column):
    """Puts a column of these programs, {program: how it ended}, into the table; it is written whole or not at all."""
    table = {row.program: row for row in results(path)}
    for program, how in found.items():
        table[program] = table.get(program, Result(program, "", ""))._replace(**{column: how})
    with open(path + ".new", "w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(Result._fields)
        out.writerows(row for _, row in sorted(table.items()))
    os.replace(path + ".new", path)


def kind(row):
    """Which of KINDS a program is of."""
    if row.cpu == "ok":
        return "run"
    if row.cpu in ("limit", "refused"):
        return row.cpu
    if row.gpu == "not compiled":
        return "nvcc"
    return "same" if row.cpu == row.gpu else "other"


KINDS = {"run": "end with status 0", "same": "end with another, as on the GPU", "limit": f"take over {LIMIT} s",
         "refused": "refused by name", "nvcc": "not compiled by nvcc", "other": "end in another way"}


def table():
    """(header, rows): how many programs of each corpus are of each kind, and of all."""
    counts = collections.defaultdict(collections.Counter)
    for row in results():
        counts[row.program.split("/")[0]][kind(row)] += 1
    total = sum(counts.values(), collections.Counter())
    return ["corpus", "programs", *KINDS.values()], [
        [name, str(sum(count.values())), *(str(count[k] or "") for k in KINDS)]
        for name, count in [*((f"[{c.name}]({c.url})", counts[c.name]) for c in corpora()), ("all", total)]]
