/*
 * histogram-private: several histograms per block, laid out for the banks
 *
 * Idea      Let fewer lanes meet. 16-byte loads, some at a time, keep memory busy; copies of the
 *           histogram, one per lane and bank, let lanes with equal elements count side by side; a
 *           warp counts equal elements together; or a thread has counters of its own, four in a word.
 * Since     histogram-shared loads 4 bytes, or 1, at a time, and has one counter per bin and block.
 * Expect    For 4-byte elements memory is the limit, and `vector` is enough: adding 1 to a word
 *           in shared memory is one instruction for all lanes that want the word. For bytes
 *           shared memory is the limit, which does 32 atomics to 32 banks at best: there `fastest`
 *           has a copy per lane of the 256 values, or, if the bins are few, of pairs of bins.
 * Source    Podlozhnyuk, "Histogram calculation in CUDA", NVIDIA 2007 (counters per thread, 8 bits);
 *           Gomez-Luna et al., "An optimized approach to histogram computation on GPU", Machine
 *           Vision and Applications 24, 2013 (copies); Adinets, "CUDA Pro Tip: Optimized Filtering
 *           with Warp-Aggregated Atomics", 2014.
 */
#include "families/histogram/histogram.h"

#define WARP 0xffffffffu
#define IN_FLIGHT (sizeof(element) > 1 ? 4 : 2) /* 16-byte loads that a thread has under way */
#define VALUES 256                              /* of a byte */
#define LANES 32                                /* and banks */
#define MOST_PAIR_BINS 28 /* 28 * 28 * 32 counters take 98 KiB: two blocks on an SM */
#define FULL_BYTE 255     /* what a counter of 8 bits holds */

enum method { COPIES, PACKED, BYTES, PAIRS };

/* Where a thread counts; all kernels have the counters at the start of their shared memory. */
struct tally {
    enum method method;
    const struct bins *bins;
    unsigned *own;  /* COPIES: this lane's copy of counter first; BYTES, PAIRS: of value or pair 0;
                        PACKED: this thread's word of counters 0 to 3, `stride` before that of 4 to 7 */
    unsigned first; /* the counters of this part: first to first + cells - 1 */
    unsigned cells;
    unsigned stride; /* words between a counter and the next one; PACKED: between words */
    unsigned *total; /* PACKED, PAIRS: the block's counters */
    unsigned room;   /* PACKED: how many more elements the thread's own may meet */
};

/* Add a thread's own counters to the block's, and begin anew. Each lane begins at another counter, so
 * that few meet. */
static __device__ __forceinline__ void unpack(struct tally *t)
{
    unsigned cell = threadIdx.x % LANES % t->cells;

    for (unsigned k = 0; k < t->cells; k++) {
        unsigned count = t->own[cell / 4 * t->stride] >> cell % 4 * 8 & FULL_BYTE;

        if (count > 0)
            atomicAdd(&t->total[cell], count);
        cell = cell + 1 < t->cells ? cell + 1 : 0;
    }
    for (unsigned k = 0; k < t->cells; k += 4)
        t->own[k / 4 * t->stride] = 0;
    t->room = FULL_BYTE;
}

static __device__ __forceinline__ void count_element(struct tally *t, element x)
{
    unsigned bin;

    if (t->method == BYTES) {
        atomicAdd(&t->own[(unsigned)x * LANES], 1u);
        return;
    }
    bin = bin_of(x, t->bins) - t->first; /* huge below first */
    if (t->method == PAIRS)              /* at the ends of the array */
        atomicAdd(&t->total[bin], 1u);
    if (t->method == COPIES) /* what is of another part goes to a word that no thread reads */
        atomicAdd(&t->own[min(bin, t->cells) * t->stride], 1u);
    if (t->method == PACKED) { /* the word is this thread's alone: no atomic */
        t->own[bin / 4 * t->stride] += 1u << bin % 4 * 8;
        if (--t->room == 0)
            unpack(t);
    }
}

/* A word that is an element, or four of them. */
static __device__ __forceinline__ void count_word(struct tally *t, unsigned word)
{
    element x[4 / sizeof(element)];

    memcpy(x, &word, sizeof(word));
#pragma unroll
    for (unsigned k = 0; k < 4 / sizeof(element); k++)
        count_element(t, x[k]);
}

/* Four bytes as they are: their bins are found when the block is done. */
static __device__ __forceinline__ void count_bytes(struct tally *t, unsigned word)
{
#pragma unroll
    for (unsigned k = 0; k < 32; k += 8)
        atomicAdd(&t->own[(word >> k & 255) * LANES], 1u);
}

