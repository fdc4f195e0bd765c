"""
The words that pages do without: docs/page_writer/words.txt.
"""
import os
import re

from .text import plain, rows, sentences

LIST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "words.txt")


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
