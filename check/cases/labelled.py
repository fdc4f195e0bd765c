"""
plots/record checked: a small corpus with the names of ScoR is run, stopped and gone on with; its table is what its
programs are. Kernels without a main get one. Each program of plots/checked that differs from its label has a reason.
"""
import csv
import os
import tempfile

from common.commands.drive.support import BUILD, SOURCE, case, leave, run
from plots import labelled
from plots.makers.checked import indigo, indigo3, kernels

RECORD = os.path.join(SOURCE, "plots", "record")
RACE = """#include <cuda_runtime.h>
__global__ void kernel(int *x) { *x = threadIdx.x; }
int main() { int *x; cudaMalloc(&x, 4); kernel<<<1, THREADS>>>(x); return cudaDeviceSynchronize(); }
"""
PROGRAMS = {"race_two.cu": RACE.replace("THREADS", "2"), "norace_one.cu": RACE.replace("THREADS", "1"),
            "race_none.cu": RACE.replace("THREADS", "1"), "norace_broken.cu": "int main( { }\n",
            "race_endless.cu": "int main() { for (volatile int i = 0;; i++) ; }\n"}
EXPECTED = ["norace_broken clean  0 not compiled", "norace_one clean  0 ok", "race_endless race  0 limit",
            "race_none race  0 ok", "race_two race race 1 ok"]


def put(folder, name, text):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def corpus(scratch):
    for name, text in PROGRAMS.items():
        put(scratch, os.path.join("dir", "microbenchmarks", "src", name), text)
    table = os.path.join(scratch, "table.csv")
    command = [RECORD, "checked", "scor", os.path.join(scratch, "dir"), "--build", BUILD, "--limit", 3, "--out", table]
    done = run(*command)
    with open(table, encoding="utf-8") as file:
        found = [" ".join(row) for row in csv.reader(file)][1:]
    case(done.status == 0 and found == EXPECTED, "checked: the verdicts of a small corpus", f"{done}\n{found}")
    put(scratch, os.path.join("dir", "microbenchmarks", "src", "race_none.cu"), RACE.replace("THREADS", "3"))
    done = run(*command)
    with open(table, encoding="utf-8") as file:
        again = [" ".join(row) for row in csv.reader(file)][1:]
    case([row for row in again if row not in found] == ["race_none race race 1 ok"],
         "checked: a program that has changed is run again", f"{done}\n{again}")
    verdicts = [labelled.Verdict(*row.split(" ")[:2], "", "0", "ok") for row in found]
    case([labelled.differs(v) for v in verdicts] == [False, False, True, True, True],
         "checked: what differs from its label", verdicts)


def bad_usage(scratch):
    for words, said in ((["nothing", scratch], "CORPUS nothing: must be one of"),
                        (["scor", "/nowhere"], "no such folder"),
                        (["scor", scratch, "--jobs", "0"], "--jobs 0"), (["scor"], "DIR"),
                        (["indigo", scratch], "has no Generators")):
        done = run(RECORD, "checked", *words, "--build", BUILD)
        case(done.status == 2 and said in done.err and len(done.err.splitlines()) == 1,
             f"checked: {' '.join(words[:1] + words[2:])}: refused", done)


def kernels_alone(scratch):
    text = ("//pass\n//--blockDim=[8,2] --gridDim=3\n__shared__ int s[4];\n"
            "template <class T> __global__ void k(T *x, int n) {\n__requires(n == 5);\n"
            "if (n != 5) x[threadIdx.x / 2] = 1; }\n")
    made = kernels.with_main(text, 64)
    path = put(scratch, "made.cu", made)
    done = run(os.path.join(BUILD, "common", "commands", "cuda-cpu"), path, "--check", "--", "40", "1")
    case(done.status == 0 and "dim3(3, 1, 1), dim3(8, 2, 1)" in made and "nothing found" in done.err,
         "checked: a kernel alone gets a main, its shape and its values", f"{done}\n{made}")
    done = run(os.path.join(BUILD, "common", "commands", "cuda-cpu"),
               put(scratch, "racy.cu", kernels.with_main(text.replace("(n == 5)", "(n == 6)"), 64)), "--check")
    case(done.status == 1 and "race: " in done.err, "checked: and its race is found", done)


def labels():
    found = [indigo.labels(name) for name in ("push_cond_atomicBug_boundsBug", "push_guardBug", "pull_boundsBug",
                                              "pull")]
    case(found == ["race bounds", "race", "bounds", "clean"], "checked: the labels of Indigo", found)
    found = indigo3.bugs("BFS_NbrBoundsBug_NoFieldBug_RaceBug")
    case(found == ["NbrBoundsBug", "RaceBug"], "checked: the bugs of Indigo3", found)


def main():
    with tempfile.TemporaryDirectory() as scratch:
        corpus(scratch)
        bad_usage(scratch)
        kernels_alone(scratch)
    labels()
    faults = labelled.unexplained()
    case(not faults, "checked: each difference has its reason, each reason a difference", "\n".join(faults))
    leave()


if __name__ == "__main__":
    main()
