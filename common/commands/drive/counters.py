"""
What gpu-counters, gpu-kernels and their cases share: what is counted, the columns, and how Nsight
Compute is asked. Sizes are small, since a profiler runs each kernel several times; the steps declare
them ("counted" in --describe).
"""
import csv
import io
import re
import subprocess

from common.commands.drive.shapes import broken, chosen, counted
from common.commands.drive.support import describe, steps

METRICS = [  # our column, Nsight Compute's metric, or several that it is the sum of
    ("global_load_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"),
    ("global_load_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"),
    ("global_store_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"),
    ("global_store_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"),
    ("shared_load_instructions", "smsp__sass_inst_executed_op_shared_ld.sum"),
    ("shared_load_wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"),
    ("shared_store_instructions", "smsp__sass_inst_executed_op_shared_st.sum"),
    ("shared_store_wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"),
    # with the old value (atom) and without it (red)
    ("global_atomic_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum,"
                               "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum"),
    ("global_atomic_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum,"
                              "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum"),
    ("shared_atomic_instructions", "smsp__sass_inst_executed_op_shared_atom.sum"),
    ("shared_atomic_wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum"),
]
# Of threads.
ARITHMETIC = [
    ("flops_fma", "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"),
    ("flops_add", "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum"),
    ("flops_mul", "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum"),
]
METRICS += ARITHMETIC
COLUMNS = ["step", "options", "kernel", "grid", "block", "launches"] + [m[0] for m in METRICS]
KERNEL_COLUMNS = ["program"] + COLUMNS[2:]
ONCE = ("-r", "1", "-w", "0", "-q")  # how a step runs that is counted


def cases(name):
    """What is counted of a step, as options: those of its line, and -v where another variant, which
    is not to be counted, would run too."""
    for line, names in counted(name):
        runs = [v["name"] for v in describe(name)["variants"] if not broken(name, v, line)]
        yield line if names == runs else f"{line} {chosen(names)}"


def all_cases():
    """(step, options) of every step."""
    return [(name, options) for name in steps() for options in cases(name)]


def recorded_columns(rows):
    """Those of the counters that all rows of a record have."""
    return [column for column, _ in METRICS if all(row.get(column) for row in rows)]


def base_name(kernel):
    """sum_tree of 'void sum_tree<256>(float *, ...)', however a tool spells the kernel."""
    name = re.sub(r"\(.*", "", kernel.replace("(anonymous namespace)::", ""))
    depth, kept = 0, ""
    for c in name:
        depth += c == "<"
        if depth == 0:
            kept += c
        depth -= c == ">"
    return kept.split()[-1].split("::")[-1]


def fold(rows):
    """Rows (kernel, grid, block, counts...) of single launches, equal ones counted, in a fixed
    order: {key: launches}."""
    folded = {}
    for row, launches in rows:
        folded[row] = folded.get(row, 0) + launches
    return folded


def shape(sides):
    """32x8 of '(32, 8, 1)': without the ones at the end."""
    sides = [side.strip() for side in sides.strip("() ").split(",")]
    while len(sides) > 1 and sides[-1] == "1":
        sides.pop()
    return "x".join(sides)


def profile(*command, limit=None):
    """The launches of one program, on a GPU: [((kernel, grid, block, count, ...), 1), ...]. limit: seconds, after which
    ncu is ended, and the program with it."""
    within = ["timeout", "-k", "5", str(limit)] if limit else []
    done = subprocess.run([*within, "ncu", "--csv", "--page", "raw", "--print-kernel-base", "demangled",
                           "--clock-control", "none", "--cache-control", "none", "--metrics",
                           ",".join(metric for _, metric in METRICS), *command],
                          capture_output=True, text=True, check=False)
    lines = [line for line in done.stdout.splitlines() if line.startswith('"')]
    rows = list(csv.DictReader(io.StringIO("\n".join(lines))))
    if len(rows) < 2:
        raise RuntimeError(f"status {done.returncode}: {(done.stdout + done.stderr).strip().splitlines()[-1:]}")
    return [((base_name(row["Kernel Name"]), shape(row["Grid Size"]), shape(row["Block Size"]),
              *(sum(int(float(row[metric].replace(",", ""))) for metric in metrics.split(","))
                for _, metrics in METRICS)), 1)
            for row in rows[1:]]  # the first holds the units


def of_step(program, options, limit=None):
    """The same of a step with a line of options, without the harness's own and those that only verify."""
    return [launch for launch in profile(program, *options.split(), *ONCE, limit=limit)
            if not launch[0][0].startswith(("harness_", "verify_"))]