/* The bins of bytes 0 and 2, and of 1 and 3, side by side in the halves of a word; then a pair's number
 * is (bin of 0) * bins + (bin of 1). The range is all bytes: the bin is x * bins / 256. */
static __device__ __forceinline__ void count_pairs(struct tally *t, unsigned word)
{
    unsigned bins = t->bins->count;
    unsigned even = (word & 0xff00ff) * bins >> 8 & 0xff00ff;
    unsigned odd = (word >> 8 & 0xff00ff) * bins >> 8 & 0xff00ff;
    unsigned pairs = even * bins + odd;

    atomicAdd(&t->own[(pairs & 0xffff) * LANES], 1u);
    atomicAdd(&t->own[(pairs >> 16) * LANES], 1u);
}

static __device__ __forceinline__ void count_quad(struct tally *t, uint4 q)
{
    const unsigned words[4] = {q.x, q.y, q.z, q.w};

#pragma unroll
    for (int k = 0; k < 4; k++) {
        if (t->method == BYTES)
            count_bytes(t, words[k]);
        else if (t->method == PAIRS)
            count_pairs(t, words[k]);
        else
            count_word(t, words[k]);
    }
}

/* This thread's share of x: words of 16 bytes between the first and the last aligned address, and the
 * elements before and behind them one by one. A block takes IN_FLIGHT words per thread at a time. */
static __device__ __forceinline__ void count_share(struct tally *t, const element *x, size_t n)
{
    size_t me = (size_t)blockIdx.x * blockDim.x + threadIdx.x, all = (size_t)gridDim.x * blockDim.x;
    size_t head = min(n, (16 - (size_t)x % 16) % 16 / sizeof(element));
    size_t quads = (n - head) / (16 / sizeof(element));
    size_t tail = head + quads * (16 / sizeof(element));
    const uint4 *end = (const uint4 *)(x + tail), *q = end - quads;

    for (size_t i = me; i < head + (n - tail); i += all)
        count_element(t, x[i < head ? i : tail + (i - head)]);
    q += (size_t)blockIdx.x * IN_FLIGHT * blockDim.x + threadIdx.x;
    for (; q + (IN_FLIGHT - 1) * blockDim.x < end; q += all * IN_FLIGHT) {
        uint4 loaded[IN_FLIGHT];

#pragma unroll
        for (unsigned r = 0; r < IN_FLIGHT; r++)
            loaded[r] = q[r * blockDim.x];
#pragma unroll
        for (unsigned r = 0; r < IN_FLIGHT; r++)
            count_quad(t, loaded[r]);
    }
    for (; q < end; q += blockDim.x) /* fewer than IN_FLIGHT, at the end */
        count_quad(t, *q);
}

static __device__ void clear(unsigned *words, unsigned count)
{
    for (unsigned k = threadIdx.x; k < count; k += blockDim.x)
        words[k] = 0;
    __syncthreads();
}

/* The sum of a counter's copies, a power of two that lie together. Each lane begins at another one: 32
 * lanes read 32 banks. */
static __device__ unsigned sum_copies(const unsigned *copy, unsigned copies)
{
    unsigned sum = 0;

    for (unsigned k = 0; k < copies; k++)
        sum += copy[(k + threadIdx.x) & (copies - 1)];
    return sum;
}

/* Add the block's counters, one word each, to the result. Each block begins at another one: all are
 * done at about the same time, and if they began at one they would wait for each other there. */
static __device__ void add_block(unsigned long long *counts, const unsigned *own, unsigned cells,
                                 unsigned copies)
{
    unsigned begin = blockIdx.x * 8 % cells;

    for (unsigned i = threadIdx.x; i < cells; i += blockDim.x) {
        unsigned k = i + begin < cells ? i + begin : i + begin - cells;
        unsigned sum = sum_copies(own + k * copies, copies);

        if (sum > 0)
            atomicAdd(&counts[k], (unsigned long long)sum);
    }
}

/* Copies of `part` counters; blockIdx.y says which part. Lane l counts in copy l % copies. SHORT: the
 * rule's multiplier is; to ask for each element would cost more than it saves. */
template <bool SHORT> __global__ void __launch_bounds__(1024, 2)
count_copies(unsigned long long *counts, const element *x, size_t n, struct bins bins,
             unsigned part, unsigned copies)
{
    extern __shared__ unsigned shared[];
    unsigned first = blockIdx.y * part, cells = min(part, bins.count + 1 - first);
    struct tally t = {COPIES, &bins, shared + threadIdx.x % copies, first, cells, copies};

    bins.short_multiplier = SHORT;
    clear(shared, (cells + 1) * copies);
    count_share(&t, x, n);
    __syncthreads();
    add_block(counts + first, shared, cells, copies);
}

