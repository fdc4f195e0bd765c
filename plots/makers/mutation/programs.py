"""
From mutants to programs: as many as can be in one program, see together.py, and the others in one each.
"""
import collections
import functools
import glob
import os
import re
import threading

from common.commands.drive import large
from common.commands.drive.building import compile_main, kernel_command, link, translate
from common.commands.drive.support import BUILD, SOURCE, run

from . import headers, together
from .make import PLAIN, of_header

# What only a large launch would pass, the bits of a word that counts or a number of keys, is small enough for a small
# launch to pass it.
STAND_IN = "SMALL_LIMITS"
SECONDS = 60  # of processor time, that a compiler has for a program
FILLED = "-ftrivial-auto-var-init=pattern"  # gcc 12 has it, clang 8 too
compiling_main = threading.Lock()  # and what else is compiled once


def once(function):
    """functools.lru_cache, but a thread that asks what another one is about to answer waits for it."""
    locks, answers = collections.defaultdict(threading.Lock), functools.lru_cache(maxsize=None)(function)

    @functools.wraps(function)
    def asked(*words):
        with locks[words]:
            return answers(*words)
    asked.cache_clear = answers.cache_clear
    return asked


@functools.lru_cache(maxsize=None)
def folder_of(family):
    """The folder of its sources, which has the family's name or, of several in one, another."""
    for path in sorted(glob.glob(os.path.join(SOURCE, "common", "families", "*", "*.c"))):
        with open(path, encoding="utf-8") as file:
            if f'.name = "{family}",' in file.read():
                return os.path.relpath(os.path.dirname(path), SOURCE)
    raise RuntimeError(f"no file in common/families has the family {family}")


@once
def original(name, kind):
    """The program of the step itself, compiled as its mutants are."""
    program = os.path.join(BUILD, "mutants", f"{name}_{kind}")
    os.makedirs(os.path.dirname(program), exist_ok=True)
    done = compiled(name, text_of(name), kind, program, False)
    if done.status != 0:
        raise RuntimeError(done)
    return program


def is_large(mutant):
    return mutant.kind == "index" and mutant.family in large.families()


@functools.lru_cache(maxsize=None)
def flags_of_mutants():
    """Beside those that the steps have: a variable of a thread to which nothing was written has a pattern, and not what
    the stack has there by luck."""
    compiler = [word for word in kernel_command() if not word.startswith("-")]
    done = run(*compiler, FILLED, "-fsyntax-only", "-x", "c++", os.devnull)
    return ["-w", FILLED] if done.status == 0 else ["-w"]


def compile_limited(source, output):
    """compile_cpp with a limit of processor time. A loop without an end may keep an optimising compiler busy for ever:
    then it is compiled without optimisation."""
    for more in ((), ["-O0"]):
        command = [*kernel_command(), *flags_of_mutants(), *more, "-c", source, "-o", output]
        done = run("sh", "-c", f'ulimit -t {SECONDS}; exec "$@"', "sh", *command, cwd=BUILD, limit=None)
        if done.status == 0 or "Killed" not in done.err:
            break
    return done


@functools.lru_cache(maxsize=None)
def main_object(*kinds):
    """The main of a program for these element types, compiled once."""
    path = os.path.join(BUILD, "mutants", f"main-{'-'.join(kinds)}.o")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    done = compile_main(path, kinds)
    if done.status != 0:
        raise RuntimeError(done)
    return path


def roll(path):
    """Leave loops as they are, in a translated source: unrolled they take a compiler up to thirty times as long."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    with open(path, "w", encoding="utf-8") as file:
        file.write(re.sub(r"#pragma GCC unroll \d+", "", text))


def compiled(name, text, kind, program, large_one):
    """The program from its source; what failed, or was done last."""
    with open(program + ".cu", "w", encoding="utf-8") as file:
        file.write(f"{PLAIN}#line 1\n{text}")
    done = translate(program + ".cu", program + ".cpp", ["-w", f"-DELEMENT_TYPE={kind}", f"-D{STAND_IN}"])
    if done.status == 0:
        roll(program + ".cpp")
        done = compile_limited(program + ".cpp", program + ".o")
    if done.status != 0:
        return done
    with compiling_main:
        if large_one:
            return large.link_large(name, [program + ".o"], program)
        main = main_object(kind)
    return link([program + ".o", main], program, common=True)


def build(mutant, scratch, kind=None):
    """The program for an element type, for the kind index one of large arrays; and what failed, or was done last."""
    kind = kind or large.type_of(mutant.step)
    program = os.path.join(scratch, f"{mutant.step}_{kind}")
    return program, compiled(mutant.step, mutant.text, kind, program, is_large(mutant))


@functools.lru_cache(maxsize=None)
def text_of(step):
    with open(os.path.join(SOURCE, "steps", step, step + ".cu"), encoding="utf-8") as file:
        return file.read()


def unchanged(mutant):
    """The text that the mutant is a change of."""
    return headers.expanded(mutant.step).text if of_header(mutant)[0] else text_of(mutant.step)


def build_all(mutants, folder, kind):
    """(where it stands, (its program, what failed or was done last)) of each of {where: mutant}, all changes of one
    text. Those in one program are names of it, links to it."""
    left = dict(mutants)
    for at, built in in_one(mutants, os.path.join(folder, "together"), kind):
        del left[at]
        yield at, built
    for at, mutant in left.items():
        own = os.path.join(folder, f"{at}")
        os.makedirs(own)
        yield at, build(mutant, own, kind)


def in_one(mutants, folder, kind):
    """The same of those that can be in one; where the compiler does not take these together, each half is tried."""
    places = list(mutants)
    if not places:
        return
    step = mutants[places[0]].step
    text, taken = together.source(unchanged(mutants[places[0]]), [mutants[at].text for at in places])
    if not taken:
        return
    os.makedirs(folder)
    program = os.path.join(folder, f"{step}_{kind}")
    done = compiled(step, text, kind, program, is_large(mutants[places[0]]))
    if done.status != 0:
        if len(places) > 1:
            for name, part in (("a", places[::2]), ("b", places[1::2])):
                yield from in_one({at: mutants[at] for at in part}, os.path.join(folder, name), kind)
        return
    for number in taken:
        os.symlink(program, f"{program}.{number}")
        yield places[number - 1], (f"{program}.{number}", done)
