"""
Many lines of options in one process: PROGRAM --batch, on all cores. A process that a line ended (a
crash, a hang, a device error) is started again behind that line, which gets a row that says so.
"""
import concurrent.futures
import json
import os
import selectors
import subprocess
import tempfile
import time

from common.commands.drive.shapes import parse

LIMIT = 300  # seconds without a row: it hangs; see has_row
IDLE = 0.01  # of the time on the clock: a process that uses less of a processor waits for something,
IDLE_SECONDS = 30  # and hangs if it does for so long, at least
FEWEST = 25  # lines that are worth a process of their own


def end(process, spent):
    """Wait for the end of a process and return its exit status; its seconds of processor time go to the list."""
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
    spent.append(used.ru_utime + used.ru_stime)
    return process.returncode


def processor_seconds(process):
    """What it has used so far."""
    with open(f"/proc/{process.pid}/stat", encoding="utf-8", errors="replace") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def has_row(ready, process, limit):
    """Waits for output; false if it hangs. That are so many seconds of its own processor time without any, or on the
    clock, if it used none: on a machine with other work one that computes is given less of it."""
    begun, before = time.monotonic(), processor_seconds(process)
    while not ready.select(min(limit, 1)):
        passed, used = time.monotonic() - begun, processor_seconds(process) - before
        if used >= limit or passed >= max(limit, IDLE_SECONDS) and used < IDLE * passed:
            return False
    return True


def one_process(program, lines, more, env, limits, take, spent=None):
    """Run the program on the lines, take(row) for each row until it is True. A row with findings
    of --check gets the first of them as "found". limits: for each line, see has_row; spent: a list that gets the
    seconds of processor time that it took. Returns (status, standard error); the status of one that hung is None, of
    one that was stopped 0."""
    with tempfile.TemporaryDirectory() as scratch:
        listed, said = os.path.join(scratch, "lines"), os.path.join(scratch, "said")
        with open(listed, "w", encoding="utf-8") as file:
            file.writelines((line if line.strip() else "-q") + "\n" for line in lines)
        command = [program, "--batch", listed, *map(str, more)]
        with open(said, "w", encoding="utf-8") as err, \
                open(said, encoding="utf-8", errors="replace") as heard, \
                subprocess.Popen(command, stdout=subprocess.PIPE, stderr=err, cwd=scratch,
                                 stdin=subprocess.DEVNULL,
                                 env={**os.environ, **(env or {})}) as process, \
                selectors.DefaultSelector() as ready:
            ready.register(process.stdout, selectors.EVENT_READ)
            rest, status, at = b"", None, 0
            while status is None and has_row(ready, process, max(limits[at:at + 2])):
                part = os.read(process.stdout.fileno(), 1 << 16)
                *whole, rest = (rest + part).split(b"\n")
                if not part:
                    status = end(process, [] if spent is None else spent)
                rows = [json.loads(line) for line in whole]
                at = rows[-1]["line"] - 1 if rows else at  # of this line, or of the next one, comes the next row
                if any(take(with_finding(row, heard)) for row in rows):
                    status = 0
            process.kill()
        with open(said, encoding="utf-8", errors="replace") as err:
            return status, err.read()


def with_finding(row, heard):
    """What --check found stands on standard error before the row is printed."""
    if row.get("findings"):
        found = [line.rstrip() for line in heard if line.startswith("--check: ")]
        row["found"] = (found or ["--check: finding"])[0]
    return row


def last_words(status, err):
    """(verdict, message) of a line that ended the process."""
    last = (err.strip().splitlines() or [f"status {status}"])[-1]
    if status is None:
        return "hang", last
    if status == 3:
        return "deadlock" if "deadlock" in err else "device", last
    return "crash", f"status {status}: {last}"


def work_off(program, names, lines, more, env=None, limit=LIMIT, stop=lambda row: False, spent=None):
    """The rows of each line, up to one of which stop is true. names: all variants, to know when a
    line is done; limit: for each row, or a list of them, one per line."""
    rows, limits = [[] for _ in lines], limit if isinstance(limit, list) else [limit] * len(lines)
    at = 0
    while at < len(lines):
        def take(row, at=at):
            rows[at + row["line"] - 1].append(row)
            return stop(row)

        status, err = one_process(program, lines[at:], more, env, limits[at:], take, spent)
        if status in (0, 1):
            break
        seen = [i for i in range(at, len(lines)) if rows[i]]
        last = seen[-1] if seen else at
        wanted = parse(lines[last]).get("variant", names)
        if not rows[last] or rows[last][-1]["verdict"] not in ("device", "deadlock"):
            if len(rows[last]) >= len(wanted) and last + 1 < len(lines):
                last += 1
                wanted = parse(lines[last]).get("variant", names)
            verdict, message = last_words(status, err)
            missing = wanted[len(rows[last]):] or [None]
            row = {"line": last - at + 1, "variant": missing[0], "verdict": verdict,
                   "message": message, "findings": err.count("--check: ")}
            rows[last].append(with_finding(row, err.splitlines()))
            if stop(rows[last][-1]):
                break
        at = last + 1
    return rows


def batches(items, more=(), env=None, limit=LIMIT, jobs=None):
    """Each item is (program, its variants' names, lines); returns the rows of each line of each
    item. The lines are dealt out to a few processes an item."""
    jobs = jobs or os.cpu_count() or 2
    parts = []
    for at, (_, _, lines) in enumerate(items):
        count = max(1, min(2 * jobs, len(lines) // FEWEST))
        parts += [(at, first, count) for first in range(count)]

    def work(part):
        at, first, count = part
        program, names, lines = items[at]
        return work_off(program, names, lines[first::count], more, env, limit)

    results = [[None] * len(lines) for _, _, lines in items]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for (at, first, count), rows in zip(parts, pool.map(work, parts)):
            results[at][first::count] = rows
    return results


def row_of(rows, variant):
    """The row of a variant; that of the line as a whole if it was refused; None for none."""
    return next((row for row in rows if row["variant"] in (variant, None)), None)
