"""
docs/serve in a real browser, as a student goes: writes reduce2's kernel in the page without a barrier, is led by hints
to the right answer, sees counters beside the code, with the keyboard alone. Then what another page of the same browser
can do: nothing. Then each kind of page under axe-core. It prints cases. A Python that has Selenium runs it:
check/cases/serve.py finds that one.

usage: check/browser_serve.py TREE              (made by check/served.py)
       check/browser_serve.py TREE --screens    makes docs/screens/edit.png instead
"""
import http.server
import os
import sys
import threading
import time

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from check.browser import LOOK, Browser
from check.cases.serve import RACE, TAIL, text_of
from check.served import FUNCTION, STEP, Serving
from common.commands.drive.support import SOURCE, case, leave
from common.commands.runner import pypi

PATIENCE = 120  # seconds for a run on a busy machine
WORKS = "return typeof work !== 'undefined' && work.open && !live.running"
SAID = "return document.querySelector('#verdict')?.textContent"
# What of these elements a reader does not see: above or below the editor's part that is shown, or cut off at its side.
# Far away from that part the editor has none of them.
UNSEEN = """
const shown = one("#editor .CodeMirror-scroll").getBoundingClientRect(), found = all(arguments[0]);
return !found.length ? ["none is there"] : found.filter(each => each.textContent.trim()).map(each => [each.textContent,
    each.getBoundingClientRect()]).filter(([_, box]) => !box.height || box.top < shown.top - 1 ||
    box.bottom > Math.min(shown.bottom, one("#told").getBoundingClientRect().top) + 1 || box.right > shown.right + 1)
    .map(([text]) => text).concat([...document.querySelectorAll("#editor .CodeMirror-line > span")].filter(each =>
        each.getBoundingClientRect().right > shown.right + 1).map(each => "cut off: " + each.textContent));
"""
# What another page tries: each is a promise of what came of it.
ATTACK = """
const at = "http://127.0.0.1:%d", found = {}, body = JSON.stringify({ step: "reduce2", what: "sum_sequential",
    action: "run", text: "evil", mark: "" });
const tell = (name, text) => { found[name] = String(text); };
const frame = src => new Promise(done => document.body.append(Object.assign(document.createElement("iframe"),
    { src, onload: event => {
        try { done(event.target.contentDocument.body.textContent); } catch (e) { done("blocked"); }
    } })));
const image = src => new Promise(done => Object.assign(new Image(), { src, onload: () => done("loaded"),
    onerror: () => done("blocked") }));
const loaded = src => new Promise(done => document.head.append(Object.assign(document.createElement("script"), { src,
    onload: () => done("loaded"), onerror: () => done("blocked") })));
const ask = (path, more) => fetch(at + path, more).then(answer => `${answer.type} ${answer.status}`, () => "blocked");
(async () => {
    for (const action of ["run", "save", "open", "again", "stop"]) {
        tell(`${action}, JSON`, await ask("/live/" + action, { method: "POST", body, credentials: "include",
            headers: { "Content-Type": "application/json", "X-Token": "x" } }));
        tell(`${action}, plain`, await ask("/live/" + action, { method: "POST", body, mode: "no-cors",
            credentials: "include" }));
    }
    tell("page", await ask("/reduce2.html", { credentials: "include" }));
    tell("frame", await frame(at + "/reduce2.html"));
    tell("image", await image(at + "/figures/reduce2.svg"));
    tell("script", await loaded(at + "/live/live.js"));
    tell("entrance", await loaded(at + "/live/enter.js"));
    tell("token", localStorage.getItem("cuda-steps token"));
    document.body.append(Object.assign(document.createElement("form"), { action: at + "/live/run", method: "post",
        target: "form", enctype: "text/plain", innerHTML: `<input name='${body.slice(0, -1)},"x":"' value='"}'>` }));
    document.body.append(Object.assign(document.createElement("iframe"), { name: "form" }));
    document.forms[0].submit();
    await new Promise(done => setTimeout(done, 500));
    window.found = found;
})();
"""


