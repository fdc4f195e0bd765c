"""
The players of docs/build's site in a real browser: each step's recording plays to its end and back, keys and words
say what is shown, a race's button leads to its step, and a step is drawn fast enough. It prints cases.

usage: check/browser_watch.py SITE     (by a Python that has Selenium: check/cases/site finds it)
"""
import json
import os
import re
import sys

from selenium.webdriver.common.keys import Keys

from check.browser import LOOK, Browser
from common.commands.drive.support import SOURCE, case, leave

WHOLE = ("reduce4", "transpose-tiled")  # played in their own pages, with the lines marked
FRAME = 16.0  # ms: of 60 frames per second; of the browser's own time, so that other work does not count
# To the end and back, step by step; then again to any step, as the slider does it.
PLAYS = """
const { recording } = player, seen = [], state = () => JSON.stringify([[...recording.cells].sort(),
    [...recording.warps].sort()]);
toStep(0);
const begin = state();
for (let at = 1; at <= recording.count; at++) {
    if (at % 16 === 1) /* to draw each takes longer than all else */
        byStep(1);
    else
        recording.forwards(), sayStep(), markLine(recording.step);
    if (recording.at !== at || !one("[data-watch=said]").textContent.startsWith(`Step ${at} of ${recording.count}. `))
        seen.push(`step ${at}: at ${recording.at}: ${one("[data-watch=said]").textContent}`);
    const step = recording.step;
    if (/undefined|NaN|null|\\[object/.test(one("[data-watch=said]").textContent))
        seen.push(one("[data-watch=said]").textContent);
    if (arguments[0] && step.line && step.file === document.querySelector(".tabs button").textContent.trim() &&
        !document.querySelector(`.line.playing#L0-${step.line}`))
        seen.push(`step ${at}: line ${step.line} is not marked`);
    for (const rank of step.kind === "load" ? step.lanes.keys() : [])
        if (step.before[rank] && recording.cell(recording.key(step, rank))?.value !== step.before[rank][0])
            seen.push(`step ${at}: lane ${step.lanes[rank]} has read what is not there`);
}
const end = state();
byStep(1);
if (recording.at !== recording.count)
    seen.push("it goes on behind the end");
const middle = recording.count >> 1;
toStep(middle);
const half = state();
toStep(0);
if (recording.cells.size || recording.warps.size && [...recording.warps.values()].flat().some(each => each !== "runs"))
    seen.push("back at the start something is left");
toStep(middle);
if (state() !== half)
    seen.push("the middle is another one forwards than backwards");
return [recording.count, seen];
"""


def recordings(site):
    return sorted(name[:-3] for name in os.listdir(os.path.join(site, "watch")))


LOAD = """
const done = arguments[1], script = document.createElement("script");
script.src = `watch/${arguments[0]}.js`;
script.onload = () => { fill(window.watchData); showStep(); done(true); };
script.onerror = () => done(false);
document.head.append(script);
"""


def plays(browser, names):
    """One after the other in one page, because to open each takes longer than to play it; WHOLE in their own."""
    browser.open("reduce2.html#watch")
    browser.until("return player.recording && true")
    for name in names:
        if name in WHOLE:
            browser.open(name + ".html#watch")
            there = browser.until("return player.recording && true")
        else:
            there = browser.driver.execute_async_script(LOAD, name)
        count, seen = browser.ask(PLAYS, name in WHOLE) if there else (0, ["it is not there"])
        seen += [f"console: {text}" for text in browser.errors()]
        case(count > 0 and not seen, f"watch: {name} plays to its end and back", "\n".join(seen[:5]))


def lines(site, name):
    """The lines of a recording are code of the step's own source."""
    told = recording_of(site, name)
    with open(os.path.join(SOURCE, "steps", name, name + ".cu"), encoding="utf-8") as file:
        code = file.read().splitlines()
    wrong = [line for file, line in told["places"] if file == name + ".cu" and
             (line > len(code) or not re.match(r"\s*(?!/\*|//|\* |\*/|#)\S", code[line - 1]))]
    return wrong


