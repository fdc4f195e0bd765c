"""What the judge found, as a person reads it. docs/practice.md, "For programs", says what it is made from."""
from common.commands.practice import counters, findings
from common.commands.practice.words import left, right, say

MOST = 12  # lines of what a launch says
SPOKEN = ("crash", "launch", "compile")  # these say nothing else


def title(mistake, source):
    """reduce2.cu:31: a race"""
    at = ",".join(map(str, mistake["lines"]))
    return f"{source}{':' + at if at else ''}: {say(findings.NAMES[mistake['kind']])}"


def is_right(found):
    """Whether a variant is."""
    return found["launches"] > 0 and found["right"] == found["launches"] and not found["found"]


def variants(result):
    """A line each."""
    width = max(len(each["variant"]) for each in result["variants"])
    for each in result["variants"]:
        text = (say("verified") if is_right(each) else say("WRONG")) + ": " + say(
            "{right} of {all} launches are right", right=each["right"], all=each["launches"])
        if result["device"] == "cpu":
            text += say(", --check finds mistakes in {launches}", launches=each["found"]) if each["found"] else \
                say(", --check finds nothing")
        yield f"{each['variant']:<{width}}  {text if each['launches'] else say('no launch ended')}"
    if result["tried"] < result["launches"] and result["mistake"]:
        yield f"{'':<{width}}  {say('the other launches were not tried')}"


def mistake(what, source, text):
    """Its kind, the lines of the source, and what may be missing."""
    listed = text.split("\n")
    yield title(what, source)
    for at in what["lines"]:
        if at <= len(listed):
            yield f"{at:>6}  {listed[at - 1]}"
    if what["kind"] in SPOKEN:
        yield f"    {what['text']}"
    if what["advice"]:
        yield f"    {what['advice']}"


def launch(shown, program):
    """The launch that went wrong, as a reader can run it, and what it says."""
    differ = [each for each in shown["accesses"] if each["yours"] != each["step"]]
    if differ:
        yield f"    {left(say('accesses in this launch'), 23)}  {right(say('yours'), 12)}  " \
              f"{right(say(counters.STEPS), 12)}  {say('lines of yours')}"
        for each in differ:
            yield f"    {left(say(each['what'] + 's'), 23)}  {each['yours']:>12}  {each['step']:>12}  " + \
                (", ".join(map(str, each["lines"])) or say("none"))
    yield ""
    yield f"    $ {' '.join([program, *shown['options']])}"
    for line in shown["said"][:MOST]:
        yield f"    {line}"
    if len(shown["said"]) > MOST:
        yield "    ..."


def counted(found, step, words):
    """The counters of both."""
    yield say("Counters, yours and those of {step}, with {options}:", step=step,
              options=" ".join(words) or say("the defaults"))
    if not found:
        yield "    " + say("none: that run did not end well")
    costs = []
    for each in found:
        name = each["variant"] if each["variant"] == each["beside"] else say(
            "{yours}, beside {step}", yours=each["variant"], step=each["beside"])
        same = each["yours"] == each["step"]
        yield "  " + (say("{variant}: all the same", variant=name) if same else name)
        if not same:
            yield from counters.beside(each["yours"], each["step"])
            costs += [f"{name}: {text}" for text in counters.costs(each["yours"], each["step"])]
    yield from costs


def timed(found, words):
    """The times of both."""
    if not found:
        return
    yield say("Median times, with {options}:", options=" ".join(words))
    yield f"    {left(say('variant'), 24)} {right(say('yours') + ', us', 12)}  " \
          f"{right(say(counters.STEPS) + ', us', 14)}  {say('times as fast')}"
    for each in found:
        one, two = each["yours"], each["step"]
        name = each["variant"] if each["variant"] == each["beside"] else f"{each['variant']}, {each['beside']}"
        yield f"    {name:<24} {one:>12.4g}  {two:>14.4g}  {two / one:.2f}"
