"""
Lines of options, as lists of words: ["-n", "2^20", "-b", "4"]. The steps declare such lines for
scripts, with the short form of an option or the long one.
"""
import re

LETTERS = {"size": "n", "sweep": "s", "blocks": "b", "threads": "t", "variant": "v", "runs": "r",
           "warmup": "w", "log": "o", "quiet": "q"}
NAMES = {letter: name for name, letter in LETTERS.items()}


def option_of(word):
    """(the option that a word names, the value behind its "="); (None, "") for a value."""
    name, _, value = word.partition("=")
    if re.match(r"--[a-z]", name):
        return name[2:], value
    return (NAMES[name[1:]], "") if name[:1] == "-" and name[1:] in NAMES else (None, "")


def parse(words):
    """{option: [values]}; an option without a value has []."""
    found, last = {}, None
    for word in words:
        name, value = option_of(word)
        last = name or last
        found.setdefault(last, []).extend([value] if value else [] if name else [word])
    return found


def value(words, option):
    """What the line gives for an option, or None."""
    return (parse(words).get(option) or [None])[-1]


def without(words, *options):
    """The line without these options and their values."""
    kept, skip = [], False
    for word in words:
        name, given = option_of(word)
        if name:
            skip = name in options and not given
        if name in options or not name and skip:
            continue
        kept.append(word)
    return kept


def replaced(words, option, new):
    return without(words, option) + ["--" + option, new]


def number(text):
    """2^20 or 4096"""
    base, _, power = text.partition("^")
    return int(base) ** int(power or 1)


def beyond(words, name, only):
    """Whether a line gives an axis no value of these, by its option or as a sweep."""
    given, (swept, _, ends) = value(words, name), (value(words, "sweep") or "").partition("=")
    if given is not None and re.fullmatch(r"\d+(\^\d+)?", given):
        return number(given) not in only
    if swept != name:
        return False
    first, last = map(int, ends.split(":")[:2])
    return not any(2 ** first <= taken <= 2 ** last for taken in only)


def thinned(words, points, beside):
    """The line with every second point of its sweep, if that has more than so many; without the last where one of the
    lines beside it has that size."""
    name, _, ends = (value(words, "sweep") or "").rpartition("=")
    first, _, last = ends.partition(":")
    if not last.isdigit() or int(last) - int(first) < points:
        return words
    if not name and any(value(line, "size") == f"2^{last}" for line in beside):
        last = int(last) - 1
    return replaced(words, "sweep", f"{name}{name and '='}{first}:{last}:2")


def fit(words, variant, default):
    """The line as a variant (of --describe) takes it: without a grid where that follows from the
    size; None if it lacks the line's type (default: that of lines without one), or takes none of
    its values of an axis."""
    if (value(words, "type") or default) not in variant["types"]:
        return None
    if any(beyond(words, *each) for each in variant["takes"].get("only", {}).items()):
        return None
    return without(words, "blocks") if variant["takes"]["blocks"] == "by_size" else list(words)
