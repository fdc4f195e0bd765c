"""
What the case scripts have in common: the lines that check/run counts, running programs, asking
the steps what they are, and building small .cu files with the very flags that the steps are built
with.

The environment names the build and the source, BUILD and SOURCE, as the build sets them for its tests.
"""
import concurrent.futures
import csv
import functools
import json
import os
import re
import shlex
import subprocess
import sys

from common.commands import ROOT

SOURCE = os.environ.get("SOURCE") or ROOT
BUILD = os.path.abspath(os.environ.get("BUILD") or os.path.join(SOURCE, "build-check"))
FULL = os.environ.get("CHECK_FULL") == "1"
RELEASE = os.environ.get("CHECK_RELEASE") == "1"  # a release has all records
CHOSEN = os.environ.get("CHECK_STEPS", "").split()  # steps; none: all
LIMIT = 120  # seconds: a program that takes longer hangs

cases = failures = 0


def case(good, text, details=""):
    """Print one case; details, shown where it failed, is a text or a Done."""
    global cases, failures
    cases += 1
    print(("ok - " if good else "not ok - ") + text)
    if not good:
        failures += 1
        for line in str(details).splitlines()[-40:]:
            print("# " + line)
    sys.stdout.flush()
    return good


def unrecorded(text, command):
    """A case that needs a record which is not there: skipped by its name, with the command that makes the
    record; of a release, a failure."""
    global cases
    if RELEASE:
        case(False, text, f"no record: {command}")
    else:
        cases += 1
        print(f"ok - {text} # skip no record yet: {command}", flush=True)


def program_cases(*command, env=None, limit=120):
    """Run a program that prints cases itself, and pass them on."""
    global cases, failures
    cases += 1
    done = run(*command, env=env, limit=limit)
    print(done.out, end="" if done.out.endswith("\n") or not done.out else "\n")
    bad = len(re.findall(r"^not ok\b", done.out, re.MULTILINE))
    failures += bad
    name = os.path.basename(str(command[0]))
    if done.status != 0 and not bad or not re.search(r"^(not )?ok\b", done.out, re.MULTILINE):
        case(False, f"{name} runs to its end", f"status {done.status}\n{done.err}")
    return done


def leave():
    """The end of a script: its exit status."""
    if CHOSEN and not cases:
        print(f"ok - {' '.join(CHOSEN)} # skip nothing here is about it")
    sys.exit(1 if failures else 0)


class Done:
    """How a program ended; status 124: it hung, negative: it died of that signal."""

    def __init__(self, command, status, out, err):
        self.command, self.status, self.out, self.err = command, status, out, err

    def __str__(self):
        command = " ".join(shlex.quote(str(word)) for word in self.command)
        return f"$ {command}\nstatus {self.status}\n{self.out}{self.err}"


def run(*command, env=None, cwd=None, limit=LIMIT):
    """Run a program with its output caught, in English; env is added to the environment."""
    command = [str(word) for word in command]
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", cwd=cwd,
                              env={**os.environ, "LC_ALL": "C.UTF-8", **(env or {})}, timeout=limit, check=False,
                              stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired as hung:
        out, err = ((part or b"").decode(errors="replace") for part in (hung.stdout, hung.stderr))
        return Done(command, 124, out, err)
    return Done(command, done.returncode, done.stdout, done.stderr)


def parallel(function, items):
    """The results of function over items, in order, computed on all cores."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        yield from pool.map(function, items)


def rows_of(path):
    """The rows of a CSV file; none where there is no file."""
    if not os.path.exists(path):
        return []
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


# --- the steps ---------------------------------------------------------------------------------

def step(name):
    return os.path.join(BUILD, "steps", name, name)


def describe_program(program):
    """What a program's --describe tells."""
    done = run(program, "--describe")
    try:
        return json.loads(done.out)
    except ValueError:
        sys.exit(f"{program} --describe is no JSON\n{done}")


@functools.lru_cache(maxsize=None)
def describe(name):
    """What the step's --describe tells, the libraries' variants left out."""
    told = describe_program(step(name))
    told["variants"] = [v for v in told["variants"] if not v["library"]]
    return told


@functools.lru_cache(maxsize=None)
def all_steps():
    """The steps in teaching order, from the list that the build leaves."""
    with open(os.path.join(BUILD, "steps", "steps.txt"), encoding="utf-8") as file:
        return [line.split()[0] for line in file if line.strip()]


@functools.lru_cache(maxsize=None)
def steps(family=None):
    """The steps that are asked for: all, or those that CHECK_STEPS names; those of a family."""
    names = [name for name in all_steps() if not CHOSEN or name in CHOSEN]
    return [name for name in names if not family or describe(name)["family"] == family]


def families():
    """{family: the element types that its steps have together}, in teaching order; of all steps."""
    types = {}
    for told in map(describe, all_steps()):
        types.setdefault(told["family"], {}).update(dict.fromkeys(told["types"]))
    return {family: list(of_family) for family, of_family in types.items()}


def declared_of(told, purpose):
    """The lines of options for a purpose, on its device, of what --describe tells."""
    return told["launches"].get(purpose, {}).get(told["backend"], [])


def declared(name, purpose):
    """The lines of options that the step declares for a purpose on its device."""
    return declared_of(describe(name), purpose)


def variants(name):
    """{variant: what --describe tells of it}"""
    return {v["name"]: v for v in describe(name)["variants"]}


def on_gpu():
    return describe(all_steps()[0])["backend"] == "cuda"


def sample_step():
    """The step that stands for all where one is enough: the first that has a grid, two types and
    a rule for its threads."""
    for name in all_steps():
        told = describe(name)
        if "blocks" in told["options"] and len(told["types"]) > 1 and \
                all(v["takes"]["power_of_two"] for v in told["variants"]):
            return name
    return sys.exit("no step has a grid, two types and threads that are a power of two")
