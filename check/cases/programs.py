"""
plots/record programs: small corpora whose programs end in each way that it tells; and the table that docs show.
"""
import csv
import os
import tempfile

from common.commands.drive.support import BUILD, SOURCE, case, leave, run
from plots import programs

RECORD = os.path.join(SOURCE, "plots", "record")
KERNEL = "__global__ void nothing() {}\n"
PROGRAMS = {
    "enccs/a/fine.cu": KERNEL + "int main() { nothing<<<1, 1>>>(); return cudaDeviceSynchronize(); }\n",
    "enccs/a/three.cu": "int main(int, char **) { return 3; }\n",
    "enccs/a/two.cu": "int main() { return 2; }\n",
    "enccs/a/endless.cu": "int main() { for (volatile int i = 0;; i++) ; }\n",
    "enccs/a/signal.cu": "#include <csignal>\nint main() { raise(SIGKILL); }\n",
    "enccs/broken.cu": "int main() { return no_such_name; }\n",
    "csc/whole.cu": "int other(); int main() { return other(); }\n",
    "csc/part.cpp": "int other() { return 0; }\n",
    "csc/part.cu": "/* int main() { */ " + KERNEL,
    "csc/header.cu": '#include "four.h"\nint main() { return four() - 4; }\n',
    "csc/include/four.h": "static int four() { return 4; }\n",
    "csc/window.cu": "#include <GL/glut.h>\nint main() {}\n",
    "csc/refused.cu": "#include <cusparse.h>\nint main() {}\n",
    "elsewhere/fine.cu": "int main() {}\n"}
EXPECTED = {"csc/header.cu": "ok", "csc/refused.cu": "refused", "csc/whole.cu": "ok", "enccs/a/endless.cu": "limit",
            "enccs/a/fine.cu": "ok", "enccs/a/signal.cu": "status 137", "enccs/a/three.cu": "status 3",
            "enccs/a/two.cu": "status 2", "enccs/broken.cu": "not compiled"}


def corpora(scratch):
    folder, table = os.path.join(scratch, "dir"), os.path.join(scratch, "table.csv")
    for name, text in PROGRAMS.items():
        os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    with open(table, "w", encoding="utf-8") as file:
        file.write("program,cpu,gpu\nbook/kept.cu,limit,ok\nenccs/broken.cu,,not compiled\n")
    done = run(RECORD, "programs", folder, "--build", BUILD, "--limit", 5, "--jobs", 2, "--out", table)
    with open(table, encoding="utf-8") as file:
        found = {row["program"]: (row["cpu"], row["gpu"]) for row in csv.DictReader(file)}
    case(done.status == 0 and found == {**{name: (how, "") for name, how in EXPECTED.items()},
                                        "book/kept.cu": ("limit", "ok"), "enccs/broken.cu": ("not compiled",) * 2},
         "programs: how each ends; other rows, and the other column, stay", f"{done}\n{found}")
    done = run(RECORD, "programs", folder, "--build", BUILD, "--only", "enccs/a/t*")
    case(done.status == 0 and done.out.splitlines() == ["enccs/a/three.cu: status 3", "enccs/a/two.cu: status 2"],
         "programs: --only", done)


def bad_usage(scratch):
    os.mkdir(os.path.join(scratch, "empty"))
    for words, said in ((["/nowhere"], "no such folder"), ([], "DIR"), ([scratch, "--jobs", "0"], "--jobs 0"),
                        ([os.path.join(scratch, "empty")], "no program of a corpus")):
        done = run(RECORD, "programs", *words, "--build", BUILD)
        case(done.status == 2 and said in done.err and len(done.err.splitlines()) == 1,
             f"programs {' '.join(words[-2:])}: refused", done)


def table():
    kinds = [programs.kind(programs.Result("a", *how)) for how in
             (("ok", "status 1"), ("status 1", "status 1"), ("limit", "ok"), ("refused", "ok"),
              ("not compiled", "not compiled"), ("status 2", "not compiled"), ("status 139", "ok"))]
    case(kinds == ["run", "same", "limit", "refused", "nvcc", "nvcc", "other"], "programs: kinds", kinds)
    header, rows = programs.table()
    total = [sum(int(row[at] or 0) for row in rows[:-1]) for at in range(1, len(header))]
    case(total == [int(cell or 0) for cell in rows[-1][1:]] and total[0] == sum(total[1:]) == len(programs.results()),
         "programs: the table's sums", rows)
    listed = run(RECORD, "programs", "--list")
    case(listed.status == 0 and listed.out.count("git clone https://") == len(programs.corpora()) and
         {row.program.split("/")[0] for row in programs.results()} <= {c.name for c in programs.corpora()},
         "programs: --list, and the corpora of the record", listed)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as SCRATCH:
        corpora(SCRATCH)
        bad_usage(SCRATCH)
    table()
    leave()
