"""steps/practice: see command.USAGE."""
import difflib
import json
import os
import re
import signal
import subprocess
import sys

from common.commands import ROOT, languages
from common.commands.grading import __main__ as grading
from common.commands.practice import command, hints, judge, patch, report, shelf, source, touched, words, workshop
from common.commands.practice.words import say
from common.commands.runner import packages
from common.commands.runner.screen import Screen, Stop, end_of

# Options that only the CPU device has.
ON_CPU_DEVICE = {"--counters", "--check", "--schedule", "--trace", "--estimate"}


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def step_source(step):
    return os.path.join("steps", step, step + ".cu")


def place(name):
    return os.path.join("practice", name, name + ".cu")


def target(name):
    return "practice-" + name


def unknown(word, known, what):
    """The end of the program that a mistyped name is: the nearest of those that are known, or all."""
    near = difflib.get_close_matches(word, known, 3, 0.6)
    return Stop(f"{what}: " + (f"did you mean {' or '.join(near)}?" if near else f"accepted: {' '.join(known)}"), 2)


def begin(screen, step, function, name):
    """Puts a step with a function taken out onto the shelf."""
    text = read(step_source(step))
    found = source.functions(text)
    if function and function not in found:
        raise unknown(function, list(found), f"--function {function}: {step} has no such function")
    taken = found[function] if function else source.chosen(ROOT, step, text)
    family, types = shelf.steps(ROOT)[step]
    changed, line = source.cut(text, taken, family, step)
    shelf.write_new(os.path.join(ROOT, place(name)), changed)
    shelf.add(ROOT, shelf.Entry(target(name), family, types, place(name), step))
    screen.line(say(
        "{file}, line {line}: the body of {function} is yours to write; the comment there says what it shall do.",
        file=place(name), line=line, function=taken.name))
    screen.line(say("Then: {command}", command=f"./steps/practice {name}"))
    return 0


def begin_own(screen, asked):
    """Puts a copy of a step onto the shelf under a name of the student's."""
    _, family, name = asked.names
    known = shelf.steps(ROOT)
    of_family = [step for step, (its, _) in known.items() if its == family]
    if not of_family:
        families = dict.fromkeys(its for its, _ in known.values())
        raise unknown(family, list(families), f"new {family}: no such family")
    if not command.NAME.match(name) or name in known or name == "new":
        raise Stop(f"new {family} {name}: " + (
            "a step has this name" if name in known else
            "a name is of small letters, digits and -, and begins with a letter"), 2)
    step = asked.source or of_family[0]
    if step not in of_family:
        raise unknown(step, of_family, f"--from {step}: no step of {family}")
    if os.path.exists(os.path.join(ROOT, place(name))):
        raise Stop(f"{place(name)} is there already, and stays as it is; judge it with "
                   f"./steps/practice {name}", 2)
    return copy_of(screen, step, name)


def copy_of(screen, step, name):
    """Puts a copy of a step onto the shelf under a name that nothing there has."""
    family, types = shelf.steps(ROOT)[step]
    shelf.write_new(os.path.join(ROOT, place(name)), source.named(read(step_source(step)), step, name))
    shelf.add(ROOT, shelf.Entry(target(name), family, types, place(name), step))
    screen.line(say("{file}: a copy of {step}, yours to change.", file=place(name), step=step))
    screen.line(say("Then: {command}", command=f"./steps/practice {name}"))
    return 0


def devices(backend):
    """Where to judge: on the CPU device, and on a GPU where there is one, unless one is asked for."""
    if backend in ("cpu", "cuda"):
        return [backend]
    return ["cpu", "cuda"] if packages.device_of(None) == "cuda" else ["cpu"]


def not_run(kind, lines, text, device=None):
    """The result of what cannot be run."""
    return {"device": device, "variants": [], "tried": 0, "launches": 0, "launch": None, "counters": [], "times": [],
            "mistake": {"kind": kind, "lines": lines, "text": text, "advice": ""}}


def not_compiled(said, file, device):
    """The same of what does not compile: the first error that a compiler said."""
    for line in said:
        found = re.match(r"(?:.*/)?([\w.-]+)(?::(\d+)(?::\d+)?|\((\d+)\)): (?:fatal )?error:? (.*)", line)
        if found:
            return not_run("compile", [int(found[2] or found[3])] if found[1] == file else [], found[4], device)
    return not_run("compile", [], said[-1], device)


