"""
ScoR: races between scopes, a kernel each, of the authors of ScoRD. The name of a file has the label.
"""
import os

from plots.makers.checked.corpus import Corpus, Program, need, sources


def programs(folder, _, __):
    return [Program(os.path.basename(path)[:-3], "race" if os.path.basename(path).startswith("race") else "clean",
                    [path], [], [[]]) for path in sources(need(folder, "microbenchmarks", "src"))]


CORPUS = Corpus("scor", "https://github.com/csl-iisc/ScoR", "6dc3507ecc419aac6ea3a49ec746b610d5029219",
                "NCSA", "races of scoped synchronisation: fences, atomics and locks of a block or of the device",
                programs)
