"""
./steps/practice --grade: cheats of check/cheats, none of which passes or harms; what the sandbox holds back, asked by
a program that is not looked at before; marks, their files, and that what was judged is not judged again. Where
bubblewrap does not work, what needs it is skipped by name.

check/cheats/STEP.txt has cheats, each the step with another body of the function that is taken out:

  == what it does
  = words that must be said of it; or its marks, where it is none
  + a line of the body
  ^ a line above the first function
  - > lines of the host's code, and those in their place
"""
import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

from common.commands.drive.support import BUILD, FULL, SOURCE, case, leave, run
from check.exercises import exercises, text_of, with_body

os.environ["BUILD"] = BUILD
from common.commands.grading import __main__ as grading  # noqa: E402  behind BUILD
from common.commands.grading import gate, marks, reports, sandbox, similar, workroom  # noqa: E402
from common.commands.practice import shelf, source  # noqa: E402

PROGRAM = os.path.join(SOURCE, "steps", "practice")
STEP = "reduce2"
TIME = "3"  # seconds of the processor for a submission
# Those that are compiled and run take longest: without --full one of each kind.
FEW = ["right, with", "a constant result", "prints without end", "ends early", "the host's memory", "parameters that",
       "a macro for the host", "before the beginning: a pasted", "before the beginning: a value"]
SHOWS = "shows only while it runs"
REFUSED = {"block-sync-lock": SHOWS, "block-sync-lockfree": SHOWS, "block-sync-cooperative": SHOWS,
           "attention-balanced": "no function for the device", "peers-copy": "no function for the device"}
# Of several devices, of the host's arrays; functions with a structure among their parameters, or inlined by force.
# Without --full the first three.
SEVERAL = ["overlap-copy", "peers-flag", "histogram-private", "overlap-graph", "peers-load", "allreduce-ring",
           "allreduce-oneshot", "allreduce-twoshot", "reduce-devices", "scan-devices", "scan-cyclic",
           "transpose-devices", "jacobi-devices"]
ATTACKS = r"""
#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <pthread.h>
static void *rest(void *p) { return p; }
int main(int argc, char **argv)
{
    const char *what = argv[1];
    pthread_t thread;
    char text[100];
    if (!strcmp(what, "thread")) return pthread_create(&thread, 0, rest, 0) || pthread_join(thread, 0);
    if (!strcmp(what, "fork")) return fork() < 0 ? 7 : 0;
    if (!strcmp(what, "bomb")) for (;;) fork();
    if (!strcmp(what, "socket")) return socket(AF_INET, SOCK_STREAM, 0) < 0 ? 7 : 0;
    if (!strcmp(what, "read")) return open(argv[2], O_RDONLY) < 0 ? 7 : 0;
    if (!strcmp(what, "environment")) {
        FILE *f = fopen("/proc/1/environ", "r");
        char all[10000] = "";
        size_t n = f ? fread(all, 1, sizeof(all) - 1, f) : 0;
        return memmem(all, n, "SECRET", 6) || getenv("SECRET") ? 0 : 7;
    }
    if (!strcmp(what, "write")) return open(argv[2], O_WRONLY | O_CREAT, 0600) < 0 ? 7 : 0;
    if (!strcmp(what, "delete")) return unlink(argv[2]) < 0 ? 7 : 0;
    if (!strcmp(what, "kill")) { kill(getppid(), 9); return kill(atoi(argv[2]), 9) < 0 ? 7 : 0; }
    if (!strcmp(what, "print")) for (;;) puts("verified");
    if (!strcmp(what, "loop")) for (;;) ;
    if (!strcmp(what, "sleep")) for (;;) pause();
    if (!strcmp(what, "memory")) for (;;) { char *p = malloc(1 << 20); if (!p) return 7; memset(p, 1, 1 << 20); }
    if (!strcmp(what, "reserve")) return malloc(3u * (256u << 20)) ? 0 : 7; /* of which nothing is touched */
    if (!strcmp(what, "file")) { FILE *f = fopen("big", "w"); while (f && fputs("0123456789", f) >= 0) ; return 7; }
    if (!strcmp(what, "files")) for (int i = 0; i < 100000; i++) { sprintf(text, "f%d", i); fclose(fopen(text, "w")); }
    if (!strcmp(what, "folders")) { mkdir("d", 0700); pause(); }
    return 0;
}
"""


