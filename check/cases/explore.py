"""
--explore: every execution that CUDA's memory model allows. Classic litmus tests with the verdicts of the model of PTX,
each with the order or fence that decides and without; a program and its replay; steps at a small shape, with the counts
of the page's table, and the same with a fence taken out; what is refused.
"""
import os
import re
import tempfile

from check.litmus import Litmus, Outcome
from common.commands.drive.support import BUILD, FULL, SOURCE, case, leave, parallel, run, step

CUDA_CPU = os.path.join(BUILD, "common", "commands", "cuda-cpu")
PROGRAMS = os.path.join(SOURCE, "check", "explore")
EXPORT = os.path.join(SOURCE, "steps", "export")

# (name, the threads with their blocks, the outcome, whether PTX allows it)
MP = ("st.{data} x, 1 | ld.{take} r0, y; {give} | {got}; st.{post} y, 1 | ld.{data} r1, x", "P1:r0 == 1 /\\ P1:r1 == 0")
SB = ("st.relaxed.gpu x, 1 | st.relaxed.gpu y, 1; {fence} | {fence}; ld.relaxed.gpu r0, y | ld.relaxed.gpu r0, x",
      "P0:r0 == 0 /\\ P1:r0 == 0")
RELAXED = {"data": "relaxed.gpu", "take": "relaxed.gpu", "post": "relaxed.gpu", "give": "", "got": ""}
FENCE = {"give": "fence.acq_rel.gpu", "got": "fence.acq_rel.gpu"}
FENCE_CTA = {"give": "fence.acq_rel.cta", "got": "fence.acq_rel.cta"}
ACQUIRE = {"take": "acquire.gpu", "post": "release.gpu"}
IRIW = ("st.relaxed.gpu x, 1 | st.relaxed.gpu y, 1 | ld.relaxed.gpu r0, x | ld.relaxed.gpu r0, y;"
        " | | {fence} | {fence}; | | ld.relaxed.gpu r1, y | ld.relaxed.gpu r1, x",
        "P2:r0 == 1 /\\ P2:r1 == 0 /\\ P3:r0 == 1 /\\ P3:r1 == 0")
WRC = ("st.relaxed.gpu x, 1 | ld.relaxed.gpu r0, x | ld.relaxed.gpu r0, y; | {fence} | {fence};"
       " | st.relaxed.gpu y, 1 | ld.relaxed.gpu r1, x", "P1:r0 == 1 /\\ P2:r0 == 1 /\\ P2:r1 == 0")
TWO_W = ("st.relaxed.gpu x, 1 | st.relaxed.gpu y, 1; {fence} | {fence}; st.relaxed.gpu y, 2 | st.relaxed.gpu x, 2",
         "x == 1 /\\ y == 1")
CORR = ("st.{order} x, 1 | ld.{order} r0, x; | ld.{order} r1, x", "P1:r0 == 1 /\\ P1:r1 == 0")
COUNT = ("atom.relaxed.{scope}.add r0, x, 1 | atom.relaxed.{scope}.add r0, x, 1", "x == 1")
MEET = ("st.weak x, 1 | bar.cta.{take}; bar.cta.{give} | ld.weak r0, x", "P1:r0 == 0")
FIRST = ("atom.relaxed.gpu.exch r0, x, 1 | atom.relaxed.gpu.exch r0, x, 1; beq r0, 0, LC01 | bne r0, 0, LC11;"
         " st.relaxed.gpu y, 1 | LC10:; LC01: | ld.relaxed.gpu r1, y; | beq r1, 0, LC10; | LC11:", "P1:r1 == 1")
