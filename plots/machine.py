"""
A machine file: a GPU's limits as the steps of the group limits measured them, made of their log, and
read again. docs/machine.md tells of its form; common/harness/kit/machine.h reads it, too.
"""
import json
import math
import os

from plots import log

NAME = "machine.json"
GROUP = "limits"  # whose steps measure it
MEMBERS = ("value", "unit", "spread", "what", "how")  # of a number
DEVICE = "device.json"  # what --attributes of a program printed, beside the log
UNITS = {  # of the numbers, in their order
    "first_operation": "us", "next_operation": "us", "block_start": "ns",
    "wide_block_start": "ns",
    "dram_read": "GB/s", "dram_write": "GB/s", "l2_read": "GB/s", "line_stores": "stores/ns",
    "dram_latency": "ns", "l2_latency": "ns", "l1_latency": "ns", "shared_latency": "ns",
    "dependent_step": "ns", "block_barrier": "ns", "atomic_latency": "ns",
    "fence": "ns", "same_address_atomic": "ns", "same_address_integer": "ns",
    "issue_rate": "instructions/ns", "f32_rate": "GFLOP/s"}
ATTRIBUTES = ("multiprocessors", "threads_per_multiprocessor", "blocks_per_multiprocessor",
              "registers_per_multiprocessor", "shared_bytes_per_multiprocessor",
              "reserved_shared_bytes_per_block", "l2_bytes", "clock_mhz")


def numbers_of(described):
    """What the described steps measure for a machine file, in their order: as --describe tells it, and "step"."""
    return [{**number, "step": step["step"]} for step in described
            for number in step.get("numbers", [])]


def _value(text):
    """2^20, 256 or a word, as a column of the log holds it."""
    base, power, exponent = text.partition("^")
    if power:
        return float(base) ** float(exponent)
    return float(text) if text.isdecimal() else text


def where(number):
    """{column: value} that its row has."""
    return {name: _value(text) for name, _, text in
            (word.partition("=") for word in number["where"].split())}


def row_of(number, rows):
    """The GPU's row that it is taken from: of several the one with the most runs, then the latest; or None."""
    def fits(row):
        return row["step"] == number["step"] and row["variant"] == number["variant"] and \
            row["backend"] == "cuda" and row["status"] == "ok" and row["cache"] == "warm" and \
            all(row.get(name) == value for name, value in where(number).items())

    return max(reversed([row for row in rows if fits(row)]), key=lambda row: row["runs"] or 0,
               default=None)


def command(number, row):
    """How it was measured: the command of one such measurement."""
    words = [number["step"], "-v", number["variant"]]
    for word in number["where"].split():
        name, _, text = word.partition("=")
        words += [{"n": "-n", "threads": "-t"}.get(name, "--" + name), text]
    return " ".join(words) + f", median of {row['runs']:.0f} runs"


def rounded(value):
    return float(f"{value:.4g}")


def taken(number, row, multiprocessors):
    """The number's value, from its row."""
    if number["column"] == "us_per_item":
        value = row["median_us"] / row["n"]
    else:
        value = row[number["column"]]
    value = 1 / value if number["inverse"] else value
    return value * number["factor"] * multiprocessors ** number["multiprocessors"]


def entry(number, row, multiprocessors):
    value = taken(number, row, multiprocessors)
    quartiles = [log.number(row["texts"].get(name)) for name in ("q1_us", "q3_us")]
    if None in quartiles:
        raise log.LogError(f"{row['found']}: no quartiles")
    spread = value * (quartiles[1] - quartiles[0]) / row["median_us"]
    return {"value": rounded(value), "unit": number["unit"], "spread": rounded(spread),
            "what": number["what"], "how": command(number, row)}


