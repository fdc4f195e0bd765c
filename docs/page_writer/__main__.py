"""
Fill, or check, what the pages take from the source and from the records.

usage: docs/pages [--write] [FILE...]    the FILEs instead of docs/*.md and those of the root

Status 1, naming each page that differs; --write rewrites it. What stands between "<!-- begin: KIND ARGUMENTS -->" and
"<!-- end -->" is made here:

  code FILE FUNCTION      the function, kernel or struct, cut from the source
  counters STEP           its counters, recorded on the CPU device: plots/devices/cpu-device
  ratios STEP VARIANT PEER [AXIS=V,V...] [DEVICE]   how many times as fast as the library, on the GPU; with AXIS n at
                          these sizes
  fastest STEP AXIS PEER  its fastest variant at each value of an axis, and the library
  gpu STEP [DEVICE]       its rows, and its peers', at 2^28 elements or the nearest size that was
                          measured cold, too; cold beside warm where the record has both;
                          DEVICE is a directory of plots/devices, the reference unless named
  ladder FAMILY DEVICE    the ladder table
  lesson FAMILY K [FORM]  the chart and the table of its K-th lesson, on the GPU; FORM chart: no table;
                          sums: in ms, beside an article's; STEP[,STEP]: a table of these steps alone
  sizes SIZE,SIZE... STEP/VARIANT...   microseconds at each of these sizes, on the GPU
  swept STEP X MEASURE    what a step's variants came to at each X: see plots/charts/swept.py
  types STEP MEASURE      what each variant came to with each element type
  beside STEP             a paper's figures beside the GPU's
  machine DEVICE          the numbers of its machine file
  spaces DEVICE           its memories: who sees them, size, latency, by the same file
  flight DEVICE           what must be in flight, by the same file
  verdict FILE            a recorded text
  terms                   the glossary's words in each language
  checked WHAT [CORPUS]   other people's labelled programs under --check, of plots/checked. WHAT: corpora, rates,
                          counts; differences of one corpus, of which each has its reason
  programs                other people's programs by ./steps/cuda, of plots/programs
  answer PAGE-N [PART...] what the commands of exercise N print, of the counters these parts:
                          docs/page_writer/exercises.py
  scale WHAT              an all-reduce on many GPUs, by plots/scale.py. WHAT: numbers, alpha and beta; the bytes of an
                          array, as 2^12; or sum, a sum over 10^15 elements
  path                    the place on the first path: docs/page_writer/order.py
  trials LOG: TITLE | TITLE...   the figures of the table there, from a log of the trial programs; the other cells
                          are the page's: docs/page_writer/trials.py

A sentence that compares measured things cites the rows of the record that it rests on, and they
must bear it out: docs/page_writer/claims.py has the grammar. docs/page_writer/words.txt lists words that no
page may use. A number that is quoted from another page or from a table stands there: docs/page_writer/quoted.py. A
link to a file or a heading of ours leads there. All faults of these kinds are named, and --write mends none of them.
An exercise has its answer folded under it, made from a record: docs/page_writer/exercises.py. A function of ours that
code calls has been shown before: docs/page_writer/seen.py. A word of CUDA has been explained before:
docs/page_writer/constructs.py. The head and the last line of a page, the lines of docs/index.md and the table of
README.md follow the course: docs/page_writer/order.py.

docs/zh/*.md and docs/ko/*.md are pages in Chinese and Korean. Each paragraph there names the English one that it
translates, and one that has changed is named: docs/page_writer/translations.py.

A word of docs/glossary.md is a link to it at its first use on each page, and only there: --write puts
the links in. docs/page_writer/glossary.py says what counts as a use.
"""
import glob
import os
import re
import sys

from common.commands import ROOT, languages
from common.commands.arguments import Arguments
from docs.page_writer import paper_figures as papers
from docs.site_builder import cited, translated
from plots import labelled, log, machine, programs, recorded, scale
from plots.charts import swept
from plots.family import figures, number, power
from plots.ladder import (backends, cold_beside, ladder as ladder_of, ladder_size,
                          lesson_ladder, measured, once, page_size)
from plots.tables import (counted_table, grid, markdown, place, place_text,
                          share)
