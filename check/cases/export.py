"""
./steps/export: the file that it makes of each step, what becomes of one with a fault in its kernel, and what
the program refuses. With nvcc a step of each header of a family is compiled by it, else by steps/cuda;
CHECK_FULL=1: all, and linked.
"""
import os
import re
import shutil
import tempfile

from common.commands.drive.support import BUILD, FULL, SOURCE, case, leave, parallel, run
from common.commands.export import gather, write
from common.commands.practice import shelf
from common.commands.runner import packages
from common.commands.runner.screen import Stop

EXPORT = os.path.join(SOURCE, "steps", "export")
CPU = os.path.join(BUILD, "common", "commands", "cuda-cpu")
KEPT = ["LICENSE", "meson.build", "common/__init__.py", "common/families", "common/harness", "common/commands",
        "steps/export", "steps/meson.build", "steps/reduce2"]  # what the program reads

# Lines of its headers and of what runs and verifies it. A step may be as long as it needs, and so may kernels that it
# shares with others in headers of its family; what is taken in besides may not.
MOST_AROUND = 5700


def compiled(folder, name, words=(), nvcc=True):
    """The Done of a compiler, which makes the program NAME of NAME.cu; nvcc without FULL but its kernels, which costs
    a third."""
    compiler = packages.nvcc() if nvcc else None
    if compiler:
        return run(compiler, "-arch=sm_90", "--Ofast-compile=max", *([] if FULL else ["-ptx"]), *words, name + ".cu",
                   "-o", name, cwd=folder, limit=600)
    return run(CPU, name + ".cu", *words, "-o", name, "--", "--version", cwd=folder, limit=600)


def shared_kernels(text):
    """Lines of the family's headers that have kernels."""
    sections = re.split(r"^/\* (?=(?:families|harness)/\S+ \*/$|---- from here on)", text, flags=re.MULTILINE)
    return sum(part.count("\n") for part in sections
               if part.startswith("families/") and "__global__" in part)


def files(folder):
    """The file of each step; {name: text}."""
    texts = {}
    for name in shelf.steps(SOURCE):
        try:
            text = write.Writer(SOURCE, name).whole()
        except Stop as stop:
            case(False, f"{name} is made one file", stop)
            continue
        with open(os.path.join(folder, name + ".cu"), "w", encoding="utf-8") as file:
            file.write(text)
        with open(os.path.join(SOURCE, "steps", name, name + ".cu"), encoding="utf-8") as file:
            kernels = file.read().split('#include "')[-1].split("\n", 1)[1]
        around = text.count("\n") - kernels.count("\n") - shared_kernels(text[:text.index(kernels)])
        case(kernels in text and '#include "' not in text and around < MOST_AROUND,
             f"{name} is one file: its own text as it is, no header of ours, below {MOST_AROUND} lines around it",
             f"{around} lines around it")
        texts[name] = text
    for name in gather.LEFT_OUT:
        case(any(f"#define {name}(" in text for text in texts.values()), f"{name} is called by some step")
    return texts


def compile_sample(folder, texts):
    """By nvcc where it is: the first step with each header of a family, or of the kit. And what stands for a function
    of the harness is not the name of one of the step's."""
    chosen, headers = [], set()
    for name, text in texts.items():
        with open(os.path.join(SOURCE, "steps", name, name + ".cu"), encoding="utf-8") as file:
            own = file.read()
        included = set(re.findall(r'^#include "((?:families|harness/kit)/.*)"', own, re.MULTILINE))
        if FULL or included - headers:
            chosen.append(name)
        headers |= included
        above = text[:text.index(own[-200:])]
        stubs = gather.LEFT_OUT.keys() & set(re.findall(r"^#define (\w+)\(\.\.\.\)", above, re.MULTILINE))
        taken = [stub for stub in stubs if re.search(rf"^static [^;={{]*\b{stub}\(", own, re.MULTILINE)]
        case(not taken, f"{name} in one file has its functions under their names", taken)
    for name, done in zip(chosen, parallel(lambda each: compiled(folder, each), chosen)):
        case(done.status == 0 and "warning" not in done.err, f"{name} in one file is compiled, without a warning",
             done)