CLASSICS = [
    ("MP, relaxed", MP, RELAXED, True), ("MP, fences", MP, {**RELAXED, **FENCE}, False),
    ("MP, the reader's fence alone", MP, {**RELAXED, "got": FENCE["got"]}, True),
    ("MP, the writer's fence alone", MP, {**RELAXED, "give": FENCE["give"]}, True),
    ("MP, fences of block scope between blocks", MP, {**RELAXED, **FENCE_CTA}, True),
    ("MP, release and acquire, weak data", MP, {**RELAXED, **ACQUIRE, "data": "weak"}, False),
    ("MP, release alone", MP, {**RELAXED, "post": "release.gpu"}, True),
    ("SB, acquire-release fences", SB, {"fence": "fence.acq_rel.gpu"}, True),
    ("SB, sequentially consistent fences", SB, {"fence": "fence.sc.gpu"}, False),
    ("SB, sequentially consistent fences of block scope", SB, {"fence": "fence.sc.cta"}, True),
    ("IRIW, acquire-release fences", IRIW, {"fence": "fence.acq_rel.gpu"}, True),
    ("IRIW, sequentially consistent fences", IRIW, {"fence": "fence.sc.gpu"}, False),
    ("WRC, relaxed", WRC, {"fence": ""}, True), ("WRC, fences", WRC, {"fence": "fence.acq_rel.gpu"}, False),
    ("2+2W, relaxed", TWO_W, {"fence": ""}, True),
    ("2+2W, sequentially consistent fences", TWO_W, {"fence": "fence.sc.gpu"}, False),
    ("CoRR, relaxed", CORR, {"order": "relaxed.gpu"}, False), ("CoRR, weak", CORR, {"order": "weak"}, True),
    ("two threads meet at a barrier", MEET, {"give": "sync 1, 1, 2", "take": "sync 1, 1, 2"}, False),
    ("each at a barrier of its own", MEET, {"give": "sync 1", "take": "sync 2"}, True),
    ("bar.arrive tells", MEET, {"give": "arrive 1, 1, 2", "take": "sync 1, 1, 2"}, False),
    ("bar.arrive does not learn", MEET, {"give": "sync 1, 1, 2", "take": "arrive 1, 1, 2"}, True),
    ("a poll of what no other thread has touched so far", FIRST, {}, True),
    ("two updates", COUNT, {"scope": "gpu"}, False), ("two updates of block scope", COUNT, {"scope": "cta"}, True),
]
# A row of the page's table: the step, its options, the executions of each launch; what takes long has a last word.
ROW = re.compile(r"^\| ([a-z0-9-]+) \| `([^`]+)` \| (\d[\d, ]*) \| (`CHECK_FULL=1`)? ?\|$", re.M)
# fft-fused of a length whose compilation and runs take less, by one team of two blocks.
SHORT = [("length_of<128, 128, 4096, 3>()", "length_of<32, 32, 1024, 3>()"), ('LENGTHS "16384"\n', 'LENGTHS "1024"\n'),
         ("teams = w->batch < most ? w->batch : most;", "teams = most > 0;")]
# (step, options, where to look from, the words that are taken out, what stands there instead, other changes)
FAULTS = [("block-sync-lock", "-n 1 -b 2 -t 1 -v lock", "wait_lock(", "__threadfence();", ""),
          ("block-sync-lock", "-n 1 -b 2 -t 1 -v lock-acquire", "wait_acquire(", "memory_order_release",
           "memory_order_relaxed"),
          ("block-sync-lock", "-n 1 -b 2 -t 1 -v lock-acquire", "wait_acquire(", "memory_order_acquire",
           "memory_order_relaxed"),
          ("block-sync-lockfree", "-n 1 -b 2 -t 2", "", "__threadfence();", ""),
          ("reduce7", "-n 8 -b 2 -t 2 -v loop", "", "__threadfence();", ""),
          ("scan-lookback", "-n 600 -b 2 -t 32 -v lookback", "look_back(", "__any_sync", "__all_sync"),
          ("scan-lookback", "-n 600 -b 2 -t 32 -v chained", "await(", "w.is.flag < flag", "false"),
          ("fft-fused", "-n 5120 --length 1024", "void tell(", "memory_order_release", "memory_order_relaxed",
           *SHORT),
          ("compact-lookback", "-n 300 -b 2 -t 32 -v in-place", "post(", "memory_order_release",
           "memory_order_relaxed"),
          ("compact-lookback", "-n 300 -b 2 -t 32 -v in-place", "peek(", "memory_order_acquire",
           "memory_order_relaxed")]
