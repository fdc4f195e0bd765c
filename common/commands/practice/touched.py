"""Which variants of a step a student's copy changes: those whose launch leads to what the step does not have."""
import collections
import re

COMMENT = re.compile(r'/\*.*?\*/|//[^\n]*|("(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\')', re.DOTALL)
WORD = re.compile(r"[A-Za-z_]\w*")
ROW = re.compile(r'\{\s*"([\w-]+)"\s*,')

KEYWORDS = {"return", "else", "case", "do", "new"}  # behind these stands no declaration

Item = collections.namedtuple("Item", "text names words")


def bare(text):
    """The text without its comments; each leaves a space and its line ends."""
    return COMMENT.sub(lambda found: found[1] or " " + "\n" * found[0].count("\n"), text)


def pieces(text):
    """The definitions and lines of the preprocessor at the outermost level."""
    begin, depth, at = 0, 0, 0
    text = bare(text)
    while at < len(text):
        if depth == 0 and text[at] == "#" and not text[begin:at].strip():
            end = re.compile(r"(?:[^\n\\]|\\.)*", re.DOTALL).match(text, at).end()
            yield text[begin:end]
            begin = at = end
            continue
        if text[at] in "\"'":
            at = re.compile(r'"(?:[^"\\\n]|\\.)*"?|\'(?:[^\'\\\n]|\\.)*\'?').match(text, at).end()
            continue
        depth += (text[at] in "({") - (text[at] in ")}")
        at += 1
        if depth == 0 and (text[at - 1] == ";" or text[at - 1] == "}" and
                           not re.match(r"\s*[;,\w]+\s*;|\s*;", text[at:])):
            yield text[begin:at]
            begin = at
    if text[begin:].strip():
        yield text[begin:]


def names_of(text):
    """What a definition defines. Of one that is neither function nor macro, all its words: its name is among them."""
    macro = re.match(r"#\s*define\s+(\w+)", text)
    head = re.sub(r"__launch_bounds__\s*\([^()]*(?:\([^()]*\)[^()]*)*\)", "", text.partition("{")[0])
    function = re.search(r"([A-Za-z_]\w*)\s*\(", head)
    if macro:
        return {macro[1]}
    if function and "{" in text and "=" not in head:
        return {function[1]}
    return set(WORD.findall(text))


def used(text):
    """The words of a definition that are neither its variables nor members of a structure."""
    declared = {found[2] for found in re.finditer(r"\b(\w+)[\s*&]+\b([A-Za-z_]\w*)", text) if found[1] not in KEYWORDS}
    return set(re.findall(r"(?<![\w.])(?<!->)[A-Za-z_]\w*", text)) - declared


def items(text):
    flat = (" ".join(piece.split()) for piece in pieces(text))
    return [Item(each, names_of(each), used(each)) for each in flat if each and each != ";"]


def changed_names(mine, theirs):
    """The names of what is only in one of the two."""
    one, two = (collections.Counter(item.text for item in each) for each in (mine, theirs))
    return {name for item in mine + theirs if one[item.text] != two[item.text] and not is_table(item)
            for name in item.names}


def is_table(item):
    return re.match(r"static const struct variant \w+\[\] = \{", item.text) is not None


def rows(table):
    """{variant: its row of the table}"""
    found = [(row.start(), row[1]) for row in ROW.finditer(table)]
    ends = [start for start, _ in found[1:]] + [len(table)]
    return {name: table[start:end].rstrip(" ,") for (start, name), end in zip(found, ends)}


def reaches(item_names, found):
    """The names whose definitions use one of these, directly or not; and these."""
    reached, grew = set(item_names), True
    while grew:
        more = {name for item in found if is_function(item) and item.words & reached
                for name in item.names} - reached
        reached |= more
        grew = bool(more)
    return reached


def is_function(item):
    return len(item.names) == 1


def variants(text, original, taken=None):
    """The variants of the text that what was changed reaches, or the function that was taken out; empty where
    that cannot be told."""
    mine, theirs = items(text), items(original)
    reached = reaches(changed_names(mine, theirs) | ({taken} if taken else set()), mine)
    now, before = (next((rows(item.text) for item in each if is_table(item)), {}) for each in (mine, theirs))
    return [name for name, row in now.items()
            if before.get(name) != row or used(re.sub(r'"(?:[^"\\]|\\.)*"', "", row)) & reached]
