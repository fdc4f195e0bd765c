"""What compute-sanitizer says of each mistake in verdicts/verdicts.cu.

usage: plots/makers/gpu/verdicts.py BUILD OUTPUT.csv

BUILD is a build for CUDA, whose libraries the program is linked with. One row a mistake: its name
and, for memcheck, racecheck, initcheck and synccheck, found or clean. Exit status: 0, 2 bad usage,
3 a tool is missing or failed.
"""
import concurrent.futures
import csv
import os
import re
import subprocess
import sys
import tempfile

if len(sys.argv) != 3:
    print(__doc__.split("\n\n")[1], file=sys.stderr)
    sys.exit(2)
os.environ["BUILD"] = os.path.abspath(sys.argv[1])
from common.commands.drive.building import build
from common.commands.drive.support import SOURCE, describe_program

TOOLS = ["memcheck", "racecheck", "initcheck", "synccheck"]


def verdict(program, name, tool):
    done = subprocess.run(["compute-sanitizer", "--tool", tool, program, "-v", name, "-n", "64",
                           "-r", "1", "-w", "0", "-q"], capture_output=True, text=True,
                          timeout=120)
    summary = re.search(r"(?:ERROR|RACECHECK) SUMMARY: (\d+)", done.stdout + done.stderr)
    if not summary:
        raise RuntimeError(f"{tool} {name}: {(done.stdout + done.stderr)[-200:]}")
    return "found" if int(summary.group(1)) else "clean"


def main():
    with tempfile.TemporaryDirectory() as folder:
        try:
            program = os.path.join(folder, "verdicts")
            done = build(os.path.join(SOURCE, "check/verdicts/verdicts.cu"), program, ["f32"])
            if done.status != 0:
                raise RuntimeError(done)
            told = describe_program(program)
            with open(sys.argv[2], "w", newline="", encoding="utf-8") as f:
                out = csv.writer(f, lineterminator="\n")
                out.writerow(["mistake", "what", *TOOLS])
                for each in told["variants"]:
                    with concurrent.futures.ThreadPoolExecutor(len(TOOLS)) as pool:
                        said = list(pool.map(lambda t, v=each["name"]: verdict(program, v, t),
                                             TOOLS))
                    out.writerow([each["name"], each["summary"], *said])
        except (OSError, RuntimeError, ValueError, subprocess.SubprocessError) as e:
            print(f"gpu-verdicts: {e}", file=sys.stderr)
            return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
