"""
A machine file: a GPU's limits as the steps of the group limits measured them, made of their log, and
read again. docs/machine.md tells of its form; common/harness/kit/machine.h reads it, too.
"""
import dataclasses
import json
import math
import os

from plots import log

NAME = "machine.json"
DEVICE = "device.json"  # what --attributes of a program printed, beside the log
ATTRIBUTES = ("multiprocessors", "threads_per_multiprocessor", "blocks_per_multiprocessor",
              "registers_per_multiprocessor", "shared_bytes_per_multiprocessor",
              "reserved_shared_bytes_per_block", "l2_bytes", "clock_mhz")


@dataclasses.dataclass
class Number:
    """
    name, unit, what it is; and the measurement it is taken from: a step's variant where the log's
    columns have these values. take: from a row and the multiprocessors to the value.
    """
    name: str
    unit: str
    what: str
    step: str
    variant: str
    where: dict
    take: object


def ns_each(row, _):
    """Of an operation that n counts."""
    return 1000 * row["median_us"] / row["n"]


def us_each(row, _):
    return row["median_us"] / row["n"]


def ns_each_of_all(row, _):
    """Of an operation, counting those of all threads."""
    return 1 / row["gflop_per_s"]


def gb_per_s(row, _):
    return row["gb_per_s"]


def gflop_per_s(row, _):
    return row["gflop_per_s"]


def stores_per_ns(row, _):
    return row["gb_per_s"] / 4  # words of 4 bytes


def ns_of_one(row, multiprocessors):
    """Of what all multiprocessors do side by side."""
    return 1000 * row["median_us"] / row["n"] * multiprocessors


def instructions_per_ns(row, multiprocessors):
    """Two multiply-adds and two operations on integers are six operations of a lane, and four
    instructions of its warp."""
    return row["gflop_per_s"] * 4 / 6 / 32 / multiprocessors


def of(step, variant, take, **where):
    return "limit-" + step, variant, where, take


NUMBERS = [Number(*number[:3], *number[3]) for number in (
    ("first_operation", "us", "a launch alone, between two events",
     of("launch", "queue", us_each, n=1, threads=256)),
    ("next_operation", "us", "each further launch in the queue",
     of("launch", "queue", us_each, n=1024, threads=256)),
    ("block_start", "ns", "a block of 256 threads, on one multiprocessor",
     of("launch", "blocks", ns_of_one, n=2**20, threads=256)),
    ("dram_read", "GB/s", "reading memory",
     of("words", "read-16", gb_per_s, n=2**28, passes=1)),
    ("dram_write", "GB/s", "writing memory",
     of("words", "write-16", gb_per_s, n=2**28, passes=1)),
    ("l2_read", "GB/s", "reading the L2 cache",
     of("words", "read-16", gb_per_s, n=2**23, passes=64)),
    ("sector_stores", "stores/ns", "stores of 4 bytes to as many sectors",
     of("words", "write-sectors", stores_per_ns, n=2**28, passes=1)),
    ("dram_latency", "ns", "a load from memory",
     of("latency", "chase", ns_each, footprint=2**30)),
    ("l2_latency", "ns", "a load from the L2 cache",
     of("latency", "chase", ns_each, footprint=2**24)),
    ("l1_latency", "ns", "a load from the L1 cache",
     of("latency", "chase", ns_each, footprint=2**14, n=2**18)),
    ("shared_latency", "ns", "a load from shared memory",
     of("latency", "chase-shared", ns_each, n=2**18)),
    ("dependent_step", "ns", "a multiply-add that needs the one before",
     of("latency", "arithmetic", ns_each, threads=32, resident=1, n=2**18)),
    ("barrier", "ns", "a barrier of a block of 256 threads",
     of("barrier", "alone", ns_each, resident=1, threads=256, n=2**17)),
    ("shuffle", "ns", "a shuffle",
     of("atomics", "shuffle", ns_each, n=16384)),
    ("atomic_latency", "ns", "an atomic addition whose answer is needed",
     of("atomics", "round-trip", ns_each, n=16384)),
    ("fence", "ns", "a store and __threadfence()",
     of("atomics", "fence", ns_each, n=16384)),
    ("same_address_atomic", "ns", "each of many threads' additions to one word",
     of("atomics", "global-same", ns_each_of_all, threads=256, resident=4, type="f32")),
    ("same_line_atomic", "ns", "each of many threads' additions to the words of one line",
     of("atomics", "global-line", ns_each_of_all, threads=256, resident=4, type="f32")),
    ("issue_rate", "instructions/ns", "instructions of warps, on one multiprocessor",
     of("flops", "mixed", instructions_per_ns, chains=8, resident=4, threads=256, type="f32")),
    ("f32_rate", "GFLOP/s", "multiply-adds of floats",
     of("flops", "multiply-add", gflop_per_s, chains=8, resident=4, threads=256, type="f32")),
)]


