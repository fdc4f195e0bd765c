"""
Pages in other languages, beside the English ones: docs/site_builder/translated.py says what stands in their files.
Of each English paragraph there is a translation, and it is of the paragraph as it is now: both are told by the mark
in the comment before it. It has the same code, numbers and links, and letters of its language.

What --write does: the marks of paragraphs that have none yet, by their place; the English text, to be translated,
where there is none; the English page's order; links to the pages of the language, and to its glossary. It changes no
mark: who has mended a translation leaves but <!-- en -->.
"""
import difflib
import re

from common.commands.languages import LANGUAGES
from docs.page_writer import glossary
from docs.page_writer.text import CODE
from docs.site_builder import translated
from docs.site_builder.translated import LINK

NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
WORDS = re.compile(r"\b[a-z]{3,}\b.*\b[a-z]{3,}\b", re.DOTALL)  # of English: names alone may stay as they are


def of(name):
    """(language, page) of a file's path from the root; a language of None for a page in English."""
    found = re.fullmatch(rf"docs/({'|'.join(LANGUAGES)})/([\w-]+)\.md", name)
    return found.groups() if found else (None, None)


def once(units):
    """Each text's first Unit: what stands twice on a page is translated once."""
    return list({unit.mark: unit for unit in reversed(units)}.values())[::-1]


def paired(wanted, have):
    """({mark: Entry}, [(Entry, the Unit at its place or None)]): those with a mark of the page, and the others."""
    marks = {unit.mark for unit in wanted}
    found, others = {entry.mark: entry for entry in have if entry.mark in marks}, []
    matcher = difflib.SequenceMatcher(None, [entry.mark for entry in have], [unit.mark for unit in wanted], False)
    for _, a, b, c, d in matcher.get_opcodes():
        old = [entry for entry in have[a:b] if entry.mark not in marks]
        new = [unit for unit in wanted[c:d] if unit.mark not in found]
        begun = {unit.beginning: unit for unit in new}
        others += zip(old, new if len(old) == len(new) else [begun.get(entry.beginning) for entry in old])
    return found, others


def plain(text):
    """Without comments and links to the glossary, line by line."""
    return translated.TERM.sub(r"\1", translated.COMMENT.sub("", text))


def parts(text):
    """What a translation takes over: {what: a set}."""
    text = plain(text)
    prose = LINK.sub("]", CODE.sub("`", text))
    return {"code": {" ".join(code[0].strip("`").split()) for code in CODE.finditer(text)},
            "links": {link[2] for link in LINK.finditer(CODE.sub("`", text))},
            "numbers": set(NUMBER.findall(prose))}


def shape(text):
    """How many columns each row of a table has; nothing of what is no table."""
    lines = CODE.sub("`", text).split("\n")
    return [line.count("|") for line in lines] if text.startswith("|") else []


def lacks(unit, text, letter):
    """What a translation has not, or has alone, in a few words; "" for nothing."""
    if not translated.is_translated(text, unit):
        return "it is not translated yet"
    if WORDS.search(LINK.sub("]", CODE.sub("`", unit.text))) and not re.search(letter, text):
        return "it is not in its language"
    if shape(text) != shape(unit.text):
        return "its table has other rows or columns"
    ours, theirs = parts(text), parts(unit.text)
    for what, wanted in theirs.items():
        if wanted - ours[what]:
            return f"its {what} lack {' '.join(sorted(wanted - ours[what]))}"
        if ours[what] - wanted:
            return f"its {what} have {' '.join(sorted(ours[what] - wanted))}, which the English page does not have"
    return ""


def faults(name, wanted, have, language):
    """(line, what is wrong) of a page in another language."""
    found, others = paired(wanted, have)

    def of(unit):
        return f"'{unit.beginning}' (docs/{name}.md:{unit.first + 1})"

    known = [*((found[unit.mark], unit) for unit in wanted if unit.mark in found),
             *((entry, unit) for entry, unit in others if unit and not entry.mark)]
    for entry, unit in known:
        lacking = lacks(unit, entry.text, LANGUAGES[language].letter)
        if lacking:
            yield entry.line, f"{of(unit)}: {lacking}"
    for entry, unit in others:
        if entry.mark and unit:
            yield entry.line, (f"the English paragraph has changed: {of(unit)}; mend the translation, "
                               "make its mark <!-- en -->, then docs/pages --write")
        elif not unit:
            yield entry.line, f"docs/{name}.md has no such paragraph any more: it is gone, or it has changed"
    for unit in wanted:
        if unit.mark not in found and unit not in [other for _, other in others]:
            yield 1, f"no translation of {of(unit)}; docs/pages --write puts it in"


def link_here(text, known):
    """A link of the English page, as a page in docs/LANGUAGE/ has it; known: its pages."""
    def target(link):
        path = link[2].partition("#")[0]
        ours = not path or re.match(r"[a-z]+:", path) or path[:-3] in known and path.endswith(".md")
        return link[1] + ("" if ours else "../") + link[2] + link[3]
    return LINK.sub(target, text)


def written(name, wanted, have, language):
    """The file as it should be, but for the links to the glossary."""
    found, others = paired(wanted, have)
    at_place, known = {unit.mark: entry for entry, unit in others if unit}, translated.pages(language)
    lines = [LANGUAGES[language].note.format(name=name)]
    for unit in wanted:
        entry = found.get(unit.mark) or at_place.get(unit.mark)
        mark, beginning = (entry.mark, entry.beginning) if entry and entry.mark else (unit.mark, unit.beginning)
        text = unit.lead.lstrip().replace("<details><summary>", "") + plain((entry or unit).text)
        lines.append(f"<!-- en {mark}: {beginning} -->\n{link_here(text, known)}")
    lines += [f"<!-- en{f' {entry.mark}: {entry.beginning}' if entry.mark else ''} -->\n"
              f"{link_here(plain(entry.text), known)}" for entry, unit in others if not unit]
    return "\n\n".join(lines) + "\n"


def right(english, text, name, language):
    """(the file as it should be, [(line, what is wrong)])"""
    wanted, have = once(translated.units(english)), translated.entries(text)[1]
    made = written(name, wanted, have, language)
    return (made if name == "glossary" else glossary.linked(made, terms_of(language))), \
        sorted(faults(name, wanted, have, language))


def terms_of(language):
    """The words of the language's glossary, as glossary.linked takes them."""
    return glossary.terms_of(translated.read(language, "glossary"))
