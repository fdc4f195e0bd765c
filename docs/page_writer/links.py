"""
Links between pages: the file is there, and so is the heading. The charts of a step that
was not recorded yet may be missing.
"""
import functools
import os
import re

from docs.site_builder.cited import anchor
from .text import CODE, FENCE, MADE, blank

LINK = re.compile(r"\]\(([^)\s]+)\)")


@functools.lru_cache(maxsize=None)
def anchors(path):
    """What a link may name on a page."""
    with open(path, encoding="utf-8") as file:
        page = FENCE.sub("", file.read())
    return {anchor(heading) for heading in re.findall(r"^#+ (.*)$", page, re.MULTILINE)} \
        | set(re.findall(r'<a id="([^"]+)">', page))


def faults(page, path, recorded):
    """(line, text) of each link of a page to a file of ours or a heading that is not. recorded: the
    steps of which there is a record."""
    step = os.path.splitext(os.path.basename(path))[0]
    text = CODE.sub(blank, FENCE.sub(blank, MADE.sub(blank, page)))
    for number, line in enumerate(text.split("\n"), 1):
        for target in LINK.findall(line):
            name, _, heading = target.partition("#")
            if re.match(r"[a-z]+:", name):
                continue
            file = os.path.normpath(os.path.join(os.path.dirname(path), name)) if name else path
            if not os.path.exists(file) and not (name.endswith(".png") and step not in recorded):
                yield number, f"a link to {target}, where nothing is"
            elif heading and heading not in anchors(file):
                yield number, f"a link to {target}: no such heading"
