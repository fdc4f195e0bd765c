/*
 * sort-onesweep: a pass reads the keys once, and looks back
 *
 * Idea      A tile's keys of a digit belong behind those of all tiles before it. Instead of a scan of all
 *           histograms between two kernels, each tile posts its own histogram and looks back for the sums
 *           of those before it, as in scan-lookback, but 256 sums at a time. The keys wait in registers.
 * Since     sort-radix read the keys twice in each pass: to count them, and to move them.
 * Expect    Where a digit's keys begin in the whole array depends on all keys, but not on their order: so
 *           one kernel counts all digits of all passes at once, before. For 32 bits: 1 read, and 4 passes
 *           of a read and a write: 9 passes over memory instead of 12.
 * Source    Adinets and Merrill, "Onesweep: A Faster Least Significant Digit Radix Sort for GPUs", 2022;
 *           Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016.
 */
#include <cuda/atomic>
#include "families/sort/tile.h"

typedef unsigned long long u64;

/* A tile's word for a digit: what it is in the upper 2 bits, below them how many keys. Nothing else is
 * handed over, so relaxed order is enough. */
#define SUM (1ull << 62)    /* of this tile */
#define PREFIX (2ull << 62) /* where the next tile's keys of the digit begin in y */
#define COUNT_OF(word) ((word) & (SUM - 1))

static __device__ void post(u64 *p, u64 word)
{
    cuda::atomic_ref<u64, cuda::thread_scope_device>(*p).store(word, cuda::memory_order_relaxed);
}

/* The word, once it is there: it is 0 before. */
static __device__ u64 await(u64 *p)
{
    u64 word;

    do
        word =
            cuda::atomic_ref<u64, cuda::thread_scope_device>(*p).load(cuda::memory_order_relaxed);
    while (word == 0);
    return word;
}

/* How many keys have each digit, for all digits of the field: totals[pass * DIGITS + digit]. */
__global__ void count_all(u64 *totals, const element *x, size_t n, struct field f)
{
    extern __shared__ unsigned here[];
    unsigned passes = (f.bits + DIGIT_BITS - 1) / DIGIT_BITS;
    size_t piece = n / gridDim.x + 1, begin = blockIdx.x * piece;
    size_t end = begin + piece < n ? begin + piece : n;

    for (unsigned k = threadIdx.x; k < passes * DIGITS; k += blockDim.x)
        here[k] = 0;
    __syncthreads();
    for (size_t i = begin + threadIdx.x; i < end; i += blockDim.x) {
        number all = field_of(x[i], f);

        for (unsigned p = 0; p < passes; p++)
            atomicAdd(&here[p * DIGITS + (all >> p * DIGIT_BITS & (DIGITS - 1))], 1);
    }
    __syncthreads();
    for (unsigned k = threadIdx.x; k < passes * DIGITS; k += blockDim.x)
        atomicAdd(&totals[k], here[k]);
}

/* Where this tile's keys of digit d begin in y: behind those of the tiles before. Tells the others. */
static __device__ u64 look_back(u64 *words, size_t tile, unsigned d, u64 own, u64 begin)
{
    u64 before = 0, word = 0;

    if (tile > 0)
        post(&words[tile * DIGITS + d], SUM | own);
    for (size_t at = tile; at > 0 && word < PREFIX; at--) {
        word = await(&words[(at - 1) * DIGITS + d]);
        before += COUNT_OF(word);
    }
    if (tile == 0)
        before = begin;
    post(&words[tile * DIGITS + d], PREFIX | (before + own));
    return before;
}

/* One pass. Tiles are taken by ticket, so those before it are in the hands of blocks that run. */
static __global__ void sweep(struct arrays a, u64 *words, u64 *ticket, const u64 *totals, size_t n,
                             struct field f)
{
    extern __shared__ element4 memory[];
    __shared__ u64 taken;
    struct tile t = tile_in(memory, f);
    unsigned size = blockDim.x * SORT_ITEMS;

    for (;;) {
        size_t tile, base;
        struct rows r;
        unsigned here;

        if (threadIdx.x == 0)
            taken = atomicAdd(ticket, 1ull);
        __syncthreads();
        tile = taken;
        base = tile * size;
        if (base >= n)
            return;
        here = n - base < size ? (unsigned)(n - base) : size;
        load_rows(&r, &t, a.x + base, here, f);
        for (unsigned d = threadIdx.x; d < t.digits; d += blockDim.x)
            t.shift[d] = look_back(words, tile, d, keys_of(&t, d), totals[d]);
        begin_digits(&t);
        for (unsigned d = threadIdx.x; d < t.digits; d += blockDim.x)
            t.shift[d] -= t.begin[d];
        __syncthreads();
        store_rows(&r, &t, a, base, here, f);
    }
}

static void launch(struct work *w)
{
    unsigned passes = (w->field.bits + DIGIT_BITS - 1) / DIGIT_BITS;
    size_t tiles = sort_tiles_of(w->n, (size_t)w->threads * SORT_ITEMS), bytes = tile_bytes(w);
    u64 *totals = w->counters, *ticket = totals + passes * DIGITS, *words = ticket + DIGITS;
    int grid = sort_grid(w, tiles);
    struct arrays a = {NULL, NULL, w->x, w->values};

    if (w->n == 0)
        return;
    cudaFuncSetAttribute(sweep, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
    cudaMemsetAsync(totals, 0, passes * DIGITS * sizeof(*totals), 0);
    timeline_begin("count", 0, 0);
    count_all<<<grid, w->threads, passes * DIGITS * sizeof(unsigned)>>>(totals, w->x, w->n,
                                                                        w->field);
    timeline_end(0);
    for (unsigned p = 0; p < passes; p++) {
        bool even = (passes - 1 - p) % 2 == 0; /* the last pass writes y */
        struct field digit = field_digit(w->field, p * DIGIT_BITS, DIGIT_BITS);

        a.y = even ? w->y : w->other;
        a.y_values = even ? w->y_values : w->other_values;
        timeline_begin("clear and scan", p, 0);
        /* The words, too, which lie behind it. */
        cudaMemsetAsync(ticket, 0, (DIGITS + tiles * DIGITS) * sizeof(*words), 0);
        scan_totals<<<1, scan_threads(w, digits_of(digit))>>>(totals + p * DIGITS,
                                                              digits_of(digit));
        timeline_end(0);
        timeline_begin("sweep", p, 0);
        sweep<<<grid, w->threads, bytes>>>(a, words, ticket, totals + p * DIGITS, w->n, digit);
        timeline_end(0);
        a.x = a.y;
        a.values = a.y_values;
    }
}

static const struct variant variants[] = {
    {"onesweep", "digits of 8 bits, whose places each tile looks back for", launch,
     WHOLE_WARPS | WAITS, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, refuse_tile},
};

static const struct launches launches[] = {
    {MUTATED, {"-n 65536 -b 256 -t 32"}}, /* the last block counts one key */
    {RECORD | GPU_ONLY, {"-n 2^28 -v onesweep -r 3 -w 1 --timeline"}},
    {0},
};

STEP("sort-onesweep", sort_family, variants, launches);