def read(path):
    """(what it does, {mark: lines}) of each."""
    with open(path, encoding="utf-8") as file:
        for text in re.split(r"^== ", file.read(), flags=re.MULTILINE)[1:]:
            what, *lines = text.split("\n")
            yield what, {mark: [line[2:] for line in lines if line[:2] == mark + " "] for mark in "=^+->"}


def made(cheat):
    """The source of one."""
    text = with_body(STEP, exercises(STEP)[0], ["    " + line for line in cheat["+"]])
    text = text.replace("\n".join(cheat["-"]), "\n".join(cheat[">"]), 1) if cheat["-"] else text
    at = text.index('.h"\n') + len('.h"\n')
    return text[:at] + "".join(line + "\n" for line in cheat["^"]) + text[at:]


def write(folder, name, text):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def rows_of(out):
    with open(os.path.join(out, "marks.csv"), newline="", encoding="utf-8") as file:
        return {row["student"]: row for row in csv.DictReader(file)}


def grade(folder, *more):
    return run(PROGRAM, "--grade", folder, "--build", BUILD, "--time", TIME, "--seed", "5", "-j", "2", *more, limit=900)


# --- without a sandbox

def command_line(scratch):
    empty = os.path.join(scratch, "empty")
    os.mkdir(empty)
    lost = os.path.join(scratch, "lost")
    write(lost, "anna.cu", "int main() { }\n")
    for words, named in ((["--grade", "nowhere"], "nowhere"), (["--grade"], "--grade"), (["--grade", empty], empty),
                         (["--grade", lost], lost), (["--grade", lost, "--step", "nonsense"], "nonsense"),
                         (["--grade", lost, "--jobs", "0"], "0"), (["--grade", lost, "--seed", "x"], "x"),
                         (["--grade", lost, "--within", "-1"], "-1"),
                         (["--grade", lost, "--step", STEP, "--function", "nothing"], "nothing"),
                         (["--grade", lost, "--sandbox", "none"], "none")):
        done = run(PROGRAM, *words, *(["--build", BUILD] if len(words) > 1 else []))
        case(done.status == 2 and named in done.err and len(done.err.splitlines()) == 1,
             f"{' '.join(words[2:] or words)}: refused", done)
    case(not [name for name in os.listdir(scratch) if name.endswith("-marks")], "what is refused writes nothing")


def found(scratch):
    """Which files are whose."""
    folder = os.path.join(scratch, "found")
    text = text_of(STEP)
    write(folder, "anna.cu", text)
    write(folder, "ben/homework/any.cu", text)
    write(folder, "ben/scan-hillis.cu", text_of("scan-hillis"))
    write(folder, "carl/reduce2.cu", "nothing")
    write(folder, "dora/a.cu", text)
    write(folder, "dora/b.cu", text)
    os.symlink("/etc/passwd", os.path.join(folder, "eve.cu"))
    listed, steps = grading.find(folder, [], [STEP, "scan-hillis"])
    told = {(each.student, each.step): each.why for each in listed}
    case(steps == [STEP, "scan-hillis"] and told["anna", STEP] == "" and told["anna", "scan-hillis"] == "no file" and
         told["ben", STEP] == told["ben", "scan-hillis"] == told["carl", STEP] == "" and
         told["dora", STEP] == "two files for one step" and not any(why == "" and name == "eve" for (name, _), why in
                                                                    told.items()), "whose files they are", told)


