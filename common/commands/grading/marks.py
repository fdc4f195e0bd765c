"""
What a submission is marked by: the one place of the weights. docs/class.md says the same in words; a test compares the
two. Each property has a share from 0 to 1, and its marks are that share of its weight. Without a right result in the
ordinary launches all other properties have none: a kernel that does nothing is cheap, and no tool finds a fault in it.
"""
import collections

Property = collections.namedtuple("Property", "name weight title")

PROPERTIES = [
    Property("right", 40, "right in an ordinary launch"),
    Property("sizes", 25, "right at every size, also at hidden ones"),
    Property("findings", 15, "--check finds nothing"),
    Property("counters", 10, "memory accesses cost no more than the step's"),
    Property("time", 10, "the estimated time is no longer than the step's"),
]
WITHIN = 1.25  # times ours, by default: of accesses and of the estimated time
TIME = 20  # seconds of the processor, by default, and ten times what our own program takes
NONE = {each.name: 0.0 for each in PROPERTIES}


def weights(judged):
    """{property: marks at most}, of 100: what a step cannot be judged by falls to the others in proportion."""
    left = {each.name: each.weight for each in PROPERTIES if each.name in judged}
    total = sum(left.values())
    return {name: 100 * weight / total for name, weight in left.items()}


def marks(shares, judged):
    """{property: marks}, with one digit."""
    if not shares.get("right"):
        shares = {**shares, **{name: 0 for name in shares if name != "right"}}
    return {name: round(most * shares.get(name, 0), 1) for name, most in weights(judged).items()}
