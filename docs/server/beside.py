"""What each line of a reader's kernel costs, beside the line of the step that does the same."""
import difflib
from typing import NamedTuple


class Cell(NamedTuple):
    """Of a line and one kind of access, all its launches together: requests of warps, what they cost together (sectors,
    wavefronts, lanes on one address; 0 of a barrier), the least that they could."""
    line: int
    kernel: str
    what: str
    requests: int
    cost: int
    ideal: float

    def told(self):
        """What a page shows. level: 1 where nothing could be better, 3 where it is twice the fewest or more."""
        above = self.cost / self.ideal if self.ideal else 1
        return {"line": self.line, "kernel": self.kernel, "what": self.what, "requests": self.requests,
                "each": self.cost / self.requests if self.requests and self.what != "barrier" else None,
                "level": 1 if above < 1.05 else 2 if above < 2 else 3}


def cells(rows, file):
    """The Cells of a file in the rows of --counters=lines, in the order of its lines."""
    found = {}
    for row in rows:
        if row["file"] == file:
            found.setdefault((int(row["line"]), row["kernel"], row["what"]), []).append(row)
    return [Cell(*place, sum(int(row["requests"]) for row in of), sum(int(row["cost"]) for row in of),
                 sum(float(row["ideal"] or 0) for row in of)) for place, of in sorted(found.items())]


def lines_of(mine, theirs):
    """{line of mine: line of theirs} of those that are the same but for spaces, by two texts."""
    one, two = ([" ".join(line.split()) for line in text.split("\n")] for text in (mine, theirs))
    matcher = difflib.SequenceMatcher(None, one, two, autojunk=False)
    return {a + at + 1: b + at + 1 for a, b, size in matcher.get_matching_blocks() for at in range(size) if one[a + at]}


def paired(mine, theirs, same):
    """[(Cell or None, Cell or None)] of the Cells of two sources. First those whose lines are the same; of the rest, in
    each kernel and of each kind, the first beside the first."""
    left, found = list(theirs), []
    for each in mine:
        other = next((cell for cell in left if cell.line == same.get(each.line) and cell.what == each.what), None)
        if other:
            left.remove(other)
        found.append([each, other])
    for pair in found:
        if pair[1] is None:
            pair[1] = next((cell for cell in left if (cell.kernel, cell.what) == (pair[0].kernel, pair[0].what)), None)
            if pair[1]:
                left.remove(pair[1])
    return [tuple(pair) for pair in found] + [(None, cell) for cell in left]


def columns(mine, theirs, texts):
    """What the page shows: by pair "yours" and "step", null where there is none. texts: of both sources."""
    return [{"yours": one and one.told(), "step": two and two.told()}
            for one, two in paired(mine, theirs, lines_of(*texts))]