class Served(Browser):
    """A browser at a server."""

    def __init__(self, server):
        super().__init__(server.root)
        self.server = server

    def open(self, page):
        self.driver.get("about:blank")
        self.driver.get(f"{self.server.origin}/{page}")

    def enter(self):
        self.driver.get(self.server.address)
        case(self.until("return location.pathname === '/index.html' && !location.search"),
             "serve: the address leads to the first page, and its token is gone from it")


def chord(browser, held, key):
    ActionChains(browser.driver).key_down(held).send_keys(key).key_up(held).perform()


def back_to(browser, name):
    """Goes back by Shift-Tab until an element has the focus; whether it does."""
    for _ in range(40):
        if browser.ask("return document.activeElement.id") == name:
            return True
        chord(browser, Keys.SHIFT, Keys.TAB)
    return False


def press_button(browser, name):
    """From the editor, by the keyboard alone."""
    browser.until("return !live.running", PATIENCE)
    browser.ask("work.editor.focus()")
    browser.type(Keys.ESCAPE)
    found = back_to(browser, "do-" + name)
    browser.ask("window.ranBefore = window.ran || 0")
    browser.type(Keys.ENTER)
    return found and browser.until("return window.ran > window.ranBefore", PATIENCE)


COUNTED = "live.panel({ ends: (told, action) => { window.ran = (window.ran || 0) + (action !== 'prepare'); } })"


def student(browser):
    """A missing barrier, three hints, the barrier."""
    browser.open(STEP + ".html")
    browser.press("e", WORKS, "serve: e opens the editor", PATIENCE)
    case(browser.ask("return document.activeElement.getAttribute('role') === 'textbox' && "
                     "document.activeElement.getAttribute('aria-label').includes('reduce2.cu')"),
         "serve: the editor has the focus, and a name", browser.ask("return document.activeElement.outerHTML")[:200])
    case(f'__global__ void {FUNCTION}' in browser.ask("return work.text()"), "serve: it holds the step")
    browser.ask(COUNTED)
    browser.until(WORKS, PATIENCE)  # what the first verdict waits for is built
    browser.ask("work.editor.setValue(arguments[0])", text_of(RACE))
    browser.ask("work.editor.focus()")
    chord(browser, Keys.CONTROL, Keys.ENTER)
    case(browser.until("return window.ran === 1", PATIENCE) and "reduce2.cu:39: a race" in browser.ask(SAID),
         "serve: Ctrl-Enter judges it", browser.ask(SAID))
    below = browser.ask("const row = one('#editor .wrong:not(.beside)').closest('.CodeMirror-code > div');"
                        "return [one('pre', row).textContent.trim(), one('.beside', row).textContent]")
    case(below[0] == "s[t] += s[t + k];" and "a race" in below[1], "serve: the verdict stands below its line", below)
    in_sight(browser)
    cell = browser.ask("return document.querySelector('.column-found .cell, .cell')?.textContent")
    case(cell and "race: writes" in cell, "serve: what --check found stands beside it", cell)
    stages = []
    for _ in range(3):
        case(press_button(browser, "hint"), "serve: Hint is reached by keys")
        stages.append(browser.ask(SAID))
    place = "reduce2.cu:39"
    case("1 of 3" in stages[0] and place not in stages[0] and "2 of 3" in stages[1] and place in stages[1] and
         "3 of 3" in stages[2] and "barrier between two rounds" in stages[2],
         "serve: a question, then the place, then the cause", stages)
    browser.ask("one('#verdict .to-line').focus()")
    browser.press(Keys.ENTER, "return work.editor.getCursor().line === 38 && work.editor.hasFocus()",
                  "serve: the place in a hint leads to the line", 20)
    at_the_race(browser)
    browser.ask("work.editor.focus()")
    browser.type(Keys.END, Keys.ENTER, "__syncthreads();")
    browser.ask("window.ranBefore = window.ran")
    chord(browser, Keys.CONTROL, Keys.ENTER)
    case(browser.until("return window.ran > window.ranBefore", PATIENCE) and "verified" in browser.ask(SAID),
         "serve: with the barrier it is verified", browser.ask(SAID) + browser.ask("return work.text()")[900:2000])
    case(not browser.ask("return document.querySelector('#editor .wrong')"), "serve: and the mark is gone")
    press_button(browser, "watch")
    case(browser.ask("return player.recording?.at === 1 && !player.recording.told.findings.length") and
         "--check finds nothing" in browser.ask(SAID), "serve: and the player finds no race", browser.ask(SAID))
    browser.press(Keys.ESCAPE, "return one('#watch').hidden", "serve: it is closed again")


