"""
--estimate. What it says, and refuses; what it costs; and its record against the log of an H200: the mean
error, the worst row, and the order of variants, and that the range and the least difference that are told are
the record's. The record is made anew for one size, and must be the same.
"""
import json
import math
import os
import re
import resource
import shutil
import tempfile

from plots.makers.cpu import estimates
from common.commands.drive.support import SOURCE, case, leave, parallel, rows_of, run, step
from plots.estimates import APART, tables
from plots.family import Family

with open(os.path.join(SOURCE, "common/harness/run/estimate.h"), encoding="utf-8") as header:
    RANGE = float(re.search(r"#define ESTIMATE_RANGE (\S+)", header.read())[1])

# Of all rows; of those from 2^20 on, as the worst; of pairs.
MEAN, MEAN_LARGE, WORST, IN_ORDER = 0.06, 0.07, 0.3, 0.95
MEAN_PRODUCTS = 0.1  # of products of matrices
AGAIN = str(estimates.SIZES[0])
MOST_COST = 4  # times a run with counters off
WITHIN = 0.8   # of the rows lie in the range that is told
DEVICE = {"name": "Some GPU", "compute_capability": "9.0", "multiprocessors": 100,
          "threads_per_multiprocessor": 2048, "blocks_per_multiprocessor": 32,
          "registers_per_multiprocessor": 65536, "shared_bytes_per_multiprocessor": 233472,
          "reserved_shared_bytes_per_block": 1024, "clock_mhz": 1000}
NUMBERS = {  # of a device that is easy to reckon with
    "first_operation": (5000, "us"), "next_operation": (100, "us"), "block_start": (0.001, "ns"),
    "wide_block_start": (0.001, "ns"),
    "dram_read": (1e9, "GB/s"), "dram_write": (1e9, "GB/s"), "l2_read": (1e9, "GB/s"),
    "line_stores": (1e9, "stores/ns"), "dram_latency": (2e6, "ns"), "l2_latency": (1e6, "ns"),
    "l1_latency": (0.001, "ns"), "shared_latency": (0.001, "ns"), "dependent_step": (1e-6, "ns"),
    "block_barrier": (0.001, "ns"), "atomic_latency": (0.001, "ns"),
    "fence": (0.001, "ns"), "same_address_atomic": (1e-6, "ns"),
    "same_address_integer": (1e-6, "ns"),
    "issue_rate": (1e9, "instructions/ns"), "f32_rate": (1e15, "GFLOP/s")}


def write_machine(path, l2_bytes=1e9, **changed):
    """A machine file; changed: numbers, as (value, unit), or None for one that is left out."""
    numbers = {name: {"value": value[0], "unit": value[1], "spread": 0, "how": "for a test"}
               for name, value in {**NUMBERS, **changed}.items() if value}
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"device": {**DEVICE, "l2_bytes": l2_bytes}, "measured": {}, "numbers": numbers}, file)


def reckoned(folder):
    """By hand: on a device where nothing takes time but launches and trips to L2."""
    path, log = os.path.join(folder, "machine.json"), os.path.join(folder, "log.csv")
    write_machine(path)
    # A thread loads 2^18 / (16 * 256) = 64 elements, each in a round; the second launch has one each.
    done = run(step("reduce2"), "-n", "2^18", "-b", 16, "-t", 256, "-v", "sequential",
               f"--estimate={path}", "--log", log)
    rows = rows_of(log[:-4] + "-estimates.csv")
    us = float(rows[0]["estimated_us"]) if rows else -1
    case(done.status == 0 and abs(us - (5000 - 1000 + 64 * 1000 + 1000 + 100)) < 1,
         "reduce2: 64 trips to L2, one more, the first operation less its trip, and the next", f"{done}\n{us}")
    line = next((line for line in done.out.splitlines() if "estimated" in line), "")
    case("estimated for Some GPU from counters, not measured" in line and
         "waits for latency of L2" in line, "the line names the machine, and what is waited for", line)
    # A matrix of 2^20 elements: one block of 32 x 8 threads for each 8192, one trip each; of 1 KiB of L2
    # all of its bytes come from DRAM.
    write_machine(path, l2_bytes=1024)
    done = run(step("transpose-naive"), "-n", "512x512", "-v", "writes-coalesced", "-q",
               f"--estimate={path}", "--log", log)
    us = float(rows_of(log[:-4] + "-estimates.csv")[-1]["estimated_us"])
    case(abs(us - (5000 - 1000 + 2000 * max(1, 1024 / 800))) < 1,
         "transpose-naive: 1024 blocks in 1.28 waves of 800, a trip to DRAM each", us)


