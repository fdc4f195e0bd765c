"""
Indigo: graph codes, made by a generator from six patterns, with planted bugs. The name of a file has the bugs.
"""
import os
import re
import sys

from plots.makers.checked.corpus import Program, make, need, sources

RACES = re.compile(r"(atomic|sync|guard|race)Bug")
# Graphs of the corpus' own generators, of 100 vertices: a torus, each of whose vertices has neighbours; and stars,
# where those at the end of the arrays have none, so that what is read of neighbours lies outside.
GRAPHS = (("k_dim_torus", "100 1 1 2 10"), ("star", "100 2 1"))


def labels(name):
    found = (["race"] if RACES.search(name) else []) + (["bounds"] if "boundsBug" in name else [])
    return " ".join(found) or "clean"


def graphs(folder, scratch):
    """The input files, made by the generators of the corpus."""
    for name, words in GRAPHS:
        program = os.path.join(scratch, name)
        make(["c++", "-w", "-O1", "-DNUMV=\"0@200@\"", "-DNUME=\"0@99999@\"", "-I",
              need(folder, "graph_include"),
              need(folder, "graph_generators", "static_graphs", name + ".cpp"), "-o", program], scratch)
        make([program, *words.split()], scratch)
    return sorted((os.path.join(scratch, name) for name in os.listdir(scratch) if name.endswith(".egr")),
                  reverse=True)  # the torus first


def programs(folder, scratch):
    generators = need(folder, "Generators")
    for name in sorted(os.listdir(need(generators, "CUDA_sources"))):
        make([sys.executable, "-W", "ignore", "generate_CUDA_codes.py", os.path.join("CUDA_sources", name),
              os.path.join("..", "copyright.txt"), scratch], generators)
    runs = [[graph, "128", "64"] for graph in graphs(generators, scratch)]
    flags = ["-I" + need(generators, "sources_include")]
    return [Program(os.path.basename(path)[:-3], labels(os.path.basename(path)), [path], flags, runs)
            for path in sources(scratch)]
