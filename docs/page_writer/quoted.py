"""
Numbers that a page takes from elsewhere without a claim (claims.py): they must stand where it says they do.

A sentence that links to another page, and has a number with a unit, quotes that page: the number stands there, or
a claim of the sentence has it. A reason "no rows: ... table" or "... answer" says that the numbers stand in what
docs/pages has made on this page: those with a unit do.
"""
import os
import re

from .claims import ClaimError, claims_of
from .text import COMMENT, MADE, plain, sentences

NUMBER = re.compile(r"(?<![\w.^-])(\d+(?:\.\d+)?) (?:us|ns|ms|[kKMGT]i?B(?:/s)?|[GT](?:flop|FLOP)/s)(?!\w)")
FIGURE = re.compile(r"(?<![\w.^-])\d+(?:\.\d+)?(?![\w^]|\.\d)")
LINK = re.compile(r"\]\(([a-z0-9-]+\.md)(?:#[^)\s]*)?\)")
NO_QUOTE = {"glossary.md", "sources.md", "index.md"}  # pages of words, not of numbers
FREE = re.compile(r"predicted|an example|a definition")  # reasons for numbers that no page has
SHOWN = re.compile(r"^\s*(?:of )?the (?:table|answer)\b")


def figures(text):
    return set(FIGURE.findall(text))


def claimed(comments):
    """(the numbers that claims say, the reasons for having none)"""
    numbers, reasons = set(), []
    for comment in comments:
        try:
            said = claims_of(comment)
        except ClaimError:
            continue  # which claims.py names
        for claim in said or ():
            numbers.update(part.strip() for part in re.split(r"[<>~=]", claim.partition(" within ")[0]))
        if said == []:
            reasons.append(comment.partition(":")[2])
    return numbers, reasons


def read(path):
    with open(path, encoding="utf-8") as file:
        return COMMENT.sub("", file.read())


def faults(page, path):
    """(line, text) of each number of the page at path that does not stand where its sentence says."""
    folder, own = os.path.split(path)
    shown = figures(" ".join(MADE.findall(page)))
    for sentence in sentences(page):
        numbers, reasons = claimed(sentence.comments)
        words = " ".join(plain(sentence.text).split())
        for reason in reasons:
            missing = set(NUMBER.findall(words)) - shown if SHOWN.search(reason) else ()
            for number in sorted(missing, key=float):
                yield sentence.line, f"'{number}': 'no rows:{reason}', and no table or answer of the page has it"
        linked = [name for name in LINK.findall(sentence.text)
                  if name not in NO_QUOTE | {own} and os.path.exists(os.path.join(folder, name))]
        if linked and not any(FREE.search(reason) for reason in reasons):
            there = set().union(*(figures(read(os.path.join(folder, name))) for name in linked))
            for found in NUMBER.finditer(words):
                if found[1] not in there | numbers:
                    yield sentence.line, f"'{found[0]}' does not stand on {' or '.join(sorted(set(linked)))}; " \
                        "quote what does, or cite it (rows:)"
