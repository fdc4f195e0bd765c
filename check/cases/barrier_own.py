"""
What only barriers between blocks can be asked: what each variant's blocks add up to, and that the
variant without a barrier is wrong in every run, and said to be.
"""
import re

from common.commands.drive import batch
from common.commands.drive.shapes import broken, right
from common.commands.drive.support import case, leave, run, step, steps, variants

SHAPES = [(1, 1), (2, 33), (7, 64), (16, 256), (16, 1024)]
A_BLOCK = 523776  # 0 + 1 + ... + 1023


def main():
    case(steps("barrier"), "the build has barriers")
    for name in steps("barrier"):
        lines = [f"-n 2 -b {blocks} -t {threads}" for blocks, threads in SHAPES]
        rows = batch.batches([(step(name), list(variants(name)), lines)], ["-r", 2, "-w", 1])[0]
        correct = [variant["name"] for variant in right(name)]
        for (blocks, threads), of_shape in zip(SHAPES, rows):
            for variant in correct:
                row = batch.row_of(of_shape, variant) or {}
                if broken(name, variants(name)[variant], f"-b {blocks} -t {threads}"):
                    continue  # that it is refused is asked elsewhere
                case(row.get("value") == blocks * A_BLOCK,
                     f"{name} {variant}: the sum of {blocks} x {threads}", row)
        for variant in set(variants(name)) - set(correct):
            done = run(step(name), "-v", variant, "-b", 16, "-r", 3)
            case(done.status == 0 and not done.err and
                 re.search(r"unsynchronised: wrong in 3 of 3 runs", done.out),
                 f"{name} {variant} is wrong on purpose, and told so", done)
    leave()


if __name__ == "__main__":
    main()
