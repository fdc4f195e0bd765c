"""docs/serve: see USAGE."""
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import threading
import webbrowser

from common.commands import ROOT
from common.commands.arguments import Arguments, text
from common.commands.runner import packages
from common.commands.runner.screen import Screen, Stop, end_of

HERE = os.path.dirname(os.path.abspath(__file__))
PORT = 8642
USAGE = f"""\
usage: docs/serve [RUN-DIRECTORY...] [--port N] [--no-open] [--build DIR] [--install]

Serves the site of docs/build to this machine alone, and makes it first where it is out of date. On a step's
page, Edit turns the source into an editor: write the kernel, and the page runs and judges it as
./steps/practice does. Your files are those of practice/; nothing else is changed. Ctrl-C ends it.

  RUN-DIRECTORY  what steps/run has left: its numbers stand beside the record's
  --port N       listen there; default: {PORT}, or any that is free
  --no-open      print the address, and open no browser
  --build DIR    build the kernels there; default: build
  --install      first install what is missing, with apt
  -h, --help     this text

Exit status: 0 it was ended, 2 bad usage, 3 something is missing."""
OPENED = '<!doctype html><meta http-equiv="refresh" content="0; url={}">'


def port(word):
    if not word.isdigit() or not 1024 <= int(word) <= 65535:
        raise ValueError
    return int(word)


def parse(words):
    parser = Arguments("docs/serve", USAGE)
    parser.add_argument("runs", nargs="*", metavar="RUN-DIRECTORY")
    parser.add_argument("--port", type=text)
    parser.add_argument("--build", type=text)
    for option in ("--no-open", "--install"):
        parser.add_argument(option, action="store_true")
    asked = parser.parse(words)
    try:
        asked.port = asked.port and port(asked.port)
    except ValueError:
        parser.error(f"--port {asked.port}: must be a number from 1024 to 65535")
    return asked


def ensure(screen, install):
    """The libraries of the site, and the editor."""
    if install:
        packages.apt(screen, packages.missing_of_site(editor=True), [])
    try:
        packages.ensure_site(editor=True)
    except packages.OtherPython as other:
        os.execv(other.path, [other.path, "-B", HERE, *sys.argv[1:]])


def newest(folder, without=()):
    """When a file below it was last changed."""
    last = 0.0
    for top, names, files in os.walk(folder):
        names[:] = [name for name in names if os.path.join(top, name) not in without and not name.startswith(".")]
        last = max([last, os.stat(top).st_mtime, *(os.lstat(os.path.join(top, name)).st_mtime for name in files)])
    return last


def is_fresh(site):
    """Whether a site is newer than all that it is made of."""
    mark = os.path.join(site, "index.html")
    made_of = [os.path.join(ROOT, *path) for path in (("docs",), ("steps",), ("plots",), ("common", "commands"),
                                                      ("common", "families"), ("common", "cpu", "include"))]
    own = [site, os.path.join(ROOT, "docs", "server")]
    return os.path.exists(mark) and max([os.stat(os.path.join(ROOT, "README.md")).st_mtime,
                                         *(newest(path, own) for path in made_of)]) < os.stat(mark).st_mtime


def make_site(screen, runs):
    """The folder of the site."""
    site = os.path.join(ROOT, "docs", "site")
    if runs or not is_fresh(site):
        screen.line("making the site: docs/build")
        done = subprocess.run([os.path.join(ROOT, "docs", "build"), *runs], stdin=subprocess.DEVNULL, check=False,
                              stdout=subprocess.DEVNULL)
        if done.returncode:
            raise Stop("the site could not be made", 2 if done.returncode == 2 else 3)
    return site


def listening(asked, token, site):
    """The server, at the port that was asked for."""
    from docs.server import runs, web

    try:
        tries = [asked.port] if asked.port else [PORT, 0]
        for at in tries:
            try:
                return web.Server(at, token, site, runs.Runs(), asked.build or "-")
            except OSError:
                if at == tries[-1]:
                    raise
    except OSError as error:
        raise Stop(f"--port {asked.port}: {error.strerror}; name another, or none", 2) from None
    return None


def show(address):
    """Opens it in a browser that has a window. Its command line, which all may read, must not have the token."""
    if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY") or sys.platform == "darwin"):
        return
    handle, path = tempfile.mkstemp(suffix=".html", prefix="cuda-steps-")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(OPENED.format(address))
    webbrowser.open("file://" + path)
    threading.Timer(20, lambda: os.path.exists(path) and os.unlink(path)).start()


def serve(screen, asked):
    for path in asked.runs:
        if not os.path.isdir(path):
            raise Stop(f"{path}: no such directory", 2)
    ensure(screen, asked.install)
    token = secrets.token_urlsafe(24)
    server = listening(asked, token, make_site(screen, asked.runs))
    address = f"{server.origin}/?token={token}"
    screen.line(f"{address}\nfor this machine alone, until Ctrl-C")
    if not asked.no_open:
        show(address)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        screen.line()  # behind the ^C
    finally:
        server.runs.close()
        server.server_close()
    return 0


def interrupt(*_):
    raise KeyboardInterrupt


def main():
    screen = Screen("docs/serve")
    asked = parse(sys.argv[1:])
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, interrupt)
    return end_of(screen, lambda: serve(screen, asked))


if __name__ == "__main__":
    sys.exit(main())
