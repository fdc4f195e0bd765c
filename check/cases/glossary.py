"""
The rule of docs/pages on the glossary's words: a first use without its link is named, wherever it
stands in running text; what is no running text is left alone; and putting the links in is done once.
"""
import os
import re

from common.commands.drive.support import SOURCE, case, leave
from docs.page_writer import glossary

WARP, SHARED = "[warp](glossary.md#warp)", "[shared memory](glossary.md#shared-memory)"

# (what, a page, what is said of it: None, or words of it)
PLAN = [
    ("a link at the first use", f"A {WARP} and a warp.", None),
    ("no link", "A warp.", "first use of 'warp'"),
    ("in capitals, in bold", "**Warps** go.", "first use of 'Warps'"),
    ("over the end of a line", "In shared\nmemory.", "first use of 'shared memory'"),
    ("a link at the second use", f"A warp and a {WARP}.", "first use of 'warp'"),
    ("two links", f"A {WARP} and a {WARP}.", "not used for the first time"),
    ("a link to another word", "A [warp](glossary.md#lane).", "first use of 'warp'"),
    ("the longer of two words", f"In {SHARED}.", None),
    ("behind code", "`warp`\n\n```\nwarp\n```\n\n    warp\n\nA warp.", "first use of 'warp'"),
    ("behind a stray star", "2 * 3 and a warp, 4 * 5.", "first use of 'warp'"),
] + [(f"no running text: {what}", text, None) for what, text in (
    ("code", "`warp`\n```\nwarp\n```\n    warp"), ("a heading", "# warp"), ("a table", "| warp |"),
    ("a picture and a link", "![a warp](x.svg) [a warp](x.md)"), ("a title", "By X, *A warp*, 2001."),
    ("inserted", "<!-- begin: x -->\nwarp\n<!-- end -->"), ("sources", "## Sources\nA warp.\n\nA lane."),
    ("the way on", "[before: warp](warp.md) \u00b7 warp"), ("part of a word", "warpage, half-warp"),
    ("the CPU device", "the CPU device"), ("a comment", "No. <!-- no rows: a warp -->"))]


# The same of other languages: (a page, with its links). Chinese sets no spaces, Korean has particles behind a word.
OTHERS = [
    ("执行一个线程束的线程。", "执行一个[线程束](glossary.md#warp)的[线程](glossary.md#thread)。"),
    ("这是**线程**的。", "这是[**线程**](glossary.md#thread)的。"),
    ("四个字节和 CPU 设备", "四个字节和 CPU 设备"),
    ("워프의 스레드는", "[워프](glossary.md#warp)의 [스레드](glossary.md#thread)는"),
    ("하드워프", "하드워프"),
]


def main():
    with open(os.path.join(SOURCE, "docs", "glossary.md"), encoding="utf-8") as file:
        text = file.read()
    terms = glossary.terms_of(text)
    case(len(set(terms.values())) == len(re.findall(r"<a id=", text)) >= 30,
         "each entry of the glossary is read", terms)
    for what, page, words in PLAN:
        said = glossary.complaint(page, terms)
        case((said is None) == (words is None) and (words or "") in (said or ""),
             f"glossary: {what}", f"{page}\n{said}")
        made = glossary.linked(page, terms)
        case(glossary.complaint(made, terms) is None and glossary.linked(made, terms) == made,
             f"glossary: {what}, linked", made)
    terms = {"线程束": "warp", "线程": "thread", "字": "word", "设备": "device", "워프": "warp", "스레드": "thread"}
    for page, wanted in OTHERS:
        made = glossary.linked(page, terms)
        case(made == wanted and glossary.linked(made, terms) == made, f"glossary: {page}", made)
    leave()


if __name__ == "__main__":
    main()
