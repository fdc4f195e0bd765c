"""
The glossary's words on the pages: in running text each page links a word at its first use, and only
there. docs/glossary.md itself says which words there are, and in which forms.

Running text is what is left without headings, tables, code, comments, what a script inserts, pictures,
text of other links, emphasis (titles of books), the CPU device's name, sources and the line that leads
to the next page.
"""
import itertools
import re

from .text import CODE, COMMENT, FENCE, MADE

ENTRY = re.compile(r'^- <a id="([\w-]+)"></a>\*\*([^*]+)\*\*(?: ?[(（]([^)）]*)[)）])?[:：]', re.MULTILINE)
LINK = re.compile(r"\[([^\]]*)\]\(glossary\.md#[\w-]+\)")
SKIPPED = [MADE, FENCE, COMMENT, CODE] + [re.compile(pattern, re.MULTILINE | re.DOTALL) for pattern in (
    r"^## Sources\n.*",                    # to the end
    r"^    .*?$",                          # code
    r"^#.*?$", r"^\|.*?$",                 # headings, tables
    r"\bCPU\s+(?:device\b|设备|디바이스)",                   # which has a page of its own
    r"^\[(?:before: |all steps).*?$",      # the way to the next page
    r"!?\[[^\]]*\]\([^)]*\)",              # pictures, links
    r"(?<![*\w])\*(?![*\s])[^*\n]*(?:\n[^*\n]+)?\*(?!\*)",  # emphasis
    r"</?\w[^>\n]*>",                      # HTML
)]
UNLINKED = ("docs/glossary.md", "docs/mutants.md", "docs/sources.md")


def is_linked(name):
    """Whether the rule is for this page: not for the words themselves, and those of another kind."""
    return name.startswith("docs/") and name not in UNLINKED


def terms_of(glossary):
    """{a form in small letters: its anchor}"""
    found = {}
    for anchor, name, others in ENTRY.findall(glossary):
        for form in (name, *filter(None, others.split(", "))):
            found[" ".join(form.lower().split())] = anchor
    return found


def bounds(form):
    """What may stand on neither side of a form: letters of its script. Chinese sets no spaces between words, and
    Korean none before a particle."""
    if form.isascii():
        return r"(?<![A-Za-z0-9_-])", r"(?![A-Za-z0-9_-])"
    return (r"(?<![\uac00-\ud7a3])", "") if "\uac00" <= form[0] <= "\ud7a3" else ("", "")


def pattern_of(terms):
    """Finds any form, the longest first; not as a part of another word, as which a single character often stands."""
    forms = sorted((form for form in terms if len(form) > 1), key=len, reverse=True)
    # The bounds stand around neighbours together, because the search is then several times as fast.
    alike = (("|".join(re.escape(form).replace(r"\ ", r"\s+") for form in group).join(("(?:", ")")), (before, behind))
             for (before, behind), group in itertools.groupby(forms, bounds))
    return re.compile("(" + "|".join(words.join(around) for words, around in alike) + ")", re.IGNORECASE)


def first_uses(page, terms):
    """(anchor, where it begins, where it ends) of each word's first use in a page without links to the
    glossary, in the page's order."""
    running, seen, found = page, set(), []
    for pattern in SKIPPED:
        running = pattern.sub(lambda match: "\x01" * len(match[0]), running)
    for match in pattern_of(terms).finditer(running):
        anchor = terms[" ".join(match[1].lower().split())]
        if anchor not in seen:
            seen.add(anchor)
            found.append((anchor, *match.span(1)))
    return found


def linked(page, terms):
    """The page with a link at each word's first use, and no other to the glossary."""
    page = LINK.sub(r"\1", page)
    for anchor, begin, end in reversed(first_uses(page, terms)):
        # Behind a bracket ** closes only before a space or a sign, and Chinese has neither: so the link is outside.
        if not page[begin:end].isascii() and page[begin - 2:begin] == "**" == page[end:end + 2]:
            begin, end = begin - 2, end + 2
        page = f"{page[:begin]}[{page[begin:end]}](glossary.md#{anchor}){page[end:]}"
    return page


def complaint(page, terms):
    """What is wrong with a page's links, in a few words; None if nothing is."""
    right = linked(page, terms)
    if right == page:
        return None
    for link in re.finditer(r"\[([^\]]*)\]\((glossary\.md#[\w-]+)\)", right):
        if page[:link.end()] != right[:link.end()]:
            return f"the first use of '{' '.join(link[1].split())}' is not a link to {link[2]}"
    return "it links to the glossary where a word is not used for the first time"
