"""The launches that each step declares to be clean: --check must find nothing in them."""

from common.commands.drive import batch
from common.commands.drive.shapes import chosen, launches
from common.commands.drive.support import case, leave, step, steps, variants


def main():
    lines = {name: launches(name, "checked") for name in steps()}
    found = batch.batches([(step(name), list(variants(name)),
                            [f"{line} {chosen(names)}" for line, names in of_step])
                           for name, of_step in lines.items()], ["-r", 2, "-w", 0, "--check"])
    for (name, of_step), rows in zip(lines.items(), found):
        case(of_step, f"{name} declares launches for --check")
        for (line, names), of_line in zip(of_step, rows):
            for variant in names:
                row = batch.row_of(of_line, variant) or {}
                case(row.get("verdict") == "ok" and row.get("findings") == 0,
                     f"{name} {variant} --check finds nothing: {line}", row)
    leave()


if __name__ == "__main__":
    main()
