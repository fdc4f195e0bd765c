"""
docs/serve: who may ask it for something, and that nobody else can; what it runs, stops and leaves behind; what its
pages' buttons tell. Requests that must be refused are planted, and once more with each gate open, so that it is seen
that the gate refused them. Then a reader's way in a browser, where Chromium is: check/browser_serve.py.
"""
import contextlib
import http.client
import json
import os
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

from check import served
from check.exercises import SLICES, with_body
from check.served import FUNCTION, STEP, Serving
from common.commands.drive.support import SOURCE, case, leave, program_cases, run
from common.commands.practice import source
from common.commands.runner import contained, packages
from docs.server import beside, exercise, runs, web

RACE = SLICES.replace("            s[t] += s[t + k];\n        __syncthreads();", "            s[t] += s[t + k];")
TAIL = SLICES.replace("each = (n + gridDim.x * blockDim.x - 1) / (", "each = n < blockDim.x ? 1 : n / (")
ENDLESS = SLICES.replace("i < first + each && i < n; i++", "i < n || n > 0;")
CPU = 6  # seconds: two cores have a verdict in half of that
FIRST = 15  # seconds of one processor, so that two of them take less: to make the site, and to show its first page
# What leaves its parent and its session, and stays.
STAYS = """
#include <unistd.h>
static int stays()
{
    if (fork() == 0) {
        setsid();
        for (int i = 0; i < %d; i++)
            if (fork() == 0) {
                setsid();
                break;
            }
        for (;;)
            pause();
    }
    return 0;
}
static int begun = stays();
"""
FLOOD = """
#include <cstdio>
#include <cstring>
static int flood()
{
    char words[4096] = {};
    FILE *file = fopen("/proc/self/cmdline", "r");
    size_t count = fread(words, 1, sizeof(words), file);
    fclose(file);
    while (memmem(words, count, "--check", 7))
        puts("--check: this line has no end");
    return 0;
}
static int begun = flood();
"""


def text_of(body):
    text = served_text()
    return with_body(STEP, source.functions(text)[FUNCTION], body.split("\n"))


def served_text():
    with open(os.path.join(SOURCE, "steps", STEP, STEP + ".cu"), encoding="utf-8") as file:
        return file.read()


