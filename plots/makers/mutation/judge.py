"""
Runs a mutant in the launches that its step declares as "mutated", and tells how it was found.
"""
import collections
import concurrent.futures
import functools
import glob
import hashlib
import json
import math
import os
import re
import tempfile
import threading
import time

from common.commands.drive import large
from common.commands.drive.batch import work_off
from common.commands.drive.shapes import axis_values, chosen, elements, launches, parse
from common.commands.drive.building import kernel_command
from common.commands.drive.support import BUILD, SOURCE, describe, run, variants

from . import reach
from .make import ORDERING, PLAIN, key
from .programs import (STAND_IN, build_all, compiling_main, flags_of_mutants, folder_of, is_large, once, original,
                       unchanged)

SEEDS = (1, 2, 3)  # of --schedule=random
TWICE = ["-r", "2", "-w", "0"]  # the second run finds what the first left behind
LONGER, LEAST = 10, 3  # times the processor time that the step takes for the launch, and seconds more: then it hangs
CHECKED = ["--check"]
CHECKED_ONCE = ["--check", "-r", "1"]  # of what has a reason
NO_PROGRAM = "does not compile"
LARGE = "large"  # in the place of an element type: arrays of more than 2^32 elements
ASKED = ("result", "check", "order", "counters")  # the ways of looking
NOT_ASKED = dict.fromkeys(ASKED, "")
TRIES = 4  # of a run that says deadlock, to know that it says so each time
WIDER = 4  # times as many blocks may be resident where the ordinary device refuses a launch's grid


# By what mode() says: which (line, variant) of the program without a change are known to be clean, and by line the
# seconds of processor time that they take and the numbers of the mutants whose place they came to. A lock for each.
known_clean, taken = collections.defaultdict(set), collections.defaultdict(collections.Counter)
numbers_reached = collections.defaultdict(dict)
asking = collections.defaultdict(threading.Lock)


class Unclean(Exception):
    """The step itself fails in a launch that is to find its mutants."""


@functools.lru_cache(maxsize=None)
def digest_of_build(family):
    """What a verdict depends on beside the mutant's own text, of a step of the family: the same on another machine,
    or in another folder."""
    flags = [word.replace(BUILD, "BUILD").replace(SOURCE, "SOURCE") for word in kernel_command() if word[:2] != "-I"]
    compiler = run(*[word for word in kernel_command() if not word.startswith("-")], "--version").out
    total = hashlib.sha256(repr((flags, flags_of_mutants(), compiler, SEEDS, STAND_IN, PLAIN)).encode())
    for folder in ("common/cpu", "common/harness", folder_of(family), "check/large"):
        for path in sorted(glob.glob(os.path.join(SOURCE, folder, "**", "*"), recursive=True)):
            if os.path.isfile(path):
                with open(path, "rb") as file:
                    total.update(path[len(SOURCE):].encode() + file.read())
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


@functools.lru_cache(maxsize=None)
def digest_of_launches(name):
    """What names them in the report."""
    return hashlib.sha256(repr(lines_of(name)).encode()).hexdigest()[:8]


def is_wide(name, line):
    """Whether it is one of the wide lines, or one with fewer of its variants."""
    words, names = line.partition(" -v ")[0], set(parse(line)["variant"])
    return any(words == wide.partition(" -v ")[0] and names <= set(parse(wide)["variant"])
               for wide in wide_lines_of(name))


def device_for(name, line):
    """What the environment says of the device that takes the line."""
    return {"CPU_DEVICE_SMS": str(WIDER * 16)} if is_wide(name, line) else {}


def kind_of(line):
    """The element type of one of the lines."""
    return parse(line)["type"][-1]


def types_of(name):
    """The element types of these lines, each of which a mutant is compiled for."""
    return list(dict.fromkeys(kind_of(line) for line in lines_of(name)))


def base_of(program, name, line):
    """The program that a mutant is compared with: its own without a number, where it is one of several; else that of
    the step itself for the line."""
    return os.path.realpath(program) if os.path.islink(program) else \
        original(name, kind_of(line))


def mode(base, more):
    """What the program without a change is asked, before a mutant is run on the lines with more words: the first of the
    seeds with --check stands for all."""
    return (base, *(more if "--check" in more else ()))