def weighted():
    """The marks, and that the page says the same."""
    names = [each.name for each in marks.PROPERTIES]
    whole = marks.marks(dict.fromkeys(names, 1.0), names)
    case(sum(each.weight for each in marks.PROPERTIES) == sum(whole.values()) == 100, "all marks are 100", whole)
    case(not any(marks.marks({**dict.fromkeys(names, 1.0), "right": 0}, names).values()),
         "nothing is worth anything without a right result")
    case(marks.weights(["right", "sizes"]) == {"right": 100 * 40 / 65, "sizes": 100 * 25 / 65},
         "the others have the marks of what is not judged")
    with open(os.path.join(SOURCE, "docs", "class.md"), encoding="utf-8") as file:
        page = file.read()
    for each in marks.PROPERTIES:
        case(f"| `{each.name}` | {each.weight} |" in page, f"docs/class.md has the weight of {each.name}")
    case(f"{marks.WITHIN} times" in page and f"{marks.TIME} seconds" in page, "and the limits")


def written():
    """No cell is a formula; Gradescope's object has what its specification asks for."""
    table = reports.table(["a"], [["=1+1"], ["-x"], [-1], ["a,b"]])
    case([row[0] for row in csv.reader(io.StringIO(table))] == ["a", "'=1+1", "'-x", "-1", "a,b"],
         "no cell is a formula", table)
    result = {"step": STEP, "judged": ["right", "sizes"], "shares": {"right": 1.0, "sizes": 0.5}, "first": "a race",
              "lines": [], "details": {}}
    told = reports.gradescope([result])
    case(all(isinstance(test["score"], float) and 0 <= test["score"] <= test["max_score"] and
             test["status"] in ("passed", "failed") and test["name"] for test in told["tests"]) and
         [test["status"] for test in told["tests"]] == ["passed", "failed"], "results.json", told)


def alike():
    """Renaming hides nothing; what was given to all counts for nothing."""
    body = "\n".join(f"    x[{i}] += y[{i} * 2] - {i}; if (x[{i}] > y[0]) y[{i}]++; while (x[{i}]--) y[1] /= 3;"
                     for i in range(5))
    other = "\n".join(f"    for (int i = 0; i < n; i++) {{ if (i % 2) sum[i] = {i} ? a(i) : b(i, i + 1); }}"
                      for i in range(5))
    renamed = re.sub(r"\bx\b", "mine", body).replace("    ", "  // hers\n")
    pairs = similar.pairs({"a": body, "b": renamed, "c": other}, "")
    case([row[1:] for row in pairs] == [("a", "b")] and pairs[0][0] == 1,
         "winnowing finds what was renamed, and no other", pairs)
    case(not similar.pairs({"a": body, "b": body}, body), "what was given is not counted")


def looked_at():
    """What the first look says, which compiles nothing."""
    original = text_of(STEP)
    for what, cheat in read(os.path.join(SOURCE, "check", "cheats", STEP + ".txt")):
        try:
            gate.check_file(made(cheat), original)
        except gate.Refused as error:
            case(cheat["="][0] in str(error), f"{what}: refused", error)


# --- in the sandbox