def left_of(root):
    """The processes that run a program of a tree, or docs/serve's own of it."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError), open(f"/proc/{pid}/cmdline", "rb") as file:
            words = file.read().split(b"\0")
            if any(word.startswith(root.encode()) for word in words) or \
                    os.readlink(f"/proc/{pid}/exe").startswith(root):
                found.append(b" ".join(words).decode(errors="replace"))
    return found


def until(holds, seconds=120):
    end = time.monotonic() + seconds
    while not holds() and time.monotonic() < end:
        time.sleep(0.05)
    return holds()


def snapshot(root):
    """{path: (size, time of change)} of all but practice/ and the build."""
    found = {}
    for top, names, files in os.walk(root):
        names[:] = [name for name in names if os.path.join(top, name) not in
                    (os.path.join(root, "practice"), os.path.join(root, "build"))]
        for name in files:
            told = os.lstat(os.path.join(top, name))
            found[os.path.join(top, name)] = (told.st_size, told.st_mtime_ns)
    return found


# --- the command line -----------------------------------------------------------------------------------------------

def command_line(root):
    program = os.path.join(root, "docs", "serve")
    done = run(program, "--help")
    case(done.status == 0 and done.out.startswith("usage: docs/serve") and not done.err, "serve: --help", done)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        for words, wanted in ((["--port", "x"], "--port x"), (["--port", "80"], "--port 80"), (["--port"], "--port"),
                              (["--nonsense"], "--nonsense"), (["no-such-run"], "no-such-run"),
                              (["--no-open", "--port", str(taken.getsockname()[1])], "--port")):
            done = run(program, *words)
            case(done.status == 2 and wanted in done.err and len(done.err.splitlines()) == 1,
                 f"serve: {' '.join(words[:2])} is refused in one line", done)


def first_use(root):
    """Where no site is yet: it is made, and all of it. Later uses find it."""
    def used():
        told = resource.getrusage(resource.RUSAGE_CHILDREN)
        return told.ru_utime + told.ru_stime

    for what, holds in (("the first use", lambda spent: 1 < spent < FIRST), ("the next one", lambda spent: spent < 2)):
        before = used()
        with Serving(root) as server:
            told = server.ask("GET", "/?token=" + server.token)
            cookie = told[1].get("Set-Cookie", "").partition(";")[0]
            status, _, text = server.ask("GET", "/index.html", Cookie=cookie)
        spent = used() - before
        case(status == 200 and "<h1" in text and holds(spent),
             f"serve: {what} has a page within {FIRST if what == 'the first use' else 2} s of a processor",
             f"{spent:.1f} s; {status} {text[:100]}")
        print(f"# {what}: {spent:.1f} s of a processor")
        served.keep_site(root)


def opened_by(root, scratch):
    """It opens the address in a browser, whose command line, which all may read, has no token."""
    told, browser = os.path.join(scratch, "opened"), os.path.join(scratch, "browser")
    with open(browser, "w", encoding="utf-8") as file:
        file.write(f'#!/bin/sh\n{{ echo "$*"; cat "${{1#file://}}"; }} >"{told}.new" && mv "{told}.new" "{told}"\n')
    os.chmod(browser, 0o755)
    for display in ("", ":9"):
        with Serving(root, env={**os.environ, "DISPLAY": display, "WAYLAND_DISPLAY": "", "BROWSER": browser},
                     opens=True) as server:
            there = until(lambda: os.path.exists(told), 20 if display else 1)
            words, _, page = (read(told) if there else "").partition("\n")
            case(there == bool(display) and server.token not in words and (server.address in page) == there,
                 f"serve: {'it is opened in a browser' if display else 'without a display it opens none'}",
                 f"{words}\n{page}")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


# --- who may ask ----------------------------------------------------------------------------------------------------

BODY = json.dumps({"step": STEP, "what": FUNCTION})


def planted(server):
    """[(what, the request's words, its headers, the gate that must refuse it, or None)]"""
    ours, cookie = server.of_page(), f"cuda-steps-{server.port}={web.cookie_of(server.token)}"
    token = {name: value for name, value in ours.items() if name in ("X_Token", "Content_Type")}
    nobody = {"Content_Type": "application/json", "Origin": server.origin}
    return [
        ("without a token", ("POST", "/live/open", BODY), nobody, "check_token"),
        ("with another token", ("POST", "/live/open", BODY), {**ours, "X_Token": "x" * 32}, "check_token"),
        ("with the cookie alone", ("POST", "/live/open", BODY), {**nobody, "Cookie": cookie}, "check_token"),
        ("with the cookie for a token", ("POST", "/live/open", BODY),
         {**ours, "X_Token": web.cookie_of(server.token)}, "check_token"),
        ("from another site", ("POST", "/live/open", BODY), {**ours, "Origin": "http://example.org"}, "check_sender"),
        ("from another port", ("POST", "/live/open", BODY), {**ours, "Origin": "http://127.0.0.1:1"}, "check_sender"),
        ("from a file", ("POST", "/live/open", BODY), {**ours, "Origin": "null"}, "check_sender"),
        ("from nowhere", ("POST", "/live/open", BODY), token, "check_sender"),
        ("across sites", ("POST", "/live/open", BODY), {**ours, "Sec_Fetch_Site": "cross-site"}, "check_sender"),
        ("from the same site", ("POST", "/live/open", BODY), {**ours, "Sec_Fetch_Site": "same-site"}, "check_sender"),
        ("by another name", ("POST", "/live/open", BODY), {**ours, "Host": f"example.org:{server.port}"}, "check_host"),
        ("by localhost", ("POST", "/live/open", BODY), {**ours, "Host": f"localhost:{server.port}"}, "check_host"),
        ("by a name without a port", ("POST", "/live/open", BODY), {**ours, "Host": "127.0.0.1"}, "check_host"),
        ("by no name", ("POST", "/live/open", BODY), {**ours, "Host": None}, "check_host"),
        ("as a form", ("POST", "/live/open", BODY), {**ours, "Content_Type": "text/plain"}, None),
        ("a page without the cookie", ("GET", f"/{STEP}.html"), {}, "has_cookie"),
        ("a page of another name", ("GET", f"/{STEP}.html"), {"Host": "example.org", "Cookie": cookie}, "check_host"),
        ("a page for another site", ("GET", f"/{STEP}.html"), {"Cookie": cookie, "Sec_Fetch_Site": "cross-site"},
         "check_sender"),
        ("the words without the cookie", ("GET", "/live/words.json"), {}, "has_cookie"),
    ]


@contextlib.contextmanager
def opened(gate, root):
    """A server in this process, of which a gate is open."""
    kept = getattr(web.Handler, gate)
    setattr(web.Handler, gate, lambda self: True)
    server = web.Server(0, "t" * 32, os.path.join(root, "docs", "site"), runs.Runs(), "-")
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
        setattr(web.Handler, gate, kept)


class Opened(Serving):
    """The same questions to a server in this process."""

    def __init__(self, server):  # pylint: disable=super-init-not-called
        self.port, self.token = server.server_address[1], server.token
        self.host, self.origin = server.host, server.origin


def gates(server, root):
    for what, words, headers, _ in planted(server):
        status, told, text = server.ask(*words, **headers)
        case(400 <= status < 500 and "Access-Control-Allow-Origin" not in told and len(text.splitlines()) == 1,
             f"serve: refused: {what}", f"{status} {text}")
    status, told, _ = server.ask("OPTIONS", "/live/open", Origin="http://example.org",
                                 Access_Control_Request_Method="POST")
    case(status >= 400 and not [name for name in told if name.lower().startswith("access-control")],
         "serve: no other site is allowed to ask", status)
    case(not os.path.exists(os.path.join(root, "practice")), "serve: what is refused writes nothing")
    # In this process' own tree nothing may be written either: no gate is behind the last one.
    kept, exercise.Exercise.begin = exercise.Exercise.begin, lambda self: None
    exercise.Exercise.text, text_kept = lambda self: "", exercise.Exercise.text
    for gate in ("check_token", "check_sender", "check_host", "has_cookie"):
        with opened(gate, root) as one:
            asked = Opened(one)
            shut = [what for what, words, headers, by in planted(asked) if by == gate and
                    asked.ask(*words, **headers)[0] != 200]
            case(not shut, f"serve: {gate} is what refuses them", shut)
    exercise.Exercise.begin, exercise.Exercise.text = kept, text_kept


def listens(server):
    """At which addresses, by the system's own list."""
    found = []
    for name in ("/proc/net/tcp", "/proc/net/tcp6"):
        with contextlib.suppress(OSError), open(name, encoding="ascii") as file:
            found += [row.split()[1] for row in file.readlines()[1:] if row.split()[3] == "0A" and
                      int(row.split()[1].rpartition(":")[2], 16) == server.port]
    case(found == [f"0100007F:{server.port:04X}"], "serve: it listens on 127.0.0.1 alone", found)


def names(server, root):
    """No name of a page reaches a path or a shell."""
    for given in ({"step": "../reduce2"}, {"step": "reduce2; touch x"}, {"step": ["reduce2"]}, {"step": None},
                  {"what": "../x"}, {"what": "$(touch x)"}, {"what": "main"}, {"what": 7}):
        status, told = server.post("open", **given)
        case(status == 400, f"serve: refused: {json.dumps(given)}", f"{status} {told}")
    known = server.post("open")[1]
    for given in ({"action": "sh"}, {"action": "practice; touch x"}, {"action": None},
                  {"action": "practice", "text": 7},
                  {"action": "practice", "text": "x" * (exercise.LONGEST + 1)}):
        status, told = server.post("run", **{"text": known["text"], "mark": known["mark"], **given})
        case(status == 400, f"serve: refused: {json.dumps(given)[:50]}", f"{status} {told}")
    status, _, _ = server.ask("POST", "/live/save", None, **server.of_page(), Content_Length=str(1 << 30))
    case(status == 413, "serve: refused: a body of 1 GiB", status)
    cookie = {"Cookie": f"cuda-steps-{server.port}={web.cookie_of(server.token)}"}
    for path in ("/../build", "/..%2f..%2fREADME.md", "/%2e%2e/reduce2.md", "//etc/passwd", "/live/../serve", "/%00",
                 "/live/words.txt", "/assets"):
        status, _, text = server.ask("GET", path, **cookie)
        case(status == 404, f"serve: not there: {path}", f"{status} {text[:100]}")
    os.symlink("/etc/passwd", os.path.join(root, "docs", "site", "link.html"))
    case(server.ask("GET", "/link.html", **cookie)[0] == 404, "serve: a link out of the site leads nowhere")
    os.unlink(os.path.join(root, "docs", "site", "link.html"))


def pages(server):
    status, told, text = server.ask("GET", "/?token=" + server.token, Sec_Fetch_Site="cross-site")
    cookie = told.get("Set-Cookie", "")
    case(status == 200 and server.token not in cookie + text and "HttpOnly; SameSite=Strict" in cookie,
         "serve: the address that was printed gives a cookie, which is not the token", cookie)
    cookie = {"Cookie": cookie.partition(";")[0]}
    status, told, text = server.ask("GET", f"/{STEP}.html", **cookie)
    case(status == 200 and f'content="{STEP}"' in text and "frame-ancestors 'none'" in told["Content-Security-Policy"],
         "serve: a step's page has the editor, and stands in no other page", text[:300])
    with open(os.path.join(server.root, "docs", "site", STEP + ".html"), encoding="utf-8") as file:
        case("live/" not in file.read(), "serve: the site itself is as docs/build made it")
    case("live/" not in server.ask("GET", "/index.html", **cookie)[2], "serve: a page that is no step's has none")
    case(server.ask("GET", "/live/codemirror/lib/codemirror.js", **cookie)[0] == 200, "serve: the editor is there")


# --- what it runs ---------------------------------------------------------------------------------------------------

def of(events, name):
    return next((event[name] for event in events if name in event), None)


def files(server):
    """Nothing that a reader wrote is lost."""
    told = server.post("open")[1]
    path = os.path.join(server.root, told["file"])
    case(told["what"] == FUNCTION and told["whats"][-1] == "copy" and "yours to write" not in told["text"] and
         os.path.exists(path), "serve: Edit begins what steps/practice begins", told)
    with open(path, "a", encoding="utf-8") as file:
        file.write("// from another editor\n")
    status, back = server.post("save", text="mine", mark=told["mark"])
    with open(path, encoding="utf-8") as file:
        case(status == 409 and back["changed"].endswith("// from another editor\n") and file.read() == back["changed"],
             "serve: what was changed elsewhere is not overwritten", f"{status} {back}")
    status, back = server.post("save", text="mine\n", mark=back["mark"])
    case(status == 200 and back["text"] == "mine\n", "serve: it is, where the reader says so", back)
    status, back = server.post("again")
    with open(os.path.join(server.root, back["kept"]), encoding="utf-8") as file:
        case(back["text"] == told["text"] and file.read() == "mine\n", "serve: Begin again keeps what was there", back)


def buttons(server):
    events = server.run("practice", text_of(RACE))
    wrong = of(events, "mistake")
    case(wrong and wrong["kind"] == "race" and wrong["lines"] == [39] and f"{STEP}.cu:39" in wrong["title"] and
         of(events, "end") == 1, "serve: Practice names the mistake and its line", events[-3:])
    case([place["lines"] for place in of(events, "findings")[0]["places"]] == [[39], [39]],
         "serve: and what --check found", of(events, "findings"))
    case(events[0] == {"mark": exercise.mark(text_of(RACE))}, "serve: a run says first what it saved", events[0])
    hints = [of(server.run("hint", text_of(RACE)), "verdict")["hint"] for _ in range(3)]
    case([each["stage"] for each in hints] == [1, 2, 3] and not hints[0]["lines"] and hints[1]["lines"] == [39] and
         hints[2]["cause"], "serve: Hint has three stages", hints)
    events = server.run("check", text_of(RACE))
    case(of(events, "mistake")["kind"] == "race" and of(events, "end") == 1, "serve: Check finds it, too", events[-3:])
    events = server.run("practice", text_of(RACE + "\n    nonsense;"))
    case(of(events, "mistake")["kind"] == "compile" and of(events, "mistake")["lines"] == [43],
         "serve: what does not compile is said beside its line", of(events, "mistake"))
    events = server.run("practice", text_of(SLICES))
    counters = of(events, "verdict")["devices"][0]["counters"]
    case(of(events, "verdict")["verdict"] == "verified" and of(events, "end") == 0 and
         counters[0]["yours"]["sectors per load"] == "31.99" and counters[0]["step"]["sectors per load"] == "4.00",
         "serve: Practice verifies it with the barrier, and counts", events[-3:])
    case(0 < of(events, "cpu") < CPU, f"serve: a verdict takes less than {CPU} s of a processor", of(events, "cpu"))
    events = server.run("counters", text_of(SLICES))
    loads = [pair for pair in of(events, "columns") if pair["yours"] and pair["yours"]["what"] == "global load"]
    case(len(loads) == 1 and loads[0]["yours"]["line"] == 34 and loads[0]["step"]["line"] == 20 and
         loads[0]["yours"]["each"] > 31 and loads[0]["step"]["each"] == 4, "serve: Counters has both, by line", loads)
    case([loads[0][whose]["level"] for whose in ("yours", "step")] == [3, 1],
         "serve: what costs 8 times the fewest sectors is strong, what costs the fewest is pale", loads)
    events = server.run("estimate", text_of(SLICES))
    told = of(events, "estimates")[0]
    case(told["yours"]["us"] > 1 < told["step"]["us"] != told["yours"]["us"], "serve: Estimate has both", told)
    watched(server)
    events = server.run("run", text_of(SLICES), language="ko")
    case(of(events, "end") == 0 and any(event.get("said", "").startswith("sequential") for event in events),
         "serve: Run shows what the program says", events[-3:])
    server.post("open", what="copy")
    path = os.path.join(server.root, "practice", "my-" + STEP, f"my-{STEP}.cu")
    with open(path, encoding="utf-8") as file:
        events = server.run("practice", file.read(), "copy")
    case(of(events, "verdict")["verdict"] == "verified" and len(of(events, "verdict")["devices"][0]["variants"]) == 3,
         "serve: a copy of the whole step is judged by all its variants", events[-1:])


def watched(server):
    """What the player gets: the step's own small launch; where that is right, the one that is wrong."""
    events = server.run("watch", text_of(RACE))
    told = of(events, "recording")
    lines = {told["places"][told["steps"][each["step"]]["p"]][1] for each in told["findings"]}
    case(lines == {39} and of(events, "mistake")["kind"] == "race" and of(events, "end") == 1,
         "serve: Watch records the race's step", f"{lines} {events[-1]}")
    events = server.run("watch", text_of(SLICES))
    right = of(events, "recording")
    case(right["steps"] and not right["findings"] and of(events, "end") == 0 and not of(events, "mistake"),
         "serve: of a right kernel there is no finding", events[-1])
    events = server.run("watch", text_of(TAIL))
    told = of(events, "recording")
    case(of(events, "mistake")["kind"] == "result" and of(events, "end") == 1 and told["areas"] != right["areas"],
         "serve: Watch records the launch that is wrong, where the step's own is right", events[-1])


def begin_run(server, text, action="practice"):
    """A connection on which a run has begun, and its answer."""
    known = server.post("open")[1]["mark"]
    link = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)
    body = json.dumps({"step": STEP, "what": FUNCTION, "action": action, "text": text, "mark": known})
    link.request("POST", "/live/run", body, {name.replace("_", "-"): value for name, value in server.of_page().items()})
    return link, link.getresponse()


def programs(root):
    """The processes of a reader's program."""
    return [each for each in left_of(root) if each.startswith(f"{root}/build/steps/practice-")]


def stops(server, root):
    """Of a run that is stopped, or left, or whose server is killed, nothing is left: not what has left its session."""
    text = text_of(ENDLESS) + STAYS % 3
    link, answer = begin_run(server, text, "run")
    case(until(lambda: len(programs(root)) >= 4),
         "serve: a program runs, and what it has started", left_of(root))
    status, told = server.post("run", action="run", text=text, mark=exercise.mark(text))
    case(status == 409, "serve: one run of a page at a time", told)
    case(server.post("stop")[1] == {"stopped": True}, "serve: Stop answers")
    last = json.loads(answer.read().decode().strip().split("\n")[-1])
    case(last["why"] == "Stopped." and not programs(root), "serve: what is stopped leaves no process",
         f"{last} {left_of(root)}")
    link.close()
    link, answer = begin_run(server, text, "run")
    until(lambda: programs(root))
    answer.close()
    link.close()
    case(until(lambda: not programs(root)), "serve: nor does a run whose page is left", left_of(root))
    case(until(lambda: server.post("stop")[1] == {"stopped": False}), "serve: the page may run again")


def limits(server, root):
    events = server.run("check", text_of(SLICES) + FLOOD)
    case(of(events, "why") == runs.TOO_MUCH and sum(map(len, map(str, events))) < 3 * runs.OUTPUT,
         "serve: output without an end is ended", events[-1:])
    case(not programs(root), "serve: and leaves no process", left_of(root))
    hog = "import time; x = bytearray(300 << 20); time.sleep(60)"
    forks = "import os, time\nfor i in range(40): os.fork() or (os.setsid(), time.sleep(60))\ntime.sleep(60)"
    for what, words, program in (("time", ("0.3", "1000", "90"), "import time; time.sleep(60)"),
                                 ("memory", ("60", "200", "90"), hog), ("processes", ("60", "2000", "20"), forks)):
        program += f"  # {root}"
        done = run(sys.executable, contained.__file__, *words, "--", sys.executable, "-c", program)
        case(done.status == contained.LIMITS[what] and not left_of(root + "\n") and not
             [each for each in left_of("import ") if each.endswith(root)], f"serve: a limit of {what} holds", done)
    with subprocess.Popen(["sh", "-c", "sleep 60 & sleep 60"]) as two:
        until(lambda: len(contained.descendants(two.pid)) == 2)
        case(len(contained.descendants(two.pid, False)) == 2 == len(contained.descendants(two.pid, True)),
             "serve: what a process has started is found in both ways")
        contained.send([*contained.descendants(two.pid), two.pid], signal.SIGKILL)
    done = run(sys.executable, contained.__file__, "60", "1000", "20", "--", "sh", "-c", "exit 7")
    case(done.status == 7, "serve: a command within its limits has its own status", done)


def killed(root):
    with Serving(root, "--build", os.path.join(root, "build")) as server:
        link, _ = begin_run(server, text_of(ENDLESS) + STAYS % 3, "run")
        case(until(lambda: programs(root)), "serve: a program runs")
        server.process.kill()
        case(until(lambda: not programs(root)), "serve: a server that is killed leaves no process", left_of(root))
        link.close()


def pairs():
    """Which line stands beside which."""
    def rows(*found):
        return [{"file": "x.cu", "line": str(line), "kernel": "k", "what": what, "requests": "10", "cost": "40",
                 "ideal": str(ideal)} for line, what, ideal in found]

    mine = beside.cells(rows((3, "global load", 40), (5, "global load", 20), (7, "barrier", 0)), "x.cu")
    theirs = beside.cells(rows((2, "global load", 40), (4, "global load", 40), (6, "shared load", 40)), "x.cu")
    found = beside.paired(mine, theirs, {5: 2})
    case([(a and a.line, b and b.line) for a, b in found] == [(3, 4), (5, 2), (7, None), (None, 6)],
         "serve: a line stands beside the same line, else beside the next of its kind", found)
    case([cell.told()["level"] for cell in mine] == [1, 3, 1], "serve: twice the fewest is the strongest level", mine)
    case(beside.lines_of("a\n\n  b c\nd", "x\nb  c\ny") == {3: 2}, "serve: lines are the same but for spaces")


def main():
    pairs()
    lacking = packages.missing_of_site(editor=True)
    if lacking:
        print(f"ok - serve: the server # skip missing: {' '.join(lacking)}; check/run --browser --install has them")
        leave()
    with tempfile.TemporaryDirectory() as scratch:
        root = os.path.join(os.path.realpath(scratch), "tree")
        served.make_tree(root)
        first_use(root)
        opened_by(root, scratch)
        command_line(root)
        before = snapshot(root)
        with Serving(root) as server:
            listens(server)
            gates(server, root)
            pages(server)
            names(server, root)
            files(server)
            buttons(server)
            stops(server, root)
            limits(server, root)
            server.process.send_signal(signal.SIGINT)
            case(server.process.wait(30) == 0, "serve: Ctrl-C ends it", server.process.returncode)
        killed(root)
        changed = sorted(path for path in {*before, *snapshot(root)} if before.get(path) != snapshot(root).get(path))
        case(not changed, "serve: nothing but practice/ and the build has changed", changed)
        in_browser(root)
    leave()


def in_browser(root):
    lacking = packages.missing_of_site(driver=True)
    if lacking:
        print(f"ok - serve: in a browser # skip missing: {' '.join(lacking)}; check/run --browser installs them")
        return
    shutil.rmtree(os.path.join(root, "practice"))  # a reader who begins: with the first hint, too
    python = packages.python_of_site(driver=True)[0]
    program_cases(python, "-B", os.path.join(SOURCE, "check", "browser_serve.py"), root, limit=900)


if __name__ == "__main__":
    main()
