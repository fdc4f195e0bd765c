"""
The rules of docs/pages for prose, seen to find what they are for: claims that the record refutes or
does not know, comparisons without a claim, words of the list. The record is check/data's, of a GPU
that does not exist; docs/pages itself runs once, on a page with a fault of each kind.
"""
import csv
import json
import glob
import html
import os
import re
import shutil
import tempfile

from common.commands.drive.support import SOURCE, case, leave, rows_of, run
from docs.page_writer import claims, exercises, links, quoted, seen, text, trials, words
from plots import machine, recorded

TRUE = """
`vector` is faster.<!-- rows: us(reduce7/vector) < us(reduce7/shuffle) -->
It takes 255 us.<!-- rows: us(reduce7/vector) = 255 --> The library takes 3 % more
time.<!-- rows: us(reduce7/cub) / us(reduce7/vector) ~ 1.03; us(reduce7/vector) < us(reduce7/cub) -->

- Cold it is slower.<!-- rows: us(reduce7/vector, cold) > us(reduce7/cub); us(reduce7/vector,
  1024) ~ us(reduce7/vector, 2^14, runs=3) < us(reduce7/vector, 2^18); rate(reduce7/vector) ~ 4216;
  share(reduce7/vector) > 105 -->
- A load takes 100 ns.<!-- rows: machine(dram_latency) = 100; machine(multiprocessors) > 1 -->
- Half of the warps take twice the time.<!-- no rows: an invented sentence -->
- The other GPU takes 509 us.<!-- rows: us(reduce7/vector, device=other-gpu) = 509; us(reduce7/vector, 2^14,
  device=other-gpu) / us(reduce7/vector, 2^14) ~ 2 -->

All threads run at the same time, and `us(x) is faster` is code. Is it faster?
"""
FALSE = (  # a page, and what must be said of it
    ("It is faster.<!-- rows: us(reduce7/vector) > us(reduce7/shuffle) -->", "does not hold"),
    ("It takes 256 us.<!-- rows: us(reduce7/vector) = 256 -->", "does not hold: 254.707"),
    ("It takes 255 us.<!-- rows: us(reduce7/vector, device=other-gpu) = 255 -->", "does not hold: 509.415"),
    ("It takes 509 us.<!-- rows: us(reduce7/vector) = 509 -->", "does not hold: 254.707"),
    ("It takes 255 us.<!-- rows: us(reduce7/vector, device=no-gpu) = 255 -->",
     "device=no-gpu: no such record (there are cpu-device other-gpu some-gpu)"),
    ("It takes 260 us.<!-- rows: us(reduce7/vector) = 255 -->", "the sentence has no 255"),
    ("Cold it is faster.<!-- rows: us(reduce7/vector, cold) < us(reduce7/vector) -->",
     "does not hold"),
    ("As fast as that.<!-- rows: us(reduce7/vector) ~ us(reduce7/cub) -->", "does not hold"),
    ("It is faster by noise.<!-- rows: us(reduce2/sequential, 2^14) < 8.03 * us(reduce7/vector, "
     "2^14) / us(reduce7/vector, 2^14) -->", "does not hold"),
    ("One is slower.<!-- rows: us(reduce7/vector) < us(reduce7/cub); us(reduce7/vector) > "
     "us(reduce7/cub) -->", "us(reduce7/vector) > us(reduce7/cub)' does not hold"),
    ("One is slower.<!-- rows: us(reduce7/vector, 2^13) < us(reduce7/cub) -->",
     "no row of reduce7/vector, 2^13"),
    ("One is slower.<!-- rows: us(reduce7/none) < us(reduce7/cub) -->", "no row of reduce7/none"),
    ("One is slower.<!-- rows: us(reduce99/x) < us(reduce7/cub) -->", "no step reduce99"),
    ("One is slower.<!-- rows: us(reduce7/vector, hot) < us(reduce7/cub) -->", "'hot' is no size"),
    ("One is slower.<!-- rows: us(reduce7/vector, heat=1) < us(reduce7/cub) -->",
     "no column heat"),
    ("One is slower.<!-- rows: colour(reduce7/vector) < us(reduce7/cub) -->", "no colour"),
    ("One is slower.<!-- rows: us(reduce7/vector < 3 -->", "does not close a bracket"),
    ("One is slower.<!-- rows: 1 < 2 -->", "compares nothing with a term"),
    ("One is slower.<!-- rows: us(reduce7/vector) -->", "compares nothing with a term"),
    ("One is slower.<!-- rows: open(us(reduce7/vector)) < 1 -->", "no open"),
    ("One is slower.<!-- rows: -->", "with nothing behind it"),
    ("One is slower.<!-- no rows: -->", "with nothing behind it"),
    ("A load takes 333 ns.<!-- rows: machine(dram_latency) = 333 -->", "does not hold: 100 and 333"),
    ("A load takes 333 ns.<!-- rows: machine(latency) = 333 -->", "no latency in the machine file"),
    ("A load takes 333 ns.<!-- no rows: arithmetic with the machine file's number -->", "is no reason"),
    ("It is faster.", "'faster' compares, and no comment"),
    ("It takes 12.5 us.", "'12.5 us' compares"),
    ("It reaches 90 % of the copy's rate.", "compares, and no comment"),
    ("Both take the same time.", "'same time' compares"),
    ("True.<!-- rows: us(reduce7/vector) < us(reduce7/cub) --> It is faster than before.",
     "'faster' compares"),
    ("A line.\n<!-- rows: us(reduce7/vector) < us(reduce7/cub) --> Another.",
     "ends its paragraph"),
)
SOURCED = "t-#.txt: a n=1 | b n=1"
TABLE = """| what | round | row | us, a | x CUB | us, b | x CUB |
| --- | ---: | --- | ---: | ---: | ---: | ---: |
| one | 1 | `R 1` | | 9 | 7.000 | |
"""
TRIALS = """== a n=1 (1 MB)
variant       median min GB/s CUB
R 1           2.000  1.900 3.0 1.500
== c n=1 (1 MB)
variant       median min GB/s CUB
R 2           4.000  3.900 3.0 1.250
"""


