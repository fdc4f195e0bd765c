"""
What the programs say: of bad use, of orders, and of each change in docs/mistakes, whose rows stand
in docs/mistakes/transcripts.py. Where times would be printed, -q leaves them out or they are taken out.
"""
import os
import re
import shutil
import subprocess

from common.commands.drive.support import BUILD, SOURCE, rows_of, run
from common.commands.practice import hints, source

from .series import Failed, succeed

TREE = ("meson.build", "meson_options.txt", "LICENSE", "steps", "common", "check", "docs", "plots")


def output(build, row, *more):
    """(the command as a reader types it, what it says on both streams, its status)"""
    command = [os.path.join(build, "steps", row.step, row.step), *row.options.split(), *more]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", stdin=subprocess.DEVNULL, check=False)
    return f"$ build/steps/{row.step}/{row.step} {row.options}", done.stdout, done.returncode


def keep(out, name, *parts):
    with open(os.path.join(out, "transcripts", name + ".txt"), "w", encoding="utf-8") as file:
        file.writelines(part if part.endswith("\n") else part + "\n" for part in parts)


def say(row, out, build=BUILD):
    command, said, status = output(build, row)
    if row.timed:  # how often blocks are caught in the act depends on the time
        said = re.sub(r"; \d+ of \d+ slots", "; slots", said)
        said = re.sub(r"and \d+ more", "and more", said)
    keep(out, row.name.replace("+", ""), command, *filter(None, [said]), f"(status {status})")


def remarks(row, out):
    """The lines that a family prints under the table of times."""
    command, said, _ = output(BUILD, row)
    keep(out, row.name, command, *(line for line in said.splitlines() if line.startswith("    ")))


def count(row, out):
    """Without the table of times above those of the counters."""
    command, said, _ = output(BUILD, row)
    shown, kept = False, []
    for line in said.splitlines():
        if line.startswith("Global memory"):
            shown = True
        elif re.match(r"[a-z-]+ +[0-9^]+ .* (ok|wrong)", line):
            shown = False
        if shown:
            kept.append(line)
    keep(out, row.name, command, *kept)


def orders(row, out, scratch):
    log, said = os.path.join(scratch, "r.csv"), []
    if os.path.exists(log):
        os.unlink(log)
    for seed in (1, 2, 3):
        command, text, _ = output(BUILD, row, f"--schedule=random:{seed}", "--log", log)
        said += [f"{command} --schedule=random:{seed} --log r.csv", *filter(None, [text])]
    columns = ("variant", "value", "reference", "bound", "status")
    rows = [",".join(each[column] for column in columns) for each in rows_of(log)]
    keep(out, row.name, *said, ",".join(columns), *rows)


def ends(row, out):
    command, said, _ = output(BUILD, row)
    kept = []
    for line in said.splitlines():
        end = re.match(r"([a-z-]+) +[0-9].* (deadlock|refused|unsynchronised|ok)\b(: .*)?$", line)
        if end:
            line = f"{end[1]}: {end[2]}{end[3] or ''}"
            line = re.sub(r" polled [0-9]+ times", " polled ... times", line, count=1)
            kept.append(re.sub(r"; [0-9]+ of [0-9]+ slots read too early", "", line, count=1))
    keep(out, row.name, command, *kept)


def said_by_own(row, root=SOURCE):
    """What steps/cuda says of a file in docs/own, or of a step's plain program, from the project's
    directory, with its status. The same with nvcc on the machine and without."""
    path = os.path.join("steps", row.step, "plain.cu") if row.kind == "plain" else \
        os.path.join("docs", "own", row.step + ".cu")
    words = [path, *row.options.split()]
    cuda = os.path.join(SOURCE, "steps", "cuda")
    done = subprocess.run([cuda, "--build", BUILD, *words], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace",
                          stdin=subprocess.DEVNULL, cwd=root, check=False,
                          env={**os.environ, "CPU_DEVICE_NVCC": ""})
    return [f"$ ./steps/cuda {' '.join(words)}", *filter(None, [done.stdout]),
            f"(status {done.returncode})"]


