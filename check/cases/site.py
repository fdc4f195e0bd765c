"""
docs/build: the site has every page and every step, each link in it leads somewhere, nothing is fetched,
its code is the source's, its heat column is of these sources; what is wrong is one line. Then the site in
a browser, where Chromium and its driver are: check/browser.py.
"""
import csv
import functools
import html
import os
import re
import shutil
import tempfile

from common.commands.drive.support import SOURCE, case, leave, program_cases, rows_of, run
from docs.site_builder import cited, heat, measured, tree
from common.commands import course
from common.commands.runner import packages
from common.commands.runner.screen import Stop
from plots.family import figures
from plots.recorded import CPU, place
from plots.tables import place_text

SCRIPT = 300  # lines, at most

PATCH = """--- a/steps/x/x.cu
+++ b/steps/x/x.cu
@@ -3,3 +3,2 @@
 three
-four
 five
@@ -9,2 +8,3 @@
 nine
+more
 ten
"""


def broken(files, pages=None):
    """(page, target) of each link in {path: text} to a file or an id that is not there, and of each that
    leaves the site by itself: what a page loads. pages: those that have the links; else all."""
    @functools.lru_cache(maxsize=None)
    def ids(name):
        return {"slides", *re.findall(r'\bid="([^"]+)"', files[name])}

    for name in pages or [name for name in files if name.endswith(".html")]:
        for kind, target in dict.fromkeys(re.findall(r'\b(href|src|data-before|data-next)="([^"]*)"', files[name])):
            target = html.unescape(target)
            if re.match(r"[a-z]+:", target):
                if kind == "src" and target != "data:,":
                    yield name, target
                continue
            path, _, anchor = target.partition("#")
            place = os.path.normpath(os.path.join(os.path.dirname(name), path)) if path else name
            if place not in files or anchor and place.endswith(".html") and anchor not in ids(place):
                yield name, target


def read_site(folder):
    files = {}
    for top, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(top, name)
            text = ""
            if name.endswith((".html", ".js", ".css")):
                with open(path, encoding="utf-8") as file:
                    text = file.read()
            files[os.path.relpath(path, folder)] = text
    return files


def plain(text):
    return html.unescape(re.sub(r"<[^>]*>", "", text))


def different_code(files, steps):
    """The steps whose source on the page is not the source."""
    for step in steps:
        page = files.get(step + ".html", "")
        pane = re.search(r'id="f0".*?<pre><code>(.*?)</code></pre>', page, re.DOTALL)
        shown = re.findall(r'<span class="c">(.*?)</span>\n</span>', pane[1], re.DOTALL) if pane else []
        source = tree.read(tree.inside("steps", step, step + ".cu")).rstrip("\n").split("\n")
        if [plain(line) for line in shown] != source:
            yield step


SLIDE = re.compile(r'<section class="slide ([^"]*)"><h2>(.*?)</h2>(.*?)</section>', re.DOTALL)
LEFT_OVER = re.compile(r"</?[a-z]+>|<!--|```|\]\(|\*\*\w")  # of Markdown, in words; code may have such


def left_over(files):
    """(page, what stands there) of slides on which Markdown or HTML stands as text."""
    for name, text in files.items():
        for _, title, body in SLIDE.findall(text):
            words = plain(re.sub(r"<(pre|code)\b.*?</\1>", "", title + body, flags=re.DOTALL))
            for found in LEFT_OVER.findall(words):
                yield f"{name}: {plain(title)}: {found}"


def not_of_log(files, steps, rows):
    """The bars of slides whose figure, at the size that the slide gives them, is not in the log. rows:
    {(variant, size): {figure}} of each step; a bar of the step before begins with that step's name."""
    for step in steps:
        for _, title, body in SLIDE.findall(files.get(step + ".html", "")):
            note = re.search(r'<p class="note">[^<]* · ([^<]*) · [^<]*</p>', body)
            if plain(title) != "Measured" or not note:
                continue
            for label, figure in re.findall(r"<dt>(.*?)</dt>.*?class=\"figure\">([\d.]+)", body):
                of, _, variant = plain(label).rpartition(": ")
                variant, _, own = variant.partition(" (")
                usual = html.unescape(note[1]).split(", ")
                sizes = {size for size in rows.get((of or step, variant), {}) if own.rstrip(")") in size and
                         (own or size.split(", ") == usual)}
                if figure not in {each for size in sizes for each in rows[of or step, variant][size]}:
                    yield f"{step}: {plain(label)} {figure}, {note[1]}"


def measured_rows():
    """{(step, variant): {size: {figure}}} of the GPU's record."""
    run_of, found = measured.records()[0], {}
    for family in run_of.families:
        for row in run_of.rows:
            if row["step"] in family.steps:
                found.setdefault((row["step"], row["variant"]), {}).setdefault(
                    place_text(row, family), set()).add(figures(family.figure(row)))
    return found