def _json(path):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except OSError as error:
        raise log.LogError(f"{path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise log.LogError(f"{path}: {error}") from error


def make(directory):
    """The machine file's content, from the log and the attributes in the directory of a run."""
    rows, _, described = log.load(directory)
    numbers = numbers_of(described)
    chosen = [(number, row_of(number, rows)) for number in numbers]
    lacks = [number["number"] for number, row in chosen if row is None]
    if lacks or not chosen:
        raise log.LogError(f"{directory}: no measurement on a GPU for "
                           f"{', '.join(lacks) or 'any number'}; ./steps/run {GROUP} makes them")
    devices = {row["device"] for _, row in chosen}
    if len(devices) > 1:
        raise log.LogError(f"{directory}: measured on several devices: {', '.join(devices)}")
    device = _json(os.path.join(directory, DEVICE))
    last = max((row for _, row in chosen), key=lambda row: row["utc"])
    made = {"device": device,
            "measured": {name: last[name] for name in ("utc", "commit", "driver", "cuda")},
            "numbers": {number["number"]: entry(number, row, device["multiprocessors"])
                        for number, row in chosen}}
    check(made, os.path.join(directory, NAME))
    return made


def text_of(machine):
    """As the file holds it: a line per number."""
    numbers = ",\n".join(f"  {json.dumps(name)}: {json.dumps(value)}"
                         for name, value in machine["numbers"].items())
    return (f'{{\n "device": {json.dumps(machine["device"])},\n'
            f' "measured": {json.dumps(machine["measured"])},\n "numbers": {{\n{numbers}\n }}\n}}\n')


def _check_entry(name, unit, found, path):
    if not isinstance(found, dict):
        raise log.LogError(f"{path}: {name} is no object")
    for key in found:
        if key not in MEMBERS:
            raise log.LogError(f"{path}: {name} has no member {key} "
                               f"(accepted: {' '.join(MEMBERS)})")
    value, spread = found.get("value"), found.get("spread")
    if not _is_number(value):
        raise log.LogError(f"{path}: {name} has no value")
    if not value > 0:
        raise log.LogError(f"{path}: {name} is {value:g}; must be above 0")
    if found.get("unit") != unit:
        raise log.LogError(f"{path}: {name} is in '{found.get('unit', '')}'; must be in {unit}")
    if not _is_number(spread) or spread < 0:
        raise log.LogError(f"{path}: {name} has no spread, or one that is negative")
    if not found.get("how"):
        raise log.LogError(f"{path}: {name} does not say how it was measured")


def _is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def check(machine, path):
    """LogError, naming the file and what is wrong in it, unless it is a whole machine file."""
    device = machine.get("device") if isinstance(machine, dict) else None
    numbers = machine.get("numbers") if isinstance(machine, dict) else None
    if not isinstance(device, dict) or not isinstance(numbers, dict):
        raise log.LogError(f"{path}: no machine file: it has no device or no numbers")
    if not isinstance(device.get("name"), str) or not device["name"]:
        raise log.LogError(f"{path}: the device's name is missing")
    for name in ATTRIBUTES:
        if not _is_number(device.get(name)):
            raise log.LogError(f"{path}: the device's {name} is missing")
        if not device[name] > 0 and name != "reserved_shared_bytes_per_block":
            raise log.LogError(f"{path}: {name} is {device[name]:g}; must be above 0")
    for name, found in numbers.items():
        if name not in UNITS:
            raise log.LogError(f"{path}: unknown number {name}")
        _check_entry(name, UNITS[name], found, path)
    for name in UNITS:
        if name not in numbers:
            raise log.LogError(f"{path}: the number {name} is missing")


def read(path):
    """A machine file that has been checked."""
    machine = _json(path)
    check(machine, path)
    return machine


def table(machine):
    """(header, cells): a line per number."""
    cells = [[name, f"{found['value']:g}", found["unit"], f"{found['spread']:g}",
              found.get("what", ""), found["how"]]
             for name, found in ((name, machine["numbers"][name]) for name in UNITS)]
    return ["number", "value", "unit", "spread", "what", "how it was measured"], cells
