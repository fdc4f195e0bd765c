"""
What a browser may ask docs/serve for, and who may ask.

Three gates. The server listens on 127.0.0.1 alone, and a request must name it by that address and port (Host), so that
no other name can be made to lead here. It must come from a page of ours or from none (Origin, Sec-Fetch-Site). And it
must know the token. The address that was printed brings it: the page there keeps it where only pages of this origin
read it, and hands it to what runs or writes in a header, which no other page can set. Pages alone are shown to a cookie
that is made of the token; it cannot be turned into it, and does not come with what another site asks for.
"""
import hashlib
import hmac
import http
import json
import mimetypes
import os
import select
import socket
import sys
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from common.commands import languages
from common.commands.practice import shelf
from common.commands.runner.screen import Stop
from docs.server import exercise
from docs.server.runs import VALUES, Busy
from docs.site_builder import tree

ADDRESS = "127.0.0.1"
PARTS = os.path.join(tree.ROOT, "docs", "server", "parts")
EDITOR = "/usr/share/javascript/codemirror"
# What the pages get besides the site, by its address.
ADDED = {**{f"live/{name}": os.path.join(PARTS, name) for name in sorted(os.listdir(PARTS)) if name != "words.txt"},
         **{f"live/codemirror/{name}": os.path.join(EDITOR, name) for name in (
             "lib/codemirror.js", "lib/codemirror.css", "mode/clike/clike.js", "addon/edit/matchbrackets.js",
             "addon/edit/closebrackets.js")}}
SCRIPTS = ("live.js", "editor.js", "verdict.js", "columns.js", "play.js")  # in the order in which a page loads them
POLICY = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " \
         "connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
HEADERS = {"Content-Security-Policy": POLICY, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
           "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
           "Cache-Control": "no-cache"}
ENTRANCE = '<!doctype html><html lang="en"><title>cuda-steps</title><script src="live/enter.js"></script></html>'


class Refused(Exception):
    """status, and a line that says why."""

    def __init__(self, status, why):
        super().__init__(why)
        self.status = status


def cookie_of(token):
    """What shows pages, and is no token."""
    return hmac.new(token.encode(), b"pages", hashlib.sha256).hexdigest()


class Server(ThreadingHTTPServer):
    """site: the folder. runs: a Runs. options: the words of worker.py behind the exercise's."""
    daemon_threads = True

    def __init__(self, port, token, site, runs, build):
        super().__init__((ADDRESS, port), Handler)
        self.token, self.site, self.runs, self.build = token, os.path.realpath(site), runs, build
        self.host = f"{ADDRESS}:{self.server_address[1]}"
        self.origin = f"http://{self.host}"
        self.steps = shelf.steps(tree.ROOT)
        self.words = languages.read(os.path.join(PARTS, "words.txt"))

    def handle_error(self, request, client_address):
        """A browser that went away is no error; what is one stands on the terminal."""
        if not isinstance(sys.exc_info()[1], (BrokenPipeError, ConnectionResetError, socket.timeout)):
            super().handle_error(request, client_address)


