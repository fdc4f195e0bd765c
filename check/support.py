"""
What the case scripts have in common: the lines that check/tally counts, running programs, and
building small .cu files for the CPU device with the very flags that the steps are built with.

The environment names the build and the source: BUILD and SOURCE, as check/run sets them.
"""
import concurrent.futures
import glob
import json
import os
import re
import shlex
import subprocess
import sys

SOURCE = os.environ.get("SOURCE") or \
    os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
BUILD = os.path.abspath(os.environ.get("BUILD") or os.path.join(SOURCE, "build-check"))
FULL = os.environ.get("CHECK_FULL") == "1"
SAMPLE = int(os.environ.get("CHECK_SAMPLE", "1"))  # every so manieth of the runs is made
try:
    with open(os.path.join(BUILD, "build.ninja"), encoding="utf-8") as ninja:
        ON_GPU = "BACKEND_CUDA=1" in ninja.read()
except OSError:
    ON_GPU = False
LIMIT = 120  # seconds: a program that takes longer hangs

failures = 0


def case(good, text, details=""):
    """Print one case; details, shown where it failed, is a text or a Done."""
    global failures
    print(("ok - " if good else "not ok - ") + text)
    if not good:
        failures += 1
        for line in str(details).splitlines()[-40:]:
            print("# " + line)
    sys.stdout.flush()
    return good


def program_cases(*command, env=None, limit=120):
    """Run a program that prints cases itself, and pass them on."""
    global failures
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
    sys.exit(1 if failures else 0)


class Done:
    """How a program ended; status 124: it hung, negative: it died of that signal."""

    def __init__(self, command, status, out, err):
        self.command, self.status, self.out, self.err = command, status, out, err

    def __str__(self):
        command = " ".join(shlex.quote(str(word)) for word in self.command)
        return f"$ {command}\nstatus {self.status}\n{self.out}{self.err}"


def run(*command, env=None, cwd=None, limit=LIMIT):
    """Run a program with its output caught; env is added to the environment."""
    command = [str(word) for word in command]
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", cwd=cwd,
                              env={**os.environ, **(env or {})}, timeout=limit, check=False,
                              stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired as hung:
        out, err = ((part or b"").decode(errors="replace") for part in (hung.stdout, hung.stderr))
        return Done(command, 124, out, err)
    return Done(command, done.returncode, done.stdout, done.stderr)


def parallel(function, items):
    """The results of function over items, in order, computed on all cores; a sample if asked for."""
    items = list(items)[::SAMPLE]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        yield from pool.map(function, items)


def step(name):
    return os.path.join(BUILD, "steps", name, name)


def steps(family):
    """The steps of a family, in teaching order, from the list that the build leaves."""
    with open(os.path.join(BUILD, "steps", "steps.txt"), encoding="utf-8") as file:
        lines = [line.split() for line in file]
    return [line[0] for line in lines if len(line) >= 2 and line[1] == family]


def variants(name):
    """{variant: its summary}, as the step's --list tells."""
    done = run(step(name), "--list")
    lines = [line.strip().split(None, 1) for line in done.out.splitlines()]
    return {line[0]: line[1] if len(line) > 1 else "" for line in lines if line}


# --- building ----------------------------------------------------------------------------------

def kernel_command():
    """The compiler and the flags that a step's translated source is compiled with, in BUILD."""
    with open(os.path.join(BUILD, "compile_commands.json"), encoding="utf-8") as file:
        entries = json.load(file)
    entry = next(e for e in entries if os.path.basename(e["file"]) == "reduce2.cpp")
    words, kept, skip = shlex.split(entry["command"]), [], False
    for word in words:
        if skip:
            skip = False
        elif word in ("-o", "-c", "-MQ", "-MF"):
            skip = True
        elif word != "-MD" and not word.startswith("-fdiagnostics-color"):
            kept.append(word)
    return kept


def translate(source, output):
    return run(os.path.join(BUILD, "common", "cpu", "translate"), source, output)


def compile_cpp(source, output, more=(), without=()):
    """Compile a translated source to an object; output None: only look for errors."""
    flags = [flag for flag in kernel_command() if flag not in without]
    to = ["-c", source, "-o", output] if output else ["-fsyntax-only", source]
    return run(*flags, *more, *to, cwd=BUILD)


def link(objects, output, common=False):
    """Link with the CPU device, and with common/ if the program is a step."""
    compiler = [word for word in kernel_command() if not word.startswith("-")]
    libraries = [os.path.join(BUILD, "common", "libcommon.a")] if common else []
    libraries.append(os.path.join(BUILD, "common", "cpu", "libcpudevice.a"))
    dw = run("pkg-config", "--libs", "libdw").out.split()
    more = shlex.split(os.environ.get("LDFLAGS", ""))
    return run(*compiler, *objects, "-o", output, *libraries, *more, *dw, "-lpthread", "-lm",
               cwd=BUILD)


def build(source, output, common=False, types=False, more=(), without=()):
    """From a .cu file to a program; types: compiled for floats and for ints, as steps are. Returns
    the Done of the first thing that failed, else the last."""
    cpp, objects = output + ".cpp", [output + ".o"]
    more = ["-I" + os.path.dirname(os.path.abspath(source)), *more]
    done = translate(source, cpp)
    if done.status == 0:
        done = compile_cpp(cpp, objects[0], more, without)
    if done.status == 0 and types:
        objects.append(output + "_i32.o")
        done = compile_cpp(cpp, objects[1], [*more, "-DELEMENT_I32=1", "-Dmain=main_i32"], without)
    if done.status == 0:
        done = link(objects, output, common)
    return done


def sources(directory):
    return sorted(glob.glob(os.path.join(SOURCE, "check", directory, "*.cu")))
