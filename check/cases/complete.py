"""
Nothing goes untested in silence: each step of steps/meson.build has a page, links, rows of the
matrix, launches that are counted, sanitized, mutated and checked, and mutants. What it lacks of a GPU's
record, and what the record has of variants that are gone, is named, and skipped. Then the same of an invented step
in a copy of the lists: each lack must be named.
"""
import json
import os
import shutil
import sys
import tempfile

from check import completeness
from common.commands.drive import support
from common.commands.drive.support import SOURCE, all_steps, case, leave, sample_step, steps, unrecorded
from plots import recorded
from plots.makers import code

INVENTED = "reduce99"
FILES = ("steps/meson.build", "README.md", "docs/index.md", "plots/devices/reference",
         *(os.path.relpath(recorded.place(name), SOURCE) for name in ("describe.json", "counters.csv")))


def real():
    names = completeness.listed()
    case(names == all_steps(), "steps/meson.build and BUILD/steps/steps.txt name the same steps",
         f"{names}\n{all_steps()}")
    for name in names:
        if name in steps():
            lacks = completeness.lacks_papers(name) + completeness.lacks_tests(name)
            case(not lacks, f"{name} lacks nothing", "\n".join(lacks))
            for what, part in completeness.lacks_record(name):
                unrecorded(f"{name} has {what}", f"plots/record gpu DIR --step {name} {part}")
            if code.lacks(name):
                unrecorded(f"{name} has what nvcc makes of its kernels, as they are now",
                           f"plots/record code --step {name}")


def code_of_now():
    """A table of nvcc's code is of its files' lines as they are now."""
    rows = "sgemm_rows|sgemm-naive.cu|1|global load|4|inside|1\n"
    table = code.marks("sgemm-naive", rows) + rows
    case(code.is_current("sgemm-naive", table), "a table of nvcc's code with its files' marks is current", table)
    for other in (rows, table.replace("# sgemm-naive.cu ", "# sgemm-naive.cu 0"), ""):
        case(not code.is_current("sgemm-naive", other), "a table of nvcc's code without its files' marks is not", other)


def invented_papers():
    """A step in the list alone."""
    with tempfile.TemporaryDirectory() as root:
        for path in FILES:
            if os.path.exists(os.path.join(SOURCE, path)):
                os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
                shutil.copy(os.path.join(SOURCE, path), os.path.join(root, path))
        path = os.path.join(root, "steps/meson.build")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        first = completeness.listed()[0]
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace(f"  ['{first}'", f"  ['{INVENTED}', 'x'],\n  ['{first}'", 1))
        case(INVENTED in completeness.listed(root), "an invented step is seen in steps/meson.build")
        lacks = completeness.lacks_papers(INVENTED, root) + \
            [what for what, _ in completeness.lacks_record(INVENTED, root)]
        for what in ("a page docs/", "a link in README.md", "a link in docs/index.md",
                     "describe.json", "counters.csv"):
            case(any(what in lack for lack in lacks), f"an invented step: {what} is missed", lacks)


def planted(name, change, ask=completeness.lacks_tests):
    """What is missed of a step whose --describe is changed."""
    told = json.loads(json.dumps(support.describe(name)))
    change(told)
    true = {module: module.describe for module in modules()}
    try:
        for module in true:
            module.describe = lambda other, told=told: told
        return ask(name)
    finally:
        for module, described in true.items():
            module.describe = described


def modules():
    """All that asks --describe."""
    return [module for module in sys.modules.values()
            if getattr(module, "describe", None) is support.describe]


def invented_record():
    """A step that only the record of another device has, and one that none has."""
    with tempfile.TemporaryDirectory() as root:
        for device, step in (("one", "add"), ("two", INVENTED)):
            folder = os.path.join(root, "plots", "devices", device)
            os.makedirs(folder)
            with open(os.path.join(folder, "describe.json"), "w", encoding="utf-8") as file:
                json.dump([{"step": step}], file)
            with open(os.path.join(folder, "counters.csv"), "w", encoding="utf-8") as file:
                file.write(f"step\n{step}\n")
        with open(os.path.join(root, "plots", "devices", "reference"), "w", encoding="utf-8") as file:
            file.write("one\n")
        case(not completeness.lacks_record("add", root) and not completeness.lacks_record(INVENTED, root),
             "a step's record is that of the device that has it")
        case(len(completeness.lacks_record("reduce7", root)) == 2, "a step that no device's record has is named")


def invented_lists():
    """A step that declares nothing of a purpose, or only what its variants refuse."""
    name = sample_step()

    def emptied(purpose):
        return lambda told: told["launches"].update({purpose: {"cpu": [], "cuda": []}})

    def refused(purpose):
        return lambda told: told["launches"].update({purpose: {"cpu": ["-n 100 -t 33"],
                                                               "cuda": ["-n 100 -t 33"]}})

    def without_tests(told):
        told["test"].update(threads=[])
        told["launches"].update(tested={"cpu": [], "cuda": []})

    for purpose in ("counted", "sanitized", "mutated", "checked"):
        for what, change in (("no", emptied(purpose)), ("a refused", refused(purpose))):
            lacks = planted(name, change)
            case(any(f"a {purpose} launch" in lack for lack in lacks),
                 f"{what} {purpose} launch is missed", lacks)
    lacks = planted(name, without_tests)
    case(any("rows of the matrix" in lack for lack in lacks), "no rows of the matrix are missed",
         lacks)
    true = completeness.make.mutants_of
    completeness.make.mutants_of = lambda other: iter(())
    case("mutants" in completeness.lacks_tests(name), "no mutants are missed")
    completeness.make.mutants_of = true


def invented_loss():
    """A step of the record that has lost a variant since."""
    name = next(name for name in steps() if name in completeness.record_of(SOURCE))
    lost = next(iter(support.variants(name)))
    found = planted(name, lambda told: told["variants"].pop(0), completeness.gone)
    case(lost in found, f"a variant of the record that {name} has lost is named", found)


def main():
    real()
    code_of_now()
    invented_papers()
    invented_record()
    invented_lists()
    if any(name in completeness.record_of(SOURCE) for name in steps()):
        invented_loss()
    leave()


if __name__ == "__main__":
    main()
