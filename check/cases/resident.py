"""
Variants whose blocks must all be on the device at once: the largest grid runs, one block more is
refused, a sweep ends at the largest, and --oversubscribe, where the step has it, shows the end of
what cannot start.
"""
import os
import re
import tempfile
import time

from common.commands.drive import batch
from check.matrix import threads_of
from common.commands.drive.shapes import FAR_TOO_MANY, resident
from common.commands.drive.support import CHOSEN, FULL, case, describe, leave, on_gpu, rows_of, run, step, steps
from common.commands.drive.support import variants

SAMPLE = (1, 33, 256, 1024)


def waiting():
    """(step, variant of --describe, threads that are tried)"""
    for name in steps():
        for variant in variants(name).values():
            if variant["takes"]["resident"]:
                threads = threads_of(name, variant)
                yield name, variant, threads if FULL else \
                    [t for t in threads if t in SAMPLE] or threads[-1:]


def largest():
    """One thing of a grid as large as it may be, and a grid that is one block too large."""
    for name, variant, threads in waiting():
        lines, grids = [], []
        for t in threads:
            most, done = resident(name, variant["name"], t)
            case(most > 0, f"{name} {variant['name']} refuses {FAR_TOO_MANY} x {t} and names the "
                           "largest grid", done)
            size = "1" if describe(name)["item"] else "100"
            rest = f"-n {size} -t {t}" if t else ""  # or both as they are by default
            lines += [f"{rest} -b {b} -v {variant['name']}".strip() for b in (most, most + 1)]
            grids.append(most)
        rows = batch.batches([(step(name), list(variants(name)), lines)], ["-r", 2, "-w", 1])[0]
        for at, line in enumerate(lines):
            row = (rows[at] or [{}])[0]
            good = row.get("verdict") == ("refused" if at % 2 else "ok") and \
                (row.get("blocks") == grids[at // 2] if at % 2 == 0 else
                 str(grids[at // 2]) in row["message"])
            case(good, f"{name} {line}: {'refused' if at % 2 else 'runs'}", row)


def sweeps(scratch):
    """Powers of two, then the largest grid; what is beyond is left out."""
    for name, variant, _ in waiting():
        if describe(name)["sweep"] != "blocks":
            continue
        most = resident(name, variant["name"], 1024)[0]
        powers = most.bit_length() - (not most & (most - 1))
        log = os.path.join(scratch, f"{name}-{variant['name']}.csv")
        done = run(step(name), "-v", variant["name"], "-s", f"0:{powers + 1}", "-t", 1024, "-n", 1,
                   "-r", 1, "-w", 0, "--log", log)
        ran = [int(row["blocks"]) for row in rows_of(log)]
        want = [2**k for k in range(powers)] + [most]
        case(done.status == 0 and ran == want,
             f"{name} {variant['name']}: a sweep walks the grids up to the largest",
             f"{ran}, not {want}\n{done}")
        case("refused: " in done.out, "and leaves out the larger ones", done)


def oversubscribed(scratch):
    """Blocks that cannot start are reported in seconds, and logged as nothing."""
    for name in dict.fromkeys(name for name, *_ in waiting()):
        if "oversubscribe" not in describe(name)["options"]:
            continue
        waits = [v["name"] for n, v, _ in waiting() if n == name]
        log, start = os.path.join(scratch, name + ".csv"), time.monotonic()
        done = run(step(name), "-b", 200, "--oversubscribe", "--log", log)
        seconds = time.monotonic() - start
        told = all(re.search(rf"^{v} .*(refused|deadlock): ", done.out, re.MULTILINE)
                   for v in waits)
        case(done.status == 0 and told,
             f"{name} --oversubscribe shows the end of it, in {seconds:.0f} s", done)
        logged = [row["variant"] for row in rows_of(log)]
        case(not set(logged) & set(waits),
             f"{name} --oversubscribe logs no run that did not finish", logged)
        done = run(step(name), "-v", waits[0], "-b", 16, "--oversubscribe")
        case(done.status == 0 and done.out.rstrip().endswith("ok"),
             f"{name} --oversubscribe does no harm to a grid that fits", done)


def main():
    if not CHOSEN:
        case(list(waiting()), "the build has variants whose blocks wait for one another")
    largest()
    with tempfile.TemporaryDirectory() as scratch:
        sweeps(scratch)
        if not on_gpu():
            oversubscribed(scratch)
    leave()


if __name__ == "__main__":
    main()
