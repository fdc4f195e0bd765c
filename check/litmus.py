"""Litmus tests of PTX with verdicts, against --explore.

Takes a folder with .litmus files in the syntax of Dartagnan (Dat3M), and one or more files of
verdicts, lines of "path,1" or "path,0" with paths relative to the folder. Each test that the CPU
device can express is explored, and its verdict compared. Prints the tests that differ, those left
out by reason, and a table of counts. The status is 1 if a test differs that docs/explore.md does
not name.
"""
import argparse
import collections
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SOURCE = os.path.join(ROOT, "check", "explore", "litmus.cu")
ORDERS = {"weak": 0, "relaxed": 1, "acquire": 2, "release": 3, "acq_rel": 4, "sc": 5}
ATOMS = {"exch": 4, "cas": 5, "add": 6, "sub": 7, "and": 8, "or": 9, "xor": 10}
BRANCHES = {"beq": 11, "bne": 12, "blt": 13, "ble": 14, "bgt": 15, "bge": 16}
REGISTERS, WARP = 16, 32


class LeftOut(Exception):
    """The CPU device has no such thing: why."""


class Litmus:
    """A test: the numbers that litmus.cu reads, and what its last line says."""

    def __init__(self, text):
        text = re.sub(r'"[^"]*"', "", re.sub(r"//.*", "", text))
        head, body = text.split("{", 1)
        initial, body = body.split("}", 1)
        if not head.split()[0].lower().startswith("ptx"):
            raise LeftOut("not PTX")
        kind = re.search(r"(~\s*exists|exists|forall|filter)", body)
        if not kind or kind[1] == "filter":
            raise LeftOut("a filter")
        rows, self.condition = body[:kind.start()], body[kind.end():]
        self.kind = kind[1].replace(" ", "")
        self.variables, self.values, self.registers = [], {}, collections.defaultdict(dict)
        self._initial(initial)
        self._programs([row.split("|") for row in rows.strip().split(";") if row.strip()])

    def variable(self, name):
        if name not in self.variables:
            self.variables.append(name)
        return self.variables.index(name)

    def _initial(self, text):
        for item in re.split(r"[;\n]", text):
            if not item.strip():
                continue
            if re.search(r"aliases|@|&", item):
                raise LeftOut("proxies and aliases")
            match = re.match(r"\s*(?:P?(\d+):r(\d+)|(\w+))\s*=\s*(-?\w+)\s*$", item)
            if not match or not re.match(r"-?\d+$", match[4]):
                raise LeftOut("a pointer in a register" if match else f"an initial value: {item}")
            if match[3]:
                self.values[self.variable(match[3])] = int(match[4])
            else:
                self.registers[int(match[1])][int(match[2])] = int(match[4])

    def _programs(self, rows):
        places = [re.match(r"\s*P(\d+)\s*@\s*cta\s+(\d+)\s*,\s*gpu\s+(\d+)\s*$", cell)
                  for cell in rows[0]]
        if len({place[3] for place in places}) > 1:
            raise LeftOut("two GPUs")
        self.names = [int(place[1]) for place in places]
        self.places, inside = [], collections.Counter()
        ctas = sorted({int(place[2]) for place in places})
        for place in places:
            block = ctas.index(int(place[2]))
            self.places.append((block, inside[block]))
            inside[block] += 1
        self.blocks, self.threads = len(ctas), max(inside.values())
        columns = [[row[i].strip() if i < len(row) else "" for row in rows[1:]]
                   for i in range(len(places))]
        self._barriers(columns)
        self.code = []
        for column, place in zip(columns, self.places):
            self.code.append(self._program(column, place[0]))

    def _barriers(self, columns):
        """__syncthreads is what all threads of a block come to equally often. Else each thread of the test is a warp,
        because such a barrier counts whole warps, and who comes to it is counted."""
        found = [[self._barrier(i, line, column) for line in column if line.startswith("bar.")]
                 for i, column in enumerate(columns)]
        self.lanes, self.coming = 1, collections.Counter()
        for block in range(self.blocks):
            mine = [found[i] for i in range(len(columns)) if self.places[i][0] == block]
            if len({tuple(bars) for bars in mine}) > 1 or any(arrives or quorum for bars in mine
                                                              for _, arrives, quorum in bars):
                self.lanes = WARP
            for bars in mine:
                self.coming.update((block, key) for key in {key for key, _, _ in bars})
            for key, _, quorum in (bar for bars in mine for bar in bars):
                if quorum and self.coming[block, key] > quorum:
                    raise LeftOut("more threads than a barrier awaits: in PTX the rest wait for its next phase")
                self.threads = max(self.threads, quorum)
        self.threads *= self.lanes
        self.places = [(block, self.lanes * thread) for block, thread in self.places]

    def _barrier(self, thread, line, column):
        """(which one, does it arrive only, how many threads it awaits or 0)."""
        match = re.match(r"bar\.cta\.(sync|arrive) (\d+)(?:,\s*(r?\d+))?(?:,\s*(\d+))?$", line)
        if not match:
            raise LeftOut(f"the instruction {line}")
        number = match[3]
        if number and number.startswith("r"):
            if any(re.match(rf"(ld|atom|add|sub)\S* {number}\b", other) for other in column):
                raise LeftOut("a barrier whose number is read from memory: who comes to it is not known")
            number = self.registers[self.names[thread]].get(int(number[1:]), 0)
        return (int(match[2]), None if number is None else int(number)), match[1] == "arrive", int(match[4] or 0)

    def _program(self, lines, block):
        labels, code = {}, []
        for line in lines:
            if re.match(r"LC\w+:$", line):
                labels[line[:-1]] = len(code)
            elif line:
                code.append(line)
        return [self._meeting(len(self.code), line, lines, block) if line.startswith("bar.")
                else self._instruction(line, labels) for line in code]

    def _meeting(self, thread, line, column, block):
        key, arrives, quorum = self._barrier(thread, line, column)
        number = sorted(((b, k) for b, k in self.coming if b == block), key=str).index((block, key))
        return [3 if self.lanes == 1 else 22 if arrives else 21, 0, 0, REGISTERS - 1, 0, number, 0,
                WARP * (quorum or self.coming[block, key]), 0, 0]

    def _value(self, text):
        match = re.match(r"r(\d+)$|(-?\d+)$", text)
        if not match:
            raise LeftOut(f"a value: {text}")
        return (int(match[1]), 1) if match[1] else (int(match[2]), 0)

    def _instruction(self, line, labels):
        name, _, rest = line.partition(" ")
        words, values = name.split("."), [v.strip() for v in rest.split(",")] if rest else []
        if words[0] in ("tld", "suld", "cold", "sust", "suatom", "sured") or "proxy" in words:
            raise LeftOut("proxies and aliases")
        make = {"code": 0, "order": 0, "block": 0, "reg": REGISTERS - 1, "variable": 0, "a": (0, 0),
                "b": (0, 0), "target": 0}
        if words[0] in ("ld", "st", "atom", "red", "fence") and len(words) > 1:
            make["order"] = ORDERS[words[1]]
            make["block"] = int("cta" in words[2:])
        if words[0] == "fence":
            make["code"] = 2
        elif words[0] == "ld" and len(words) > 1:
            make.update(code=0, reg=self._value(values[0])[0], variable=self.variable(values[1]))
        elif words[0] == "st":
            make.update(code=1, variable=self.variable(values[0]), a=self._value(values[1]))
        elif words[0] in ("atom", "red"):
            self._atom(make, words, values)
        elif words[0] in BRANCHES:
            make.update(code=BRANCHES[words[0]], a=self._value(values[0]), b=self._value(values[1]),
                        target=labels[values[2]])
        elif words[0] == "goto":
            make.update(code=17, target=labels[values[0]])
        elif words[0] == "ld":
            make.update(code=18, reg=self._value(values[0])[0], a=self._value(values[1]))
        elif words[0] in ("add", "sub"):
            make.update(code=19 if words[0] == "add" else 20, reg=self._value(values[0])[0],
                        a=self._value(values[1]), b=self._value(values[2]))
        else:
            raise LeftOut(f"the instruction {words[0]}")
        return [make["code"], make["order"], make["block"], make["reg"], make["variable"],
                *make["a"], *make["b"], make["target"]]

    def _atom(self, make, words, values):
        if words[-1] not in ATOMS:
            raise LeftOut(f"the atomic {words[-1]}")
        if words[0] == "atom":
            make["reg"] = self._value(values.pop(0))[0]
        make.update(code=ATOMS[words[-1]], variable=self.variable(values[0]),
                    a=self._value(values[1]))
        if len(values) > 2:
            make["b"] = self._value(values[2])

    # --- the condition

    def words(self):
        """The condition, so that it holds when the outcome is found that the verdict is about."""
        self._tokens = re.findall(r"/\\|\\/|==|!=|>=|<=|[=<>~()]|P?\d+:\s*r\d+|-?\w+", self.condition)
        found = self._or()
        if self._tokens:
            raise LeftOut(f"a condition: {self.condition.strip()}")
        return found + [[7]] if self.kind == "forall" else found

    def _or(self):
        found = self._and()
        while self._tokens[:1] == ["\\/"]:
            self._tokens.pop(0)
            found = found + self._and() + [[6]]
        return found

    def _and(self):
        found = self._not()
        while self._tokens[:1] == ["/\\"]:
            self._tokens.pop(0)
            found = found + self._not() + [[5]]
        return found

    def _not(self):
        if self._tokens[:1] == ["~"]:
            self._tokens.pop(0)
            return self._not() + [[7]]
        if self._tokens[:1] == ["("]:
            self._tokens.pop(0)
            found = self._or()
            self._tokens.pop(0)
            return found
        left, relation, right = self._term(), self._tokens.pop(0), self._term()
        return left + right + [[{"=": 3, "==": 3, "!=": 4, ">": 8, "<": 9, ">=": 10, "<=": 11}[relation]]]

    def _term(self):
        word = self._tokens.pop(0)
        match = re.match(r"P?(\d+):\s*r(\d+)$", word)
        if match:
            return [[2, self.names.index(int(match[1])), int(match[2])]]
        if re.match(r"-?\d+$", word):
            return [[0, int(word)]]
        return [[1, self.variable(word)]]

    def table(self):
        words = self.words()
        lines = [[self.blocks, self.threads, self.lanes, len(self.code), len(self.variables)],
                 [self.values.get(i, 0) for i in range(len(self.variables))]]
        for i, (name, code) in enumerate(zip(self.names, self.code)):
            lines.append([*self.places[i], len(code)])
            lines.append([self.registers[name].get(r, 0) for r in range(REGISTERS)])
            lines += code
        lines.append([len(words)])
        lines += words
        return "\n".join(" ".join(map(str, line)) for line in lines) + "\n"


