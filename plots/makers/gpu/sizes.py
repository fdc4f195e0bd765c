"""Lines for a quick record: without the large sizes."""
from common.commands.runner import lines
from common.commands.drive.shapes import axis_values, elements

MOST = 20  # 2^20 elements


def small(description, words):
    """The line, its sweep ended earlier; None where it asks for more elements."""
    ends = lines.value(words, "sweep")
    if ends and "=" not in ends and description["sweep"] != "blocks":
        sides = sum(axis["option"] == "size" for axis in description["axes"])
        start, end = (int(part) for part in ends.split(":"))
        end = min(end, MOST // sides)
        return lines.replaced(words, "sweep", f"{start}:{end}") if start <= end else None
    asked = lines.parse(words)
    return words if elements(description, axis_values(description, asked)) <= 2**MOST else None
