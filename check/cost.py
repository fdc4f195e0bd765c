"""
What the CPU device's tools cost: how many times longer than plain a tiled product of matrices takes
with them, in processor time of one worker.
"""
import os
import subprocess

from common.commands.drive.support import BUILD, SOURCE, run

# Times; for check/bench. They were 3 and 4.2 while a kernel read built-in variables again in each round of a loop: a
# plain run took twice as long then, and one with a tool a tenth more. And they were 5 and 5.8 while each hook was
# called: a plain run took a fourth longer then, and one with a tool as long as now.
TARGETS = {"counters": 6, "check": 6.8}


class Failed(Exception):
    pass


def seconds(program, tool):
    """Processor seconds of the program, the least of four runs."""
    times = []
    for _ in range(4):
        with subprocess.Popen([program], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              env={**os.environ, "CPU_DEVICE_WORKERS": "1",
                                   "CPU_DEVICE_TOOLS": tool}) as running:
            _, status, usage = os.wait4(running.pid, 0)
            running.returncode = os.waitstatus_to_exitcode(status)
        if running.returncode:
            raise Failed(f"{program}, tools '{tool}': status {running.returncode}")
        times.append(usage.ru_utime)
    return min(times)


def product(scratch, side):
    """(tool, how many times longer) of check/bench-product.cu, with so many rows and columns."""
    program = os.path.join(scratch, "product")
    done = run(os.path.join(BUILD, "common", "commands", "cuda-cpu"), f"-DSIDE={side}", "-o", program,
               os.path.join(SOURCE, "check", "bench-product.cu"))
    if done.status != 0:
        raise Failed(str(done))
    plain = seconds(program, "")
    for tool in TARGETS:
        yield tool, seconds(program, tool) / plain
