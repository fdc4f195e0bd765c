"""
Pages in other languages in a real browser: which fonts draw them, what a term's tip says to mouse, keyboard and
finger, what search finds, and where the switch leads. It prints cases. A Python that has Selenium and what docs/build
needs runs it: check/cases/languages.py finds that one.
"""
import html
import os
import re
import sys
import tempfile

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.actions.action_builder import ActionBuilder
from selenium.webdriver.common.actions.interaction import POINTER_TOUCH
from selenium.webdriver.common.actions.pointer_input import PointerInput
from selenium.webdriver.common.keys import Keys

from check.browser import Browser
from common.commands.drive.support import case, leave
from docs.site_builder.site import Site

WANTED = {  # a language: the font that fonts-noto-cjk has for it, a term, and a part of it
    "zh": ("Noto Sans CJK SC", "线程束", "程束"),
    "ko": ("Noto Sans CJK KR", "공유 메모리", "공유"),
}


def left_over(folder):
    """Markdown that stands as such on a page, because a sign beside ** is of Chinese or Korean, say."""
    for name in sorted(os.listdir(folder)):
        if not name.endswith(tuple(f".{language}.html" for language in WANTED)):
            continue
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            article = re.search(r"<article.*?</article>", file.read(), re.DOTALL)[0]
        text = html.unescape(re.sub(r"<[^>]*>", "", re.sub(r"<(pre|code)\b.*?</\1>", "", article, flags=re.DOTALL)))
        yield from (f"{name}: {found}" for found in re.findall(r".{0,20}(?:\*\*|\]\().{0,20}", text))


def rendered(folder):
    found = list(left_over(folder))
    case(not found, "languages: no Markdown stands as text", found)
    with open(os.path.join(folder, "planted.zh.html"), "w", encoding="utf-8") as file:
        file.write("<article><p>这是**[线程](x)**的</p></article>")
    case(len(list(left_over(folder))) == 1, "languages: finds Markdown that stands as text")
    os.unlink(os.path.join(folder, "planted.zh.html"))


def fonts_of(browser, selector):
    """The names of the fonts that draw an element's text."""
    driver = browser.driver
    for domain in ("DOM", "CSS"):
        driver.execute_cdp_cmd(f"{domain}.enable", {})
    root = driver.execute_cdp_cmd("DOM.getDocument", {})["root"]["nodeId"]
    node = driver.execute_cdp_cmd("DOM.querySelector", {"nodeId": root, "selector": selector})["nodeId"]
    fonts = driver.execute_cdp_cmd("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"]
    return {font["familyName"] for font in fonts}


def drawn(browser, site):
    """Each language in its own font. A page that says another language, and styles none, is drawn in another."""
    for language, (font, _, _) in WANTED.items():
        name = f"glossary.{language}.html"
        browser.open(name)
        found = fonts_of(browser, "article h1")
        case(font in found, f"languages: {language} is drawn in {font}", found)
        with open(os.path.join(site, name), encoding="utf-8") as file:
            page = file.read()
        page = page.replace('<html lang="', '<html lang="ja" data-was="', 1)
        with open(os.path.join(site, "planted.html"), "w", encoding="utf-8") as file:
            file.write(page)
        browser.open("planted.html")
        found = fonts_of(browser, "article h1")
        case(font not in found, f"languages: finds {language} that is drawn as another language", found)
    browser.open("start.html")
    browser.ask("document.querySelector('a.term').focus()")
    for language, (font, _, _) in WANTED.items():
        found = fonts_of(browser, f".tip:not([hidden]) [lang|={language}]")
        case(font in found, f"languages: a tip's {language} is drawn in {font}", found)


SHOWN = "return [...document.querySelectorAll('.tip')].filter(tip => tip.checkVisibility()).map(tip => tip.id)"


def tips(browser):
    """Of a term on an English page: to the keyboard, to the mouse, to a finger."""
    browser.open("start.html")
    browser.ask("document.querySelector('a.term').focus()")
    told = browser.ask("const tip = [...document.querySelectorAll('.tip')].find(tip => tip.checkVisibility());"
                       "return tip && [...tip.children].map(each => [each.lang, each.textContent])")
    case(told and [language for language, _ in told] == ["en", "zh-CN", "ko"] and
         all(len(text) > 10 for _, text in told), "languages: the keyboard gets a tip in each language", told)
    case(browser.ask("const tip = document.querySelector('.tip:not([hidden])').getBoundingClientRect();"
                     "return tip.top >= 0 && tip.bottom <= innerHeight && tip.right <= innerWidth"),
         "languages: and all of it is on the screen")
    browser.press(Keys.ESCAPE, f"{SHOWN}.length === 0", "languages: Escape ends it")
    browser.open("start.html")
    ActionChains(browser.driver).move_to_element(browser.one("a.term")).perform()
    case(browser.until(f"{SHOWN}.length === 1"), "languages: the mouse gets it, too")
    browser.open("start.html")
    browser.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True})
    tap(browser, "a.term")
    if case(browser.until(f"{SHOWN}.length === 1") and browser.ask("return location.href").endswith("start.html"),
            "languages: a finger gets it first, and stays on the page"):
        tap(browser, "a.term")
        case(browser.until("return location.pathname.endsWith('glossary.html')"),
             "languages: its second touch leads to the glossary")
    browser.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": False})


