"""
The site of docs/build in a real browser: headless Chromium, driven by Selenium. It prints cases.

usage: check/browser.py SITE             (by a Python that has Selenium: check/cases/site finds it)
       check/browser.py SITE --screens   makes docs/screens/*.png instead

No package of Debian has axe-core, so what a reader needs is looked for here: contrast of 4.5 (3 for large
type), an alt text for each picture, a name for each button, link and field, headings in order, one h1,
no id twice. A page with each of these faults is made first, and each must be found.
"""
import base64
import json
import os
import re
import shutil
import sys
import time

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from common.commands.drive.support import SOURCE, case, leave
from common.commands.runner import packages

WIDTHS = (1920, 1024, 360, 1280)  # the widest first, for which CUT opens the answers; last that at which LOOK looks
LECTURE = 1280  # from this width on nothing scrolls sideways
LOOK = r"""
const faults = [], seen = new Set(), grounds = new Map();
const rgb = text => (text.match(/[\d.]+/g) || [0, 0, 0, 0]).map(Number);
function ground(e) {
    if (!e) return [255, 255, 255];
    if (!grounds.has(e)) {
        const own = rgb(getComputedStyle(e).backgroundColor);
        grounds.set(e, own.length < 4 || own[3] === 1 ? own : ground(e.parentElement));
    }
    return grounds.get(e);
}
const light = c => { const [r, g, b] = c.map(v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
for (let n = walk.nextNode(); n; n = walk.nextNode()) {
    const e = n.parentElement;
    if (!n.data.trim() || !e.checkVisibility() || e.closest("svg, script, style, .unseen, .skip")) continue;
    const style = getComputedStyle(e), over = ground(e);
    const key = style.color + over + style.fontSize;
    if (seen.has(key)) continue;
    seen.add(key);
    const [a, b] = [light(rgb(style.color).slice(0, 3)), light(over.slice(0, 3))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05), size = parseFloat(style.fontSize);
    const large = size >= 24 || size >= 18.66 && style.fontWeight >= 700;
    if (ratio < (large ? 3 : 4.5)) faults.push(`contrast ${ratio.toFixed(2)}: ${n.data.trim().slice(0, 30)}`);
}
let level = 0;
for (const h of document.querySelectorAll("main h1, main h2, main h3, main h4, main h5")) {
    if (!h.checkVisibility()) continue;
    if (+h.tagName[1] > level + 1) faults.push(`heading ${h.tagName} behind H${level}: ${h.textContent.slice(0, 30)}`);
    level = +h.tagName[1];
}
if (document.querySelectorAll("h1").length !== 1) faults.push("not one h1");
for (const e of document.querySelectorAll("img"))
    if (!e.hasAttribute("alt") || !e.alt && e.closest("article")) faults.push(`no alt text: ${e.src.slice(-30)}`);
for (const e of document.querySelectorAll("a[href], button, input, select, summary, [tabindex='0']")) {
    const name = e.getAttribute("aria-label") || e.textContent.trim() || e.title ||
        (e.labels && e.labels.length) || (e.closest("pre, .pane") ? "code" : "") || e.querySelector("img[alt]");
    if (!name && e.getAttribute("aria-hidden") !== "true") faults.push(`no name: ${e.outerHTML.slice(0, 60)}`);
}
for (const e of document.querySelectorAll("th"))
    if (!e.textContent.trim()) faults.push("an empty head of a column");
const regions = new Set();
for (const e of document.querySelectorAll("[role=region], nav, section[aria-label]")) {
    const name = `${e.getAttribute("role") || e.tagName} ${e.getAttribute("aria-label")}`;
    if (regions.has(name)) faults.push(`region twice: ${name}`);
    regions.add(name);
}
const ids = new Set();
for (const e of document.querySelectorAll("[id]")) {
    if (ids.has(e.id)) faults.push(`id twice: ${e.id}`);
    ids.add(e.id);
}
if (!document.documentElement.lang) faults.push("no lang");
return faults;
"""
OVERFLOW = """
const most = document.documentElement.clientWidth;
if (document.documentElement.scrollWidth <= most) return "";
const wide = [...document.body.querySelectorAll("*")].filter(e => e.getBoundingClientRect().right > most + 1).pop();
return `${document.documentElement.scrollWidth} > ${most}: ${wide ? wide.outerHTML.slice(0, 80) : "?"}`;
"""
# What lies over something else in the bar above.
BAR = """
const boxes = [...document.querySelectorAll("header :is(summary, .way > *, .tools > *)")].filter(each =>
    each.checkVisibility()).map(each => [each.textContent.trim(), each.getBoundingClientRect()]).filter(([_, box]) =>
    box.width);
return boxes.flatMap(([text, a], at) => boxes.slice(at + 1).filter(([_, b]) => a.right > b.left + 1 &&
    b.right > a.left + 1 && a.bottom > b.top && b.bottom > a.top)
    .map(([other]) => `in the bar "${other}" lies over "${text}"`));
"""
# Tables and listings that show less than all of their columns; answers are opened for it.
CUT = """
document.querySelectorAll("article details").forEach(each => { each.open = true; });
return [...document.querySelectorAll("article .wide, article pre")].filter(each => each.checkVisibility() &&
    (each.scrollWidth > each.clientWidth + 1 || each.getBoundingClientRect().right > innerWidth))
    .map(each => "cut off: " + each.textContent.trim().slice(0, 40)).concat(
    [...document.querySelectorAll("article pre.command code, article :not(pre) > code")].flatMap(code => {
        const found = [], walk = document.createTreeWalker(code, NodeFilter.SHOW_TEXT), range = document.createRange();
        for (let n = walk.nextNode(); n; n = walk.nextNode())
            for (const word of n.data.matchAll(/[^\\s]*-[^\\s]+/g)) {
                if (word[0].length > 60) continue; /* no line beside a source holds it */
                range.setStart(n, word.index);
                range.setEnd(n, word.index + word[0].length);
                if (new Set([...range.getClientRects()].map(box => Math.round(box.top))).size > 1)
                    found.push(`broken within a word: ${word[0]}`);
            }
        return found;
    }));
"""
SLIDES = """
return [...document.querySelectorAll(".slide")].flatMap((slide, at) => {
    document.querySelectorAll(".slide.current").forEach(each => each.classList.remove("current"));
    slide.classList.add("current");
    const body = slide.querySelector(".body"), code = [...slide.querySelectorAll("pre")];
    const foot = slide.querySelector("footer").getBoundingClientRect().top;
    const end = Math.max(...[...body.children].map(each => each.getBoundingClientRect().bottom));
    return [[body.scrollHeight > body.clientHeight + 2 && "higher than the slide"],
            [code.some(each => each.scrollWidth > each.clientWidth + 2) && "code wider than the slide"],
            [[...slide.querySelectorAll("ins, del")].some(line => getComputedStyle(line).color !==
                getComputedStyle(slide).color) && "a line of a patch in another colour than the code"],
            [end > foot + 24 && "over the foot"]]
        .filter(([fault]) => fault).map(([fault]) => `slide ${at + 1}: ${fault}`);
});
"""
# In each page: the keys that it got.
GOT = "window.keysGot = []; addEventListener('keydown', event => keysGot.push(event.key), true);"
STATE = """return [`keys it got: ${keysGot}`, location.href, `at ${document.activeElement?.tagName}`,
    ...[...document.querySelectorAll("dialog[open]")].map(each => `open: ${each.id}`)].join("; ")"""