def make_sure(base, name, lines, more):
    """The step without a change must be right in these launches, of one element type, and clean under --check and in
    another order, or its mutants would be found by its own faults. What no mutant is asked for is not asked of it."""
    which = mode(base, more)
    with asking[which]:
        unknown = {}
        for line in lines:
            words = line.partition(" -v ")[0]
            for variant in parse(line)["variant"]:
                if (words, variant) not in known_clean[which]:
                    unknown.setdefault(words, []).append(variant)
        if not unknown:
            return
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:  # who waits for this has a processor for it
            asked = [f"{words} {chosen(names)}" for words, names in unknown.items()]
            told = list(pool.map(lambda line: ask_step(base, name, line, which[1:]), asked))
        for (words, names), (seconds, numbers) in zip(unknown.items(), told):
            taken[which][words] = max(taken[which][words], seconds)
            if numbers is not None:
                numbers_reached[which].setdefault(words, set()).update(numbers)
            known_clean[which] |= {(words, variant) for variant in names}


def ask_step(base, name, line, more):
    """(seconds of processor time, numbers of the mutants whose place it came to) of the program without a change; no
    numbers where it is no program of several mutants, see together.py."""
    with tempfile.TemporaryDirectory() as scratch:
        told, spent = os.path.join(scratch, "reached"), []
        fault, _ = first_fault(base, name, [line], 600, more, lambda row: wrong(row) or found(row), spent=spent,
                               env={"REACHED": told})
        if fault:
            raise Unclean(f"{name} {line} {' '.join(more)}: the step itself: {fault}")
        if not os.path.exists(told):
            return sum(spent), None
        with open(told, encoding="utf-8") as file:
            return sum(spent), set(map(int, file))


def coming_to(program, lines, base, more):
    """Those of the lines that come to the place of the mutant, one of several in its program, after make_sure. In the
    others it runs as the step does: there is one worker, so the order is the same each time."""
    if not os.path.islink(program):
        return lines
    number, reached = int(program.rpartition(".")[2]), numbers_reached[mode(base, more)]
    return [line for line in lines if number in reached[line.partition(" -v ")[0]]]


@once
def counters_of_base(base, name, line):
    """The counters of the program without a change; None where they differ from run to run."""
    with tempfile.TemporaryDirectory() as scratch:
        first, second = (counters_of(base, line, scratch, device_for(name, line)) for _ in range(2))
    return first if first == second else None


def judge_large(program, limit):
    """The verdict over more than 2^32 elements, where nothing else is asked."""
    done = run(program, limit=limit)
    result = {0: "", 1: "wrong result", 3: "error", 124: "hang"}.get(done.status, "crash")
    return {**NOT_ASKED, "result": result}


@once
def large_plan(name):
    """The step itself must be right over large arrays."""
    with tempfile.TemporaryDirectory() as scratch:
        program = os.path.join(scratch, name)
        with compiling_main:
            done = large.link_large(name, large.kernels_of(name), program)
        done = run(program) if done.status == 0 else done
    if done.status != 0:
        raise Unclean(f"{name} over more than 2^32 elements: the step itself: {done}")
    return True


# What is wrong with a result, by the row's verdict; "error" for any other.
WRONG = {"ok": "", "unsynchronised": "", "wrong": "wrong result", "hang": "hang", "crash": "crash",
         "deadlock": "deadlock"}


def wrong(row):
    """What is wrong with the result, "" for nothing. A kernel that deadlocks ends its launch with an
    error."""
    if row["verdict"] == "device" and "deadlock" in row["message"]:
        return "deadlock"
    return WRONG.get(row["verdict"], "error")


def found(row):
    """The kind of what --check found, "" for nothing."""
    if not row.get("findings"):
        return ""
    return re.match(r"--check: (\w+)", row["found"]).group(1)


def first_fault(program, name, lines, limit, more, fault, base=None, spent=None, env=None):
    """(the first that fault(row) is of the lines' rows, which line it was); ("", None) for none. base: what make_sure
    has asked before, so that it is known how long this takes; spent: a list that gets the seconds of processor time."""
    seconds = taken[mode(base, more)]
    for wide in (False, True):
        part = [line for line in lines if is_wide(name, line) == wide]
        limits = [min(limit, LEAST + LONGER * seconds[line.partition(" -v ")[0]]) if base else limit for line in part]
        said, at = first_fault_on({**device_for(name, part[0]), **(env or {})}, program, name, part, limits, more,
                                  fault, spent) if part else ("", None)
        if said:
            return said, lines.index(part[at])
    return "", None