def slides_of(files, steps):
    wrong = list(left_over(files))
    case(not wrong, "site: no slide shows Markdown or HTML as text", wrong)
    for put in ("&lt;details&gt;", "**word**", "[a](b.md)"):
        spoilt = {"x.html": files["reduce2.html"].replace("<li ", f"<p>{put}</p><li ", 1)}
        case(list(left_over(spoilt)), f"site: finds a slide that shows {html.unescape(put)}")
    rows = measured_rows()
    wrong = list(not_of_log(files, steps, rows))
    case(not wrong, "site: a bar of a slide is the log's row of that size", wrong)
    page = files["limit-latency.html"].replace("chase (footprint 2^14)", "chase")
    case(len(list(not_of_log({"limit-latency.html": page}, ["limit-latency"], rows))) == 1,
         "site: finds a bar of another size than the slide says")


def path_of(files, steps):
    """The first path: its number and its progress in the head of each page, its numbers in the menu."""
    path = course.path(list(steps))
    wrong = [name for at, name in enumerate(path, 1)
             if f"{at} of {len(path)} <progress max=\"{len(path)}\" value=\"{at}\"" not in files[name + ".html"]]
    case(not wrong, "site: each page of the first path says its number", wrong)
    others = [name for name in course.pages(list(steps)) if name not in path
              if "second reading" not in files[name + ".html"].partition("</header>")[0]]
    case(not others, "site: every other page of the course says that it is for a second reading", others)
    menu = re.search(r"<ol>(.*?)</ol>", files["start.html"], re.DOTALL)
    case(menu and re.findall(r'href="([\w-]+)\.html"', menu[1]) == path, "site: the menu numbers the path", menu)
    ways = {name: re.findall(r'data-(?:before|next)="([\w-]+)\.html"', files[name + ".html"]) for name in path}
    wrong = [name for at, name in enumerate(path) if ways[name] !=
             [path[at - 1] if at else "index", *path[at + 1:at + 2]]]
    case(not wrong, "site: the keys lead along the path", wrong)


def maps():
    """Which lines a word cites, and which line was which before a patch."""
    source = cited.Source("steps/reduce2/reduce2.cu", tree.read(tree.inside("steps/reduce2/reduce2.cu")))
    for word, holds in (("sum_sequential", "s[t] += s[t + k];"), ("interleaved", "s[i] += s[i + k];"),
                        ("slice_sum", "sum += x[i];"), ("s[i] += s[i + k]", "s[i] += s[i + k];")):
        case(holds in source.text(source.of_word(word)), f"site: `{word}` cites what it names")
    for word in ("element", "t", "no_such_word"):
        case(not source.of_word(word), f"site: `{word}` cites nothing")
    moved = [cited.unpatched(PATCH, "x.cu", line) for line in (2, 3, 4, 7, 8, 9, 10, 11)]
    case(moved == [2, 3, 5, 8, 9, None, 10, 11], "site: lines behind a patch are told from those before", moved)
    case(cited.changed(PATCH, "x.cu") == {4} and
         cited.changed(PATCH.replace("-four", " four"), "x.cu") == {9, 10}, "site: what a patch changes")


def heat_of_these_sources(steps):
    rows = heat.rows()
    stale = [pair for pair in heat.stale(rows) if pair[0] in steps]
    case(rows and not stale, "site: the counters per line are of these sources",
         f"plots/record cpu --lines makes them anew: {stale}")
    case(heat.stale([{**rows[0], "source": "00000000"}]), "site: finds counters of another source")
    sums = {}
    for row in rows:
        if row["what"] == "barrier":
            key = (row["step"], row["variant"])
            sums[key] = sums.get(key, 0) + int(row["requests"])
    with open(tree.inside("plots", "devices", "cpu-device", "counters.csv"), newline="", encoding="utf-8") as file:
        counted = list(csv.DictReader(file))
    wanted = {}
    for row in counted:
        key = (row["step"], row["variant"])
        wanted[key] = wanted.get(key, 0) + int(row["launches"]) * int(row["barriers"])
    both = {(row["step"], row["variant"]) for row in rows} & set(wanted)
    differ = [(key, sums.get(key, 0), wanted[key]) for key in sorted(both) if sums.get(key, 0) != wanted[key]]
    case(len(both) > 50 and not differ, "site: barriers by line add up to those of the kernels", differ)


