"""
A chart's title and the names of its axes, from the same words: so a title cannot say another quantity, or another
axis, than the chart has.
"""
from plots.charts.gnuplot import quote


def labelled(words, unit):
    """What stands at an axis."""
    return f"{words}, {unit}" if unit else words


def titles(subject, quantity, where, against=None, hint=""):
    """
    Lines of a values file. quantity: (words, unit) of what is drawn, upwards where against, (words, unit) of the
    axis to the right, is given, else to the right as bars are. where: the rest of the title: sizes, the device.
    hint: what else stands at the axis of bars.
    """
    drawn = quantity[0] + (f" against {against[0]}" if against else "")
    made = [f"title_text = {quote(', '.join(filter(None, [f'{subject}: {drawn}', where])))}"]
    if against:
        return made + [f"x_text = {quote(labelled(*against))}", f"y_text = {quote(labelled(*quantity))}"]
    return made + [f"x_text = {quote(labelled(*quantity) + hint)}"]


def ticks(top, steps=8):
    """(value, label) of an axis from 0 to top: each label says its value whole."""
    each = next(10 ** power * first for power in range(-6, 18) for first in (1, 2, 5)
                if top / (10 ** power * first) <= steps)
    scale, letter = next((scale, letter) for scale, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k"), (1, ""))
                         if top >= 20 * scale or scale == 1)
    count = int(top / each + 1e-9)
    return [(at * each, f"{at * each / scale:.10g}{letter if at else ''}") for at in range(count + 1)]


def tick_lines(top):
    """The same as lines of a values file."""
    return ["set xtics (" + ", ".join(f"{quote(label)} {value:.10g}" for value, label in ticks(top)) + ")"]