class Outcome:
    """What the explorer said of a test."""

    def __init__(self, program, table, seconds):
        env = {**os.environ, "CPU_DEVICE_TOOLS": "explore", "CPU_DEVICE_EXPLORE": "races"}
        try:
            done = subprocess.run([program], input=table, capture_output=True, text=True, env=env,
                                  timeout=seconds, check=False)
            self.text = done.stderr
        except subprocess.TimeoutExpired:
            self.text = "not complete: no answer"
        self.found = re.search("the program finds the result wrong|wrong results: ", self.text) is not None
        self.waits = re.search("threads wait for ever|waits for ever: ", self.text) is not None
        self.complete = "not complete" not in self.text or self.found
        match = re.search(r"(?:of (?=\d+ exec)|executions, )(\d+)", self.text)
        self.executions = int(match[1]) if match else 0


def verdicts_of(paths):
    found = {}
    for path in paths:
        live = "Liveness" in os.path.basename(path)
        with open(path, encoding="utf-8") as file:
            for line in file:
                name, _, verdict = line.strip().partition(",")
                if verdict in ("0", "1"):
                    found.setdefault((name, live), {})[os.path.basename(path)] = int(verdict)
    return found


def judge(program, folder, name, live, expected, seconds):
    """(agrees, differs or left out; why)."""
    try:
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            test = Litmus(file.read())
        table = test.table()
    except LeftOut as why:
        return "left out", str(why)
    except (OSError, KeyError, IndexError, ValueError) as error:
        return "left out", f"not understood: {error!r}"
    outcome = Outcome(program, table, seconds)
    if not outcome.complete or not outcome.executions:
        return "left out", "not complete: " + outcome.text.strip().splitlines()[0]
    if live:
        got = int(not outcome.waits)
    else:
        got = int(outcome.found == (test.kind == "exists"))
    return ("agrees", "") if got == expected else \
        ("differs", f"{test.kind}: {expected} expected, {got} found, {outcome.executions} executions")


