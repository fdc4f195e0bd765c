"""
Nothing is used before it is explained: the words of CUDA and of C++ in a page's code, and some of the field's terms in
its text. The tables name the pages that explain each. A page may use what it explains itself, and what the pages
explain that its reader has read: on the first path those before it, else all of the first path, and the pages that it
needs, and so on (common/commands/course.py).

A page explains a word of code where its text has it as `code`, and a term where it is **bold**.
"""
import re

from common.commands import course
from docs.page_writer import seen
from docs.page_writer.text import CODE, COMMENT, FENCE, MADE

CODE_WORDS = (  # (a word, as a pattern; the pages that explain it)
    (r"__global__", ("start",)),
    (r"(?:blockIdx|threadIdx|blockDim|gridDim)\.x", ("start",)),
    (r"cudaError_t|cudaSuccess|cudaGetErrorString", ("start",)),
    (r"cudaMalloc|cudaFree", ("start",)),
    (r"cudaMemcpy(?:(?:Host|Device)To(?:Host|Device))?", ("start",)),
    (r"cudaGetLastError", ("start",)),
    (r"(?:element|float|int|uint)[24]", ("add",)),
    (r"cudaMemcpyAsync", ("reduce0",)),
    (r"cudaMemsetAsync", ("reduce0",)),
    (r"min|max", ("reduce1",)),
    (r"__shared__", ("memory",)),
    (r"extern __shared__", ("reduce2",)),
    (r"\w*<<<[^>]*,[^>]*,[^>]*>>>", ("reduce2",)),
    (r"dim3", ("stencil-naive",)),
    (r"__device__", ("stencil-naive", "reduce2")),
    (r"__syncthreads", ("reduce2",)),
    (r"__syncwarp", ("reduce4",)),
    (r"volatile", ("reduce4",)),
    (r"template|typename", ("reduce5", "reduce6")),
    (r"#pragma unroll", ("reduce5", "transpose-tiled")),
    (r"atomicAdd", ("reduce6",)),
    (r"atomicInc", ("reduce7",)),
    (r"__threadfence", ("reduce7",)),
    (r"__shfl_(?:down|xor|up)_sync", ("reduce7",)),
    (r"__forceinline__", ("histogram-shared",)),
    (r"__float_as_uint|__uint_as_float", ("attention-tf32",)),
    (r"(?:blockIdx|threadIdx|blockDim|gridDim)\.y", ("start", "stencil-naive")),
    (r"struct \w+ &\w+", ("sgemm-tiled",)),
    (r"__launch_bounds__", ("transpose-tiled",)),
    (r"__align__", ("sgemm-registers",)),
    (r"__ldcg", ("limit-latency",)),
    (r"__clz", ("reduce3", "scan-segmented")),
    (r"cooperative_groups::(?:this_thread_block|tiled_partition)", ("reduce-bulk",)),
    (r"cuda::(?:memcpy_async|aligned_size_t)", ("reduce-bulk",)),
    (r"__any_sync", ("scan-lookback",)),
    (r"__ballot_sync", ("scan-lookback", "sort-rank")),
    (r"__match_any_sync", ("histogram-private", "sort-rank")),
    (r"__all_sync", ("sort-msd",)),
    (r"__shfl_sync", ("scan-segmented-few", "sort-msd")),
    (r"__syncthreads_or", ("sort-msd",)),
    (r"atomicOr", ("sort-rank",)),
    (r"__ffs", ("scan-lookback", "histogram-private")),
    (r"cuda::atomic_ref|cuda::thread_scope\w*|cuda::memory_order_\w+",
     ("scan-lookback", "reduce-vector", "block-sync-lock")),
    (r"__syncthreads_count", ("scan-segmented",)),
    (r"__float2int_rz", ("histogram-global",)),
    (r"__pipeline_\w+", ("scan-segmented-stream", "sgemm-pipelined")),
    (r"__popc", ("histogram-private", "compact-stream", "sort-rank")),
    (r"make_(?:float|int)[24]", ("transpose-vector", "softmax-async", "fft-shared", "hgemm-cluster")),
    (r"__ldg", ("fft-block",)),
    (r"__grid_constant__", ("hgemm-tma",)),
    (r"cudaFuncSetAttribute|cudaFuncAttributeMaxDynamicSharedMemorySize", ("fft-block",)),
    (r"__ldcs", ("reduce-bulk", "fft-fused")),
    (r"__stcs", ("fft-fused",)),
    (r"cooperative_groups::this_grid", ("block-sync-cooperative",)),
    (r"cooperative_groups::grid_group", ("sort-crowded",)),
    (r"cooperative_groups::(?:this_cluster|cluster_group)", ("softmax-cluster", "reduce-cluster")),
    (r"__cluster_barrier_(?:arrive_relaxed|wait)", ("reduce-cluster",)),
    (r"cudaSetDevice", ("peers-copy",)),
    (r"cudaMemcpyPeerAsync", ("peers-copy",)),
    (r"cudaEventRecord|cudaStreamWaitEvent|cudaStreamNonBlocking", ("overlap-copy",)),
    (r"cudaStream_t|cudaMallocHost", ("overlap-copy",)),
    (r"cudaStream(?:Begin|End)?Capture\w*|cudaGraph\w*|cudaKernelNodeParams", ("overlap-graph",)),
    (r"__threadfence_system", ("peers-flag",)),
    (r"__trap", ("peers-flag",)),
    (r"cudaLaunchCooperativeKernel|cudaErrorCooperativeLaunchTooLarge", ("block-sync-cooperative",)),
)
TERMS = (  # the same of the text
    (r"tiles?", ("reduce-float4",)),
    (r"phases? of (?:a|its|the) barrier", ("reduce-bulk",)),
    (r"ring(?: buffer)?s?", ("reduce-bulk", "allreduce-ring")),
    (r"cooperative launch", ("block-sync-cooperative",)),
    (r"dynamic shared memory", ("reduce2",)),
    (r"halos?", ("stencil-tiled",)),
    (r"look-back", ("scan-lookback",)),
)
# What looks like a word of CUDA, so that a row must know it.
CUDA = re.compile(r"\b(?:__[a-z]\w*|cuda[A-Z]\w*|cuda::\w+|cooperative_groups::\w+|atomic[A-Z]\w*|"
                  r"(?:float|uint|int)[24]|(?:blockIdx|threadIdx|blockDim|gridDim)\.[yz])(?!\w)")