def record(scratch):
    """The sample record, as the claims see it."""
    data = os.path.join(scratch, "plots", "devices")
    shutil.copytree(os.path.join(SOURCE, "check", "data", "gpu"), os.path.join(data, "some-gpu"))
    shutil.copytree(os.path.join(SOURCE, "check", "data", "cpu"), os.path.join(data, "cpu-device"))
    with open(os.path.join(data, "reference"), "w", encoding="utf-8") as file:
        file.write("some-gpu\n")
    shutil.copytree(os.path.join(data, "some-gpu"), os.path.join(data, "other-gpu"))
    other = os.path.join(data, "other-gpu", "log.csv")
    slower = [{**row, "median_us": str(2 * float(row["median_us"] or 0))} for row in rows_of(other)]
    with open(other, "w", encoding="utf-8", newline="") as file:
        written = csv.DictWriter(file, list(slower[0]))
        written.writeheader()
        written.writerows(slower)
    with open(recorded.place(machine.NAME), encoding="utf-8") as file:
        numbers = json.load(file)
    numbers["numbers"]["dram_latency"]["value"] = 100.0
    with open(os.path.join(data, "some-gpu", machine.NAME), "w", encoding="utf-8") as file:
        json.dump(numbers, file)
    return claims.Record(scratch)


def claimed(rows):
    said = list(claims.faults(TRUE, rows))
    case(not said, "claims that hold pass, and so do reasons", said)
    counted = "A sentence.<!-- rows: global_load_requests(reduce0/halving) > 512; " \
        "sectors(reduce0/halving) > 4 * 512 -->"
    case(not list(claims.faults(counted, rows)), "counters can be claimed",
         list(claims.faults(counted, rows)))
    for page, wanted in FALSE:
        said = " | ".join(fault for _, fault in
                          [*claims.faults(page, rows), *text.faults(page)])
        case(wanted in said, f"{page[:60]!r}: {wanted}", said)


def listed():
    for pattern, instead, example in words.rules():
        page = f"# A title\n\nA line of prose.\nAnd {example}.\n"
        said = list(words.faults(page, words.rules()))
        case(any(instead in fault for _, fault in said), f"'{example}' is found", said)
        said = list(words.faults(page.replace(example, "[" + example.replace(" ", "](a.md#b) ", 1)),
                                 words.rules())) if " " in example else said
        case(any(instead in fault for _, fault in said), f"'{example}' is found in a link", said)
        case(not list(words.faults(f"```\n{example}\n```\n\nAnd `{example}`.\n",
                                   [(pattern, instead, example)])),
             f"'{example}' is let pass as code")


