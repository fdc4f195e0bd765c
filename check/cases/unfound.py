"""
Kinds of mistakes that once nothing found: a wrong kernel of each kind, written by hand, is found by the launches that
its step declares as "mutated", as plots/record mutants runs them. With CHECK_FULL=1 also in steps that take long to
compile.
"""
import os
import tempfile

from plots.makers.mutation import headers, judge, make, programs
from common.commands.drive.shapes import parse
from common.commands.drive.support import FULL, SOURCE, case, describe, leave, parallel, steps

ROUNDS = ("    for (;;) {\n        quad q[QUADS];",
          "    for (unsigned round = 0;; round++) {\n        quad q[QUADS];")

# No mistake, but few bits in the fields that count: nothing is found.
RIGHT = ("nothing", "compact-stream", "i32", [], "stream in-place", "-b 1")

# (the mistake, step, element type, [(what the source says, the mistake in its place)], the variants that have it,
# what stands in the launches that are run)
MISTAKES = [
    ("alpha is left out where beta is 0", "sgemm-naive", "f32",
     [("beta == 0 ? alpha * sum :", "beta == 0 ? sum :")], "rows columns", "--alpha 0.5"),
    ("odd padded rows are read in pairs", "sgemm-column", "f32",
     [(" || w->ldb % 2 != 0 || w->n % 2 != 0", " || w->n % 2 != 0")], "pairs", "--pad 1"),
    ("rows of B are as long as they are wide", "sgemm-column", "f32",
     [("read(from + (l + i + j) * w.ldb,", "read(from + (l + i + j) * w.n,")], "pairs words", "--pad"),
    ("up to 17 elements per thread go to the kernel for 16", "reduce-vector", "i32",
     [("n <= 16 * (size_t)threads", "n < 17 * (size_t)threads")], "shape ticket", "-n 1055"),
    ("an array ends before its first aligned address", "reduce-vector", "i32",
     [("    size_t head = min(n, (size_t)before(x, 16));\n    element sum = thread < head ? x[thread] : 0;\n\n"
       "    return sum", "    size_t head = before(x, 16);\n    element sum = thread < head ? x[thread] : 0;\n\n"
       "    return sum")], "shape ticket", "--offset"),
    ("the inverse in three parts is no inverse", "fft-fourstep", "c32",
     [(": conjugate(point, sign);", ": PART == FIRST_OF_TWO ? conjugate(point, sign) : point;")],
     "three", "--length 262144"),
    ("a second vector in three parts", "fft-fourstep", "c32",
     [("middle * (rows * middle * N);", "middle * (middle > 1 ? 0 : rows * middle * N);")], "three", "-n 2^19"),
    ("heads in a lane's farther words", "scan-segmented-stream", "i32",
     [("if (p[i].head && !near)", "if (p[i].head && !near && i == 0)")], "stream stream-bits", "--segment 100000"),
    ("more tiles than a field counts", "compact-stream", "i32",
     [("((tile + 1) & ((1 << TAG_BITS) - 1))", "tile + 1")], "stream in-place", "-n 65536"),
    ("a limit of -infinity", "compact-stream", "f32",
     [("return -INFINITY;", "return -3e38f;")], "stream in-place", "--keep 0"),
    ("more kept than 16 bits count", "compact-scan", "i32",
     [("sums[i] = sum - own;", "sums[i] = (unsigned short)(sum - own);")], "flags fused", "-n 66001 -b 3"),
    ("NaN is kept", "compact-scan", "f32",
     [("marks[i] = keeps(x[i], limit);", "marks[i] = !(x[i] > limit);")], "flags", "--seed 1 --type f32"),
    ("NaN of an earlier segment", "scan-segmented", "f32",
     [("b.value = b.head ? b.value : a.value + b.value;", "b.value += !b.head * a.value;")], "array", "hostile"),
    ("look-back without tickets", "scan-lookback", "i32",
     [ROUNDS, ("ticket = (unsigned)atomicAdd(&words[0], 1ull);", "ticket = blockIdx.x + round * gridDim.x;")],
     "chained", "-b 530"),
    ("look-back without tickets", "compact-lookback", "i32",
     [ROUNDS, ("ticket = atomicAdd(&words[0], 1ull);", "ticket = blockIdx.x + round * gridDim.x;")],
     "lookback", "-b 530"),
    ("look-back without tickets", "scan-segmented", "i32",
     [ROUNDS, ("ticket = (unsigned)atomicAdd(&words[0], 1ull);", "ticket = blockIdx.x + round * gridDim.x;")],
     "lookback", "-b 530"),
    ("value and flag in two relaxed halves", "scan-lookback", "i32",
     [("    cuda::atomic_ref<unsigned long long, cuda::thread_scope_device>(*p).store(\n"
       "        w.bits, cuda::memory_order_relaxed);",
       "    for (int i = 1; i >= 0; i--)\n        cuda::atomic_ref<unsigned, cuda::thread_scope_device>(\n"
       "            ((unsigned *)p)[i]).store(((unsigned *)&w)[i], cuda::memory_order_relaxed);")],
     "chained lookback tree", "-n 5120 -b 3"),
    ("a lost update", "reduce6", "i32",
     [("        atomicAdd(sum, s[0]);\n}\n\n/* The same with", "        atomicExch(sum, *(volatile element *)sum + "
       "s[0]);\n}\n\n/* The same with")], "per-block", "-b 40 -t 32"),
    ("the input is changed in place: two elements change places", "reduce6", "i32",
     [("    atomicAdd(sum, slice_sum(x, n));",
       "    size_t other = (size_t)gridDim.x * blockDim.x;\n    element *own = (element *)x, first;\n"
       "    atomicAdd(sum, slice_sum(x, n));\n    if (blockIdx.x + threadIdx.x == 0 && other < n) {\n"
       "        first = own[0];\n        own[0] = own[other];\n        own[other] = first;\n    }")],
     "per-thread", "-b 5 -t 64"),
    ("NaN in a minimum", "reduce-operators", "f32",
     [("return a < b || is_nan(a) ? a : b;", "return a < b ? a : b;")], "min", "hostile"),
    ("NaN in argmax", "reduce-states", "f32",
     [("return !(a <= b) && !is_nan(b);", "return a > b;")], "argmax", "hostile --seed 1"),
    ("a last step of more than 32 blocks of more than 32 threads", "reduce-states", "f32",
     [("rest = op.combine(rest, partial[i]);\n",
       "rest = op.combine(rest, partial[blockDim.x > 32 ? i % 32 : i]);\n")], "mean", "-n 9777 -b 40 -t 96"),
]

