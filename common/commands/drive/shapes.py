"""
What a step's --describe says of shapes: which launches a variant takes, and the launches that it
declares for a purpose. A line is what stands on a command line: "-n 2^20 -b 4".
"""
import functools
import re

from common.commands.drive.support import declared, describe, run, step
from common.commands.runner import lines

THREADS = 256  # the default of every family
FAR_TOO_MANY = 1000000  # blocks; no device holds so many at once
UNITS = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30}


def parse(line):
    """{option: [values]} of a line; an option without a value has []."""
    return lines.parse(line.split())


def number(text):
    """2^20, 16Mi, 1000003"""
    power = re.fullmatch(r"(\d+)\^(\d+)", text)
    if power:
        return int(power[1]) ** int(power[2])
    unit = UNITS.get(text[-2:])
    return int(text[:-2]) * unit if unit else int(text)


def axis_values(told, asked):
    """{axis: its value} of a parsed line; what is not given is the device's default."""
    sized = [axis["name"] for axis in told["axes"] if axis["option"] == "size"]
    values = {axis["name"]: axis["default"][told["backend"]] for axis in told["axes"]}
    for axis in told["axes"]:
        if axis["option"] != "size" and axis["option"] in asked:
            values[axis["name"]] = number(asked[axis["option"]][-1])
    if "size" in asked:
        sides = asked["size"][-1].split("x")
        values.update(zip(sized, map(number, sides * (len(sized) if len(sides) == 1 else 1))))
    return values


def elements(told, values):
    """What the log's column n tells of such axes."""
    n = 1
    for axis in told["axes"]:
        n *= values[axis["name"]] if axis["option"] == "size" else 1
    return n


def tested(told, variant):
    """[(axis, the values that the test matrix combines)]: those that the variant takes."""
    step_of = {axis["name"]: 4 if variant["takes"]["whole_quads"] and axis["option"] == "size" else 1
               for axis in told["axes"]}
    return [(axis["name"], [value for value in
                            variant["takes"]["only"].get(axis["name"], axis["test"])
                            if value % step_of[axis["name"]] == 0])
            for axis in told["axes"]]


@functools.lru_cache(maxsize=None)
def resident(name, variant, threads):
    """The largest grid that a variant whose blocks wait takes, as the refusal of one far too large
    names it, and that refusal. Threads are None where they follow from the size."""
    asked = ["-t", threads] if threads else []
    done = run(step(name), "-v", variant, "-b", FAR_TOO_MANY, *asked, "-q")
    found = re.search(r"at most (\d+) blocks of (\d+) threads", done.err)
    good = done.status == 2 and len(done.err.splitlines()) == 1 and found and \
        threads in (None, int(found[2]))
    return int(found[1]) if good else 0, done


def bad_threads(takes, threads):
    """The number of threads, if the variant does not take it; None is such as it takes."""
    refused = threads is not None and (
        takes["threads_by_size"] or threads < takes["least_threads"] or
        takes["threads"] not in (None, threads) or
        takes["power_of_two"] and threads & (threads - 1) or takes["whole_warps"] and threads % 32)
    return [threads] if refused else []


def bad_blocks(takes, blocks):
    """The same of a grid, but for what is resident at once."""
    refused = blocks is not None and (
        takes["blocks"] == "by_size" or takes["blocks"] == "one" and blocks > 1)
    return [blocks] if refused else []


def bad_values(told, takes, values, asked):
    """Values of axes on the line that the variant does not take; and offsets."""
    found = [values[axis["name"]] for axis in told["axes"] if axis["option"] in asked and
             values[axis["name"]] not in takes["only"].get(axis["name"], [values[axis["name"]]])]
    if takes["whole_quads"]:
        sides = [values[axis["name"]] for axis in told["axes"] if axis["option"] == "size"]
        found += [value for value in [*sides, *map(int, asked.get("offset", []))] if value % 4]
    return found


def bad_size(takes, n, threads):
    """The number of elements, if they are too many."""
    per_thread, most = takes["elements_a_thread"], takes["most_elements"]
    return [n] if per_thread and n > per_thread * threads or most and n > most else []


def broken(name, variant, line, wider=1):
    """The values on the line that this variant (of --describe) does not take: none if it takes the
    line. Threads that are not on the line are such as it takes. The program has the same rules; it is
    not asked, since what it refuses is what the tests compare with this."""
    told, takes, asked = describe(name), variant["takes"], parse(line)
    threads, blocks = (int(number(asked[option][-1])) if option in asked else None
                       for option in ("threads", "blocks"))
    values = axis_values(told, asked)
    bad = [*bad_threads(takes, threads), *bad_blocks(takes, blocks),
           *bad_values(told, takes, values, asked),
           *bad_size(takes, elements(told, values), threads or THREADS)]
    if takes["resident"] and blocks is not None and not bad and \
            blocks > wider * resident(name, variant["name"], None if takes["threads_by_size"] else
                              threads or takes["threads"] or THREADS)[0]:
        bad.append(blocks)
    return bad


def right(name):
    """The step's variants that are not wrong on purpose."""
    return [v for v in describe(name)["variants"] if "wrong_on_purpose" not in v["flags"]]


def launches(name, purpose, wider=1):
    """The launches that a step declares for a purpose ("counted", "checked", ...), each as (line,
    names of the variants that take it), without those that are wrong on purpose. A line's -b is
    dropped where the grid follows from the size, and a line with a type that a variant lacks. wider: on a device that
    holds so many times as many blocks at once."""
    found = {}
    for line in declared(name, purpose):
        asked = parse(line)
        for variant in right(name):
            if variant["name"] not in asked.get("variant", [variant["name"]]):
                continue
            own = lines.fit(lines.without(line.split(), "variant"), variant, describe(name)["types"][0])
            if own is not None and not broken(name, variant, " ".join(own), wider):
                found.setdefault(" ".join(own), []).append(variant["name"])
    return list(found.items())


def chosen(names):
    """The words that choose variants."""
    return " ".join(f"-v {name}" for name in names)


def counted(name):
    """The launches to be compared with Nsight Compute: (line with -v, variants). How often a block
    that waits polls is a matter of time, so such variants count with one block alone, or if the step
    itself declares launches of theirs: in these nothing is waited for."""
    waits = {v["name"] for v in right(name) if "waits" in v["flags"]}
    waits -= {v for line in declared(name, "counted") for v in parse(line).get("variant", [])}
    for line, names in launches(name, "counted"):
        names = [v for v in names if v not in waits or parse(line).get("blocks") == ["1"]]
        if names:
            yield line, names
