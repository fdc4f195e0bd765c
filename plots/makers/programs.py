"""
Other people's whole programs, as courses and books have them, by ./steps/cuda: which of them run, and how the others
end.

usage: plots/record programs DIR [--jobs J] [--limit SECONDS] [--only PATTERN] [--build DIR] [--gpu] [--out FILE]
       plots/record programs --list

  DIR             a folder with a clone of each corpus, by its name, or of some; nothing in it is changed
  --list          the corpora, and where each is fetched
  --jobs J        so many programs at a time (default: the processors). On the CPU device two at a time share two
                  processors, however many there are
  --limit S       a program that takes longer, with its compilation, has ended as "limit" (default 120)
  --only PATTERN  only programs of such names, CORPUS/PATH, * for any text; prints how they ended, and writes nothing
  --build DIR     the build of the CPU device (default build)
  --gpu           by nvcc on this machine's GPU: the column gpu
  --out FILE      the table (default plots/programs/results.csv). Its other column stays, and so do other corpora

A program is a .cu file with a main that asks for no screen. It runs without arguments in its own folder. Where it is
not whole, it is run with the other sources of that folder that have no main.

Exit status: 0, 2 bad usage or no corpus in DIR, 3 the CPU device could not be built.
"""
import concurrent.futures
import fnmatch
import glob
import os
import queue
import re
import shutil
import subprocess
import sys
import tempfile

from common.commands import ROOT
from common.commands.arguments import Arguments, positive, text
from common.commands.cudacpu import gpu
from common.commands.runner.screen import Screen, Stop, end_of
from plots import programs
from plots.makers.running import output_of, prepare

MAIN = re.compile(r"\bmain\s*\([^;{)]*\)\s*\{")
SCREEN = re.compile(r'#\s*include\s*[<"](GL/|GLFW|glut|helper_gl|rendercheck_gl|X11|mpi\.h|cpu_bitmap|.*cpu_anim|'
                    r"gl_helper|EGL|nvmedia|opencv|png\.h|torch|vulkan|d3d|SDL)")
LIBRARIES = {"cublas": "-lcublas", "cublasLt": "-lcublasLt", "cufft": "-lcufft", "curand.h": "-lcurand",
             "cusparse": "-lcusparse", "cusolver": "-lcusolver", "nvrtc": "-lnvrtc", "cuda.h": "-lcuda",
             "cudnn": "-lcudnn", "nccl": "-lnccl", "npp": "-lnppif"}
HEADERS = ("Common", "common", "inc", "include", "Include", "common/inc", "util", "utils")
NOT_WHOLE = re.compile("not linked|undefined reference")


def code_of(path):
    """A source without its comments."""
    with open(path, encoding="utf-8", errors="replace") as file:
        return re.sub(r"//[^\n]*", "", re.sub(r"/\*.*?\*/", "", file.read(), flags=re.DOTALL))


def header_folders(top, folder):
    """Folders of headers beside a program or above it, in its corpus."""
    while len(folder) >= len(top):
        yield from (path for path in (os.path.join(folder, name) for name in HEADERS) if os.path.isdir(path))
        folder = os.path.dirname(folder)


def options_of(path, folder, top):
    """What a program is compiled with, by what it includes."""
    code = code_of(path)
    options = ["-I" + found for found in header_folders(top, os.path.dirname(path))]
    helpers = os.path.join(folder, "cuda-samples", "Common")
    options += ["-I" + helpers] if os.path.isdir(helpers) else []
    options += [library for header, library in LIBRARIES.items() if re.search(rf'#\s*include\s*[<"]{header}', code)]
    return options + (["-Xcompiler", "-fopenmp"] if re.search(r"omp\.h|#pragma omp", code) else [])


def beside(path):
    """The other sources of its folder that have no main."""
    return [other for other in sorted(glob.glob(os.path.join(glob.escape(os.path.dirname(path)), "*")))
            if other.endswith((".cu", ".cpp", ".c")) and other != path and not MAIN.search(code_of(other))]


def found_in(folder):
    """{CORPUS/PATH: path} of the programs."""
    found = {}
    for corpus in programs.corpora():
        for path in sorted(glob.glob(os.path.join(glob.escape(os.path.join(folder, corpus.name)), "**", "*.cu"),
                                     recursive=True)):
            code = code_of(path)
            if MAIN.search(code) and not SCREEN.search(code):
                found[os.path.relpath(path, folder)] = path
    return found


def run(command, folder, limit):
    """(status, what it printed); status None where it took longer than so many seconds."""
    with subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, start_new_session=True) as process:
        (out, _), in_time = output_of(process, limit)
    return process.returncode if in_time else None, out.decode(errors="replace")