# Take long together: with CHECK_FULL=1.
LONG_FAULTS = [("scan-rounds", "-n 9000 -b 2 -v rounds", "", "seen[p] >> 32 != launch", "false"),
               ("fft-fused", "-n 5120 --length 1024", "wait_for(", "memory_order_acquire", "memory_order_relaxed",
                *SHORT),
               ("histogram-shared", "-n 6 --bins 2 -b 2 -t 2 -v atomic", "own[k] = 0", "__syncthreads();", ""),
               ("block-sync-cooperative", "-n 1 -b 2 -t 2", "", "cooperative_groups::this_grid().sync();", ""),
               ("sgemm-streamk", "-n 32x64x256 -b 2 -v fitted", "", ".fetch_add(1, cuda::memory_order_release)",
                ".fetch_add(1, cuda::memory_order_relaxed)"),
               ("sgemm-streamk", "-n 32x64x256 -b 2 -v fitted", "", "flag.load(cuda::memory_order_acquire)",
                "flag.load(cuda::memory_order_relaxed)")]


def litmus_text(rows, outcome, words):
    """The test in the syntax of the published ones, each thread in a block of its own but for a block's barrier."""
    rows = rows.format(**words)
    threads = rows.split(";")[0].count("|") + 1
    head = " | ".join(f"P{i}@cta {0 if 'bar.' in rows else i},gpu 0" for i in range(threads))
    return f"PTX t\n{{\nx=0;\ny=0;\n}}\n{head};\n" + rows.replace(";", ";\n") + f";\nexists ({outcome})"


def classics(scratch):
    program = os.path.join(scratch, "litmus")
    made = run(CUDA_CPU, os.path.join(PROGRAMS, "litmus.cu"), "-o", program)
    case(os.path.exists(program), "litmus.cu compiles", made.err)
    for name, (rows, outcome), words, expected in CLASSICS:
        found = Outcome(program, Litmus(litmus_text(rows, outcome, words)).table(), 60)
        case(found.complete and found.executions and found.found == expected,
             f"{name}: PTX {'allows' if expected else 'forbids'} it", found.text)


def message():
    good = run(CUDA_CPU, "--explore", "-DFENCE=1", os.path.join(PROGRAMS, "mp.cu"))
    case(good.status == 0 and "right: all executions, 1;" in good.err, "a flag and a datum, with fences", good.err)
    bad = run(CUDA_CPU, "--explore", "-DFENCE=0", os.path.join(PROGRAMS, "mp.cu"))
    again = re.search(r"again: --explore=(\S+)", bad.err)
    case(bad.status == 1 and "wrong: 1 of 2 executions" in bad.err and again, "without: one of two is wrong", bad.err)
    if again:
        shown = run(CUDA_CPU, f"--explore={again[1]}", "-DFENCE=0", os.path.join(PROGRAMS, "mp.cu"))
        case(shown.out == "seen 0\n" and shown.status == 1, "the wrong one is played again", shown.out + shown.err)


