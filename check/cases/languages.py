"""
Pages in other languages. What docs/pages asks of them is seen to find each fault: an English paragraph that has
changed, is new or is gone, a translation that lacks a number, a code or a link, or that is none. Then the pages that
there are: each has an English page, and the glossaries have the same entries. Then some of them in a browser, where
Chromium, its driver and fonts are: check/browser_languages.py.
"""
import ast
import glob
import os
import re

from common.commands import languages
from common.commands.languages import LANGUAGES
from common.commands.drive.support import SOURCE, case, leave, program_cases, run
from common.commands.practice import counters, explain, findings, hints, report, words
from common.commands.runner import packages
from docs.page_writer import translations
from docs.server import runs, web
from docs.site_builder import heat, translated

PAGE = """# A title: two words

A paragraph with `code x`, 12 numbers,
3907. And [a link](mutants.md#order), [a log](../plots/log.py). It is faster.<!-- rows: us(a/b) < us(c/d);
  us(c/d) < 3 --> So it goes on.

![a picture with words](figures/add.svg)

```c
int of_code;
```

- the item of a [warp](glossary.md#warp)
- <a id="other"></a>**other** (others): an item with a name

<!-- begin: code steps/add/add.cu add -->
```c
made text
```
<!-- end -->

    indented code stays

| head | of a table |
| --- | --- |
| first row | second cell |

1. The first question, in words.

   ```sh
   build/steps/add/add
   ```

   It has a second paragraph.

<details><summary>Answer</summary>

The answer's words.

</details>

2. The second question, in words.

<details><summary>Answer</summary>

</details>

[before: start](start.md) · [all steps](index.md)
"""
KEPT = ("int of_code;", "made text", "    indented code stays", "   build/steps/add/add", "</details>", "# ", "\n1. ",
        "\n2. ", '<a id="other"></a>', "<details><summary>", "\n\n   ")


def chinese(unit):
    """A translation with all that one must have."""
    text = translations.plain(unit.text)
    return re.sub(r"(?m)^\|(?! ---)", "| 中", text) if text.startswith("|") else re.sub(r"^(\W*)", r"\1中文 ", text)


def made(page=PAGE, text=""):
    return translations.right(page, text, "page", "zh")


def whole():
    """The file of a page that is translated in full."""
    units = translations.once(translated.units(PAGE))
    return made(text="\n\n".join(f"<!-- en {unit.mark}: {unit.beginning} -->\n{chinese(unit)}" for unit in units))[0]


def split():
    found = [unit.text.split("\n")[0][:24] for unit in translated.units(PAGE)]
    case(found == ["A title: two words", "A paragraph with `code x", "![a picture with words](",
                   "the item of a [warp](glo", "**other** (others): an i", "| head | of a table |",
                   "The first question, in w",
                   "It has a second paragrap", "Answer", "The answer's words.", "The second question, in ", "Answer"],
         "languages: the paragraphs of a page, and nothing else", found)


def begun():
    """A new file, and a page in which all is translated."""
    text, faults = made()
    case(len(faults) == 11 and all("no translation of" in fault for _, fault in faults),
         "languages: an empty page lacks all", faults)
    again, faults = made(text=text)
    case(again == text and len(faults) == 11 and all("not translated yet" in fault for _, fault in faults),
         "languages: --write puts the English text in, which is no translation", faults)
    text, faults = made(text=whole())
    case(text == whole() and not faults, "languages: a page that is translated passes", faults)
    case(all(f"]({link})" in text for link in ("../mutants.md#order", "../../plots/log.py", "../figures/add.svg")) and
         "[中文 warp" not in text, "languages: its links lead from its own directory", text)


