"""
Combinations of test values: all of them, or few that still bring every two values together.

cover(factors, full=False): factors maps a name to its values. Returns a list of dicts, one a test case,
name to value: the full product, or a set in which any two values of different factors meet in some
case. The same factors give the same cases.

The cover is greedy (after Tai and Lei's IPO and Cohen's AETG): each case starts from a pair that has not
met yet and takes, factor by factor, the value that meets most partners anew.
"""
import itertools


def cover(factors, full=False):
    names = list(factors)
    values = [list(factors[name]) for name in names]
    if not all(values):
        return []
    if full or len(names) < 3:
        return [dict(zip(names, case)) for case in itertools.product(*values)]
    # A pair is ((factor, index of its value), (factor, index)), lower factor first.
    left = {}
    for a, b in itertools.combinations(range(len(names)), 2):
        for i, j in itertools.product(range(len(values[a])), range(len(values[b]))):
            left[((a, i), (b, j))] = True
    used = [[0] * len(v) for v in values]
    cases = []
    while left:
        chosen = dict(next(iter(left)))
        for factor in range(len(names)):
            if factor in chosen:
                continue

            def gain(index, factor=factor):
                met = sum(tuple(sorted(((factor, index), other))) in left for other in chosen.items())
                return (met, -used[factor][index])  # then the value used least, so all get their turn

            chosen[factor] = max(range(len(values[factor])), key=gain)
        for pair in itertools.combinations(sorted(chosen.items()), 2):
            left.pop(pair, None)
        for factor, index in chosen.items():
            used[factor][index] += 1
        cases.append({names[f]: values[f][i] for f, i in sorted(chosen.items())})
    return cases
