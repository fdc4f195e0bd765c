"""
A fixed sample of the mutants of plots/record mutants, over all kinds and families; all of them, and the report
docs/mutants.md, by hand. Before it: a step that is not clean itself must not judge its mutants.
"""
import collections
import glob
import os
import subprocess
import sys
import tempfile

from plots.makers.mutation import headers, judge, make, programs, reach, report, text, together
from docs.page_writer import links
from common.commands.drive import building
from common.commands.drive.support import SOURCE, all_steps, case, families, sample_step

SAMPLE = ["--sample", "36", "--seed", "336"]  # one whose launches take little time


def unclean():
    """The step with a store that only --check sees, in the place of the step itself."""
    name = sample_step()
    with open(os.path.join(SOURCE, "steps", name, name + ".cu"), encoding="utf-8") as file:
        text = file.read()
    mutant = next(m for m in make.mutants_of(name) if m.kind == "compare")
    kind = judge.types_of(name)[0]
    of_type = [line for line in judge.lines_of(name) if judge.parse(line)["type"][-1] == kind]
    with tempfile.TemporaryDirectory() as scratch:
        program, done = programs.build(mutant._replace(text=text.replace(
            "    if (t == 0)\n", "    s[blockDim.x] = 0;\n    if (t == 0)\n")), scratch, kind)
        if not case(done.status == 0, f"{name} is built with a store past its shared memory", done):
            return False
        said = []
        for more in ((), ("--check",)):
            try:
                judge.make_sure(program, name, of_type, more)
                said.append("")
            except judge.Unclean as error:
                said.append(str(error))
        judge.known_clean.clear()
    return case(said[0] == "" and "--check: the step itself: " in said[1],
                "mutants of a step that --check finds unclean are not judged", said)


def several():
    """Mutants in one program are what they are alone, and without a number it is the step."""
    name = sample_step()
    kind = judge.types_of(name)[0]
    lines = [line for line in judge.lines_of(name) if judge.parse(line)["type"][-1] == kind]
    asked = {at: m for at, m in enumerate(make.mutants_of(name)) if not programs.is_large(m)}
    asked = {at: asked[at] for at in list(asked)[:8]}

    def said(program):
        return judge.first_fault(program, name, lines, 60, [], judge.wrong)[0]

    with tempfile.TemporaryDirectory() as scratch:
        found = dict(programs.build_all(asked, os.path.join(scratch, "together"), kind))
        told_of = {at: said(program) for at, (program, _) in found.items()}
        alone = next(at for at in asked if told_of[at])
        good = case(len({os.path.realpath(program) for program, _ in found.values()}) == 1,
                    f"{len(asked)} mutants of {name} are one program", found)
        good = case(said(os.path.realpath(found[alone][0])) == "", "without a number it is the step itself") and good
        good = case("" in told_of.values(), f"{name}: not each is wrong in a plain run", told_of) and good
        by_itself = said(programs.build(asked[alone], scratch, kind)[0])
    return case(by_itself == told_of[alone], "a mutant alone is told as it is among several",
                [by_itself, told_of]) and good


def coming_to():
    """In a launch that does not come to its place a mutant is the step: what is wrong is found where it is reached."""
    name = sample_step()
    kind = judge.types_of(name)[0]
    lines = [line for line in judge.lines_of(name) if judge.parse(line)["type"][-1] == kind][:6]
    asked = {at: m for at, m in enumerate(make.mutants_of(name)) if not programs.is_large(m)}
    with tempfile.TemporaryDirectory() as scratch:
        programs_of = [program for program, _ in dict(programs.build_all(asked, scratch + "/all", kind)).values()]
        base = os.path.realpath(programs_of[0])
        judge.make_sure(base, name, lines, ())
        missed, left_out = [], 0
        for program in programs_of:
            reaching = judge.coming_to(program, lines, base, ())
            others = [line for line in lines if line not in reaching]
            left_out += len(others)
            missed += [(program, line) for line in others
                       if judge.first_fault(program, name, [line], 60, [], judge.wrong)[0]]
        wrong = [program for program in programs_of if judge.first_fault(program, name, lines, 60, [], judge.wrong)[0]]
    return case(not missed and left_out and wrong and left_out < len(programs_of) * len(lines),
                "where a launch does not come to its place a mutant is the step", [missed, left_out, len(wrong)])


