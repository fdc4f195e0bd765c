"""
The words that pages do without: check/prose/words.txt.
"""
import os
import re

from .text import plain, sentences

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
    """(line, text) of each word of the list on a page."""
    for sentence in sentences(page):
        for pattern, instead, _ in known:
            found = pattern.search(" ".join(plain(sentence.text).split()))
            if found:
                yield sentence.line, f"'{found.group(0)}': {instead}"
