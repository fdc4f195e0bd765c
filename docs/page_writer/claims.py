"""
What a page says of measured things, computed again from the record.

A sentence that compares two measured things, or names a measured time or rate, is followed by a
comment that says on which rows it rests:

    `hints` is 1.78 times as fast.<!-- rows: us(reduce6/per-block) / us(reduce-bulk/hints) = 1.78 -->

Behind "rows:" stand relations, with ";" between. A side is a sum or a quotient of numbers and terms:

    us(STEP/VARIANT, WHERE...)       median of a run, microseconds   } of the record of a GPU,
    rate(STEP/VARIANT, WHERE...)     GB/s, Gflop/s or ns per item    } of the reference
    share(STEP/VARIANT, WHERE...)    its rate, in percent of a copy  }
    COLUMN(STEP/VARIANT, WHERE...)   a column of the counters of the CPU device, or sectors,
                                     wavefronts, atomics, barriers: all launches of a run together
    ncu.COLUMN(STEP, WHERE...)       the same of Nsight Compute's, on a GPU
    trial(LOG: TITLE: ROW)           a median in the reference's trials; TITLE: section or column
    machine(NUMBER)                  a number of the reference's machine file, or what the device says
                                     of itself there: machine(dram_read), machine(multiprocessors)

WHERE: a number of elements (2^28), sides (16384x16384), a type (i32), cold, or COLUMN=VALUE; for us,
rate and share also device=NAME, the record plots/devices/NAME in place of the reference's.
Without it a term means the row that the page's table shows: warm, the default type and input, and
the table's size.

    A < B    A > B       of two times: by more than 1 %, since less is noise
    A ~ B                equal within 1 %;  A ~ B within 5 %: as it says
    A = 1.78             equal when rounded to as many digits; the sentence has this number

A sentence that the list below takes for a comparison and that rests on no row, such as a
prediction or a definition, says why: <!-- no rows: REASON -->. A question needs no reason. Arithmetic
on recorded numbers is no reason, because it can be claimed. quoted.py has what "table" and "answer" promise.
"""
import ast
import functools
import os
import re

from plots import log, machine, recorded
from plots.ladder import COUNTS, main_size, measured, page_size, timed, total

from .text import plain, sentences

COMPARES = re.compile(
    r"\b(?:faster|slower|quicker|(?:is|are|was|were) (?:the )?(?:fastest|slowest)"
    r"|(?:as|how) (?:fast|slow) as|(?:much|no|little) (?:less|more) time"
    r"|takes? (?:longer|as long|as much time)"
    r"|(?<!at the )(?<!about the )(?:same|equal) (?:time|rate|speed)"
    r"|(?:near|at|close to|reach(?:es)?) the (?:rate|speed) of|hardly differs"
    r"|(?:far|well|\d %|percent) (?:behind|ahead)|(?:beats?|loses? to|wins? over|ahead of)"
    r"|(?:falls?|rises?) (?:a little )?(?:behind|above)"
    r"|(?:more|less|larger) than (?:CUB|cuBLAS|the library|a copy|the copy)"
    r"|\d+(?:\.\d+)?(?: (?:to|and|against|instead of) \d+(?:\.\d+)?)? "
    r"(?:us|ns|ms|microseconds?|nanoseconds?|[GT]B/s|[GT]flop/s)\b"
    r"|(?:\d+(?:\.\d+)?(?: times| %)?|half|twice|a quarter|a third|a fifth|a tenth) (?:of )?"
    r"(?:the |its )?(?:time|rate|copy's|CUB's|cuBLAS's|copy)\b"
    r"|times (?:the |that of )?(?:CUB|cuBLAS)|\d (?:% )?of (?:CUB|cuBLAS))")
COMPUTED = re.compile(r"\b(?:arithmetic|machine file)\b")  # reasons that are claims
NOISE = 0.01
TIMES = ("us", "rate", "share", "trial")
TERM = re.compile(r"([a-z_][a-z_.0-9]*)\(")
RELATION = re.compile(r"(<|>|~|=)")
TRIAL = re.compile(r"(.+?)\s+(\d+\.\d{3})\s+\d+\.\d{3}\s+\d+\.\d(?:\s+\d+\.\d{3})*(?:\s+\(floor\))?$")


