"""
Judges one submission of one step. Its program runs in the sandbox and hands over the arrays that its kernels wrote; the
step's own program, which has no line of the submission, makes the same inputs again and verifies them.
"""
import csv
import json
import os
import random

from common.commands.grading import gate, marks, workroom
from common.commands.grading.sandbox import Limits
from common.commands.practice import findings, judge, launches, source, touched
from common.commands.runner import lines

MIB = 1 << 20
HIDDEN = 12  # launches that nobody knows before
LINES, OUT = "lines.txt", "handed"
FIGURES = {"global memory": ("global_load_sectors", "global_store_sectors", "global_atomic_sectors"),
           "shared memory": ("shared_load_wavefronts", "shared_store_wavefronts", "shared_atomic_wavefronts"),
           "barriers": ("barriers",)}


def limits_for(least, seconds):
    """Of what took our own program so many seconds of the processor: so many at least."""
    time = int(least + 10 * seconds)
    return Limits(time, 60 + 6 * time, 2048 * MIB, 512 * MIB, MIB, False)


def varied(words, dice):
    """A launch like this one, at another size."""
    sizes = launches.size_of(words)
    moved = [size if size < 3 else dice.randint(size // 2 + 1, size + size // 2) for size in sizes]
    return lines.replaced(words, "size", "x".join(map(str, moved))) if sizes else list(words)


class NoLaunch(ValueError):
    """No launch of the element type leads to the function."""


class Task:
    """What all submissions of a step are asked: its launches and how the step itself does them. taken: the function
    that is taken out; the variants that lead to it are run. time: see marks.TIME."""

    def __init__(self, room, seed, function, within, time=marks.TIME):
        self.room, self.within = room, within
        self.taken = function or source.chosen(workroom.ROOT, room.step, room.text).name
        self.variants = touched.variants(room.text, room.text, self.taken) or \
            [each["name"] for each in room.told["variants"] if not each["library"]]
        self.dice = random.Random(f"{seed} {room.step}")
        self.ordinary, self.asked = 0, []
        self.choose()
        if not self.asked:
            raise NoLaunch(f"{room.step} cannot be graded: no tested launch of {room.kind} leads to {self.taken}")
        self.judged = ["right", "sizes", "findings"]
        self.own = self.limits = limits_for(120, 0)._replace(printed=16 * MIB)
        self.limits = limits_for(time, self.try_own())
        self.counted = self.of_each(self.measure)
        self.estimated = self.of_each(self.estimate)
        self.judged += ["counters"] * bool(self.counted) + ["time"] * bool(self.estimated)

    def choose(self):
        """The known launches, each with an input of its own, and hidden ones."""
        seeded = "seed" in self.room.told["options"]
        known = [words for _, words in launches.of(self.room.told, self.variants, ["--check"])]
        known = [words for words in known if not lines.value(words, "type") or
                 lines.value(words, "type") == self.room.kind]
        hidden = [varied(words, self.dice) for words in known * HIDDEN if launches.size_of(words)]
        self.dice.shuffle(hidden)
        for words in [*known, *hidden[:HIDDEN * len(self.variants)]]:
            seed = ["--seed", str(self.dice.randrange(1, 1 << 32))] * seeded
            self.asked.append([*lines.without(words, "seed"), *seed])

    # --- our own program

    def try_own(self):
        """Sees to it that the step can be judged so: its own results are right, nothing at all is not, and findings
        are none; raises ValueError where not. The seconds of the processor that it takes."""
        handed, rows, done = self.hand_over(self.room.program, self.room.folder, [])
        reason = ended_badly(rows, done)
        if not reason and not has_arrays(handed):
            reason = "whether its kernel is right shows only while it runs, and no array that it leaves tells it"
        verified = {} if reason else self.verify(handed, self.room.folder)
        open(handed, "wb").close()
        nothing = {} if reason else self.verify(handed, self.room.folder)
        tried = {key for key, row in verified.items() if row["verdict"] == "ok"}
        reason = reason or verified_badly(verified, nothing)
        if reason:
            raise ValueError(f"{self.room.step} cannot be graded: {reason}")
        self.tried = [key for key in sorted(verified) if key in tried]
        self.ordinary = [min(key for key in self.tried if key[1] == name) for name in self.variants
                         if any(key[1] == name for key in self.tried)]
        return done.seconds

    def of_each(self, look):
        """What is measured of our own program: of each variant that takes the line."""
        found = {}
        for name in self.variants:
            found.update(look(self.room.program, self.room.folder, [], [name]))
        return found

    # --- any program

    def write_lines(self, folder):
        path = os.path.join(folder, LINES)
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(" ".join(words) + "\n" for words in self.asked)
        return path

    def hand_over(self, program, folder, readable):
        """(the file of what it hands over, its own rows by (line, variant), how it ended)"""
        out = os.path.join(folder, OUT)
        done = self.room.run([program, "--batch", self.write_lines(folder), "--hand-over", out], folder, self.limits,
                             readable)
        return out, keyed(read_rows(out + ".rows")), done

    def verify(self, handed, folder):
        """The rows of our own program about what was handed over."""
        done = self.room.run([self.room.program, "--batch", os.path.join(folder, LINES), "--handed-over", handed],
                             folder, self.own, [self.room.folder])
        return keyed([json.loads(line) for line in done.said if line.startswith("{")]) if len(done.said) else {}

    def record(self, purpose, more, names):
        return [*judge.fitted(self.room.told, purpose), *more, *(word for name in names for word in ("-v", name))]

    def measure(self, program, folder, readable, names):
        """{variant: {what: figure}} of the step's line of counters, and verified; empty where there is none."""
        words = self.record("record", ["-r", "1", "-w", "0", "-q"], names)
        found = self.sidecar(program, folder, readable, [*words, "--counters"], "counters", [*words])
        sums = {}
        for row in found:
            into = sums.setdefault(row["variant"], dict.fromkeys(FIGURES, 0))
            for what, columns in FIGURES.items():
                into[what] += int(row["launches"] or 1) * sum(int(row.get(each) or 0) for each in columns)
        return sums

    def estimate(self, program, folder, readable, names):
        """{variant: estimated microseconds}; empty where the step has no estimate."""
        if "estimate" not in self.room.told["options"]:
            return {}
        words = self.record("ladder", ["-q", "--estimate"], names)
        found = self.sidecar(program, folder, readable, words, "estimates", None)
        return {row["variant"]: float(row["estimated_us"]) for row in found if row.get("estimated_us")}

    def sidecar(self, program, folder, readable, words, name, again):
        """The rows of a file beside the log. again: the words by which our program verifies what was handed over."""
        for each in (f"log-{name}.csv", "log.csv", "log-links.csv", OUT):
            if os.path.exists(os.path.join(folder, each)):
                os.remove(os.path.join(folder, each))
        out = os.path.join(folder, OUT)
        done = self.room.run([program, *words, "--log", os.path.join(folder, "log.csv"),
                              *(["--hand-over", out] if again else [])], folder, self.limits, readable)
        if done.status == 0 and again:
            done = self.room.run([self.room.program, *again, "--handed-over", out], folder, self.own,
                                 [self.room.folder])
        try:
            with open(os.path.join(folder, f"log-{name}.csv"), newline="", encoding="utf-8") as file:
                return list(csv.DictReader(file)) if done.status == 0 else []
        except (OSError, ValueError):
            return []

    # --- a submission

    def assess(self, text, folder):
        """What docs/class.md describes as a report, as a dictionary."""
        result = {"step": self.room.step, "function": self.taken, "shares": dict(marks.NONE), "judged": self.judged,
                  "first": "", "lines": [], "details": {}}
        try:
            program = self.room.make(text, folder)
        except gate.Refused as error:
            return {**result, "first": f"not run: {error}"}
        except workroom.NotCompiled as error:
            return {**result, "first": f"it does not compile: {first_error(error.args[0])}", "lines": error.args[0][:8]}
        handed, rows, done = self.hand_over(program, folder, [self.room.folder])
        verified = self.verify(handed, folder)
        right = {key for key in self.tried if rows.get(key, {}).get("verdict") == "ok" and
                 verified.get(key, {}).get("verdict") == "ok"}
        found = [key for key in self.tried if rows.get(key, {}).get("findings")]
        shares = result["shares"]
        shares["right"] = float(bool(self.ordinary) and right.issuperset(self.ordinary))
        shares["sizes"] = len(right) / len(self.tried)
        shares["findings"] = float(not found and len(rows) > 0 and not done.why)
        result["details"] = {"launches": len(self.tried), "right": len(right), "with findings": len(found)}
        if shares["right"]:
            self.compare(program, folder, result)
        if done.why or len(right) < len(self.tried) or found:
            self.explain(program, folder, result, self.first_bad(rows, verified, right, found), done)
        elif min(shares[name] for name in self.judged) < 1:
            result["first"] = result["details"].get("dearer", "")
        return result

    def first_bad(self, rows, verified, right, found):
        """(line, variant) of what is shown, and its row: the first launch that is wrong, one with a finding if there
        is any; (None, None) where it ended before."""
        for key in [*found, *(each for each in self.tried if each not in right)]:
            if key in rows:
                return key, rows[key] if rows[key]["verdict"] != "ok" or key in found else verified.get(key)
        return None, None

    def explain(self, program, folder, result, bad, done):
        """The first finding, in a line, and what the program says of that launch."""
        key, row = bad
        missing = next((each for each in self.tried if each not in self.rows_of(folder)), None)
        if key is None or done.why and missing:
            key = key or missing
            result["first"] = done.why or f"it ended early, with status {done.status}"
        if key is None:
            return
        words = [*lines.without(self.asked[key[0] - 1], "variant", "check"), "-v", key[1], "-q", "--check"]
        said = self.room.run([program, *words], folder, self.limits, [self.room.folder]).said
        what = findings.read(said)
        if not result["first"] and what:
            at = findings.lines_of(what[0], self.room.step + ".cu")
            result["first"] = f"{findings.NAMES[what[0]['kind']]}" + \
                (f" at line {', '.join(map(str, at))}" if at else "") + f" ({' '.join(words[:-2])})"
        result["first"] = result["first"] or (row or {}).get("message") or "a wrong result"
        result["lines"] = said[:12]

    def rows_of(self, folder):
        return keyed(read_rows(os.path.join(folder, OUT + ".rows")))

    def compare(self, program, folder, result):
        """What it costs, beside the step."""
        shares, details, dearer = result["shares"], result["details"], []
        if "counters" in self.judged:
            mine = self.measure(program, folder, [self.room.folder], list(self.counted))
            if not mine:
                shares["sizes"] = 0.0
                words = self.record("record", [], list(self.counted))
                details["dearer"] = f"not right, or not to its end, with {' '.join(words)}"
                return
            ratios = [(ratio(mine.get(name, {}).get(what), ours), f"{what} ({name})")
                      for name, figures in self.counted.items() for what, ours in figures.items()]
            shares["counters"] = sum(each <= self.within for each, _ in ratios) / len(ratios)
            dearer += [f"{what}: {each:.2f} times the step's" for each, what in ratios if each > self.within]
        if "time" in self.judged:
            mine = self.estimate(program, folder, [self.room.folder], list(self.estimated))
            ratios = [(ratio(mine.get(name), ours), f"the estimated time ({name})")
                      for name, ours in self.estimated.items()]
            shares["time"] = sum(each <= self.within for each, _ in ratios) / len(ratios)
            dearer += [f"{what}: {each:.2f} times the step's" for each, what in ratios if each > self.within]
        if dearer:
            details["dearer"] = "; ".join(dearer)


def ended_badly(rows, done):
    """Why a step's own program says that it cannot be judged; empty where it does not."""
    if done.why or done.status not in (0, 1):
        return f"its own program does not end as it should: {done.why or (done.said or [f'status {done.status}'])[-1]}"
    return "--check finds mistakes in the step itself" if any(row["findings"] for row in rows.values()) else ""


def has_arrays(handed):
    """Whether what was handed over has any; of each run it has the number of them first."""
    with open(handed, "rb") as file:
        return any(file.read())


def verified_badly(verified, nothing):
    """The same of what is said of the arrays that it handed over, and of none at all."""
    verdicts = [row["verdict"] for row in verified.values()]
    if "wrong" in verdicts or "ok" not in verdicts:
        return "what it hands over is not all of its results"
    if any(row["verdict"] == "ok" for row in nothing.values()):
        return "nothing at all, handed over, counts as right"
    return ""


def ratio(mine, ours):
    """How many times ours; of what was not measured, without an end."""
    if mine is None:
        return float("inf")
    return mine / ours if ours else 1 + mine


def read_rows(path):
    """The rows of a file that a submission's program may have ended in the middle of, or written nonsense to."""
    found = []
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            for line in file.read(64 * MIB).split("\n"):
                row = json.loads(line) if line.startswith("{") else None
                found += [row] if isinstance(row, dict) else []
    except (OSError, ValueError):
        pass
    return found


def keyed(rows):
    return {(row["line"], row["variant"]): row for row in rows
            if isinstance(row.get("line"), int) and isinstance(row.get("variant"), str) and
            isinstance(row.get("findings"), int)}


def first_error(said):
    found = [line for line in said if "error" in line]
    return (found or said or ["no word why"])[0][:200]