from docs.page_writer import (claims, constructs, exercises, glossary, links, order, quoted, seen, text,
                              translations, trials, words)

BLOCK = re.compile(r"(<!-- begin: ([^\n]*?) -->\n)(.*?)(<!-- end -->)", re.DOTALL)
NO_RECORD = "*no record yet*"
NO_LESSON = "*no record of this shape yet*"
RATIO_SIZES = (2**20, 2**24, 2**28, 2**30)  # of a comparison with a library


class PageError(Exception):
    """A marker that cannot be filled, because it is wrong rather than without a record."""


def inside(*parts):
    return os.path.normpath(os.path.join(ROOT, *parts))


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def fenced(text, language=""):
    return f"```{language}\n{text.rstrip()}\n```"


def code(path, function):
    """A definition, as it stands in the source."""
    try:
        lines = read(inside(path)).split("\n")
    except OSError as error:
        raise PageError(f"{path}: {error.strerror}") from error
    found = cited.span(lines, function)
    if found:
        return fenced("\n".join(lines[found[0]:found[1] + 1]), "c")
    raise PageError(f"{path}: no function {function}")


def per(above, below):
    above, below = number(above), number(below)
    return figures(above / below) if above is not None and below else "-"


def counters(step):
    directory = recorded.place(device=recorded.CPU)
    if not os.path.isdir(directory):
        return NO_RECORD
    rows = [row for row in claims.counted(directory) if row["step"] == step]
    if not rows:
        return NO_RECORD
    header = ["variant", "kernel", "grid x block", "launches", "global loads", "sectors each",
              "global stores", "sectors each", "shared accesses", "wavefronts each",
              "bank conflicts", "global atomics", "sectors each", "shared atomics",
              "wavefronts each", "barriers"]
    cells = []
    for row in rows:
        shared = [number(row[f"shared_{kind}"]) or 0
                  for kind in ("load_instructions", "store_instructions",
                               "load_wavefronts", "store_wavefronts")]
        cells.append([
            row["variant"], f"`{row['kernel']}`", f"{row['grid']} x {row['block']}",
            row["launches"], row["global_load_requests"],
            per(row["global_load_sectors"], row["global_load_requests"]),
            row["global_store_requests"],
            per(row["global_store_sectors"], row["global_store_requests"]),
            f"{shared[0] + shared[1]:.0f}", per(shared[2] + shared[3], shared[0] + shared[1]),
            row["bank_conflicts"], row["global_atomic_requests"],
            per(row["global_atomic_sectors"], row["global_atomic_requests"]),
            row["shared_atomic_instructions"],
            per(row["shared_atomic_wavefronts"], row["shared_atomic_instructions"]),
            row["barriers"]])
    return markdown(*without_zeros(header, cells), (0, 1))


def without_zeros(header, cells):
    """Without the columns in which nothing was counted; of a table that would be wider than a page also without
    the kernels' template arguments, variants that did the same as the first, and the name of an only one."""
    keep = [at for at in range(len(header))
            if at < 4 or any(line[at] not in ("0", "-", "") for line in cells)]
    if len(keep) == len(header):
        cells = [[line[0], re.sub("<.*>", "", line[1]), *line[2:]] for line in cells]
        names = dict.fromkeys(line[0] for line in cells)
        did = {name: [line[1:] for line in cells if line[0] == name] for name in names}
        first = next(iter(did))
        cells = [line for line in cells if line[0] == first or did[line[0]] != did[first]]
        keep = keep[len({line[0] for line in cells}) == 1:]
    return [header[at] for at in keep], [[line[at] for at in keep] for line in cells]


def record(device):
    """(rows, counters, families) of a recorded run."""
    return claims.loaded(recorded.place(device=device))


def verified(row):
    return "yes" if row["status"] == "ok" else row["status"]


def cold_columns(chosen, rows, family):
    """Header and a line of cells for each chosen row: the same behind a flush of the L2 cache."""
    cold = [cold_beside(row, rows, family) for row in chosen]
    if not any(cold):
        return [], [[] for _ in chosen]
    return ["cold, us", "cold, " + family.unit(" per ")], [
        [figures(row["median_us"]), figures(family.figure(row))] if row else ["", ""]
        for row in cold]


