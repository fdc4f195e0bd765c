"""
The program cuda-cpu: what it refuses, in one line and with status 2; how a program's end is passed
on; the tools in a program that knows nothing of them; and the same once more as it is installed,
moved to another place, without the source. Then what the page docs/your-own-kernel.md shows: its runs say
what is recorded, and its step is one.
"""
import csv
import json
import os
import re
import shutil
import tempfile

from common.commands.cudacpu import libraries, loops, sass
from common.commands.cudacpu.command import Command
from common.commands.drive.building import build
from common.commands.runner.screen import Stop
from docs.mistakes import transcripts
from plots import recorded
from plots.makers.cpu import said
from common.commands.drive.support import BUILD, SOURCE, case, leave, run

BUILT = os.path.join(BUILD, "common", "commands", "cuda-cpu")
STEPS_CUDA = os.path.join(SOURCE, "steps", "cuda")

FILES = {
    "answers.cu": """__global__ void statements(unsigned *x)
{
    atomicMax(x + threadIdx.x, 1u);
    if (threadIdx.x % 2)
        atomicXor_block(x + threadIdx.x, 3u);
}
__global__ void exchanges(unsigned *x) { atomicExch(x + threadIdx.x, 1u); }
__global__ void taken(unsigned *x) { x[32 + threadIdx.x] = atomicMax(x + threadIdx.x, 2u); }
int main()
{
    unsigned *x;
    cudaMalloc(&x, 64 * sizeof(*x));
    statements<<<1, 32>>>(x);
    exchanges<<<1, 32>>>(x);
    taken<<<1, 32>>>(x);
    return cudaDeviceSynchronize();
}
""",
    "place.cu": """#include <cstdio>
int main()
{
    int *x, *y;
    cudaMalloc(&x, 1 << 20);
    cudaMallocManaged(&y, 4);
    printf("%p %p\\n", (void *)x, (void *)y);
}
""",
    "clean.cu": """#include <stdio.h>
__global__ void twice(int *x)
{
    x[threadIdx.x] *= 2;
}
int main(int argc, char **argv)
{
    int h[32] = {21}, *d;
    cudaMalloc(&d, sizeof(h));
    cudaMemcpy(d, h, sizeof(h), cudaMemcpyHostToDevice);
    twice<<<1, 32>>>(d);
    cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
    printf("%d %d\\n", h[0], argc);
    return argc > 1 ? argv[1][0] - '0' : 0;
}
""",
    "race.cu": """#include <stdlib.h>
__global__ void race(int *x)
{
    x[0] = (int)threadIdx.x;
}
int main(int argc, char **argv)
{
    int *d;
    cudaMalloc(&d, sizeof(int));
    race<<<1, 64>>>(d);
    cudaDeviceSynchronize();
    exit(argc > 1 ? atoi(argv[1]) : 0);
}
""",
    "host.cu": "#include \"cuda_runtime.h\"\nint main() { return 0; }\n",
    "abort.cu": "#include <stdlib.h>\nint main() { abort(); }\n",
    "kill.cu": "#include <signal.h>\nint main() { raise(SIGKILL); }\n",
    "silent.cu": "extern \"C\" void says(int);\nint main() { says(7); return 0; }\n",
    "says.c": "#include <stdio.h>\nvoid says(int n) { printf(\"%d\\n\", n); }\n",
    "polls.cu": "__global__ void k(volatile int *p) { while (!*p); }\nint main() { return 0; }\n",
    "stride.cu": """#include <stdio.h>
__global__ void inside(int *sum, int n)
{
    int s = 0;
    for (int i = threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        s += i ^ 5;
    *sum = s;
}
__global__ void outside(int *sum, int n)
{
    int s = 0, by = gridDim.x * blockDim.x;
    for (int i = threadIdx.x; i < n; i += by)
        s += i ^ 5;
    *sum = s;
}
int main()
{
    int *d;
    cudaMalloc(&d, sizeof(int));
    inside<<<1, 1>>>(d, 1000);
    outside<<<1, 1>>>(d, 1000);
    return cudaDeviceSynchronize();
}
""",
    "nomain.cu": "int nobody() { return 1; }\n",
    "wrong.cu": "int main()\n{\n    return missing;\n}\n",
    "unlinked.cu": "int elsewhere();\nint main() { return elsewhere(); }\n",
    "library.cu": "#include \"library.h\"\n#include <cublas_v2.h>\nint main() { return 0; }\n",
    "library.h": "#include <thrust/sort.h>\n",
    "header.cuh": "\n",
    "text.txt": "\n",
}