def ended():
    """What --check finds is found by it; a launch that is wrong or never ends then is so in another order."""
    true, got = judge.asked_of, {}
    for said in ("race", "hang", "wrong result", ""):
        judge.asked_of = lambda *_, said=said: lambda fault, *more: said if "--check" in more else ""
        got[said] = judge.first_look(make.Mutant(*[""] * len(make.Mutant._fields)), "", [], 0, judge.CHECKED)
    judge.asked_of = true
    return case(all(verdict["result"] == "" for verdict in got.values()) and
                [(got[said]["check"], got[said]["order"]) for said in got] ==
                [("race", ""), ("", "hang"), ("", "wrong result"), ("", "")], "what --check says, or never ends", got)


def simple():
    """Which values may be computed twice, to know whether a mutant's differs."""
    code = "__shared__ int s[4], next;"
    given = {"i < n": True, "k * 2 >= (size_t)n - 1 && j": True, "s < 1": False, "next < 1": False, "a[i] < 1": False,
             "p->n > 1": False, "*p < 1": False, "i++ < n": False, "(i = 1) < n": False, "f(i) < n": False,
             "f<2>(i) < n": False, "&i < p": False, "a * b <= c": True, "c ? *p : 1": False}
    found = {text: together.twice(code, text) for text in given}
    return case(found == given, "what may be computed twice", {text: found[text] for text in given
                                                               if found[text] != given[text]})


def limited():
    """The step itself has the limits of its mutants where its sources know them."""
    own = [name for name in all_steps() if programs.STAND_IN in programs.text_of(name)]
    with tempfile.TemporaryDirectory() as scratch:
        told_of = []
        for define in (f"-D{programs.STAND_IN}", "-DNO_SUCH_WORD"):
            out = os.path.join(scratch, "out.cpp")
            done = building.translate(os.path.join(SOURCE, "steps", own[0], own[0] + ".cu"), out,
                                      ["-w", "-DELEMENT_TYPE=i32", define]) if own else None
            with open(out if done and done.status == 0 else os.devnull, encoding="utf-8") as file:
                told_of.append(file.read())
    return case(own and told_of[0] and told_of[1] and told_of[0] != told_of[1],
                "a step whose limits are small for its mutants", [own, *map(len, told_of)])


def renewed():
    """A verdict depends on the sources of its family, in whatever folder they are: see judge.digest_of_build."""
    lost = [family for family in families() if not glob.glob(os.path.join(SOURCE, programs.folder_of(family), "*.h"))]
    same = programs.folder_of("hgemm") == programs.folder_of("gemm") != programs.folder_of("attention")
    return case(not lost and same, "mutants: the sources of each family are found", lost)


def reached():
    """Which variants run what a mutant changes."""
    lines = ('#include "families/its_own_type.h"', "#define USED(x) in_macro(x)",
             "static int one(int sum) { return sum + s.two; }", "static int two(int x) { return one(x); }",
             "static int in_macro(int x) { return x; }", "static const struct variant variants[] = {",
             '    {"a", "two", one}, {"b", "", two}, {"c", "", in_macro},', "};", "",
             'STEP("s", family, variants);', "")
    given, changes = "\n".join(lines), (("sum +", "sum -"), ("one(x)", "one(-x)"), ("return x", "return -x"))
    found = [reach.reached(given, given.replace(old, new)) for old, new in changes]
    return case(found == [{"a", "b"}, {"b"}, None], "the variants that reach a change", found)


