"""
What every step must have, so that none goes untested or unread in silence.
"""
import json
import os
import re
import shlex
import tempfile

from check import matrix
from plots import recorded
from plots.makers.mutation import headers, make
from common.commands.drive.shapes import counted, launches
from common.commands.drive.support import SOURCE, declared, describe, rows_of, run, step, variants

def text_of(root, path):
    try:
        with open(os.path.join(root, path), encoding="utf-8") as file:
            return file.read()
    except OSError:
        return ""

def listed(root=SOURCE):
    """The steps that steps/meson.build names."""
    return re.findall(r"^\s*\['([\w-]+)'", text_of(root, "steps/meson.build"), re.MULTILINE)

def linked(root, page, name):
    """Whether a page links to the step's own."""
    return re.search(rf"\]\((docs/)?{re.escape(name)}\.md\)", text_of(root, page)) is not None

def taken(name, purpose):
    """The step's variants that take no launch of a purpose, less those wrong on purpose."""
    asked = counted(name) if purpose == "counted" else launches(name, purpose)
    covered = {variant for _, names in asked for variant in names}
    if purpose == "counted":
        covered |= {v["name"] for v in variants(name).values() if polls(v)}
    return missing_from(name, covered)

def polls(variant):
    """Its blocks wait for each other, and there is no grid of one: its counters are a matter of timing."""
    return "waits" in variant["flags"] and variant["takes"]["blocks"] == "by_size"

def has_kernels(name):
    """Whether a launch that is counted has a kernel: on one device copies alone may be left."""
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "log.csv")
        for line in declared(name, "counted"):
            run(step(name), *shlex.split(line), "--counters", "-q", "-o", log)
        return bool(rows_of(log[:-4] + "-counters.csv"))


def missing_from(name, covered):
    """A variant on the host has no kernel to be counted, checked or mutated."""
    return [v["name"] for v in variants(name).values() if v["name"] not in covered and
            "wrong_on_purpose" not in v["flags"] and v["role"] != "host"]

def record_of(root, name=None):
    """The steps of a GPU's record: the reference's, or that which has the step of this name."""
    return steps_in(text_of(root, os.path.join(place(root, name), "describe.json")))


def steps_in(description):
    return re.findall(r'"step":\s*"([\w-]+)"', description)

def gone(name, root=SOURCE):
    """The variants that the record's step had and the step has no more; a library's are not the step's."""
    described = json.loads(text_of(root, os.path.join(place(root, name), "describe.json")) or "[]")
    return [v["name"] for told in described if told["step"] == name for v in told["variants"]
            if not v["library"] and v["name"] not in variants(name)]

def place(root, name=None):
    """The reference's record below a root, as a path from there; or that of another GPU, or of several, which has the
    step of this name and the reference's has not."""
    devices = os.path.join(root, "plots", "devices")
    first = recorded.reference(devices)
    others = [device for device in recorded.names(devices) if device not in (first, recorded.CPU)] if name else []
    for device in [first, *others]:
        path = os.path.relpath(recorded.place(device=device, devices=devices), root)
        if name in steps_in(text_of(root, os.path.join(path, "describe.json"))):
            return path
    return os.path.relpath(recorded.place(devices=devices), root)

def lacks_papers(name, root=SOURCE):
    """What a step lacks of pages."""
    found = []
    if not text_of(root, f"docs/{name}.md"):
        found.append(f"a page docs/{name}.md")
    return found + [f"a link in {page}" for page in ("README.md", "docs/index.md")
                    if not linked(root, page, name)]

def lacks_record(name, root=SOURCE):
    """[(what a step lacks of a GPU's record, the part that would make it)]"""
    found = [] if name in record_of(root, name) else [("a place in describe.json", "runs")]
    rows = rows_of(os.path.join(root, place(root, name), "counters.csv"))
    counts = root != SOURCE or not all(polls(v) for v in variants(name).values()) and has_kernels(name)
    if counts and name not in {row["step"] for row in rows}:
        found.append(("rows in counters.csv", "counters"))
    if root == SOURCE and gone(name):
        found.append((f"a record without variants that are gone: {' '.join(gone(name))}", "runs counters sanitizer"))
    return found

def lacks_tests(name):
    """What a step lacks that --describe declares, or that is made of its source."""
    found = []
    asked = {variant for _, names in matrix.lines_of(name) for variant in names}
    for variant in missing_from(name, asked):
        found.append(f"rows of the matrix for {variant}")
    for purpose in ("counted", "sanitized", "mutated", "checked"):
        told = describe(name)["launches"].get(purpose, {})
        for device in ("cpu", "cuda"):
            if not told.get(device):
                found.append(f"a {purpose} launch on {device}")
        found += [f"a {purpose} launch that {variant} takes" for variant in taken(name, purpose)]
    if not any(make.mutants_of(name)) and name not in headers.judges().values():
        found.append("mutants")
    return found