/* Each thread has a byte for each counter; word w of thread t is w * threads + t, so that lanes meet in
 * no bank. Before a byte can be full they are added to the block's counters. */
__global__ void count_packed(unsigned long long *counts, const element *x, size_t n,
                             struct bins bins)
{
    extern __shared__ unsigned shared[];
    unsigned cells = bins.count + 1, words = (cells + 3) / 4 * blockDim.x;
    struct tally t = {PACKED, &bins,      shared + threadIdx.x, 0,
                      cells,  blockDim.x, shared + words,       FULL_BYTE};

    clear(shared, words + cells);
    count_share(&t, x, n);
    unpack(&t);
    __syncthreads();
    add_block(counts, t.total, cells, 1);
}

/* The lanes of a warp whose elements fall into one bin add their number by one atomic. All lanes take
 * the same number of rounds. */
__global__ void count_aggregated(unsigned long long *counts, const element *x, size_t n,
                                 struct bins bins, unsigned part)
{
    extern __shared__ unsigned shared[];
    unsigned first = blockIdx.y * part, cells = min(part, bins.count + 1 - first);
    unsigned lane = threadIdx.x % LANES;
    size_t stride = (size_t)gridDim.x * blockDim.x;
    size_t warp = (size_t)blockIdx.x * blockDim.x + threadIdx.x - lane;

    clear(shared, cells);
    for (; warp < n; warp += stride) {
        unsigned bin = warp + lane < n ? bin_of(x[warp + lane], &bins) - first : ~0u;
        unsigned equal = __match_any_sync(WARP, bin);

        if (bin < cells && lane == (unsigned)__ffs(equal) - 1)
            atomicAdd(&shared[bin], (unsigned)__popc(equal));
    }
    __syncthreads();
    add_block(counts + first, shared, cells, 1);
}

/* Bytes: 32 copies of 256 counters, one for each value; the values' bins come last. */
static __global__ void __launch_bounds__(1024, 2)
count_values(unsigned long long *counts, const element *x, size_t n, struct bins bins)
{
    extern __shared__ unsigned shared[];
    unsigned *total = shared + VALUES * LANES;
    struct tally t = {BYTES, &bins, shared + threadIdx.x % LANES};

    clear(shared, VALUES * LANES + VALUES + 1);
    count_share(&t, x, n);
    __syncthreads();
    for (unsigned v = threadIdx.x; v < VALUES; v += blockDim.x) {
        unsigned sum = sum_copies(shared + v * LANES, LANES), bin = bin_of((element)v, &bins);

        if (bins.count <= VALUES)
            atomicAdd(&total[bin], sum);
        else if (sum > 0) /* most bins have no value */
            atomicAdd(&counts[bin], (unsigned long long)sum);
    }
    __syncthreads();
    if (bins.count <= VALUES)
        add_block(counts, total, bins.count + 1, 1);
}

/* Bytes into few bins that divide all values: 32 copies of bins * bins counters, one atomic for two. */
static __global__ void __launch_bounds__(1024, 2)
count_two(unsigned long long *counts, const element *x, size_t n, struct bins bins)
{
    extern __shared__ unsigned shared[];
    unsigned pairs = bins.count * bins.count, *total = shared + pairs * LANES;
    struct tally t = {PAIRS, &bins, shared + threadIdx.x % LANES, 0, 0, 0, total};

    clear(shared, pairs * LANES + bins.count);
    count_share(&t, x, n);
    __syncthreads();
    for (unsigned p = threadIdx.x; p < pairs; p += blockDim.x) {
        unsigned sum = sum_copies(shared + p * LANES, LANES);

        atomicAdd(&total[p / bins.count], sum);
        atomicAdd(&total[p % bins.count], sum);
    }
    __syncthreads();
    add_block(counts, total, bins.count, 1);
}

static void clear_result(struct work *w)
{
    cudaMemsetAsync(w->counts, 0, (w->bins.count + 1) * sizeof(*w->counts), 0);
}

/* More than 48 KiB of shared memory are for kernels that say so, once. */
static void allow_shared_memory(const struct work *w)
{
    static bool done;
    const enum cudaFuncAttribute most = cudaFuncAttributeMaxDynamicSharedMemorySize;

    if (done)
        return;
    cudaFuncSetAttribute(count_copies<false>, most, (int)w->shared_memory);
    cudaFuncSetAttribute(count_copies<true>, most, (int)w->shared_memory);
    cudaFuncSetAttribute(count_aggregated, most, (int)w->shared_memory);
    cudaFuncSetAttribute(count_packed, most, (int)w->shared_memory);
    cudaFuncSetAttribute(count_two, most, (int)w->shared_memory);
    done = true;
}

