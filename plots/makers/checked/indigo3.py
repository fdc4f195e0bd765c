"""
Indigo3: seven graph algorithms in many styles, made by a generator, with planted bugs. The name of a file has the
bugs. Of those with several bugs nothing could say which was found, so only those with one bug or none are run.
"""
import os
import re
import shutil
import sys

from plots.makers.checked.corpus import Program, make, need, sources

LABELS = {"RaceBug": "race", "SyncBug": "sync", "LivelockBug": "livelock", "UninitializedBug": "uninitialised",
          "OverflowBug": "arithmetic", "PrecedenceBug": "arithmetic", "BoundsBug": "bounds", "NbrBoundsBug": "bounds",
          "NborBoundsBug": "bounds", "ExcessThreadsBug": "bounds", "FieldBug": "bounds"}
GRAPH = "undirect2dim_rand_torus_100n_400e.egr"


def bugs(name):
    return [word for word in name.split("_") if word in LABELS]


def generate(folder, suite):
    """All its codes for CUDA, in a copy of the suite."""
    need(folder, "generate_all_codes.py")
    shutil.copytree(folder, suite, ignore=shutil.ignore_patterns(".git"))
    config = os.path.join(suite, "codeGen", "configure.txt")
    with open(config, encoding="utf-8") as file:
        text = file.read()
    with open(config, "w", encoding="utf-8") as file:
        file.write(re.sub(r"bug:( *)\{nobug\}", r"bug:\1{all}", text))
    make([sys.executable, "-W", "ignore", "generate_all_codes.py", "CUDA", "ALL"], suite)


def programs(folder, scratch):
    suite, found = folder, []
    if not os.path.exists(os.path.join(folder, "generatedCodes")):
        suite = os.path.join(scratch, "suite")
        generate(folder, suite)
    for path in sources(os.path.join(suite, "generatedCodes")):
        name = os.path.basename(path)[:-3]
        if len(bugs(name)) <= 1:
            label = LABELS[bugs(name)[0]] if bugs(name) else "clean"
            found.append(Program(name, label, [path], ["-I" + os.path.join(suite, "lib")],
                                 [[os.path.join(folder, "inputs", GRAPH), "1", "0"]]))
    return found
