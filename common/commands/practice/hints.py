"""
Hints: of what the judge found, first a question, then the place, then the cause.

A rule holds of what a kernel did, and the first one that holds speaks. What is wrong stands before what is slow.
check/attempts has for each rule a student's attempt that it is for.
"""
import json
import os
from typing import Callable, NamedTuple

from common.commands.practice import launches
from common.commands.practice.words import say
from common.commands.runner import lines

STAGES = 3


class Facts(NamedTuple):
    """kind: of mistake, or "right"; text: what was found, in --check's words, with the fence that is missing; at: the
    lines of the source that it names; pattern: of split(), or None; added: of explain.added(), or None; accesses: of
    explain.accesses()."""
    kind: str
    text: str
    at: list
    pattern: dict
    added: str
    accesses: list

    def says(self, *words):
        return any(word in self.text for word in words)

    def only(self, what):
        return self.pattern is not None and self.pattern["what"] == what

    def costlier(self, *kinds):
        """Lines of yours that access memory in one of these ways, at another cost than the step's."""
        return sorted({line for each in self.accesses if each["what"] in kinds and each["yours"] == each["step"]
                       for line in each["costlier"]})

    def more(self, *kinds):
        """Lines of yours that do one of these, where the kernel does so more often than the step."""
        return sorted({line for each in self.accesses if each["what"] in kinds and each["yours"] > each["step"]
                       for line in each["others"] or each["lines"]})


class Rule(NamedTuple):
    """where(facts): the lines to look at, if they are others than those of the mistake."""
    name: str
    holds: Callable
    question: str
    cause: str
    where: Callable = lambda facts: facts.at


def _wrong(kind, *words):
    """Of a kind of mistake whose text has one of these words, or any."""
    return lambda facts: facts.kind == kind and (not words or facts.says(*words))


def _only(what):
    return lambda facts: facts.kind == "result" and facts.only(what)


def _added(how):
    return lambda facts: facts.kind == "result" and facts.added == how


def _slow(find):
    return {"holds": lambda facts: facts.kind == "right" and bool(find(facts)), "where": find}


LOADS, SHARED = ("global load", "global store", "global atomic"), ("shared load", "shared store", "shared atomic")

