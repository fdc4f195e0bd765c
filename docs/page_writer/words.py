"""
The words that pages do without, and the heads of the steps' sources, which slides show:
docs/page_writer/words.txt. And commands that take a column of a log by its place.
"""
import os
import re

from .text import plain, rows, sentences

HEAD = re.compile(r"\A/\*\n(.*?)\*/", re.DOTALL)  # of a source: what it is about
KEY = re.compile(r"^ \*[ \t]*(?:(?:Idea|Since|Expect|Source)[ \t]+)?", re.MULTILINE)
LIST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "words.txt")
# A log gets columns, so a place is another column's one day: ./steps/table LOG --columns takes names.
BY_PLACE = re.compile(r"\bcut\b[^|;`\n]*\s-\w*f|\bg?awk\b[^|;\n]*\$\d|\bsort\b[^|;`\n]*\s-\w*k\s*\d"
                      r"|\bcolumn \d+ of the (?:counters|log|file)")


def rules():
    """[(pattern, what to say instead, an example that it finds)]"""
    made = []
    with open(LIST, encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                pattern, instead, example = re.split(" {4,}", line.strip())
                made.append((re.compile(pattern), instead, example))
    return made


def faults(page, known):
    """(line, text) of each word of the list on a page, in its tables, too."""
    for line, text in [*rows(page), *((part.line, part.text) for part in sentences(page))]:
        for pattern, instead, _ in known:
            found = pattern.search(" ".join(plain(text).split()))
            if found:
                yield line, f"'{found.group(0)}': {instead}"


def head(source):
    """The head of a step's source, as prose."""
    found = HEAD.match(source)
    return KEY.sub("", found[1]) if found else ""


def by_place(text):
    """(line, text) of each command, in code or in prose, that names a column by its place."""
    for number, line in enumerate(text.split("\n"), 1):
        found = BY_PLACE.search(line)
        if found:
            yield number, f"'{found.group(0)}' names a column by its place; " \
                "./steps/table LOG --columns NAME does by its name"
