"""
--describe of every step: JSON with the keys and kinds of values that the scripts ask for, launches
that the step takes, and the same that the programs do.
"""
import glob
import json
import os
import re

from common.commands.drive import batch
from common.commands.drive.shapes import broken, parse
from common.commands.drive.support import SOURCE, case, leave, run, step, steps, variants

PURPOSES = ["ladder", "sweep", "quick", "record", "counted", "sanitized", "mutated", "checked",
            "tested", "lesson"]
FLAGS = {"wrong_on_purpose", "in_place", "destroys_input", "waits", "unordered", "rounded"}
NUMBER, NULL = (int, float), type(None)
KEYS = {
    "step": str, "family": str, "group": str, "title": str, "backend": str, "version": str, "commit": str,
    "types": list, "options": list, "parameters": list, "axes": list, "sweep": str,
    "item": (str, NULL), "measure": str, "charts": list, "inputs": list, "test": dict,
    "variants": list, "launches": dict, "numbers": list}
SOMETIMES = {"element": str}
AXIS = {"name": str, "option": str, "words": str, "unit": str, "default": dict, "test": list, "large": list}
VARIANT = {"name": str, "summary": str, "role": str, "library": bool, "types": list, "takes": dict,
           "flags": list}
TAKES = {"power_of_two": bool, "whole_warps": bool, "least_threads": int, "threads": (int, NULL),
         "elements_a_thread": (int, NULL), "blocks": str, "resident": bool,
         "most_elements": (int, NULL), "threads_by_size": bool, "whole_quads": bool,
         "only": dict, "own_shape": bool}


def misfits(told, keys, where):
    """What is missing, too much or of another kind."""
    keys = {**keys, **{key: kind for key, kind in SOMETIMES.items() if keys is KEYS and key in told}}
    found = [f"{where}: {key} is no {kind}" for key, kind in keys.items()
             if not isinstance(told.get(key, ...), kind)]
    return found + [f"{where}: {key} is unknown" for key in told if key not in keys]


def named_by_families():
    """Lines of the families' launches that name a variant: those belong in the step's own table."""
    for path in sorted(glob.glob(os.path.join(SOURCE, "common", "families", "*", "*.c"))):
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if re.search(r'"([^"]* )?(-v|--variant) ', line):
                    yield f"{os.path.relpath(path, SOURCE)}:{number}: {line.strip()}"


def elsewhere(told):
    """Lines that name only variants of other steps. A family's lines name none; those of a step may
    name a library's beside its own."""
    names = {variant["name"] for variant in told["variants"]}
    for of_use in told["launches"].values():
        for line in {line for of_device in of_use.values() for line in of_device}:
            asked = parse(line).get("variant", [])
            if asked and not names.intersection(asked):
                yield line


def faults(told, name):
    found = misfits(told, KEYS, name)
    if found:
        return found
    for axis in told["axes"]:
        found += misfits(axis, AXIS, "axes")
    for variant in told["variants"]:
        found += misfits(variant, VARIANT, "variants") + \
            misfits(variant["takes"], TAKES, variant["name"])
        found += [f"{variant['name']}: {flag}" for flag in set(variant["flags"]) - FLAGS]
        found += [f"{variant['name']}: {value}" for value, known in (
            (variant["role"], ("step", "peer", "ceiling", "host")),
            (variant["takes"]["blocks"], ("any", "one", "by_size"))) if value not in known]
        found += [f"{variant['name']}: {t}" for t in set(variant["types"]) - set(told["types"])]
    found += [f"launches: {purpose}"
              for purpose in set(PURPOSES) - set(told["launches"]) - {"tested", "lesson"}]
    found += [f"launches: {purpose}" for purpose in set(told["launches"]) - set(PURPOSES)]
    found += [f"launches: {line}: of no variant of the step" for line in elsewhere(told)]
    found += [f"test: {key}" for key in set(told["test"]) ^ {"threads", "blocks", "offsets"}]
    found += [f"{key}: {told[key]}" for key, known in (
        ("step", [name]), ("backend", ["cpu", "cuda"]),
        ("measure", ["gb_per_s", "gflop_per_s", "us_per_item"])) if told[key] not in known]
    return found


def launches(name, told):
    """Every line is taken or refused as "takes" says, by variants that its type allows."""
    lines = sorted({line for purpose in ("counted", "sanitized", "mutated", "checked")
                    for line in told["launches"].get(purpose, {}).get(told["backend"], [])})
    rows = batch.batches([(step(name), list(variants(name)), lines)], ["-r", 1, "-w", 0])[0]
    for line, of_line in zip(lines, rows):
        asked, wrong = parse(line), []
        for variant in variants(name).values():
            if variant["name"] not in asked.get("variant", [variant["name"]]):
                continue
            row = batch.row_of(of_line, variant["name"]) or {"verdict": "none"}
            kind = asked.get("type", told["types"])[0]
            wanted = ("usage", "refused") if kind not in variant["types"] else \
                ("refused", "usage") if broken(name, variant, line) else ("ok", "unsynchronised")
            if row["verdict"] not in wanted:
                wrong.append(row)
        case(not wrong, f"{name} {line}: taken or refused as --describe says", wrong)


def main():
    wrong = list(named_by_families())
    case(not wrong, "no family's launches name a variant of a step", "\n".join(wrong))
    for name in steps():
        done = run(step(name), "--describe")
        try:
            told = json.loads(done.out)
        except ValueError:
            told = {}
        case(done.status == 0 and not done.err and told, f"{name} --describe is JSON", done)
        wrong = faults(told, name)
        if case(not wrong, f"{name} --describe has what the scripts ask for", "\n".join(wrong)):
            launches(name, told)
    leave()


if __name__ == "__main__":
    main()