def headed():
    """The heads of the steps' sources, which slides and the site show."""
    known = words.rules()
    planted = "/*\n * x: a tree\n *\n * Idea      A tree, in place\n *           of a loop.\n */\nint a;\n"
    said = [fault for _, fault in words.faults(words.head(planted), known)]
    case(len(said) == 1 and "'in place of'" in said[0], "a word of the list in a step's head is found", said)
    for path in sorted(glob.glob(os.path.join(SOURCE, "steps", "*", "*.cu"))):
        if os.path.basename(path) == "plain.cu":
            continue  # what docs/start.md makes of add, without the harness
        with open(path, encoding="utf-8") as file:
            head = words.head(file.read())
        said = [fault for _, fault in words.faults(head, known)]
        case(head and not said, f"the head of {os.path.basename(path)} has no word of the list", said or "no head")


def drawn():
    """What the figures say."""
    known = words.rules()

    def said(picture):
        return [fault for text in re.findall(r"<text[^>]*>([^<]+)<", picture)
                for _, fault in words.faults(html.unescape(text) + "\n", known)]

    found = said('<text x="1">a tree, in place of a loop</text>')
    case(len(found) == 1 and "'in place of'" in found[0], "a word of the list in a figure is found", found)
    for path in sorted(glob.glob(os.path.join(SOURCE, "docs", "figures", "*.svg"))):
        with open(path, encoding="utf-8") as file:
            found = said(file.read())
        case(not found, f"the figure {os.path.basename(path)} has no word of the list", found)


UNNAMED = "What the series follows"  # texts without a title or an author, which docs/sources.md says


def incomplete(page):
    """The entries of docs/sources.md that a reader cannot look up: without a title, or without a year or a link;
    and what stands behind the last line, the link to all steps."""
    found = []
    for section in re.split("^## ", page, flags=re.MULTILINE)[1:]:
        for entry in [] if section.startswith(UNNAMED) else re.split("^### ", section, flags=re.MULTILINE)[1:]:
            name, _, text = entry.partition("\n")
            if not (re.search(r"\*.+?\*|\[CUB\]", text, re.DOTALL) and
                    re.search(r"\b(?:19|20)\d\d\b|\]\(https?:", text)):
                found.append(name)
    return found + [rest.strip() for rest in page.split("[all steps](index.md)")[1:] if rest.strip()]


def sourced():
    with open(os.path.join(SOURCE, "docs", "sources.md"), encoding="utf-8") as file:
        page = file.read()
    case(not incomplete(page), "each source has a title, and a year or a link", incomplete(page))
    for planted, wanted in ((page.replace("*Ultracomputers*, ", ""), ["Schwartz"]),
                            (page.replace(", IFIP Congress 1977", ""), ["Freivalds"]),
                            (page + "\n### Late\nA. Late.\n", ["Late", "### Late\nA. Late."])):
        case(incomplete(planted) == wanted, f"a source that cannot be looked up is found: {wanted[0]}",
             incomplete(planted))


def linked(scratch):
    """Links, and the headings they lead to."""
    path = os.path.join(scratch, "a.md")
    page = "# A page\n\n## Two words, `code`\n\n[one](#two-words-code) [two](a.md#a-page) " \
        "[three](https://example.org/#x) `[four](none)`\n"
    with open(path, "w", encoding="utf-8") as file:
        file.write(page)
    long = "word " * 1201
    case(list(text.too_long(long, "docs/a.md")) and not list(text.too_long(long, "docs/glossary.md")) and
         not list(text.too_long(long[5:], "docs/a.md")) and
         not list(text.too_long(f"x\n<details>\n{long}</details>\n```\n{long}```\n", "docs/a.md")),
         "a page of more than 1200 words in the open is named")
    case(not list(links.faults(page, path, {"a"})), "links that lead somewhere pass",
         list(links.faults(page, path, {"a"})))
    for wrong, wanted in (("(b.md)", "where nothing is"), ("(a.md#b-page)", "no such heading"),
                          ("(#code)", "no such heading"), ("(c.png)", "where nothing is")):
        said = list(links.faults(page + f"\n[x]{wrong}\n", path, {"a"}))
        case(len(said) == 1 and wanted in said[0][1], f"a link to {wrong} is found", said)
    case(not list(links.faults(page + "\n![x](c.png)\n", path, set())),
         "the chart of a step without a record may be missing")