RULES = [
    Rule("empty", _wrong("empty"),
         "What does one thread do? Say it in one sentence: which elements it reads, and where it puts its result.",
         "The comment in the body says what is wanted. A thread finds its first element by blockIdx.x * blockDim.x + "
         "threadIdx.x."),
    Rule("compile", _wrong("compile"),
         "What does the compiler expect there that it does not find?",
         "Read the first error alone: those behind it often follow from it. Is each name declared, each bracket "
         "closed?"),
    Rule("mask", lambda facts: facts.kind == "sync" and facts.says("mask", "warp operation"),
         "Which lanes of the warp come to this call, and which does its mask name?",
         "A warp operation waits for all lanes of its mask. Let all of them make the call, or name only those that "
         "do."),
    Rule("branch", _wrong("sync"),
         "Do all threads of the block come to this barrier, and to the same one?",
         "A barrier waits for all threads of the block. Put it behind the condition and not into it: what the "
         "condition guards is the access alone."),
    Rule("copy", _wrong("async"),
         "The copy, or the product, was begun. What makes sure that it has ended before its data are touched?",
         "Wait for it, by its group or its barrier, and then let all threads of the block wait for each other. A "
         "product of a warpgroup needs its fences, too."),
    Rule("wait", _wrong("deadlock"),
         "For what do these threads wait, and which thread shall bring it? Can that thread still run?",
         "A thread that waits must be able to rely on one that runs: on a thread of a block that has begun, and on a "
         "word that is written before that thread itself waits."),
    Rule("loop", _wrong("endless"),
         "What does each round of this loop change, and after how many rounds is its condition false?",
         "The loop's variable does not come nearer to its end in each round: look at its step, and at what happens at "
         "0 and at the largest value."),
    Rule("flag", lambda facts: facts.kind == "race" and facts.says("behind a flag", "volatile", "scope", "fence"),
         "A thread sees the flag. What makes sure that it sees the data, too?",
         "Between the data and the flag stands a fence, or the flag is written with release; and behind the read of "
         "the flag stands a fence, or it is read with acquire. Both sides need theirs."),
    Rule("writers", lambda facts: facts.kind == "race" and facts.says("two threads write") and len(facts.at) == 1,
         "How many threads write this word, and how many should?",
         "Give each thread an element of its own, let one thread alone write, or add with an atomic."),
    Rule("blocks", lambda facts: facts.kind == "race" and facts.says("two blocks"),
         "Blocks run in any order, and at the same time. Which word do two of them use here?",
         "Nothing orders two blocks. Give each a word of its own, chosen by blockIdx.x, or add with an atomic."),
    Rule("rounds", lambda facts: facts.kind == "race" and len(facts.at) == 1,
         "When one thread begins the next round, have all others ended the round before?",
         "What one round writes, the next one reads in another thread: all threads need a barrier between two rounds."),
    Rule("barrier", _wrong("race"),
         "Which thread wrote what this one reads, and how do you know that it has written it already?",
         "Between the write and the read of another thread stands a barrier that both threads pass; and one between "
         "the read and the next write, too, where the word is used again."),
    Rule("alignment", _wrong("memory", "aligned"),
         "An access of 16 bytes needs an address that 16 divides. Does the array begin there, and each thread?",
         "Access single elements up to the first address that 16 divides, and behind the last whole vector."),
    Rule("shared size", _wrong("memory", "shared memory"),
         "How many words has this array, and what is the largest index that a thread forms?",
         "The index and the array's size must follow from the same number: blockDim.x, the tile, or the size that the "
         "launch gives. Try the last thread, in the first round."),
    Rule("wild", _wrong("memory", "that cudaMalloc did not give", "before the start"),
         "Which thread forms this index, and does one of its parts fall below 0?",
         "Unsigned numbers do not fall below 0: 0 - 1 is the largest of them. Compare before you subtract."),
    Rule("end", _wrong("memory"),
         "The number of elements need not be a multiple of the number of threads. What does the last thread access?",
         "Only a thread whose index is less than the number of elements may access the array: the condition stands "
         "before the access, and in each loop."),
    Rule("unwritten", _wrong("init"),
         "Which thread shall write this word before it is read, and does it do so in every launch?",
         "A thread without an element writes, too: 0, or what changes no result. A counter begins at 0, because "
         "shared memory does not."),
    Rule("launch", lambda facts: facts.kind in ("launch", "crash"),
         "How many threads and how much shared memory has a block of this launch, and how many may it have?",
         "A block has at most 1024 threads and 48 KiB of shared memory, if nothing else is asked for."),
    Rule("only hostile", _only("hostile"),
         "What becomes of an infinity, of a NaN, or of a very small number on its way through the kernel?",
         "Do nothing with a number that the result does not need: 0 * infinity is a NaN, and a comparison with a NaN "
         "is false."),
    Rule("only offset", _only("offset"),
         "Does the kernel count on an array that begins at a round address?",
         "An array may begin at any element: what is done by vectors needs single elements before the first round "
         "address."),
    Rule("only blocks", _only("blocks"),
         "Does the kernel do the same with one block as with several? By what do blocks know themselves apart?",
         "A block begins at blockIdx.x * blockDim.x, a loop over the array goes on by gridDim.x * blockDim.x, and each "
         "block's result has a place of its own."),
    Rule("only rounds", _only("rounds"),
         "What happens where there are more elements than threads?",
         "Each thread takes further elements: a loop goes on by the number of all threads until it is past the last, "
         "and keeps what it has."),
    Rule("only warps", _only("warps"),
         "Does the kernel do the same in a block of one warp as in one of several?",
         "What the lanes of a warp exchange stays in that warp: what a block makes of it goes through shared memory, "
         "with a place for each warp."),
    Rule("only halves", _only("halves"),
         "If the number of threads is no power of two, what becomes of the last one when it is halved?",
         "Halve so that no thread is lost, or begin at the next power of two and let those without a partner do "
         "nothing."),
    Rule("only tail", _only("tail"),
         "Which block has fewer elements than threads, or an incomplete tile, and what does it do there?",
         "In the last block or tile some threads have no element. They must not count, and the others must not be "
         "left out."),
    Rule("none written", _added("none"),
         "Which thread writes the result, and is there one in each launch?",
         "The condition around the last store holds for no thread, or the result goes elsewhere."),
    Rule("too few", _added("few"),
         "Which elements are not counted? Take one block of few threads, and write down what each thread reads.",
         "A step, a bound or a round is too small: the line above is done less often than the step does it."),
    Rule("too many", _added("many"),
         "Which elements are counted twice? Take one block of few threads, and write down what each thread reads.",
         "Two threads read the same element, or one reads it in two rounds: each element belongs to one thread."),
    Rule("result", _wrong("result"),
         "Take two threads and four elements. What does each thread read and write, and where does that differ from "
         "what it should?",
         "All accesses are allowed and in order, and their number may be right: then an index or an operation is "
         "another than the step's."),
    Rule("neighbours", question="Which elements do threads 0 and 1 read at the same time, and how far apart are they?",
         cause="A warp's access costs the sectors of 32 bytes that it touches. Let neighbouring threads access "
         "neighbouring elements.", **_slow(lambda facts: facts.costlier(*LOADS))),
    Rule("banks", question="Shared memory has 32 banks, word i lies in bank i % 32. Which banks do the lanes of a warp "
         "access at the same time?",
         cause="Lanes that access different words of one bank wait for each other. Change the stride, or make each row "
         "one word longer.", **_slow(lambda facts: facts.costlier(*SHARED))),
    Rule("again", question="Which elements does the kernel load more than once?",
         cause="Each access costs time. Keep in a register, or in shared memory, what is needed again.",
         **_slow(lambda facts: facts.more(*LOADS, *SHARED))),
    Rule("barriers", question="Which of the barriers could go, and what would then be read too early?",
         cause="A barrier is needed only where one thread reads what another wrote, or writes what another has read.",
         **_slow(lambda facts: facts.more("barrier"))),
]

