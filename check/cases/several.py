"""
Steps on several devices, on the CPU device with 1, 2, 3, 4, 8 and 16 of them: counts that the devices do not divide,
one element, none; clean under --check. More devices than there are, and numbers that are none, are one line. Those
that overlap work in one device's streams run on one of so many.
"""
import os
import re

from common.commands.drive.shapes import chosen, launches
from common.commands.drive.support import SOURCE, case, describe, leave, parallel, run, step, steps, variants

DEVICES = (1, 2, 3, 4, 8, 16)
ELEMENTS = {1: (0, 1, 17, 1003), 2: (0, 1, 17, 67)}  # by the axes that --size gives: of a matrix the sides
REFUSED = (  # options, and what the line names
    ("--devices 3 --gpus 2", "it works on 3 devices; there are 2"),
    ("--devices 2 --gpus 1", "it works on 2 devices; there are 1"),
    ("--devices 17", "--devices 17"),
    ("--devices 0", "--devices 0"),
    ("--devices -1", "--devices -1"),
    ("--gpus 17", "--gpus 17"),
    ("--gpus 0", "--gpus 0"),
)


def spread(name):
    return any(axis["name"] == "devices" for axis in describe(name)["axes"])


def overlaps(name):
    """Whether it works on one device and queues what may go on at the same time, as its source says."""
    with open(os.path.join(SOURCE, "steps", name, name + ".cu"), encoding="utf-8") as file:
        return not spread(name) and re.search(r"cudaStreamWaitEvent|cudaGraph", file.read())


def elements_of(name):
    return ELEMENTS[sum(axis["option"] == "size" for axis in describe(name)["axes"])]


def checked(plan):
    """Some blocks wait for those of other devices, so there are several where the grid is free."""
    name, devices, elements = plan
    free = any(variant["takes"]["blocks"] == "any" for variant in variants(name).values())
    shape = ["-b", 2] if free else []
    return plan, run(step(name), "--check", "--devices", devices, "-n", elements, *shape)


def right(names):
    plans = [(name, devices, elements) for name in names for devices in DEVICES for elements in elements_of(name)]
    for (name, devices, elements), done in parallel(checked, plans):
        case(done.status == 0 and not done.err and f"devices {devices}" in done.out,
             f"{name} --check -n {elements} --devices {devices}", done)


def on_one_of(plan):
    name, devices, (line, names) = plan
    return plan, run(step(name), "--check", "--gpus", devices, *line.split(), *chosen(names).split())


def right_on_one(names):
    plans = [(name, devices, launch) for name in names for devices in DEVICES for launch in launches(name, "mutated")]
    for (name, devices, (line, _)), done in parallel(on_one_of, plans):
        case(done.status == 0 and not done.err, f"{name} --check {line} --gpus {devices}", done)


def refused(name):
    for options, words in REFUSED:
        done = run(step(name), "-n", 100, *options.split())
        case(done.status == 2 and words in done.err and len(done.err.splitlines()) == 1 and not done.out,
             f"{name} {options} is one line", done)
    done = run(step(name), "-n", 100, "--gpus", 1)
    case(done.status == 0 and "devices 1" in done.out, f"{name} on one device says so", done)


def main():
    names = [name for name in steps() if spread(name)]
    right(names)
    right_on_one([name for name in steps() if overlaps(name)])
    for name in names:
        refused(name)
    leave()


if __name__ == "__main__":
    main()
