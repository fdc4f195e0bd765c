"""
Which tests run: all, those that are named, or those that changed files touch. What a file touches is said here alone.
"""
import fnmatch
import glob
import os
import re
import subprocess

from common.commands import ROOT
from common.commands.languages import LANGUAGES
from common.commands.practice import shelf
from common.commands.runner.screen import Stop

# The scripts of check/cases that test each step by itself: CHECK_STEPS leaves them those that it names.
BY_STEP = ("attempts", "checked", "complete", "counters", "describe", "large", "launches", "matrix", "orders",
           "planted", "practice", "resident", "several", "steady")
STYLED = (".c", ".h", ".cu", ".cuh", ".py")  # what the case style looks at
LISTED = re.compile(r"^[+-]\s*\['([\w-]+)', '\w+', \[.*\]\],$")  # a step's line in a difference of steps/meson.build

# What the files of a pattern touch: scripts of check/cases, or one of the words below. The first pattern that fits
# counts, and files that none fits touch all.
STEP, FAMILY, PAGE, CASE, UNIT, UNITS = "/step", "/family", "/page", "/case", "/unit", "/units"
TOUCHED = [
    ("steps/*/*", [STEP, "pages"]),
    ("common/families/*", [FAMILY, UNITS, "compared", "faults"]),
    ("check/cases/*.py", [CASE]),
    ("check/unit/test_*.c", [UNIT]),
    ("check/foreign/*", ["foreign"]),
    ("check/explore/*", ["explore"]),
    ("check/recorded/*", ["recorded"]),
    ("check/ranks/*", ["ranks"]),
    ("plots/scale.*", ["charts", "every_page", "scale", "site"]),
    ("common/cpu/tools/counters/links.*", ["links", "scale", "foreign"]),
    ("common/harness/kit/ranks*", ["ranks"]),
    ("check/litmus.py", ["explore"]),
    ("check/counted.py", ["counters", "launches"]),
    ("check/ncu.py", ["launches"]),
    ("check/faults/*", ["faults"]),
    ("check/compared/*", ["compared"]),
    ("check/kernels/*", ["device"]),
    ("check/translator/*", ["translator"]),
    ("check/large/*", ["large"]),
    ("check/verdicts/*", ["verdicts"]),
    ("check/data/*", ["charts", "damaged", "pages", "readers", "record", "site"]),
    ("check/browser.py", ["languages", "serve", "site"]),
    ("check/browser_serve.py", ["serve"]),
    ("check/browser_watch.py", ["site"]),
    ("check/browser_languages.py", ["languages"]),
    ("check/completeness.py", ["complete"]),
    ("check/*exercises.py", ["attempts", "practice"]),
    ("check/attempts/*", ["attempts"]),
    ("check/cheats/*", ["grade"]),
    ("common/commands/grading/*", ["grade"]),
    ("common/commands/cudacpu/debugger.py", ["debugger"]),
    ("check/matrix.py", ["complete", "matrix", "resident"]),
    ("check/pairwise.py", ["matrix"]),
    ("check/format", ["style"]),
    ("check/style.py", ["style"]),
    ("check/ruff.toml", ["style"]),
    ("check/bench*", []),
    ("check/cost.py", []),
    ("docs/index.md", [PAGE, "complete"]),
    ("README.md", [PAGE, "complete"]),
    ("docs/glossary.md", ["every_page", "glossary", "languages", "site"]),
    ("docs/??/*.md", [PAGE, "languages", "site"]),
    ("docs/*.md", [PAGE]),
    ("common/commands/course.py", ["course", "every_page", "new", "series", "site"]),
    ("docs/page_writer/*", ["course", "every_page", "glossary", "languages", "mutants", "pages"]),
    ("docs/site_builder/parts/watch*", ["languages", "serve", "site"]),
    ("docs/site_builder/*", ["languages", "site"]),
    ("docs/build", ["site"]),
    ("docs/serve", ["serve"]),
    ("docs/server/*", ["languages", "serve"]),
    ("common/commands/runner/contained.py", ["serve"]),
    ("docs/pages", ["every_page", "pages"]),
    ("docs/figures/*", ["charts", "every_page", "pages", "site"]),
    ("docs/screens/*", ["every_page", "site"]),
    ("docs/mistakes/*", ["every_page", "practice", "site"]),
    ("docs/own/*", ["cuda_cpu", "every_page"]),
    ("plots/devices/*", ["charts", "complete", "counters", "every_page", "estimates", "kernels", "launches", "machine",
                         "record", "site", "verdicts"]),
    ("plots/ncu/*", ["kernels"]),
    ("plots/blind/*", ["blind", "estimates"]),
    ("plots/makers/checked/*", ["labelled"]),
    ("plots/makers/programs.py", ["programs"]),
    ("plots/makers/running.py", ["labelled", "programs"]),
    ("plots/programs/*", ["every_page", "programs"]),
    ("plots/programs.py", ["every_page", "programs"]),
    ("plots/makers/mutation/*", ["mutants", "unfound"]),
    ("plots/checked/*", ["every_page", "labelled"]),
    ("plots/labelled.py", ["every_page", "labelled"]),
    ("plots/makers/*", ["kernels", "large", "launches", "mutants", "record"]),
    ("plots/*", ["charts", "damaged", "every_page", "machine", "readers", "record", "site"]),
    ("common/commands/practice/*", ["attempts", "languages", "practice"]),
    ("common/commands/languages.py", ["every_page", "languages", "practice", "site"]),
    ("common/commands/watched/*", ["recorded", "serve"]),
    ("common/commands/cudacpu/*", ["cuda_cpu", "foreign", "modules"]),
    ("common/cpu/libraries/*", ["foreign", "modules"]),
    ("steps/practice", ["practice"]),
    ("common/commands/new/*", ["new"]),
    ("common/commands/export/*", ["export"]),
    ("steps/new", ["new"]),
    ("steps/export", ["export"]),
    ("steps/table", ["charts", "damaged", "readers"]),
    ("steps/machine", ["machine"]),
    ("LICENSE", []),
    ("CONTRIBUTING.md", [PAGE]),
    (".github/*", []),
    (".ci/*", []),
    (".devcontainer/*", ["container"]),
    (".gitignore", []),
    (".clang-format", ["style"]),
]