def gpu(step, device=""):
    rows, _, families = record(device or recorded.reference())
    rows = [row for row in rows if row["step"] == step]
    family = next((family for family in families if step in family.steps), None)
    if not rows or not family:
        return NO_RECORD
    chosen = measured(family.of(rows), family, page_size(rows, family))
    copied = family.measure == "gb_per_s"
    more, cold = cold_columns(chosen, rows, family)
    header = ["variant", place(family), "median us", family.unit(" per ")]
    header += (["% of a copy"] if copied else []) + more + ["verified"]
    cells = [[row["variant"], place_text(row, family), figures(row["median_us"]),
              figures(family.figure(row))] + ([share(row)] if copied else []) + beside
             + [verified(row)] for row, beside in zip(chosen, cold)]
    return markdown(header, cells, (0,)) + f"\n\nMeasured on: {chosen[0]['device']}."


def compared_rows(step, family, rows, variant, axis):
    """{(axes' values, type, input, cache, options): {variant: its row of most runs}} at a record's sizes."""
    name, values = axis.split("=") if axis else ("", "")
    chosen = {}
    for row in sorted(rows, key=lambda row: row["n"]) if name == "n" else rows:
        if row["step"] != step or \
                (name != "n" and row["n"] not in RATIO_SIZES and len(family.sides) < 3) or \
                (name and f"{row[name]:.0f}" not in values.split(",")):
            continue
        options = ", ".join(f"{name} {row['texts'][name]}" for name in family.parameters if row["texts"].get(name))
        key = (family.size(row), row["type"], row["input"], row["cache"], options)
        best = chosen.setdefault(key, {})
        if (row["runs"] or 0) >= (best.get(row["variant"], row)["runs"] or 0):
            best[row["variant"]] = row
    return {key: found for key, found in chosen.items() if variant in found}


def ratios(step, variant, peer, axis="", device=""):
    """The times of a variant and of a library's at each size, type, input, cache and options, and their ratio."""
    if axis and "=" not in axis:
        axis, device = "", axis
    rows, _, families = record(device or recorded.reference())
    family = next((family for family in families if step in family.steps), None)
    if not rows or not family:
        return NO_RECORD
    header = ["size", "type", "input", "cache", "options", f"{variant}, us", f"{peer}, us", "times as fast"]
    cells = []
    for key, found in compared_rows(step, family, rows, variant, axis).items():
        if peer in found:
            ours, theirs = found[variant], found[peer]
            cells.append([family.size_text(ours), *key[1:], figures(ours["median_us"]),
                          figures(theirs["median_us"]),
                          f"{theirs['median_us'] / ours['median_us']:.2f}"])
    keep = [at for at in range(len(header)) if at > 4 or len({line[at] for line in cells}) > 1]
    return markdown([header[at] for at in keep], [[line[at] for at in keep] for line in cells], (0,))


def fastest(step, axis, peer):
    """At each value of an axis the fastest variant and the library, at the size with the most rows."""
    rows, _, families = record(recorded.reference())
    family = next((family for family in families if step in family.steps), None)
    if not rows or not family:
        return NO_RECORD
    rows = [row for row in family.of(rows) if row["step"] == step and row["status"] == "ok"]
    sizes = [row["n"] for row in rows]
    size, found = max(sizes, key=lambda n: (sizes.count(n), n)), {}
    for row in (row for row in rows if row["n"] == size):
        best = found.setdefault(row[axis], {})
        kind = peer if row["variant"] == peer else "ours"
        if row["role"] == "step" or kind == peer:
            if kind not in best or row["median_us"] < best[kind]["median_us"]:
                best[kind] = row
    header = [axis, "fastest", "us", "% of a copy", f"{peer}, us", "times as fast"]
    cells = [[power(value), best["ours"]["variant"], figures(best["ours"]["median_us"]),
              share(best["ours"]), figures(best[peer]["median_us"]),
              f"{best[peer]['median_us'] / best['ours']['median_us']:.3f}"]
             for value, best in sorted(found.items()) if len(best) == 2]
    return markdown(header, cells, (1,)) + f"\n\nAt {power(size)} {family.element}s."