class ClaimError(Exception):
    """A claim that does not hold, or that says nothing. The text says which and why."""


@functools.lru_cache(maxsize=None)
def loaded(directory):
    """(rows, counters, families) of a record, read once: for a page that is most of the time."""
    if not os.path.isdir(directory):
        return [], [], []
    rows, counted, described = log.load(directory)
    return rows, counted, log.families(described)


@functools.lru_cache(maxsize=None)
def counted(path):
    """The rows of a CSV of counters, or of those in a directory; none where it is not there."""
    return log.read_counters(path) if os.path.exists(path) else []


class Record:
    """What claims rest on. device: whose record, the reference's where none is named."""

    def __init__(self, root, device=None):
        self.root, self.trials, self.sizes, self.others = root, {}, {}, {}
        data = os.path.join(root, "plots", "devices")
        gpu = recorded.place(device=device, devices=data)
        self.rows, _, self.families = loaded(gpu)
        self.of_step = {}
        for row in self.rows:
            self.of_step.setdefault(row["step"], []).append(row)
        path = os.path.join(gpu, machine.NAME)
        self.machine = machine.read(path) if os.path.exists(path) else {"device": {}, "numbers": {}}
        self.ncu = counted(os.path.join(gpu, "counters.csv"))
        self.cpu = counted(os.path.join(data, "cpu-device", "counters.csv"))

    def on(self, device):
        """The record of another device."""
        devices = os.path.join(self.root, "plots", "devices")
        if device not in recorded.names(devices):
            raise ClaimError(f"device={device}: no such record (there are {' '.join(recorded.names(devices))})")
        if device not in self.others:
            self.others[device] = Record(self.root, device)
        return self.others[device]

    def family(self, step):
        for family in self.families:
            if step in family.steps:
                return family
        raise ClaimError(f"no step {step} in the record")

    def usual(self, family):
        """The axes' values at which the family is compared."""
        if family.name not in self.sizes:
            self.sizes[family.name] = main_size(family.of(self.rows), family)[0]
        return self.sizes[family.name]

    def timed_row(self, name, wheres):
        """The one row of the log that a term means."""
        step, _, variant = name.partition("/")
        family = self.family(step)
        every = self.of_step.get(step, [])
        rows = [row for row in every if row["variant"] == variant]
        asked = [where(text, family) for text in wheres]
        named = {column for tests in asked for column, _ in tests}
        if "cache" not in named:
            asked.append([("cache", "warm")])
        for tests in asked:
            rows = [row for row in rows if all(same(row, *test) for test in tests)]
        if not named & set(family.parameters):
            rows = [row for row in rows if not family.parameters_of(row)]
        if not named & {"blocks", "threads"}:  # those of a lesson are asked for by their grid
            rows = [row for row in rows if not family.is_apart(row)] or rows
        if "input" not in named:
            rows = [row for row in rows if family.plain(row) or family.parameters_of(row)] or rows
        for axis, usual in zip(family.axes, self.usual(family)):
            if axis not in family.sides and axis not in named:
                rows = [row for row in rows if row[axis] == usual] or rows
        for kind in family.types if "type" not in named else ():
            if any(row["type"] == kind for row in rows):
                rows = [row for row in rows if row["type"] == kind]
                break
        if not rows:
            raise ClaimError(f"no row of {', '.join([name, *wheres])} in the record")
        return measured(rows, family, page_size(every, family))[0], family

    def count(self, column, name, wheres, rows):
        """A counter of all launches of a run."""
        step, _, variant = name.partition("/")
        rows = [row for row in timed(rows) if row["step"] == step
                and (not variant or row["variant"] == variant)]
        for text in wheres:
            key, _, value = text.partition("=")
            rows = [row for row in rows if row.get(key.strip()) == value.strip()]
        columns = COUNTS.get(column, (column,))
        if not rows or any(key not in rows[0] for key in columns):
            raise ClaimError(f"no {column} of {', '.join([name, *wheres])} in the record")
        return total(rows, *columns)

    def number(self, name):
        """A number of the machine file, in its unit, or of its device."""
        found = self.machine["numbers"].get(name, {}).get("value", self.machine["device"].get(name))
        if not isinstance(found, (int, float)):
            raise ClaimError(f"no {name} in the machine file")
        return float(found)

    def trial(self, text):
        """A row's median in a log of the trial programs."""
        parts = [part.strip() for part in text.split(": ", 2)]
        if len(parts) != 3:
            raise ClaimError(f"trial({text}): LOG: TITLE: ROW is needed")
        path = recorded.place("trials", parts[0],
                              devices=os.path.join(self.root, "plots", "devices"))
        if path not in self.trials:
            self.trials[path] = sections(path)
        for title, rows in self.trials[path].items():
            if parts[2] in rows and (title == parts[1] or
                                     title.startswith((parts[1] + " (", parts[1] + ","))):
                return rows[parts[2]]
        raise ClaimError(f"no trial {text}")


