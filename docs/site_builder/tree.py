"""What there is to show, found in the tree: the pages, the steps in teaching order, their families."""
import glob
import os
import re

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FIRST, README = "index", "README"  # the page that puts the others in order; the tree's own


def inside(*parts):
    return os.path.join(ROOT, *parts)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def steps():
    """{step: family} in teaching order, as steps/meson.build has them."""
    table = re.search(r"^steps = \[\n(.*?)^\]", read(inside("steps", "meson.build")),
                      re.DOTALL | re.MULTILINE)
    return dict(re.findall(r"^\s*\['([\w-]+)', '([\w-]+)'", table[1], re.MULTILINE))


def readme():
    """README.md with links as a page of docs/ has them."""
    return re.sub(r"\]\((?![a-z]+:|#)(?!docs/)", "](../", read(inside("README.md"))).replace("](docs/", "](")


def pages():
    """{name: text} of all pages."""
    return {README: readme(), **{os.path.basename(path)[:-3]: read(path)
                                 for path in sorted(glob.glob(inside("docs", "*.md")))}}


def title(text):
    """(the page's heading, the part before its colon)"""
    found = re.search(r"^# (.*)$", text, re.MULTILINE)
    whole = found[1].strip() if found else "?"
    return whole, re.split("[:：]", whole)[0]


def order(texts, of_steps):
    """[(section, [pages])]: as the index has them. A step that is not in it stands behind the step before
    it, any other page in a section at the end."""
    sections, seen = [], {FIRST, README}
    for line in texts[FIRST].split("\n"):
        heading = re.match(r"## (.*)", line)
        if heading:
            sections.append((heading[1], []))
        listed = re.match(r"(?:\d+\.|-) \[[^\]]*\]\(([\w-]+)\.md\)", line)
        if listed and sections and listed[1] in texts and listed[1] not in seen:
            sections[-1][1].append(listed[1])
            seen.add(listed[1])
    before = None
    for step in of_steps:
        if step in texts and step not in seen:
            place = next((names for _, names in sections if before in names), None)
            if place is None:
                place = []
                sections.append(("More steps", place))
            place.insert(place.index(before) + 1 if before in place else len(place), step)
            seen.add(step)
        before = step if step in seen else before
    rest = [name for name in texts if name not in seen]
    return [section for section in sections if section[1]] + ([("More", rest)] if rest else [])


def before(step, of_steps, since):
    """The step that one is compared with, or None: the one before it in its family, unless the text
    `since`, at the head of its source, names others."""
    names = [name for name in of_steps if of_steps[name] == of_steps[step]]
    last = names[names.index(step) - 1] if step != names[0] else None
    named = [name for name in re.findall(r"[\w-]+", since) if name in of_steps and name != step]
    return last if last in named or not named else named[0]


def files_of(name, text, of_steps):
    """The paths of the sources beside a page: the step's own, then those that it takes code from."""
    found = [f"steps/{name}/{name}.cu"] if name in of_steps else []
    found += re.findall(r"^<!-- begin: code (\S+) ", text, re.MULTILINE)
    found += re.findall(r"^<!-- begin: verdict (\S+\.cu) ", text, re.MULTILINE)
    if name in of_steps:
        found += [f"steps/{name}/{other}" for other in re.findall(r"\b([\w-]+\.cu)\b", text)]
    return [path for path in dict.fromkeys(found) if os.path.exists(inside(path))]