def places(folder):
    """Of blocks, on a device where nothing else takes time: the next of 1024 threads begins 100 us after an empty one,
    because a multiprocessor starts one in 50, and has two."""
    path, log = os.path.join(folder, "machine.json"), os.path.join(folder, "places-log.csv")
    write_machine(path, first_operation=(0.001, "us"), dram_latency=(0.001, "ns"), l2_latency=(0.001, "ns"),
                  wide_block_start=(5e4, "ns"))
    for side, blocks in ((512, 1024), (1024, 4096)):
        done = run(step("transpose-naive"), "-n", f"{side}x{side}", "-v", "writes-coalesced", f"--estimate={path}",
                   "--log", log)
        us = float(rows_of(log[:-4] + "-estimates.csv")[-1]["estimated_us"])
        case(abs(us - 100 * (blocks / 800 - 1)) < 1, f"transpose-naive: {blocks} blocks in places for 800",
             f"{us}\n{done}")


def registers(folder):
    """A product's kernel of many registers has fewer blocks resident: 1024 blocks on 100 multiprocessors, in whole
    waves, on a device where nothing takes time but one instruction after the other."""
    path, log, chain = os.path.join(folder, "machine.json"), os.path.join(folder, "registers-log.csv"), None
    write_machine(path, l2_latency=(0.001, "ns"), dependent_step=(6400, "ns"))
    os.mkdir(os.path.join(folder, "nvcc"))
    for of, kernel, count, resident in (("sgemm-tiled", "sgemm_tile16", 32, 8), ("sgemm-tiled", "sgemm_tile16", 64, 4),
                                        ("sgemm-tiled", "sgemm_tile16", 65, 3), ("sgemm-tiled", "sgemm_tile32", 64, 8),
                                        ("sgemm", "sgemm_tile16", 64, 8)):
        table = os.path.join(folder, "nvcc", of + ".txt")
        with open(table, "w", encoding="utf-8") as file:
            file.write(f"{kernel}||0||{count}|registers|0\n")
        done = run(step("sgemm-tiled"), "-n", "512x512x16", "-v", "tile16", "-q", f"--estimate={path}", "--log", log)
        us = float(rows_of(log[:-4] + "-estimates.csv")[-1]["estimated_us"]) - 5000
        chain = chain or us / 2  # of a block
        case(abs(us / chain / math.ceil(1024 / (100 * resident)) - 1) < 0.001,
             f"sgemm-tiled, nvcc/{of}.txt with {count} registers of {kernel}: {resident} blocks per multiprocessor",
             f"{done}\n{us}")
        os.unlink(table)


def refused(folder):
    path = os.path.join(folder, "machine.json")
    for changed, words in (({"l2_latency": None}, ["l2_latency", "missing"]),
                           ({"l2_latency": (-1, "ns")}, ["l2_latency", "above 0"]),
                           ({"l2_latency": (1, "us")}, ["l2_latency", "must be in ns"])):
        write_machine(path, **changed)
        done = run(step("reduce2"), "-n", "2^16", f"--estimate={path}")
        case(done.status == 2 and len(done.err.splitlines()) == 1 and
             all(word in done.err for word in words), f"a machine file: {' '.join(words)}", done)
    write_machine(path)
    done = run(step("reduce2"), "-n", 1000, f"--estimate={path}")
    case(done.status == 0 and "not estimated for Some GPU: below 2^16" in done.out,
         "1000 elements are not estimated", done)
    done = run(step("histogram-shared"), "-n", "2^16", "-v", "atomic", f"--estimate={path}")
    case(done.status == 0 and "not estimated for Some GPU: its addresses depend on the data" in done.out,
         "addresses that depend on the data are not estimated", done)
    done = run(step("scan-lookback"), "-n", "2^16", "-v", "lookback", f"--estimate={path}")
    case(done.status == 0 and "at least" in done.out and "wait for each other" in done.out,
         "blocks that wait for each other get a bound", done)


def extended(folder):
    """Sizes above 2^22 go on as the smaller ones do, or are refused."""
    path, log = os.path.join(folder, "machine.json"), os.path.join(folder, "extended.csv")
    write_machine(path)
    # 2^26 / (1024 * 256) = 256 trips of each thread; 4 of the second launch, of which few blocks show but one
    done = run(step("reduce2"), "-n", "2^26", "-b", 1024, "-t", 256, "-v", "sequential", "-q",
               f"--estimate={path}", "--log", log)
    row = (rows_of(log[:-4] + "-estimates.csv") or [{}])[-1]
    waves = 1024 / 800
    us = 5000 - 1000 + waves * 256 * 1000 + 4 * 1000 + 100
    case(done.status == 0 and row.get("kind") == "extended" and row["n"] == str(2**26) and
         abs(float(row["estimated_us"]) / us - 1) < 0.01,
         "reduce2, 2^26 elements: extended from smaller sizes", f"{done}\n{row}\n{us}")
    case(not os.path.exists(log), "what was counted in their place is in no log")
    for name, words, why in (
            ("reduce0", ["-n", "2^24"], "its launches are others at each size"),
            ("transpose-naive", ["-n", "16384", "-v", "rows"], "leave threads of the grid idle"),
            ("sgemm-registers", ["-n", "1000"], "its sides are not whole tiles"),
            ("sgemm-streamk", ["-n", "1024", "-v", "cut"], "its blocks wait for each other")):
        done = run(step(name), *words, f"--estimate={path}")
        case(why in done.out and done.status == 0 and "measured:" not in done.out,
             f"{name} {' '.join(words)}: {why}", done)