class Handler(BaseHTTPRequestHandler):
    timeout = 30  # seconds for a request to come

    # --- who may ask -----------------------------------------------------------------------------

    def check_host(self):
        if self.headers.get_all("Host") != [self.server.host]:
            raise Refused(421, f"this server is {self.server.origin}, and answers to no other name")

    def check_sender(self):
        """Raises Refused unless it is a page of ours, or a person who types an address."""
        origin, site = self.headers.get("Origin"), self.headers.get("Sec-Fetch-Site", "none")
        if origin not in (None, self.server.origin) or site not in ("none", "same-origin") or \
                self.command != "GET" and origin is None:
            raise Refused(403, "only pages of this server may ask for this")

    def check_token(self):
        """Of what reads a reader's work, writes or runs."""
        if not hmac.compare_digest(self.headers.get("X-Token", "").encode(), self.server.token.encode()):
            raise Refused(403, "this page belongs to a server that has ended: open the address that docs/serve printed")

    def has_cookie(self):
        name = f"cuda-steps-{self.server.server_address[1]}"
        given = [part.strip().partition("=") for part in self.headers.get("Cookie", "").split(";")]
        return any(key == name and hmac.compare_digest(value.encode(), cookie_of(self.server.token).encode())
                   for key, _, value in given)

    # --- answers ---------------------------------------------------------------------------------

    def answer(self, status, kind, data, more=()):
        self.send_response(status)
        for key, value in (("Content-Type", kind), ("Content-Length", str(len(data))), *HEADERS.items(), *more):
            self.send_header(key, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def tell(self, told, status=200):
        self.answer(status, "application/json", json.dumps(told).encode())

    def guarded(self, work):
        """What is refused is told in one line."""
        try:
            self.check_host()
            work()
        except Refused as refused:
            self.answer(refused.status, "text/plain; charset=utf-8", (str(refused) + "\n").encode())
        except Stop as stop:
            self.tell({"error": str(stop)}, 409)
        except OSError as error:
            if isinstance(error, (BrokenPipeError, ConnectionResetError, socket.timeout)):
                raise
            self.tell({"error": f"{error.filename or 'a file'}: {error.strerror}"}, 500)

    def log_message(self, format, *args):  # pylint: disable=redefined-builtin
        pass

    # --- pages -----------------------------------------------------------------------------------

    def do_GET(self):
        self.guarded(self.get)

    do_HEAD = do_GET

    def get(self):
        address = urllib.parse.urlsplit(self.path)
        given = urllib.parse.parse_qs(address.query).get("token", [""])[0]
        path = urllib.parse.unquote(address.path).lstrip("/")
        if given and not path:
            self.enter(given)
            return
        self.check_sender()
        if path == "favicon.ico":
            self.answer(204, "image/x-icon", b"")
            return
        if path != "live/enter.js" and not self.has_cookie():
            raise Refused(403, "open the address that docs/serve printed: it ends with a token")
        if path == "live/words.json":
            self.tell(self.server.words)
        else:
            self.page(path or "index.html")

    def enter(self, given):
        """The address that was printed, wherever it was opened."""
        if not hmac.compare_digest(given.encode(), self.server.token.encode()):
            raise Refused(403, "another token than that of this server: open the address that docs/serve printed")
        name = f"cuda-steps-{self.server.server_address[1]}"
        self.answer(200, "text/html; charset=utf-8", ENTRANCE.encode(), [
            ("Set-Cookie", f"{name}={cookie_of(given)}; HttpOnly; SameSite=Strict; Path=/")])

    def page(self, path):
        if "\0" in path:
            raise Refused(404, "no such page")
        place = ADDED.get(path) or os.path.realpath(os.path.join(self.server.site, path))
        if path not in ADDED and not place.startswith(self.server.site + os.sep) or not os.path.isfile(place):
            raise Refused(404, "no such page")
        self.file(place, path)

    def file(self, place, path=""):
        with open(place, "rb") as file:
            data = file.read()
        kind = mimetypes.guess_type(place)[0] or "application/octet-stream"
        step = path.partition(".")[0]
        if path.endswith(".html") and step in self.server.steps:
            data = data.replace(b"</head>", live(step).encode() + b"</head>", 1)
        self.answer(200, kind + ("; charset=utf-8" if kind.startswith("text/") or "script" in kind else ""), data)

    # --- what a page does ------------------------------------------------------------------------

    def do_POST(self):
        self.guarded(self.post)

    def post(self):
        self.check_sender()
        self.check_token()
        known = {"/live/open": self.open, "/live/save": self.save, "/live/again": self.again, "/live/run": self.run,
                 "/live/stop": self.stop}
        if self.path not in known:
            raise Refused(404, f"accepted: {' '.join(known)}")
        given = self.body()
        step, what = given.get("step"), given.get("what")
        if step not in list(self.server.steps):
            raise Refused(400, "step: accepted are those of the series")
        whats = exercise.whats(step)
        if what not in ["", *whats]:
            raise Refused(400, f"what: accepted are {' '.join(whats)}")
        known[self.path](exercise.Exercise(step, what or whats[0]), given)

    def body(self):
        """A JSON object."""
        length = self.headers.get("Content-Length", "")
        if self.headers.get("Content-Type", "").partition(";")[0] != "application/json" or not length.isdigit():
            raise Refused(400, "accepted: application/json of a known length")
        if int(length) > 2 * exercise.LONGEST:
            raise Refused(413, f"accepted: at most {exercise.LONGEST} bytes of source")
        try:
            given = json.loads(self.rfile.read(int(length)))
        except ValueError:
            given = None
        if not isinstance(given, dict):
            raise Refused(400, "accepted: a JSON object")
        return given

    def told(self, work, **more):
        text = work.text()
        self.tell({"what": work.what, "whats": exercise.whats(work.step), "file": work.file, "name": work.name,
                   "text": text, "mark": exercise.mark(text), **more})

    def open(self, work, given):
        work.begin()
        self.told(work)

    def again(self, work, given):
        self.told(work, kept=work.again())

    def keep(self, work, given):
        """Saves the text that the page sent."""
        text, known = given.get("text"), given.get("mark")
        if not isinstance(text, str) or not isinstance(known, str) or len(text.encode()) > exercise.LONGEST:
            raise Refused(400, f"text, mark: accepted are texts of at most {exercise.LONGEST} bytes")
        work.begin()
        try:
            work.save(text, known)
        except exercise.Changed as there:
            self.tell({"changed": str(there), "mark": exercise.mark(str(there))}, http.HTTPStatus.CONFLICT)
            return False
        return True

    def save(self, work, given):
        if self.keep(work, given):
            self.told(work)

    def stop(self, work, given):
        self.tell({"stopped": self.server.runs.stop(work.name)})

    def run(self, work, given):
        """Saves, runs, and passes on what worker.py says, until it ends or the page is left."""
        language = given.get("language") if given.get("language") in list(languages.LANGUAGES) else "en"
        action = given.get("action")
        if action not in ACTIONS:
            raise Refused(400, f"action: accepted are {' '.join(ACTIONS)}")
        if not self.keep(work, given):
            return
        try:
            run = self.server.runs.begin(work.name, [action, work.step, work.what, language, self.server.build])
        except Busy as busy:
            self.tell({"error": str(busy), "mark": exercise.mark(given["text"])}, http.HTTPStatus.CONFLICT)
            return
        try:
            self.pass_on(run, exercise.mark(given["text"]))
        finally:
            run.stop()
            run.process.wait()
            self.server.runs.forget(work.name)

    def pass_on(self, run, mark):
        """First the mark of what was saved, then what the run says, last how it ended."""
        self.send_response(200)
        for key, value in (("Content-Type", "application/x-ndjson; charset=utf-8"), *HEADERS.items()):
            self.send_header(key, value)
        self.end_headers()
        self.wfile.write(json.dumps({"mark": mark}).encode() + b"\n")
        for part in run.output(self.is_gone):
            self.wfile.write(part)
        status, why = run.end()
        self.wfile.write(b"\n" + json.dumps({"end": status, "why": why, "values": VALUES}).encode() + b"\n")

    def is_gone(self):
        """Whether the browser has closed the connection; it sends nothing behind its request."""
        try:
            return bool(select.select([self.connection], [], [], 0)[0]) and not self.connection.recv(1, socket.MSG_PEEK)
        except OSError:
            return True


# In the order of the page's buttons; worker.py says what each does.
ACTIONS = ("practice", "hint", "run", "check", "counters", "estimate", "watch", "prepare")


def live(step):
    """What a step's page gets."""
    return f'<meta name="step" content="{step}"><link rel="stylesheet" href="live/live.css">' + "".join(
        f'<script src="live/{name}" defer></script>' for name in SCRIPTS)