/* The counters of a part: all, if a block has room for them, else equal shares; and how many parts. */
static unsigned part_of(const struct work *w, unsigned *parts)
{
    unsigned cells = w->bins.count + 1, most = (unsigned)(w->shared_memory / sizeof(unsigned)) - 1;

    *parts = (cells + most - 1) / most;
    return (cells + *parts - 1) / *parts;
}

static void launch_copies(struct work *w, unsigned most_copies)
{
    unsigned parts, part = part_of(w, &parts), copies = most_copies;
    unsigned bytes = (part + 1) * (unsigned)sizeof(unsigned); /* one for those of other parts */

    while (copies > 1 && bytes * copies > w->shared_memory / 2) /* two blocks on an SM */
        copies /= 2;
    allow_shared_memory(w);
    clear_result(w);
    for (size_t at = 0; at < w->n; at += w->piece)
        (w->bins.short_multiplier
             ? count_copies<true>
             : count_copies<
                   false>)<<<dim3((unsigned)w->blocks, parts), w->threads, bytes * copies>>>(
            w->counts, w->x + at, histogram_piece(w, at), w->bins, part, copies);
}

static void vector(struct work *w)
{
    launch_copies(w, 1);
}

static void lanes(struct work *w)
{
    launch_copies(w, LANES);
}

static void aggregated(struct work *w)
{
    unsigned parts, part = part_of(w, &parts);

    allow_shared_memory(w);
    clear_result(w);
    for (size_t at = 0; at < w->n; at += w->piece)
        count_aggregated<<<dim3((unsigned)w->blocks, parts), w->threads, part * sizeof(unsigned)>>>(
            w->counts, w->x + at, histogram_piece(w, at), w->bins, part);
}

static void packed(struct work *w)
{
    size_t cells = w->bins.count + 1;
    size_t bytes = ((cells + 3) / 4 * (size_t)w->threads + cells) * sizeof(unsigned);

    if (bytes > w->shared_memory) {
        vector(w);
        return;
    }
    allow_shared_memory(w);
    clear_result(w);
    for (size_t at = 0; at < w->n; at += w->piece)
        count_packed<<<w->blocks, w->threads, bytes>>>(w->counts, w->x + at, histogram_piece(w, at),
                                                       w->bins);
}

/* Which is the fastest way, by type and bins. */
static void fastest(struct work *w)
{
    unsigned bins = w->bins.count;
    bool all_bytes = w->bins.first == 0 && w->bins.last == VALUES - 1;
    size_t bytes = ((size_t)bins * bins * LANES + bins) * sizeof(unsigned);
    bool pairs = all_bytes && bins <= MOST_PAIR_BINS && bytes <= w->shared_memory;

    if (sizeof(element) > 1) {
        vector(w);
        return;
    }
    allow_shared_memory(w);
    clear_result(w);
    for (size_t at = 0; at < w->n; at += w->piece) {
        size_t n = histogram_piece(w, at);

        if (pairs)
            count_two<<<w->blocks, w->threads, bytes>>>(w->counts, w->x + at, n, w->bins);
        else
            count_values<<<w->blocks, w->threads,
                           (VALUES * LANES + VALUES + 1) * sizeof(unsigned)>>>(w->counts, w->x + at,
                                                                               n, w->bins);
    }
}

#define WIDE NULL, NULL, histogram_shape_wide
static const struct variant variants[] = {
    {"vector", "one copy per block, 16-byte loads, four in flight", vector, 0, WIDE},
    {"lanes", "as many copies as have room, up to one per lane", lanes, 0, WIDE},
    {"aggregated", "one atomic for all lanes with equal bins", aggregated, WHOLE_WARPS},
    {"packed", "counters of 8 bits per thread, four in a word", packed, 0, NULL, NULL,
     histogram_shape_small},
    {"fastest", "4 bytes: vector; u8: by value or by pairs, a copy per lane", fastest, 0, WIDE},
};

static const struct launches launches[] = {
    {MUTATED,
     {"-n 200003 -b 1 -t 1024 --bins 65536 --type u32 -v vector -v aggregated",
      "-n 1003 -b 1 -t 32 --bins 10 --type u32 -v vector"}},
    {0},
};

STEP("histogram-private", histogram_family, variants, launches);
