"""
Pages in other languages: docs/LANGUAGE/NAME.md has the prose of docs/NAME.md, paragraph by paragraph, and nothing
else. Code, tables that are made and outputs are the English page's own, which a page in another language takes from
there.

A paragraph is a heading, a paragraph of text, an item of a list, a table written by hand, a picture's line or what
folds something. Before each stands a comment with the mark of the English paragraph that it translates, and how that
begins:

    <!-- en 1f0c9a3b: For a C programmer new to GPUs. This -->
    写给第一次接触 GPU 的 C 程序员。

An English paragraph that has changed has another mark, so its translation is not found, and the English text stands
on the page until the translation has been mended. docs/pages names it: docs/page_writer/translations.py.
"""
import os
import re
import zlib
from typing import NamedTuple

from docs.site_builder import cited, tree

MARKED = re.compile(r"^<!-- en(?: ([0-9a-f]{8}): (.*))? -->$", re.MULTILINE)
COMMENT = re.compile(r"[ \t]*<!--.*?-->", re.DOTALL)
BEGINNING = 40  # letters
TERM = re.compile(r"\[([^\]]*)\]\(glossary\.md#[\w-]+\)")
# What a paragraph begins with is the same in each language; how it is indented, too.
LEAD = re.compile(r'#+ |(?:- |\d+\. |> )(?:<a id="[\w-]+"></a>)?|<details><summary>')
OPENS = re.compile(r"#|\||!\[|<|- |1\. |> ")  # a line that goes on with no paragraph
ITEM = re.compile(r"\d+\. ")  # nor with an item; elsewhere a number may stand at the beginning of a line
WAY = re.compile(r"^\[(?:before: |all steps\])")  # made, the bar of the site has it
LINK = re.compile(r"(\]\()([^)\s]+)(\))")


class Unit(NamedTuple):
    """A paragraph of an English page. first, last: its lines, from 0. lead: its indent, and what it begins with."""
    first: int
    last: int
    lead: str
    text: str

    @property
    def mark(self):
        return mark_of(self.text)

    @property
    def beginning(self):
        return words_of(self.text)[:BEGINNING].strip(" -").replace("--", "-")


def words_of(text):
    """The words alone: not how they stand in lines, comments, and links to the glossary, which are made."""
    return " ".join(TERM.sub(r"\1", COMMENT.sub("", text)).split())


def mark_of(text):
    return f"{zlib.crc32(words_of(text).encode()):08x}"


def without_lead(text):
    lead = LEAD.match(text)
    return re.sub("</summary>$", "", text[lead.end():]) if lead else text


def _unit(lines, first, last):
    text = "\n".join(lines[first:last + 1])
    indent = text[:len(text) - len(text.lstrip())]
    lead = LEAD.match(text.strip())
    return Unit(first, last, indent + (lead[0] if lead else ""), without_lead(text.strip()))


def _end_of_comment(lines, at):
    """The last line of the comments that line `at` leaves open."""
    while lines[at].rfind("<!--") > lines[at].rfind("-->") and at + 1 < len(lines):
        at += 1
        if "-->" in lines[at]:
            return _end_of_comment(lines, at)
    return at


def _end_of_paragraph(lines, first):
    """The last line of what begins in line `first`."""
    table, at = lines[first].startswith("|"), _end_of_comment(lines, first)
    opens = re.compile(f"{OPENS.pattern}|{ITEM.pattern}") if ITEM.match(lines[first].strip()) else OPENS
    while at + 1 < len(lines) and not lines[first].startswith("#"):
        line = lines[at + 1].strip()
        if not line or line.startswith("```") or line.startswith("|") != table or (opens.match(line) and not table):
            break
        at = _end_of_comment(lines, at + 1)
    return at