def branches():
    """What is chosen when the program runs: a statement, a condition, what a variable begins with; and what is not."""
    given = ("__global__ void k(int *p, int n)\n{\n    __shared__ int s[N + 1];\n"
             "    const int q = f<2, 3>(n) < 1, r = n;\n"
             "    for (int i = q; i < T::n; i++) {\n        if (i < r)\n            p[i] = one<a, b>(i);\n"
             "        __syncthreads();\n    }\n    return;\n}\n")
    changes = (("N + 1", "N"), (") < 1", ") <= 1"), ("i = q", "i = q + 1"), ("T::n", "T::n - 1"), ("i++", "i += 2"),
               ("if (i < r)", "if (i <= r)"), ("            p[i] = one<a, b>(i);\n        __syncthreads();",
                                              "            { p[i] = one<a, b>(i); __syncthreads(); }"),
               ("        __syncthreads()", "        "), ("p[i] =", "p[0] ="))
    mutants = [given.replace(old, new, 1) for old, new in changes]
    found, taken = together.source(given, mutants)
    wanted = ("int q = (mutant_is(2) ? (f<2, 3>(n) <= 1) : (f<2, 3>(n) < 1)), r = n;",
              "int i = mutant_of(3, (q + 1), (q));mutant_of(4, ( i < T::n - 1), ( i < T::n));"
              "(mutant_is(5) ? (void)( i += 2) : (void)( i++))",
              "{ if (mutant_is(7)) { if (i < r)\n            { p[i] = one<a, b>(i); __syncthreads(); } } else "
              "{ if (mutant_of(6, (i <= r), (i < r)))\n            "
              "{ if (mutant_is(9)) { p[0] = one<a, b>(i); } else { p[i] = one<a, b>(i); } }\n"
              "        { if (mutant_is(8)) { ; } else { __syncthreads(); } } } }\n")
    return case(taken == list(range(2, 10)) and all(words in found for words in wanted),
                "each change is a branch of the smallest part that can be one", [taken, found])


def of_headers():
    """What stands in headers: which of it a step uses, and that a mutant of it is of that step's program alone."""
    own = ('#include "families/a.h"\n#include "families/b.h"\n#include "families/c.h"\n#include "families/host.h"\n'
           "\n__global__ void k(int *p)\n{\n    *p = first(*p) + BY_MACRO(1) + other().get();\n}\n")
    files = {
        "families/a.h": '#ifndef A\n#define A\n#include "families/b.h"\n#define BY_MACRO(x) in_macro(x)\n\n'
                        "static __device__ int first(int x)\n{\n    return x < 1 ? second<2>(x) : 0;\n}\n"
                        "static __device__ int unused(int x)\n{\n    return x < 2;\n}\n#endif\n",
        "families/b.h": 'extern "C" {\nstatic __device__ int in_macro(int x)\n{\n    return x < 3;\n}\n}\n'
                        "template <int N> static __device__ int second(int x)\n{\n    return x;\n}\n"
                        "template <> __device__ int second<2>(int x)\n{\n    return x < 4;\n}\n",
        "families/c.h": "struct one {\n    __device__ int get() const\n    {\n        return 1;\n    }\n};\n"
                        "struct other {\n    __device__ int get() const\n    {\n        return 2;\n    }\n};\n",
        "families/host.h": "/* __device__ */ int f(int x);\n"}
    true, headers.text_of = headers.text_of, files.__getitem__
    of_step = headers.expand(own)
    found = headers.used_of(of_step, set())
    headers.text_of = true
    headers.has_functions.cache_clear()
    code = text.blank(of_step.text)
    made = {function: headers.place(of_step, head) for function, head, _, _ in make.device_functions(code)}
    good = case(found == {("families/a.h", "first"), ("families/b.h", "in_macro"), ("families/b.h", "second"),
                          ("families/c.h", "other::get")} and
                made["first"] == ("families/a.h", 6) and made["k"] == ("", 6) and
                of_step.text.count("in_macro(int x)") == 1 and 'include "families/host.h"' in of_step.text,
                "the functions of headers that a step uses, and where they stand", [found, made])
    judged = collections.Counter(headers.judges().values())
    name = min(judged, key=lambda step: (judged[step], all_steps().index(step)))
    mutants = list(headers.mutants_of(name))
    good = case(mutants and all(make.of_header(m)[0] and headers.used(name) >= {make.of_header(m)} for m in mutants) and
                not any(make.of_header(m)[0] for m in make.mutants_of(name)),
                f"{name} has mutants of headers, of functions that it uses", mutants) and good
    headers.text_of = lambda header: true(header) + "/* another text */\n"
    headers.expanded.cache_clear()
    changed = next(headers.mutants_of(name))
    headers.text_of = true
    headers.expanded.cache_clear()
    return case(make.key(changed) == make.key(mutants[0]) and
                judge.path_of(changed, {}) != judge.path_of(mutants[0], {}),
                "a verdict is stale when the header changes", changed) and good