def quotes(scratch):
    """Numbers of other pages, and of a page's own tables."""
    there, path = os.path.join(scratch, "memory.md"), os.path.join(scratch, "quotes.md")
    with open(there, "w", encoding="utf-8") as file:
        file.write("| latency | 345 ns |\n\nIt takes 11.5 KiB.<!-- it was 10.7 KiB -->\n")
    for page in ("It [needs](memory.md) 11.5 KiB, at 345 ns.\n", "It needs 10.7 KiB.\n",
                 "[Memory](memory.md) takes 20 ns, or 11.5 KiB.<!-- rows: machine(dram_latency) / 5 = 20 -->\n",
                 "[It](memory.md#x) takes 12 us.<!-- no rows: predicted -->\n", "[At](glossary.md) 9 ns.\n",
                 "It takes 7 us.<!-- no rows: the table below -->\n\n<!-- begin: gpu x -->\n| 7 |\n<!-- end -->\n"):
        said = list(quoted.faults(page, path))
        case(not said, f"{page[:40]!r}: quoted as it stands", said)
    for page, wanted in (("It [needs](memory.md) 10.7 KiB.\n", "10.7 KiB"),
                         ("[11.4 KiB](memory.md) of it.\n", "11.4 KiB"),
                         ("333 ns ([it](memory.md)).<!-- rows: machine(dram_latency) = 345 -->\n", "333 ns"),
                         ("It takes 8 us.<!-- no rows: of the table below -->\n\n"
                          "<!-- begin: gpu x -->\n| 7 |\n<!-- end -->\n", "'8'")):
        said = [fault for _, fault in quoted.faults(page, path)]
        case(len(said) == 1 and wanted in said[0], f"{page[:40]!r}: {wanted} is found", said)


def tried(scratch):
    """The figures of a table of trials."""
    with open(os.path.join(scratch, "t-1.txt"), "w", encoding="utf-8") as file:
        file.write(TRIALS)
    made = trials.table(SOURCED, TABLE, scratch)
    case(made.splitlines() == [*TABLE.splitlines()[:2], "| one | 1 | `R 1` | 2.000 | 1.500 |  |  |"],
         "a table of trials gets its log's figures, and none where there is none", made)
    for what, source, table in (
            ("row", SOURCED, TABLE.replace("R 1", "R 3")), ("log", SOURCED.replace("t-#", "u-#"), TABLE),
            ("title", "t-#.txt", TABLE), ("cell", SOURCED, TABLE.replace("| one |", "|")),
            ("table", SOURCED, TABLE + "\nprose\n")):
        try:
            said = trials.table(source, table, scratch)
        except trials.TrialError as error:
            said = ""
            case(True, f"a table that names no {what} of the log is refused: {error}")
        case(not said, f"a wrong {what} of a table of trials is not let pass", said)


def whole(scratch):
    """The program on a page with all kinds of faults."""
    path = os.path.join(scratch, "planted.md")
    with open(path, "w", encoding="utf-8") as file:
        file.write("# A page\n\nreduce0 is faster.<!-- rows: us(reduce0/halving) < us(reduce-vector/ticket) "
                   "-->\n\nA tree, in place of a loop, takes 3 us.\n")
    done = run(os.path.join(SOURCE, "docs", "pages"), path)
    case(done.status == 1 and "does not hold" in done.err and "'in place of'" in done.err
         and "'3 us' compares" in done.err, "docs/pages names each fault of a page", done)
    with open(path, "w", encoding="utf-8") as file:
        file.write("# A page\n\nreduce0 is slower.<!-- rows: us(reduce0/halving) > us(reduce-vector/ticket) "
                   "-->\n")
    done = run(os.path.join(SOURCE, "docs", "pages"), path)
    case(done.status == 0, "and passes one without", done)


