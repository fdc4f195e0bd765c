"""
Other people's labelled programs under ./steps/cuda --check: what it finds of what they say is wrong, and what it
finds of what they say is right.

usage: plots/record checked CORPUS DIR [--jobs J] [--limit SECONDS] [--most N] [--seed S] [--runs N]
                            [--only PATTERN] [--build DIR] [--gpu [--seconds S]] [--out FILE]
       plots/record checked --list

  CORPUS          one of those that --list names, with where each is fetched and its licence
  DIR             its files: a clone of it, or its files alone. Nothing of it is kept here, nothing in it is changed
  --jobs J        so many programs at a time (default: the cores)
  --limit S       a run that takes longer, in seconds of a core, has ended as "limit" (default 20)
  --most N        only N of its programs, spread over the labels; --seed chooses which (default 1)
  --runs N        only the first N runs of each program, where it has more
  --only PATTERN  only programs of such names, * for any text; prints their verdicts, and writes nothing
  --build DIR     the build of the CPU device (default build)
  --gpu           by nvcc on this machine's GPU, under compute-sanitizer: plots/checked/CORPUS-gpu.csv
  --seconds S     begin no further program then; the table has those that were run
  --out FILE      the table (default plots/checked/CORPUS.csv): a row per program, the same each time

Verdicts are kept in BUILD/checked/ and asked again when the CPU device changes: stopped, it goes on where it was.

Exit status: 0, 2 bad usage or a folder that is not the corpus, 3 something of it could not be made.
"""
import concurrent.futures
import csv
import fnmatch
import hashlib
import os
import sys
import tempfile
import time

from common.commands import ROOT
from common.commands.arguments import Arguments, positive, text
from common.commands.runner.screen import Screen, end_of
from plots import labelled
from plots.makers.checked import hecbench, indigo, indigo3, judge, kernels, sanitize, scor
from plots.makers.checked.corpus import mark, sampled
from plots.makers.running import prepare

PROGRAMS = {"indigo": indigo.programs, "scor": scor.programs, "faial": kernels.faial, "gpuverify": kernels.gpuverify,
            "indigo3": indigo3.programs, "hecbench": hecbench.programs}


def arguments():
    parser = Arguments("plots/record checked", __doc__)
    parser.add_argument("corpus", nargs="?")
    parser.add_argument("folder", nargs="?")
    for name in ("--list", "--gpu"):
        parser.add_argument(name, action="store_true")
    for name, kind in (("--jobs", int), ("--limit", int), ("--most", int), ("--runs", int), ("--seconds", int)):
        parser.add_argument(name, type=positive(kind))
    parser.add_argument("--seed", default="1")
    parser.add_argument("--only", type=text)
    parser.add_argument("--build", type=text, default=os.path.join(ROOT, "build"))
    parser.add_argument("--out", type=text)
    asked = parser.parse(sys.argv[1:])
    if not asked.list:
        parser.one_of("CORPUS", [asked.corpus] if asked.corpus else [""], list(PROGRAMS))
        if not asked.folder or not os.path.isdir(asked.folder):
            parser.error(f"DIR {asked.folder or ''}: no such folder")
        asked.folder = os.path.abspath(asked.folder)
        asked.out = asked.out or os.path.join(ROOT, "plots", "checked",
                                              asked.corpus + ("-gpu" if asked.gpu else "") + ".csv")
    return asked


def print_list(screen):
    for corpus in labelled.corpora():
        screen.line(f"{corpus.name:10} {corpus.about}; {corpus.licence}\n"
                    f"{'':10} git clone {corpus.url} DIR && git -C DIR checkout {corpus.commit}")


class Keeper:
    """The verdicts so far, in a file that grows while they come: rows of a digest of the program, and its Verdict."""

    def __init__(self, asked, programs):
        folder = os.path.join(asked.build, "checked")
        os.makedirs(folder, exist_ok=True)
        device = "gpu" if asked.gpu else judge.digest_of(asked.build)
        self._path = os.path.join(folder, f"{asked.corpus}-{device}.csv")
        self._digests = {program.name: digest_of(program) for program in programs}
        self.verdicts = {}
        if os.path.exists(self._path):
            with open(self._path, newline="", encoding="utf-8") as file:
                for digest, *row in csv.reader(file):
                    if len(row) == len(labelled.Verdict._fields) and self._digests.get(row[0]) == digest:
                        self.verdicts[row[0]] = labelled.Verdict(*row)

    def add(self, verdict):
        self.verdicts[verdict.program] = verdict
        with open(self._path, "a", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerow([self._digests[verdict.program], *verdict])


def digest_of(program):
    """What a verdict depends on beside the CPU device: the files, and the labels."""
    total = hashlib.sha256(f"{program.labels} {len(program.runs)}".encode())
    for path in program.files:
        with open(path, "rb") as file:
            total.update(file.read())
    return total.hexdigest()[:16]


def judged(programs, asked, screen, scratch):
    """[Verdict] of the programs, in their order."""
    keeper = Keeper(asked, programs)
    left = [program for program in programs if asked.only or program.name not in keeper.verdicts]
    if asked.seconds:  # those that are run are then a sample
        left.sort(key=lambda program: mark(asked.seed, program))
    end = time.monotonic() + (asked.seconds or 1e9)

    def one(at):
        own = os.path.join(scratch, str(at))
        os.mkdir(own)
        if time.monotonic() > end:
            return None
        if asked.gpu:
            return sanitize.judge(left[at], own, asked.limit or 20, end)
        return judge.judge(left[at], own, asked.limit or 20, os.path.abspath(asked.build))

    with concurrent.futures.ThreadPoolExecutor(asked.jobs or os.cpu_count() or 2) as pool:
        jobs = [pool.submit(one, at) for at in range(len(left))]
        try:
            for done, job in enumerate(concurrent.futures.as_completed(jobs), 1):
                if job.result():
                    keeper.add(job.result())
                screen.progress(f"{asked.corpus}: {done} of {len(left)} programs")
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    screen.clear()
    return [keeper.verdicts[program.name] for program in programs if program.name in keeper.verdicts]


def work(screen):
    asked = arguments()
    if asked.list:
        print_list(screen)
        return 0
    if asked.gpu:
        sanitize.sanitizer()
    else:
        prepare(asked.build)
    with tempfile.TemporaryDirectory(prefix="checked-") as scratch:
        made = os.path.join(scratch, "made")
        os.mkdir(made)
        programs = [program._replace(runs=program.runs[:asked.runs])
                    for program in PROGRAMS[asked.corpus](asked.folder, made)]
        if asked.only:
            programs = [p for p in programs if fnmatch.fnmatchcase(p.name, asked.only)]
        verdicts = judged(sampled(programs, asked.most, asked.seed), asked, screen, scratch)
    for verdict in verdicts if asked.only else ():
        screen.line(", ".join(f"{name} {value}" for name, value in zip(labelled.Verdict._fields, verdict)))
    if not asked.only:
        judge.write(asked.out, verdicts)
        screen.line(f"{asked.out}: {len(verdicts)} programs")
    return 0


if __name__ == "__main__":
    SCREEN = Screen("plots/record checked", patience=60)
    sys.exit(end_of(SCREEN, lambda: work(SCREEN)))