# A program of check/explore: with these options it ends with this status, and says this.
PROGRAM = [("numbered", [], 0, "right: all executions, 1;"), ("numbered", ["-DFULL=0"], 1, "a race: "),
           ("numbered", ["-DEMPTY=0"], 1, "a race: "),
           # the two lanes see the flag in round 1, 2, 3 or not at all: 4 x 4, of which 3 + 3 + 1 without
           ("votes", ["-DPATIENT=1"], 0, "right: all executions, "),
           ("votes", ["-DPATIENT=0"], 1, "wrong: 7 of 16 executions"),
           ("sums", ["-DSHAPE=HAND_OVER"], 0, "right: all executions, 1; cut short: 3;"),
           ("sums", ["-DSHAPE=NO_RELEASE"], 1, "a race: "), ("sums", ["-DSHAPE=ALONE"], 1, "wrong: 1 of 4 executions"),
           # nothing, the first, or both: not the second alone
           ("sums", ["-DSHAPE=CAUSED"], 0, "right: all executions, 3;"),
           # 4 x 4, without the two in which each has seen the addition that the other has not
           ("sums", ["-DSHAPE=AGREE"], 0, "right: all executions, 14;"),
           ("sums", ["-DSHAPE=TWICE"], 0, "right: all executions, 9;"),
           ("sums", ["-DSHAPE=BOTH_FENCED"], 0, "right: all executions, 4;"),
           ("sums", ["-DSHAPE=ONE_FENCED"], 1, "wrong: 1 of 6 executions"),
           ("sums", ["-DSHAPE=BEGIN_ANEW"], 0, "right: all executions, "),
           ("objects", [], 0, "right: all executions, 1;"), ("objects", ["-DFAULT=1"], 1, "threads wait for ever: "),
           ("objects", ["-DFAULT=2"], 1, "a race: "), ("objects", ["-DFAULT=3"], 1, "threads wait for ever: "),
           ("objects", ["-DFAULT=4"], 1, "initialises the barrier"), ("objects", ["-DFAULT=5"], 1, "wrong: "),
           ("objects", ["-DFAULT=6"], 2, "not complete: nothing orders the arrivals at two phases of a barrier"),
           ("numbered", ["-DLATE=1"], 2, "not complete: nothing orders the arrivals at two phases of a barrier")]


def programs():
    for name, words, status, said in PROGRAM:
        done = run(CUDA_CPU, "--explore", *words, os.path.join(PROGRAMS, name + ".cu"))
        case(done.status == status and said in done.err, f"{name} {' '.join(words)}: {said}", done.err)


def table():
    """The rows of the page's table: step, options, executions of each launch."""
    with open(os.path.join(SOURCE, "docs", "explore.md"), encoding="utf-8") as file:
        return [row[:3] for row in ROW.findall(file.read()) if FULL or not row[3]]


def small(row):
    name, words, _ = row
    return row, run(step(name), *words.split(), *"-r 1 -w 0 --explore=seconds:600".split(), limit=700)


def planted(scratch, what):
    """The step as one file, with the fault; the fault must be there to be planted."""
    name, words, function, old, new, *more = what
    path = os.path.join(scratch, f"{name}-{re.sub(r'[^a-z_]', '', function)}.cu")
    made = run(EXPORT, name, cwd=scratch)
    source = os.path.join(scratch, f"{name}.cu")
    with open(source, encoding="utf-8") as file:
        text = file.read()
    for was, now in more:
        text = text.replace(was, now) if was in text else ""
    at = text.find(old, text.find(function) if function else 0)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text[:at] + new + text[at + len(old):] if at >= 0 else "")
    return what, at >= 0, made, run(CUDA_CPU, "--explore", path, "--", *words.split(), *"-r 1 -w 0".split())


def refused():
    done = run(step("reduce7"), "-n", "1000", "-b", "64", "-t", "64", "--explore", "-v", "loop")
    case(done.status == 2 and "too large: 4096 threads" in done.err, "a launch too large is refused", done.err)
    for spec in ("seconds:x", "replay:1", "all"):
        done = run(step("reduce7"), f"--explore={spec}")
        case(done.status == 2 and len(done.err.splitlines()) == 1, f"--explore={spec} is refused", done.err)
    done = run(step("reduce7"), "--explore", "--check")
    case(done.status == 2 and len(done.err.splitlines()) == 1, "--explore takes no other tool", done.err)


def main():
    with tempfile.TemporaryDirectory() as scratch:
        classics(scratch)
        message()
        programs()
        rows = table()
        case(rows, "docs/explore.md has the table of executions")
        for (name, words, counts), done in parallel(small, rows):
            found = ", ".join(re.findall(r"right: all executions, (\d+);", done.err))
            case(done.status == 0 and found == counts and "wrong:" not in done.err,
                 f"{name} {words}: every execution is right, and they are {counts}", done.err + done.out)
        for what in FAULTS + LONG_FAULTS * FULL:
            what, there, made, done = planted(scratch, what)
            case(there and done.status == 1 and "wrong: " in done.err,
                 f"{what[0]} {what[2]} without {what[3]}: refuted", made.err + done.err)
    refused()
    leave()


if __name__ == "__main__":
    main()