class Part:
    """What one `meson test` runs: tests, none for all, of some steps and pages."""

    def __init__(self, tests=(), steps=(), pages=()):
        self.tests = sorted(tests)
        self.env = {"CHECK_STEPS": " ".join(steps), "CHECK_PAGES": " ".join(pages)}

    def has(self, test):
        return not self.tests or test in self.tests


def name_of(path):
    return os.path.splitext(os.path.basename(path))[0]


def cases(root=ROOT):
    """The names of the scripts; that of plots/blind stands beside its data."""
    found = {name_of(path) for path in glob.glob(os.path.join(root, "check", "cases", "*.py"))} - {"__init__"}
    return sorted(found | {path for path in ["blind"] if os.path.exists(os.path.join(root, "plots", path, "test.py"))})


def units(root=ROOT):
    return sorted(name_of(path)[len("test_"):] for path in glob.glob(os.path.join(root, "check", "unit", "test_*.c")))


def pages(root=ROOT):
    """The paths of the pages, from the root, in all languages."""
    return sorted(os.path.relpath(path, root)
                  for pattern in ("docs/*.md", "*.md", *(f"docs/{language}/*.md" for language in LANGUAGES))
                  for path in glob.glob(os.path.join(root, pattern)))


def pages_of(step, root=ROOT):
    """The pages that show the step's source, or are its own."""
    shown = re.compile(rf"steps/{re.escape(step)}/|[/ ]{re.escape(step)}\.cu\b")
    for page in pages(root):
        with open(os.path.join(root, page), encoding="utf-8") as file:
            if page == f"docs/{step}.md" or shown.search(file.read()):
                yield page


class Choice:
    """Tests in full, and what is tested of single steps and pages."""

    def __init__(self, root=ROOT):
        self.root, self.listed = root, shelf.steps(root)
        self.all, self.tests, self.steps, self.pages = False, set(), {}, {}
        self.step_tests = set(BY_STEP)
        self.styled = False

    def add_steps(self, names):
        for name in names:
            self.steps[name] = True
            self.pages.update(dict.fromkeys(pages_of(name, self.root)))
        self.all = self.all or not names
        return " ".join(names) or "all"

    def add_tests(self, names):
        self.tests.update(names)
        return " ".join(names)

    def add_page(self, path):
        if not os.path.exists(os.path.join(self.root, path)):
            return self.add_tests(["complete", "every_page", "site"])  # it is gone: who has a link to it?
        known = pages(self.root)
        others = [path.replace("docs/", f"docs/{language}/", 1) for language in LANGUAGES]
        added = dict.fromkeys([path, *(other for other in others if other in known)])
        self.pages.update(dict.fromkeys(added, True))
        return " ".join(added)

    def take(self, word, path):
        """Adds what a word of TOUCHED means for a file; returns it in words."""
        parts, name = path.split("/"), name_of(path)
        if word == STEP:
            return self.add_steps([parts[1]] if parts[1] in self.listed else [])
        if word == FAMILY:
            return self.add_steps([step for step, (family, _) in self.listed.items() if family == parts[2]])
        if word == PAGE:
            return self.add_page(path)
        if word == CASE:
            return self.add_tests([name] if name in cases(self.root) else [])
        if word == UNIT:
            return self.add_tests(set(units(self.root)) & {name[len("test_"):]})
        return self.add_tests(units(self.root) if word == UNITS else [word])

    def add_file(self, path):
        """Adds what a file touches; returns it in words, but for its style."""
        self.styled = self.styled or path.endswith(STYLED)
        words = next((words for pattern, words in TOUCHED if fnmatch.fnmatch(path, pattern)), None)
        if words is None:
            return self.add_steps([])
        return " ".join(filter(None, [self.take(word, path) for word in words])) or "nothing"

    def parts(self):
        if self.all:
            return [Part()]
        single = (self.step_tests if self.steps else set()) - self.tests
        if self.pages and "every_page" not in self.tests:
            single.add("every_page")
        if self.styled and "style" not in self.tests:
            (single or self.tests).add("style")
        return [Part(tests, *about) for tests, about in ((single, (self.steps, self.pages)), (self.tests, ())) if tests]


