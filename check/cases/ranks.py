"""
A process per GPU: several processes of one host, each with a CPU device of its own, run a step together. All
launchers' variables; every rank's output is verified; a rank that dies ends the others with a line that names it, and
no row of the log is lost; what is wrong with the variables is told in a line.
"""
import os
import random
import shutil
import socket
import subprocess
import tempfile
import time

from common.commands.drive.building import build
from common.commands.drive.support import SOURCE, Done, case, leave, parallel, rows_of, run, step

LAUNCHERS = {
    "torchrun": ("RANK", "WORLD_SIZE", "LOCAL_RANK"),
    "Open MPI": ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"),
    "MPICH": ("PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID"),
    "Slurm": ("SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID"),
}
KNOWN = {name for names in LAUNCHERS.values() for name in names} | {"SLURM_STEP_ID", "MASTER_ADDR", "MASTER_PORT"}
LIMIT = 120  # seconds, within which a rank's end must have ended the others
NAMED = "rank 1 of 3 has ended"


def free_port():
    """One that nobody listens at, below those that the system gives out by itself: to mpirun, say, a moment later."""
    while True:
        with socket.socket() as one:
            try:
                one.bind(("127.0.0.1", random.randrange(10000, 30000)))
            except OSError:
                continue
            return one.getsockname()[1]


def start(command, told):
    """A process with these variables of launchers and no others."""
    env = {name: value for name, value in os.environ.items() if name not in KNOWN}
    return subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, env={**env, "LC_ALL": "C.UTF-8", **told})


def finish(process):
    try:
        out, err = process.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        process.kill()
        return Done(process.args, 124, *process.communicate())
    return Done(process.args, process.returncode, out, err)


def told(rank, count, port, launcher="torchrun"):
    more = {"SLURM_STEP_ID": "0"} if launcher == "Slurm" else {}
    return {**dict(zip(LAUNCHERS[launcher], (str(rank), str(count), str(rank)))), "MASTER_PORT": str(port), **more}


def together(count, *command, launcher="torchrun", change=None):
    """How each of the ranks ended. change: what some are told otherwise, {rank: variables}; None: it is not started."""
    port, change = free_port(), change or {}
    started = [start(command, {**told(rank, count, port, launcher), **change.get(rank, {})})
               for rank in range(count) if change.get(rank, {}) is not None]
    return [finish(process) for process in started]


def all_told(ended):
    return "\n".join(f"{rank}: {done}" for rank, done in enumerate(ended))


def good(ended, rows):
    """Rank 0 alone prints, and has so many rows of NCCL's that are right."""
    return all(done.status == 0 and not done.err for done in ended) and not any(done.out for done in ended[1:]) and \
        sum(line.startswith("nccl ") and line.endswith(" ok") for line in ended[0].out.splitlines()) == rows


def work_together(scratch):
    asked = [(name, 2, name) for name in LAUNCHERS]
    asked += [(f"{count} ranks", count, "torchrun") for count in (3, 4, 8, 16)]

    def one(plan):
        name, count, launcher = plan
        log = os.path.join(scratch, f"{name}.csv")
        words = ["--log", log] + (["--type", "i32"] if count == 8 else ["--sweep", "10:11"])
        return plan, together(count, step("allreduce-ring"), *words, launcher=launcher), rows_of(log)

    for (name, count, _), ended, rows in map(one, asked):
        case(good(ended, 1 if count == 8 else 2) and
             {(row["variant"], row["devices"], row["ranks"], row["status"]) for row in rows} ==
             {("nccl", str(count), str(count), "ok")} and
             len(rows) == (1 if count == 8 else 2), f"{name}: one table, one log, all right", all_told(ended))
    for name, more in (("peers-copy", ["-n", 1001]), ("allreduce-twoshot", ["-n", 0]),
                       ("transpose-devices", ["-n", "3x1003"]), ("transpose-devices", ["-n", "0x9"]),
                       ("allreduce-oneshot", ["-n", 7, "-r", 2, "--then", "-n", 3, "-r", 1])):
        ended = together(3, step(name), *more)
        case(good(ended, 1 + ("--then" in more)) and "refused: it needs the memory of all devices" in ended[0].out,
             f"{name} {' '.join(map(str, more))}: what needs all devices in one process is left out by name",
             all_told(ended))
    log = os.path.join(scratch, "mixed.csv")
    alone = finish(start([step("allreduce-ring"), "-n", 100, "-q", "-o", log], {}))
    ended = together(2, step("allreduce-ring"), "-n", 100, "-o", log)
    case(alone.status == 0 and [done.status for done in ended] == [2, 2] and len(rows_of(log)) == 1 and
         "it has no column ranks" in ended[0].err, "a log that one process began takes no rows of ranks",
         all_told(ended))
    ended = together(2, step("allreduce-ring"), "--help")
    case(ended[0].out.startswith("Usage") and not ended[1].out and not ended[0].status + ended[1].status,
         "--help is printed once", all_told(ended))
    alone = finish(start([step("allreduce-ring"), "-n", 100, "--devices", 2], told(0, 1, 1)))
    case(alone.status == 0 and "copies" in alone.out, "a single rank is a process of its own", alone)
    batch = finish(start([step("reduce7"), "-n", 100], {"SLURM_PROCID": "0", "SLURM_NTASKS": "4"}))
    case(batch.status == 0, "a batch script of Slurm is no rank", batch)