def products_of(folder):
    """Of matrices, by those of few tiles: on a device where nothing takes time but multiply-adds, and then
    instructions."""
    path, log = os.path.join(folder, "machine.json"), os.path.join(folder, "products.csv")
    fast = {"l2_latency": (0.001, "ns"), "dram_latency": (0.001, "ns")}
    told = []
    for changed in ({"f32_rate": (1e3, "GFLOP/s")}, {"f32_rate": (1e3, "GFLOP/s"), "dependent_step": (64, "ns")},
                    {"f32_rate": (1e3, "GFLOP/s"), "dependent_step": (6400, "ns")}):
        write_machine(path, **fast, **changed)
        done = run(step("sgemm-registers"), "-n", "1024x2048x512", "-v", "split", "-q", f"--estimate={path}",
                   "--log", log)
        rows = rows_of(log[:-4] + "-estimates.csv")
        told.append(float(rows[-1]["estimated_us"]) if done.status == 0 and len(rows) == len(told) + 1 else -1)
    us = 5000 + 2 * 1024 * 2048 * 512 / 1e6
    case(abs(told[0] / us - 1) < 0.005,
         "sgemm-registers: two operations for each multiply-add, extended from few tiles",
         f"{done}\n{told} {us}")
    # A thread makes 64 elements: so many instructions need not wait for each other.
    case(told[1] == told[0] and told[2] - 5000 > 1.5 * (told[0] - 5000),
         "sgemm-registers: a result is waited for by one of 64 instructions", told)


def machine_code(folder):
    """Of products nvcc's code counts, where it is recorded beside the machine file: on a device where nothing takes
    time but instructions, and on one where trips to L2 do."""
    path, log, table = (os.path.join(folder, name) for name in ("machine.json", "code.csv", "nvcc/sgemm-naive.txt"))
    with open(os.path.join(SOURCE, "steps/sgemm-naive/sgemm-naive.cu"), encoding="utf-8") as file:
        line = next(at for at, text in enumerate(file, 1) if "sum +=" in text)

    def microseconds(name, *words):
        done = run(step(name), *words, "-q", f"--estimate={path}", "--log", log)
        return float((rows_of(log[:-4] + "-estimates.csv") or [{}])[-1].get("estimated_us", -1)) - 5000, done

    with open(table, "w", encoding="utf-8") as file:  # 100 instructions for each load
        file.write(f"sgemm_rows|sgemm-naive.cu|{line}|global load|4|inside|8\nsgemm_rows||0||0,0|code|0\n"
                   f"sgemm_rows|sgemm-naive.cu|{line}|global load|800,0|code|8\n")
    write_machine(path, l2_latency=(0.001, "ns"), issue_rate=(1, "instructions/ns"))
    us, done = microseconds("sgemm-naive", "-n", 512, "-v", "rows")
    case(abs(us / (100 * 2 * 512**3 / 32 / 100 / 1000) - 1) < 0.01,
         "sgemm-naive: 100 instructions for each of two loads, as its table has them", f"{done}\n{us}")
    os.unlink(table)
    write_machine(path, l2_bytes=1)
    us, done = microseconds("sgemm-naive", "-n", 512, "-v", "rows")
    case(1 <= us / (2 * 512 * 1000) < 1.2, "sgemm-naive: 512 trips in two waves, nearly all of them to L2, which has "
         "what other blocks have read", f"{done}\n{us}")
    write_machine(path)
    for name in ("sgemm-pipelined", "sgemm-shapes"):
        by_rule, done = microseconds(name, "-n", 1024)
        shutil.copy(os.path.join(os.path.dirname(estimates.MACHINE), "nvcc", name + ".txt"), os.path.dirname(table))
        by_code, again = microseconds(name, "-n", 1024)
        case(by_rule > 0 and abs(by_code / by_rule - 1) < 0.001,
             f"{name}: by nvcc's code its asynchronous copies wait as often as by the rule",
             f"{done}\n{by_rule}\n{again}\n{by_code}")