def ladder(name, device):
    rows, counted, families = record(device)
    family = next((family for family in families if family.name == name), None)
    if not family or not family.of(rows):
        return NO_RECORD
    if backends(rows) != ["cuda"]:
        return markdown(*counted_table(rows, counted, family), (0, 1))
    chosen = ladder_of(rows, family, ladder_size(rows, family))
    more, cold = cold_columns([line[0] for line in chosen], rows, family)
    header = ["step", "variant", place(family), "median us", family.unit(" per "), *more,
              "speed-up over the step before", "over the first step", "verified"]
    cells = []
    for (row, speedup, total, best), beside in zip(chosen, cold):
        figure = figures(family.figure(row))
        cells.append([row["step"], row["variant"], place_text(row, family),
                      figures(row["median_us"]), f"**{figure}**" if best else figure, *beside,
                      "-" if speedup is None else f"{speedup:.2f}",
                      "-" if total is None else f"{total:.2f}", verified(row)])
    return markdown(header, cells, (0, 1))


def plain(title):
    """A chart's title without the marks that gnuplot reads."""
    return re.sub(r"[{}]", "", title)


def sums_columns(row):
    """An article's figures of what the row does, and the row's own, in ms."""
    theirs = papers.SUMS.get((row["step"], row["variant"]), ("", "", ""))
    return [*theirs, f"{row['median_us'] / 1000:.2f}"]


def lesson(name, number_of, form=""):
    rows, _, families = record(recorded.reference())
    family = next((family for family in families if family.name == name), None)
    chosen = form.split(",") if family and set(form.split(",")) <= set(family.steps) else []
    if form not in ("", "chart", "sums") and family and not chosen or not re.fullmatch("[1-9]", number_of):
        raise PageError(f"lesson {name} {number_of} {form}: a number from 1, then chart, sums or steps of {name}")
    at = int(number_of)
    asked = family.lessons[at - 1] if family and at <= len(family.lessons) else None
    table = lesson_ladder(asked, once(rows, family), family) if asked else []
    if not table:
        return NO_LESSON
    charts = f"../plots/devices/{recorded.reference()}/charts"
    chart = f"![{plain(asked.title(family))}]({charts}/lesson-{at}-{name}.svg)"
    if form == "chart":
        return chart
    header = ["step", "variant", "grid"] + (
        ["GT 750M, ms", "GTX 750 Ti, ms", "its program on an H200, ms", "ours, ms"] if form == "sums" else
        ["median us", family.unit(" per ")] + ["speed-up over the step before"] * (not chosen)) + ["verified"]
    cells = []
    for row, speedup, _, best in table:
        if chosen and row["step"] not in chosen:
            continue
        rate = figures(family.figure(row))
        cells.append([row["step"], row["variant"], grid(row) if row["blocks"] else ""] + (
            sums_columns(row) if form == "sums" else
            [figures(row["median_us"]), f"**{rate}**" if best else rate] +
            ["-" if speedup is None else f"{speedup:.2f}"] * (not chosen)) + [verified(row)])
    return f"{chart}\n\n{markdown(header, cells, (0, 1))}\n\nMeasured on: {table[0][0]['device']}."


def sizes(values, *names):
    """The times of variants at some sizes, as claims (us(STEP/VARIANT, SIZE)) have them."""
    known, cells, device = claims.Record(ROOT), [], ""
    if not known.rows:
        return NO_RECORD
    for name in names:
        try:
            found = [known.timed_row(name, [size])[0] for size in values.split(",")]
        except claims.ClaimError as error:
            raise PageError(f"sizes {values} {name}: {error}") from None
        cells.append([*name.split("/"), *(figures(row["median_us"]) for row in found)])
        device = found[0]["device"]
    header = ["step", "variant", *(f"us at {size}" for size in values.split(","))]
    return markdown(header, cells, (0, 1)) + f"\n\nMeasured on: {device}."


def steps_own(step):
    """(its rows on the GPU of the record, its family); of the first type, but where told otherwise."""
    rows, _, families = record(recorded.reference())
    family = next((family for family in families if step in family.steps), None)
    return [row for row in rows if row["step"] == step], family