def units(page):
    """The paragraphs of an English page, in its order; not what is made, code, and the way to the next page."""
    lines, at, found = page.split("\n"), 0, []
    while at < len(lines):
        line, end = lines[at].strip(), at
        if line.startswith("<!-- begin: "):
            end = next((n for n in range(at, len(lines)) if lines[n].strip() == "<!-- end -->"), at)
        elif line.startswith("```"):
            end = next((n for n in range(at + 1, len(lines)) if lines[n].strip().startswith("```")), at)
        elif line.startswith("<!--"):
            end = _end_of_comment(lines, at)
        elif WAY.match(line):
            end = len(lines) - 1
        elif line and not lines[at].startswith("    ") and (LEAD.match(line) or not line.startswith("<")):
            end = _end_of_paragraph(lines, at)
            found.append(_unit(lines, at, end))
        at = end + 1
    return found


class Entry(NamedTuple):
    """A paragraph of a page in another language. line: of its comment, from 1. mark, beginning: of the English one, or
    "" where it is to be found by its place. text: without lead, its links as the English page has them."""
    line: int
    mark: str
    beginning: str
    text: str


def terms(glossary):
    """{anchor: (word, what the glossary says of it)} of the page in any language."""
    found = {}
    for anchor, entry in re.findall(r'^- <a id="([\w-]+)"></a>(.*?)(?=^- |^\[|^#|^<|\Z)', glossary,
                                    re.DOTALL | re.MULTILINE):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", " ".join(entry.split()))
        word = re.match(r"\*\*([^*]+)\*\*(?: ?\([^)]*\))?[:：] *", plain)
        found[anchor] = (word[1], re.sub(r"[*`]", "", plain[word.end():]))
    return found


def path_of(language, name):
    return tree.inside("docs", language, name + ".md")


def pages(language):
    """The names of the pages that a language has."""
    folder = tree.inside("docs", language)
    return sorted(name[:-3] for name in os.listdir(folder) if name.endswith(".md")) if os.path.isdir(folder) else []


def from_here(text):
    """Links of a page in docs/LANGUAGE/, as a page in docs/ has them; some may be written so already."""
    def target(link):
        path = link[2][3:].partition("#")[0]
        into_docs = link[2].startswith("../") and os.path.exists(tree.inside("docs", path))
        return link[1] + (link[2][3:] if into_docs or link[2].startswith("../../") else link[2]) + link[3]
    return LINK.sub(target, text)


def entries(text):
    """(what stands before the first paragraph, the Entries) of a page in another language."""
    marks = list(MARKED.finditer(text))
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    return text[:marks[0].start() if marks else None].strip(), [
        Entry(text.count("\n", 0, mark.start()) + 1, mark[1] or "", mark[2] or "",
              without_lead(from_here(text[mark.end():end].strip())))
        for mark, end in zip(marks, ends)]


def is_translated(text, unit):
    """Whether a paragraph has been written: not where its English text still stands there."""
    return bool(text) and mark_of(text) != unit.mark


def placed(unit, text):
    """A translation where the paragraph stands."""
    indent = re.match(" *", unit.lead)[0]
    inner = " " * (len(indent) + len(re.match(r"(?:- |\d+\. |> )?", unit.lead[len(indent):])[0]))
    close = "</summary>" if unit.lead.endswith("<summary>") else ""
    return unit.lead + re.sub(r"\n(?=.)", "\n" + inner, text) + close


def read(language, name):
    """The text of a page in another language; empty where there is none."""
    path = path_of(language, name)
    return tree.read(path) if os.path.exists(path) else ""


def assembled(page, other):
    """(the English page with the paragraphs that another language has in their place, {heading: its anchor on the
    English page}, the Units that have no translation)"""
    known = {entry.mark: entry.text for entry in entries(other)[1]}
    lines, anchors, missing = page.split("\n"), {}, []
    for unit in reversed(units(page)):
        text = known.get(unit.mark, "")
        if not is_translated(text, unit):
            missing.append(unit)
            continue
        if unit.lead.startswith("#"):
            anchors[text] = cited.anchor(unit.text)
        lines[unit.first:unit.last + 1] = placed(unit, text).split("\n")
    return "\n".join(lines), anchors, missing[::-1]
