"""
Combinations of test values. Parameters are a list of (name, values); a row is a dict, name to
value. The same parameters give the same rows.

product   every combination
cover     fewer: any two values of different parameters meet in some row. Greedy, after Cohen,
          Dalal, Fredman and Patton's AETG (IEEE Transactions on Software Engineering 23, 1997): a
          row starts with a pair that has not met, and takes, parameter by parameter, the value that
          meets most of the row's others for the first time. A row that is dear, because of two values together,
          is made for these two alone: what else they have to meet they meet in other rows.
"""
import itertools


def product(parameters):
    names = [name for name, _ in parameters]
    rows = itertools.product(*(values for _, values in parameters))
    return [dict(zip(names, row)) for row in rows]


def cover(parameters, dear=lambda row: 0):
    """dear(row): by how much a row, of some of the parameters, costs too much, or 0. Few rows do, and those as little
    as they can."""
    sizes = [len(values) for _, values in parameters]
    if len(parameters) < 3 or 0 in sizes:
        return product(parameters)
    # A pair is ((parameter, index of a value), (parameter, index)), the lower parameter first.
    left = {((a, i), (b, j)): True for a, b in itertools.combinations(range(len(sizes)), 2)
            for i in range(sizes[a]) for j in range(sizes[b])}
    used = [[0] * size for size in sizes]
    rows = []

    def costs(row):
        return dear({parameters[at][0]: parameters[at][1][index] for at, index in row.items()})

    while left:
        row = dict(next(iter(left)))
        for at in set(range(len(sizes))) - set(row):
            def gain(index, at=at, row=row):
                new = sum(tuple(sorted(((at, index), other))) in left for other in row.items())
                # Of equals the one least used: all get their turn.
                return -costs({**row, at: index}), new, -used[at][index]
            row[at] = max(range(sizes[at]), key=gain)
        for pair in itertools.combinations(sorted(row.items()), 2):
            left.pop(pair, None)
        for at, index in row.items():
            used[at][index] += 1
        rows.append({parameters[at][0]: parameters[at][1][row[at]] for at in sorted(row)})
    return rows
