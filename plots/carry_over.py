"""
Give older run logs the column "role", which tells a step's own variants from what they are
compared with. All other columns stay as they are, byte for byte. A log that has it is left alone.

usage: plots/carry-over LOG...

A directory with an older log needs a describe.json too: what the steps' --describe prints, as an
array in teaching order.
"""
import csv
import fcntl
import io
import os
import stat
import tempfile

from plots.log import NEEDED, LogError
from plots.start import Arguments, start

# Logs without the column were written when these were all there was to compare with.
ROLES = {"cub": "peer", "cub-exclusive": "peer", "cublas": "peer", "cooperative-groups": "peer",
         "memcpy": "ceiling", "copy": "ceiling", "copy-tile": "ceiling", "host": "host"}


def records(text):
    """The lines, a quoted line break inside a field being no end of one."""
    held = ""
    for line in io.StringIO(text, newline=""):
        held += line
        if held.startswith("#") or held.count('"') % 2 == 0:
            yield held
            held = ""
    if held:
        yield held


def fields(line):
    """The fields of a line as they stand there, quotes and all; joined by commas they are it."""
    parts, quoted, begin = [], False, 0
    for at, letter in enumerate(line):
        quoted ^= letter == '"'
        if letter == "," and not quoted:
            parts.append(line[begin:at])
            begin = at + 1
    return parts + [line[begin:]]


def with_role(path, text):
    """The text of a log with the column role after variant, or None where it is there."""
    made, at, width = [], None, 0
    for line in records(text):
        body = line.rstrip("\r\n")
        parts = fields(body)
        if body.startswith("#") or not body:
            made.append(line)
            continue
        if at is None:
            if "role" in parts:
                return None
            lacks = [name for name in NEEDED if name not in parts]
            if lacks:
                raise LogError(f"{path}: no run log: it has no column {lacks[-1]}")
            at, width, role = parts.index("variant"), len(parts), "role"
        else:
            variant = next(csv.reader([parts[at]]))[0] if len(parts) > at and parts[at] else ""
            role = ROLES.get(variant, "step")
        # A row that was cut short before that place stays as short as it is.
        if len(parts) > at + 1 or len(parts) == width:
            parts.insert(at + 1, role)
        made.append(",".join(parts) + line[len(body):])
    if at is None:
        raise LogError(f"{path}: no run log: it is empty")
    return "".join(made)


def replace(path, text, mode):
    """Put text in place of a file in one turn."""
    handle, name = tempfile.mkstemp(prefix=".carry-over-", dir=os.path.dirname(path))
    try:
        with open(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(handle)
            os.fchmod(handle, mode)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def carry_over(path):
    """Replace the log by one with roles. Whether there was anything to do."""
    path = os.path.realpath(path)
    with open(path, "rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # the programs append under the same lock
        now = os.fstat(file.fileno())
        if not os.path.samestat(now, os.stat(path)):  # replaced while this waited for the lock
            return carry_over(path)
        try:
            text = with_role(path, file.read().decode("utf-8"))
        except UnicodeDecodeError as error:
            raise LogError(f"{path}: not UTF-8 text at byte {error.start}") from error
        if text is not None:
            replace(path, text, stat.S_IMODE(now.st_mode))
    return text is not None


def main():
    parser = Arguments(prog="plots/carry-over", description=__doc__.split("\n\n")[0].strip())
    parser.add_argument("log", nargs="+")
    for path in parser.parse_args().log:
        done = carry_over(path)
        print(f"{path}: " + ("carried over" if done else "has roles already; left as it is"))


if __name__ == "__main__":
    start(main, "plots/carry-over")
