"""
The answers of the pages' exercises: what their own commands print, without what a run's time decides.
"""
import glob
import os
import re
import shutil
import subprocess

from common.commands.drive.support import BUILD, SOURCE
from docs.page_writer import exercises

from .series import Failed

# A row of the table of times: what stands before the median, behind it its smallest and largest.
ROW = re.compile(r"(\S.*?)\s+[\d.e+-]+\s+\[\s*[\d.e+-]+\s+[\d.e+-]+\](.*)$")
END = re.compile(r".*?(exact\s+|(?:nan|-?inf|[\d.e+-]+) / (?:nan|-?inf|[\d.e+-]+)\s+)?"
                 r"((?:ok|wrong|unsynchronised|refused|deadlock)\b.*)$")
DROPPED = re.compile(r"[\w-]+: .*runs after|CPU device \(|\(copy\)|docs/mistakes/|building |configuring")
HEAD = re.compile(r"(variant .*?)\s+median us .*?(error / bound|)\s*(result)$")
LIMIT = 600
NVCC = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")  # of what is only compiled


def aligned(lines):
    """The lines up to an empty one; those of a table of results, (what was run, error, result), in columns."""
    rows = [line for line in lines if isinstance(line, tuple)]
    wide = [max((len(row[at]) for row in rows), default=0) for at in range(2)]
    return [line if isinstance(line, str) else
            f"{line[0]:{wide[0]}}  {line[1]:{wide[1]}}{'  ' if wide[1] else ''}{line[2]}" for line in lines]


def without_times(text):
    """The lines of an output without its settings and the times of its tables of results."""
    kept, lines = [], []
    text = re.sub(r"; \d+ of \d+ slots", "; slots", text)  # how often blocks are caught in the act
    if "orders the two blocks" in text:
        text = re.sub(r"and \d+ more", "and more", text)
    for line in [*text.splitlines(), ""]:
        head, row = HEAD.match(line), ROW.match(line)
        end = END.match(row[2]) if row else None
        if DROPPED.match(line):
            continue
        if line.strip():
            lines.append(tuple(part.strip() for part in head.groups()) if head else
                         (row[1], (end[1] or "").strip(), end[2]) if end else line.rstrip())
            continue
        kept += aligned(lines)
        lines = []
        if kept and kept[-1]:
            kept.append("")
    return kept[:-1]


def asked(names):
    """(answer's name, commands) of each exercise that has a block "answer"; of all, or of these."""
    for path in sorted(glob.glob(os.path.join(SOURCE, "docs", "*.md"))):
        page = os.path.basename(path)[:-3]
        with open(path, encoding="utf-8") as file:
            for each in exercises.of(file.read()):
                if "<!-- begin: answer " in each.answer:
                    found = f"{page}-{each.number}"
                    if not names or {found, page} & set(names):
                        yield found, exercises.commands(each)


def ran(path):
    """The commands whose output a file has."""
    try:
        with open(path, encoding="utf-8") as file:
            return re.findall(r"^\$ (.*)$", file.read(), re.MULTILINE)
    except OSError:
        return []


def answer(name, commands, out, copy, build):
    """Runs the commands in the copy of the tree, where build/ is BUILD, and writes the answer. What
    ./steps/practice builds goes into the build of the copy."""
    if not commands:
        raise Failed(f"{name}: the exercise has no command")
    here = os.path.join(copy, "build")  # a directory of its own, so that the logs of BUILD stay as they are
    if not os.path.exists(here):
        os.mkdir(here)
        for entry in os.listdir(BUILD):
            os.symlink(os.path.join(BUILD, entry), os.path.join(here, entry))
    for log in glob.glob(os.path.join(here, "*.csv")):
        os.unlink(log)
    path = os.path.join(out, "transcripts", f"exercise-{name}.txt")
    if any(command.startswith("nvcc ") for command in commands) and not NVCC and os.path.exists(path):
        return
    if any("CPU_DEVICE_WORKERS" in command for command in commands) and commands == ran(path):
        return  # another thing each time
    said = []
    for command in commands:
        run = command.replace("./steps/practice ", f"./steps/practice --backend cpu --build {build} ")
        done = subprocess.run(["bash", "-c", run],
                              cwd=copy, text=True, errors="replace", stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                              timeout=LIMIT, env={
                                  **os.environ, "CPU_DEVICE_NVCC": "",
                                  "PATH": os.environ["PATH"] + ":/usr/local/cuda/bin"})
        if re.search("No such file|not found|^steps/practice: ", done.stdout, re.MULTILINE):
            raise Failed(f"{name}: {done.stdout.strip().splitlines()[-1]}")
        said += [f"$ {command}", *without_times(done.stdout)]
        if not re.search(r"\| |; done$|echo|steps/table", command):
            said.append(f"(status {done.returncode})")
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(line + "\n" for line in said)


def write(names, out, copy, build):
    """All answers, or those of pages, or single ones."""
    found = list(asked(names))
    for name in names:
        if not any(name in (each, each.rpartition("-")[0]) for each, _ in found):
            raise Failed(f"{name}: no page or exercise with an answer")
    for each, commands in found:
        print(f"exercise {each}", flush=True)
        answer(each, commands, out, copy, build)
