"""
Lessons: the shapes at which ideas pay that a large array hides. A family declares a line of options
for each, which --describe prints; rows of the log that are of one stand in its chart alone.
"""
import shlex

LETTERS = {"n": "size", "b": "blocks", "t": "threads", "r": "runs", "w": "warmup", "s": "sweep"}
OF_A_RUN = ("runs", "warmup")  # what says nothing of the problem


def value(text):
    """2^20 or 4096 as a number; another text as it is."""
    base, power, exponent = text.partition("^")
    digits = base.isdigit() and (exponent.isdigit() or not power)
    return int(base) ** int(exponent or 1) if digits else text


def parse(line):
    """{option: value} of a line in which each option has a value."""
    words = shlex.split(line)
    names = [word.lstrip("-") for word in words[::2]]
    return {LETTERS.get(name, name): value(text) for name, text in zip(names, words[1::2])}


class Lesson:
    def __init__(self, line):
        self.asked = {name: given for name, given in parse(line).items() if name not in OF_A_RUN}

    def is_ladder(self):
        """Whether it is a ladder of its own: one problem, in one grid or in each variant's own. Other lines
        are more points of the charts that the family has."""
        return "sweep" not in self.asked and ("blocks" in self.asked) == ("threads" in self.asked)

    def axes(self, family):
        size = self.asked.get("size")
        sides = {side: size for side in family.sides} if isinstance(size, int) else {}
        return {**sides, **{axis: self.asked[axis] for axis in family.axes if axis in self.asked}}

    def is_problem(self, row, family):
        """Whether a warm row is of the same problem, whatever its grid."""
        return row["cache"] != "cold" and \
            all(row.get(axis) == wanted for axis, wanted in self.axes(family).items()) and \
            row["type"] == self.asked.get("type", family.types[0] if family.types else "") and \
            all(row["texts"].get(name, "") == str(self.asked.get(name, ""))
                for name in family.parameters) and \
            family.input_of(row) in ("", *family.inputs[:1])

    def has_grid(self, row):
        """Whether its grid is the one that is asked for. Without one, every grid is."""
        return all(row[name] == self.asked[name] for name in ("blocks", "threads")
                   if name in self.asked)

    def has(self, row, family):
        """Whether it is a row of the lesson: of its grid, or of a variant that has a grid of its own."""
        return self.is_problem(row, family) and (family.has_own_grid(row) or self.has_grid(row))

    def is_apart(self, row, family):
        """Whether the row is there for this lesson alone, because of its grid."""
        return bool({"blocks", "threads"} & set(self.asked)) and self.has_grid(row) and \
            self.is_problem(row, family)

    def title(self, family):
        """What it asks for, as a title has it."""
        asked = self.asked
        text = f"2^{{{size.bit_length() - 1}}}" if (size := asked.get("size", 0)) and \
            isinstance(size, int) and size & (size - 1) == 0 else f"{asked.get('size', '')}"
        words = [f"{text} {family.elements}" if len(family.sides) == 1 else
                 " × ".join([text] * len(family.sides))]
        if "blocks" in asked:
            words.append(f"{asked['blocks']} blocks of {asked['threads']} threads")
        words += [asked[name] if name == "type" else f"{name} {asked[name]}" for name in asked
                  if name not in ("size", "blocks", "threads")]
        return ", ".join(words)
