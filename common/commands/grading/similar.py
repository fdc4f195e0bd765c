"""
Which submissions of a step share more text than what they were given: by the fingerprints of S. Schleimer,
D. Wilkerson, A. Aiken, "Winnowing: Local Algorithms for Document Fingerprinting", SIGMOD 2003. The names of variables
and numbers are left out, so renaming hides nothing. The kept library for it, copydetect, needs NumPy and Matplotlib for
these 30 lines.
"""
import itertools
import re
import zlib

from common.commands.practice import touched

GRAM = 12  # tokens: what is shorter is never seen as common
WINDOW = 6  # grams: of GRAM + WINDOW - 1 common tokens one fingerprint at least is common, too
SUSPECT = 0.6  # of the fingerprints of the shorter one
KEYWORDS = set("if else for while do return switch case break continue int unsigned float double long short char bool"
               " void const static __shared__ extern __syncthreads __device__ __global__ volatile sizeof struct"
               " template threadIdx blockIdx blockDim gridDim".split())
TOKEN = re.compile(r"[A-Za-z_]\w*|\d[\w.]*|[^\s\w]")


def tokens(text):
    return [word if word in KEYWORDS or not re.match(r"\w", word) else "0" if word[0].isdigit() else "v"
            for word in TOKEN.findall(touched.bare(text))]


def fingerprints(text):
    """The least hash of each window of grams."""
    words = tokens(text)
    hashes = [zlib.crc32(" ".join(words[at:at + GRAM]).encode()) for at in range(len(words) - GRAM + 1)]
    return {min(hashes[at:at + WINDOW]) for at in range(max(len(hashes) - WINDOW + 1, min(len(hashes), 1)))}


def pairs(texts, given):
    """[(share, one, other)], the most alike first, of {name: text}, without what stands in the given text."""
    known = fingerprints(given)
    found = {name: fingerprints(text) - known for name, text in texts.items()}
    shares = []
    for one, other in itertools.combinations(sorted(found), 2):
        least = min(len(found[one]), len(found[other]))
        share = len(found[one] & found[other]) / least if least else 0
        if share >= SUSPECT:
            shares.append((round(share, 2), one, other))
    return sorted(shares, key=lambda row: (-row[0], row[1:]))