def sweep(step, columns, measure):
    rows, family = steps_own(step)
    found = swept.series_of(family.of(rows), family, columns.split("*"), measure) if rows else {}
    if not found:
        return NO_RECORD
    header = [" x ".join(columns.split("*")), *swept.names(found, family)]
    xs = sorted({x for points in found.values() for x in points})
    cells = [[power(x)] + [figures(swept.figure(points[x], measure)) if x in points else ""
                           for points in found.values()] for x in xs]
    unit = family.unit(" per ", measure)
    return markdown(header, cells, ()) + f"\n\nIn {unit}. Measured on: {rows[0]['device']}."


def types(step, measure):
    """Of a variant's rows of one type that with the most runs counts, then the latest."""
    rows, family = steps_own(step)
    best = {}
    for row in rows:
        key = (row["variant"], row["type"])
        if row["status"] == "ok" and row["cache"] != "cold" and \
                (row["runs"] or 0) >= (best.get(key, row)["runs"] or 0):
            best[key] = row
    if not best:
        return NO_RECORD
    kinds = [kind for kind in family.types if any(kind == of for _, of in best)]
    cells = [[variant] + [figures(swept.figure(best[variant, kind], measure))
                          if (variant, kind) in best else "" for kind in kinds]
             for variant in dict.fromkeys(variant for variant, _ in best)]
    unit = family.unit(" per ", measure)
    return markdown(["variant", *kinds], cells, (0,)) + \
        f"\n\nIn {unit}. Measured on: {rows[0]['device']}."


def beside(step):
    rows, family = steps_own(step)
    if step not in papers.FIGURES:
        raise PageError(f"the paper has no figures of {step}")
    cells = [[what, theirs, ours(rows, family) if rows else ""]
             for what, theirs, ours in papers.FIGURES[step]]
    return markdown(["", "GTX 280, the paper", rows[0]["device"] if rows else "no record yet"], cells,
                    (0,))


def machine_of(device):
    path = recorded.place(machine.NAME, device=device)
    return machine.read(path) if os.path.exists(path) else None


def machine_file(device):
    found = machine_of(device)
    if not found:
        return NO_RECORD
    header, cells = machine.table(found)
    return markdown(header, [[f"`{line[0]}`", *line[1:]] for line in cells], (0, 2, 4, 5)) + \
        f"\n\nMeasured on: {found['device']['name']}."


def binary(size):
    """A number of bytes, in the unit of 1024 bytes that fits."""
    for unit in ("bytes", "KiB", "MiB"):
        if size < 1024:
            return f"{figures(size)} {unit}"
        size /= 1024
    return f"{figures(size)} GiB"


def memory_bytes(device):
    """The size of a recorded device's memory, as its driver says it; None where that is not recorded."""
    try:
        found = re.search(r"^device: .*?, (\d+) MiB", read(recorded.place("env.txt", device=device)),
                          re.MULTILINE)
    except OSError:
        found = None
    return int(found[1]) * 2**20 if found else None


def spaces(device):
    """Sizes are what the device says of itself, latencies what the steps measured."""
    found = machine_of(device)
    if not found:
        return NO_RECORD
    told = found["device"]

    def ns(name):
        return f"{figures(found['numbers'][name]['value'])} ns"

    cells = [
        ["registers", "one thread", binary(4 * told["registers_per_multiprocessor"]) + " per multiprocessor",
         f"none; a result that the next instruction needs takes {ns('dependent_step')}"],
        ["shared memory", "the threads of a block",
         binary(told["shared_bytes_per_multiprocessor"]) + " per multiprocessor", ns("shared_latency")],
        ["L1 cache", "the threads on a multiprocessor", "what shared memory leaves of the same memory",
         ns("l1_latency")],
        ["L2 cache", "all threads", binary(told["l2_bytes"]), ns("l2_latency")],
        ["global memory", "all threads; the host by copies",
         binary(memory_bytes(device)) if memory_bytes(device) else "",
         ns("dram_latency")]]
    return markdown(["space", "who sees it", "size", "latency of a load"], cells, (0, 1, 2, 3)) + \
        f"\n\nMeasured on: {told['name']}, {told['multiprocessors']:.0f} multiprocessors."