def put_together():
    page, anchors, missing = translated.assembled(PAGE, whole())
    case(not missing and all(kept in page for kept in KEPT) and page.count("中文") == 11,
         "languages: code, what is made, numbers of items and folds are the English page's own", page)
    case(anchors == {"中文 A title: two words": "a-title-two-words"}, "languages: headings keep their anchors", anchors)
    changed = PAGE.replace("The first question", "The very first question")
    page, _, missing = translated.assembled(changed, whole())
    case(len(missing) == 1 and "1. The very first question" in page and page.count("中文") == 10,
         "languages: an English paragraph that has changed stands in English", page)


def changes():
    """Each change of the English page is named, with its line; what is made may change."""
    for old, new in (("two words", "three words"), ("12 numbers", "13 numbers"), ("picture with", "picture of"),
                     ("item of a", "item of one"), ("an item with", "an entry with"), ("second cell", "third cell"),
                     ("first question", "third question"), ("a second paragraph", "another paragraph"),
                     ("answer's words", "answer"), ("(mutants.md#order)", "(mutants.md#races)")):
        changed = PAGE.replace(old, new)
        faults = made(changed, whole())[1]
        line = changed.count("\n", 0, changed.index(new)) + 1
        case(len(faults) == 1 and "has changed" in faults[0][1] and
             0 <= line - int(re.search(r"docs/page\.md:(\d+)", faults[0][1])[1]) <= 2,
             f"languages: finds '{old}' changed to '{new}'", faults)
        kept = made(changed, whole())[0]
        case(kept == made(changed, kept)[0] and made(changed, kept)[1], "languages: and --write does not hide it", kept)
    for old, new in (("made text", "other text"), ("int of_code", "int of_other"), ("us(a/b)", "us(e/f)"),
                     ("[warp](glossary.md#warp)", "warp"), ("numbers,\n3907", "numbers, 3907"),
                     ("build/steps", "other/steps")):
        faults = made(PAGE.replace(old, new), whole())[1]
        case(not faults, f"languages: {old!r} is no text to translate", faults)
    faults = made(PAGE.replace("2. The", "A new paragraph.\n\n2. The"), whole())[1]
    case([fault[:38] for _, fault in faults] == ["no translation of 'A new paragraph.' (d"[:38]],
         "languages: finds a paragraph that is new", faults)
    faults = made(PAGE.replace("- the item of a [warp](glossary.md#warp)\n", ""), whole())[1]
    case(len(faults) == 1 and "gone" in faults[0][1], "languages: finds a paragraph that is gone", faults)
    picture = "![a picture with words](figures/add.svg)\n"
    moved = PAGE.replace(picture + "\n", "").replace("[before: start](start.md) · [all steps](index.md)\n", picture)
    text, faults = made(moved, whole())
    case(not faults and text.index("figures/add.svg") > text.index("second question"),
         "languages: --write follows the English page's order", text)


def mended():
    """Who has mended a translation leaves <!-- en -->, and --write puts the mark there."""
    changed = PAGE.replace("12 numbers", "13 numbers")
    text = re.sub(r"<!-- en \w+: A paragraph.* -->", "<!-- en -->", whole()).replace("12 numbers", "13 numbers")
    text, faults = made(changed, text)
    case(not faults and made(changed, text)[1] == [] and "<!-- en -->" not in text,
         "languages: a mended paragraph gets its mark by its place", f"{faults}\n{text}")
    faults = made(changed, re.sub(r"<!-- en \w+: A paragraph.* -->", "<!-- en -->", whole()))[1]
    case(len(faults) == 1 and "numbers lack 13" in faults[0][1], "languages: and must fit the new one", faults)


def unlike():
    """What a translation takes over from its paragraph."""
    for old, new, wanted in (("`code x`", "code x", "its code lack code x"), ("12", "twelve", "its numbers lack 12"),
                             ("中文 The answer's words.", "中文 7", "its numbers have 7"),
                             ("mutants.md#order", "mutants.md", "its links lack mutants.md#order"),
                             ("../figures/add.svg", "../figures/sub.svg", "its links lack figures/add.svg"),
                             ("中文 The answer's words.", "The answer is words.", "not in its language"),
                             ("中文 The answer's words.", "답의 말", "not in its language"),
                             ("second cell |", "second cell | 三 |", "its table has other rows"),
                             ("中文 The answer's words.", "中文 `x`", "its code have x")):
        case(old in whole(), f"languages: '{old}' is there to be changed")
        faults = made(text=whole().replace(old, new))[1]
        case(len(faults) == 1 and wanted in faults[0][1], f"languages: {wanted}", faults)


