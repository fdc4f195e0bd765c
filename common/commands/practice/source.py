"""A step's source: its functions for the device, and a copy without the body of one."""
import os
import re
import textwrap

from common.commands.practice import touched
from common.commands.runner.screen import Stop

WIDTH = 100
MOST_CALLS = 4
TASK = "Yours to write:"


class Function:
    """Lines of a text, from 0: begin, where the definition starts; open and close, its braces."""

    def __init__(self, name, lines, begin, open_, close):
        self.name, self.begin, self.open, self.close = name, begin, open_, close
        self.head = " ".join(lines[begin:open_ + 1])
        self.kernel = "__global__" in self.head
        before = self.head[:re.search(rf"\b{name}\s*\(", self.head).start()]
        self.is_void = re.search(r"\bvoid\b", before) is not None


def functions(text):
    """The functions for the device, in the order of the file, by name."""
    lines, found = touched.bare(text).split("\n"), {}  # a comment may look like code
    begin = None
    for at, line in enumerate(lines):
        if begin is None and re.match(r"(template\b|[A-Za-z_].*__(global|device)__|__(global|device)__)",
                                      line):
            begin = at
        if begin is None:
            continue
        if line.startswith("{") or line.rstrip().endswith("{"):
            close = next((end for end in range(at, len(lines)) if lines[end].startswith("}")), at)
            head = re.sub(r"__launch_bounds__\([^()]*(\([^()]*\)[^()]*)*\)", "",
                          " ".join(lines[begin:at + 1]))
            named = re.search(r"\b(\w+)\s*\(", head)
            if named and re.search(r"__(global|device)__", head):
                found.setdefault(named[1], Function(named[1], lines, begin, at, close))
            begin = None
        elif line.rstrip().endswith(";"):
            begin = None
    return found


def shown(root, step):
    """The functions of the step's file that its page shows, in the page's order."""
    try:
        with open(os.path.join(root, "docs", step + ".md"), encoding="utf-8") as file:
            return re.findall(rf"^<!-- begin: code steps/{step}/{step}\.cu (\w+) -->", file.read(),
                              re.MULTILINE)
    except OSError:
        return []


def chosen(root, step, text):
    """What is taken out of a step: the first kernel that its page shows, else the first function for
    the device; of a step without a page its first kernel."""
    found = functions(text)
    if not found:
        raise Stop(f"{step}: it has no function for the device, so there is none to write", 2)
    listed = [name for name in shown(root, step) if name in found] or list(found)
    kernels = [name for name in listed if found[name].kernel]
    return found[(kernels or listed)[0]]


def comment_above(lines, at):
    """The text of the comment that ends above a line."""
    if at == 0 or not lines[at - 1].rstrip().endswith("*/"):
        return ""
    first = at - 1
    while first > 0 and "/*" not in lines[first]:
        first -= 1
    text = "\n".join(lines[first:at])
    text = text[text.index("/*") + 2:text.rindex("*/")]
    return " ".join(re.sub(r"^\s*\*\s?", "", line).strip() for line in text.split("\n")).strip()


def is_empty(text, function):
    """Whether nothing but comments stands in a function, and what lets it compile."""
    body = touched.bare("\n".join(text.split("\n")[function.open:function.close]))
    return not re.sub(r"^[^{]*\{|return\s*\{\s*\}\s*;", "", body).strip()


def idea(text):
    """What the comment at the head of a step says under "Idea"."""
    found = re.search(r"^ \* Idea +(.*(?:\n \*  .*)*)", text, re.MULTILINE)
    words = re.sub(r"\n \* +", " ", found[1]) if found else "what the head of this file says"
    return words.strip()


def calls(text, function):
    """The statements that call it, but for those in itself."""
    lines = text.split("\n")
    rest = "\n".join([*lines[:function.begin], *lines[function.close + 1:]])
    rest = re.sub(r"/\*.*?\*/", "", rest, flags=re.DOTALL)
    found = []
    for call in re.finditer(rf"^[ \t]+[^\n;]*\b{function.name}\s*(<[^;{{}}]*?>\s*)?(<<<|\()[^;]*;", rest,
                            re.MULTILINE):
        found.append(" ".join(call[0].split()))
    return list(dict.fromkeys(found))


def task(text, function, family, step):
    """The lines of the comment that takes the body's place."""
    lines = text.split("\n")
    says = comment_above(lines, function.begin) or idea(text)
    called = calls(text, function)
    more = [*called[:MOST_CALLS], *(["..."] if len(called) > MOST_CALLS else [])]
    body = textwrap.wrap(f"{TASK} {says}", WIDTH - 7, break_on_hyphens=False)
    if called:
        body += ["", "It is called by"]
        for each in more:
            body += textwrap.wrap(each, WIDTH - 11, initial_indent="    ", subsequent_indent="        ",
                                  break_long_words=False, break_on_hyphens=False)
    body += ["", f"What w holds: common/families/{family}/{family}.h. The page: docs/{step}.md."]
    return ["    /*", *(f"     * {line}".rstrip() for line in body), "     */"]


def cut(text, function, family, step):
    """(the text with a comment in place of the function's body, the comment's line from 1)"""
    lines = text.split("\n")
    body = task(text, function, family, step)
    if not function.is_void:
        body.append("    return {}; /* so that it compiles; yours in its place */")
    return "\n".join([*lines[:function.open + 1], *body, *lines[function.close:]]), function.open + 2


def named(text, old, new):
    """The source of a step under another name, with a line at its head that says so."""
    changed, count = re.subn(rf'\bSTEP\("{re.escape(old)}"', f'STEP("{new}"', text)
    if count != 1:
        raise Stop(f"{old}: its last line names no step", 3)
    return re.sub(rf"\A/\*\n \* {re.escape(old)}: .*\n", f"/*\n * {new}: begun as a copy of {old}\n",
                  changed)