def attacked(scratch):
    """What a program can do that nobody has looked at."""
    source, program = write(scratch, "attack.c", ATTACKS), os.path.join(scratch, "attack")
    done = run("cc", "-w", "-D_GNU_SOURCE", "-pthread", "-include", "sys/stat.h", source, "-o", program)
    if not case(done.status == 0, "the attacks compile", done):
        return
    os.environ["SECRET"] = "secret"
    box, secret = sandbox.Box(True), write(scratch, "secret", "secret\n")
    limits = sandbox.Limits(2, 20, 256 << 20, 8 << 20, 1 << 20, False)
    with subprocess.Popen(["sleep", "300"]) as other:
        for what, more, expected in (
                ("thread", [], 0), ("fork", [], 7), ("bomb", [], "of the processor"), ("socket", [], 7),
                ("read", [secret], 7), ("read", ["/etc/passwd"], 7), ("environment", [], 7),
                ("write", ["/usr/x"], 7), ("write", ["/x"], 7), ("write", ["/dev/x"], 7),
                ("delete", [secret], 7), ("kill", [str(other.pid)], 7), ("print", [], "it printed more"),
                ("loop", [], "of the processor"), ("memory", [], "memory"), ("reserve", [], 0),
                ("file", [], "it wrote more"), ("files", [], "it wrote more"), ("folders", [], "it wrote more")):
            with tempfile.TemporaryDirectory(dir=scratch) as folder:
                told = box.run([program, what, *more], folder, limits, [program])
            good = told.status == expected if isinstance(expected, int) else told.status is None and \
                expected in told.why or what == "memory" and told.status == 7  # malloc has given up before
            case(good, f"in the sandbox: {what} {' '.join(map(os.path.basename, more))}: {expected}", told)
        with tempfile.TemporaryDirectory(dir=scratch) as folder:
            told = box.run([program, "sleep"], folder, limits._replace(wall=1), [program])
        case(told.status is None and "had not ended" in told.why, "in the sandbox: sleep: had not ended", told)
        with open(secret, encoding="utf-8") as file:
            case(file.read() == "secret\n" and other.poll() is None, "nothing outside was harmed")
        other.kill()


def cheated(scratch):
    """A class of cheats, and one who is right."""
    folder, wanted = os.path.join(scratch, "class"), {}
    for number, (what, cheat) in enumerate(read(os.path.join(SOURCE, "check", "cheats", STEP + ".txt"))):
        if FULL or any(what.startswith(each) for each in FEW):
            write(folder, f"student{number:02}.cu", made(cheat))
            wanted[f"student{number:02}"] = what, cheat["="][0]
    done = grade(folder)
    if not case(done.status == 0, "a class of cheats is judged", done):
        return
    rows = rows_of(folder + "-marks")
    for student, (what, words) in wanted.items():
        row = rows[student]
        if re.fullmatch(r"[\d.]+", words):
            case(row["score"] == words, f"{what}: {words} marks", row)
        else:
            case(words in row["first"] and float(row["score"]) < 60 and "\n" not in row["first"], f"{what}: {words}",
                 row)
    case(all(float(row["score"]) == 0 for row in rows.values() if row["first"].startswith("not run")),
         "what is not run has no marks")
    again(folder, rows)


def again(folder, rows):
    """The same command judges nothing twice, and a changed file anew."""
    kept = os.listdir(os.path.join(folder + "-marks", ".judged"))
    for name in os.listdir(folder)[:-1]:
        os.remove(os.path.join(folder, name))
    done = grade(folder)
    left = rows_of(folder + "-marks")
    case(done.status == 0 and all(rows[name] == row for name, row in left.items()) and
         sorted(os.listdir(os.path.join(folder + "-marks", ".judged"))) == sorted(kept), "what was judged is kept",
         done)
    with open(os.path.join(folder + "-marks", next(iter(left)), "results.json"), encoding="utf-8") as file:
        told = json.load(file)
    case(len(told["tests"]) == len(marks.PROPERTIES), "a student's results.json", told)


def of_ints(scratch):
    """A step whose exercise takes another type than the step's first."""
    folder = os.path.join(scratch, "ints")
    write(folder, "anna.cu", "nothing")
    done = grade(folder, "--step", "reduce-vector")
    rows = rows_of(folder + "-marks") if done.status == 0 else {}
    case(done.status == 0 and rows["anna"]["first"].startswith("not run"), "reduce-vector, of ints alone, is judged",
         f"{done}\n{rows}")


