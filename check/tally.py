"""
Count the cases in the output of tests, and show the ones that failed in full.

usage: check/tally meson LOG.json OUTPUT    the log of meson test, and what it printed
       check/tally tap STATUS OUTPUT NAME   a script's exit status and what it printed

A case is a line "ok ..." or "not ok ..."; the lines up to the next case belong to it. A program
that prints none is one case, judged by its exit status; one that ends badly though none of its
cases failed has one failed case more. Cases that were skipped are named and count as neither. The last line
printed is "tally: PASSED FAILED".
"""
import json
import re
import sys

CASE = re.compile(r"^\s*(not )?ok\b")


def tally(name, text, good, extra=""):
    """(passed, failed) of one program; prints its failing cases."""
    passed = failed = 0
    shown = []
    keep = False
    for line in text.splitlines():
        match = CASE.match(line)
        if match:
            keep = bool(match.group(1))
            skipped = re.search(r"#\s*skip", line, re.IGNORECASE)
            if keep and not skipped:
                failed += 1
            elif not keep and not skipped:
                passed += 1
            else:
                keep = False
                print("    skipped: " + re.sub(r"^\s*(not )?ok( - )?|#\s*skip\s*", "", line, flags=re.I))
        if keep:
            shown.append(line)
    if not good and not failed:
        failed += 1
        shown = [f"not ok - {name}"] + text.splitlines()[-30:]
    elif good and not passed and not failed:
        passed = 1
    if failed:
        print(f"{name}:")
        for line in shown + extra.splitlines()[-60:]:
            print("    " + line)
    return passed, failed


def meson(log, output):
    passed = failed = 0
    try:
        with open(log, encoding="utf-8") as file:
            tests = [json.loads(line) for line in file if line.strip()]
    except (OSError, ValueError) as error:
        tests = []
        print(f"{log}: {error}")
    for test in tests:
        result = test.get("result", "")
        if "SKIP" in result:
            continue
        good = "OK" in result or result == "EXPECTEDFAIL"
        p, f = tally(test.get("name", "?"), test.get("stdout") or "", good,
                     test.get("stderr") or "")
        passed, failed = passed + p, failed + f
    if not tests:
        with open(output, encoding="utf-8", errors="replace") as file:
            text = file.read()
        if "No tests defined" not in text:
            print(text)
            failed += 1
    return passed, failed


def main():
    if len(sys.argv) != {"meson": 4, "tap": 5}.get(sys.argv[1] if sys.argv[1:] else "", 0):
        sys.exit(__doc__)
    if sys.argv[1] == "meson":
        passed, failed = meson(sys.argv[2], sys.argv[3])
    else:
        with open(sys.argv[3], encoding="utf-8", errors="replace") as file:
            passed, failed = tally(sys.argv[4], file.read(), sys.argv[2] == "0")
    print(f"tally: {passed} {failed}")


if __name__ == "__main__":
    main()