def runs(folder, texts):
    """On the CPU device: right, wrong with a fault, of another type; what it does not have."""
    words = ["-n", "5000", "-b", "3", "-t", "64", "-r", "2", "-w", "1"]
    done = compiled(folder, "reduce2", nvcc=False)
    program = os.path.join(folder, "reduce2")
    case(done.status == 0 and "reduce2 (cuda-steps)" in done.out, "reduce2 for the CPU device", done)
    done = run(program, *words, "--cold", "--input", "hostile", cwd=folder)
    case(done.status == 0 and len(re.findall(r"^\S.* ok$", done.out, re.MULTILINE)) == 3,
         "reduce2 runs and is right", done)
    done = run(program, *words, "-v", "sequential", cwd=folder)
    case(done.status == 0 and "sequential" in done.out and "divergent" not in done.out, "reduce2 -v", done)
    done = run(program, "--help")
    case(done.status == 0 and "--cold" in done.out and
         not re.search("--(log|batch|counters|describe|peers)", done.out),
         "reduce2 --help has its options, and not those of the series", done)
    for word in ("--log=x", "--batch=x", "--check", "--describe", "--counters"):
        done = run(program, word)
        case(one_line(done, word.split("=")[0]), f"reduce2 {word} is refused", done)
    with open(os.path.join(folder, "fault.cu"), "w", encoding="utf-8") as file:
        file.write(texts["reduce2"].replace("        sum += x[i];", "        sum += x[i] + 1;"))
    done = compiled(folder, "fault", ["-DELEMENT_TYPE=i32"], nvcc=False)
    done = run(os.path.join(folder, "fault"), *words, cwd=folder) if done.status == 0 else done
    case(done.status == 1 and done.out.count("wrong in 2 of 2 runs") == 3 and "i32" in done.out,
         "reduce2 with a fault, of type i32, is told to be wrong", done)


def one_line(done, said):
    return done.status == 2 and done.err.count("\n") == 1 and said in done.err


def refused(folder):
    """One line, status 2, and nothing written."""
    full = os.path.join(folder, "there.cu")
    with open(full, "w", encoding="utf-8") as file:
        file.write("kept")
    for words, said in (([], "STEP"), (["reduce22"], "did you mean reduce2?; accepted: add stencil-naive"),
                        (["reduce2", "-o", full], "it exists"),
                        (["reduce2", "--output", "x", "y"], "y: one word too many"),
                        (["reduce2", "--out", "x"], "unknown option --out"),
                        (["reduce2", "-o", folder], "it exists"),
                        (["reduce2", "-o", full + "/x.cu"], "Not a directory"),
                        (["reduce2", "-o", folder + "/none/x.cu"], "No such file or directory")):
        done = run(EXPORT, *words, cwd=folder)
        case(one_line(done, said), f"export {' '.join(words)} is refused", done)
    with open(full, encoding="utf-8") as file:
        case(file.read() == "kept", "a file that exists is kept")
    done = run(EXPORT, "reduce2", "-o", "-", cwd=folder)
    case(done.status == 0 and "\nSTEP(" in done.out, "export -o - prints it", done)


def other_headers(folder):
    """A step whose headers are not ours."""
    root = os.path.join(folder, "tree")
    for path in KEPT:
        copy = shutil.copytree if os.path.isdir(os.path.join(SOURCE, path)) else shutil.copy
        os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
        copy(os.path.join(SOURCE, path), os.path.join(root, path))
    path = os.path.join(root, "steps", "reduce2", "reduce2.cu")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    line = '#include "families/reduce/reduce.h"'
    for new, said in ((line + '\n#include "own.h"', '#include "own.h"'),
                      ("#include <stdio.h>", "no header of a family"),
                      ('#include "families/none/none.h"', "families/none")):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace(line, new))
        done = run(os.path.join(root, "steps", "export"), "reduce2", cwd=folder)
        case(one_line(done, said) and "accepted" in done.err and
             not os.path.exists(os.path.join(folder, "reduce2.cu")),
             f"a step with {new.splitlines()[-1]} is refused", done)


def main():
    with tempfile.TemporaryDirectory() as folder:
        refused(folder)
        other_headers(folder)
        texts = files(folder)
        runs(folder, texts)
        compile_sample(folder, texts)
    leave()


if __name__ == "__main__":
    main()