def own(row, out):
    keep(out, row.name, *said_by_own(row))


def plain(row, out, copy):
    """A step's program without the harness, with the patch of this name if there is one."""
    patched = os.path.exists(os.path.join(SOURCE, "docs", "mistakes", row.name + ".patch"))
    if patched:
        apply(copy, row.name)
    keep(out, row.name, *said_by_own(row, copy))
    if patched:
        take_back(copy, row.name)


def practice(row, out, copy, build):
    """What ./steps/practice says: at first, and with the body that a file of docs/own has."""
    place = os.path.join(copy, "practice", row.step, row.step + ".cu")
    if not row.text:
        shutil.rmtree(os.path.dirname(place), ignore_errors=True)
    else:
        with open(place, encoding="utf-8") as file:
            text = file.read()
        lines, function = text.split("\n"), source.functions(text)[row.options]
        with open(os.path.join(SOURCE, "docs", "own", row.text), encoding="utf-8") as file:
            body = file.read().rstrip("\n").split("\n")
        with open(place, "w", encoding="utf-8") as file:
            file.write("\n".join([*lines[:function.open + 1], *body, *lines[function.close:]]))
    hint = ["--hint"] if row.stage else []
    if os.path.exists(hints.kept(os.path.dirname(place))):
        os.remove(hints.kept(os.path.dirname(place)))
    for _ in range(max(row.stage, 1)):
        done = subprocess.run([os.path.join(copy, "steps", "practice"), row.step, *hint, "--build", build,
                               "--backend", "cpu"], text=True, cwd=copy, check=False, errors="replace",
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    said = done.stdout.replace(os.path.relpath(build, copy), "build")
    said = said.replace("building in build\n", "")  # the first time
    keep(out, row.name, f"$ {' '.join(['./steps/practice', row.step, *hint])}", said, f"(status {done.returncode})")


def build_tree(tree, build, target=None):
    if not os.path.exists(os.path.join(build, "build.ninja")):
        succeed(run(meson(), "setup", "-Ddevice=cpu", build, tree, limit=600), "meson setup")
    succeed(run("ninja", "-C", build, *([target] if target else []), limit=1800),
            f"the build of {target or 'the series'}")


def meson():
    own = os.path.join(SOURCE, ".venv", "bin", "meson")
    return own if os.path.exists(own) else "meson"


def copy_tree(copy):
    os.mkdir(copy)
    for name in TREE:
        source = os.path.join(SOURCE, name)
        if os.path.isdir(source):
            shutil.copytree(source, os.path.join(copy, name),
                            ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(source, copy)


def apply(copy, name):
    patch = os.path.join(SOURCE, "docs", "mistakes", name + ".patch")
    if run("git", "apply", patch, cwd=copy).status != 0:
        raise Failed(f"docs/mistakes/{name}.patch does not apply")


def take_back(copy, name):
    """What a patch has changed: a step's file, or a header of its family."""
    with open(os.path.join(SOURCE, "docs", "mistakes", name + ".patch"), encoding="utf-8") as file:
        for path in re.findall(r"^\+\+\+ b/(.*)$", file.read(), re.MULTILINE):
            shutil.copy(os.path.join(SOURCE, path), os.path.join(copy, path))


def change(row, out, copy, build):
    """Applies the patch to the copy of the tree, builds and runs the step, and takes it back."""
    print(f"change {row.name}", flush=True)
    apply(copy, row.name.split("+")[0])
    build_tree(copy, build, f"steps/{row.step}/{row.step}")
    say(row, out, build)
    take_back(copy, row.name.split("+")[0])


def keep_change(row, out, copy, build):
    if os.path.exists(os.path.join(out, "transcripts", row.name + ".txt")):
        return
    os.environ["CPU_DEVICE_WORKERS"], workers = "4", os.environ["CPU_DEVICE_WORKERS"]
    change(row, out, copy, build)
    os.environ["CPU_DEVICE_WORKERS"] = workers
