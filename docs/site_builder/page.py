"""
A page as HTML. Each paragraph, item, row and block of code that speaks of lines of the sources beside
it says which: data-lines="FILE:FIRST-LAST,..." with the number of the file.
"""
import html
import os
import re

from markdown_it import MarkdownIt
from markdown_it.token import Token

from docs.site_builder import cited, colour, tree

MADE = re.compile(r"<!-- begin: ([^\n]*?) -->\n(.*?)<!-- end -->", re.DOTALL)
COMMENT = re.compile(r"[ \t]*<!--.*?-->", re.DOTALL)
# The bar above has it, but for what of the second reading follows.
WAY = re.compile(r"^\[(?:before: |all steps).*?(?:· second reading: (.*))?$", re.MULTILINE)
TABLE = 'aria-label="table"'
# Commands: what is called so, and a single line that begins with a program's path.
COMMAND = re.compile(r'<pre><code(?= class="language-sh"|>(?:\./|build/)[^\n]*\n</code>)')
CODE = re.compile(r'(<pre class="command"><code[^>]*>|(?<!<pre>)<code>)([^<]*)</code>')
LONG_NAME = re.compile(r"(?<=<code>)[^<\s]{60,}(?=</code>)")  # wider than a column may be
WORD = re.compile(r"([^\s<>]*-[^\s<>]+)")
CLOSED = {"paragraph_open": "paragraph_close", "list_item_open": "list_item_close", "tr_open": "tr_close"}


def in_colour(text, language, _):
    """Of a block of code in the page itself; the others are left to Markdown."""
    return "\n".join(colour.lines_of(text)) + "\n" if language in ("c", "cuda", "cpp") else ""


def runs(numbers):
    """{1, 2, 3, 7} as "1-3,7-7"."""
    parts, numbers = [], sorted(numbers)
    for number in numbers:
        if parts and parts[-1][1] == number - 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    return ",".join(f"{first}-{last}" for first, last in parts)


