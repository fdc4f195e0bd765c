"""
The course: its pages in the order in which they are read, the first path through them, and what the others need. It is
decided here alone. docs/pages makes the head and the last line of each page of it, docs/index.md and README.md;
docs/build its menu; ./steps/run --path runs the path's steps.

A page that is neither on the path nor in NEEDS, such as that of a new step, needs the page before it.
"""
from common.commands.practice import shelf

FIRST = ("start", "memory")  # pages before the steps, which have the order of steps/meson.build
BEHIND = {"add": ("counters",), "allreduce-twoshot": ("scale",)}  # pages behind a step
PATH = {
    "start", "memory", "add", "counters", "stencil-naive", "reduce0", "reduce1", "reduce2", "reduce4", "reduce6",
    "reduce7", "reduce-float4", "scan-hillis", "scan-blelloch", "histogram-shared", "compact-scan", "transpose-naive",
    "transpose-tiled", "stencil-tiled", "sgemm-naive", "sgemm-tiled", "sgemm-registers", "limit-latency",
}
NEEDS = {  # of the second reading
    "reduce3": ("reduce2",),
    "reduce5": ("reduce4",),
    "reduce-vector": ("reduce-float4",),
    "reduce-cluster": ("reduce-vector",),
    "reduce-operators": ("reduce-vector",),
    "scan-lookback": ("scan-blelloch", "reduce7"),
    "scan-rounds": ("scan-lookback", "block-sync-cooperative"),
    "scan-segmented": ("scan-lookback",),
    "scan-segmented-few": ("scan-segmented",),
    "scan-segmented-stream": ("scan-segmented-few", "scan-rounds"),
    "histogram-global": ("reduce6",),
    "histogram-private": ("histogram-shared",),
    "compact-lookback": ("compact-scan", "scan-lookback"),
    "compact-stream": ("compact-lookback", "scan-segmented-stream"),
    "sort-bitonic": ("compact-scan",),
    "sort-merge": ("sort-bitonic",),
    "sort-rank": ("sort-merge",),
    "sort-radix": ("sort-rank",),
    "sort-onesweep": ("sort-radix", "scan-lookback"),
    "sort-msd": ("sort-onesweep", "block-sync-cooperative"),
    "sort-crowded": ("sort-msd",),
    "transpose-vector": ("transpose-tiled",),
    "sgemm-column": ("sgemm-tiled",),
    "sgemm-pipelined": ("sgemm-registers",),
    "sgemm-shapes": ("sgemm-pipelined",),
    "sgemm-small": ("sgemm-shapes", "reduce-vector"),
    "sgemm-streamk": ("sgemm-shapes", "scan-lookback"),
    "softmax-naive": ("reduce7",),
    "softmax-online": ("softmax-naive",),
    "softmax-registers": ("softmax-online", "reduce-float4", "transpose-tiled"),
    "layernorm": ("softmax-registers",),
    "layernorm-ahead": ("layernorm", "softmax-ahead"),
    "attention-naive": ("sgemm-tiled", "softmax-naive"),
    "attention-tiled": ("attention-naive", "softmax-online", "sgemm-registers"),
    "hgemm-wmma": ("sgemm-registers",),
    "hgemm-async": ("hgemm-wmma", "sgemm-pipelined"),
    "hgemm-mma": ("hgemm-async", "transpose-tiled"),
    "hgemm-wgmma": ("hgemm-mma",),
    "hgemm-tma": ("hgemm-wgmma", "reduce-bulk"),
    "hgemm-cluster": ("hgemm-tma",),
    "attention-mma": ("attention-tiled", "hgemm-mma"),
    "attention-tf32": ("attention-mma",),
    "attention-wgmma": ("attention-mma", "hgemm-tma"),
    "attention-balanced": ("attention-wgmma",),
    "fft-registers": ("sgemm-registers",),
    "fft-shared": ("fft-registers",),
    "fft-block": ("fft-shared",),
    "fft-fourstep": ("fft-block", "transpose-tiled"),
    "fft-fused": ("fft-fourstep", "block-sync-cooperative", "scan-lookback"),
    "block-sync-lock": ("reduce7",),
    "block-sync-lockfree": ("block-sync-lock",),
    "block-sync-cooperative": ("block-sync-lock",),
    "overlap-copy": ("reduce7",),
    "overlap-graph": ("overlap-copy", "limit-launch"),
    "peers-copy": ("overlap-copy",),
    "peers-load": ("peers-copy", "reduce5", "limit-latency"),
    "peers-flag": ("peers-load", "block-sync-lock"),
    "allreduce-ring": ("peers-copy",),
    "allreduce-oneshot": ("allreduce-ring", "peers-flag"),
    "allreduce-twoshot": ("allreduce-oneshot",),
    "reduce-devices": ("allreduce-oneshot", "reduce-vector"),
    "scan-devices": ("reduce-devices", "scan-rounds"),
    "scan-cyclic": ("scan-devices",),
    "transpose-devices": ("allreduce-oneshot", "transpose-vector"),
    "jacobi-devices": ("overlap-copy", "stencil-registers", "peers-flag"),
    "limit-words": ("memory", "add"),
    "limit-flops": ("sgemm-registers",),
    "limit-barrier": ("reduce2",),
    "limit-branches": ("reduce2",),
    "limit-launch": ("reduce0",),
    "limit-atomics": ("reduce7",),
}


def pages(listed):
    """All pages of the course, in order. listed: the steps, in teaching order."""
    return [*FIRST, *(page for step in listed for page in (step, *BEHIND.get(step, ())))]


def path(listed):
    """The pages of the first path, in order: page k of it is path(listed)[k - 1]."""
    return [page for page in pages(listed) if page in PATH]


def needs(page, listed):
    """What a page of the second reading needs: at least one page."""
    order = pages(listed)
    return NEEDS.get(page) or (order[order.index(page) - 1],)


def unknown(listed):
    """The names in PATH and NEEDS that are no page of the course."""
    named = {*PATH, *NEEDS, *(page for needed in NEEDS.values() for page in needed)}
    return sorted(named - set(pages(listed)))


def path_steps(root):
    """The steps of the first path, in teaching order."""
    return [step for step in steps(root) if step in PATH]


def steps(root):
    """The steps of the tree, in teaching order."""
    return list(shelf.steps(root))