def ladder():
    """A speed-up over a step of which a variant is not estimated is at most that."""
    told = {"family": "f", "title": "", "measure": "gb_per_s", "axes": [], "charts": [], "types": []}
    family = Family(told)
    for name, variants in (("one", ["slow", "fast"]), ("two", ["only"])):
        family.take({**told, "step": name, "variants": [{"name": variant} for variant in variants]})
    rows = [{"step": name, "variant": variant, "n": "1024", "device": "G", "kind": "estimate", "estimated_us": us,
             "least_us": us, "most_us": us, "gb_per_s": "", "waits_for": "w", "part_us": "1", "then_for": "t",
             "then_us": "1"} for name, variant, us in
            (("one", "slow", "8"), ("one", "fast", "4"), ("two", "only", "1"))]
    for chosen, words in ((rows, "4.00x"), ([rows[0], rows[2]], "at most 8.00x")):
        cells = [cells for _, _, cells in tables(chosen, family)][0]
        case(cells[-1][-2] == words, f"the ladder of estimates: {words} the step before", cells)


def cost():
    """Of a run, --estimate takes at most so many times that of one without counters; the least of three."""
    words = [step("scan-blelloch"), "-n", "2^18", "-b", 1056, "-t", 256, "-v", "padded", "-r", 1, "-w", 0, "-q"]

    def seconds(*more):
        def once():
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            run(*words, *more)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            return after.ru_utime - before.ru_utime
        return min(once() for _ in range(3))

    off, on = seconds(), seconds(f"--estimate={estimates.MACHINE}")
    case(on <= MOST_COST * off, f"--estimate takes {on / off:.1f} times a run with counters off",
         f"at most {MOST_COST}: {on:.2f} s, {off:.2f} s")


def told(rows):
    """The range, and what is called no difference, are the record's."""
    off = [abs(error) for error, _ in estimates.errors(rows)]
    share = sum(1 for error in off if error <= RANGE) / len(off)
    case(share >= WITHIN, f"{100 * share:.0f} % of the rows are within the range of {100 * RANGE:.0f} %")
    right, every = estimates.pairs_told(rows, APART)
    case(right >= 0.95 * every, f"of estimates {APART} times apart {right} of {every} are in the log's order")


def again(rows):
    """The record of one size is what this build estimates, by one worker, as there: the order in which blocks
    end can make a warp do an instruction more."""
    os.environ["CPU_DEVICE_WORKERS"] = "1"
    chosen = [row for row in estimates.estimated(rows) if row["n"] == AGAIN]
    for row, (found, done) in zip(chosen, parallel(estimates.estimate,
                                                   map(estimates.key_of, chosen))):
        case(isinstance(found, dict) and found["estimated_us"] == row["estimated_us"],
             f"{row['step']} {row['variant']}, {AGAIN} elements: as recorded",
             f"{done}\n{row}\n{found}")


def against_the_log(rows):
    off = estimates.errors(rows)
    large = [abs(error) for error, row in off if int(row["n"]) >= 2**20]
    case(sum(large) / len(large) <= MEAN_LARGE,
         f"{len(large)} rows from 2^20 on: the mean error is {100 * sum(large) / len(large):.1f} %",
         f"at most {100 * MEAN_LARGE:.0f} %")
    mean = sum(abs(error) for error, _ in off) / len(off)
    case(mean <= MEAN, f"{len(off)} rows of the log: the mean error is {100 * mean:.1f} %",
         f"at most {100 * MEAN:.0f} %")
    products = [abs(error) for error, row in off if row["depth"]]
    case(sum(products) / len(products) <= MEAN_PRODUCTS,
         f"{len(products)} products of matrices: the mean error is {100 * sum(products) / len(products):.1f} %",
         f"at most {100 * MEAN_PRODUCTS:.0f} %")
    worst = next(pair for pair in off if int(pair[1]["n"]) >= 2**20)
    case(abs(worst[0]) <= WORST, f"from 2^20 on the worst is {100 * worst[0]:+.0f} %",
         f"at most {100 * WORST:.0f} %: {worst[1]}")
    right, every = estimates.pairs(rows)
    case(right >= IN_ORDER * every, f"{right} of {every} pairs of variants are in the log's order",
         f"at least {100 * IN_ORDER:.0f} %")


def main():
    with tempfile.TemporaryDirectory() as folder:
        reckoned(folder)
        places(folder)
        registers(folder)
        extended(folder)
        products_of(folder)
        machine_code(folder)
        refused(folder)
    ladder()
    rows = rows_of(estimates.RECORD)
    if not os.path.exists(estimates.MACHINE):
        print("ok - estimates against the log # skip there is no machine file of an H200")
    elif case(rows, "estimates: a record", "plots/record cpu makes it"):
        cost()
        against_the_log(estimates.estimated(rows))
        told(estimates.estimated(rows))
        again(rows)
    leave()


if __name__ == "__main__":
    main()
