"""
ScoR: races between scopes, a kernel each, of the authors of ScoRD. The name of a file has the label.
"""
import os

from plots.makers.checked.corpus import Program, need, sources


def programs(folder, _):
    return [Program(os.path.basename(path)[:-3], "race" if os.path.basename(path).startswith("race") else "clean",
                    [path], [], [[]]) for path in sources(need(folder, "microbenchmarks", "src"))]
