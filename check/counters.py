"""What gpu-counters and cases/counters share: the list of what is counted, and the columns."""
import csv
import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))

METRICS = [  # our column, Nsight Compute's metric
    ("global_load_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"),
    ("global_load_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"),
    ("global_store_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"),
    ("global_store_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"),
    ("shared_load_instructions", "smsp__sass_inst_executed_op_shared_ld.sum"),
    ("shared_load_wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"),
    ("shared_store_instructions", "smsp__sass_inst_executed_op_shared_st.sum"),
    ("shared_store_wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"),
]
COLUMNS = ["step", "options", "kernel", "grid", "block", "launches"] + [m[0] for m in METRICS]


def cases():
    """The lines of counters.txt as (step, list of options)."""
    with open(os.path.join(HERE, "counters.txt")) as f:
        for line in f:
            words = line.split("#")[0].split()
            if words:
                yield words[0], words[1:]


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


def read(path):
    with open(path, newline="") as f:
        return list(csv.DictReader(f))