def of_this_tree():
    for language in LANGUAGES:
        names = translated.pages(language)
        lost = [name for name in names if not os.path.exists(os.path.join(SOURCE, "docs", name + ".md"))]
        case(names and not lost, f"languages: {language}: each page has an English one", lost)
        with open(os.path.join(SOURCE, "docs", "glossary.md"), encoding="utf-8") as file:
            glossary = file.read()
        wanted, have = translated.terms(glossary), translated.terms(translated.assembled(
            glossary, translated.read(language, "glossary"))[0])
        letter = LANGUAGES[language].letter
        same = [anchor for anchor in wanted if not re.search(letter, have[anchor][0] + have[anchor][1])]
        case(len(wanted) >= 30 and list(wanted) == list(have) and not same,
             f"languages: {language}: the glossary has all entries", same)
        text = translated.read(language, "glossary")
        entry = re.search(r"^- <a id=\"lane\">.*\n", glossary, re.MULTILINE)[0]
        for what, changed in (("gets", glossary.replace(entry, entry + entry.replace("lane", "half"))),
                              ("loses", glossary.replace(entry, ""))):
            faults = translations.right(changed, text, "glossary", language)[1]
            case(len(faults) == 1, f"languages: {language}: finds that the glossary {what} an entry", faults)
    unknown = [path for path in glob.glob(os.path.join(SOURCE, "docs", "??", "*.md"))
               if os.path.basename(os.path.dirname(path)) not in LANGUAGES]
    case(not unknown, "languages: each directory of pages is of a language", unknown)


def literals(node):
    """The texts that an expression may be."""
    if isinstance(node, ast.IfExp):
        return literals(node.body) | literals(node.orelse)
    return {node.value} if isinstance(node, ast.Constant) else set()


def said_by(*patterns):
    """The messages that programs, templates and scripts say: say("...") in their files; word("...") is said later."""
    found = set()
    for path in (path for pattern in patterns for path in glob.glob(os.path.join(SOURCE, pattern))):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if not path.endswith(".py"):
            found |= set(re.findall(r'\b(?:say|word)\(\s*"([^"]*)"', text))
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and "say" in (getattr(node.func, "id", ""), getattr(node.func, "attr", "")):
                found |= literals(node.args[0])
    return found


def messages_of(name, path, said):
    """A file of messages has what is said, in each language, and nothing else."""
    messages = languages.read(os.path.join(SOURCE, path))
    found = list(languages.faults(messages, said))
    case(len(said) > 5 and not found, f"languages: {name}: all that is said is there in each language", found)
    first, valued = next(iter(messages)), next(message for message in messages if "{" in message)
    for what, spoilt, sayings in (
            ("no translation", messages, said | {"Something new"}), ("any more", messages, said - {first}),
            ("not there in ko", {**messages, first: {"zh": messages[first]["zh"]}}, said),
            ("other values in zh", {**messages, valued: {**messages[valued], "zh": "没有"}}, said),
            ("no language here", {**messages, first: {**messages[first], "xx": "x"}}, said)):
        found = list(languages.faults(spoilt, sayings))
        case(len(found) == 1 and what in found[0], f"languages: {name}: finds {what}", found)


