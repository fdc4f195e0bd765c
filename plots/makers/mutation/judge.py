"""
Runs a mutant in the launches that its step declares as "mutated", and tells how it was found.
"""
import functools
import glob
import hashlib
import json
import os
import re
import signal
import subprocess
import tempfile
import threading

from common.commands.drive import large
from common.commands.drive.batch import work_off
from common.commands.drive.shapes import chosen, launches, parse
from common.commands.drive.building import compile_main, kernel_command, link, translate
from common.commands.drive.support import BUILD, Done, SOURCE, run, step, variants

from .make import ORDERING, PLAIN

SEEDS = (1, 2, 3)  # of --schedule=random
TWICE = ["-r", "2", "-w", "0"]  # the second run finds what the first left behind
# A field of a word that counts has few bits, so that a small launch has more than it counts.
STAND_INS = ["-DSMALL_FIELDS"]
TRIES = 4  # of a run that says deadlock, to know that it says so each time
WIDER = 4  # times as many blocks may be resident where the ordinary device refuses a launch's grid
compiling_main = threading.Lock()


class Unclean(Exception):
    """The step itself fails in a launch that is to find its mutants."""


@functools.lru_cache(maxsize=None)
def digest_of_build():
    """What a verdict depends on beside the mutant's own text."""
    total = hashlib.sha256(repr((kernel_command(), SEEDS, STAND_INS, PLAIN)).encode())
    files = [os.path.join(BUILD, "common", "libcommon.a"),
             os.path.join(BUILD, "common", "cpu", "libcpudevice.a")]
    for path in files + sorted(glob.glob(os.path.join(SOURCE, "check", "large", "*"))) + \
            sorted(glob.glob(os.path.join(SOURCE, "common", "**", "*.h"), recursive=True)):
        with open(path, "rb") as file:
            total.update(file.read())
    return total.hexdigest()


def counters_of(program, line, scratch, device):
    """What --counters writes to its CSV; on one worker, so that waiting is the same each time."""
    log = os.path.join(scratch, "log.csv")
    rows = os.path.join(scratch, "log-counters.csv")
    for path in (log, rows):
        if os.path.exists(path):
            os.unlink(path)
    for _ in range(TRIES):
        done = run(program, *line.split(), *TWICE, "-q", "--counters", "--log", log, limit=20,
                   env={"CPU_DEVICE_WORKERS": "1", **device})
        if "deadlock in" not in done.err:
            break
    if done.status != 0 or not os.path.exists(rows):
        return None
    with open(rows, encoding="utf-8") as file:
        return file.read()


def typed(name, taken):
    """(line, variants) as lines that name the type and the variants. A variant that lacks the step's type for this
    has its own."""
    found, kind = {}, large.type_of(name)
    for line, names in taken:
        for variant in names:
            types = variants(name)[variant]["types"]
            own = "" if "type" in parse(line) else f" --type {kind if kind in types else types[0]}"
            found.setdefault(line + own, []).append(variant)
    return [f"{line} {chosen(names)}" for line, names in found.items()]


@functools.lru_cache(maxsize=None)
def wide_lines_of(name):
    """Those of the launches whose grid the ordinary device refuses, and a wider one takes."""
    ordinary = dict(launches(name, "mutated"))
    more = ((line, [each for each in names if each not in ordinary.get(line, [])])
            for line, names in launches(name, "mutated", WIDER))
    return typed(name, [(line, names) for line, names in more if names])


def lines_of(name):
    """The launches, each with a type and with the variants that take it."""
    return typed(name, launches(name, "mutated")) + wide_lines_of(name)


def device_for(name, line):
    """What the environment says of the device that takes the line."""
    return {"CPU_DEVICE_SMS": str(WIDER * 16)} if line in wide_lines_of(name) else {}


def types_of(name):
    """The element types of these lines, each of which a mutant is compiled for."""
    return list(dict.fromkeys(parse(line)["type"][-1] for line in lines_of(name)))


@functools.lru_cache(maxsize=None)
def plan(name):
    """The lines of the launches. The step as it is must be right in each, and clean under --check, or its
    mutants would be found by its own faults."""
    lines = lines_of(name)
    if not lines:
        raise Unclean(f"{name}: none of its variants takes a launch of \"mutated\"")
    for more in ([], ["--check"]):
        fault, at = first_fault(step(name), name, lines, 60, more,
                                lambda row: wrong(row) or found(row))
        if fault:
            raise Unclean(f"{name} {lines[at]} {' '.join(more)}: the step itself: {fault}")
    return lines


