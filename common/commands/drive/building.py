"""
Building small .cu files with the very flags that the steps are built with: for the CPU device, or in
a build for CUDA with nvcc.
"""
import functools
import glob
import json
import os
import shlex
import shutil
import sys

from common.commands.drive.support import BUILD, SOURCE, on_gpu, run

PATIENCE = 900  # seconds: half a minute of the compiler's is many on a busy machine


@functools.lru_cache(maxsize=None)
def compile_command(what):
    """The compiler and the flags of the first compilation in BUILD whose file `what` accepts."""
    with open(os.path.join(BUILD, "compile_commands.json"), encoding="utf-8") as file:
        entry = next((e for e in json.load(file) if what(e)), None)
    if not entry:
        sys.exit(f"{BUILD}/compile_commands.json has no such compilation: is it a build?")
    kept, skip = [], False
    for word in shlex.split(entry["command"]):
        if skip:
            skip = False
        elif word in ("-o", "-c", "-MQ", "-MF"):
            skip = True
        elif word not in ("-MD", "-xc++", "-fpreprocessed") and not word.startswith(
                ("-fdiagnostics-color", "-DELEMENT_TYPE", "-DTYPES", "-DPEERS")):
            kept.append(word)
    return kept


def is_kernel(entry):
    """A step's translated source; no library's beside a family, which is compiled with other flags."""
    return entry["file"].endswith(".cpp") and "steps/" in entry["output"] and "/libpeers_" not in entry["output"]


def is_program(entry):
    """The main of a step."""
    return entry["file"].endswith("harness/program.c")


def kernel_command():
    return compile_command(is_kernel)


@functools.lru_cache(maxsize=None)
def translation_command():
    """The compiler and its flags for the translator, as the build calls it: with CUDA's headers compiled where they
    are, which would not be taken beside what Meson adds to a compilation."""
    folder = os.path.join(BUILD, "common", "cpu")
    kept = [word for word in kernel_command() if word not in ("-pthread", "-D_FILE_OFFSET_BITS=64", "-Winvalid-pch")]
    there = os.path.exists(os.path.join(folder, "cuda_preinclude.h.gch"))
    return kept + ["-fpch-preprocess", "-iquote", folder] * there


def translate(source, output, more=()):
    return run(os.path.join(BUILD, "common", "cpu", "translate"), source, output, "--",
               *translation_command(), *more, cwd=BUILD)


def compile_cpp(source, output, without=(), also=()):
    """Compile a translated source to an object; output None: only look for errors."""
    flags = [flag for flag in kernel_command() if flag not in without] + list(also)
    to = ["-c", source, "-o", output] if output else ["-fsyntax-only", source]
    return run(*flags, *to, cwd=BUILD, limit=PATIENCE)


def compile_main(output, types):
    """The main of a program with these element types."""
    listed = " ".join(f"TYPE({each})" for each in types)
    source = os.path.join(SOURCE, "common", "harness", "program.c")
    return run(*compile_command(is_program), "-DTYPES=" + listed, "-c", source, "-o", output,
               cwd=BUILD)


@functools.lru_cache(maxsize=None)
def libraries_of(package):
    """The linker's words for a library; none where it is not installed."""
    return run("pkg-config", "--libs", package).out.split() if shutil.which("pkg-config") else []


@functools.lru_cache(maxsize=None)
def linked_with():
    """The linker's words for any program of the CPU device, as steps/cuda gives them."""
    with open(os.path.join(BUILD, "common", "commands", "toolchain.json"), encoding="utf-8") as file:
        return json.load(file)["libraries"]


def link(objects, output, common=False):
    """Link with the CPU device, and with the harness if the program is a step."""
    compiler = [word for word in kernel_command() if not word.startswith("-")]
    libraries = [os.path.join(BUILD, "common", "libcommon.a")] if common else []
    libraries.append(os.path.join(BUILD, "common", "cpu", "libcpudevice.a"))
    more = shlex.split(os.environ.get("LDFLAGS", ""))
    return run(*compiler, *objects, "-o", output, *libraries, *more, *(libraries_of("fftw3") if common else []),
               *linked_with(), cwd=BUILD)


def build_cuda(source, output, types):
    """The same for this machine's GPU; nvcc knows where CUDA's own library is."""
    nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    objects, done = [output + "_main.o"], compile_main(output + "_main.o", types)
    for each in types:
        objects.append(f"{output}_{each}.o")
        if done.status == 0:
            done = run(nvcc, "-std=c++17", "-O3", "-lineinfo", "-arch=native", "-DBACKEND_CUDA=1",
                       "-DELEMENT_TYPE=" + each, "-I", os.path.join(SOURCE, "common"), "-c",
                       source, "-o", objects[-1])
    if done.status == 0:
        done = run(nvcc, "-nodlink", *objects, os.path.join(BUILD, "common", "libcommon.a"),
                   *libraries_of("fftw3"), "-lm", "-o", output)
    return done


def build(source, output, types=(), more=(), without=(), also=()):
    """From a .cu file to a program. types: the element types of a step, each
    compiled for itself and linked with the harness; none: a program with a main of its own. more: words for the
    translator's preprocessor; without, also: flags that the compiler does not get, or gets beside those of the steps.
    Returns the Done of the first thing that failed, else the last."""
    if on_gpu():
        return build_cuda(source, output, types)
    objects, done = [], None
    for each in types or [None]:
        if done and done.status:
            break
        cpp = f"{output}_{each}.cpp" if each else output + ".cpp"
        objects.append(cpp[:-4] + ".o")
        done = translate(source, cpp, [*more, *([f"-DELEMENT_TYPE={each}"] if each else [])])
        if done.status == 0:
            done = compile_cpp(cpp, objects[-1], without, also)
    if done.status == 0 and types:
        objects.append(output + "_main.o")
        done = compile_main(objects[-1], types)
    if done.status == 0:
        done = link(objects, output, common=bool(types))
    return done


def sources(directory):
    """The .cu files of a directory, by its path from the root."""
    return sorted(glob.glob(os.path.join(SOURCE, directory, "*.cu")))