def spoken():
    messages_of("the site", "docs/site_builder/parts/words.txt", said_by(
        "docs/site_builder/parts/*.html", "docs/site_builder/parts/*.js", "docs/site_builder/*.py")
        | {title for title, _, _ in heat.KINDS.values()})
    messages_of("the editor", "docs/server/parts/words.txt", said_by(
        *(f"docs/server/parts/{name}" for name in web.SCRIPTS)) | {*runs.WHY.values(), runs.TOO_MUCH})
    template = ""
    for name in ("page.html", "watch.html"):
        with open(os.path.join(SOURCE, "docs/site_builder/parts", name), encoding="utf-8") as file:
            template += re.sub(r"{[{%].*?[%}]}", "", file.read())
    bare = re.findall(r">[^<>{}]*?([A-Za-z]{4,})[^<>{}]*?<",
        re.sub(r"<kbd>.*?</kbd>|<option>float<|README", "", template)) + \
        re.findall(r'(?:aria-label|title)="([^"]+)"', template)
    case(not bare, "languages: the site's frame has no word that it does not say", bare)
    messages_of("the judge", "common/commands/practice/messages.txt", said_by("common/commands/practice/*.py") | {
        *findings.NAMES.values(), *findings.ADVICE.values(), counters.STEPS, "launches",
        *(text for rule in hints.RULES for text in (rule.question, rule.cause)), *hints.WITH.values(),
        *(kind + "s" for kind in explain.KINDS), *(name for name, _ in counters.SINGLE),
        *(name for pair in counters.PAIRS for name in (pair[0], pair[2]))})
    for name, wanted in (("zh_CN.UTF-8", "zh"), ("ko", "ko"), ("en_US.UTF-8", "en"), ("C", "en"), ("de_DE", "en")):
        case(languages.chosen(name) == wanted, f"languages: {name} is {wanted}")


RESULT = {
    "device": "cpu", "tried": 3, "launches": 9,
    "variants": [{"variant": "sequential", "launches": 3, "right": 2, "found": 1}],
    "mistake": {"kind": "race", "lines": [31, 34], "text": "", "advice": ""},
    "launch": {"options": ["-n", "9"], "said": ["--check: race: ..."], "accesses": [
        {"what": "shared load", "yours": 64, "step": 128, "lines": [31]}]}}


def judged():
    """What a person reads of a mistake, in each language: all of it, in columns, and in English as before."""
    for language in ("en", *LANGUAGES):
        words.choose(language)
        advice = findings.advice({"kind": "race", "text": ""}, [31, 34])
        text = [*report.variants(RESULT), *report.mistake({**RESULT["mistake"], "advice": advice}, "x.cu", ""),
                *report.launch(RESULT["launch"], "x")]
        spoken_lines = [line for line in text if not re.match(r"\s*(\$|--check: )|$", line)]
        letters = [re.search(LANGUAGES[language].letter, line) if language in LANGUAGES else
                   not re.search("[^\x00-\x7f]", line) for line in spoken_lines]
        case(len(text) > 5 and all(letters), f"languages: the judge speaks {language}", "\n".join(text))
        rows = counters.beside({"barriers": "9", "global loads": "64"}, {"barriers": "9", "global loads": "128"})
        ends = {words.columns(row.partition("  <==")[0]) for row in rows}
        case(len(rows) == 3 and len(ends) == 1, f"languages: {language}: columns stand below each other",
             "\n".join(rows))
    words.choose("en")
    done = run(os.path.join(SOURCE, "steps", "practice"), "reduce2", "--language", "xx")
    case(done.status == 2 and "--language xx" in done.err, "languages: an unknown language is refused", done)
    done = run(os.path.join(SOURCE, "steps", "practice"), "--list", "--language", "zh")
    case(done.status == 0, "languages: a known one is accepted", done)


def main():
    split()
    begun()
    put_together()
    changes()
    mended()
    unlike()
    of_this_tree()
    spoken()
    judged()
    lacking = packages.missing_of_site(driver=True, fonts=True)
    if lacking:
        print(f"ok - languages: in a browser # skip missing: {' '.join(lacking)}; check/run --browser installs them")
        leave()
    python = packages.python_of_site(driver=True)[0]
    program_cases(python, "-B", os.path.join(SOURCE, "check", "browser_languages.py"), limit=900)
    leave()


if __name__ == "__main__":
    main()
