"""
In place of ncu, for cases/launches: runs a step on the CPU device, and prints what it counted there as Nsight Compute
prints it. PLANTED in the environment is added to each count of global loads.
"""
import csv
import os
import subprocess
import sys
import tempfile

from common.commands.drive import counters


def main():
    metrics = sys.argv.index("--metrics")
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "log.csv")
        subprocess.run([*sys.argv[metrics + 2:], "--counters", "--log", log], check=True)
        with open(log[:-4] + "-counters.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
    out = csv.writer(sys.stdout, quoting=csv.QUOTE_ALL)
    names = [metric for _, several in counters.METRICS for metric in several.split(",")]
    out.writerow(["Kernel Name", "Grid Size", "Block Size", *names])
    out.writerow([""] * (3 + len(names)))  # the units
    for row in rows:
        counts = []
        for column, several in counters.METRICS:
            more = int(os.environ.get("PLANTED", "0")) if column == "global_load_requests" else 0
            counts += [f"{int(row[column]) + more:,}"] + ["0"] * several.count(",")
        for _ in range(int(row["launches"])):
            out.writerow([f"void {row['kernel']}(float *)", *(f"({row[side].replace('x', ', ')}, 1, 1)"
                                                             for side in ("grid", "block")), *counts])


if __name__ == "__main__":
    main()