def refuse():
    """What is wrong for all is said by rank 0 alone, and none goes on."""
    for command, words in ((["allreduce-ring", "--size", "5x"], "--size 5x"),
                           (["allreduce-ring", "-v", "copies"], "copies: it needs the memory"),
                           (["allreduce-ring", "--devices", 3], "it works on 3 devices; there are 2 ranks"),
                           (["reduce7"], "it works on 1 device; there are 2 ranks"),
                           (["allreduce-ring", "--batch", "-"], "--batch"),
                           (["allreduce-ring", "--log", "/nowhere/x.csv"], "--log /nowhere/x.csv")):
        ended = together(2, step(command[0]), *command[1:])
        case([done.status for done in ended] == [2, 2] and words in ended[0].err and
             len("".join(done.err for done in ended).splitlines()) == 1,
             f"{' '.join(map(str, command))} is refused once", all_told(ended))


SLOW = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/socket.h>
#include <unistd.h>
ssize_t send(int to, const void *from, size_t bytes, int flags)
{
    ssize_t sent = ((ssize_t (*)(int, const void *, size_t, int))dlsym(RTLD_NEXT, "send"))(to, from, bytes, flags);
    usleep(gettid() == getpid() ? 200000 : 0); /* the thread that reads is as fast as ever */
    return sent;
}
"""


def refuse_slowly(scratch):
    """The others have ended before rank 0, which said farewell to them: that is no loss."""
    source, library = os.path.join(scratch, "slow.c"), os.path.join(scratch, "slow.so")
    with open(source, "w", encoding="utf-8") as file:
        file.write(SLOW)
    done = run("cc", "-shared", "-fPIC", source, "-o", library)
    if not case(done.status == 0, "slow.c compiles", done):
        return
    ended = together(2, step("allreduce-ring"), "--devices", 3, change={0: {"LD_PRELOAD": library}})
    case([done.status for done in ended] == [2, 2] and "it works on 3 devices" in ended[0].err and
         len("".join(done.err for done in ended).splitlines()) == 1,
         "what is wrong is told once by a rank 0 that ends behind the others", all_told(ended))


def misled():
    """Variables that are missing or contradict each other."""
    for variables, words in (
            ({"RANK": "1"}, "RANK is set and WORLD_SIZE is not"),
            ({"WORLD_SIZE": "2"}, "WORLD_SIZE is set and RANK is not"),
            ({"RANK": "2", "WORLD_SIZE": "2"}, "RANK=2: not accepted; accepted: 0 to 1"),
            ({"RANK": "x", "WORLD_SIZE": "2"}, "RANK=x: not accepted"),
            ({"RANK": "0", "WORLD_SIZE": "17"}, "WORLD_SIZE=17: not accepted; accepted: 1 to 16"),
            ({"RANK": "1", "WORLD_SIZE": "4", "LOCAL_RANK": "2"}, "LOCAL_RANK=2: not accepted; accepted: 0 to 1"),
            ({"RANK": "3", "WORLD_SIZE": "4", "LOCAL_RANK": "1"}, "MASTER_ADDR is missing"),
            ({"RANK": "3", "WORLD_SIZE": "4", "MASTER_ADDR": "node7"}, "LOCAL_RANK is missing"),
            ({"RANK": "0", "WORLD_SIZE": "2", "MASTER_PORT": "70000"}, "MASTER_PORT=70000: not accepted"),
            ({"RANK": "0", "WORLD_SIZE": "2", "MASTER_ADDR": "no such host", "LOCAL_RANK": "0"},
             "MASTER_ADDR=no such host: not accepted"),
            ({"RANK": "0", "WORLD_SIZE": "2", "PMI_RANK": "1", "PMI_SIZE": "2"}, "RANK and PMI_RANK contradict")):
        done = finish(start([step("allreduce-ring"), "-n", 100], variables))
        case(done.status == 2 and words in done.err and len(done.err.splitlines()) == 1 and not done.out,
             f"{' '.join(f'{name}={value}' for name, value in variables.items())} is refused", done)


def differ():
    """Ranks that are told different things: rank 0 says which, and all end."""
    port = free_port()
    for what, others, words in (
            ("sizes", [(1, 3, [])], "rank 1 is told of 3 ranks, and rank 0 of 2"),
            ("options", [(1, 2, ["-r", 7])], "rank 1 runs something else"),
            ("steps", [(1, 2, [])], "rank 1 runs something else")):
        first = start([step("allreduce-ring"), "-n", 100], told(0, 2, port))
        name = "allreduce-twoshot" if what == "steps" else "allreduce-ring"
        rest = [start([step(name), "-n", 100, *more], told(rank, count, port)) for rank, count, more in others]
        ended = [finish(process) for process in [first, *rest]]
        case({done.status for done in ended} == {2} and words in ended[0].err and
             len("".join(done.err for done in ended).splitlines()) == 1, f"different {what} are told", all_told(ended))
    ended = together(3, step("allreduce-ring"), "-n", 100, change={2: {"RANK": "1", "LOCAL_RANK": "1"}})
    case({done.status for done in ended} == {2} and "two processes have rank 1" in ended[0].err,
         "two processes with one rank are told", all_told(ended))


def one_fails(scratch):
    """What is wrong in one process: see ranks.cu."""
    program = os.path.join(scratch, "ranks")
    done = build(os.path.join(SOURCE, "check", "ranks", "ranks.cu"), program, ["f32", "i32"])
    if not case(done.status == 0, "ranks.cu compiles", done):
        return
    log = os.path.join(scratch, "good.csv")
    ended = together(3, program, "-v", "right", "-n", 1000, "-o", log)
    case(all(done.status == 0 for done in ended) and len(rows_of(log)) == 1, "right", all_told(ended))
    for more in ([], ["--type", "i32"]):
        log = os.path.join(scratch, f"spoiled{len(more)}.csv")
        ended = together(3, program, "-v", "spoiled", "-n", 1000, "-r", 4, "-o", log, *more)
        case([done.status for done in ended] == [1, 1, 1] and "ranks rank 1 spoiled" in ended[1].err and
             "device 1: 1 elements, first out[999]" in ended[0].out and
             [row["status"] for row in rows_of(log)] == ["wrong"],
             f"an output that is wrong in one process {' '.join(more)}", all_told(ended))
    for variant in ("killed", "left"):
        log = os.path.join(scratch, f"{variant}.csv")
        begun = time.monotonic()
        ended = together(3, program, "-v", "right", "-n", 99, "-o", log, "--then", "-v", variant, "-o", log)
        took = time.monotonic() - begun
        case(all(ended[rank].status == 3 and NAMED in ended[rank].err and len(ended[rank].err.splitlines()) == 1
                 for rank in (0, 2)) and took < LIMIT,
             f"{variant}: the others name the rank and end, in {took:.1f} s", all_told(ended))
        case([row["n"] for row in rows_of(log)] == ["99"], f"{variant}: the row of the line before is there",
             rows_of(log))
    ended = together(3, program, "-v", "refused")
    case([done.status for done in ended] == [3, 3, 3] and "ranks rank 1: ncclAllReduce failed" in ended[1].err and
         len("".join(done.err for done in ended).splitlines()) == 1, "a rank whose call fails says so, and all end",
         all_told(ended))


def spread_sum(scratch):
    """An array of which each rank has a part."""
    program = os.path.join(scratch, "sum")
    done = build(os.path.join(SOURCE, "check", "ranks", "sum.cu"), program, ["f32", "i32"])
    if not case(done.status == 0, "sum.cu compiles", done):
        return
    for count in (2, 3, 8):
        for more in (["-n", 1003], ["-n", 0], ["-n", 1], ["-n", 4097, "--type", "i32"]):
            ended = together(count, program, "-v", "right", "-r", 3, *more)
            case(all(done.status == 0 and not done.err for done in ended) and " ok" in ended[0].out,
                 f"sum by {count} ranks {' '.join(map(str, more))}", all_told(ended))
    ended = together(3, program, "-v", "less", "-n", 1003, "--type", "i32", "-r", 3)
    case([done.status for done in ended] == [1, 1, 1] and " wrong" in ended[0].out.lower(),
         "a part that is left out is found", all_told(ended))


def kill_from_outside(rank, scratch):
    """kill -9 while the ranks work, once the log has a row."""
    log, port = os.path.join(scratch, f"kill{rank}.csv"), free_port()
    words = [step("allreduce-ring"), "-o", log, "-n", 99, "--then", "-n", "2^14", "-r", 100000, "-o", log]
    started = [start(words, told(each, 3, port)) for each in range(3)]
    end = time.monotonic() + LIMIT
    while not rows_of(log) and time.monotonic() < end:
        time.sleep(0.05)
    time.sleep(0.3)
    started[rank].kill()
    begun = time.monotonic()
    ended = [finish(process) for process in started]
    took = time.monotonic() - begun
    others = [done for each, done in enumerate(ended) if each != rank]
    return case(all(done.status == 3 and f"rank {rank} of 3 has ended" in done.err and len(done.err.splitlines()) == 1
                    for done in others) and [row["n"] for row in rows_of(log)] == ["99"] and took < LIMIT,
                f"kill -9 of rank {rank}: the others name it and end, in {took:.1f} s, and the log is whole",
                all_told(ended))


def absent(rank):
    """A rank that never comes."""
    begun = time.monotonic()
    ended = together(3, step("allreduce-ring"), change={rank: None})
    return rank, ended, time.monotonic() - begun


def mpirun(count, *command):
    """How Open MPI's or MPICH's own launcher ends, which passes on what its ranks print."""
    env = {name: value for name, value in os.environ.items() if name not in KNOWN}
    more = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",  # as --allow-run-as-root
            "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_plm": "isolated", "MASTER_PORT": str(free_port())}
    return run("mpirun", "-n", count, *command, env={**dict.fromkeys(KNOWN & set(os.environ), ""), **env, **more},
               limit=LIMIT)


def by_mpirun(scratch):
    """The launcher itself: one table and one log; a rank that dies is named, and the launcher ends."""
    if not shutil.which("mpirun"):
        print("ok - mpirun starts the ranks # skip no mpirun here: the package openmpi-bin has it")
        return
    for count in (2, 4):
        for name, more in (("allreduce-ring", ["-n", "2^10"]), ("transpose-devices", ["-n", f"{count}x1003"])):
            log = os.path.join(scratch, f"mpirun-{name}-{count}.csv")
            done = mpirun(count, step(name), "-v", "nccl", *more, "-o", log)
            rows = [(row["variant"], row["ranks"], row["status"]) for row in rows_of(log)]
            case(done.status == 0 and done.out.count("variant ") == 1 and rows == [("nccl", str(count), "ok")],
                 f"mpirun -n {count} {name}: one table, one row, right", done)
    program, log = os.path.join(scratch, "ranks"), os.path.join(scratch, "mpirun-killed.csv")
    if os.path.exists(program):
        begun = time.monotonic()
        done = mpirun(3, program, "-v", "right", "-n", 99, "-o", log, "--then", "-v", "killed", "-o", log)
        took = time.monotonic() - begun
        case(done.status != 0 and NAMED in done.err and took < 30 and [row["n"] for row in rows_of(log)] == ["99"],
             f"mpirun: a rank that is killed is named, and all end, in {took:.1f} s; the row of the line before is "
             "there", done)


def main():
    with tempfile.TemporaryDirectory() as scratch:
        work_together(scratch)
        refuse()
        refuse_slowly(scratch)
        misled()
        differ()
        one_fails(scratch)
        by_mpirun(scratch)
        spread_sum(scratch)
        for rank in (0, 2):
            kill_from_outside(rank, scratch)
    for rank, ended, took in parallel(absent, [0, 2]):
        words = "rank 0 of 3 does not answer" if rank == 0 else "rank 2 of 3 has not come"
        case(all(done.status == 3 and words in done.err and len(done.err.splitlines()) == 1 for done in ended) and
             took < LIMIT + 5, f"rank {rank} never comes: the others say so and end", all_told(ended))
    leave()


if __name__ == "__main__":
    main()