def sections(path):
    """{title: {row: median}} of a log of the trial programs; of a table with "|" the titles are those
    of its columns."""
    found, rows, header = {}, {}, []
    try:
        with open(path, encoding="utf-8") as file:
            lines = file.read().split("\n")
    except OSError as error:
        raise ClaimError(f"{path}: {error.strerror}") from error
    for line in lines:
        if line.startswith("== "):
            rows = found.setdefault(line[3:], {})
        elif " | " in line:
            cells = line.split(" | ")
            header = cells if cells[0] == "form" else header
            for title, cell in zip(header[1:], cells[1:]):
                if re.fullmatch(r"\d+(\.\d+)?", cell):
                    found.setdefault(title, {}).setdefault(cells[0], float(cell))
        elif TRIAL.match(line.rstrip()):
            name, median = TRIAL.match(line.rstrip()).groups()
            rows[name.strip()] = float(median)
    return found


def size(text):
    """An element count: 2^28, 4096."""
    base, power, exponent = text.partition("^")
    return float(base) ** float(exponent) if power else float(base)


def where(text, family):
    """[(column, value)] that a word of WHERE asks for."""
    if "=" in text:
        column, value = (part.strip() for part in text.split("=", 1))
        return [(column, value)]
    if text in ("warm", "cold"):
        return [("cache", text)]
    if text in family.types:
        return [("type", text)]
    if re.fullmatch(r"\d+(\^\d+)?", text):
        return [("n", text)]
    if re.fullmatch(r"\d+(x\d+)+", text) and len(text.split("x")) == len(family.sides):
        return list(zip(family.sides, text.split("x")))
    raise ClaimError(f"'{text}' is no size, type, cold, or COLUMN=VALUE")


def same(row, column, value):
    if column not in row and column not in row["texts"]:
        raise ClaimError(f"no column {column} in the log")
    have = row.get(column, row["texts"].get(column))
    if isinstance(have, float):
        return have == size(value)
    return (have or "") == value


def closing(text, begin):
    """Where the bracket at `begin` is closed."""
    depth = 0
    for at in range(begin, len(text)):
        depth += (text[at] == "(") - (text[at] == ")")
        if depth == 0:
            return at
    raise ClaimError(f"'{text}' does not close a bracket")


def term(name, inside, record):
    if name == "trial":
        return record.trial(inside)
    if name == "machine":
        return record.number(inside.strip())
    args = [part.strip() for part in inside.split(",")]
    if name.startswith("ncu."):
        return record.count(name[4:], args[0], args[1:], record.ncu)
    if name not in TIMES:
        return record.count(name, args[0], args[1:], record.cpu)
    for device in [part for part in args[1:] if part.startswith("device=")]:
        args.remove(device)
        record = record.on(device.partition("=")[2])
    row, family = record.timed_row(args[0], args[1:])
    if name == "us":
        return row["median_us"]
    value = family.figure(row) if name == "rate" else \
        100 * row["gb_per_s"] / row["copy_gb_per_s"] if row["gb_per_s"] and row["copy_gb_per_s"] \
        else None
    if value is None:
        raise ClaimError(f"the record has no {name} of {inside}")
    return value