def flight(device):
    """Little's law: bandwidth x latency, and how many threads that takes."""
    found = machine_of(device)
    if not found:
        return NO_RECORD
    told = found["device"]
    cells = []
    for memory, rate, latency in (("global memory", "dram_read", "dram_latency"),
                                  ("L2 cache", "l2_read", "l2_latency")):
        rate, latency = (found["numbers"][name]["value"] for name in (rate, latency))
        each = rate * latency / told["multiprocessors"]
        cells.append([memory, f"{figures(rate)} GB/s", f"{figures(latency)} ns",
                      binary(rate * latency), binary(each), f"{each / 4:.0f}", f"{each / 16:.0f}"])
    return markdown(["", "bandwidth", "latency", "bytes in flight", "per multiprocessor",
                     "threads with a load of 4 bytes", "of 16 bytes"], cells, (0,)) + \
        f"\n\nA multiprocessor of an {told['name']} holds {told['threads_per_multiprocessor']:.0f} threads."


def verdict(path):
    try:
        return fenced(read(inside(path)))
    except FileNotFoundError:
        return NO_RECORD


def answer(name, *parts):
    try:
        return fenced(exercises.shown(read(recorded.place("transcripts", f"exercise-{name}.txt", device=recorded.CPU)),
                                      parts))
    except FileNotFoundError:
        return NO_RECORD
    except exercises.PartError as error:
        raise PageError(f"answer {name}: {error}") from error


def terms():
    """The glossary's words in each language."""
    glossaries = [translated.terms(translated.read(language, "glossary")) for language in languages.LANGUAGES]
    cells = [[f"[{word}](#{anchor})", *(found.get(anchor, ("-",))[0] for found in glossaries)]
             for anchor, (word, _) in translated.terms(read(inside("docs/glossary.md"))).items()]
    names = [f"[{each.name}]({language}/glossary.md)" for language, each in languages.LANGUAGES.items()]
    return markdown(["English", *names], cells, (0, 1, 2))


def checked(what, *corpus):
    """The tables of plots/labelled.py."""
    if what == "differences" and corpus:
        faults = [fault for fault in labelled.unexplained() if fault.startswith(f"{corpus[0]}: ")]
        if faults:
            raise PageError(f"plots/checked/reasons.csv: {'; '.join(faults)}")
        return markdown(*labelled.differences_table(corpus[0]), (0, 1, 2, 3))
    makers = {"corpora": (labelled.corpora_table, (0, 1, 2, 3)), "rates": (labelled.rates_table, (0,)),
              "counts": (labelled.counts_table, (0, 1))}
    if what not in makers or corpus:
        raise PageError(f"checked {what}: must be one of {', '.join(makers)}, differences CORPUS")
    make, left = makers[what]
    return markdown(*make(), left)


def others():
    """The table of plots/programs.py."""
    return markdown(*programs.table(), (0,))


def scaled(what):
    """The tables of plots/scale.py."""
    link = scale.measured()
    if not link:
        return NO_RECORD
    if what == "numbers":
        return markdown(*scale.numbers(link), (0, 2))
    if what == "sum":
        found = machine_of(recorded.reference())
        rate = 1e9 * found["numbers"]["dram_read"]["value"] if found else 0
        return markdown(*scale.sums(link, rate, memory_bytes(recorded.reference())), ()) if found else NO_RECORD
    if not re.fullmatch(r"2\^\d+", what):
        raise PageError(f"scale {what}: must be numbers, sum, or a power of two, as 2^12")
    return markdown(*scale.costs(2 ** int(what[2:]), link), ())


KINDS = {"code": (code, 2, 2), "counters": (counters, 1, 1), "gpu": (gpu, 1, 2),
         "ladder": (ladder, 2, 2), "lesson": (lesson, 2, 3), "sizes": (sizes, 2, 9),
         "ratios": (ratios, 3, 5), "fastest": (fastest, 3, 3),
         "swept": (sweep, 3, 3), "types": (types, 2, 2), "beside": (beside, 1, 1),
         "machine": (machine_file, 1, 1), "spaces": (spaces, 1, 1), "flight": (flight, 1, 1),
         "verdict": (verdict, 1, 1), "answer": (answer, 1, 1 + len(exercises.PARTS)), "terms": (terms, 0, 0),
         "checked": (checked, 1, 2), "programs": (others, 0, 0), "scale": (scaled, 1, 1)}


