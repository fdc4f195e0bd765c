"""
HeCBench: the three programs of which users of Faial reported races in 2024 (pull request 90 of the corpus), as they
were before that. Its maintainer confirmed aidw, and asked what the race in the other two is.
"""
import os

from plots.makers.checked.corpus import Program, need

PROGRAMS = {
    "aidw": ("main.cu", ["1", "0", "1"]),
    "mixbench": ("main.cu", ["1"]),
    "word2vec": ("cbow.cu word2vec.cu", "-cbow 1 -size 32 -window 1 -negative 1 -hs 0 -sample 0 -threads 1 -binary 0 "
                                        "-iter 1".split()),
}


def programs(folder, scratch):
    text = os.path.join(scratch, "text")
    with open(text, "w", encoding="utf-8") as file:  # 8192 words, 64 different ones
        file.write(" ".join(f"w{i * i % 64 + i % 3}" for i in range(8192)) + "\n")
    found = []
    for name, (files, arguments) in PROGRAMS.items():
        here = need(folder, "src", name + "-cuda")
        if name == "word2vec":
            arguments = ["-train", text, "-output", os.path.join(scratch, "vectors"), *arguments]
        found.append(Program(name, "race", [os.path.join(here, file) for file in files.split()], ["-I" + here],
                             [arguments]))
    return found