def tap(browser, selector):
    finger = PointerInput(POINTER_TOUCH, "finger")
    act = ActionBuilder(browser.driver, mouse=finger)
    act.pointer_action.move_to(browser.one(selector)).pointer_down().pointer_up()
    act.perform()


def searched(browser):
    hits = "return [...document.querySelectorAll('#found a')].map(link => link.getAttribute('href'))"
    for language, (_, term, part) in WANTED.items():
        browser.open(f"glossary.{language}.html")
        for words in (term, part):
            browser.press("/", "return document.querySelector('#search').open && !!window.searchData",
                          f"languages: {language}: / opens the search")
            browser.one("#words").clear()
            browser.type(words)
            found = browser.until(hits)
            case(found and all(f".{language}.html" in link for link in found),
                 f"languages: {language}: search finds {words}", found)
            # The field that is no more shown loses the focus a little later, and with it the next key.
            browser.press(Keys.ESCAPE, "return !document.querySelector('#search').open && "
                          "document.activeElement === document.body", "languages: Escape closes it")
        where = "return location.href"
        browser.ask("openSearch()")
        before = browser.ask(where)
        browser.ask("document.querySelector('#words').dispatchEvent(new KeyboardEvent('keydown', "
                    "{ key: 'Enter', isComposing: true, bubbles: true, cancelable: true }))")
        case(browser.ask(where) == before and browser.ask("return document.querySelector('#search').open"),
             f"languages: {language}: Enter that ends a composed syllable chooses nothing")
    browser.open("start.html")
    browser.press("/", "return !!window.searchData", "languages: / opens the search of English pages")
    browser.type("warp")
    found = browser.until(hits)
    case(found and not any(f".{language}.html" in link for link in found for language in WANTED),
         "languages: a search in English finds English pages", found)


def narrow(browser):
    """On a phone the head of a page has room for its parts, and the switch is in the menu."""
    apart = """const parts = [...document.querySelectorAll('header > *')].map(part => {
            const inside = [...part.querySelectorAll('a, button, summary, span')].filter(each =>
                each.checkVisibility() && !each.closest('.menu nav')).map(each => each.getBoundingClientRect());
            return [Math.min(...inside.map(each => each.left)), Math.max(...inside.map(each => each.right))]; });
        return parts.every(([left], at) => at === 0 || left >= parts[at - 1][1] - 1)"""
    shown = """document.querySelector('.menu').open = true;
        return [...document.querySelectorAll('a[hreflang]')].filter(link => link.checkVisibility()).length"""
    browser.size(360, 740)
    for language in WANTED:
        browser.open(f"add.{language}.html")
        case(browser.ask(apart), f"languages: {language}: nothing in the head of a narrow page is over another")
        case(browser.ask(shown) == len(WANTED), "languages: its menu has the other languages")
        browser.open(f"add.{language}.html")
        browser.ask("document.querySelector('.tools').insertAdjacentHTML('beforeend', "
                    "'<button>' + 'x'.repeat(20) + '</button>')")
        case(not browser.ask(apart), "languages: finds a head that is too full")
    browser.size(1280)


def switched(browser):
    for language in WANTED:
        browser.open("glossary.html")
        browser.ask(f"document.querySelector('.tools a[lang|={language}]').click()")
        case(browser.until(f"return location.pathname.endsWith('glossary.{language}.html') && "
                           f"document.documentElement.lang.startsWith('{language}')"),
             f"languages: the switch leads to {language}")
        browser.ask("document.querySelector('.tools a[lang=en]').click()")
        case(browser.until("return location.pathname.endsWith('glossary.html') && "
                           "document.documentElement.lang === 'en'"), "languages: and back")
    case(not browser.errors(), "languages: all of this without an error on the console")


def main():
    with tempfile.TemporaryDirectory() as folder:
        site = Site(folder)
        site.write({"index", *(name for other in site.sites[1:] for name in other.own)})
        rendered(folder)
        browser = Browser(folder)
        try:
            drawn(browser, folder)
            tips(browser)
            searched(browser)
            switched(browser)
            narrow(browser)
        finally:
            browser.driver.quit()
    leave()


if __name__ == "__main__":
    sys.exit(main())
