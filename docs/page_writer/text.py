"""
A page as prose: its paragraphs, their sentences, and the comments behind these. Code, tables,
headings and what docs/pages makes itself are left out; of a table of trials it makes but the figures.
"""
import re
from typing import NamedTuple

MADE = re.compile(r"<!-- begin: (?!trials )[^\n]*? -->\n.*?<!-- end -->", re.DOTALL)
FENCE = re.compile(r"^ *```.*?^ *```$", re.DOTALL | re.MULTILINE)
COMMENT = re.compile(r"<!--(.*?)-->", re.DOTALL)
CODE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)", re.DOTALL)
LINK = re.compile(r"\[([^\]]*)\]\([^)\s]*\)")
OPENS = re.compile(r"^(#|\||    |<details|</details|!\[)")  # a line of none of our prose
ITEM = re.compile(r"^(- |\d+\. |> )")
END = re.compile("(?<!e\\.g\\.)(?<=[.?!:\x02])[*_)\"]*\\s+(?=[\"'`*_\\[(A-Z0-9])")
CLOSED = re.compile(r"<!-- begin:.*?<!-- end -->|<details>.*?</details>|<!--.*?-->|```.*?```|\]\([^)]*\)", re.DOTALL)
MOST_WORDS = 1200
LOOKED_UP = ("docs/glossary.md", "docs/index.md", "docs/mutants.md", "docs/structure.md",
             "README.md")  # not read from end to end


class Sentence(NamedTuple):
    """line: where its paragraph begins; text: without comments; comments: behind it or in it."""
    line: int
    text: str
    comments: list


def blank(match):
    """As many lines, and nothing on them: so the lines' numbers stay."""
    return "\n" * match.group(0).count("\n")


def paragraphs(page):
    """(line, text) of each paragraph and each item of a list, comments and all."""
    page = FENCE.sub(blank, MADE.sub(blank, page))
    begin, lines, inside = 0, [], False  # inside: in a comment of several lines
    for number, line in enumerate(page.split("\n") + [""], 1):
        opens = not inside and (not line.strip() or OPENS.match(line))
        if lines and (opens or not inside and ITEM.match(line)):
            yield begin, "\n".join(lines)
            lines = []
        if not opens:
            begin = begin if lines else number
            lines.append(line)
        inside = (line.rfind("<!--") > line.rfind("-->")) if "<!--" in line or "-->" in line \
            else inside


def rows(page):
    """(line, text) of each row of a table that is written by hand."""
    for number, line in enumerate(FENCE.sub(blank, MADE.sub(blank, page)).split("\n"), 1):
        if line.startswith("|"):
            yield number, COMMENT.sub("", line)


def plain(text):
    """Without code, and links as their words."""
    return LINK.sub(r"\1", CODE.sub("`", text))


def sentences(page):
    """All sentences of a page, each with the comments that stand in it or directly behind it."""
    for line, text in paragraphs(page):
        comments = COMMENT.findall(text)
        text = COMMENT.sub("\x01\x02", text)
        text = re.sub("\\s+\x01", "\x01", text)
        for part in END.split(text):
            count = part.count("\x01")
            words = part.replace("\x01\x02", "").strip()
            if words or count:
                yield Sentence(line, words, [comment.strip() for comment in comments[:count]])
            comments = comments[count:]


def faults(page):
    """(line, text) of each comment that a reader would see: at the start of a line it ends the
    paragraph, so only other comments may stand behind it there."""
    for line, paragraph in paragraphs(page):
        for found in re.finditer(r"^<!--.*?-->", paragraph, re.DOTALL | re.MULTILINE):
            if found.start() and COMMENT.sub("", paragraph[found.end():]).strip():
                yield line, "a comment that begins a line ends its paragraph; set it behind a word"


def too_long(page, path):
    """(line, text) if more than so many words stand in the open: what is folded, made, or code does not count."""
    count = len(CLOSED.sub("", page).split())
    if count > MOST_WORDS and not path.endswith(LOOKED_UP):
        yield 1, f"{count} words, at most {MOST_WORDS}; cut the page, or fold its second half as second reading"
