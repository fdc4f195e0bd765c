"""
Machine files: the record's is what steps/machine makes of the record's log; scripts and the reader in
C know the same numbers; what is wrong in a file is told in one line, with status 2.
"""
import json
import os
import re
import shutil
import tempfile

from common.commands.drive.support import SOURCE, case, describe, leave, run, steps

from plots import machine, recorded

MACHINE = os.path.join(SOURCE, "steps", "machine")
RECORD = recorded.place()


def made_up():
    """A whole file: each number is its place in the list."""
    return {"device": {"name": "A GPU", **{name: 10 for name in machine.ATTRIBUTES}},
            "measured": {"utc": ""},
            "numbers": {name: {"value": at, "unit": unit, "spread": 0, "how": "so"}
                        for at, (name, unit) in enumerate(machine.UNITS.items(), 1)}}


def same_numbers():
    """The table of machine.c against that of machine.py."""
    with open(os.path.join(SOURCE, "common/harness/kit/machine.c"), encoding="utf-8") as file:
        in_c = re.findall(r'\[MACHINE_\w+\] = \{"(\w+)", "([^"]+)"\}', file.read())
    ours = list(machine.UNITS.items())
    case(in_c == ours and 0 < len(ours) <= 20, "C and Python know the same numbers and units",
         f"{in_c}\n{ours}")


def measured_numbers():
    """The steps measure each number once, with a variant that they have."""
    told = [describe(name) for name in steps()]
    numbers = machine.numbers_of(told)
    case(sorted(number["number"] for number in numbers) == sorted(machine.UNITS),
         "the steps measure each number once", [number["number"] for number in numbers])
    for number in numbers:
        step = next(step for step in told if step["step"] == number["step"])
        axes = {axis["name"] for axis in step["axes"]} | {"threads", "type"}
        good = number["unit"] == machine.UNITS.get(number["number"]) and \
            number["variant"] in [v["name"] for v in step["variants"]] and \
            set(machine.where(number)) <= axes and step["group"] == machine.GROUP
        case(good, f"{number['step']} measures {number['number']}", number)


def one_line(done, named):
    return done.status == 2 and len(done.err.splitlines()) == 1 and named in done.err


def damaged(folder):
    """What is changed in a whole file, and what the line must name."""
    def numbers(change):
        return lambda whole: change(whole["numbers"])

    for what, change, named in (
            ("lacks a number", numbers(lambda n: n.pop("fence")), "the number fence is missing"),
            ("has a negative one", numbers(lambda n: n["fence"].update(value=-1)), "fence is -1"),
            ("has one that is 0", numbers(lambda n: n["fence"].update(value=0)), "fence is 0"),
            ("has a text for one", numbers(lambda n: n["fence"].update(value="1")), "no value"),
            ("has another unit", numbers(lambda n: n["fence"].update(unit="us")), "must be in ns"),
            ("has no spread", numbers(lambda n: n["fence"].pop("spread")), "fence has no spread"),
            ("does not say how", numbers(lambda n: n["fence"].update(how="")), "how it was"),
            ("has a number too many", numbers(lambda n: n.update(fences=n["fence"])), "fences"),
            ("has a member too many", numbers(lambda n: n["fence"].update(worth=1)), "worth"),
            ("lacks an attribute", lambda w: w["device"].pop("l2_bytes"), "l2_bytes is missing"),
            ("has a negative one", lambda w: w["device"].update(clock_mhz=-1), "clock_mhz is -1"),
            ("lacks the name", lambda w: w["device"].update(name=""), "name is missing"),
            ("lacks the numbers", lambda w: w.pop("numbers"), "no numbers")):
        whole = made_up()
        change(whole)
        path = os.path.join(folder, "bad.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(whole, file)
        done = run(MACHINE, path)
        case(one_line(done, named) and path in done.err, f"a file that {what} is refused", done)
    for what, text in (("is empty", ""), ("is cut short", '{"device": {'), ("is a list", "[]")):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        done = run(MACHINE, path)
        case(one_line(done, path), f"a file that {what} is refused", done)
    done = run(MACHINE, os.path.join(folder, "none.json"))
    case(one_line(done, "No such file"), "a file that is not there is refused", done)


def whole(folder):
    path = os.path.join(folder, "machine.json")
    with open(path, "w", encoding="utf-8") as file:
        file.write(machine.text_of(made_up()))
    done = run(MACHINE, path)
    case(done.status == 0 and all(name in done.out for name in machine.UNITS),
         "a whole file is printed", done)
    case(machine.read(path) == made_up(), "what is written is read again")


def from_log(folder):
    """The record's log makes the record's file; without one of the rows it makes none."""
    kept = os.path.join(RECORD, machine.NAME)
    if not os.path.exists(kept):
        print("# no machine file in the record yet")
        return
    for name in ("log.csv", "describe.json"):
        shutil.copy(os.path.join(RECORD, name), folder)
    recorded = machine.read(kept)
    with open(os.path.join(folder, machine.DEVICE), "w", encoding="utf-8") as file:
        json.dump(recorded["device"], file)
    done = run(MACHINE, folder)
    case(done.status == 0 and machine.read(os.path.join(folder, machine.NAME)) == recorded,
         "the record's machine file is made of its log", done)
    path = os.path.join(folder, "log.csv")
    with open(path, encoding="utf-8") as file:
        lines = [line for line in file if ",fence," not in line]
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(lines)
    done = run(MACHINE, folder)
    case(one_line(done, "fence"), "a log without one of the measurements is refused", done)


def main():
    same_numbers()
    measured_numbers()
    for check in (damaged, whole, from_log):
        with tempfile.TemporaryDirectory() as folder:
            check(folder)
    leave()


if __name__ == "__main__":
    main()
