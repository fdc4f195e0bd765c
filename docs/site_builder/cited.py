"""
Which lines of a source a page speaks of. docs/pages cuts its code by the same spans, and looks for
headings by the same names.
"""
import re

WORD = re.compile(r"[A-Za-z_]\w*$")
CALL = re.compile(r"([A-Za-z_]\w*)\s*(?:<[^<>]*>)?\s*(?:\(\))?$")  # name, name<0>, name()
PLACE = re.compile(r"([\w-]+\.(?:cu|h)):(\d+)")
HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")
FEW = 6  # a word that stands on more lines than this cites none of them


def anchor(heading):
    """A heading's name in a link, as GitHub makes it."""
    heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[^\w -]", "", heading.strip().lower()).replace(" ", "-")


def span(lines, name):
    """(first, last) of a function's or struct's definition, from its first line (template, qualifiers)
    to the brace that closes it, counted from 0; None if there is none."""
    named = re.compile(rf"\b{re.escape(name)}\s*\(|^struct {re.escape(name)}\b.*{{$")
    for at, line in enumerate(lines):
        if line[:1] in ("", " ", "\t", "#", "/", "*", "}") or not named.search(line):
            continue
        end = at
        # A declaration ends with a semicolon before any line "{".
        while end < len(lines) and not lines[end].startswith("{"):
            if lines[end].rstrip().endswith(";"):
                break
            if lines[end].rstrip().endswith("{"):
                break
            end += 1
        if end == len(lines) or lines[end].rstrip().endswith(";"):
            continue
        while end < len(lines) and not lines[end].startswith("}"):
            end += 1
        begin = at
        while begin > 0 and re.match(r"[A-Za-z_]", lines[begin - 1]) and \
                not lines[begin - 1].rstrip().endswith((";", ":")):
            begin -= 1
        return begin, min(end, len(lines) - 1)
    return None


def head_of(lines):
    """How many lines the comment at the head of a file has."""
    if not lines or not lines[0].startswith("/*"):
        return 0
    return next((at + 1 for at, line in enumerate(lines) if "*/" in line), 0)


class Source:
    """A file that a page speaks of. Its lines count from 1 here."""

    def __init__(self, path, text):
        self.path, self.name = path, path.rpartition("/")[2]
        self.lines = text.rstrip("\n").split("\n")
        self.head = head_of(self.lines)
        self.variants = {name: self._variant(name) for name in self._variant_names()}

    def told(self):
        """{"Idea": text, ...} of the comment at the head of a step."""
        found, last = {}, None
        for line in self.lines[:self.head]:
            entry = re.match(r" \* ([A-Z][a-z]+) {3,}(\S.*)", line)
            if entry:
                last, found[entry[1]] = entry[1], entry[2]
            elif last and re.match(r" \* {3,}\S", line):
                found[last] += " " + line[2:].strip()
            elif line.strip() != "*/":
                last = None
        return found

    def _variant_names(self):
        text = "\n".join(self.lines)
        table = re.search(r"struct variant \w+\[\] = {\n(.*?)\n};", text, re.DOTALL)
        return re.findall(r'{\s*"([\w-]+)"', table[1]) if table else []

    def defined(self, name):
        found = span(self.lines, name)
        return set(range(found[0] + 1, found[1] + 2)) if found else set()

    def _variant(self, name):
        """The lines of a variant's launch function and of the kernels that it launches."""
        at = next(at for at, line in enumerate(self.lines) if f'{{"{name}"' in line)
        end = at
        while end + 1 < len(self.lines) and not re.match(r'\s*{"|};', self.lines[end + 1]):
            end += 1
        row = re.sub(r'"[^"]*"', "", " ".join(self.lines[at:end + 1]))
        found = set()
        for function in re.findall(r"[A-Za-z_]\w*", row):
            body = self.defined(function)
            found |= body
            for kernel in re.findall(r"(\w+)\s*(?:<[^<>;]*>)?\s*<<<", self.text(body)):
                found |= self.defined(kernel)
        return found or set(range(at + 1, end + 2))

    def text(self, numbers):
        return "\n".join(self.lines[number - 1] for number in sorted(numbers))

    def of_word(self, code):
        """The lines that a word in code type speaks of: a variant, a definition, or what stands on few
        lines."""
        code = " ".join(code.split())
        if code in self.variants:
            return self.variants[code]
        call = CALL.match(code)
        if call and self.defined(call[1]):
            return self.defined(call[1])
        if len(code) < 3 or code in ("int", "float", "f32", "i32", "element"):
            return set()
        look = call[1] if call else code
        pattern = re.escape(look).replace(r"\ ", r"\s+")
        pattern = (r"(?<!\w)" if re.match(r"\w", look) else "") + pattern + \
            (r"(?!\w)" if re.search(r"\w$", look) else "")
        found = {at for at, line in enumerate(self.lines, 1)
                 if at > self.head and re.search(pattern, line)}
        return found if len(found) <= FEW else set()


def patched(patch):
    """[(file's path, [(line before, line after, mark, text)])] of a patch. A line that is not there on
    one side has the number of the next that is."""
    found, before, after = [], 0, 0
    for line in patch.split("\n"):
        if line.startswith("+++ "):
            found.append((line[4:].strip().partition("/")[2], []))
        elif HUNK.match(line):
            before, after = map(int, HUNK.match(line).groups())
        elif found and line[:1] in ("+", "-", " ") and not line.startswith("---"):
            found[-1][1].append((before, after, line[0], line[1:]))
            before, after = before + (line[0] != "+"), after + (line[0] != "-")
    return found


def _of_file(patch, name):
    return [line for path, lines in patched(patch) if path.rpartition("/")[2] == name
            for line in lines]


def changed(patch, name):
    """The lines of a file that a patch changes, as the file is without it: what it takes away, or else
    the lines on both sides of what it puts in."""
    lines = _of_file(patch, name)
    return {before for before, _, mark, _ in lines if mark == "-"} or \
        {number for before, _, mark, _ in lines if mark == "+" for number in (before - 1, before)}


def unpatched(patch, name, number):
    """The line of a file that is line `number` behind a patch; None for one that the patch put in."""
    shift = 0
    for before, after, mark, _ in _of_file(patch, name):
        if after == number and mark != "-":
            return before if mark == " " else None
        if after <= number:
            shift += {"-": 1, "+": -1, " ": 0}[mark]
    return number + shift