@functools.lru_cache(maxsize=None)
def counters_of_step(name, line):
    """The counters of the step itself; None where they differ from run to run."""
    with tempfile.TemporaryDirectory() as scratch:
        first, second = (counters_of(step(name), line, scratch, device_for(name, line)) for _ in range(2))
    return first if first == second else None


def compile_limited(source, output, more):
    """compile_cpp with a time limit. A loop without an end may keep an optimising compiler busy for
    ever, unrolling it: then without optimisation."""
    for flags in (more, [*more, "-O0"]):
        command = [*kernel_command(), *flags, "-c", source, "-o", output]
        with subprocess.Popen(command, cwd=BUILD, stdout=subprocess.DEVNULL, text=True,
                              stderr=subprocess.PIPE, start_new_session=True) as compiler:
            try:
                err = compiler.communicate(timeout=60)[1]
                return Done(command, compiler.returncode, "", err)
            except subprocess.TimeoutExpired:
                os.killpg(compiler.pid, signal.SIGKILL)  # the compiler proper is a child of it
    return Done(command, 124, "", "the compiler does not end")


@functools.lru_cache(maxsize=None)
def main_object(*kinds):
    """The main of a program for these element types, compiled once."""
    path = os.path.join(BUILD, "mutants", f"main-{'-'.join(kinds)}.o")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    done = compile_main(path, kinds)
    if done.status != 0:
        raise RuntimeError(done)
    return path


def write_source(mutant, scratch):
    """The mutant as a file, behind the plain accesses that atomics become."""
    source = os.path.join(scratch, mutant.step + ".cu")
    with open(source, "w", encoding="utf-8") as file:
        file.write(f"{PLAIN}#line 1\n{mutant.text}")
    return source


def build(mutant, scratch, kind=None):
    """The program for an element type, for the kind index one of large arrays; and what failed, or was done last."""
    source, large_one = write_source(mutant, scratch), is_large(mutant)
    kind = kind or (large.type_of(mutant.step) if large_one else types_of(mutant.step)[0])
    program = f"{source[:-3]}_{kind}"
    done = translate(source, program + ".cpp", ["-w", f"-DELEMENT_TYPE={kind}", *STAND_INS])
    if done.status == 0:
        done = compile_limited(program + ".cpp", program + ".o", ["-w"])
    if done.status != 0:
        return program, done
    with compiling_main:  # and what else is compiled once
        if large_one:
            return program, large.link_large(mutant.step, [program + ".o"], program)
        main = main_object(kind)
    return program, link([program + ".o", main], program, common=True)


def is_large(mutant):
    return mutant.kind == "index" and mutant.family in large.families()


def judge_large(program, limit):
    """The verdict over more than 2^32 elements, where nothing else is asked."""
    done = run(program, limit=limit)
    result = {0: "", 1: "wrong result", 3: "error", 124: "hang"}.get(done.status, "crash")
    return {"result": result, "check": "", "order": "", "counters": ""}


@functools.lru_cache(maxsize=None)
def large_plan(name):
    """The step itself must be right over large arrays."""
    with tempfile.TemporaryDirectory() as scratch:
        program = os.path.join(scratch, name)
        with compiling_main:  # and what else is compiled once
            done = large.link_large(name, large.kernels_of(name), program)
        done = run(program) if done.status == 0 else done
    if done.status != 0:
        raise Unclean(f"{name} over more than 2^32 elements: the step itself: {done}")
    return True


def wrong(row):
    """What is wrong with the result, "" for nothing. A kernel that deadlocks ends its launch with an
    error."""
    if row["verdict"] == "device" and "deadlock" in row["message"]:
        return "deadlock"
    return {"ok": "", "unsynchronised": "", "wrong": "wrong result", "hang": "hang",
            "crash": "crash", "deadlock": "deadlock"}.get(row["verdict"], "error")


def found(row):
    """The kind of what --check found, "" for nothing."""
    if not row.get("findings"):
        return ""
    return re.match(r"--check: (\w+)", row["found"]).group(1)


