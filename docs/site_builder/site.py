"""
The site: a page each, with what stands beside it, the list of all pages, what search looks in, and the
pictures. Nothing in it is fetched from elsewhere, so that it works from a file.
"""
import copy
import html
import json
import multiprocessing
import os
import re
import shutil
import signal
from concurrent.futures import ProcessPoolExecutor

import jinja2

from common.commands import course, languages
from docs.site_builder import heat, measured, panes, slides, translated, tree
from docs.site_builder.cited import Source
from docs.site_builder.page import Page, with_names

PARTS = os.path.join(tree.ROOT, "docs", "site_builder", "parts")
NAME = "cuda-steps"
OUTPUT = re.compile(r'<div class="made answer">.*?</div>|<pre class="said".*?</pre>', re.DOTALL)


class Site:
    """out: a directory that is there. progress: called with a text. runs: a reader's own, opened."""

    def __init__(self, out, progress=lambda text: None, runs=()):
        self.out, self.progress, self.runs = out, progress, runs
        self.record, self.counted = measured.records()
        self.heat = heat.rows()
        self.texts, self.steps = tree.pages(), tree.steps()
        self.order = tree.order(self.texts, self.steps)
        self.names = [tree.FIRST, tree.README] + [name for _, names in self.order for name in names]
        self.course = [page for page in course.pages(list(self.steps)) if page in self.texts]
        self.path = [page for page in course.path(list(self.steps)) if page in self.texts]
        self.sources, self.copied, self.search, self.with_slides = {}, {}, [], []
        self.language, self.own, self.anchors = "", self.names, {}
        self.messages = languages.read(os.path.join(PARTS, "words.txt"))
        self.say = languages.sayer(self.messages, "")
        self.terms = translated.terms(self.texts.get("glossary", ""))
        self.templates = jinja2.Environment(loader=jinja2.FileSystemLoader(PARTS), autoescape=True,
                                            trim_blocks=True, lstrip_blocks=True,
                                            undefined=jinja2.StrictUndefined)
        self.sites = [self]  # one list for all of them
        self.sites += [self.in_language(language) for language in languages.LANGUAGES]

    # --- what pages share ------------------------------------------------------------------------

    def source(self, path):
        if path not in self.sources:
            self.sources[path] = Source(path, tree.read(tree.inside(path)))
        return self.sources[path]

    def url(self, target):
        """Where a link of a page leads; what it names is copied along."""
        path, mark, anchor = target.partition("#")
        if re.match(r"[a-z]+:", target) or not path:
            return target
        path = re.sub(r"^\.\./(README\.md)$", r"\1", path)
        if re.fullmatch(r"[\w-]+\.md", path):
            return self.address(path[:-3]) + mark + anchor
        language, _, name = path.partition("/")
        if language in languages.LANGUAGES:
            return f"{name[:-3]}.{language}.html" + mark + anchor
        file = os.path.normpath(os.path.join("docs", path))
        if file.endswith(".png") and os.path.exists(tree.inside(file[:-4] + ".svg")):
            file = file[:-4] + ".svg"
        return self.copy(file) + mark + anchor

    def copy(self, file):
        """A file of the tree, copied into the site; its place there. What a browser would not show as a
        text is called one."""
        folder = "charts" if file.startswith("plots/") and file.endswith((".svg", ".png")) else \
            "figures" if file.endswith((".svg", ".png")) else "files"
        name = os.path.basename(file) if folder == "figures" else re.sub("^plots/", "", file)
        if folder == "files" and not name.endswith((".txt", ".csv")):
            name += ".txt"
        place = f"{folder}/{name}"
        self.copied[place] = tree.inside(file)
        return place

    # --- languages -------------------------------------------------------------------------------

    def in_language(self, language):
        """The same site in another language. own: the names of the pages that are written in it; the others are the
        English ones."""
        site = copy.copy(self)
        site.language, site.search, site.texts = language, [], dict(self.texts)
        site.own, site.anchors = [name for name in translated.pages(language) if name in self.texts], {}
        for name in site.own:
            site.texts[name], site.anchors[name], _ = translated.assembled(
                self.texts[name], translated.read(language, name))
        site.say = languages.sayer(self.messages, language)
        site.terms = translated.terms(site.texts.get("glossary", ""))
        return site

    def address(self, name):
        return f"{name}.{self.language}.html" if self.language and name in self.own else name + ".html"

    def of_language(self, name, used):
        """What the template takes of languages. tips: {anchor: [(language, word, what the glossary says)]}, the page's
        own first, then English, or on an English page all others. switch: the same page in the other languages."""
        told = self.sites if not self.language else [self, self.sites[0]]
        return {
            "address": self.address, "lang": self.tag(), "say": self.say, "search": self.search_file(),
            "words": self.words_file(),
            "tips": {anchor: [(site.tag(), *site.terms[anchor]) for site in told if anchor in site.terms]
                     for anchor in used},
            "switch": [(site.tag(), site.called(), site.address(site.beside(name))) for site in self.sites
                       if site.language != self.language and site.beside(name)]}

    def tag(self):
        return languages.LANGUAGES[self.language].tag if self.language else "en"

    def called(self):
        return languages.LANGUAGES[self.language].name if self.language else "English"

    def beside(self, name):
        """The page that one leads to in this language: the same, from the first page of all the first to read."""
        return next((each for each in (name, "start" if name == tree.FIRST else "") if each in self.own), None)

    def search_file(self):
        return f"assets/search{self.language and '.' + self.language}.js"

    def words_file(self):
        """What the page's scripts say in the language; "" in English, which they have."""
        return self.language and f"assets/words.{self.language}.js"

    # --- the pages -------------------------------------------------------------------------------

    def neighbours(self, name):
        """The pages before and behind one: along the first path, the course, or the list of all pages."""
        first = [tree.FIRST, *self.path]
        order = first if name in first else self.course if name in self.course else \
            [page for page in self.names if page not in [tree.FIRST, *self.course]]
        at = order.index(name)
        return [order[at - 1] if at else None, order[at + 1] if at + 1 < len(order) else None]

    def make_page(self, name):
        text = self.texts[name]
        files = [self.source(path) for path in tree.files_of(name, text, self.steps)]
        page = Page(name, text, files, self.url, self.terms, self.say, self.anchors.get(name, {}))
        before = tree.before(name, self.steps, files[0].told().get("Since", "")) if name in self.steps \
            else None
        since = []
        if before and os.path.exists(tree.inside("steps", before, before + ".cu")):
            old = self.source(f"steps/{before}/{before}.cu")
            since = panes.since(old, files[0])
        self.index_words(page)
        cells = heat.cells(name, self.heat) if name in self.steps else {}
        kinds = [kind for kind in heat.KINDS if any(kind in of for of in cells.values())]
        shown = ""
        if name in self.steps:
            page.html = self.with_measured(page.html, name)
        if name in self.steps and not self.language:  # slides are in English alone
            self.with_slides.append(name)
            new = panes.new_lines(old, files[0]) if since else set()
            shown = slides.of_step(page, text, files[0], self.url, new, before, [self.record, *self.runs],
                                    bool(self.recording(name)))
        page.html = with_names(page.html, self.say)
        return self.templates.get_template("page.html").render(
            recording=self.recording(name), site=NAME, page=page, name=name,
            order=self.order, shorts=self.shorts(), path=self.path,
            course_pages=self.course,
            way=self.neighbours(name), before=before, since=since, slides=shown, kinds=kinds,
            titles={kind: heat.KINDS[kind][0] for kind in kinds},
            files=[(source, panes.lines(source, at, page.blocks, cells)) for at, source in enumerate(files)],
            **self.of_language(name, page.used_terms))

    def recording(self, name):
        """The place of the step's recording in the site, as a script, because a page that is opened from a file may
        load no other data; "" for a page that has none."""
        path = tree.inside("plots", "devices", "cpu-device", "recordings", name + ".json")
        if name not in self.steps or not os.path.exists(path):
            return ""
        self.put(f"watch/{name}.js", "window.watchData = " + tree.read(path).strip() + ";\n")
        return f"watch/{name}.js"

    def with_measured(self, text, name):
        """The page with the charts of the step's family, and a reader's own runs, where it says what was
        measured."""
        own = [self.own_part(run, name) for run in self.runs]
        found = [path for run in (self.record, self.counted) if run for path in run.charts_of(name)]
        charts = [self.figure(path, self.url(os.path.relpath(path, tree.inside("docs")))) for path in found]
        charts = [figure for figure in charts if figure[0] not in text]
        more = "".join(own)
        if charts:
            more += (f'<details class="charts"><summary>{self.say("All charts of this family")}</summary>'
                     '<div class="row">' + "".join(figure for _, figure in charts) + "</div></details>")
        start = text.find('<h2 id="measured"')
        end = text.find("<h2 ", start + 1) if start >= 0 else -1
        return text[:end] + more + text[end:] if end >= 0 else text + more

    def figure(self, path, url, said=""):
        """(its place, a picture that is a button) of a chart."""
        alt = html.escape(said + "chart: " + os.path.basename(path)[:-4].replace("-", " ").replace("_", " "))
        label = self.say("{picture}: enlarge", picture=alt)
        return url, (f'<button class="picture" type="button" aria-label="{label}"><img src="{url}" '
                     f'alt="{alt}" loading="lazy"></button>')

    def own_part(self, run, name):
        """What a reader's own run says of a step: a table, and its charts."""
        table = measured.own_table(run, name, self.record)
        if not table:
            return ""
        charts = []
        for path in run.charts_of(name):
            place = f"runs/{run.name}/{os.path.basename(path)}"
            self.copied[place] = path
            charts.append(self.figure(path, place, "your run, ")[1])
        row = f'<div class="row">{"".join(charts)}</div>' if charts else ""
        return (f'<section class="own"><h3>Your run: {html.escape(run.device)} '
                f'({html.escape(run.name)})</h3>{table}{row}</section>')

    def shorts(self):
        return {name: tree.title(text)[1] for name, text in self.texts.items()}

    def index_words(self, page):
        """What search finds: a page's sections, without what programs print there; words of the glossary."""
        if page.name == "glossary":
            self.search += [[f"{self.address(page.name)}#{anchor}", page.short, *entry]
                            for anchor, entry in self.terms.items()]
            return
        parts = re.split(r'<h([1-6]) id="([^"]*)">(.*?)</h\1>', OUTPUT.sub("", page.html), flags=re.DOTALL)
        for at in range(1, len(parts), 4):
            title = plain(parts[at + 2])
            self.search.append([f"{self.address(page.name)}#{parts[at + 1]}", "" if title == page.title else page.short,
                                title, plain(parts[at + 3])])

    def write(self, only=None):
        """only: the names of the pages to write, for a test; without it all."""
        pages = [(at, name) for at, site in enumerate(self.sites) for name in site.own if not only or name in only]
        for at, shared in enumerate(self.written(pages), 1):
            self.progress(f"pages: {at} of {len(pages)}")
            self.take(*shared)
        for site in self.sites:
            english = [] if site is self else [entry for entry in self.search
                                               if entry[0].partition(".html")[0] not in site.own]
            self.put(site.search_file(), "window.searchData = " + json.dumps(
                site.search + english, ensure_ascii=False, separators=(",", ":")) + ";\n")
            if site.language:
                self.put(site.words_file(), "window.siteWords = " + json.dumps(
                    {said: texts[site.language] for said, texts in self.messages.items() if site.language in texts},
                    ensure_ascii=False, indent=0) + ";\n")
        for part in ("style.css", "say.js", "script.js", "watch.css", "watch-model.js", "watch-draw.js", "watch.js"):
            self.put("assets/" + part, tree.read(os.path.join(PARTS, part)))
        for place, file in self.copied.items():
            if os.path.exists(file):  # a chart of what was not recorded yet is not there
                os.makedirs(os.path.dirname(os.path.join(self.out, place)), exist_ok=True)
                shutil.copyfile(file, os.path.join(self.out, place))

    def written(self, pages):
        """Makes and writes pages, each (the number of its site, its name), in as many processes as there are cores;
        yields what each adds to what pages share."""
        with ProcessPoolExecutor(os.cpu_count(), multiprocessing.get_context("fork"), _begin, (self,)) as pool:
            yield from pool.map(_write_page, pages, chunksize=4)

    def write_page(self, at, name):
        """In one of these processes. What take() takes."""
        site = self.sites[at]
        searched, known, slides = len(site.search), set(self.copied), len(self.with_slides)
        self.put(site.address(name), site.make_page(name))
        return at, site.search[searched:], {place: path for place, path in self.copied.items() if place not in known}, \
            self.with_slides[slides:]

    def take(self, at, search, copied, slides):
        self.sites[at].search.extend(search)
        self.copied.update(copied)
        self.with_slides.extend(slides)

    def put(self, name, text):
        path = os.path.join(self.out, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


_writer = []  # of a process: the site whose pages it writes


def _begin(site):
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the first process ends the others
    _writer[:] = [site]


def _write_page(page):
    return _writer[0].write_page(*page)


def plain(text):
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", text)).split())
