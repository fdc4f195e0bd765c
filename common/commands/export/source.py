"""
A C, CUDA or header file of ours as items: functions, variables, types, macros, each with the comment above
it, the names that it defines and those that it uses.

It reads the C that clang-format leaves: what begins at the file's level is one item up to its ; or }.
"""
import re

TOKEN = re.compile(r"""(?P<comment>/\*.*?\*/|//[^\n]*)|(?P<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
                       |(?P<word>[A-Za-z_]\w*)|(?P<number>\.?\d(?:[eEpP][+-]|[\w.'])*)
                       |(?P<arrow>->|\.(?!\d))|(?P<space>\s+)|(?P<other>.)""", re.DOTALL | re.VERBOSE)
DIRECTIVE = re.compile(r"[ \t]*#[ \t]*(\w+)[ \t]*(.*)", re.DOTALL)
# There is no C in one .cu file.
LINKAGE = re.compile(r'^extern "C" \{\n', re.MULTILINE)  # its } closes nothing then: see split
LINKAGE_IN_MACRO = re.compile(r'^ *extern "C" \{ *\\\n(.*?)^ *\} *\\\n', re.DOTALL | re.MULTILINE)
ATTRIBUTES = {"__attribute__", "__launch_bounds__", "__align__", "alignas", "defined"}


class Token:
    def __init__(self, kind, text, start):
        self.kind, self.text, self.start = kind, text, start


def tokens(text):
    return [Token(match.lastgroup, match[0], match.start()) for match in TOKEN.finditer(text)]


def code(text):
    """The tokens without spaces and comments."""
    return [token for token in tokens(text) if token.kind not in ("space", "comment")]


def logical_lines(text):
    """Lines, a directive with those that it is continued on."""
    lines = text.splitlines(keepends=True)
    while lines:
        line = lines.pop(0)
        while DIRECTIVE.match(line) and line.endswith("\\\n") and lines:
            line += lines.pop(0)
        yield line


def truth(word, rest, known):
    """What #if, #ifdef or #ifndef says; None where that is for the compiler to find out."""
    name = rest.split("/*")[0].strip()
    if word not in ("ifdef", "ifndef") or name not in known:
        return None
    return known[name] == (word == "ifdef")


def resolve(text, known):
    """The text without the branches that known, {macro: whether it is defined}, leaves out."""
    kept, stack = [], []  # of each #if around: whether it is known, and its present branch taken
    for line in logical_lines(LINKAGE_IN_MACRO.sub(r"\1", LINKAGE.sub("", text))):
        match = DIRECTIVE.match(line)
        word = match[1] if match else None
        if word in ("if", "ifdef", "ifndef"):
            stack.append(truth(word, match[2], known))
            if stack[-1] is not None:
                continue
        elif word in ("else", "endif") and stack[-1] is not None:
            taken = stack.pop()
            if word == "else":
                stack.append(not taken)
            continue
        elif word == "endif":
            stack.pop()
            if False not in stack:
                kept.append(line)
            continue
        if False not in stack:
            kept.append(line)
    return "".join(kept)


def guard_of(text):
    """The macro that keeps a header from being read twice, or None."""
    match = re.search(r"^#ifndef (\w+)\n#define \1\n", text, re.MULTILINE)
    return match[1] if match else None


