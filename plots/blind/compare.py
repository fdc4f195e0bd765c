"""
The blind tests of --estimate: sets of kernels that were estimated before any of them had run on a GPU.

plots/blind has of each set SET.cu, SET-nvcc.txt (what nvcc makes of it), SET-estimated.csv, which was committed first,
SET-measured.csv, what an H200 took, SET-today.csv, what the model estimates since, and SET-compared.txt, which is made
of the three. A model that has seen the measurement is not blind: what it estimates now stands beside what was
committed first, and never takes its place.
"""
import os

from common.commands.drive.support import SOURCE, rows_of

BLIND = os.path.join(SOURCE, "plots", "blind")
SETS = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth"]
REFUSED = float("inf")  # an error: it was not estimated


def path(name, rest):
    return os.path.join(BLIND, f"{name}-{rest}")


def estimated(name):
    return rows_of(path(name, "estimated.csv"))


def measured(name):
    return {row["kernel"]: row for row in rows_of(path(name, "measured.csv"))}


def today(name):
    return rows_of(path(name, "today.csv"))


def compared(rows, times):
    """[(error, estimated row, measured row)] of the kernels that were measured, the smallest error first."""
    found = [(float(row["estimated_us"]) / float(times[row["kernel"]]["median_us"]) - 1
              if row["estimated_us"] else REFUSED, row, times[row["kernel"]])
             for row in rows if row["kernel"] in times]
    return sorted(found, key=lambda each: abs(each[0]))


def median(found):
    """Of the errors' magnitudes; of an even number the larger of the two in the middle."""
    return abs(found[len(found) // 2][0])


def percent(error):
    return "-" if error == REFUSED else f"{100 * error:+.0f} %"


def told(found, now):
    """SET-compared.txt, for the page: what was compared, and the same of today's estimates."""
    errors = {row["kernel"]: error for error, row, _ in now}
    lines = [f"{'kernel':<18}{'elements':>9}{'measured us':>13}{'estimated':>11}{'error':>8}{'today':>8}  waits for"]
    for error, ours, theirs in found:
        us = "-" if error == REFUSED else f"{float(ours['estimated_us']):.4g}"
        lines.append(f"{ours['kernel']:<18}{'2^' + str(int(ours['n']).bit_length() - 1):>9}"
                     f"{float(theirs['median_us']):13.4g}{us:>11}{percent(error):>8}"
                     f"{percent(errors[ours['kernel']]):>8}  {ours['waits_for']}")
    lines.append(f"{'the median':<51}{100 * median(found):6.1f} %{100 * median(now):6.1f} %")
    return "".join(line + "\n" for line in lines)