def take_two(places, known):
    """This thread, and what it runs, keeps to the two of these processors that are those of its place."""
    first = places.get() // 2 * 2 % len(known)
    os.sched_setaffinity(0, known[first:first + 2])


def by_steps_cuda(path, options, others, kept, asked):
    command = [os.path.join(ROOT, "steps", "cuda"), "--build", asked.build, os.path.basename(path)]
    for more in ([], others) if others else ([],):
        status, out = run([*command, *more, *options], os.path.dirname(path), asked.limit)
        if status != 2:
            return "limit" if status is None else programs.ended(status)
        # Its own status, or was there no program to run? With -o one is kept.
        _, out = run([*command, *more, *options, "-o", kept], os.path.dirname(path), asked.limit)
        if os.path.exists(kept):
            return programs.ended(status)
        if not NOT_WHOLE.search(out):
            break
    return "refused" if "the CPU device has" in out or not re.search(r"\berror\b|not linked", out) else "not compiled"


def by_nvcc(path, options, others, kept, asked):
    command = [gpu.nvcc(), "-arch=native", "-std=c++17", "-O2", "-w", path]
    for more in ([], others, [*others, "-rdc=true", "-lcudadevrt"]):
        if run([*command, *more, *options, "-o", kept], os.path.dirname(path), asked.limit)[0] == 0:
            status, _ = run([kept], os.path.dirname(path), asked.limit)
            return "limit" if status is None else programs.ended(status)
    return "not compiled"


def arguments():
    parser = Arguments("plots/record programs", __doc__)
    parser.add_argument("folder", nargs="?")
    for name in ("--list", "--gpu"):
        parser.add_argument(name, action="store_true")
    for name, value in (("--jobs", os.cpu_count() or 2), ("--limit", programs.LIMIT)):
        parser.add_argument(name, type=positive(int), default=value)
    parser.add_argument("--only", type=text)
    parser.add_argument("--build", type=text, default=os.path.join(ROOT, "build"))
    parser.add_argument("--out", type=text, default=programs.RESULTS)
    asked = parser.parse(sys.argv[1:])
    asked.build = os.path.abspath(asked.build)
    if not asked.list and not (asked.folder and os.path.isdir(asked.folder)):
        parser.error(f"DIR {asked.folder or ''}: no such folder")
    return asked


def run_all(folder, names, asked, screen):
    """{program: how it ended}"""
    ended, places = {}, queue.SimpleQueue()
    for at in range(asked.jobs):
        places.put(at)
    first = () if asked.gpu else (take_two, (places, sorted(os.sched_getaffinity(0))))

    def one(name):
        path = os.path.join(folder, name)
        with tempfile.TemporaryDirectory(prefix="programs-") as own:
            return (by_nvcc if asked.gpu else by_steps_cuda)(
                path, options_of(path, folder, os.path.join(folder, name.split("/")[0])), beside(path),
                os.path.join(own, "kept"), asked)

    with concurrent.futures.ThreadPoolExecutor(asked.jobs, "programs", *first) as pool:
        jobs = {pool.submit(one, name): name for name in names}
        try:
            for done, job in enumerate(concurrent.futures.as_completed(jobs), 1):
                ended[jobs[job]] = job.result()
                screen.progress(f"{done} of {len(jobs)} programs, the last {jobs[job]}: {job.result()}")
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    screen.clear()
    return ended


def work(screen):
    asked = arguments()
    if asked.list:
        for corpus in programs.corpora():
            screen.line(f"git clone {corpus.url} DIR/{corpus.name} && git -C DIR/{corpus.name} checkout "
                        f"{corpus.commit}")
        return 0
    names = [name for name in found_in(os.path.abspath(asked.folder))
             if not asked.only or fnmatch.fnmatchcase(name, asked.only)]
    if not names:
        raise Stop(f"{asked.folder}: has no program of a corpus: plots/record programs --list has them", 2)
    if not asked.gpu:
        prepare(asked.build)
    with tempfile.TemporaryDirectory(prefix="programs-") as copied:
        for corpus in sorted({name.split("/")[0] for name in names} | {"cuda-samples"}):  # whose headers many take
            if os.path.isdir(os.path.join(asked.folder, corpus)):
                shutil.copytree(os.path.join(asked.folder, corpus), os.path.join(copied, corpus), symlinks=True,
                                ignore=shutil.ignore_patterns(".git"))
        ended = run_all(copied, names, asked, screen)
    if asked.only:
        for name in names:
            screen.line(f"{name}: {ended[name]}")
        return 0
    programs.write(asked.out, ended, "gpu" if asked.gpu else "cpu")
    screen.line(f"{asked.out}: {len(names)} programs")
    return 0


if __name__ == "__main__":
    SCREEN_OF = Screen("plots/record programs", patience=60)
    sys.exit(end_of(SCREEN_OF, lambda: work(SCREEN_OF)))