def refused(scratch):
    """A step that cannot be judged is refused in a line with the reason; the page names all of them."""
    with open(os.path.join(SOURCE, "docs", "class.md"), encoding="utf-8") as file:
        said = re.search(r"^\w+ steps are refused, .*?\n\n", file.read(), re.MULTILINE | re.DOTALL)[0]
    case(set(re.findall(r"[a-z]+(?:-[a-z]+)+", said)) == set(REFUSED), "docs/class.md names the steps that are refused",
         said)
    for step in REFUSED if FULL else ("block-sync-cooperative", "peers-copy"):
        folder = os.path.join(scratch, "refused-" + step)
        write(folder, "anna.cu", text_of(step))
        done = grade(folder)
        case(done.status == 2 and step in done.err and REFUSED[step] in done.err and len(done.err.splitlines()) == 1,
             f"{step} is refused: {REFUSED[step]}", done)


def translated(path, text, step, kind):
    """What the translator makes of a text in place of a step's, written to a path."""
    write(*os.path.split(path), text)
    done = run(os.path.join(BUILD, "common", "cpu", "translate"), path, path + "pp", "--", *workroom.translation(step),
               "-DELEMENT_TYPE=" + kind, cwd=BUILD)
    if done.status:
        raise RuntimeError(f"the translator: {done}")
    with open(path + "pp", encoding="utf-8") as file:
        return file.read()


def emptied(scratch):
    """No function of a step is taken for the host's: each is given out without its body, which is another one."""
    for step, (family, kinds) in shelf.steps(SOURCE).items():
        text, wrong = text_of(step), []
        path = os.path.join(scratch, step + ".cu")
        own = gate.Reference(text, step + ".cu", translated(path, text, text, kinds[0]), [])
        for name, function in source.functions(text).items():
            given = source.cut(text, function, family, step)[0]
            try:
                gate.check_file(given, text)
                gate.check_translated(translated(path, given, text, kinds[0]), own)
            except gate.Refused as error:
                wrong.append(f"{name}: {error}")
        case(not wrong, f"{step}: each of its functions may be another one", wrong)


def of_several(scratch):
    """Of each: the step itself is right, one whose function is empty is not."""
    for step in SEVERAL if FULL else SEVERAL[:3]:
        folder, text = os.path.join(scratch, "several-" + step), text_of(step)
        write(folder, "ben.cu", text)
        write(folder, "anna.cu", source.cut(text, source.chosen(SOURCE, step, text), "", step)[0])
        done = grade(folder, "--step", step)
        rows = rows_of(folder + "-marks") if done.status == 0 else {}
        scores = {name: row["score"] for name, row in rows.items()}
        case(scores == {"anna": "0.0", "ben": "100.0"} and not rows["ben"]["first"] and rows["anna"]["launches"],
             f"{step} is judged: it is right itself, a kernel that does nothing is not", f"{done}\n{rows}")


def interrupted(scratch):
    """Ctrl-C: nothing is lost, and nothing goes on."""
    folder = os.path.join(scratch, "stopped")
    write(folder, "anna.cu", "nothing")
    write(folder, "ben.cu", text_of(STEP).replace("size_t i = first; i < n; i += stride", "size_t i = first; i < n;"))
    with subprocess.Popen([PROGRAM, "--grade", folder, "--step", STEP, "--build", BUILD, "--seed", "5", "--time",
                           "500"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True) as process:
        kept, until = os.path.join(folder + "-marks", ".judged"), time.monotonic() + 120
        while time.monotonic() < until and not (os.path.isdir(kept) and os.listdir(kept)):
            time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        try:
            said = process.communicate(timeout=60)[1].decode()
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            said = "it went on"
    case(process.returncode == 130 and "is kept" in said and len(os.listdir(kept)) == 1,
         "interrupted: what is judged is kept", said)


def main():
    with tempfile.TemporaryDirectory() as scratch:
        command_line(scratch)
        found(scratch)
        weighted()
        written()
        alike()
        looked_at()
        if FULL:
            emptied(scratch)
        reason = sandbox.why_not()
        if reason:
            case(True, f"the sandbox and what is judged in it # skip {reason}")
            leave()
        attacked(scratch)
        cheated(scratch)
        of_ints(scratch)
        refused(scratch)
        of_several(scratch)
        interrupted(scratch)
    leave()


if __name__ == "__main__":
    sys.exit(main())