def told():
    """The report: a page of counts, and the list of all verdicts and reasons."""
    fields = dict(family="f", line="x", nth=1, number=3, text="")
    found = make.Mutant(step="s", function="k", kind="bound", change="< a -> < b", **fields)
    missed = found._replace(change="a | b -> a")
    beyond = found._replace(change="c -> d", kind="fence")
    shared = found._replace(function="kit/h.h:g", step="kept")
    none = {"result": "", "check": "", "order": "", "counters": ""}
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "page.md")
        reasons = {make.key(missed): "A reason.", make.key(beyond): "Out of reach: why."}
        old = [(m._replace(step=name), none) for m in (found, missed) for name in ("gone", "kept", "s")]
        kept = os.path.join(scratch, "judged.csv")

        def current(*names):
            return {(name, of_header): {make.key(m._replace(step=name, line=line)) for line in "xy" for m in these}
                    for name in names for of_header, these in ((False, (found, missed, beyond)), (True, (shared,)))}

        report.report(path, kept, old, reasons, current("gone", "kept", "s"))
        day = report.read_judged(kept)[1]["kept", False]
        for results in ([(found, {**none, "result": "wrong result"}), (missed, none), (beyond, none)],
                        [(shared, none)]):
            report.report(path, kept, results, reasons, current("s", "kept", "unjudged"))
        with open(path, encoding="utf-8") as file:
            page = file.read()
        ran, days = report.renewed(kept, [(missed._replace(step="kept", line="y"), none)],
                                   {("kept", of_header): {make.key(m._replace(step="kept", line=line))
                                                          for m, line in ((found, "x"), (missed, "y"), (shared, "x"))}
                                    for of_header in (False, True)}, False, lambda step: f"those of {step}")
        good = case(sorted((m.line, m.change, v["launches"]) for m, v in ran if not make.of_header(m)[0]) ==
                    [("x", found.change, ""), ("y", missed.change, "those of kept")] and days["kept", False] == day and
                    any(make.of_header(m)[0] for m, _ in ran),
                    "what had no verdict stands beside what has one and is current", ran)
        listing = report.listing(report.read_judged(kept)[0], reasons)
        lost = list(links.faults(page, path, ()))
    without = report.lacking([(found, none)], {("s", False): set(map(make.key, (found, missed))),
                                               ("s", True): {make.key(found)}})
    good = case(without == {("s", False): {make.key(missed)}}, "what has no verdict is known", without) and good
    without = report.lacking([(found, {**none, "launches": "now"}), (missed, {**none, "launches": "before"}),
                              (beyond, none)], {("s", False): set(map(make.key, (found, missed, beyond)))},
                             lambda step: "now")
    good = case(without == {("s", False): {make.key(missed)}}, "a verdict of other launches is none", without) and good
    asked = [[m.change for m in report.to_ask((found, missed, beyond), reasons, all_of)] for all_of in (False, True)]
    good = case(asked == [[found.change, missed.change], [found.change, missed.change, beyond.change]],
                "what is out of reach is asked only on request", asked) and good
    good = case("| all | 6 | 1 |  |  | 2 |  | 3 |" in page and "A reason." not in page and not lost,
                "the page of mutants counts them, and its links lead somewhere", [page, lost]) and good
    good = case(f"\n| s | {day} | 3 | 1 |  |  | 2 |  |  |\n| kept | {day} | 2 |  |  |  |  |  | 2 |\n" in page and
                f"\n| kit/h.h | kept | {day} | 1 |  |  |  |  |  | 1 |\n" in page and
                "gone" not in page + listing and "Not judged so far: unjudged." in page and
                "docs/mutants.md` judges them. s, unjudged.\n" in page and
                "so that some mutants have no verdict: s, kept.\n" in page,
                "the report renews the steps that were judged, keeps others, drops what is no mutant any more",
                page) and good
    return case("\n### s\n\nA reason.\n\n- line 3, k, bound: `a \\| b -> a`" in listing and
                "\nOut of reach: why.\n" in listing and listing.count("| s:3") == 3 and
                "- kit/h.h:3, g, bound: `< a -> < b`" in listing and "| kept: kit/h.h:3 = | g |" in listing,
                "the list has all, and the reasons of those that were not found", listing) and good


def main():
    os.environ["CPU_DEVICE_WORKERS"] = "1"  # as plots/record mutants
    good = all(part() for part in (renewed, unclean, limited, several, coming_to, ended, simple, reached, branches,
                                   of_headers, told))
    done = subprocess.run([os.path.join(SOURCE, "plots", "record"), "mutants", *SAMPLE], check=False)
    return 0 if good and done.returncode == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