def main():
    parser = argparse.ArgumentParser(prog="litmus", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("verdicts", nargs="+")
    parser.add_argument("--only", help="tests whose path contains this")
    parser.add_argument("--program", help="litmus.cu, compiled already")
    parser.add_argument("--seconds", type=int, default=120, help="per test; default: 120")
    parser.add_argument("--verbose", action="store_true", help="name each test")
    asked = parser.parse_args()
    counts, left, differ = collections.Counter(), collections.defaultdict(list), []
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(2) as pool:
        program = asked.program or os.path.join(scratch, "litmus")
        if not asked.program:
            subprocess.run([os.path.join(ROOT, "steps", "cuda"), SOURCE, "-o", program], check=False,
                           stdin=subprocess.DEVNULL)
        jobs = []
        for (name, live), versions in sorted(verdicts_of(asked.verdicts).items()):
            verdict = versions[max(versions)]
            if not asked.only or asked.only in name:
                jobs.append((name, live, pool.submit(judge, program, asked.folder, name, live, verdict,
                                                     asked.seconds)))
        for name, live, job in jobs:
            end, why = job.result()
            place = "/".join(name.split("/")[2:-1]) + (" (liveness)" if live else "")
            counts[place, end] += 1
            if end == "left out":
                left[why].append(name)
            if end == "differs":
                differ.append((name, live, why))
            if asked.verbose:
                print(f"{end:10} {name} {why}", flush=True)
    for name, live, why in differ:
        print(f"differs: {name}{' (liveness)' if live else ''}: {why}")
    for why, names in sorted(left.items()):
        print(f"left out, {len(names)}: {why}: {names[0]}{', ...' if len(names) > 1 else ''}")
    print("| folder | verdicts | expressed | agree | differ | left out |")
    print("|---|---:|---:|---:|---:|---:|")
    places = sorted({place for place, _ in counts})
    for place in [*places, None]:
        row = {end: sum(n for (where, kind), n in counts.items()
                        if kind == end and place in (None, where))
               for end in ("agrees", "differs", "left out")}
        print(f"| {place or 'all'} | {sum(row.values())} | {row['agrees'] + row['differs']} | "
              f"{row['agrees']} | {row['differs']} | {row['left out']} |")
    with open(os.path.join(ROOT, "docs", "explore.md"), encoding="utf-8") as file:
        named = file.read()
    return int(any(f"`{os.path.splitext(os.path.basename(name))[0]}`" not in named for name, _, _ in differ))


if __name__ == "__main__":
    sys.exit(main())