def taken_out(entry, name):
    """The function that was taken out of a step for this exercise; None of a kernel of the student's own."""
    if f'STEP("{entry.beside}"' not in read(entry.source):
        return None
    return name[len(entry.beside) + 1:] or source.chosen(ROOT, entry.beside, read(step_source(entry.beside))).name


def unwritten(entry, name):
    """The function that was taken out, if its body is still empty; None."""
    text = read(entry.source)
    found = source.functions(text).get(taken_out(entry, name))
    return found if found and source.is_empty(text, found) else None


def built(device, screen, asked, entry, name):
    """(the Judge of what stands on the shelf, built for a device; None), or (None; what the compiler said)."""
    folder = workshop.folder_for(ROOT, asked.build, device)
    workshop.prepare(ROOT, folder, device, entry.target, screen)
    said = workshop.make(folder, entry.target, screen, [f"steps/{entry.beside}/{entry.beside}"])
    if said:
        screen.quote(said)
        return None, said
    taken = taken_out(entry, name)
    variants = touched.variants(read(entry.source), read(step_source(entry.beside)), taken) if taken else []
    return judge.Judge(os.path.join(folder, "steps", entry.target),
                       os.path.join(folder, "steps", entry.beside, entry.beside),
                       os.path.basename(entry.source), variants), None


def judge_on(device, screen, asked, entry, name):
    """Builds, runs and judges on one device."""
    one, said = built(device, screen, asked, entry, name)
    if not one:
        return not_compiled(said, os.path.basename(entry.source), device)
    screen.line(say("{file} on the CPU device", file=entry.source) if device == "cpu" else
                say("{file} on a GPU", file=entry.source))
    screen.progress(say("judging"))
    result = one.result()
    for line in report.variants(result):
        screen.line(line)
    result["counters"], result["times"] = [], []
    if not asked.hint:
        tell(screen, one, result, entry, os.path.relpath(one.program))
    elif not result["mistake"] and not one.on_gpu:
        result["accesses"] = one.accesses()
    return result


def tell(screen, one, result, entry, program):
    """What is wrong; or how it differs from the step, which goes into the result."""
    if result["mistake"]:
        lines = [*report.mistake(result["mistake"], one.source, read(entry.source)),
                 *(report.launch(result["launch"], program) if result["launch"] else [])]
    elif one.on_gpu:
        result["times"], words = one.times()
        lines = report.timed(result["times"], words)
    else:
        result["counters"], words = one.counters()
        lines = report.counted(result["counters"], entry.beside, words)
    for at, line in enumerate(lines):
        screen.line("\n" + line if at == 0 else line)


def as_json(name, entry, verdict, mistake=None, devices=(), hint=None):
    """What docs/practice.md describes."""
    return {"schema": 1, "practice": name, "step": entry.beside, "source": entry.source, "verdict": verdict,
            "mistake": mistake, "devices": list(devices), "hint": hint}


def give_hint(screen, name, entry, result):
    """The next stage of the hint that there is for a result: said, and returned; None where there is none."""
    found = hints.hint(result)
    if not found:
        screen.line("\n" + say("Your kernel does what the step does, at the same cost: there is nothing to hint at."))
        return None
    stage = hints.next_stage(hints.kept(os.path.join(ROOT, os.path.dirname(entry.source))), found["rule"])
    given = hints.up_to(found, stage)
    for at, line in enumerate(hints.told(given, os.path.basename(entry.source), read(entry.source))):
        screen.line("\n" + line if at == 0 else line)
    if stage < hints.STAGES:
        screen.line("\n" + say("More: {command}", command=f"./steps/practice {name} --hint"))
    return given


def on_shelf(name, step):
    """The entry of an exercise; if it stood there before the list did, it is put into that."""
    entry = shelf.entries(ROOT).get(target(name)) or shelf.Entry(
        target(name), *shelf.steps(ROOT)[step], place(name), step)
    shelf.add(ROOT, entry)
    return entry


def assess(screen, asked, name, step):
    """Builds, runs and judges what stands on the shelf, and says it; what as_json() makes of that."""
    entry = on_shelf(name, step)
    empty = unwritten(entry, name)
    if empty:
        text = say("the body of {function} is still empty", function=empty.name)
        results = [not_run("empty", [empty.open + 1], text)]
    else:
        results = [judge_on(device, screen, asked, entry, name)
                   for device in devices(asked.backend)[:1 if asked.hint else None]]
    hint = give_hint(screen, name, entry, results[0]) if asked.hint else None
    mistake = next((each["mistake"] for each in results if each["mistake"]), None)
    if mistake and asked.hint:
        screen.line("\n" + say("{name}: not yet right", name=name))
    elif mistake:
        title = report.title(mistake, os.path.basename(entry.source))
        screen.line(("" if empty else "\n") + say("{name}: not yet right: {mistake}", name=name, mistake=title))
    else:
        screen.line("\n" + say("{name}: verified", name=name))
    return as_json(name, entry, "wrong" if mistake else "verified", mistake, results, hint)