def refusals(build, scratch):
    os.mkdir(os.path.join(scratch, "empty"))
    with open(os.path.join(scratch, "no-site"), "w", encoding="utf-8"):
        pass
    for what, words, wanted in (
            ("an unknown directory", [os.path.join(scratch, "none")], "no such directory"),
            ("a directory without a run", [os.path.join(scratch, "empty")], "no measurement"),
            ("an unknown option", ["--none"], "unknown option --none"),
            ("--out over what is no site", ["--out", os.path.join(scratch, "no-site")], "left as it is")):
        done = run(build, *words)
        case(done.status == 2 and wanted in done.err and len(done.err.splitlines()) == 1,
             f"site: {what} is refused in one line", done)
    kept = packages.SITE
    packages.SITE = {"no_such_module": "python3-no-such-module"}
    said = None
    try:
        packages.ensure_site()
    except Stop as stop:
        said = stop
    packages.SITE = kept
    case(said is not None and said.status == 3 and "python3-no-such-module" in str(said)
         and "\n" not in str(said), "site: a missing package is named in one line", said)


def a_run(scratch):
    """A directory as steps/run leaves it: of a GPU, whose rows are check/data's."""
    folder = os.path.join(scratch, "my-gpu-20260101T000000Z")
    shutil.copytree(os.path.join(SOURCE, "check", "data", "gpu"), folder)
    with open(os.path.join(folder, "ladder-reduce.svg"), "w", encoding="utf-8") as file:
        file.write('<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"></svg>')
    return folder


def main():
    build = os.path.join(SOURCE, "docs", "build")
    steps = tree.steps()
    maps()
    heat_of_these_sources(steps)
    script = tree.read(tree.inside("docs", "site_builder", "parts", "script.js"))
    case(script.count("\n") <= SCRIPT, f"site: at most {SCRIPT} lines of script", script.count("\n"))
    lacking = packages.missing_of_site()
    if lacking:
        print(f"ok - site: the site # skip missing: {' '.join(lacking)}")
        leave()
    with tempfile.TemporaryDirectory() as scratch:
        refusals(build, scratch)
        site = os.path.join(scratch, "site")
        done = run(build, a_run(scratch), "--out", site, limit=900)
        if not case(done.status == 0 and "index.html" in done.out, "site: docs/build", done):
            leave()
        files = read_site(site)
        lost = [name for name in tree.pages() if name + ".html" not in files]
        case(not lost and len(files) > len(steps), "site: every page is there", lost)
        found = list(broken(files))
        case(not found, "site: each link leads somewhere, and nothing is fetched", found)
        for put in ("href=\"none.html\"", "href=\"reduce2.html#none\"", "src=\"https://example.org/x.js\""):
            planted = {**files, "index.html": files["index.html"].replace("<main>", f"<main><a {put}></a>")}
            case(list(broken(planted, ["index.html"])), f"site: finds {put}")
        found = [step for step in steps if os.path.exists(tree.inside("docs", step + ".md"))]
        # A step without a record, as ./steps/new leaves it, has nothing measured to show yet.
        recorded = {row["step"] for row in rows_of(place("counters.csv", device=CPU))}
        slides = [step for step in found
                  if files[step + ".html"].count('class="slide ') < (4 if step in recorded else 2)]
        case(not slides, "site: each step has slides", slides)
        other = list(different_code(files, found))
        case(not other, "site: each step's source is shown as it is", other)
        spoilt = {**files, "reduce2.html": files["reduce2.html"].replace('<span class="c">', '<span class="c">x', 1)}
        case(list(different_code(spoilt, ["reduce2"])), "site: finds a source that is shown otherwise")
        slides_of(files, found)
        path_of(files, steps)
        tiled = re.search(r'<div class="made counters">.*?</table>', files["transpose-tiled.html"], re.DOTALL)[0]
        heads = [plain(head) for head in re.findall(r'<th[^>]*class="named"[^>]*>(.*?)</th>', tiled)]
        case("wavefronts each" in heads and "launches" not in heads and
             tiled.count('<td class="named"') == len(heads) * (tiled.count("<tr") - 1),
             "site: the counters that a page speaks of are marked in its table", heads)
        own = files.get("reduce7.html", "")
        case("Your run" in own and "my-gpu-20260101T000000Z" in own and "Measured: your run" in own
             and "runs/my-gpu-20260101T000000Z/ladder-reduce.svg" in files,
             "site: a run of one's own stands beside the record")
        lacking = packages.missing_of_site(driver=True)
        if lacking:
            print(f"ok - site: in a browser # skip missing: {' '.join(lacking)}; check/run --browser installs them")
            leave()
        python = packages.python_of_site(driver=True)[0]
        program_cases(python, os.path.join(SOURCE, "check", "browser.py"), site, limit=900)
        program_cases(python, os.path.join(SOURCE, "check", "browser_watch.py"), site, limit=900)
    leave()


if __name__ == "__main__":
    main()
