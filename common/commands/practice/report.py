"""What the judge found, as a person reads it. docs/practice.md, "For programs", says what it is made from."""
from common.commands.practice import counters, findings

PLACES = {"cpu": "the CPU device", "cuda": "a GPU"}
MOST = 12  # lines of what a launch says
SPOKEN = ("crash", "launch", "compile")  # these say nothing else


def title(mistake, source):
    """reduce2.cu:31: a race"""
    at = ",".join(map(str, mistake["lines"]))
    return f"{source}{':' + at if at else ''}: {findings.NAMES[mistake['kind']]}"


def is_right(found):
    """Whether a variant is."""
    return found["launches"] > 0 and found["right"] == found["launches"] and not found["found"]


def variants(result):
    """A line each."""
    width = max(len(each["variant"]) for each in result["variants"])
    for each in result["variants"]:
        text = f"{'verified' if is_right(each) else 'WRONG'}: {each['right']} of {each['launches']} launches are right"
        if result["device"] == "cpu":
            text += f", --check finds mistakes in {each['found']}" if each["found"] else ", --check finds nothing"
        yield f"{each['variant']:<{width}}  {text if each['launches'] else 'no launch ended'}"
    if result["tried"] < result["launches"] and result["mistake"]:
        yield f"{'':<{width}}  the other launches were not tried"


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
        yield f"    accesses in this launch  {'yours':>12}  {'the step' + chr(39) + 's':>12}  lines of yours"
        for each in differ:
            yield f"    {each['what'] + 's':<23}  {each['yours']:>12}  {each['step']:>12}  " + \
                (", ".join(map(str, each["lines"])) or "none")
    yield ""
    yield f"    $ {' '.join([program, *shown['options']])}"
    for line in shown["said"][:MOST]:
        yield f"    {line}"
    if len(shown["said"]) > MOST:
        yield "    ..."


def counted(found, step, words):
    """The counters of both."""
    yield f"Counters, yours and those of {step}, with {' '.join(words) or 'the defaults'}:"
    if not found:
        yield "    none: that run did not end well"
    costs = []
    for each in found:
        name = each["variant"] if each["variant"] == each["beside"] else f"{each['variant']}, beside {each['beside']}"
        same = each["yours"] == each["step"]
        yield f"  {name}: all the same" if same else f"  {name}"
        if not same:
            yield from counters.beside(each["yours"], each["step"])
            costs += [f"{name}: {text}" for text in counters.costs(each["yours"], each["step"])]
    yield from costs


def timed(found, words):
    """The times of both."""
    if not found:
        return
    yield f"Median times, with {' '.join(words)}:"
    yield f"    {'variant':<24} {'yours, us':>12}  {'the step' + chr(39) + 's, us':>14}  times as fast"
    for each in found:
        one, two = each["yours"], each["step"]
        name = each["variant"] if each["variant"] == each["beside"] else f"{each['variant']}, {each['beside']}"
        yield f"    {name:<24} {one:>12.4g}  {two:>14.4g}  {two / one:.2f}"