def ended(asked, told):
    """The exit status of a verdict, which is printed where it is asked for as JSON."""
    if asked.json:
        print(json.dumps(told), flush=True)
    return 1 if told["mistake"] else 0


def practise(screen, asked):
    name, known = asked.names[0], shelf.steps(ROOT)
    step = name
    if asked.function:
        if step not in known:
            raise unknown(name, list(known), f"--function: {name} is no step")
        name = f"{step}-{asked.function}"
    if os.path.exists(os.path.join(ROOT, place(name))):
        entry = shelf.entries(ROOT).get(target(name))
        if not entry and step not in known:
            raise Stop(f"practice/meson.build does not know {name}: it was not begun with "
                       "./steps/practice", 2)
        return ended(asked, assess(screen, asked, name, step))
    if step not in known:
        raise unknown(name, list(known), f"unknown step {name}")
    status = begin(screen, step, asked.function, name)
    if asked.json:
        ended(asked, as_json(name, shelf.entries(ROOT)[target(name)], "begun"))
    return status


def try_patch(asked):
    """Runs a step with a change; nothing but the program writes to standard output."""
    screen, name = Screen("steps/practice", sys.stderr), asked.patch
    if name not in patch.names(ROOT):
        raise unknown(name, patch.names(ROOT), f"--patch {name}: no such change")
    path, step = patch.make(ROOT, name), patch.step_of(ROOT, name)
    screen.line(f"docs/mistakes/{name}.patch, in {path}")
    if path.endswith("plain.cu"):
        build = ["--build", asked.build] if asked.build else []
        return run_program([os.path.join(ROOT, "steps", "cuda"), *build, os.path.join(ROOT, path),
                            *asked.behind])
    options = asked.behind or patch.options_of(name) or ["-r", "1", "-w", "0"]
    device = packages.device_of(asked.backend)
    if asked.backend in (None, "auto") and ON_CPU_DEVICE & {o.partition("=")[0] for o in options}:
        device = "cpu"
    entry = shelf.Entry("patch-" + name, *shelf.steps(ROOT)[step], path, step)
    shelf.add(ROOT, entry)
    folder = workshop.folder_for(ROOT, asked.build, device)
    workshop.prepare(ROOT, folder, device, entry.target, screen)
    said = workshop.make(folder, entry.target, screen)
    if said:
        screen.quote(said)
        raise Stop(f"{path}: it does not compile", 3)
    return run_program([os.path.join(folder, "steps", entry.target), *options])


def run_program(command):
    """The program's exit status; its output goes where ours goes."""
    sys.stdout.flush()
    with subprocess.Popen(command, stdin=subprocess.DEVNULL) as process:
        try:
            status = process.wait()
        except KeyboardInterrupt:
            process.terminate()
            raise
    return status if status >= 0 else 128 - status


def list_all(screen):
    for step in shelf.steps(ROOT):
        text = read(step_source(step))
        names = list(source.functions(text))
        first = [source.chosen(ROOT, step, text).name] if names else ["-"]
        screen.line(f"{step:<24} {' '.join(dict.fromkeys([*first, *names]))}")
    return 0


def act(screen):
    asked = command.parse(sys.argv[1:])
    screen.out = sys.stderr if asked.json else None
    words.choose("en" if asked.json else languages.chosen(asked.language))
    return {"list": lambda: list_all(screen), "patch": lambda: try_patch(asked),
            "new": lambda: begin_own(screen, asked), "step": lambda: practise(screen, asked)}[asked.what]()


def interrupt(*_):
    raise KeyboardInterrupt


def main():
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)  # the programs say by it where they are
    if any(re.match("--grade(=|$)", word) for word in sys.argv[1:]):
        return grading.main()
    screen = Screen("steps/practice")
    signal.signal(signal.SIGTERM, interrupt)
    return end_of(screen, lambda: act(screen))


if __name__ == "__main__":
    sys.exit(main())
