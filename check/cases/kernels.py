"""
The counters of the kernels in plots/ncu/, which are of the kinds that books and samples have, against
those that Nsight Compute read on a GPU, row by row: a row for each kernel, grid and block. They are
counted twice:

    as nvcc's code does, by the table plots/ncu/nvcc.txt: at least 95 % of the rows are equal, of the
    accesses to memory and of the arithmetic, and those that are not stand in the record's kernels-known.txt with
    their cause; one there that has come to be equal is a failure
    by the source alone, as where there is no nvcc: each row that differs is marked, nvcc may differ, or
    known; and of the accesses most are equal
"""
import os
import tempfile

from common.commands.drive import counters
from common.commands.drive.building import sources
from common.commands.drive.support import BUILD, SOURCE, case, leave, parallel, rows_of, run, unrecorded
from plots import recorded

CUDA_CPU = os.path.join(BUILD, "common", "commands", "cuda-cpu")
RECORD = recorded.place("kernels.csv")
TABLE = os.path.join(SOURCE, "plots/ncu/nvcc.txt")
KNOWN = recorded.place("kernels-known.txt")
ARITHMETIC = [column for column, _ in counters.ARITHMETIC]
MEMORY = [column for column, _ in counters.METRICS if column not in ARITHMETIC]
COLUMNS = MEMORY + ARITHMETIC
EQUAL, EQUAL_ALONE = 0.95, 0.70  # of the rows, at least


def key_of(row):
    return row["program"], row["kernel"], row["grid"], row["block"]


def counts_of(row, columns):
    return [int(row[column]) for column in columns]


def are_equal(ours, theirs, columns=COLUMNS):
    return counts_of(ours, columns) == counts_of(theirs, columns)


def known():
    """{(program, kernel, grid, block): cause}, from lines 'program|kernel|grid|block|cause'"""
    with open(KNOWN, encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("|") for line in file if line.strip() and line[0] != "#"]
    return {tuple(what): cause for *what, cause in rows}


def count(source):
    """The run, and the rows counted as nvcc's code does and by the source alone: {key: row} each."""
    name = os.path.splitext(os.path.basename(source))[0]
    found = []
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, name)
        done = run(CUDA_CPU, source, "-o", program)
        for table in (TABLE, ""):
            log = os.path.join(folder, f"log{len(found)}.csv")
            if done.status == 0:
                done = run(program, env={"CPU_DEVICE_TOOLS": "counters", "CPU_DEVICE_LOG": log,
                                         "CPU_DEVICE_NVCC": table})
            rows = rows_of(log[:-4] + "-counters.csv")
            found.append({(name, counters.base_name(row["kernel"]), row["grid"], row["block"]): row
                          for row in rows})
    return done, *found


def details(ours, theirs):
    """What is counted otherwise."""
    return "\n".join(f"{column}: {a} here, {b} on the GPU" for column, a, b in
                     zip(COLUMNS, counts_of(ours, COLUMNS), counts_of(theirs, COLUMNS))
                     if a != b)


def main():
    there = {key_of(row): row for row in rows_of(RECORD)}
    causes, equal, equal_arithmetic, equal_alone = known(), 0, 0, 0
    for done, guided, alone in parallel(count, sources("plots/ncu")):
        case(done.status == 0 and "WRONG" not in done.out, f"{done.command[0]} runs", done)
        for key, row in guided.items():
            text = f"counters of {' '.join(key)}"
            if key not in there:
                unrecorded(text, "plots/record gpu DIR counters")
                continue
            if not case(key in alone, f"{text}: without nvcc, too", alone):
                continue
            equal += are_equal(row, there[key], MEMORY)
            equal_arithmetic += are_equal(row, there[key], ARITHMETIC)
            case(are_equal(row, there[key]) != (key in causes), text + (f": differs, as known: {causes[key]}"
                                                  if key in causes else ""),
                 details(row, there[key]))
            equal_alone += are_equal(alone[key], there[key], MEMORY)
            case(are_equal(alone[key], there[key]) or key in causes or alone[key]["nvcc_may_differ"] == "1",
                 f"{text}, without nvcc: equal or marked", details(alone[key], there[key]))
    case(equal >= EQUAL * len(there), f"{equal} of {len(there)} rows are as on the GPU")
    case(equal_arithmetic >= EQUAL * len(there),
         f"{equal_arithmetic} of {len(there)} rows are, in their arithmetic")
    case(equal_alone >= EQUAL_ALONE * len(there),
         f"{equal_alone} of {len(there)} rows are, without nvcc")
    for key in set(causes) - set(there):
        case(False, f"kernels-known.txt names what is counted: {' '.join(key)}")
    leave()


if __name__ == "__main__":
    main()
