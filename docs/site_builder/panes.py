"""What stands beside a page: its sources, line by line, and what changed since the step before."""
import difflib

from docs.site_builder import colour
from docs.site_builder.cited import head_of


def spoken_of(blocks, at):
    """{line: the block that says most about it}: the one that speaks of the fewest lines."""
    best = {}
    for name, found in blocks.items():
        for of, number in found:
            if of == at and (number not in best or len(found) < len(blocks[best[number]])):
                best[number] = name
    return best


def lines(source, at, blocks, heat):
    """[(number, its indent, HTML, block or None, whether it is the first line of such a run, [heat cells])]"""
    best, made, last = spoken_of(blocks, at), [], None
    for number, shown in enumerate(colour.lines_of("\n".join(source.lines)), 1):
        block, plain = best.get(number), source.lines[number - 1]
        made.append((number, len(plain) - len(plain.lstrip()), shown, block, block is not None and block != last,
                     heat.get((source.name, number), {})))
        last = block
    return made


def since(old, new):
    """[(kind, number, HTML, number, HTML)] of two sources side by side, without their comments at the
    head; kind: same, changed, less, more."""
    skip = [head_of(old.lines), head_of(new.lines)]
    shown = [colour.lines_of("\n".join(source.lines))[first:] for source, first in zip((old, new), skip)]
    plain = [source.lines[first:] for source, first in zip((old, new), skip)]
    rows = []
    matcher = difflib.SequenceMatcher(None, *plain, autojunk=False)
    for tag, a, b, c, d in matcher.get_opcodes():
        for step in range(max(b - a, d - c)):
            left, right = a + step < b, c + step < d
            kind = "same" if tag == "equal" else "changed" if left and right else \
                "less" if left else "more"
            rows.append((kind, *((a + step + 1 + skip[0], shown[0][a + step]) if left else ("", "")),
                         *((c + step + 1 + skip[1], shown[1][c + step]) if right else ("", ""))))
    return rows


def new_lines(old, new):
    """The lines of the new source that the old one does not have."""
    return {row[3] for row in since(old, new) if row[0] in ("changed", "more") and row[4].strip()}

