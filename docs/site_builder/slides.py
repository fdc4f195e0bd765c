"""
A step as slides, from what the page and its source say: the idea, the figures, the code with the lines
that are new, what to expect, what was measured, what goes wrong, exercises. Short sentences only; the
rest is the lecturer's.
"""
import html
import re
import textwrap

from docs.site_builder import colour, measured
from docs.site_builder.cited import span
from docs.site_builder.page import unbroken

MOST_LINES = 22  # of code on a slide
MOST_BARS = 14
MOST_NEW = 0.8  # of a function's lines: beyond that it is new as a whole, and no line is marked
WIDTH, HEIGHT = 43.8, 19.8  # in em, of what stands under a slide's title
GLYPH, LEADING = 0.605, 1.4  # of the type for code, in em
ROWS = 13  # of exercises on a slide
PICTURE = re.compile(r"^!\[([^\]]*)\]\(([^)]+)\)", re.MULTILINE)
MADE = re.compile(r"<!-- begin: ([^\n]*?) -->\n(.*?)<!-- end -->", re.DOTALL)
ANSWER = re.compile(r"^[ \t]*<details>.*?</details>", re.DOTALL | re.MULTILINE)
COMMANDS = re.compile(r"^([ \t]*)```\w*\n(.*?)^[ \t]*```$", re.DOTALL | re.MULTILINE)
COMMENT = re.compile(r"[ \t]*<!--.*?-->", re.DOTALL)


def sections(text):
    """{heading: text}, what stands before the first under ""."""
    parts = re.split(r"^## (.*)$", text, flags=re.MULTILINE)
    return dict(zip([""] + parts[1::2], parts[0::2]))


def words(text):
    """Markdown of a sentence or two as HTML: code, bold; links as their words."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", " ".join(COMMENT.sub("", text).split()))
    text = html.escape(text, quote=False)
    text = re.sub(r"`([^`]+)`", lambda match: f"<code>{unbroken(match[1])}</code>", text)
    return re.sub(r"\*\*([^*]+)\*\*", r"<b>\1</b>", re.sub(r"(?<!\*)\*([^*]+)\*(?!\*)", r"<i>\1</i>", text))


def sentences(text, most):
    """The first whole sentences of a paragraph, as many as fit in so many characters; at least one."""
    text = " ".join(COMMENT.sub("", text).split())
    found, length = [], 0
    for part in re.split(r"(?<=[.?!])\s+(?=[A-Z`*\[(])", text):
        plain = len(re.sub(r"\]\([^)]*\)", "", part))
        if found and length + plain > most:
            break
        found.append(part)
        length += plain
    return re.sub(":$", ".", " ".join(found))


def slide(title, body, kind=""):
    return f'<section class="slide {kind}"><h2>{title}</h2><div class="body">{body}</div></section>'


def size_of(lines):
    """The largest type, in em, in which the code fits on a slide."""
    longest = max((len(line) for line in lines), default=1)
    return round(min(0.9, WIDTH / (GLYPH * max(longest, 40) + 1.6), HEIGHT / (LEADING * max(len(lines), 8) + 1.2)), 3)


def broken(lines, size, width=WIDTH):
    """The lines with those that are too long broken between words, never within `a->b` or `--option`."""
    letters = int((width - 1.6 * size) / (GLYPH * size))
    return [part for line in lines for part in
            textwrap.wrap(line, letters, subsequent_indent="    ", break_on_hyphens=False,
                          break_long_words=False, drop_whitespace=True, replace_whitespace=False) or [""]]


def output(lines):
    """(size, lines) of what a program said: the largest type in which it stands on the slide."""
    for size in (0.75, 0.7, 0.65, 0.6, 0.55):
        made = broken(lines, size)
        if len(made) * LEADING * size < HEIGHT - 7:
            return size, made
    return 0.5, broken(lines, 0.5)


def code_slides(source, function, new, before):
    first, last = span(source.lines, function)
    shown = colour.lines_of("\n".join(source.lines[first:last + 1]))
    own = [number for number in range(first + 1, last + 2) if source.lines[number - 1].strip(" {}")]
    share = sum(number in new for number in own) / len(own)
    new = new if share <= MOST_NEW else set()
    note = "" if not share else f"all of it is new since {before}" if not new else f"marked: not in {before}"
    while first <= last:
        count = min(last - first + 1, MOST_LINES)
        if count < last - first + 1:  # rather behind an empty line than in the middle of a thought
            empty = [at for at in range(first + 8, first + count) if not source.lines[at].strip()]
            count = empty[-1] - first + 1 if empty else count
        plain = source.lines[first:first + count]
        lines = "".join(f'<span class="l{" new" if number in new else ""}" data-n="{number}">{line}</span>'
                        for number, line in enumerate(shown[:count], first + 1))
        yield slide(f"<code>{html.escape(function)}</code>",
                    f'<pre class="code" style="font-size:{size_of(plain)}em"><code>{lines}</code></pre>'
                    f'<p class="note">{html.escape(note)}</p>', "of-code")
        shown, first = shown[count:], first + count


def bar_slide(title, made, unit, size, device, shown):
    """The step before, or else the first bar, is drawn in any case; the others are empty until they are
    shown. A library's bars are left out where there are too many."""
    made = [bar for bar in made if len(made) <= MOST_BARS or bar.kind != "peer"][:MOST_BARS]
    most = max(bar.figure for bar in made)
    lines = []
    for bar in made:
        known = shown or bar is made[0]
        width = round(100 * bar.figure / most, 1) if known else 100
        text = (bar.text + ("" if bar.status == "ok" else f", {bar.status}")) if known else "?"
        lines.append(f'<dt>{html.escape(bar.label)}</dt><dd class="{bar.kind}{"" if known else " unknown"}">'
                     f'<span class="length" style="width:{width}%"></span><span class="figure">{text}</span></dd>')
    font = min(1.1, (HEIGHT - 1) / (1.75 * len(made)))
    return slide(title, f'<dl class="bars" style="font-size:{font:.2f}em">{"".join(lines)}</dl>'
                 f'<p class="note">{html.escape(unit)} · {html.escape(size)} · {html.escape(device)}</p>', "of-bars")


