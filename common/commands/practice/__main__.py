"""steps/practice: see command.USAGE."""
import os
import signal
import subprocess
import sys

from common.commands import ROOT
from common.commands.practice import command, judge, patch, shelf, source, workshop
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


def begin(screen, step, function, name):
    """Puts a step with a function taken out onto the shelf."""
    text = read(step_source(step))
    found = source.functions(text)
    if function and function not in found:
        raise Stop(f"--function {function}: {step} has no such function (accepted: {' '.join(found)})", 2)
    taken = found[function] if function else source.chosen(ROOT, step, text)
    family, types = shelf.steps(ROOT)[step]
    changed, line = source.cut(text, taken, family, step)
    shelf.write_new(os.path.join(ROOT, place(name)), changed)
    shelf.add(ROOT, shelf.Entry(target(name), family, types, place(name), step))
    screen.line(f"{place(name)}, line {line}: the body of {taken.name} is yours to write; the comment "
                f"there says what it shall do.\nThen: ./steps/practice {name}")
    return 0


def begin_own(screen, asked):
    """Puts a copy of a step onto the shelf under a name of the student's."""
    _, family, name = asked.names
    known = shelf.steps(ROOT)
    of_family = [step for step, (its, _) in known.items() if its == family]
    if not of_family:
        families = dict.fromkeys(its for its, _ in known.values())
        raise Stop(f"new {family}: no such family (accepted: {' '.join(families)})", 2)
    if not command.NAME.match(name) or name in known or name == "new":
        raise Stop(f"new {family} {name}: " + (
            "a step has this name" if name in known else
            "a name is of small letters, digits and -, and begins with a letter"), 2)
    step = asked.source or of_family[0]
    if step not in of_family:
        raise Stop(f"--from {step}: no step of {family} (accepted: {' '.join(of_family)})", 2)
    text = source.named(read(step_source(step)), step, name)
    if os.path.exists(os.path.join(ROOT, place(name))):
        raise Stop(f"{place(name)} is there already, and stays as it is; judge it with "
                   f"./steps/practice {name}", 2)
    shelf.write_new(os.path.join(ROOT, place(name)), text)
    shelf.add(ROOT, shelf.Entry(target(name), family, known[step][1], place(name), step))
    screen.line(f"{place(name)}: a copy of {step}, yours to change.\nThen: ./steps/practice {name}")
    return 0


def devices(backend):
    """Where to judge: on the CPU device, and on a GPU where there is one, unless one is asked for."""
    if backend in ("cpu", "cuda"):
        return [backend]
    return ["cpu", "cuda"] if packages.device_of(None) == "cuda" else ["cpu"]


def assess(screen, asked, name, step):
    """Builds, runs and judges what stands on the shelf."""
    entry = shelf.entries(ROOT).get(target(name)) or shelf.Entry(
        target(name), *shelf.steps(ROOT)[step], place(name), step)
    shelf.add(ROOT, entry)
    good = True
    for device in devices(asked.backend):
        folder = workshop.folder_for(ROOT, asked.build, device)
        workshop.prepare(ROOT, folder, device, f"steps/{entry.beside}/{entry.beside}", entry.target,
                         screen)
        said = workshop.make(folder, entry.target, screen)
        if said:
            screen.quote(said)
            screen.complain(f"{entry.source}: it does not compile")
            return 1
        screen.line(f"{entry.source} on {'a GPU' if device == 'cuda' else 'the CPU device'}")
        judged = judge.Judge(screen, os.path.join(folder, "steps", entry.target),
                             os.path.join(folder, "steps", entry.beside, entry.beside), name)
        good = judged.verdict() and good
        if device == "cuda":
            judged.times()
        else:
            judged.counters()
    untouched = not good and source.TASK in read(entry.source)
    screen.line(f"\n{name}: " + ("verified" if good else "not yet right" +
                                 (": the body is still to be written" if untouched else "")))
    return 0 if good else 1


def practise(screen, asked):
    name, known = asked.names[0], shelf.steps(ROOT)
    step = name
    if asked.function:
        if step not in known:
            raise Stop(f"--function: {name} is no step", 2)
        name = f"{step}-{asked.function}"
    if os.path.exists(os.path.join(ROOT, place(name))):
        entry = shelf.entries(ROOT).get(target(name))
        if not entry and step not in known:
            raise Stop(f"practice/meson.build does not know {name}: it was not begun with "
                       "./steps/practice", 2)
        return assess(screen, asked, name, step)
    if step not in known:
        raise Stop(f"unknown step {name} (accepted: {' '.join(known)})", 2)
    return begin(screen, step, asked.function, name)


def try_patch(asked):
    """Runs a step with a change; nothing but the program writes to standard output."""
    screen, name = Screen("steps/practice", sys.stderr), asked.patch
    if name not in patch.names(ROOT):
        raise Stop(f"--patch {name}: no such change (accepted: {' '.join(patch.names(ROOT))})", 2)
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
    workshop.prepare(ROOT, folder, device, "build.ninja", entry.target, screen)
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
        first = source.chosen(ROOT, step, text).name
        rest = [name for name in source.functions(text) if name != first]
        screen.line(f"{step:<24} {' '.join([first, *rest])}")
    return 0


def act(screen):
    asked = command.parse(sys.argv[1:])
    return {"list": lambda: list_all(screen), "patch": lambda: try_patch(asked),
            "new": lambda: begin_own(screen, asked), "step": lambda: practise(screen, asked)}[asked.what]()


def interrupt(*_):
    raise KeyboardInterrupt


def main():
    screen = Screen("steps/practice")
    signal.signal(signal.SIGTERM, interrupt)
    return end_of(screen, lambda: act(screen))


if __name__ == "__main__":
    sys.exit(main())