class Browser:
    """frames: False: it lays pages out and draws none, in half of the processor time."""

    def __init__(self, site, frames=True):
        self.site, self.page = os.path.abspath(site), ""
        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which(packages.browser_of_site())
        for word in ("--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--force-device-scale-factor=1",
                     *(["--disable-threaded-compositing"] if not frames else []),
                     *(["--no-sandbox"] if os.geteuid() == 0 else [])):  # as root it has none
            options.add_argument(word)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(service=Service("chromedriver"), options=options)
        self.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": GOT})
        self.size(1280)

    def size(self, width, height=900):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                    {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    def scheme(self, name):
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme", "value": name}]})

    def open(self, page):
        if page.partition("#")[0] == self.page:
            self.driver.get("about:blank")  # else a change of what stands behind # loads nothing
        self.page = page.partition("#")[0]
        self.driver.get(f"file://{self.site}/{page}")

    def errors(self):
        return [entry["message"] for entry in self.driver.get_log("browser")
                if entry["level"] in ("SEVERE", "WARNING")]

    def ask(self, script, *words):
        return self.driver.execute_script(script, *words)

    def one(self, what):
        return self.driver.find_element(By.CSS_SELECTOR, what)

    def type(self, *keys):
        ActionChains(self.driver).send_keys(*keys).perform()

    def press(self, key, wanted, what, seconds=5):
        """A key, and the case that what it does comes true. On a busy machine the browser may lose a key:
        one that no page got is pressed again. A key that the page got is not."""
        for _ in range(3):
            before = self.ask("return keysGot.length")
            self.type(key)
            done = self.until(wanted, seconds)
            if done or self.ask("return keysGot.length") != before:
                break
        case(done, what, None if done else self.ask(STATE))

    def until(self, script, seconds=5):
        """Whether it comes true; what it was last."""
        end = time.monotonic() + seconds
        while True:
            found = self.ask(script)
            if found or time.monotonic() > end:
                return found
            time.sleep(0.05)


def faults_of(browser, page):
    """All that is wrong with a page: console, overflow at each width, what a reader needs."""
    browser.open(page)
    found = [f"console: {text}" for text in browser.errors()]
    for width in WIDTHS:
        browser.size(width)
        wide = browser.ask(OVERFLOW)
        found += [f"overflow at {width}: {wide}"] if wide else []
        found += [f"at {width}: {text}" for text in browser.ask(BAR)]
        if width >= LECTURE:
            found += [f"at {width}: {text}" for text in browser.ask(CUT)]
    return found + browser.ask(LOOK)


PLANTED = [  # (what is put behind <main>, words of what must be said)
    ("<script>undefined.x</script>", "console: "),
    ('<div style="width:3000px">wide</div>', "overflow at 1920"),
    ('<div style="width:500px">wide</div>', "overflow at 360"),
    ('<style>.tools { margin-left: -20rem; }</style>', "at 360: in the bar"),
    ('<p style="color:#999;background:#fff">pale</p>', "contrast 2.85"),
    ('<h4>deep</h4>', "heading H4 behind H0"),
    ('<h1>another</h1>', "not one h1"),
    ('<img src="figures/reduce2.svg">', "no alt text"),
    ('<button></button>', "no name"),
    ('<i id="text"></i>', "id twice: text"),
    ('<table><tr><th> </th><th>b</th></tr></table>', "an empty head"),
    ('<div role="region" aria-label="a"></div><div role="region" aria-label="a"></div>', "region twice: region a"),
    ('<article><div class="wide"><table><tr><td style="min-width:1500px">a wide one</td></tr></table></div></article>',
     "at 1280: cut off: a wide one"),
    ('<article><pre style="white-space:pre">' + 300 * "long " + "</pre></article>", "at 1920: cut off: long"),
    ('<article><p style="width: 5em"><code>a --long-option</code></p></article>', "broken within a word: --long"),
]


def planted(browser, page):
    """Each fault alone, put into a page that has none."""
    with open(os.path.join(browser.site, page), encoding="utf-8") as file:
        whole = file.read()
    for at, (put, wanted) in enumerate(PLANTED):
        name = f"planted{at}.html"
        with open(os.path.join(browser.site, name), "w", encoding="utf-8") as file:
            file.write(whole.replace("<main>", "<main>" + put))
        found = faults_of(browser, name)
        os.unlink(os.path.join(browser.site, name))
        case(any(wanted in fault for fault in found), f"site: finds {wanted.strip(': ')}", "\n".join(found))


def lit(browser):
    return browser.ask("return [...document.querySelectorAll('.line.lit')].map(l => +l.id.split('-')[1])")


def follows(browser):
    """The highlight, both ways: the block of code of sum_sequential and its lines in the source."""
    browser.size(1280)
    browser.open("reduce2.html")
    first, last = map(int, re.search(r"lines (\d+) to (\d+)", browser.one(".codeblock summary").text).groups())
    wanted = list(range(first, last + 1))
    ActionChains(browser.driver).move_to_element(browser.one(".codeblock summary")).perform()
    browser.until("return document.querySelector('.line.lit')")
    case(lit(browser) == wanted, "site: a block that is pointed at lights its lines", f"{lit(browser)}\n{wanted}")
    at = browser.ask("return [...document.querySelectorAll('.line')]"
                     ".find(l => l.textContent.includes('s[i] += s[i + k]')).id")
    browser.ask("document.getElementById(arguments[0]).click()", at)
    said = browser.until("return document.querySelector('article .now')?.textContent")
    case(int(at.split("-")[1]) in lit(browser) and "s[i] += s[i + k]" in (said or ""),
         "site: a line that is clicked shows what the page says of it", said)
    before = browser.ask("return document.querySelector('article .now').id")
    browser.ask("document.getElementById(arguments[0]).click()", at)
    case(browser.ask("return document.querySelector('article .now').id") != before,
         "site: a second click shows the next place")
    browser.open("reduce2.html")
    browser.ask("document.documentElement.style.scrollBehavior = 'auto'; scrollTo(0, document.body.scrollHeight / 2)")
    seen = browser.until("const b = document.querySelector('article .now')?.getBoundingClientRect(); "
                         "return scrollY > 0 && b && b.top < innerHeight && b.bottom > 0")
    case(seen, "site: the lit block follows the scrolling")


def keys(browser):
    browser.open("reduce2.html")
    browser.press(Keys.ARROW_RIGHT, "return location.href.endsWith('reduce4.html')",
                  "site: the right arrow is the next page of the path")
    browser.press(Keys.ARROW_LEFT, "return location.href.endsWith('reduce2.html')",
                  "site: the left arrow is the page before")
    browser.press("j", "return document.querySelector('article .now')", "site: j is the next paragraph that cites")
    browser.press("d", "return !document.querySelector('#since').hidden", "site: d shows what is new")
    browser.press("d", "return document.querySelector('#since').hidden", "site: d again hides it")
    browser.press("h", "return document.body.dataset.heat && "
                  "[...document.querySelectorAll('.heat')].some(e => e.checkVisibility() && e.textContent)",
                  "site: h shows counters per line")
    theme = browser.ask("return document.documentElement.dataset.theme")
    browser.press("t", f"return document.documentElement.dataset.theme !== '{theme}'", "site: t is light or dark")
    browser.press("t", f"return document.documentElement.dataset.theme === '{theme}'", "site: t again is as before")
    browser.press("/", "return document.querySelector('#search').open && !!window.searchData",
                  "site: / opens the search")
    for words, first in (("bank conflict", "glossary.html#bank"), ("what is a warp", "glossary.html#warp"),
                         ("how do I install", "README.html"), ("installed", "README.html")):
        browser.ask("document.querySelector('#words').value = ''")
        browser.type(words)
        found = browser.until("return document.querySelector('#found a')?.getAttribute('href')") or ""
        case(browser.until(f"return document.querySelector('#found a')?.getAttribute('href').startsWith('{first}')"),
             f"site: \"{words}\" finds {first} first", found)
    browser.ask("document.querySelector('#words').value = ''")
    browser.type("(status 0)")
    case(browser.until("return document.querySelector('#found').textContent === 'Nothing.'"),
         "site: search leaves out what programs print")
    browser.press(Keys.ESCAPE, "return !document.querySelector('#search').open", "site: Escape closes the search")
    # The field of a search that was just closed still has the focus, until the next frame.
    at = browser.ask("openSearch(); one('#search').close(); document.activeElement.dispatchEvent("
                     "new KeyboardEvent('keydown', { key: 's', bubbles: true })); return location.hash")
    case(at == "#slides", "site: a key right behind the end of a search is one of the page", at)
    browser.ask("location.hash = '#text'")
    browser.until("return document.querySelector('#slides').hidden")
    browser.press("s", "return !document.querySelector('#slides').hidden && "
                  "document.querySelectorAll('.slide.current').length === 1", "site: s shows slides")
    for slide in (2, 3, 4):
        browser.press(Keys.ARROW_RIGHT, f"return location.hash === '#slides-{slide}' && "
                      f"document.querySelectorAll('.slide')[{slide - 1}].classList.contains('current')",
                      f"site: the right arrow is slide {slide}")
    browser.press(Keys.ESCAPE, "return document.querySelector('#slides').hidden", "site: Escape leaves the slides")
    browser.ask("document.querySelector('.picture').click()")
    case(browser.until("return document.querySelector('#large').open && document.querySelector('#large img').alt"),
         "site: a figure is enlarged")
    browser.press(Keys.ESCAPE, "return !document.querySelector('#large').open", "site: Escape closes the figure")
    browser.ask("document.querySelector('a.term').focus()")
    case(browser.until("return [...document.querySelectorAll('.tip')].some(t => t.checkVisibility())"),
         "site: a word of the glossary explains itself to the keyboard, too")
    browser.press(Keys.ESCAPE, "return ![...document.querySelectorAll('.tip')].some(t => t.checkVisibility())",
                  "site: Escape ends the explanation")
    browser.ask("document.querySelector('.menu').open = true")
    case(browser.ask("const nav = document.querySelector('.menu nav'); return nav.scrollWidth <= nav.clientWidth"),
         "site: the list of pages is no wider than its room")
    browser.press(Keys.ESCAPE, "return !document.querySelector('.menu').open", "site: Escape closes the list")
    browser.size(360, 740)
    browser.ask("document.querySelector('.views [data-view=source]').click()")
    case(browser.until("return document.querySelector('#source').checkVisibility() && "
                       "!document.querySelector('article').checkVisibility()"), "site: a phone shows text or source")
    browser.size(1280)
    case(not browser.errors(), "site: all of this without an error on the console")


def copies(browser):
    """A command is copied: what it copied is put into the field of the search."""
    browser.size(1280)
    browser.open("practice.html")
    browser.ask("document.documentElement.style.scrollBehavior = 'auto'; "
                "document.querySelector('.copy').scrollIntoView({ block: 'center' })")
    browser.one(".copy").click()
    browser.until("return document.querySelector('.copy').textContent === 'Copied'")
    browser.press("/", "return document.querySelector('#search').open", "site: / opens the search behind a copy")
    ActionChains(browser.driver).key_down(Keys.CONTROL).send_keys("v").key_up(Keys.CONTROL).perform()
    wanted = browser.ask("return document.querySelector('pre.command code').textContent.trim()")
    case(wanted and browser.until(f"return document.querySelector('#words').value === {json.dumps(wanted)}"),
         "site: a command's button copies it", wanted)
    case(not browser.errors(), "site: a copy is without an error on the console")


def grey(browser):
    """A slide whose added line is drawn otherwise than the code, which SLIDES must find."""
    browser.size(1920, 1080)
    browser.open("reduce2.html#slides")
    browser.ask("document.querySelector('.slide .body').innerHTML = "
                "'<pre class=patch><code><ins style=\"color: #777\">+ line</ins></code></pre>'")
    found = browser.ask(SLIDES)
    case(any("another colour" in fault for fault in found), "site: finds a line of a patch in grey", found)


def screens(browser):
    """What README.md and docs/teaching.md show."""
    for name, page, width, height, scheme, script in (
            ("page", "reduce2.html", 1280, 800, "light", "setHeat('conflicts'); "
             "light(blocks.find(block => block.textContent.includes('sum_interleaved')))"),
            ("slide", "reduce2.html#slides", 960, 540, "light", "location.hash = '#slides-' + (1 + "
             "all('.slide h2').findIndex(each => each.textContent === 'Measured'))"),
            ("phone", "transpose-tiled.html", 360, 640, "dark", "setHeat('conflicts'); view('source'); "
             "document.getElementById('L0-39').scrollIntoView({ block: 'center', behavior: 'instant' })")):
        browser.scheme(scheme)
        browser.size(width, height)
        browser.driver.execute_cdp_cmd("Emulation.setScrollbarsHidden", {"hidden": True})
        browser.open(page)
        browser.ask(script)
        time.sleep(1)  # for what scrolls smoothly
        path = os.path.join(SOURCE, "docs", "screens", name + ".png")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        browser.driver.save_screenshot(path)


def printed(browser):
    """What --pdf prints: a page for each slide, 16:9; and a page of the text on paper."""
    browser.open("reduce2.html#slides")
    slides = browser.ask("return document.querySelectorAll('.slide').length")
    made = browser.driver.execute_cdp_cmd("Page.printToPDF", {"preferCSSPageSize": True})["data"]
    made = base64.b64decode(made)
    pages, boxes = len(re.findall(rb"/Type\s*/Page\b", made)), set(re.findall(rb"/MediaBox\s*\[([^\]]*)\]", made))
    case(pages == slides and boxes == {b"0 0 1440 810"}, "site: a page is printed for each slide, 16:9",
         f"{pages} pages, {slides} slides, {boxes}")


def each_page(site):
    """What is wrong with a page or its slides, by their layout alone."""
    browser = Browser(site, frames=False)
    try:
        pages = sorted(name for name in os.listdir(browser.site) if name.endswith(".html"))
        planted(browser, "glossary.html")
        wrong, slides = [], []
        for number, page in enumerate(pages):
            browser.scheme("dark" if number % 2 else "light")
            wrong += [f"{page}: {fault}" for fault in faults_of(browser, page)]
            if browser.ask("return !!document.querySelector('.slide')"):
                browser.size(1920, 1080)
                browser.ask("location.hash = '#slides'; document.querySelector('#slides').hidden = false")
                slides += [f"{page}: {fault}" for fault in browser.ask(SLIDES)]
        case(not wrong, f"site: {len(pages)} pages without console errors, overflow or what a reader lacks",
             "\n".join(wrong))
        case(not slides, "site: each slide holds what is on it", "\n".join(slides))
        grey(browser)
    finally:
        browser.driver.quit()


def main():
    only_screens = sys.argv[2:] == ["--screens"]
    if not only_screens:
        each_page(sys.argv[1])
    browser = Browser(sys.argv[1])
    try:
        if only_screens:
            screens(browser)
            return
        follows(browser)
        keys(browser)
        copies(browser)
        printed(browser)
    finally:
        browser.driver.quit()
    leave()


if __name__ == "__main__":
    main()
