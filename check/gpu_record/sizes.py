"""Lines for a quick record: without the large sizes."""
from runner import series
from shapes import axis_values, elements, parse

MOST = 20  # 2^20 elements


def small(description, words):
    """The line, its sweep ended earlier; None where it asks for more elements."""
    ends = series.value(words, "sweep")
    if ends and description["sweep"] != "blocks":
        sides = sum(axis["option"] == "size" for axis in description["axes"])
        start, end = (int(part) for part in ends.split(":"))
        end = min(end, MOST // sides)
        return series.replaced(words, "sweep", f"{start}:{end}") if start <= end else None
    asked = parse(" ".join(words))
    return words if elements(description, axis_values(description, asked)) <= 2**MOST else None
