"""
Every page is as docs/pages makes it, and docs/pages finds no fault in it. With CHECK_PAGES those pages alone.
"""
import os

from check import chosen
from common.commands.drive.support import SOURCE, case, leave, run


def main():
    names = os.environ.get("CHECK_PAGES", "").split() or chosen.pages(SOURCE)
    done = run(os.path.join(SOURCE, "docs", "pages"), *(os.path.join(SOURCE, name) for name in names))
    said = done.err.splitlines()
    for name in names:
        found = [line for line in said if line.startswith(name + ":")]
        case(not found, f"{name} is as docs/pages makes it, without a fault", "\n".join(found))
    told = [line for line in said if line.startswith(tuple(name + ":" for name in names))]
    case(done.status == (1 if told else 0) and len(told) == len(said), "docs/pages runs to its end", done)
    leave()


if __name__ == "__main__":
    main()
