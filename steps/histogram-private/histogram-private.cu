/*
 * histogram-private: several histograms per block, laid out for the banks
 *
 * Idea      Let fewer lanes meet. 16-byte loads, some at a time, keep memory busy; copies of the
 *           histogram, one per lane and bank, let lanes with equal elements count side by side; or a
 *           warp counts equal elements together.
 * Since     histogram-shared loads 4 bytes, or 1, at a time, and has one counter per bin and block;
 *           in histogram-narrow lanes never meet, but each element is a load and a store.
 * Expect    For 4-byte elements memory is the limit, and `vector` is enough: adding 1 to a word
 *           in shared memory is one instruction for all lanes that want the word. For bytes
 *           shared memory is the limit, which does 32 atomics to 32 banks at best: there `fastest`
 *           has a copy per lane of the 256 values, or, if the bins are few, of pairs of bins.
 * Source    Gomez-Luna et al., "An optimized approach to histogram computation on GPU", Machine
 *           Vision and Applications 24, 2013 (copies); Adinets, "CUDA Pro Tip: Optimized Filtering
 *           with Warp-Aggregated Atomics", 2014.
 */
#include "families/histogram/copies.h"

#define WARP 0xffffffffu
#define VALUES 256        /* of a byte */
#define MOST_PAIR_BINS 28 /* 28 * 28 * 32 counters take 98 KiB: two blocks on an SM */

enum method { BYTES, PAIRS };

/* Where a thread counts bytes; the kernels have the counters at the start of their shared memory. */
struct tally {
    enum method method;
    const struct bins *bins;
    unsigned *own;   /* this lane's copy of the counter of value 0, or of pair 0 */
    unsigned *total; /* PAIRS: the block's counters */
};

static __device__ __forceinline__ void count_element(struct tally *t, element x)
{
    if (t->method == BYTES)
        atomicAdd(&t->own[(unsigned)x * LANES], 1u);
    else /* at the ends of the array */
        atomicAdd(&t->total[bin_of(x, t->bins)], 1u);
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

static __device__ __forceinline__ void count_word(struct tally *t, unsigned word)
{
    if (t->method == BYTES)
        count_bytes(t, word);
    else
        count_pairs(t, word);
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
    struct tally t = {PAIRS, &bins, shared + threadIdx.x % LANES, total};

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

/* More than 48 KiB of shared memory are for kernels that say so, once. */
static void allow_shared_memory(const struct work *w)
{
    static bool done;
    const enum cudaFuncAttribute most = cudaFuncAttributeMaxDynamicSharedMemorySize;

    if (done)
        return;
    cudaFuncSetAttribute(count_aggregated, most, (int)w->shared_memory);
    cudaFuncSetAttribute(count_two, most, (int)w->shared_memory);
    done = true;
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
    {"fastest", "4 bytes: vector; u8: by value or by pairs, a copy per lane", fastest, 0, WIDE},
};

static const struct launches launches[] = {
    {MUTATED,
     {"-n 200003 -b 1 -t 1024 --bins 65536 --type u32 -v vector -v aggregated",
      "-n 1003 -b 1 -t 32 --bins 10 --type u32 -v vector"}},
    {0},
};

STEP("histogram-private", histogram_family, variants, launches);