def first_fault(program, name, lines, limit, more, fault):
    """(the first that fault(row) is of the lines' rows, which line it was); ("", None) for none."""
    for wide in (False, True):
        part = [line for line in lines if (line in wide_lines_of(name)) == wide]
        said, at = first_fault_on(device_for(name, part[0]), program, name, part, limit, more, fault) if part \
            else ("", None)
        if said:
            return said, lines.index(part[at])
    return "", None


def first_fault_on(device, program, name, lines, limit, more, fault):
    """The same on one device. A deadlock counts if the line says so each time."""
    at = 0
    while at < len(lines):
        names = list(variants(name))
        rows = work_off(program, names, lines[at:], [*TWICE, *more], device, limit, stop=fault)
        faults = [(i, fault(row)) for i, of_line in enumerate(rows) for row in of_line
                  if fault(row)]
        if not faults:
            break
        at, said = at + faults[0][0], faults[0][1]
        again = said == "deadlock" and any(
            not any(map(fault, work_off(program, names, [lines[at]], [*TWICE, *more], device, limit,
                                        stop=fault)[0])) for _ in range(TRIES - 1))
        if not again:
            return said, at
        at += 1
    return "", None


def by_type(name):
    """{element type: its lines}, those with the fewest lines last: most mutants are found before."""
    found = {}
    for line in plan(name):
        found.setdefault(parse(line)["type"][-1], []).append(line)
    return dict(sorted(found.items(), key=lambda pair: -len(pair[1])))


def judge_type(mutant, program, lines, limit, scratch):
    """The verdict of the lines of one element type, for which the program was built."""
    def first(fault, *more):
        return first_fault(program, mutant.step, lines, limit, more, fault)[0]

    verdict = {"result": first(wrong), "check": "", "order": "", "counters": ""}
    # Where the result is wrong, only mutants in the order of things are asked for more.
    if verdict["result"] != "hang" and (not verdict["result"] or mutant.kind in ORDERING):
        verdict["check"] = first(found, "--check")
    if verdict["result"] or verdict["check"]:
        return verdict
    for seed in SEEDS:
        verdict["order"] = verdict["order"] or first(
            lambda row: wrong(row) or found(row), *(["--check"] if seed == SEEDS[0] else []),
            f"--schedule=random:{seed}")
    if not verdict["order"] and any(
            counters_of_step(mutant.step, line) not in (
                None, counters_of(program, line, scratch, device_for(mutant.step, line))) for line in lines):
        verdict["counters"] = "changed"
    return verdict


def judge(mutant, limit):
    """{result, check, order, counters}: what each way of looking found, up to the element type in which one did;
    {refused} if the compiler took no such program."""
    types = by_type(mutant.step)
    verdict = {"result": "", "check": "", "order": "", "counters": ""}
    with tempfile.TemporaryDirectory() as scratch:
        if is_large(mutant):
            program, done = build(mutant, scratch)
            return {"refused": str(done)[-2000:]} if done.status != 0 else judge_large(program, limit)
        for kind, lines in types.items():
            program, done = build(mutant, scratch, kind)
            if done.status != 0:
                return {"refused": str(done)[-2000:]}
            one = judge_type(mutant, program, lines, limit, scratch)
            verdict = {name: verdict[name] or one[name] for name in verdict}
            if verdict["result"] and (verdict["check"] or mutant.kind not in ORDERING) or \
                    verdict["check"] and not verdict["result"]:
                break
    return verdict


def cached(mutant, limit):
    text = repr((mutant.step, mutant.text, lines_of(mutant.step))) + digest_of_build()
    path = os.path.join(BUILD, "mutants", hashlib.sha256(text.encode()).hexdigest() + ".json")
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError):
        pass
    verdict = judge(mutant, limit)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump(verdict, file)
    os.replace(path + ".new", path)
    return verdict


def verdict_name(mutant, verdict):
    if "refused" in verdict:
        return "does not compile"
    if verdict["result"]:
        return "wrong result"
    if verdict["check"] or verdict["order"]:
        return "found by --check" if verdict["check"] else "found in another order"
    return "counters changed" if verdict["counters"] else "survived"


def caught(mutant, verdict):
    """Found; changed counters are a finding only where nothing else is to change."""
    name = verdict_name(mutant, verdict)
    return name in ("wrong result", "found by --check", "found in another order",
                    "does not compile") or (mutant.kind == "padding" and name == "counters changed")