def named(names, root=ROOT):
    """The Choice that the names make; raises Stop where one is unknown."""
    choice, steps = Choice(root), shelf.steps(root)
    families = dict.fromkeys(family for family, _ in steps.values())
    limited = set()
    for name in names:
        page = name if name in pages(root) else f"docs/{name}"
        if name in cases(root) + units(root):
            limited.add(name)
        if page in pages(root):
            choice.pages[page] = True
        for step, (family, _) in steps.items():
            if name in (step, family):
                choice.add_steps([step])
        if name not in [*cases(root), *units(root), *steps, *families] and page not in pages(root):
            raise Stop(f"unknown name {name} (accepted: a case: {' '.join(cases(root))}; a step: {' '.join(steps)}; "
                       f"a family: {' '.join(families)}; a page: docs/*.md; a unit test: {' '.join(units(root))})", 2)
    if choice.steps and limited & set(BY_STEP):  # these cases of these steps, and no others
        choice.step_tests, choice.pages = limited & set(BY_STEP), {}
    choice.tests = limited - set(choice.steps and BY_STEP)
    return choice


def git(root, *words):
    """What git prints; raises Stop where it cannot."""
    try:
        done = subprocess.run(["git", "-C", root, *words], capture_output=True, text=True, check=False)
    except OSError:
        raise Stop("--changed asks git, which is missing (Debian, Ubuntu: sudo apt-get install git)", 3) from None
    if done.returncode:
        raise Stop(f"git {' '.join(words)}: {(done.stderr.strip().splitlines() or ['it failed'])[-1]}", 2)
    return done.stdout


def base_of(root, base):
    """(the commit that is compared with, how it is called)"""
    if base:
        try:
            return git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", base + "^{commit}").strip(), base
        except Stop:
            raise Stop(f"--changed {base}: must be a commit, a branch or a tag that git knows", 2) from None
    try:
        return git(root, "merge-base", "HEAD", "origin/main").strip(), "where this branch left origin/main"
    except Stop:
        return git(root, "rev-parse", "HEAD").strip(), "the last commit"


def listed_anew(root, commit):
    """The steps whose lines in steps/meson.build differ; none where other lines do."""
    lines = [line for line in git(root, "diff", "-U0", commit, "--", "steps/meson.build").splitlines()
             if re.match(r"[+-](?!\+\+ |-- )", line)]
    matches = [LISTED.match(line) for line in lines]
    return [] if None in matches else list(dict.fromkeys(match[1] for match in matches))


def changed(base, screen, root=ROOT):
    """The Choice of what the files touch that differ from a commit, told file by file."""
    commit, name = base_of(root, base)
    choice = Choice(root)
    paths = set(git(root, "diff", "--name-only", "--no-renames", commit).splitlines()) | \
        set(git(root, "ls-files", "--others", "--exclude-standard").splitlines())
    screen.line(f"compared with {name} ({commit[:12]}): {len(paths)} files differ")
    for path in sorted(paths):
        if path == "steps/meson.build":
            told = choice.add_steps([step for step in listed_anew(root, commit) if step in choice.listed])
        else:
            told = choice.add_file(path)
        screen.line(f"    {path}: {told}")
    return choice


def parts_of(names, base, screen):
    """What `meson test` is called with, once for each Part. base: of --changed, None without it."""
    if base is not None:
        choice = changed(base, screen)
    elif names:
        choice = named(names)
    else:
        return [Part()]
    parts = choice.parts()
    for part in parts:
        about = " ".join(filter(None, part.env.values()))
        screen.line(f"runs {' '.join(part.tests) or 'all tests'}" + (f", of {about}" if about else ""))
    return parts
