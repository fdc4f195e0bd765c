"""What a program on the CPU device says on standard error of a launch: the findings of --check, and where a launch
is that does not end."""
import re

from common.commands.practice.words import say

HEAD = re.compile(r"--check: (\w+): (.*) \((.+?)(?:, --\S+)?\)$")  # the kernel, and in which order of threads
ENDLESS = re.compile(r"CPU device: (.*) has not ended$")
PARTY = re.compile(r"    (\w+(?: \w+)?) +([\w.-]+):([\d,]+) +(thread .*)$")
MISSING = re.compile(r"    missing  +(.*)$")  # a fence, and where
MORE = re.compile(r"    \.\.\. and (\d+) more like it$")

ON_GPU = re.compile(r"kernel failed: .*\(cudaError(?:IllegalAddress|MisalignedAddress)\)")

NAMES = {  # of each kind of mistake, as a title
    "empty": "the body is still empty",
    "compile": "it does not compile",
    "memory": "an access outside of an array",
    "race": "a race",
    "init": "a read of what no thread wrote",
    "sync": "a barrier or a warp operation that not all threads reach",
    "async": "an access before the wait for an asynchronous copy or product",
    "deadlock": "threads that wait for ever",
    "endless": "a loop without an end",
    "crash": "the program was ended",
    "launch": "a launch that CUDA refuses",
    "result": "a wrong result",
}
ADVICE = {
    "race": "Threads read at {lines} what others write there: a barrier is missing between two rounds of it.",
    "memory": "The index at {lines} leaves the array: compare it with the size of the array.",
    "init": "What {lines} reads must be written before, by a thread that all others wait for.",
    "sync": "All threads of the block must come to the same barrier: no condition may stand around it that only some "
            "of them fulfil ({lines}).",
    "deadlock": "What the threads wait for at {lines} never comes.",
    "endless": "See that the condition of the loop at {lines} becomes false: what does each round change?",
}
# Of --check, and what ends a program; what is most likely the cause of the rest comes first.
ORDER = ["endless", "deadlock", "sync", "async", "memory", "race", "init"]


def rank(finding):
    """An address that is nobody's may come out of memory that nobody wrote: then that is the cause."""
    wild = finding["kind"] == "memory" and "that cudaMalloc did not give" in finding["text"]
    return len(ORDER) if wild else ORDER.index(finding["kind"])


def read(lines):
    """The findings among the lines that a program said, the likely cause first: what an earlier kernel did wrong
    before what a later one makes of it, and what happens in a block before what others see of it."""
    found = []
    for line in lines:
        head, endless, party, missing, more = (each.match(line) for each in (HEAD, ENDLESS, PARTY, MISSING, MORE))
        if head:
            kind = "deadlock" if head[2].startswith("deadlock") else head[1]
            found.append({"kind": kind, "text": head[2], "kernel": head[3], "places": [], "missing": None,
                          "more": 0})
        elif endless:
            found.append({"kind": "endless", "text": f"{endless[1]} has not ended",
                          "kernel": endless[1].partition("<<<")[0], "places": [], "missing": None, "more": 0})
        elif party and found:
            found[-1]["places"].append({"does": party[1], "file": party[2],
                                        "lines": list(map(int, party[3].split(","))), "who": party[4]})
        elif missing and found:
            found[-1]["missing"] = missing[1]
        elif more and found:
            found[-1]["more"] = int(more[1])
    kernels = [each["kernel"] for each in found]
    return sorted(found, key=lambda each: (kernels.index(each["kernel"]), rank(each),
                                           "shared memory" not in each["text"]))


def without(status, text):
    """(kind, advice) where a program ended with no finding and with these words: by a signal, or by CUDA's error."""
    if status < 0:
        return "crash", ""
    if ON_GPU.search(text):
        return "memory", say("A GPU names no line. The CPU device does: --backend cpu.")
    return "crash" if "kernel failed: " in text else "launch", ""


def lines_of(finding, file):
    """The lines of a source file that a finding names, in order."""
    return sorted({line for place in finding["places"] if place["file"] == file for line in place["lines"]})


def listed(lines):
    words = list(map(str, lines))
    return say("line {line}", line=words[0]) if len(words) == 1 else \
        say("lines {lines} and {line}", lines=", ".join(words[:-1]), line=words[-1])


def advice(finding, lines):
    """One sentence on what is missing, by the kind of a finding and the lines that it names; or nothing."""
    text, at = finding["text"], listed(lines) if lines else ""
    if not lines:
        return ""
    if finding["kind"] == "race" and ("two blocks" in text or "two threads write" in text and
                                      not (len(lines) > 1 and "shared memory" in text)):
        return say("Blocks are not ordered: give each element to one block, or add with an atomic.") \
            if "two blocks" in text else \
            say("Give each thread an element of its own, let one thread alone write, or add with an atomic.")
    if finding["kind"] == "race" and len(lines) > 1:
        return say("A barrier is missing between {lines}.", lines=at)
    if finding["kind"] == "sync" and ("mask" in text or "warp operation" in text):
        return say("All lanes that the mask names must make the call at {lines}, and no others.", lines=at)
    return say(ADVICE[finding["kind"]], lines=at) if finding["kind"] in ADVICE else ""
