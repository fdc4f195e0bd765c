"""
The text of a .cu file, as far as mutants must understand it.
"""
import re


def blank(text):
    """The text with comments, literals and preprocessor lines turned to spaces, length kept."""
    token = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
                       r'|^[ \t]*#(?:\\\n|[^\n])*', re.DOTALL | re.MULTILINE)
    return token.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)


def matching(code, at):
    """Where the bracket that opens at `at` closes."""
    depth = 0
    for i in range(at, len(code)):
        depth += (code[i] in "([{") - (code[i] in ")]}")
        if depth == 0:
            return i
    raise ValueError(f"no bracket closes {code[at:at + 40]!r}")


def until(code, at, ends, last=None):
    """Where an expression that begins at `at` ends: before one of ends, outside of brackets and template arguments, or
    an unmatched bracket; at the last. A `::` is no end."""
    depth = angles = 0
    for i in range(at, len(code) if last is None else last):
        if depth == 0 and (code[i] in ")]}" or
                           not angles and code.startswith(ends, i) and "::" not in code[i - 1:i + 2]):
            return i
        depth += (code[i] in "([{") - (code[i] in ")]}")
        angles += re.match(r"\w<[^\s=<]", code[i - 1:i + 2]) is not None
        angles -= angles > 0 and code[i] == ">" and code[i - 1] not in " -"
    return len(code) if last is None else last


def behind_template(code, at):
    """Where a declaration's `template <...>`, if it begins with one, has ended: a `=` in it initialises nothing."""
    head = re.compile(r"template\s*<[^<>]*>").match(code, at)
    return head.end() if head else at


def names_before_brackets(head):
    """Those of a declaration's head, and none of what stands in the brackets of __launch_bounds__."""
    bounds = head.find("__launch_bounds__")
    if bounds >= 0:
        head = head[:bounds] + head[matching(head, head.index("(", bounds)) + 1:]
    return re.findall(r"(\w+)(?:<[\w, ]*>)?\s*\(", head)


def squeeze(text):
    return re.sub(r"\s+", " ", text).strip()
