"""
What is needed of each corpus: labelled programs that somebody else published. A module of this package has a function
programs(folder, scratch) each, which knows the corpus' labels and makes in the directory scratch what has to be made
before its programs can be run. plots/checked/corpora.csv says where each corpus is and which version was run.
"""
import collections
import hashlib
import os
import subprocess

from common.commands.runner.screen import Stop

# name: in the table; labels: some of KINDS of plots/labelled.py; files and flags: for steps/cuda; runs: the arguments
# of each run.
Program = collections.namedtuple("Program", "name labels files flags runs")


def need(folder, *parts):
    """The path of a part of a corpus; raises Stop where the folder has none."""
    path = os.path.join(folder, *parts)
    if not os.path.exists(path):
        raise Stop(f"{folder}: has no {os.path.join(*parts)}: is this the corpus?", 2)
    return path


def make(command, folder):
    """Runs a part of a corpus that makes its programs or its inputs; raises Stop where it fails."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Stop(f"{' '.join(command)}: status {done.returncode}: {done.stderr[-500:]}", 3)


def sources(folder):
    """The .cu files below a folder, in order of their names."""
    found = [os.path.join(top, name) for top, _, names in os.walk(folder) for name in names
             if name.endswith(".cu")]
    return sorted(found, key=os.path.basename)


def mark(seed, program):
    """Where a program stands in the order that a seed gives."""
    return hashlib.sha256(f"{seed} {program.name}".encode()).hexdigest()


def sampled(programs, count, seed):
    """So many of them, spread over their labels in turn, in an order that the seed gives; all, where count is None."""
    if count is None or count >= len(programs):
        return programs
    groups = collections.defaultdict(list)
    for program in sorted(programs, key=lambda program: mark(seed, program)):
        groups[program.labels].append(program)
    chosen = []
    while len(chosen) < count:
        for _, queue in sorted(groups.items()):
            if queue and len(chosen) < count:
                chosen.append(queue.pop(0))
    return sorted(chosen, key=lambda program: program.name)