PATCH = re.compile(r"^<!-- begin: verdict (\S+)\.(cu|patch) -->\n```\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def code_of(page):
    """The code that a page shows, its patches' lines too, without comments."""
    pieces = seen.FENCE.findall(page)
    for _, kind, text in PATCH.findall(page):
        lines = text.split("\n")[3:] if kind == "patch" else text.split("\n")
        pieces.append("\n".join(line[1:] if kind == "patch" else line for line in lines))
    return seen.code("\n".join(pieces))


def prose_of(page):
    for pattern in (MADE, FENCE, COMMENT):
        page = pattern.sub("", page)
    return " ".join(re.sub(r"^## Sources\n.*", "", page, flags=re.MULTILINE | re.DOTALL).split())


def word(pattern):
    """Finds the word and not a part of another."""
    return re.compile(r"(?<!\w)(?:" + pattern + r")(?!\w)")


def read_before(name, listed):
    """The pages that the reader of a page has read, and itself."""
    path = course.path(listed)
    if name in path:
        return set(path[:path.index(name) + 1])
    return {name, *path}.union(*(read_before(needed, listed) for needed in course.needs(name, listed)))


def explained(pattern, prose, is_term):
    """Whether a page's text explains the word."""
    spans = re.findall(r"\*\*([^*]+)\*\*", prose) if is_term else [span[0] for span in CODE.finditer(prose)]
    return any(word(pattern).search(re.sub(r"\]\([^)]*\)", "", span)) for span in spans)


def faults(page, name, listed, code_words=CODE_WORDS, terms=TERMS):
    """(line, what is wrong), each word once."""
    if name not in course.pages(listed):
        return []
    before, code, prose, found = read_before(name, listed), code_of(page), prose_of(page), []
    for rows, text, is_term in ((code_words, code, False), (terms, CODE.sub("", prose).lower(), True)):
        for pattern, pages in rows:
            used = word(pattern).search(text)
            if used and not before & set(pages):
                found.append(f"'{used[0]}' is used, and {' or '.join(pages)}, which explains it, is not read before")
            if name in pages and not explained(pattern, prose, is_term):
                found.append(f"it should explain '{pattern}', " + ("in bold" if is_term else "and name it as code"))
    known = word("|".join(pattern for pattern, _ in code_words))
    for unknown in dict.fromkeys(each[0] for each in CUDA.finditer(code) if not known.fullmatch(each[0])):
        found.append(f"'{unknown}' is in no row of docs/page_writer/constructs.py, which says who explains it")
    return [(1, fault) for fault in found]
