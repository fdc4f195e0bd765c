"""steps/watch: see USAGE."""
import itertools
import json
import os
import sys

from common.commands import ROOT
from common.commands.arguments import Arguments, positive
from common.commands.runner.screen import Screen, Stop, end_of

RECORDINGS = os.path.join(ROOT, "plots", "devices", "cpu-device", "recordings")
USAGE = """\
usage: steps/watch STEP|FILE.json [--conflicts] [--findings] [--line N] [--kind WORD] [--variant NAME]

Prints what a recording of --record-steps says, a line per step, with the numbers of the player in the pages:
the recording of a step's page, or a file. docs/watch.md tells what is in it.

  --conflicts      only steps with a bank conflict
  --findings       only steps at which --check found something, or that wrote a wrong element; and what no step wrote
  --line N         only steps of this source line
  --kind WORD      only load, store, atomic, copy, arrive, warp, fence, wait, grid, cluster, object, pass, together,
                   end or refused
  --variant NAME   only launches of this variant
  -h, --help       this text

Exit status: 0; 2 there is no such recording."""
KINDS = ("load", "store", "atomic", "copy", "arrive", "warp", "fence", "wait", "grid", "cluster", "object", "pass",
         "together", "end", "refused")


def parse(words):
    parser = Arguments("steps/watch", USAGE)
    parser.add_argument("what", metavar="STEP|FILE.json")
    for option in ("--conflicts", "--findings"):
        parser.add_argument(option, action="store_true")
    parser.add_argument("--line", type=positive(int))
    parser.add_argument("--kind", choices=KINDS)
    parser.add_argument("--variant")
    return parser.parse(words)


def read(what):
    path = what if what.endswith(".json") else os.path.join(RECORDINGS, what + ".json")
    try:
        with open(path, encoding="utf-8") as file:
            told = json.load(file)
        return told, told["launches"], told["steps"]
    except OSError as error:
        raise Stop(f"{what}: {error.strerror}; accepted: a step whose page has a player, or a file of --record-steps",
                   2) from None
    except (ValueError, KeyError, TypeError):
        raise Stop(f"{what}: is no recording of --record-steps", 2) from None


def shortened(told, most, size):
    """The recording's first steps, at most so many and of at most size bytes, and nothing that stands for others."""
    sizes = itertools.accumulate(len(json.dumps(step, separators=(",", ":"))) for step in told["steps"])
    most = min(most, sum(each < size for each in sizes))
    told["cut"] |= len(told["steps"]) > most
    told["steps"] = told["steps"][:most]
    told["findings"] = [each for each in told["findings"] if each["step"] < most]
    told["launches"] = told["launches"][:1 + max((step["l"] for step in told["steps"]), default=0)]
    for each in told.get("wrong", []):
        each["l"] = min(each["l"], len(told["launches"]) - 1)
        if each["step"] >= most:
            each["step"] = -1
            del each["lane"]
    return told


def lanes_text(mask):
    """The lanes as ranges: 0-31, or 0,2,4-7."""
    found, lane = [], 0
    while lane < 32:
        first = lane
        while lane < 32 and mask >> lane & 1:
            lane += 1
        if lane > first:
            found.append(str(first) if lane == first + 1 else f"{first}-{lane - 1}")
        lane += 1
    return ",".join(found) if len(found) < 6 else f"{bin(mask).count('1')} lanes"


def is_shared(area):
    """shared memory of the block: "shared"; of another one of its cluster: "shared:NUMBER"."""
    return str(area).startswith("shared")


def place_text(launch, areas, area, offset):
    """s[3], by the launch's names; tile[99] of more dimensions, too."""
    arrays = launch["shared"] if is_shared(area) else [each for each in launch["arrays"] if each["area"] == area]
    arrays = [each for each in arrays if each["at"] <= offset]
    owner = f" of block {area.partition(':')[2]}" if is_shared(area) and ":" in area else ""
    if not arrays:
        name = "shared" if is_shared(area) else areas[area]["name"] or f"allocation {areas[area]['allocation']}"
        return f"{name} + {offset} bytes{owner}"
    best = max(arrays, key=lambda each: each["at"])
    return f"{best['name'] or 'shared'}[{(offset - best['at']) // best['element']}]{owner}"


def offsets(step):
    lanes = [lane for lane in range(32) if step["m"] >> lane & 1]
    return step.get("o") or [step["f"] + step["d"] * (lane - lanes[0]) for lane in lanes]


def access_text(told, step):
    if "a" not in step:
        return step.get("op", "")
    at = offsets(step)
    areas = step["a"] if isinstance(step["a"], list) else [step["a"]] * len(at)
    launch, ends = told["launches"][step["l"]], []
    for rank in sorted({0, len(at) - 1}):
        ends.append(f"address {at[rank]}" if areas[rank] == -1 else
                    place_text(launch, told["areas"], areas[rank], at[rank]))
    cost = ""
    if "c" in step:
        unit = "wavefront" if is_shared(areas[0]) else "sector"
        cost = f"{step['c']} {unit}{'s' if step['c'] != 1 else ''}"
        cost += f", {step['i']} would do" if "i" in step else ""
    return f"{'shared' if is_shared(areas[0]) else 'global'}  {' to '.join(ends):24}  {cost}".rstrip()


def wrong_text(told, each):
    """Of an element that was verified and is wrong: which, and how."""
    if "a" not in each:
        return each["text"]
    return f"{place_text(told['launches'][each['l']], told['areas'], each['a'], each['o'])}, {each['text']}"


def rows(told, asked):
    """[(number, block, warp, line, kind, lanes, what)]"""
    found = {}
    for each in told["findings"]:
        found.setdefault(each["step"], []).append(each["text"].split("\n")[0])
    for each in told.get("wrong", []):
        found.setdefault(each["step"], []).append(wrong_text(told, each))
    for at, step in enumerate(told["steps"]):
        line = told["places"][step["p"]][1] if "p" in step else 0
        if asked.conflicts and "i" not in step or asked.findings and at not in found or \
                asked.line and line != asked.line or asked.kind and step["k"] != asked.kind or \
                asked.variant and told["launches"][step["l"]]["label"] != asked.variant:
            continue
        yield (str(at + 1), str(step["b"]), str(step.get("w", "-")), str(line or "-"), step["k"],
               lanes_text(step.get("m", 0)) or "-", access_text(told, step))
        if asked.findings:
            yield from (("", "", "", "", "", "", text) for text in found[at])
    if asked.findings:
        yield from (("-", "-", "-", "-", "", "", f"{wrong_text(told, each)}: no step here wrote what stands there")
                    for each in told.get("wrong", []) if each["step"] < 0)


def work():
    asked = parse(sys.argv[1:])
    told, _, _ = read(asked.what)
    table = [("step", "block", "warp", "line", "kind", "lanes", "what"), *rows(told, asked)]
    wide = [max(len(row[at]) for row in table) for at in range(6)]
    for row in table:
        cells = [f"{cell:>{wide[at]}}" if at < 4 else f"{cell:{wide[at]}}" for at, cell in enumerate(row[:6])]
        print("  ".join([*cells, row[6]]).rstrip())
    if told["cut"]:
        print("(the first steps of a longer launch)")
    return 0


def main():
    return end_of(Screen("steps/watch"), work)


if __name__ == "__main__":
    sys.exit(main())