DEAR = ("fft-fourstep", "reduce-operators", "reduce-vector", "scan-segmented-stream")  # to compile: with CHECK_FULL=1
WAYS = (([], judge.wrong), (["--check"], judge.found), (["--schedule=random:1"], judge.wrong))


def mutant(name, kind, edits):
    path = os.path.join(SOURCE, "steps", name, name + ".cu")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if any(right not in text for right, _ in edits):
        text = headers.expanded(name).text
    for right, wrong in edits:
        if text.count(right) < 1:
            return None
        text = text.replace(right, wrong)
    return make.Mutant(name, describe(name)["family"], "(by hand)", "mistake", "", "", 1, 0, text)


def found(mistake):
    """What the step's launches show of it, "" for nothing, None if it was not built; and what was done last."""
    _, name, kind, edits, wanted, words = mistake
    made = mutant(name, kind, edits)
    if not made:
        return None, "the source does not say so any more"
    lines = [line for line in judge.lines_of(name) if parse(line)["type"] == [kind] and words in line]
    with tempfile.TemporaryDirectory() as scratch:
        program, done = programs.build(made, scratch, kind)
        if done.status:
            return None, done
        for more, fault in WAYS if edits else WAYS[:1]:
            said = judge.first_fault(program, name, lines, 20, more, lambda row, fault=fault:
                                     fault(row) if row["variant"] in (None, *wanted.split()) else "")[0]
            if said:
                break
    return said, done


def main():
    asked = [mistake for mistake in [*MISTAKES, RIGHT] if mistake[1] in steps() and (FULL or mistake[1] not in DEAR)]
    for mistake, (said, done) in zip(asked, parallel(found, asked)):
        what, name = mistake[:2]
        if mistake is RIGHT:
            case(said == "", f"{name} without a mistake: nothing is found", said or done)
        else:
            case(said, f"{name}: {what}: {said or 'is not found'}", done)
    leave()


if __name__ == "__main__":
    main()