def keys(browser):
    browser.open("reduce2.html")
    browser.press("w", "return !!player.recording && player.recording.at === 1", "watch: w opens the player")
    for key, at in ((Keys.ARROW_RIGHT, 2), (Keys.ARROW_RIGHT, 3), (Keys.ARROW_LEFT, 2), (Keys.PAGE_DOWN, 12),
                    (Keys.PAGE_UP, 2), (Keys.HOME, 0)):
        browser.press(key, f"return player.recording.at === {at}", f"watch: a key leads to step {at}")
    browser.press("b", "return player.recording.step.kind === 'pass'", "watch: b goes to the next barrier")
    said = browser.one("[data-watch=said]")
    case(said.get_attribute("aria-live") == "polite" and "all threads have come to the barrier" in said.text,
         "watch: the step is said in words, where a screen reader hears it", said.text)
    browser.press(" ", "return player.timer !== 0", "watch: the space bar plays")
    browser.press(" ", "return player.timer === 0", "watch: and stops")
    speed = browser.ask("return one('[data-watch=speed]').value")
    browser.press("+", f"return one('[data-watch=speed]').value !== '{speed}'", "watch: + is faster")
    browser.press(Keys.END, "return player.recording.at === player.recording.count", "watch: End is the end")
    reached = set()
    browser.ask("one('[data-watch=launch]').focus()")
    reached.add("launch")
    for _ in range(16):
        browser.type(Keys.TAB)
        reached.add(browser.ask("return document.activeElement.dataset.watch || document.activeElement.id || "
                                "document.activeElement.tagName"))
    missing = {"launch", "as", "speed", "first", "back", "play", "next", "last", "slider", "close"} - reached
    case(not missing and len(reached) > 12, "watch: Tab reaches all of it, and what is behind it",
         f"{missing}\n{reached}")
    browser.press(Keys.ESCAPE, "return document.querySelector('#watch').hidden", "watch: Escape closes it")
    browser.open("reduce2.html#slides-3")
    browser.press("w", "return !!player.recording && !document.querySelector('#watch').hidden",
                  "watch: w in the slides, too")
    browser.press(Keys.ESCAPE, "return location.hash === '#slides-3' && !document.querySelector('#slides').hidden",
                  "watch: Escape leads back to the slide")


def in_slides(browser):
    """An exercise that asks for a step stands on a slide, from which a key leads to the player, and one back."""
    for name in ("reduce4", "histogram-shared", "transpose-tiled"):
        browser.open(name + ".html#slides")
        at = browser.ask("return 1 + [...document.querySelectorAll('.slide')].findIndex(each => "
                         "each.textContent.includes('At which step'))")
        browser.open(f"{name}.html#slides-{at}")
        browser.press("w", "return !!player.recording && !one('#watch').hidden && !one('#slides').checkVisibility()",
                      f"watch: w on the slide of {name} that asks for a step")
        browser.press(Keys.ESCAPE, f"return location.hash === '#slides-{at}' && one('#slides').checkVisibility() && "
                      "document.querySelector('.slide.current').textContent.includes('At which step')",
                      f"watch: and Escape leads back to it: {name}")


def findings(browser):
    browser.open("reduce4.html#watch")
    browser.until("return player.recording && true")
    wanted = browser.ask("const races = player.recording.told.findings.filter(f => f.text.includes('race')); "
                         "return races.map(f => f.step + 1)")
    browser.press("f", f"return player.recording.at === {min(wanted)}", "watch: f leads to the first race")
    found = browser.ask("const {step} = player.recording; return [step.line, one('[data-watch=found]').textContent, "
                        "one('.line.playing .c').textContent]")
    case("v[t] = v[t]" in found[2] and "race" in found[1], "watch: there the line and the finding are shown", found)
    # The step that makes it a race touches what an earlier step of another lane touched.
    case(browser.ask("""
        const { recording } = player, step = recording.step, touched = new Map();
        for (const old of recording.steps.slice(0, step.at))
            old.lanes.forEach((lane, rank) => old.kind in ACCESSES && touched.set(recording.key(old, rank), lane));
        return step.lanes.some((lane, rank) => touched.has(recording.key(step, rank)) &&
            touched.get(recording.key(step, rank)) !== lane);"""), "watch: the race's step meets another lane's")