def in_sight(browser):
    """The verdict below its line, and the columns, on a small projector and on a large one; and that a place out of
    sight is told."""
    for width, height in ((1024, 768), (1280, 720), (1920, 1080), (1280, 900)):
        browser.size(width, height)
        browser.ask("window.ranBefore = window.ran; start('check')")
        browser.until("return window.ran > window.ranBefore", PATIENCE)
        unseen = browser.ask(UNSEEN, ".beside, .cell")
        case(not unseen, f"serve: at {width} x {height} the verdict and its column are in sight, no line is cut off",
             unseen)
    for what, act in (("out of sight", "work.editor.scrollTo(0, 1e5)"),
                      ("cut off", "work.reveal(39); work.editor.setOption('lineWrapping', false)")):
        browser.ask(act)
        case(browser.until(f"return (function () {{ {UNSEEN} }})('.beside').length"), f"serve: what is {what} is told")
    browser.ask("work.editor.setOption('lineWrapping', true)")


# The step at which the player is touches a word that another thread of the block has touched, since the last barrier.
MEETS = """
const { recording } = player, step = recording.step, since = recording.steps.findLastIndex((old, at) =>
    at < step.at && old.kind === "pass" && old.block === step.block), touched = new Map();
for (const old of recording.steps.slice(since + 1, step.at))
    old.lanes.forEach((lane, rank) => old.block === step.block && old.kind in ACCESSES &&
        touched.set(recording.key(old, rank), 32 * old.warp + lane));
return step.area.includes("shared") && step.lanes.some((lane, rank) => touched.has(recording.key(step, rank)) &&
    touched.get(recording.key(step, rank)) !== 32 * step.warp + lane);
"""


def at_the_race(browser):
    """Watch: the player, with the learner's own program, at the step where the race arose."""
    case(press_button(browser, "watch"), "serve: Watch is reached by keys")
    found = browser.ask("return [player.recording?.step?.line, one('[data-watch=found]').textContent, "
                        "document.querySelector('#editor .playing')?.textContent || '', "
                        "one('[data-watch=said]').textContent]")
    case(found[0] == 39 and "race" in found[1] and "s[t] += s[t + k];" in found[2] and ", line 39: " in found[3],
         "serve: the player opens at the race's step, and the editor marks its line", found)
    case(browser.ask(MEETS), "serve: that step meets another thread's, with no barrier between them", found)
    at = browser.ask("return player.recording.at")
    browser.press(Keys.ARROW_LEFT, f"return player.recording.at === {at - 1}", "serve: a key leads to the step before")
    browser.press("f", f"return player.recording.at === {at}", "serve: and f to the race again")
    case(not browser.ask("return document.querySelector('.line.playing')"),
         "serve: no line of the step's own is marked")
    browser.press(Keys.ESCAPE, "return one('#watch').hidden && document.activeElement.id === 'do-watch' && "
                  "!document.querySelector('.playing')", "serve: Escape leads back to the editor's buttons")


def own_recording(browser):
    """Behind the learner's recording: the step's, beside the step's source."""
    browser.open(STEP + ".html")
    browser.press("e", WORKS, "serve: e opens the editor again", PATIENCE)
    browser.ask(COUNTED)
    press_button(browser, "watch")
    browser.press(Keys.ESCAPE, "return one('#watch').hidden", "serve: the learner's recording is closed")
    browser.press("w", "return !!player.recording?.told.options", "serve: w plays the step's own recording")
    browser.press(Keys.ESCAPE, "return one('#watch').hidden && document.activeElement.id === 'open-watch'",
                  "serve: Escape leads back to what opened it")
    case(browser.ask("return one('#editor').checkVisibility()"), "serve: and to the editor, not to the step's source")