def first_fault_on(device, program, name, lines, limits, more, fault, spent):
    """The same on one device. A deadlock counts if the line says so each time."""
    at = 0
    while at < len(lines):
        names = list(variants(name))
        rows = work_off(program, names, lines[at:], [*TWICE, *more], device, limits[at:], stop=fault, spent=spent)
        faults = [(i, fault(row)) for i, of_line in enumerate(rows) for row in of_line
                  if fault(row)]
        if not faults:
            break
        at, said = at + faults[0][0], faults[0][1]
        again = said == "deadlock" and any(
            not any(map(fault, work_off(program, names, [lines[at]], [*TWICE, *more], device, limits[at],
                                        stop=fault)[0])) for _ in range(TRIES - 1))
        if not again:
            return said, at
        at += 1
    return "", None


def by_type(name):
    """{element type: its lines}, those with the fewest lines last, and of each the smallest first: most mutants are
    found before."""
    found, told = {}, describe(name)
    for line in sorted(lines_of(name), key=lambda line: elements(told, axis_values(told, parse(line)))):
        found.setdefault(kind_of(line), []).append(line)
    if not found:
        raise Unclean(f"{name}: none of its variants takes a launch of \"mutated\"")
    return dict(sorted(found.items(), key=lambda pair: -len(pair[1])))


def asked_of(mutant, program, lines, limit):
    """A function of what is a fault, and of more words: the first fault of these lines, "" for none."""
    base = lines and base_of(program, mutant.step, lines[0])

    def first(fault, *more):
        if not lines:
            return ""
        make_sure(base, mutant.step, lines, more)
        asked = lines if in_another_order(more) else coming_to(program, lines, base, more)
        return first_fault(program, mutant.step, asked, limit, more, fault, base)[0]
    return first


def in_another_order(more):
    return any(word.startswith("--schedule") for word in more)


def first_look(mutant, program, lines, limit, checked):
    """{result, check, order} of the lines of one element type, for which the program was built. checked: the words for
    a look under --check."""
    first = asked_of(mutant, program, lines, limit)
    verdict = {"result": first(wrong), "check": "", "order": ""}
    # Where the result is wrong, only mutants in the order of things are asked for more.
    if not verdict["result"]:
        said = first(lambda row: found(row) or wrong(row), *checked)  # it has an order of its own
        verdict["order" if said in (*WRONG.values(), "error") else "check"] = said
    elif verdict["result"] != "hang" and mutant.kind in ORDERING:
        verdict["check"] = first(found, *checked)
    return verdict


def second_look(mutant, program, lines, limit, checked):
    """{order, counters} of them: what neither a result nor --check shows in the order of things."""
    first, verdict = asked_of(mutant, program, lines, limit), {"order": "", "counters": ""}
    for seed in SEEDS:
        verdict["order"] = verdict["order"] or first(
            lambda row: wrong(row) or found(row), *(checked if seed == SEEDS[0] else []),
            f"--schedule=random:{seed}")
    base = lines and base_of(program, mutant.step, lines[0])
    with tempfile.TemporaryDirectory() as scratch:
        if not verdict["order"] and any(
                counters_of_base(base, mutant.step, line) not in (
                    None, counters_of(program, line, scratch, device_for(mutant.step, line)))
                for line in coming_to(program, lines, base, ())):
            verdict["counters"] = "changed"
    return verdict


class Workers:
    """So many programs at a time, built or run, and none is begun after the end."""

    def __init__(self, jobs, end=math.inf):
        self.slots, self.end = threading.BoundedSemaphore(jobs), end
        self.pool = concurrent.futures.ThreadPoolExecutor(jobs)

    def in_time(self):
        return time.monotonic() < self.end

    def build(self, mutants, folder, kind):
        with self.slots:
            return list(build_all(mutants, folder, kind)) if mutants and self.in_time() else []

    def each(self, function, *items):
        """The results of function, in order; None for what was not begun in time."""
        def one(*item):
            with self.slots:
                return function(*item) if self.in_time() else None
        return list(self.pool.map(one, *items))