REFUSED = [  # (words, what the last line of standard error must say)
    ([], "no file: give a .cu file"),
    (["none.cu"], "none.cu: no such file"),
    (["folder"], "folder: is a directory"),
    (["text.txt"], "text.txt: not a .cu,"),
    (["header.cuh"], "header.cuh: not a .cu,"),
    (["clean.cu", "--nothing"], "unknown option --nothing"),
    (["clean.cu", "--counters=all"], "--counters=all: not accepted; accepted: no value, or lines"),
    (["clean.cu", "--schedule", "chance"], "--schedule chance: not accepted; accepted: random:SEED"),
    (["clean.cu", "--sample", "0", "--counters"], "--sample 0: not accepted; accepted: a number"),
    (["clean.cu", "--fast", "--check"], "--fast takes none of --check"),
    (["clean.cu", "--sample", "3"], "--sample takes --counters or --estimate"),
    (["clean.cu", "--estimate=none"], "--estimate=none: neither a machine file nor the name of a device"),
    (["host.cu", "--estimate"], "--estimate: no kernel was launched"),
    (["clean.cu", "--json", "run.json"], "--json is for --estimate"),
    (["clean.cu", "--estimate", "--json", "folder"], "--json folder: is a directory"),
    (["clean.cu", "--estimate", "--fast"], "--fast takes none of"),
    (["clean.cu", "--trace", "0"], "--trace 0: not accepted"),
    (["clean.cu", "--trace"], "--trace needs a value"),
    (["clean.cu", "-lcusparse"], "-lcusparse: the CPU device has no cuSPARSE"),
    (["clean.cu", "-c"], "-c makes no program"),
    (["clean.cu", "-std=fortran"], "-std=fortran: not accepted"),
    (["clean.cu", "-o", "folder"], "-o folder: is a directory"),
    (["clean.cu", "-o", "clean.cu"], "-o clean.cu: would be a program by the name of a source"),
    (["clean.cu", "-o", "none/program"], "-o none/program: No such file or directory"),
    (["clean.cu", "--gpu", "--counters"], "--gpu takes --check alone"),
    (["nomain.cu"], "nomain.cu: no function main"),
    (["unlinked.cu"], "unlinked.cu: not linked: what it calls is nowhere: elsewhere()"),
    (["wrong.cu"], "wrong.cu: not compiled"),
]

# A command line as books have them: of all this only -D changes anything.
BOOK = ("-O3 -arch=sm_80 -gencode arch=compute_80,code=sm_80 -lineinfo --use_fast_math -rdc=true -G -g "
        "-Xcompiler -Wall,-fopenmp --ptxas-options=-v -Xptxas -O3 --expt-relaxed-constexpr "
        "--extended-lambda -std=c++14 -m64 -t 4 -lm -lcudart -DUNUSED=1 -D ALSO -I . -w").split()


def refusals(name, folder):
    for words, wanted in REFUSED:
        done = run(name, *words, cwd=folder)
        last = (done.err.splitlines() or [""])[-1]
        case(done.status == 2 and not done.out and wanted in last,
             f"cuda-cpu {' '.join(words) or 'alone'} is refused", done)
    done = run(name, "wrong.cu", cwd=folder)
    case("wrong.cu:3:" in done.err and "missing" in done.err, "cuda-cpu: a wrong line is named", done)
    done = run(name, "clean.cu", cwd=folder, env={"CPU_DEVICE_TOOLS": "chek"})
    case(done.status == 2 and "CPU_DEVICE_TOOLS=chek: not accepted" in done.err,
         "cuda-cpu: an unknown tool in the environment is refused", done)


def ends(name, folder):
    done = run(name, "clean.cu", cwd=folder)
    case(done.status == 0 and done.out == "42 1\n" and not done.err,
         "cuda-cpu: a program runs, and nothing else is said", done)
    done = run(name, "clean.cu", "--", "7", "--check", cwd=folder)
    case(done.status == 7 and done.out == "42 3\n", "cuda-cpu: arguments and status are passed on",
         done)
    done = run(name, "abort.cu", cwd=folder)
    case(done.status == 134 and "abort, as by assert" in done.err and "abort.cu:2" in done.err,
         "cuda-cpu: an abort is told, with its line", done)
    done = run(name, "kill.cu", cwd=folder)
    case(done.status == 137 and "./kill: ended by signal 9" in done.err,
         "cuda-cpu: a signal is told", done)
    done = run(name, "clean.cu", "--fast", cwd=folder)
    case(done.status == 0 and done.out == "42 1\n", "cuda-cpu: --fast computes the same", done)
    done = run(name, "polls.cu", "--fast", cwd=folder)
    case(done.status == 2 and "polls.cu:1: error: --fast: volatile" in done.err,
         "cuda-cpu: --fast refuses a kernel that polls", done)
    done = run(name, *BOOK, "-o", "kept", "clean.cu", cwd=folder)
    case(done.status == 0 and done.out == "42 1\n" and not done.err,
         "cuda-cpu: a book's command line is taken", done)
    done = run("./kept", cwd=folder, env={"CPU_DEVICE_TOOLS": "check,lines"})
    case(done.status == 0 and done.out == "42 1\n" and "--check: nothing found" in done.err and
         re.search(r"^twice +clean\.cu:4 +global load", done.err, re.MULTILINE),
         "cuda-cpu: a kept program takes its tools from the environment", done)


def reads_once(name, folder):
    """A built-in variable is read once, and not in each round of a loop."""
    done = run(name, "stride.cu", "--counters", "--log", "stride.csv", cwd=folder)
    counted = {}
    if done.status == 0:
        with open(os.path.join(folder, "stride-counters.csv"), newline="", encoding="utf-8") as file:
            counted = {row["kernel"]: int(row["instructions"]) for row in csv.DictReader(file)}
    case(counted.get("inside", 0) == counted.get("outside", 1) > 3000,
         "cuda-cpu: what stays the same of built-in variables is computed before a loop", f"{done}\n{counted}")