def wrong_element(browser):
    """Watch, where --check finds nothing and the result is wrong: the step that wrote it."""
    browser.ask("work.editor.setValue(arguments[0])", text_of(TAIL))
    case(press_button(browser, "watch"), "serve: Watch plays a wrong result")
    found = browser.ask("""
        const { recording } = player, step = recording.step, wrong = recording.wrong[0];
        return [recording.told.findings.length, wrong && wrong.step + 1, recording.at, step?.kind,
            step?.lanes.some((lane, rank) => recording.key(step, rank) === `${wrong?.a}+${wrong?.o}` ||
                step.area[rank] === wrong?.a && step.offset[rank] === wrong?.o),
            one('[data-watch=findings]').textContent, one('[data-watch=found]').textContent]""")
    case(found[0] == 0 and found[1] == found[2] and found[3] == "store" and found[4] and "is wrong" in found[5] and
         f"written at step {found[1]}" in found[5] and found[6], "serve: it opens where the wrong element was written",
         found)
    browser.press(Keys.ESCAPE, "return one('#watch').hidden", "serve: the wrong result's player is closed")


def columns(browser):
    case(press_button(browser, "counters"), "serve: Counters is reached by keys")
    found = browser.ask("return [...document.querySelectorAll('.CodeMirror-code > div')].map(row => "
                        "[row.querySelector('pre').textContent.trim(), ...[...row.querySelectorAll('.cell')].map("
                        "cell => cell.textContent)]).filter(row => row[0] === 'sum += x[i];' && row.length > 1)")
    case(found and [float(each) > 31 for each in found[0][1:]] == [True, False],
         "serve: a line's cost stands beside it, yours and the step's", found)
    unseen = browser.ask(UNSEEN, ".cell.level3")
    case(not unseen and browser.ask("return document.querySelectorAll('.cell.level3').length") == 1,
         "serve: the one cell that costs too much is strong, and in sight", unseen)
    case(browser.ask("return [...document.querySelectorAll('#tables .differs')].some(row => "
                     "row.textContent.includes('sectors per load'))"), "serve: the table marks what differs")
    browser.ask("openSearch()")
    browser.type("warp")
    case(browser.until("return one('#search #found a')"), "serve: the search works beside the editor")
    browser.type(Keys.ESCAPE)
    browser.ask("one('#do-practice').click()")
    browser.until("return live.running && !one('#stop').disabled")
    browser.ask("one('#stop').click()")
    browser.until("return !live.running", PATIENCE)
    said = browser.ask("return one('#state').textContent")
    case(said == "Stopped.", "serve: Stop stops it", said)
    browser.open(f"{STEP}.zh.html")
    case(browser.until("return one('#edit').textContent.startsWith('编辑')"), "serve: a page in Chinese has its words")
    found = browser.errors()
    case(not found, "serve: all of this without an error on the console", "\n".join(found))


def another_page(browser, server):
    """A page of another port of this machine, and of another name, in the same browser."""
    class Evil(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            page = f"<!doctype html><title>x</title><body><script>{ATTACK % server.port}</script>".encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(page)))
            self.end_headers()
            self.wfile.write(page)

        def log_message(self, *_):
            pass

    before = server.post("open")[1]
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Evil) as other:
        threading.Thread(target=other.serve_forever, daemon=True).start()
        for name in ("127.0.0.1", "localhost"):
            browser.driver.get(f"http://{name}:{other.server_address[1]}/")
            found = browser.until("return window.found", 30)
            wrong = {what: text for what, text in (found or {"none": "it did not run"}).items()
                     if text not in ("blocked", "opaque 0", "null", "") and "only pages of this server" not in text}
            case(not wrong and len(found) > 14, f"serve: another page, of {name}, can do nothing", found)
        other.shutdown()
    after = server.post("open")[1]
    case(before == after and server.post("stop")[1] == {"stopped": False}, "serve: and nothing was written or run",
         after)
    browser.errors()  # those of that page


# --- axe-core -------------------------------------------------------------------------------------------------------