def judge(mutants, limit, workers, reasons, take):
    """Of each of these mutants of one step {result, check, order, counters}: what each way of looking found, up to the
    element type in which one did, the second look only where the first one found nothing in any; {refused} if the
    compiler took no such program; None if it was not judged in time. What has a reason, by its key, was asked in other
    orders, and twice under --check, before that was written, and is not again. take gets each verdict at once."""
    found, rest = {}, dict(enumerate(mutants))

    def one(at, of_types):
        mutant = mutants[at]
        verdict = dict(NOT_ASKED)
        looks, checked = ((first_look,), CHECKED_ONCE) if key(mutant) in reasons else \
            ((first_look, second_look), CHECKED)
        for look in looks:
            for kind, lines in of_types.items():
                program, done = built[kind][at]
                if done.status != 0:
                    verdict = refused(done)
                elif kind == LARGE:
                    verdict = judge_large(program, limit)
                else:
                    now = look(mutant, program, reaching(mutant, lines), limit, checked)
                    verdict.update({way: verdict[way] or now[way] for way in now})
                if decided(mutant, verdict) or verdict.get("order"):
                    break
            if LARGE in of_types or any(verdict.values()):
                break
        take(mutant, verdict)
        return verdict

    with tempfile.TemporaryDirectory() as scratch:
        large_ones = {at: rest.pop(at) for at in list(rest) if is_large(rest[at])}
        if large_ones:
            large_plan(mutants[0].step)
        types = by_type(mutants[0].step) if rest else {}
        built = {LARGE: dict(workers.build(large_ones, os.path.join(scratch, LARGE), large.type_of(mutants[0].step)))}
        for kind in types:
            built[kind] = dict(workers.build(rest, os.path.join(scratch, kind), kind))
        asked = [(at, {LARGE: []}) for at in built[LARGE]] + \
            [(at, types) for at in rest if all(at in built[kind] for kind in types)]
        found = dict(zip((at for at, _ in asked), workers.each(one, *zip(*asked)) if asked else ()))
    return [found.get(at) for at in range(len(mutants))]


def reaching(mutant, lines):
    """The lines, with the variants that run what is changed, and without those in which none does."""
    names, found = reach.reached(unchanged(mutant), mutant.text), []
    for line in lines if names else ():
        words = line.partition(" -v ")[0]
        taken = [name for name in parse(line)["variant"] if name in names]
        if taken:
            found.append(f"{words} {chosen(taken)}")
    return found if names else lines


def refused(done):
    return {"refused": str(done)[-2000:]}


def decided(mutant, verdict):
    """No other element type can say more."""
    if "refused" in verdict:
        return True
    return verdict["check"] or mutant.kind not in ORDERING if verdict["result"] else verdict["check"]


def path_of(mutant, reasons):
    """Where its verdict is kept."""
    text = repr((mutant.step, mutant.text, lines_of(mutant.step), key(mutant) in reasons)) + \
        digest_of_build(mutant.family)
    return os.path.join(BUILD, "mutants", hashlib.sha256(text.encode()).hexdigest() + ".json")


def kept(path):
    """The verdict that is kept; None for none."""
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError):
        return None


def keep(path, verdict):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump(verdict, file)
    os.replace(path + ".new", path)


def cached(mutants, limit, workers, reasons):
    """The verdicts of some mutants of one step: those that are kept, else asked and kept; None if there was no time."""
    verdicts = [kept(path_of(mutant, reasons)) for mutant in mutants]
    asked = [at for at, verdict in enumerate(verdicts) if not verdict]
    if asked:
        told = judge([mutants[at] for at in asked], limit, workers, reasons,
                     lambda mutant, verdict: keep(path_of(mutant, reasons), verdict))
        for at, verdict in zip(asked, told):
            verdicts[at] = verdict
    return verdicts


def verdict_name(mutant, verdict):
    if "refused" in verdict or verdict["result"] == NO_PROGRAM:
        return NO_PROGRAM
    if verdict["result"]:
        return "wrong result"
    if verdict["check"] or verdict["order"]:
        return "found by --check" if verdict["check"] else "found in another order"
    return "counters changed" if verdict["counters"] else "survived"


def caught(mutant, verdict):
    """Found; changed counters are a finding only where nothing else is to change."""
    name = verdict_name(mutant, verdict)
    return name in ("wrong result", "found by --check", "found in another order",
                    NO_PROGRAM) or (mutant.kind == "padding" and name == "counters changed")