def wrong_slides(text):
    """A slide for each mistake: its name, a sentence or two, and the change or what was said."""
    for part in re.split(r"\n(?=\*\*)", text):
        lead = re.match(r"\s*\*\*([^*]+?)\*\*", part)
        if not lead:
            continue
        made = MADE.search(part)
        rest = part[lead.end():made.start() if made else None].split("\n\n")[0]
        # A title that the sentence goes on from stands in the sentence, too.
        whole = lead[1].rstrip().endswith((".", "?", "!"))
        told = sentences(rest if whole else part[lead.start():lead.end()] + rest, 260)
        body = f"<p>{words(told)}</p>" if told else ""
        if made and made[1].startswith("verdict"):
            lines = re.sub(r"^```\w*\n|\n```\n?$", "", made[2]).split("\n")
            patch = made[1].endswith(".patch")
            lines = (lines[3:] if patch else lines)[:12]
            size, lines = (min(0.75, size_of(lines)), lines) if patch else output(lines)
            shown = colour.patch("\n".join(lines)) if patch else html.escape("\n".join(lines))
            body += f'<pre class="{"patch" if patch else "said"}" style="font-size:{size:.3f}em">' \
                    f"<code>{shown}</code></pre>"
        yield slide("What goes wrong: " + words(lead[1].rstrip(".")), body)


def exercises(text):
    """The questions, each with its commands, on as many slides as they need."""
    items, pages = re.findall(r"^\d+\. (.*?)(?=^\d+\. |\Z)", ANSWER.sub("", MADE.sub("", text)),
                              re.DOTALL | re.MULTILINE), []
    for number, item in enumerate(items, 1):
        question = sentences(COMMANDS.sub("\n\n", item).strip(), 220)
        commands = "\n".join(textwrap.dedent(found[1] + found[2]).strip() for found in COMMANDS.finditer(item))
        lines = broken(commands.split("\n"), 0.7, WIDTH - 2) if commands else []
        code = f'<pre class="said"><code>{html.escape(chr(10).join(lines))}</code></pre>' if lines else ""
        rows = 1.5 + len(question) // 75 + len(lines)
        if not pages or pages[-1][0] + rows > ROWS:
            pages.append([0, ""])
        pages[-1][0] += rows
        pages[-1][1] += f'<li value="{number}">{words(question)}{code}</li>'
    for at, (_, made) in enumerate(pages, 1):
        yield slide("Exercises" + (f", {at} of {len(pages)}" if pages[1:] else ""), f"<ol>{made}</ol>")


def of_step(page, text, source, links, new, before, runs, recorded=False):
    """The slides of a step as HTML. new: the lines that the step before does not have. recorded: it can be watched."""
    told, parts = source.told(), sections(text)
    pictures = [f'<img src="{links(path)}" alt="{html.escape(alt)}">'
                for alt, path in PICTURE.findall(text) if "figures/" in path]
    alts = [alt for alt, path in PICTURE.findall(text) if "figures/" in path]
    idea = "".join(f'<p class="{key.lower()}">{words(told[key])}</p>' for key in ("Idea", "Since") if key in told)
    made = [slide(words(page.title), f'<div class="told">{idea}</div>', "first")]
    made += [slide(words(alt[:1].upper() + alt[1:]), f'<div class="picture-of">{picture}</div>', "of-picture")
             for alt, picture in zip(alts, pictures)]
    for block in MADE.finditer(text):
        kind = block[1].split()
        if kind[0] == "code" and kind[1] == source.path:
            made += code_slides(source, kind[2], new, before or "")
    expect = sentences(parts.get("What to expect", "").strip().split("\n\n")[0], 330)
    drawn = [(run, *measured.bars(run, page.name, before)) for run in runs if run]
    drawn = [each for each in drawn if each[1]]
    for run, bars, unit, size in drawn[:1]:
        made.append(bar_slide("What do you expect?", bars, unit, size, run.device, False))
    if "Expect" in told or expect:
        made.append(slide("The prediction", f"<p>{words(told.get('Expect', '')).partition(' See docs/')[0]}</p>" +
                          (f'<p class="expected">{words(expect)}</p>' if expect else "")))
    for run, bars, unit, size in drawn:
        made.append(bar_slide("Measured" + (": your run" if run.own else ""), bars, unit, size, run.device, True))
    made += [slide("Measured: " + words(alt), f'<div class="picture-of"><img src="{links(path)}" '
                   f'alt="{html.escape(alt)}"></div>', "of-picture")
             for alt, path in PICTURE.findall(text) if "/charts/" in path]
    made += wrong_slides(parts.get("What goes wrong", ""))
    made += exercises(parts.get("Exercises", ""))
    count, watch = len(made), ' · <a href="#watch">watch it run (w)</a>' if recorded else ""
    return "\n".join(each.replace("</section>", f'<footer>{html.escape(page.name)} · {at} of {count}{watch}</footer>'
                                  "</section>") for at, each in enumerate(made, 1))