# What may be true of a launch, in the order in which it says more: of the words of its command line, and of its row.
TRAITS = {
    "hostile": lambda words, row: lines.value(words, "input") is not None,
    "offset": lambda words, row: lines.value(words, "offset") is not None,
    "blocks": lambda words, row: row["blocks"] > 1,
    "rounds": lambda words, row: row["n"] > max(row["blocks"], 1) * row["threads"],
    "warps": lambda words, row: row["threads"] > 32,
    "halves": lambda words, row: row["threads"] & (row["threads"] - 1) > 0,
    "tail": lambda words, row: _has_tail(words, row),
}
WITH = {
    "hostile": "launches on a chosen input", "offset": "launches on an array that begins elsewhere",
    "blocks": "launches of several blocks", "rounds": "launches with more elements than threads",
    "warps": "launches with more than 32 threads per block",
    "halves": "launches whose number of threads is no power of two",
    "tail": "launches with a last block or tile that is not full",
}


def _has_tail(words, row):
    sizes = launches.size_of(words)
    part = max(row["threads"], 1) if len(sizes) == 1 else 32
    return any(size % part for size in sizes)


def split(tried):
    """What all wrong launches have in common and at least two right ones have not, one of them of more than one
    element, by [(words, row, is wrong)]: that of which the largest share is wrong. "what", "wrong" of "all" that have
    it, and how many "others" are right; None."""
    best = None
    for what, holds in TRAITS.items():
        having = [wrong for words, row, wrong in tried if holds(words, row)]
        others = [(min(launches.size_of(words), default=2) > 1, wrong)
                  for words, row, wrong in tried if not holds(words, row)]
        if any(having) and len(others) >= 2 and any(many for many, _ in others) and \
                not any(wrong for _, wrong in others):
            found = {"what": what, "wrong": sum(having), "all": len(having), "others": len(others)}
            if best is None or found["wrong"] * best["all"] > best["wrong"] * found["all"]:
                best = found
    return best


def facts_of(result):
    """Of a judge's result for one device."""
    mistake, launch = result["mistake"], result["launch"] or {}
    if not mistake:
        return Facts("right", "", [], None, None, result.get("accesses", []))
    missing = " ".join(each["missing"] or "" for each in launch.get("findings", [])[:1])
    return Facts(mistake["kind"], f"{mistake['text']} {missing}", mistake["lines"], result.get("pattern"),
                 launch.get("added"), launch.get("accesses", []))


def hint(result):
    """The rule that speaks, as {"rule", "question", "place", "lines", "cause"}; None of a kernel of which none does."""
    facts = facts_of(result)
    for rule in RULES:
        if rule.holds(facts):
            seen = facts.pattern if facts.kind == "result" else None
            place = say("{wrong} of {all} {what} are wrong, none of the {others} others", wrong=seen["wrong"],
                        all=seen["all"], what=say(WITH[seen["what"]]), others=seen["others"]) if seen else ""
            return {"rule": rule.name, "question": say(rule.question), "place": place, "lines": rule.where(facts),
                    "cause": say(rule.cause)}
    return None


def next_stage(path, rule):
    """1 of a rule that was not the last one asked for, else one more than then; kept in a file beside the kernel."""
    try:
        with open(path, encoding="utf-8") as file:
            last = json.load(file)
        stage = min(int(last["stage"]) + 1, STAGES) if last["rule"] == rule else 1
    except (OSError, ValueError, KeyError, TypeError):
        stage = 1
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"rule": rule, "stage": stage}, file)
    return stage


def kept(folder):
    return os.path.join(folder, ".hint.json")


def up_to(found, stage):
    """What a stage tells of a hint; what it does not is None."""
    return {"rule": found["rule"], "stage": stage, "question": found["question"],
            "place": found["place"] if stage > 1 else None, "lines": found["lines"] if stage > 1 else None,
            "cause": found["cause"] if stage > 2 else None}


def told(found, source, text):
    """A hint as a person reads it, by lines. source: the name of the file; text: what it holds."""
    yield say("Hint {stage} of {all}", stage=found["stage"], all=STAGES)
    yield f"    {found['question']}"
    listed = text.split("\n")
    if found["stage"] > 1:
        at = [line for line in found["lines"] if line <= len(listed)]
        if at:
            yield ""
        yield from (f"{source}:{line}  {listed[line - 1]}" for line in at)
        if found["place"]:
            yield f"    {found['place']}"
        if not at and not found["place"]:
            yield "    " + say("No line of yours is named.")
    if found["stage"] > 2:
        yield ""
        yield f"    {found['cause']}"