EXERCISES = """
## Exercises

1. One with an answer:

   ```sh
   build/steps/reduce2/reduce2 -n 5
   ```

<details><summary>Answer</summary>

It is right, and 5 x 3 = 15 times so.

<!-- begin: answer page-1 -->
```
$ build/steps/reduce2/reduce2 -n 5
ok
```
<!-- end -->

</details>

2. One whose commands are others now, with 6 elements, not `practice`.

   ```sh
   ./steps/practice --patch reduce2-barrier -- -n 6
   ./steps/table build/log.csv --columns value
   ```

<details><summary>Answer</summary>

It is `7`, or 6, or 16 of them.<!-- no rows: a half-warp -->

<!-- begin: answer page-2 global -->
```
$ ./steps/practice --patch reduce2-barrier -- -n 5
ok
```
<!-- end -->

</details>

3. One without.
4. One whose answer is typed.

<details><summary>Answer</summary>
As the second says: `42`.
</details>

5. One whose answer is another's.

<details><summary>Answer</summary>

It is another's.

<!-- begin: answer page-1 -->
<!-- end -->

</details>

6. One with an answer of the GPU, and of 24 words.

<details><summary>Answer</summary>

It is 1.50 or 24.

<!-- begin: swept limit-launch n us_per_item -->
1.5
<!-- end -->

</details>

7. One without words.

   ```sh
   build/steps/reduce2/reduce2
   ```

<details><summary>Answer</summary>

<!-- begin: answer page-7 -->
```
$ build/steps/reduce2/reduce2
right it is
```
<!-- end -->

<!-- no rows: nothing is said -->

</details>

8. One whose answer has a number from nowhere, one that nothing gives and a wrong sum.

   ```sh
   build/steps/reduce2/reduce2
   ```

<details><summary>Answer</summary>

It takes 123 words, or 2^7. And 2 x 12 = 25 of them, or 77 x 2 = 154.

<!-- begin: answer page-8 -->
```
$ build/steps/reduce2/reduce2
2 4 12 1234 7
```
<!-- end -->

</details>

9. One that asks for `build/steps/reduce2/reduce2 -n 7` in a sentence, and `for` this.

<details><summary>Answer</summary>

It does, as `build/steps/reduce2/reduce2` has it.<!-- rows: us(reduce7/vector) < us(reduce7/cub) -->

<!-- begin: swept limit-launch n us_per_item -->
<!-- end -->

</details>

## Sources
"""
OUTPUT = """$ one
variant  size  result
a        5     ok

Global memory (sectors)
  # kernel
  1 a

Shared memory (wavefronts)
  # kernel
  1 a
most: lanes

Span: the longest
and work
  # kernel
  1 a
b        5     ok
(status 0)
$ two
plain
"""


def exercised():
    found = exercises.faults(EXERCISES, "page")
    told = [(re.match(r"exercise (\d+)", text)[1], text) for _, text in found]
    wanted = (("2", "other commands"), ("3", "no answer"), ("4", "rests on no record"), ("5", "page-1"),
              ("7", "no words"), ("8", "123 stands"), ("8", "2^7 stands"), ("8", "25 stands"),
               ("8", "77 stands"), ("8", "154 stands"), ("9", "stands in a sentence"))
    case([number for number, _ in told] == [number for number, _ in wanted],
         "exercises: what has no answer of its own, made from a record and with words, is named", found)
    for (_, fault), (number, word) in zip(told, wanted):
        case(word in fault, f"exercises: {number}: {word}", fault)
    bare = re.sub(r"<details>.*?</details>\n\n", "", EXERCISES, flags=re.DOTALL)
    filled = exercises.with_answers(bare, "page")
    case([each.number for each in exercises.of(filled) if each.answer] == ["1", "2", "7", "8"] and
         "begin: answer page-2 -->" in filled and exercises.with_answers(filled, "page") == filled,
         "exercises: --write makes room for the answers of those that run something", filled)
    lines = EXERCISES.split("\n")
    case(all(lines[line - 1].startswith(f"{text.split()[1].rstrip(':')}. ") for line, text in found),
         "exercises: with their lines", found)