class Page:
    """files: the Sources beside it. links: where a link of the page leads (url_of(target)). terms: what
    the glossary says, {anchor: (word, plain text)}. say: see common/commands/languages.py. anchors: of
    headings whose anchors are not made of their words.
    blocks: {id: {(file, line)}} after the rendering, in the page's order."""

    def __init__(self, name, text, files, links, terms, say, anchors):
        self.name, self.files, self.links, self.terms = name, files, links, terms
        self.say, self.anchors = say, anchors
        self.blocks, self.used_terms, self.sections, self.spoken = {}, {}, [], ""
        self.title, self.short = tree.title(text)
        self.markdown = MarkdownIt("commonmark", {"html": True, "highlight": in_colour}).enable("table")
        self.html = self._render(text)

    # --- which lines ---------------------------------------------------------------------------

    def cites(self, code):
        """{(file, line)} of a word in code type: those of the first file that has it."""
        for at, source in enumerate(self.files):
            found = source.of_word(code)
            if found:
                return {(at, number) for number in found}
        return set()

    def of_variant(self, text):
        for at, source in enumerate(self.files):
            if text in source.variants:
                return {(at, number) for number in source.variants[text]}
        return set()

    def of_places(self, text, patch=""):
        """What FILE:LINE names in a program's output, which may be that of a changed source."""
        found = set()
        for name, number in cited.PLACE.findall(text):
            for at, source in enumerate(self.files):
                line = cited.unpatched(patch, name, int(number)) if source.name == name else None
                if line and line <= len(source.lines):
                    found.add((at, line))
        return found

    def note(self, found):
        """The attributes of a block that speaks of these lines."""
        if not found:
            return {}
        name = f"b{len(self.blocks) + 1}"
        self.blocks[name] = found
        files = sorted({at for at, _ in found})
        return {"id": name, "data-lines": ";".join(
            f"{at}:" + runs({number for of, number in found if of == at}) for at in files)}

    # --- what scripts have inserted --------------------------------------------------------------

    def code_block(self, path, function, text):
        """(HTML, {(file, line)}) of code that is cut from a source; without a function, the whole file."""
        at = next((at for at, source in enumerate(self.files) if source.path == path), None)
        if at is None:
            return f'<pre class="code" tabindex="0"><code>{html.escape(text)}</code></pre>', set()
        source = self.files[at]
        first, last = cited.span(source.lines, function) if function else (0, len(source.lines) - 1)
        shown = colour.lines_of("\n".join(source.lines[first:last + 1]))
        lines = "\n".join(f'<span class="l" data-n="{number}">{line}</span>'
                          for number, line in enumerate(shown, first + 1))
        said = {"first": first + 1, "last": last + 1, "file": html.escape(source.name)}
        name = self.say("{function}, lines {first} to {last} of {file}", **said,
                        function=f"<code>{html.escape(function)}</code>") if function else \
            self.say("Lines {first} to {last} of {file}", **said)
        return (f"<summary>{name}</summary>"
                f'<pre class="code" tabindex="0"><code>{lines}</code></pre>'), \
            {(at, number) for number in range(first + 1, last + 2)}

    def verdict(self, path, text):
        """The same of a patch, or of what a program said, maybe of a source so changed."""
        if path.endswith(".patch"):
            found = {(at, number) for at, source in enumerate(self.files)
                     for number in cited.changed(text, source.name) if number <= len(source.lines)}
            return f'<pre class="patch" tabindex="0"><code>{colour.patch(text)}</code></pre>', found
        if text.startswith("|"):
            return self.markdown.render(text), set()
        stem = path.rpartition("/")[2].rpartition(".")[0].partition("+")[0]
        change = tree.inside("docs", "mistakes", stem + ".patch")
        patch = tree.read(change) if os.path.exists(change) else ""
        shown = re.sub(r"^\$ (.*)$", r'<span class="typed">$ \1</span>', html.escape(text),
                       flags=re.MULTILINE)
        return f'<pre class="said" tabindex="0"><code>{shown}</code></pre>', self.of_places(text, patch)

    def block(self, match):
        """What stands between the marks, as HTML."""
        words, body = match[1].split(), match[2]
        if words[0] == "path" and body.startswith("First path"):
            return ""  # the bar above has it
        if words[0] not in ("code", "verdict"):
            made = self.render(body)
            return f'<div class="made {words[0]}">{marked(made, self.spoken) if words[0] == "counters" else made}</div>'
        text = re.sub(r"^```\w*\n|\n```\n?$", "", body)
        if words[0] == "code" or words[1].endswith(".cu"):
            inner, found = self.code_block(words[1], words[2] if words[2:] else "", text)
        else:
            inner, found = self.verdict(words[1], text)
        attributes = "".join(f' {key}="{value}"' for key, value in self.note(found).items())
        if inner.startswith("<summary"):
            return f'<details class="codeblock" open{attributes}>{inner}</details>'
        return f'<div class="{words[0]}block"{attributes}>{wrapped(inner)}</div>'

    # --- Markdown --------------------------------------------------------------------------------

    def _render(self, text):
        text = WAY.sub(lambda way: self.say("Second reading from here: {pages}", pages=way[1]) if way[1] else "", text)
        self.spoken = spoken_of(text)
        # Blocks are numbered in the page's order, so the parts between are rendered one by one.
        parts, at = [], 0
        for match in MADE.finditer(text):
            parts += [text[at:match.start()], match]
            at = match.end()
        parts.append(text[at:])
        made = []
        for number, part in enumerate(parts):
            if isinstance(part, str):
                following = parts[number + 1] if number + 1 < len(parts) else None
                made.append(self.render(COMMENT.sub("", part), following))
            else:
                made.append(self.block(part))
        return "\n".join(made)

    def render(self, text, following=None):
        tokens = self.markdown.parse(text)
        for at, token in enumerate(tokens):
            if token.type == "heading_open":
                words = tokens[at + 1].content
                name = self.anchors.get(words) or cited.anchor(words)
                token.attrSet("id", name)
                self.sections.append((int(token.tag[1]), name, tokens[at + 1].content))
            elif token.type in CLOSED:
                self._cite(tokens, at, following)
            if token.type == "inline":
                self._inline(token)
        return wrapped(self.markdown.renderer.render(tokens, self.markdown.options, {}))

    def _cite(self, tokens, at, following):
        """Gives a paragraph, an item without paragraphs or a row its lines."""
        token, end = tokens[at], at + 1
        if token.type == "paragraph_open" and token.hidden:
            return  # its item has them
        while not (tokens[end].type == CLOSED[token.type] and tokens[end].level == token.level):
            end += 1
        inside = tokens[at + 1:end]
        if token.type == "list_item_open" and not (inside and inside[0].hidden):
            return
        found, words = set(), []
        for inline in (each for each in inside if each.type == "inline"):
            words.append(inline.content)
            for child in inline.children or ():
                if child.type == "code_inline":
                    found |= self.cites(child.content)
            found |= self.of_places(inline.content)
        if token.type == "tr_open" and words:
            found |= self.of_variant(words[0].strip("`*"))
        last = "".join(words).rstrip().endswith((":", "：")) and all(
            each.type in ("paragraph_close",) for each in tokens[end:])
        if last and following is not None and following[1].startswith("code "):
            found |= self.code_block(*following[1].split()[1:], "")[1]
        for key, value in self.note(found).items():
            token.attrSet(key, value)

    def _inline(self, token):
        children = []
        for child in token.children or ():
            if child.type == "link_open":
                target = child.attrGet("href")
                child.attrSet("href", self.links(target))
                term = target.partition("glossary.md#")[2]
                if term in self.terms and self.name != "glossary":
                    child.attrSet("class", "term")
                    child.attrSet("data-term", term)
                    self.used_terms[term] = self.terms[term]
            elif child.type == "image":
                children += self._picture(child)
                continue
            elif child.type == "code_inline":
                found = self.cites(child.content)
                if found and not self._in_link(children):
                    at, first = min(found)
                    opened = Token("link_open", "a", 1, {"href": f"#L{at}-{first}", "class": "of-code"})
                    children += [opened, child, Token("link_close", "a", -1)]
                    continue
            children.append(child)
        token.children = children

    @staticmethod
    def _in_link(children):
        return sum(child.nesting for child in children if child.tag == "a") > 0

    def _picture(self, child):
        """A picture is a button that shows it large."""
        source, alt = self.links(child.attrGet("src")), html.escape(child.content)
        label = self.say("{picture}: enlarge", picture=alt)
        return [Token("html_inline", "", 0, content=(
            f'<button class="picture" type="button" aria-label="{label}">'
            f'<img src="{source}" alt="{alt}" loading="lazy"></button>'))]