def arithmetic(node):
    """The value of + - * / and numbers."""
    two = {ast.Add: lambda a, b: a + b, ast.Sub: lambda a, b: a - b,
           ast.Mult: lambda a, b: a * b, ast.Div: lambda a, b: a / b if b else float("nan")}
    if isinstance(node, ast.BinOp) and type(node.op) in two:
        return two[type(node.op)](arithmetic(node.left), arithmetic(node.right))
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        return float(node.value)
    raise ClaimError("only numbers, terms, + - * / and brackets are understood")


def side(text, terms):
    """(value, whether a time is in it) of one side; terms: [(value, is a time)]."""
    times = any(terms[int(at)][1] for at in re.findall(r"\$(\d+)", text))
    plain_text = re.sub(r"\$(\d+)", lambda found: f"({terms[int(found.group(1))][0]!r})", text)
    try:
        return arithmetic(ast.parse(plain_text.strip(), mode="eval").body), times
    except (SyntaxError, ValueError) as error:
        raise ClaimError(f"'{text.strip()}' is no sum of terms") from error


def holds(relation, left, right, text):
    """Whether two sides, each (value, is a time), stand so; text: the right one as it is written."""
    a, b = left[0], right[0]
    margin = NOISE if left[1] and right[1] else 0.0
    if relation == "<":
        return a < b * (1 - margin)
    if relation == ">":
        return a * (1 - margin) > b
    if relation == "~":
        within = re.search(r"within (\d+(?:\.\d+)?) ?%", text)
        return abs(a - b) <= max(abs(a), abs(b)) * (float(within.group(1)) / 100 if within
                                                    else NOISE)
    digits = len(text.strip().partition(".")[2])
    return f"{a:.{digits}f}" == text.strip()


def check(claim, sentence, record):
    """One relation, such as "A < B < C"; ClaimError if it does not hold."""
    made, terms, at = "", [], 0
    while found := TERM.search(claim, at):
        end = closing(claim, found.end() - 1)
        terms.append((term(found.group(1), claim[found.end():end], record),
                      found.group(1) in TIMES))
        made += claim[at:found.start()] + f"${len(terms) - 1}"
        at = end + 1
    parts = RELATION.split(made + claim[at:])
    if not terms or len(parts) < 3:
        raise ClaimError(f"'{claim}' compares nothing with a term")
    for left, relation, right in zip(parts[::2], parts[1::2], parts[2::2]):
        values = [side(text.partition(" within ")[0], terms) for text in (left, right)]
        if relation == "=" and not re.search(rf"(?<![\d.]){re.escape(right.strip())}(?![\d]|\.\d)",
                                             sentence):
            raise ClaimError(f"'{claim}': the sentence has no {right.strip()}")
        if not holds(relation, *values, right):
            raise ClaimError(f"'{claim}' does not hold: {values[0][0]:g} and {values[1][0]:g}")


def claims_of(comment):
    """The relations of a comment, None if it says none, [] if it says why there are none."""
    kind, colon, rest = comment.partition(":")
    if not colon or kind not in ("rows", "no rows"):
        return None
    if not rest.strip():
        raise ClaimError(f"'{kind}:' with nothing behind it")
    if kind == "no rows" and COMPUTED.search(rest):
        raise ClaimError(f"'no rows:{rest}' is no reason: claim it, with machine(...) for the machine file")
    return [part.strip() for part in re.sub(r"\s+", " ", rest).split(";") if part.strip()] \
        if kind == "rows" else []


def faults(page, record):
    """(line, text) of each comparison on a page that cites no rows, or that they refute."""
    for sentence in sentences(page):
        cited = False
        for comment in sentence.comments:
            try:
                claims = claims_of(comment)
                cited = cited or claims is not None
                for claim in claims or ():
                    check(claim, sentence.text, record)
            except (ClaimError, log.LogError) as error:
                yield sentence.line, str(error)
        found = COMPARES.search(" ".join(plain(sentence.text).split()))
        if found and not cited and not sentence.text.rstrip("*_)`").endswith("?"):
            yield sentence.line, f"'{found.group(0)}' compares, and no comment says by which rows: " \
                + " ".join(sentence.text.split())[:100]