def row_of(number, rows):
    """The GPU's row that it is taken from: of several the one with the most runs, then the latest; or None."""
    def fits(row):
        return row["step"] == number.step and row["variant"] == number.variant and \
            row["backend"] == "cuda" and row["status"] == "ok" and row["cache"] == "warm" and \
            all(row.get(name) == value for name, value in number.where.items())

    return max((row for row in rows if fits(row)), key=lambda row: row["runs"] or 0, default=None)


def command(number, row):
    """How it was measured: the command of one such measurement."""
    words = [number.step, "-v", number.variant, "-n", f"{row['n']:.0f}"]
    for name, value in number.where.items():
        if name != "n":
            option = "-t" if name == "threads" else "--" + name
            words += [option, value if isinstance(value, str) else f"{value:.0f}"]
    return " ".join(words) + f", median of {row['runs']:.0f} runs"


def rounded(value):
    return float(f"{value:.4g}")


def entry(number, row, multiprocessors):
    value = number.take(row, multiprocessors)
    quartiles = [log.number(row["texts"].get(name)) for name in ("q1_us", "q3_us")]
    if None in quartiles:
        raise log.LogError(f"{row['found']}: no quartiles")
    spread = value * (quartiles[1] - quartiles[0]) / row["median_us"]
    return {"value": rounded(value), "unit": number.unit, "spread": rounded(spread),
            "how": command(number, row)}


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
    rows, _, _ = log.load(directory)
    chosen = {number.name: row_of(number, rows) for number in NUMBERS}
    lacks = [name for name, row in chosen.items() if row is None]
    if lacks:
        raise log.LogError(f"{directory}: no measurement on a GPU for {', '.join(lacks)}; "
                           "./steps/run limits makes them")
    devices = {row["device"] for row in chosen.values()}
    if len(devices) > 1:
        raise log.LogError(f"{directory}: measured on several devices: {', '.join(devices)}")
    device = _json(os.path.join(directory, DEVICE))
    last = max(chosen.values(), key=lambda row: row["utc"])
    made = {"device": device,
            "measured": {name: last[name] for name in ("utc", "commit", "driver", "cuda")},
            "numbers": {number.name: entry(number, chosen[number.name], device["multiprocessors"])
                        for number in NUMBERS}}
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
        if key not in ("value", "unit", "spread", "how"):
            raise log.LogError(f"{path}: {name} has no member {key} (accepted: value unit how spread)")
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
    known = {number.name: number.unit for number in NUMBERS}
    for name, found in numbers.items():
        if name not in known:
            raise log.LogError(f"{path}: unknown number {name}")
        _check_entry(name, known[name], found, path)
    for name in known:
        if name not in numbers:
            raise log.LogError(f"{path}: the number {name} is missing")


def read(path):
    """A machine file that has been checked."""
    machine = _json(path)
    check(machine, path)
    return machine


def table(machine):
    """(header, cells): a line per number."""
    cells = [[number.name, f"{machine['numbers'][number.name]['value']:g}", number.unit,
              f"{machine['numbers'][number.name]['spread']:g}", number.what,
              machine["numbers"][number.name]["how"]] for number in NUMBERS]
    return ["number", "value", "unit", "spread", "what", "how it was measured"], cells