def wrapped(text):
    """Tables may be wider than the page: they scroll by themselves. A head without words is none, and neither is
    a cell of one. Commands can be copied."""
    text = re.sub(r"<thead>\s*<tr>(?:\s*<th[^>]*></th>)*\s*</tr>\s*</thead>", "", text)
    text = re.sub(r"<th[^>]*></th>", "<td></td>", text)
    text = COMMAND.sub('<pre class="command"><code', text)
    text = CODE.sub(lambda match: match[1] + unbroken(match[2]) + "</code>", text)
    text = LONG_NAME.sub(lambda match: match[0].replace("_", "_<wbr>"), text)
    text = re.sub(r"<table>", '<div class="wide" tabindex="0" role="region" aria-label="table"><table>', text)
    text = text.replace("</table>", "</table></div>").replace("<th>", '<th scope="col">')
    text = re.sub(r"<th (?!scope)", '<th scope="col" ', text)
    return re.sub(r"<pre( class=\"command\")?><code", r'<pre\1 tabindex="0"><code', text)


def spoken_of(text):
    """What a page predicts and says of what was measured, without tables and code."""
    told = re.findall(r"^## (?:What to expect|Measured)\n(.*?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE)
    return COMMENT.sub("", MADE.sub("", " ".join(told))).lower()


def marked(table, words):
    """A table of counters in which those that the page speaks of are marked: the heads and their columns."""
    heads = [re.sub(r"<[^>]*>| each$", "", head) for head in re.findall(r"<th[^>]*>(.*?)</th>", table)]
    named = {at for at, head in enumerate(heads) if at > 3 and re.search(rf"\b{re.escape(head)}\b", words)}

    def row(match):
        at = iter(range(len(heads)))
        return re.sub(r"<(t[hd])\b", lambda cell: f'<{cell[1]} class="named"' if next(at, -1) in named else cell[0],
                      match[0])

    return re.sub(r"<tr\b.*?</tr>", row, table, flags=re.DOTALL)


def unbroken(code):
    """HTML of code in which a line never ends within a word: a browser would break `--option` behind its hyphens."""
    return WORD.sub(r'<span class="w">\1</span>', code)


def with_names(text, say):
    """The page with a name of its own for each table, as a reader that lists the regions needs it."""
    number = iter(range(1, text.count(TABLE) + 1))
    return re.sub(re.escape(TABLE), lambda _: 'aria-label="' + say("table {number}", number=next(number)) + '"', text)