def in_parts():
    """What of an output is shown, and that it is said what is not."""
    usual, span = exercises.shown(OUTPUT, ()), exercises.shown(OUTPUT, ("span",))
    case("Shared memory (" in usual and "Span:" not in usual and
         "most: lanes" in usual and "and work" not in usual and
         usual.endswith("\n\nb        5     ok\n(status 0)\n(left out: settings and times, Span)\n\n$ two\nplain"),
         "exercises: of the counters the usual ones are shown, and all that is no counter", usual)
    case("Span: the longest\nand work\n  # kernel\n  1 a\n\nb " in span and
         "most:" not in span and "sectors" not in span and
         "(left out: settings and times, Global memory, Shared memory)" in span,
         "exercises: or those that a page names", span)
    for wanted, said in (("spam", "spam is no part"),
                         ("lines", "the output has no lines (it has: global, shared, span)")):
        try:
            exercises.shown(OUTPUT, (wanted,))
            case(False, f"exercises: a part that is not there is refused: {wanted}")
        except exercises.PartError as error:
            case(said in str(error), f"exercises: a part that is not there is refused: {error}", str(error))


def by_place():
    """No command takes a column of a log by its place."""
    planted = ("cut -d, " + "-f8,27 r.csv", "awk -F, '{print $" + "8}' r.csv", "sort -t, -k" + "2 r.csv",
               "column 41" + " of the counters")
    for command in planted:
        page = f"# A page\n\n    {command}\n"
        found = list(words.by_place(page))
        case([line for line, _ in found] == [3], f"'{command}' names a column by its place", found)
    case(not list(words.by_place("./steps/table r.csv --columns variant,value | cut -c 1-9; awk '/a/ {print}'")),
         "columns that are named pass")
    bad = []
    for folder in ("docs", "check", "steps", "plots", "common"):
        for path in glob.glob(os.path.join(SOURCE, folder, "**"), recursive=True):
            if os.path.isfile(path) and os.path.splitext(path)[1] in (".md", ".py", ".sh", ".txt", ".build", ""):
                with open(path, encoding="utf-8", errors="replace") as file:
                    bad += [f"{path}:{line}: {fault}" for line, fault in words.by_place(file.read())]
    case(not bad, "no page, command or test names a column by its place", bad)


def seen_first(scratch):
    """A course of two pages in a tree of its own."""
    root = os.path.join(scratch, "course")
    for folder in ("docs", "steps/one"):
        os.makedirs(os.path.join(root, folder))
    texts = {
        "steps/one/one.cu": "static int helper(int a)\n{\n    return a;\n}\n\n"
                            "__global__ void first(int *a)\n{\n    *a = helper(*a);\n}\n\n"
                            "template <int N> static void wide(int a)\n{\n    a++;\n}\n",
        "docs/index.md": "[one](one.md) [two](two.md)\n",
        "docs/start.md": "Nothing.\n",
        "docs/one.md": "```c\n__global__ void first(int *a)\n{\n    *a = helper(*a) + other(3);\n}\n```\n",
        "docs/two.md": "```c\nfirst<<<1, 1>>>(a); /* wide(3) */\nwide<3>(4);\n```\n"}
    for name, content in texts.items():
        with open(os.path.join(root, name), "w", encoding="utf-8") as file:
            file.write(content)

    def found(name, page):
        seen.known_before.cache_clear()
        return seen.faults(page, os.path.join(root, "docs", name), root)

    one, two = texts["docs/one.md"], texts["docs/two.md"]
    case([line for line, _ in found("one.md", one)] == [4] and "helper()" in found("one.md", one)[0][1],
         "seen: a function of ours that is not shown, and no other's", found("one.md", one))
    case(not found("one.md", one + "\n`helper` hands back what it gets.\n"),
         "seen: what the text explains is known")
    case([line for line, _ in found("two.md", two)] == [3], "seen: an earlier page has shown one",
         found("two.md", two))
    case(not found("two.md", two + "```c\ntemplate <int N> static void wide(int a)\n{\n    a++;\n}\n```\n"),
         "seen: and the page itself the other")
    case(bool(found("one.md", one.replace("helper(", "first(").replace("void first(", "void none("))),
         "seen: a later page does not count")


def main():
    with tempfile.TemporaryDirectory() as scratch:
        claimed(record(scratch))
        listed()
        headed()
        drawn()
        sourced()
        linked(scratch)
        quotes(scratch)
        tried(scratch)
        exercised()
        in_parts()
        by_place()
        seen_first(scratch)
        whole(scratch)
    leave()


if __name__ == "__main__":
    main()