def values(browser):
    """What stands in a cell: as many digits as have room; of bits that tell elements apart the first ones."""
    for call, wanted in (("shortNumber(0.0478, true)", ".05"), ("shortNumber(-0.174, true)", "-.17"),
                         ("shortNumber(1.3649, true)", "1.4"), ("shortNumber(1.3649, false)", "1.36"),
                         ("shortNumber(1234.5, false)", "1235"), ("shortNumber(99.96, true)", "100"),
                         ("shortNumber(1e-20, true)", "1e-20"), ("shortNumber(-3, true)", "-3")):
        case(browser.ask(f"return {call}") == wanted, f"watch: {call} is {wanted}", browser.ask(f"return {call}"))
    for name, kind in (("transpose-tiled", "bits"), ("sort-bitonic", "bits"), ("reduce2", "float"),
                       ("histogram-shared", "int")):
        browser.driver.execute_async_script(LOAD, name)
        found = browser.ask("return player.recording.kindOf('s0.0')")
        case(found == kind, f"watch: shared memory of {name} holds {kind}", found)
    browser.driver.execute_async_script(LOAD, "transpose-tiled")
    read = browser.ask("const { recording } = player; toStep(2); const step = recording.step; return step.lanes.map("
                       "(lane, rank) => recording.text(step.before[rank][0], recording.step.area[rank], 'auto'))")
    case(len(set(read)) == len(read) == 16 and all(re.fullmatch(r"[0-9a-f]{3}|0", each) for each in read),
         "watch: and its elements can be told apart", read)


def speed(browser):
    browser.size(1920, 1080)
    browser.open("reduce4.html#watch")
    browser.until("return player.recording && true")
    browser.driver.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})

    def spent():
        metrics = browser.driver.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
        return next(each["value"] for each in metrics if each["name"] == "TaskDuration")
    before, steps = spent(), 120
    browser.ask(f"for (let at = 1; at <= {steps}; at++) {{ player.recording.to(at); showStep(); }}")
    each = 1000 * (spent() - before) / steps
    case(0 < each < FRAME, f"watch: a step of 128 threads takes less than a frame of {FRAME:g} ms",
         f"{each:.1f} ms of the browser's own time")
    print(f"# {each:.1f} ms of the browser's own time per step")
    browser.size(1280)


def recording_of(site, name):
    with open(os.path.join(site, "watch", name + ".js"), encoding="utf-8") as file:
        text = file.read()
    return json.loads(text[text.index("=") + 1:].rstrip().rstrip(";"))


def planted(browser, site):
    """A recording that is not what it says must be seen: a value that was not there, and a line that no file has."""
    path = os.path.join(site, "watch", "reduce2.js")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    told = recording_of(site, "reduce2")
    load = max(at for at, step in enumerate(told["steps"]) if step["k"] == "load" and step["a"] == "shared")
    told["steps"][load]["v"] = [12345 for _ in told["steps"][load]["v"]]
    told["places"][0][1] = 9999
    with open(path, "w", encoding="utf-8") as file:
        file.write("window.watchData = " + json.dumps(told) + ";")
    browser.open("reduce2.html#watch")
    browser.until("return player.recording && true")
    _, seen = browser.ask(PLAYS, True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    case(any("not marked" in each for each in seen), "watch: a line that is not there is seen", seen[:5])


def main():
    site = sys.argv[1]
    browser = Browser(site)
    try:
        names = recordings(site)
        wrong = {name: lines(site, name) for name in names if lines(site, name)}
        case(not wrong, "watch: each line that is marked is one of code", wrong)
        plays(browser, names)
        keys(browser)
        in_slides(browser)
        findings(browser)
        values(browser)
        speed(browser)
        planted(browser, site)
        browser.open("reduce2.html#watch-12")
        case(not browser.ask(LOOK), "watch: contrast, names, headings", browser.ask(LOOK))
    finally:
        browser.driver.quit()
    leave()


if __name__ == "__main__":
    main()