def plain_runs(name, folder):
    """Nobody looks at a program that no tool is asked for, and that is not kept."""
    with open(os.path.join(BUILD, "common", "commands", "toolchain.json"), encoding="utf-8") as file:
        plain = json.load(file)["plain"][:1]
    for words, given, expected in (([], {}, True), (["-o", "kept"], {}, False), (["--check"], {}, False),
                                   (["--counters"], {}, False), (["-Xcompiler", "-pipe"], {}, False),
                                   ([], {"CPU_DEVICE_TOOLS": "check"}, False)):
        done = run(name, "clean.cu", "-v", *words, cwd=folder, env=given)
        case(done.status == 0 and all((word in done.err.split()) == expected for word in plain),
             f"cuda-cpu {words} {given}: the program is {'' if expected else 'not '}made for no tool", done)
    done = run(*os.environ.get("CC", "cc").split(), "-c", "says.c", cwd=folder)
    if done.status == 0:
        done = run("ar", "rc", "libsays.a", "says.o", cwd=folder)
    if done.status == 0:
        done = run(name, "silent.cu", "-L.", "-lsays", cwd=folder)
    case(done.status == 0 and done.out == "7\n", "cuda-cpu: what prints in a library alone is linked", done)


def tools(name, folder):
    done = run(name, "race.cu", "--check", cwd=folder)
    case(done.status == 1 and "race.cu:4" in done.err and "--check: 1 finding\n" in done.err,
         "cuda-cpu --check: a finding makes status 1", done)
    done = run(name, "race.cu", "--check", "--", "5", cwd=folder)
    case(done.status == 5 and "--check: 1 finding\n" in done.err,
         "cuda-cpu --check: but a status of the program's own stays", done)
    done = run(name, "race.cu", cwd=folder)
    case(done.status == 0 and not done.err, "cuda-cpu: without --check nothing is found", done)
    done = run(name, "clean.cu", "--check", "--counters", cwd=folder)
    case(done.status == 0 and done.out == "42 1\n" and "--check: nothing found\n" in done.err and
         re.search(r"^  1 twice +1 +32 +1 +1 +4 ", done.err, re.MULTILINE),
         "cuda-cpu --check --counters", done)
    done = run(name, "host.cu", "--counters", cwd=folder)
    case(done.status == 0 and done.err == "--counters: no kernel was launched\n",
         "cuda-cpu --counters: no kernel", done)
    done = run(name, "clean.cu", "--trace", "4", cwd=folder)
    case(done.status == 0 and re.search(r"^31,0x\w+,124,4,global,,3,store$", done.err, re.MULTILINE),
         "cuda-cpu --trace", done)
    done = run(name, "clean.cu", "--trace", "1", cwd=folder)
    case(done.err == "--trace 1: no kernel accesses memory at that line\n",
         "cuda-cpu --trace of a line without access", done)
    done = run(name, "clean.cu", "--schedule", "random:7", cwd=folder)
    case(done.status == 0 and done.out == "42 1\n", "cuda-cpu --schedule", done)
    for _ in range(2):
        run(name, "clean.cu", "--counters", "--trace", "4", "--log", "run.csv", cwd=folder)
    with open(os.path.join(folder, "run-counters.csv"), newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    case([(row["program"], row["kernel"], row["global_load_sectors"]) for row in rows] ==
         [("clean", "twice", "4")] * 2, "cuda-cpu --log: a row per run", rows)
    with open(os.path.join(folder, "run-trace.csv"), encoding="utf-8") as file:
        text = file.read()
    case(text.count(",store\n") == 64 and text.count("lane,") == 1,
         "cuda-cpu --log: the trace, below one header", text)
    for kind, options in (("counters", ["--counters"]), ("trace", ["--trace", "4"])):
        path = os.path.join(folder, f"other-{kind}.csv")
        with open(path, "w", encoding="utf-8") as file:
            file.write("Dear reader\n")
        done = run(name, "clean.cu", *options, "--log", "other.csv", cwd=folder)
        with open(path, encoding="utf-8") as file:
            kept = file.read()
        case(done.status == 2 and done.err.count("\n") == 1 and "holds something else" in done.err
             and not done.out and kept == "Dear reader\n",
             f"cuda-cpu --log: a foreign file for the {kind} is refused, and left as it was", done)


CODE = """
.text.busy:
	//## File "busy.cu", line 3
        /*0000*/                   MUFU.RCP R4, R5 ;      /* 0x0000000500047308 */
                                                          /* 0x000e240000001000 */
        /*0010*/                   IADD3 R2, R3, R4, RZ ; /* 0x0000000403027210 */
                                                          /* 0x000fca0007ffe0ff */
        /*0020*/              @!PT LDS RZ, [RZ] ;         /* 0x00000000fffff984 */
                                                          /* 0x000fe20000000800 */
        /*0024*/                   FSETP.GE.AND P0, PT, |R5|, 105615, PT ; /* 0x47ce47800b007123 */
                                                          /* 0x000fe20000000800 */
        /*0025*/              @!P0 BRA `(.L_x_1) ;        /* 0x0000000000fc8947 */
                                                          /* 0x000fe20003800000 */
        /*0026*/                   DMUL R2, R2, R4 ;      /* 0x0000000402027228 */
                                                          /* 0x000fca0000000000 */
.L_x_1:
        /*0030*/                   EXIT ;                 /* 0x000000000000794d */
                                                          /* 0x000fea0003800000 */
$__internal_0_$__cuda_sm3x_div_rn_noftz_f32_slowpath:
        /*0040*/                   FFMA R2, R3, R4, R5 ;  /* 0x0000000403027223 */
                                                          /* 0x000fe20000000005 */
"""


def reads_code():
    """Instructions, the cycles that the assembler wrote into them, those of units; and no slow path."""
    (code, labels), = sass.instructions(CODE).values()
    case([(each.name, each.stall) for each in code] ==
         [("MUFU", 2), ("IADD3", 5), ("FSETP", 1), ("BRA", 1), ("EXIT", 5)] and
         sass.executed(code, labels) == [("", 0, "", "5,14,4,0,0,8,1,3,0,0", 0, 0, 0)],
         "the table of nvcc's code: stall counts, units, and the slow paths of a division and a sine are left out",
         [[(each.name, each.stall) for each in code], sass.executed(code, labels)])
    for even, odd, *told in ((2, 1, ("FFMA", "R2, R6, R2, R3")), (0, 1, ("FMUL", "R4, R5, R5")),
                             (1, 2, ("IMAD.WIDE.U32", "R2, R5, UR4, R2")), (3, 3, ("DFMA", "R2, R44, R2, R42")),
                             (3, 3, ("STG.E.128", "desc[UR4][R8.64], R4")), (1, 1, ("LDG.E", "R2, desc[UR4][R4.64]")),
                             (1, 0, ("SHFL.DOWN", "PT, R3, R2, 0x10, 0x1f")),
                             (2, 0, ("ISETP.GE.AND", "P0, PT, R2, R4, PT")),
                             (2, 2, ("FFMA", "R1, R6.reuse, R3, RZ"), ("FFMA", "R2, R6, R2, R5")),
                             (3, 1, ("FFMA", "R1, R6.reuse, R3, RZ"), ("FFMA", "R2, R2, R6, RZ"))):
        some = [sass.Instruction(16 * at, ("busy.cu", 3), "", *words) for at, words in enumerate(told)]
        case(sass.reads_of_banks(some) == [even, odd],
             f"the table of nvcc's code: even and odd registers that are read: {told}", sass.reads_of_banks(some))
    some = [sass.Instruction(16 * at, ("busy.cu", 3), "", opcode, "R1, R2, R3, R4") for at, opcode in
            enumerate(("IMAD", "IMAD.HI.U32", "IMAD.WIDE"))]
    case(sass.work_of(some).split(",")[3] == "10",
         "the table of nvcc's code: whole products of integers take twice as long", sass.work_of(some))


LOOPS = """#include <cstdio>
__global__ void turns(int *y, int n)
{
    int lane = threadIdx.x % 32, k = 0;

    for (int i = 0; i < n; i++)
        k += i ^ lane;
    while (k > -n -
                   lane % 2)
        k = k > 0 ? -1 : k - 1;
    do {
        k++;
    } while (k < 0 &&
             k > -1000000);
    do
        if (k % 2)
            k += 3;
        else
            k++;
    while (k < 10);
    for (; k < 20;)
        k += 2;
    *y = k;
}

int main()
{
    int *y;

    cudaMalloc(&y, 4);
    turns<<<1, 64>>>(y, 100);
    return cudaDeviceSynchronize();
}
"""
WAYS = """#include <cstdio>
__global__ void ways(int *y, int n)
{
    int lane = threadIdx.x % 32, k = lane;

    for (int i = 0; i < n; i++)
        if (i % 32 == lane)
            k += i;
        else
            k ^= i;
    if (threadIdx.x < 32 &&
        k != n) {
        k *= 3;
    } else if (n == 0)
        k = 1;
    if (int m = k % 5)
        k += m;
    if (k > 7) k--; if (k > 9) k--;
    if (int m{k % 7})
        k += m;
#if 1
    *y = k;
#endif
}

int main()
{
    int *y;

    cudaMalloc(&y, 4);
    ways<<<1, 64>>>(y, 64);
    return cudaDeviceSynchronize();
}
"""
SHUTTLE = """
.text.turns:
        //## File "/x/turns.cu", line 6
.L_x_0:
        /*0000*/                   IADD3 R2, R2, 0x4, RZ ;
                                                          /* 0x000fca0000000000 */
        /*0010*/                   LDL.64 R4, [R1] ;
                                                          /* 0x000fca0000000000 */
        /*0020*/                   LDL R6, [R1+0x8] ;
                                                          /* 0x000fca0000000000 */
        /*0030*/                   IADD3 R7, R5, R6, RZ ;
                                                          /* 0x000fca0000000000 */
        /*0040*/                   STL [R1+0x8], R7 ;
                                                          /* 0x000fca0000000000 */
        /*0050*/                   @P0 BRA `(.L_x_0) ;
                                                          /* 0x000fca0000000000 */
        /*0060*/                   EXIT ;
                                                          /* 0x000fca0000000000 */
"""


def counts_rounds(name, folder):
    """A loop without a memory access is executed as often as a warp goes around it."""
    heads = loops.loops_of(LOOPS)
    case([tuple(loop) for loop in heads] ==
         [(6, 1, 7, 7), (9, None, 10, 10), (14, None, 15, 14), (20, None, 21, 20), (21, None, 22, 22)],
         "the loops of a source: where their heads end, their steps, and the lines of their bodies alone", heads)
    takes_out()
    (code, labels), = sass.instructions(SHUTTLE).values()
    work = "6,30,4,0,0,0,2,5,1,4"  # two loads in flight together; eight bytes of a lane, four, and four
    case(sass.executed(code, labels) is None and sass.executed(code, labels, {"turns.cu": heads}) ==
         [("", 0, "", "1,5,0,0,0,0,0,0,0,0", 0, 0, 0), ("turns.cu", 6, "round", work, 4, 6, 4)],
         "the table of nvcc's code: a loop without a request, unrolled, with a local array",
         sass.executed(code, labels, {"turns.cu": heads}))
    nest = [sass.Instruction(16 * at, ("nest.cu", line), "", opcode, operands) for at, (line, opcode, operands) in
            enumerate(((5, "LDG.E", ""), (5, "FADD", ""), (4, "BRA", "`(.L_1)"), (7, "STG.E", ""),
                       (5, "LDG.E", ""), (5, "FADD", ""),  # what unrolling leaves over stands in the outer loop
                       (3, "BRA", "`(.L_0)")))]
    found = sass.executed(nest, {".L_0": 0, ".L_1": 0})
    case([row[:3] + row[4:5] for row in found] ==
         [("", 0, "", 0), ("nest.cu", 5, "global load", 1), ("nest.cu", 7, "global store", 1)],
         "of two loops, one in the other, with loads of one line the inner one has them", found)
    body = [sass.Instruction(0, ("turns.cu", line), "", name, "") for line, name in
            ((9, "FFMA"), (9, "FFMA"), (10, "FADD"), (11, "FSETP"), (11, "BRA"))]
    end = [sass.Instruction(0, ("turns.cu", 9), "", name, "") for name in ("IADD3", "ISETP")]
    case([sass.copies(times * body + end) for times in (1, 2, 8, 16)] == [1, 2, 8, 16],
         "how often the body of a loop stands in nvcc's code", body)
    program, told = os.path.join(folder, "turns.cu"), {}
    with open(program, "w", encoding="utf-8") as file:
        file.write(LOOPS)
    for line, rounds in ((0, 0), (6, 100), (9, 101), (14, 101), (20, 6), (21, 4)):
        told[line] = [issued(name, folder, program, row) for row in
                      (f"turns||0||{1 + 1000 * rounds}|code|0", "turns||0||1|code|0|0|0\n"
                       f"turns|turns.cu|{line}|round|1000|code|1|{line}|1")]
        case(told[line][0] == told[line][1] > 0,
             f"cuda-cpu --estimate: {rounds} rounds of the loop whose head ends in line {line}", told)


def takes_out():
    """What a warp does not execute, or counts elsewhere."""
    def of(told):
        return [sass.Instruction(16 * at, ("rest.cu", line), "", opcode, operands)
                for at, (line, opcode, operands) in enumerate(told)]
    code = of(((1, "BRA.DIV", "UR4, `(.L_1)"), (1, "SHFL", ""), (2, "EXIT", ""),
               (1, "MOV", ""), (1, "WARPSYNC.COLLECTIVE", "R12, `(.L_2)"), (1, "BRA", "`(.L_0)"), (3, "MOV", "")))
    kept = [each.address // 16 for each in sass.without_split_warps(code, {".L_0": 16, ".L_1": 48, ".L_2": 80})]
    case(kept == [0, 1, 2, 6], "the table of nvcc's code: not where lanes meet that have gone different ways", kept)
    rest = {"rest.cu": [loops.Loop(5, 1, 6, 7)]}
    own = {None: of(((6, "IMAD", ""), (6, "LDG.E", ""), (6, "FADD", ""), (9, "STG.E", ""))),
           (160, 240): of(((6, "LDG.E", ""), (6, "FADD", ""), (6, "LDG.E", ""), (7, "FADD", "")))}
    sass.without_rest(own, rest)
    case([each.name for each in own[None]] == ["IMAD", "STG"] and len(own[160, 240]) == 4,
         "the table of nvcc's code: not the rounds that unrolling leaves over", own)


def issued(name, folder, program, rows):
    """What the instructions of all warps take of a program's one kernel, by this table of nvcc's code."""
    with open(os.path.join(folder, "nvcc.txt"), "w", encoding="utf-8") as file:
        file.write(rows + "\n")
    run(name, program, "--estimate", "--json", "issued.json", cwd=folder,
        env={"CPU_DEVICE_NVCC": os.path.join(folder, "nvcc.txt")})
    with open(os.path.join(folder, "issued.json"), encoding="utf-8") as file:
        return json.load(file)["kernels"][0]["waits_for"]["instructions of all warps"]


def counts_branches(name, folder):
    """What stands under an if, or its else, is executed as often as some lane of a warp comes there."""
    branches, told = loops.branches_of(WAYS), {}
    case([tuple(branch) for branch in branches] ==
         [(7, True, 8, 8), (7, False, 10, 10), (12, True, 13, 14), (12, False, 15, 15), (14, True, 15, 15)],
         "the branches of a source: where their conditions end, and the lines that they decide about", branches)
    code = [sass.Instruction(16 * at, ("ways.cu", line), "", operation, operands) for at, (line, operation, operands) in
            enumerate(((7, "ISETP", ""), (7, "BRA", "`(.L_1)"), (8, "IADD3", ""), (8, "MUFU", ""),
                       (6, "BRA", "`(.L_0)")))]
    heads, found = {"ways.cu": loops.loops_of(WAYS)}, []
    for labels in ({".L_0": 0, ".L_1": 64}, {".L_0": 0, ".L_1": 48}):  # over all of the branch, or a half
        found.append([row[:3] + (row[3].partition(",")[0], row[4]) for row in
                      sass.executed(code, labels, heads, {"ways.cu": branches})])
    case(found == [[("", 0, "", "0", 0), ("ways.cu", 6, "round", "3", 1), ("ways.cu", 7, "taken", "2", 1)],
                   [("", 0, "", "0", 0), ("ways.cu", 6, "round", "5", 1)]],
         "the table of nvcc's code: what a jump passes over belongs to a branch, if that is nearly all of it", found)
    program = os.path.join(folder, "ways.cu")
    with open(program, "w", encoding="utf-8") as file:
        file.write(WAYS)
    for line, kind, times in ((7, "taken", 64), (7, "passed", 64), (12, "taken", 0.5), (12, "passed", 0.5),
                              (14, "taken", 0), (14, "passed", 0.5), (16, "taken", 0), (18, "taken", 0)):
        told[line, kind] = [issued(name, folder, program, row) for row in
                            (f"ways||0||{1 + int(1000 * times)}|code|0",
                             f"ways||0||1|code|0|0|0\nways|ways.cu|{line}|{kind}|1000|code|1|0|0")]
        case(told[line, kind][0] == told[line, kind][1] > 0,
             f"cuda-cpu --estimate: a branch is {kind} in line {line}, {times} times per warp", told)


def takes_code(name, folder, program):
    """Of one kernel as nvcc's code might have it: what a warp waits for, and what all of them do."""
    each = {}
    units = [",".join("3000000" if unit == busy else "0" for unit in range(6)) for busy in range(6)]
    for work in ("1000000,1000000,0", "1000000,8000000,0", *(f"1000000,1000000,{busy}" for busy in units)):
        with open(os.path.join(folder, "nvcc.txt"), "w", encoding="utf-8") as file:
            file.write(f"rows||0||{work}|code|0\n")
        run(name, program, "--estimate", "--json", "code.json", cwd=folder,
            env={"CPU_DEVICE_NVCC": os.path.join(folder, "nvcc.txt")})
        with open(os.path.join(folder, "code.json"), encoding="utf-8") as file:
            told = next(kernel for kernel in json.load(file)["kernels"] if kernel["kernel"] == "rows")["waits_for"]
        each[work] = told["instructions of a warp"], told["instructions of all warps"]
    (chain, issue), slow, *busy = each.values()
    case(all(unit == (chain, 3 * issue) for unit in busy) and abs(slow[0] / chain - 8) < 1e-6 and slow[1] == issue,
         "cuda-cpu --estimate: the cycles of nvcc's code, and those of each unit", each)


def same_addresses(name, folder):
    """What a cache holds depends on addresses: they are the same in each run, so that counters are."""
    said = [run(name, "place.cu", cwd=folder).out for _ in range(3)]
    case(said[0].startswith("0x") and said == said[:1] * 3, "cuda-cpu: device memory is at one place in each run", said)


def waits_for_answers(name, folder):
    """An atomic whose old value nobody takes has no answer to wait for, if a GPU has an instruction for that."""
    done = run(name, "answers.cu", "--estimate", "--json", "answers.json", cwd=folder)
    with open(os.path.join(folder, "answers.json"), encoding="utf-8") as file:
        waits = {kernel["kernel"]: kernel["waits_for"].get("atomics' answers", 0) > 0
                 for kernel in json.load(file)["kernels"]}
    case(waits == {"statements": False, "exchanges": True, "taken": True},
         "cuda-cpu --estimate: which atomics are waited for", f"{waits}\n{done}")


def estimates(name, folder):
    """What a change is estimated to bring is what a kernel with that change is estimated to take."""
    program = os.path.join(SOURCE, "check", "foreign", "program-estimate.cu")
    run(name, program, "--estimate", "--json", "run.json", cwd=folder)
    with open(os.path.join(folder, "run.json"), encoding="utf-8") as file:
        told = json.load(file)
    kernels = {kernel["kernel"]: kernel for kernel in told["kernels"]}
    each = {key: kernel["us"] / kernel["launches"] for key, kernel in kernels.items()}
    mended = {key: {mend["mend"]: mend["us"] / kernel["launches"] for mend in kernel["mends"]}
              for key, kernel in kernels.items()}
    for before, mend, after in (("columns", "coalesced", "rows"),
                                ("one_bank", "without bank conflicts", "all_banks")):
        case(abs(mended[before][mend] / each[after] - 1) < 0.05 and each[before] > 3 * each[after],
             f"cuda-cpu --estimate: {before} {mend} takes what {after} does", (each, mended))
    case(mended["one_word"]["with atomics on different lines"] < 0.01 * each["one_word"],
         "cuda-cpu --estimate: atomics on one line are what one_word waits for", mended["one_word"])
    case(kernels["one_bank"]["resident_blocks"] == 6 and
         kernels["one_bank"]["resident_limit"] == "shared memory" and kernels["rows"]["resident_blocks"] == 8,
         "cuda-cpu --estimate: blocks that are resident", kernels["one_bank"])
    with open(os.path.join(folder, "nvcc.txt"), "w", encoding="utf-8") as file:
        file.write("rows||0||255|registers|0\n")  # as sass.py writes it
    run(name, program, "--estimate", "--json", "many.json", cwd=folder,
        env={"CPU_DEVICE_NVCC": os.path.join(folder, "nvcc.txt")})
    with open(os.path.join(folder, "many.json"), encoding="utf-8") as file:
        rows = next(kernel for kernel in json.load(file)["kernels"] if kernel["kernel"] == "rows")
    case(rows["resident_blocks"] == 1 and rows["resident_limit"] == "registers" and
         any("one more block" in mend["mend"] for mend in rows["mends"]),
         "cuda-cpu --estimate: registers that nvcc gives a kernel", rows)
    takes_code(name, folder, program)
    waits_for_answers(name, folder)
    counts_rounds(name, folder)
    counts_branches(name, folder)
    case([key for key, kernel in kernels.items() if kernel["polls"]] == ["waits"],
         "cuda-cpu --estimate: threads that poll are told", kernels)
    parts = sum(kernel["us"] for kernel in kernels.values()) + told["queue_us"]
    case(abs(told["us"] / parts - 1) < 1e-9 and told["launches"] == 9 and
         told["least_us"] < told["us"] < told["most_us"], "cuda-cpu --estimate: the program is the sum", told)
    for kernel in [told, *kernels.values()]:
        times = [mend["us"] for mend in kernel["mends"]]
        case(times == sorted(times) and times, "cuda-cpu --estimate: the most gain first", kernel["mends"])
    machine = recorded.place("machine.json")
    same = run(name, program, f"--estimate={machine}", "--json", "same.json", cwd=folder)
    with open(os.path.join(folder, "same.json"), encoding="utf-8") as file:  # how often threads poll is left to chance
        case(same.status == 0 and [kernel for kernel in json.load(file)["kernels"] if not kernel["polls"]] ==
             [kernel for kernel in told["kernels"] if not kernel["polls"]], "cuda-cpu --estimate: by a machine file",
             same)
    run(name, program, "--estimate", "--sample", "132", "--json", "some.json", cwd=folder)
    with open(os.path.join(folder, "some.json"), encoding="utf-8") as file:
        some = {kernel["kernel"]: kernel["us"] / kernel["launches"] for kernel in json.load(file)["kernels"]}
    case(abs(some["rows"] / each["rows"] - 1) < 0.02, "cuda-cpu --estimate: of some blocks", (some, each))


def installed(folder):
    """The path of cuda-cpu as `meson install` leaves it, moved to another place."""
    meson = os.path.join(SOURCE, ".venv", "bin", "meson")
    done = run(meson if os.path.exists(meson) else "meson", "install", "-C", BUILD, "--no-rebuild",
               "--tags", "cuda-cpu", env={"DESTDIR": os.path.join(folder, "staged")})
    found = os.path.join(folder, "moved", "bin", "cuda-cpu")
    for top, _, names in os.walk(os.path.join(folder, "staged")):
        if os.path.basename(top) == "bin" and "cuda-cpu" in names:
            shutil.move(os.path.dirname(top), os.path.join(folder, "moved"))
            break
    case(done.status == 0 and os.path.exists(found), "cuda-cpu is installed", done)
    return found


# Stand in for a GPU's: nvcc makes a program that tells how it was called.
STAND_INS = {
    "nvidia-smi": "exit 0\n",
    "nvcc": """echo nvcc "$@" >&2
while [ "$1" != -o ]; do shift; done
printf '#!/bin/sh\\necho on the GPU: "$@"\\nexit "$1"\\n' >"$2"
chmod +x "$2"
""",
    "compute-sanitizer": """tool=$2 report=$6
shift 6
if [ $tool = racecheck ]; then
    echo a race >"$report"
    exit 99
fi
exec "$@"
""",
}


def on_gpu(folder):
    tools = os.path.join(folder, "tools")
    os.mkdir(tools)
    for name, text in STAND_INS.items():
        with open(os.path.join(tools, name), "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n" + text)
        os.chmod(file.name, 0o755)
    env = {"PATH": tools + os.pathsep + os.environ["PATH"]}
    done = run(BUILT, "clean.cu", "--gpu", "-O3", "-DN=1", "--", "5", "x", cwd=folder, env=env)
    case(done.status == 5 and done.out == "on the GPU: 5 x\n" and
         "nvcc -std=c++17 -arch=native -O3 -DN=1 -lineinfo clean.cu -o " in done.err,
         "cuda-cpu --gpu", done)
    done = run(BUILT, "clean.cu", "--gpu", "--check", "-arch=sm_90", "--", "0", cwd=folder, env=env)
    case(done.status == 1 and done.out == "on the GPU: 0\n" and "a race\n" in done.err and
         "--check: racecheck found something\n" in done.err and "native" not in done.err,
         "cuda-cpu --gpu --check", done)
    os.unlink(os.path.join(tools, "nvidia-smi"))
    if not shutil.which("nvidia-smi"):
        done = run(BUILT, "clean.cu", "--gpu", cwd=folder, env=env)
        case(done.status == 2 and "--gpu: this machine has no NVIDIA GPU" in done.err,
             "cuda-cpu --gpu without a GPU", done)


def without_libraries(folder):
    """What is said on a machine that has neither the vendor's headers nor the system's library."""
    kept, libraries.folders = libraries.folders, lambda: []
    used = libraries.Used(Command([os.path.join(folder, "library.cu")], False))
    libraries.folders = kept
    told = [library.how_to_install() for library in used.missing]
    case(len(told) == 2 and told[0].endswith("python3 -m pip install nvidia-cuda-cccl") and
         told[1].startswith("cuBLAS's headers are not here: "), "cuda-cpu: missing headers are named", told)
    try:
        used.missing[1].check_system(["false"])
        told = "nothing"
    except Stop as stop:
        told = str(stop)
    case(told == "cuBLAS runs over OpenBLAS, which is not here: sudo apt-get install libopenblas-dev",
         "cuda-cpu: a missing library is named", told)


def page(folder):
    os.environ["CPU_DEVICE_WORKERS"] = "1"  # as plots/record cpu
    for row in transcripts.ALL:
        if row.kind == "own":
            path = os.path.join(SOURCE, "plots", "devices", "cpu-device", "transcripts", row.name + ".txt")
            with open(path, encoding="utf-8") as file:
                recorded = file.read()
            text = "\n".join(part.rstrip("\n") for part in said.said_by_own(row)) + "\n"
            case(text == recorded, f"docs/own: {row.name} is as recorded", text)
    program = os.path.join(folder, "reduce8")
    done = build(os.path.join(SOURCE, "docs", "own", "reduce8.cu"), program, types=["f32", "i32"])
    for words in ("-n 100003 --check", "-n 2^16 -b 7 -t 96 --type i32 --input hostile", "-n 0"):
        if done.status == 0:
            done = run(program, *words.split(), "-r", 1, "-w", 0)
    case(done.status == 0 and " ok" in done.out, "docs/own/reduce8.cu is a step that verifies", done)


def main():
    os.environ["CPU_DEVICE_NVCC"] = ""  # counters as they are where there is no nvcc
    with tempfile.TemporaryDirectory() as folder:
        for name, text in FILES.items():
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        os.mkdir(os.path.join(folder, "folder"))
        refusals(BUILT, folder)
        without_libraries(folder)
        ends(BUILT, folder)
        plain_runs(BUILT, folder)
        tools(BUILT, folder)
        reads_once(BUILT, folder)
        reads_code()
        same_addresses(BUILT, folder)
        estimates(BUILT, folder)
        on_gpu(folder)
        name = installed(folder)
        for path in ("toolchain.json", "cuda-cpu"):
            place = os.path.join(folder, "moved", "lib", "cuda-cpu", path)
            with open(place, encoding="utf-8") as file:
                case(SOURCE not in file.read(), f"cuda-cpu: installed, {path} names no source")
        ends(name, folder)
        done = run(name, "clean.cu", "--estimate", cwd=folder)
        case(done.status == 0 and "1 twice" in done.err and "program: 1 launch, " in done.err,
             "cuda-cpu: installed, it estimates", done)
        done = run(name, "clean.cu", "-cubin", cwd=folder)
        case(done.status == 0 and os.path.exists(os.path.join(folder, "clean.cubin")),
             "cuda-cpu: installed, it makes a module", done)
        done = run(STEPS_CUDA, "clean.cu", "--build", BUILD, "--counters", cwd=folder)
        case(done.status == 0 and done.out == "42 1\n" and "1 twice" in done.err, "steps/cuda", done)
        done = run(STEPS_CUDA, "--help")
        case(done.status == 0 and "--build DIR" in done.out and "steps/cuda FILE" in done.out and
             "--estimate[=MACHINE]" in done.out, "steps/cuda --help", done)
        page(folder)
    leave()


if __name__ == "__main__":
    main()