def kinds():
    """(page, what is done there, its name) of each kind of page."""
    edit = "keys.e(); return null"
    return [("index.html", "", "the first page"), (f"{STEP}.html", "", "a step"), ("practice.html", "", "a page"),
            ("start.zh.html", "", "a translated page"), (f"{STEP}.html#slides", "", "slides"),
            (f"{STEP}.html#slides-9", "", "a slide of code"),
            (f"{STEP}.html", "document.querySelector('.picture').click()", "a figure, enlarged"),
            (f"{STEP}.html", "openSearch(); one('#words').value = 'warp'; find()", "the search"),
            (f"{STEP}.html", "one('#keys').showModal()", "the keys"), (f"{STEP}.html", "show('since')", "two steps"),
            (f"{STEP}.html", "setHeat('sectors')", "counters of the record"),
            (f"{STEP}.html#watch-12", "", "the player"), (f"{STEP}.zh.html#watch-12", "", "the player in Chinese"),
            (f"{STEP}.ko.html#watch-12", "", "the player in Korean"), (f"{STEP}.html", edit, "the editor")]


AXE = """
const done = arguments[arguments.length - 1];
axe.run(document, { resultTypes: ["violations"] }).then(found => done(found.violations.map(each =>
    `${each.id}: ${each.help}: ${each.nodes.slice(0, 3).map(node => node.html.slice(0, 120)).join(" | ")}`)),
    error => done([String(error)]));
"""


def violations(browser, script):
    browser.ask(script + "; return null")
    return browser.driver.execute_async_script(AXE) + browser.ask(LOOK)


def accessible(browser):
    path = pypi.axe(SOURCE)
    if not os.path.exists(path):
        print("ok - serve: axe-core # skip missing: axe-core; check/run --browser --install takes it from PyPI")
        return
    with open(path, encoding="utf-8") as file:
        script = file.read()
    browser.driver.set_script_timeout(120)
    for number, (page, act, name) in enumerate(kinds()):
        browser.scheme("dark" if number % 2 else "light")
        browser.open(page)
        browser.until("return document.readyState === 'complete'")
        if act:
            browser.ask(act)
        if "#watch" in page:
            case(browser.until("return player.recording?.at === 12"), "serve: the player plays")
        if "keys.e" in act:
            browser.until(WORKS, PATIENCE)
            for each in ("check", "counters", "practice", "watch"):
                for theme in ("light", "dark"):
                    browser.ask(f"setTheme('{theme}')")
                    found = violations(browser, script)
                    case(not found, f"serve: axe-core finds nothing: {name}, {theme}, before {each}", "\n".join(found))
                browser.ask(f"start('{each}')")
                browser.until("return live.running")
                browser.until("return !live.running", PATIENCE)
        if "keys.e" in act:
            case(browser.ask("return !one('#watch').hidden"), "serve: and the player is open")
        found = violations(browser, script)
        case(not found, f"serve: axe-core finds nothing: {name}", "\n".join(found))
    browser.open(f"{STEP}.html")
    for put in ("<button></button>", "<img src='figures/reduce2.svg'>", "<p style='color:#ccc'>pale</p>"):
        browser.ask("one('article').innerHTML = arguments[0]", put)
        case(violations(browser, script), f"serve: axe-core finds {put}")


def screens(browser):
    """What docs/serve.md shows: a race, and what is said of it."""
    browser.size(1280, 800)
    browser.driver.execute_cdp_cmd("Emulation.setScrollbarsHidden", {"hidden": True})
    browser.open(STEP + ".html")
    browser.ask("setTheme('light'); keys.e()")
    browser.until(WORKS, PATIENCE)
    browser.ask("work.editor.setValue(arguments[0]); work.editor.setCursor(38, 0); start('practice')", text_of(RACE))
    browser.until("return live.running")
    browser.until("return !live.running", PATIENCE)
    time.sleep(1)
    browser.driver.save_screenshot(os.path.join(SOURCE, "docs", "screens", "edit.png"))


def main():
    root = sys.argv[1]
    with Serving(root) as server:
        browser = Served(server)
        try:
            browser.enter()
            if sys.argv[2:] == ["--screens"]:
                screens(browser)
                return
            student(browser)
            columns(browser)
            own_recording(browser)
            wrong_element(browser)
            another_page(browser, server)
            accessible(browser)
        finally:
            browser.driver.quit()
    leave()


if __name__ == "__main__":
    main()