class Item:
    """text: with its comments. names: what it defines. tags: those of them that are types. uses: words that it names.
    reads: members that it reads. private: of its file alone. body: it is a function's definition, or a
    variable's. place: of its file."""

    def __init__(self, text, place):
        self.text, self.place = text, place
        self.names, self.tags, self.private, self.body, self.members = set(), set(), False, False, []
        words = code(text)
        if words and words[0].text == "#":
            self._directive(text)
        elif words:
            self._declaration(words)
        self.uses, self.reads = used(words)

    def _directive(self, text):
        self.private = True
        self.names = set(re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", text, re.MULTILINE))
        inner = "".join(line for line in logical_lines(text) if not DIRECTIVE.match(line))
        for item in split(inner)[0] if "endif" in text else []:  # what stands between #if and #endif
            self.names |= item.names
            self.tags |= item.tags

    def _declaration(self, words):
        head, depth, braces = [], 0, None
        for at, word in enumerate(words):
            if word.text in "([{":
                if word.text == "{" and depth == 0 and braces is None:
                    braces = at
                depth += 1
            elif word.text in ")]}":
                depth -= 1
            if depth == 0 or (depth == 1 and word.text in "([{"):
                head.append(word)
        texts = [word.text for word in head]
        before = words[braces - 1].text if braces else ""
        function = before in (")", "const") and "=" not in [word.text for word in words[:braces]]
        self.names = {typedef_name(words)} if texts[0] == "typedef" else pointed(words) or declared(texts)
        self.tags = {name for before, name, after in zip(texts, texts[1:], texts[2:])
                     if before in ("struct", "union", "enum") and after in ("{", ":", ";")}
        if braces and not function and "enum" in texts[:2]:
            self.names |= constants(words[braces:])
        self.body = function or "=" in texts or (braces is None and "(" not in texts and len(texts) > 3 and
                                                 texts[0] not in ("typedef", "extern"))
        self.private = "static" in texts or texts[0] in ("typedef", "template") or \
            texts[0] in ("struct", "union", "enum") and braces is not None and not self.body
        if "=" in texts and braces:
            self.members = designated(words, braces)


def used(words):
    """(the names that the tokens use, the members that they read)"""
    names, reads = set(), set()
    for at, word in enumerate(words):
        if word.kind != "word":
            continue
        if at and words[at - 1].kind == "arrow":
            if words[at - 1].text == "->" or words[at - 2].text not in "{,":
                reads.add(word.text)
        else:
            names.add(word.text)
    return names, reads


def declared(texts):
    """The names that a declaration at a file's level declares, by its tokens outside brackets."""
    found, skip = set(), False
    if texts[0] == "template":  # butterfly<1> is a butterfly, too
        texts = re.sub(r"< [^<>]*> ", "", " ".join(texts) + " ").split()
    for at, text in enumerate(texts[:-1]):
        after = texts[at + 1]
        if text == "=":
            skip = True  # up to the next comma
        elif text == ",":
            skip = False
        if skip or not re.match(r"[A-Za-z_]", text) or text in ATTRIBUTES:
            continue
        if after == "(":
            return found | {text}
        if after in ("=", ";", "[", ",") or after in ("{", ":") and texts[at - 1] in ("struct", "union", "enum"):
            found.add(text)
    return found


def pointed(words):
    """The name of a pointer to a function, as void (*name)(int); none where it is something else."""
    texts = [word.text for word in words]
    at = next((at for at, text in enumerate(texts) if text in "({="), len(texts))
    return set(texts[at + 2:at + 3]) if texts[at:at + 2] == ["(", "*"] else set()


def typedef_name(words):
    texts = [word.text for word in words]
    for at, text in enumerate(texts):
        if texts[at:at + 2] == ["(", "*"] or text == "(" and at > 2:
            return texts[at + 2] if texts[at + 1] == "*" else texts[at - 1]
    return texts[-2]


def constants(words):
    """Those of an enum, by the tokens from its { on."""
    return {word.text for before, word in zip(words, words[1:]) if before.text in ("{", ",") and word.kind == "word"}


def designated(words, braces):
    """Of {.a = x, .b = y}: (member, where its part begins and ends in the text, what it names, what it reads)."""
    parts, depth, begin = [], 0, braces + 1
    for at in range(braces, len(words)):
        depth += (words[at].text in "([{") - (words[at].text in ")]}")
        if (words[at].text == "," and depth == 1) or depth == 0:
            part = words[begin:at]
            if len(part) > 2 and part[0].text == "." and part[2].text == "=":
                end = words[at].start + (words[at].text == ",")
                parts.append((part[1].text, part[0].start, end, *used(part[2:])))
            begin = at + 1
        if depth == 0:
            break
    return parts


def split(text):
    """Items of a file's text, in order, and what it includes: ([item], [('"x.h"', how many items stand above)])."""
    items, includes, begin, depth, at = [], [], 0, 0, 0
    waiting = False  # an item has begun
    conditional = 0
    listed = tokens(text)
    number = 0
    while number < len(listed):
        token = listed[number]
        number += 1
        line_start = text.rfind("\n", 0, token.start) + 1
        if token.text == "#" and not text[line_start:token.start].strip() and depth == 0:
            at = token.start
            line = next(logical_lines(text[at:]))
            if re.search(r"/\*(?!.*\*/)", line, re.DOTALL):
                line = text[at:text.index("*/", at) + 2] + "\n"
            match = DIRECTIVE.match(line)
            conditional += (match[1] in ("if", "ifdef", "ifndef")) - (match[1] == "endif")
            while number < len(listed) and listed[number].start < at + len(line):
                number += 1
            if match[1] == "include" and not conditional:
                includes.append((match[2].split("/*")[0].strip(), len(items)))
                begin, waiting = at + len(line), False
            elif not conditional:
                items.append(Item(text[begin:at + len(line)].strip("\n"), len(items)))
                begin, waiting = at + len(line), False
            continue
        if token.kind == "space" and not waiting and not conditional and token.text.count("\n") > 1:
            begin = token.start + len(token.text)  # a comment that belongs to none
        if token.kind in ("space", "comment"):
            continue
        if token.text == "}" and depth == 0:
            begin, waiting = token.start + 1, False
            continue
        waiting = True
        depth += (token.text in "([{") - (token.text in ")]}")
        if depth or conditional or token.text not in ";}":
            continue
        if token.text == "}" and not ends_function(listed, number - 1):
            continue
        end = token.start + 1
        rest = re.match(r"[ \t]*(/\*[^\n]*\*/|//[^\n]*)", text[end:])
        if rest:  # a comment behind it
            end += rest.end()
            while number < len(listed) and listed[number].start < end:
                number += 1
        items.append(Item(text[begin:end].strip("\n"), len(items)))
        begin, waiting = end, False
    return items, includes


def ends_function(listed, at):
    """Whether the } at this place closes a function, and not a type or a table that goes on to a ;."""
    depth = 0
    while True:
        depth += (listed[at].text in ")]}") - (listed[at].text in "([{")
        if depth == 0:
            break
        at -= 1
    at -= 1
    while at > 0 and listed[at].kind in ("space", "comment"):
        at -= 1
    return listed[at].text in (")", "const")
