"""
The same bits for any number of workers, and in whatever order threads and blocks run. Left out are
the float results of variants that say that their order is that of atomics ("unordered"), and of those that are
wrong for that reason all results. What else is wrong on purpose is asked with other numbers of workers alone, and
not at all beside variants whose blocks wait: then its blocks are what is not in order.
"""

from common.commands.drive import batch
from common.commands.drive.shapes import broken
from common.commands.drive.support import case, describe, leave, step, steps, variants

WORKERS, SEEDS = (1, 2, 3, 7), (1, 2, 3)
THREADS = (64, 256, 320)  # of its own, these and the sizes the first that a variant takes
SIZES = {1: ("50021", "100"), 2: ("129x130", "128x132"), 3: ("33x34x35",)}  # by the number of sides
WHAT = ("verdict", "value", "error", "flops")


def line_of(name, variant, kind):
    """A shape of many warps and blocks, an odd size; None if the variant takes none of these."""
    told = describe(name)
    sides = sum(axis["option"] == "size" for axis in told["axes"])
    grids = ("-b 40 ", "-b 7 ", "") if "blocks" in told["options"] else ("",)
    axes = "".join(f" --{axis['option']} {variant['takes']['only'][axis['name']][0]}"
                   for axis in told["axes"] if axis["name"] in variant["takes"]["only"])
    default = told["axes"][0]["default"]["cpu"]  # small, where an element is much work
    sizes = SIZES[sides] if sides > 1 or default > int(SIZES[1][0]) / 10 else (str(default),)
    for size in ("20",) if told["item"] else sizes:
        for threads in ("",) if variant["takes"]["threads_by_size"] else \
                [f"-t {n} " for n in (variant["takes"]["threads"], *THREADS) if n]:
            for grid in grids:
                line = f"-n {size} {grid}{threads}--type {kind} -v {variant['name']}{axes}"
                if not broken(name, variant, line):
                    return line
    return None


def wanted():
    """(step, variant, type, line, whether orders are tried too)"""
    for name in steps():
        waits = any("waits" in variant["flags"] for variant in variants(name).values())
        for variant in variants(name).values():
            wrong = "wrong_on_purpose" in variant["flags"]
            for kind in variant["types"]:
                line = line_of(name, variant, kind)
                case(line, f"{name} {variant['name']} takes a shape of many blocks or threads")
                free = "unordered" in variant["flags"] and (wrong or kind.startswith("f")) or \
                    wrong and waits
                if line and not free:
                    yield name, variant["name"], kind, line, not wrong


def main():
    asked = list(wanted())
    ways = [({"CPU_DEVICE_WORKERS": str(n)}, []) for n in WORKERS]
    ways += [({}, [f"--schedule=random:{seed}"]) for seed in SEEDS]
    names = list(dict.fromkeys(name for name, *_ in asked))
    found = {}
    for env, more in ways:
        kept = {name: [a for a in asked if a[0] == name and (a[4] or not more)] for name in names}
        rows = batch.batches([(step(name), list(variants(name)), [line for *_, line, _ in of_step])
                              for name, of_step in kept.items()], ["-r", 1, "-w", 0, *more], env)
        for of_step, of_rows in zip(kept.values(), rows):
            for what, of_line in zip(of_step, of_rows):
                row = (of_line or [{}])[0]
                found.setdefault(what, []).append(tuple(row.get(key) for key in WHAT))
    for (name, variant, kind, line, _), bits in found.items():
        good = len(set(bits)) == 1 and bits[0][0] in ("ok", "unsynchronised")
        case(good, f"{name} {variant} {kind}: the same bits in {len(bits)} ways of running",
             f"{line}\n" + "\n".join(map(str, bits)))
    leave()


if __name__ == "__main__":
    main()
