"""
./steps/cuda FILE --gdb: breaks for one thread of a block, the focus, what other threads' variables hold, shared memory,
a warp that goes to its next barrier, a stop where --check finds, a program that is there already; and the commands of
docs/debugger.md. gdb runs in batch mode. Without gdb this is skipped by name.
"""
import os
import re
import shutil
import subprocess
import tempfile

from common.commands.drive.support import BUILD, SOURCE, case, leave, run

PROGRAM = os.path.join(SOURCE, "steps", "cuda")
PAGE = os.path.join(SOURCE, "docs", "debugger.md")


def source():
    """The program of the page."""
    with open(os.path.join(SOURCE, "docs", "own", "debugger-sum.cu"), encoding="utf-8") as file:
        return file.read()


def line_of(text, words):
    return next(number for number, line in enumerate(text.split("\n"), 1) if words in line)


def gdb(path, commands, *more):
    """What gdb says of these commands, each answer behind its own prompt."""
    with subprocess.Popen([PROGRAM, path, "--build", BUILD, "--gdb", *more], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        try:
            said = process.communicate("\n".join(commands).encode() + b"\n", timeout=240)[0].decode()
        except subprocess.TimeoutExpired:
            process.kill()
            said = "it hangs"
    parts = said.split("(gdb) ")[1:]
    return dict(zip(commands, parts)) if len(set(commands)) == len(commands) else parts, said


def asked(scratch):
    """Each command, and words that must be in its answer."""
    text = source()
    path, add, barrier = os.path.join(scratch, "sum.cu"), line_of(text, "s[t] += s[t + k]"), line_of(text, "// all")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    dialogue = [
        ("info cuda kernels", "does not run yet"),
        (f"cuda break sum.cu:{add} block 1 thread 3", f"line {add}."),
        ("run", r"block \(1,0,0\), thread \(3,0,0\), warp 0, lane 3\]"),
        ("print t + k", "= 35"),
        ("print $threadIdx.x + $blockIdx.x * $blockDim.x", "= 67"),
        ("info cuda kernels", r"sum<<<\(2,1,1\), \(64,1,1\)>>>"),
        ("info cuda blocks", r"\* block \(1,0,0\)  .*3 at a barrier"),
        ("info cuda threads", rf"threads    0 to    2  at a barrier, line \d+\nthreads    3 to    3  runs, line {add}"),
        ("cuda shared s", r"s: 256 bytes, 64 of float\n     0: 160 162 164 67 68"),
        ("cuda thread 40", r"it waits.*runs on is thread \(3,0,0\)"),
        ("print mine", "= 104"),
        ("cuda", r"thread \(40,0,0\)"),
        ("cuda print mine - 64", r"lane  0  thread \(32,0,0\).*  32\nlane  1 .* 33\n[^$]*lane 31 .* 63"),
        ("cuda warp 0 lane 5", r"thread \(5,0,0\)"),
        ("cuda continue", r"thread \(5,0,0\)"),
        ("print mine * 1", "= 69"),
        ("delete", ""),
        ("cuda next", rf"at a barrier, line {line_of(text, '// round')}\n.*\n?.*runs"),
        ("info cuda lanes", "warp 0 of block"),
        ("cuda thread 99", "99: must be a number from 0 to 63"),
        ("cuda thread 0,9", "must be a number"),
        ("cuda block 7", "must be a number from 0 to 1"),
        ("cuda block 0", "not in flight"),
        ("cuda nonsense", "expected block B"),
        ("info cuda x", "must be one of"),
        ("cuda break", "cuda break WHERE"),
        ("cuda shared other", "no shared memory other"),
        ("next", ""),
        ("continue", "2016 6112\n.*exited normally"),
    ]
    kept = os.path.join(scratch, "kept")
    parts, said = gdb(path, [words for words, _ in dialogue], "-o", kept)
    parts = list(parts.values()) if isinstance(parts, dict) else parts
    for (words, expected), answer in zip(dialogue, parts):
        case(re.search(expected, answer), f"{words}: {expected!r}", f"{answer}\n--\n{said[-3000:]}")
    case(len(parts) >= len(dialogue) and barrier, "each command is answered", said[-2000:])
    there(kept)


def there(kept):
    """A program that is there already."""
    parts, said = gdb(kept, ["cuda break sum block 1 thread 40", "run", "print t", "kill"])
    case("thread (40,0,0)" in parts["run"], "--gdb PROGRAM: a program that is there already", said)


def found(scratch):
    """A stop where --check finds, once per place."""
    path = os.path.join(scratch, "race.cu")
    with open(path, "w", encoding="utf-8") as file:
        file.write(re.sub(r"__syncthreads\(\); // round", "// none", source()))
    parts, said = gdb(path, ["run", "print k", "print $threadIdx.x"], "--check")
    line = line_of(source(), "s[t] += s[t + k]")
    if case(isinstance(parts, dict) and "run" in parts, "--gdb --check runs", said):
        case(re.search(rf"--check has found: race shared(.|\n)*line {line}, thread 1 of block 0(.|\n)*race.cu:{line}",
                       parts["run"]), "it stops where --check finds, in the kernel", said)
        case("= 32" in parts["print k"] and "= 1" in parts["print $threadIdx.x"], "its variables are there", said)


def refused(scratch):
    path = os.path.join(scratch, "sum.cu")
    for words, named in (([path, "--gdb", "--fast"], "--fast"), ([path, "--gdb", "--explore"], "--explore"),
                         ([path, "--gdb", "--gpu"], "--gpu"), (["/bin/true", path, "--gdb"], "/bin/true"),
                         (["/bin/true"], "/bin/true")):
        done = run(PROGRAM, *words, "--build", BUILD)
        case(done.status == 2 and named in done.err, f"{' '.join(map(os.path.basename, words))}: refused", done)


def page():
    """The page says each command that there is."""
    with open(PAGE, encoding="utf-8") as file:
        text = file.read()
    for words in ("cuda break", "cuda next", "cuda continue", "cuda print", "cuda shared", "cuda thread", "cuda block",
                  "info cuda kernels", "info cuda blocks", "info cuda threads", "info cuda lanes", "--check"):
        case(words in text, f"docs/debugger.md has {words}")


def main():
    page()
    if not shutil.which("gdb"):
        case(True, "gdb # skip gdb is not installed")
        leave()
    with tempfile.TemporaryDirectory() as scratch:
        asked(scratch)
        found(scratch)
        refused(scratch)
    leave()


if __name__ == "__main__":
    main()
