"""docs/build: see USAGE."""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

from common.commands import ROOT
from common.commands.arguments import Arguments, text
from common.commands.runner import packages
from common.commands.runner.screen import Screen, Stop, end_of

HERE = os.path.dirname(os.path.abspath(__file__))
USAGE = """\
usage: docs/build [RUN-DIRECTORY...] [--pdf] [--out DIR]

Makes docs/site/: each page beside its source, and slides of each step. Open docs/site/index.html; no
network is needed. The numbers are those of the records in plots/devices; those of your own runs, in the
directories that steps/run has left, stand beside them.

  --pdf         the slides of each step as docs/site/slides/STEP.pdf, too; needs Chromium
  --out DIR     there in place of docs/site
  -h, --help    this text

Exit status: 0, 2 bad usage, 3 something is missing, the browser failed or a disk is full."""
MARK = "assets/script.js"  # what a site of ours has
LIMIT = 120  # seconds: a browser that takes longer hangs


def parse(words):
    parser = Arguments("docs/build", USAGE)
    parser.add_argument("runs", nargs="*", metavar="RUN-DIRECTORY")
    parser.add_argument("--out", type=text, default=os.path.join(ROOT, "docs", "site"))
    parser.add_argument("--pdf", action="store_true")
    return parser.parse(words)


def right_python(pdf):
    """Libraries of Debian's packages are the system's Python's: goes on in that one, if need be."""
    try:
        packages.ensure_site(browser=pdf)
    except packages.OtherPython as other:
        os.execv(other.path, [other.path, "-B", HERE, *sys.argv[1:]])


def open_runs(paths):
    from docs.site_builder import measured
    from plots.log import LogError

    runs = []
    for path in paths:
        if not os.path.isdir(path):
            raise Stop(f"{path}: no such directory", 2)
        try:
            runs.append(measured.Run(path, path, own=True))
        except (LogError, OSError) as error:
            raise Stop(error, 2) from None
        if not runs[-1].rows:
            raise Stop(f"{path}: no measurement; steps/run leaves such directories in runs/", 2)
    return runs


def check_place(out, shown):
    """Only a site of ours, or nothing, may be replaced."""
    if os.path.lexists(out) and not os.path.exists(os.path.join(out, MARK)) and \
            not (os.path.isdir(out) and not os.listdir(out)):
        raise Stop(f"{shown}: it is there and no site of docs/build; it is left as it is", 2)


def new_directory(out):
    """A directory beside the place of the site, which is to take that place."""
    try:
        os.makedirs(os.path.dirname(out), exist_ok=True)
        made = tempfile.mkdtemp(prefix=".site-", dir=os.path.dirname(out))
        os.chmod(made, 0o755)
    except OSError as error:
        raise Stop(f"{error.filename}: {error.strerror}", 2) from None
    return made


def print_slides(screen, folder, names):
    """The slides of each step, printed by the browser: as many at a time as there are cores."""
    os.makedirs(os.path.join(folder, "slides"))
    command = [packages.browser_of_site(), "--headless", "--disable-gpu", "--no-pdf-header-footer",
               *(["--no-sandbox"] if os.geteuid() == 0 else [])]  # as root it has none

    def printed(name):
        path = os.path.join(folder, "slides", name + ".pdf")
        try:
            done = subprocess.run([*command, f"--print-to-pdf={path}", f"file://{folder}/{name}.html#slides"],
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=LIMIT,
                                  stderr=subprocess.STDOUT, encoding="utf-8", errors="replace", check=False)
        except subprocess.TimeoutExpired:
            return f"chromium took more than {LIMIT} s for the slides of {name}"
        return "" if os.path.exists(path) else \
            f"chromium printed no slides of {name}: {(done.stdout.splitlines() or ['?'])[-1]}"

    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for at, said in enumerate(pool.map(printed, names), 1):
            screen.progress(f"slides: {at} of {len(names)}")
            if said:
                pool.shutdown(wait=False)
                raise Stop(said, 3)


def build(screen, asked):
    runs, out = open_runs(asked.runs), os.path.abspath(asked.out)
    check_place(out, asked.out)
    right_python(asked.pdf)
    from docs.site_builder.site import Site

    made = new_directory(out)
    try:
        site = Site(made, screen.progress, runs)
        site.write()
        if asked.pdf:
            print_slides(screen, made, site.with_slides)
        if os.path.lexists(out):
            shutil.rmtree(out)
        os.rename(made, out)
    finally:
        shutil.rmtree(made, ignore_errors=True)
    shown = os.path.relpath(out)
    screen.line(f"{len(site.names)} pages: open {out if shown.startswith('..') else shown}/index.html")
    return 0


def interrupt(*_):
    raise KeyboardInterrupt


def main():
    screen = Screen("docs/build")
    signal.signal(signal.SIGTERM, interrupt)
    return end_of(screen, lambda: build(screen, parse(sys.argv[1:])))


if __name__ == "__main__":
    sys.exit(main())