def fill(match):
    kind, _, rest = match.group(2).partition(" ")
    if match.group(2) == "path":
        return match.group(0)  # README.md's, which order.py makes; it has put away those of pages
    if kind == "trials":
        return match.group(1) + trials.table(rest, match.group(3), recorded.place("trials")) + "\n" + match.group(4)
    words = match.group(2).split()
    make, fewest, most = KINDS.get(words[0] if words else "", (None, 0, 0))
    if make is None or not fewest <= len(words) - 1 <= most:
        raise PageError(f"marker '{match.group(2)}' is none of: {', '.join(KINDS)}, path, trials")
    return match.group(1) + make(*words[1:]) + "\n" + match.group(4)


def made(page):
    """The page with its blocks as they should be."""
    if len(re.findall("^<!-- begin: ", page, re.MULTILINE)) != len(BLOCK.findall(page)):
        raise PageError("a '<!-- begin: -->' without its '<!-- end -->'")
    return BLOCK.sub(fill, page)


def prose_faults(page, path, rows, known, listed):
    name = os.path.splitext(os.path.basename(path))[0]
    return sorted([*text.faults(page), *text.too_long(page, path), *words.faults(page, known), *words.by_place(page),
                   *claims.faults(page, rows),
                   *quoted.faults(page, path),
                   *seen.faults(page, path, ROOT),
                   *constructs.faults(page, name, listed),
                   *exercises.faults(page, name),
                   *links.faults(page, path, set(rows.of_step))])


class Pages:
    """What all pages are made and checked by."""

    def __init__(self):
        self.rows, self.known, self.listed = claims.Record(ROOT), words.rules(), order.steps()
        self.terms = glossary.terms_of(read(inside("docs/glossary.md")))

    def english(self, page, path):
        """(the page as it should be, why it differs or None, [(line, what a person must mend)])"""
        name = os.path.splitext(os.path.basename(path))[0]
        right = made(exercises.with_answers(order.without_made(page, name, self.listed), name))
        right, fault = order.right(right, path, self.listed)
        if fault:
            raise PageError(fault)
        linked = glossary.is_linked(os.path.relpath(path, ROOT))
        unlinked = glossary.complaint(right, self.terms) if linked else None
        return glossary.linked(right, self.terms) if unlinked else right, unlinked, \
            prose_faults(page, path, self.rows, self.known, self.listed)

    def page(self, path):
        """(the page as it is, and what english() says of it)"""
        page = read(path)
        language, name = translations.of(os.path.relpath(path, ROOT))
        if not language:
            return page, *self.english(page, path)
        right, faults = translations.right(read(inside("docs", name + ".md")), page, name, language)
        return page, right, None, faults


def all_pages():
    """Those in other languages first, because the glossary's table takes their words."""
    return [path for pattern in (*(f"docs/{language}/*.md" for language in languages.LANGUAGES), "docs/*.md", "*.md")
            for path in sorted(glob.glob(inside(pattern)))]


def main():
    parser = Arguments("docs/pages", __doc__)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("files", nargs="*")
    options = parser.parse(sys.argv[1:])
    good, pages = True, Pages()
    for path in options.files or all_pages():
        name = os.path.relpath(path, ROOT)
        try:
            page, right, unlinked, faults = pages.page(path)
        except (OSError, PageError, trials.TrialError, log.LogError) as error:
            print(f"{name}: {error}", file=sys.stderr)
            good = False
            continue
        if right != page and options.write:
            with open(path, "w", encoding="utf-8") as file:
                file.write(right)
            print(f"{name} rewritten")
            page, right, unlinked, faults = pages.page(path)
        for line, fault in faults:
            print(f"{name}:{line}: {fault}", file=sys.stderr)
            good = False
        if right != page:
            print(f"{name}: {unlinked or 'differs from the source or the record'}; "
                  "run docs/pages --write", file=sys.stderr)
            good = False
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
