/*
 * Moving keys by a digit in their order, for pairs, and for equal keys that differ elsewhere: what
 * sort-onesweep does, with ranks by masks; and a sort by all digits in one launch. Device code.
 */
#ifndef SORT_IN_ORDER_H
#define SORT_IN_ORDER_H

#include <cooperative_groups.h>
#include <cuda/atomic>

#include "families/sort/sort.h"

#define WARP 0xffffffffu
#define THREADS 512 /* of each block */
#define WARPS (THREADS / 32)
#define ITEMS 16 /* keys of a thread, of those that a block moves at a time */
#define TILE (THREADS * ITEMS)

/* The sum over the threads of the block before this one; *all: over all of them. */
static __device__ unsigned sum_before(unsigned own, unsigned *all)
{
    __shared__ unsigned warps[32];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, sum = own, before = 0;

    for (unsigned k = 1; k < 32; k *= 2) {
        unsigned other = __shfl_up_sync(WARP, sum, k);

        sum += lane >= k ? other : 0;
    }
    if (lane == 31)
        warps[warp] = sum;
    __syncthreads();
    *all = 0;
    for (unsigned k = 0; k < blockDim.x / 32; k++) {
        before += k < warp ? warps[k] : 0;
        *all += warps[k];
    }
    __syncthreads(); /* before the next sums are written over these */
    return before + sum - own;
}

/* Whether a segment has too many keys: a block of the same kernel may find out at any time. */
static __device__ __forceinline__ bool is_crowded(unsigned *crowded)
{
    return cuda::atomic_ref<unsigned, cuda::thread_scope_device>(*crowded).load(
               cuda::memory_order_relaxed) != 0;
}

/* Several threads may say so at a time. */
static __device__ __forceinline__ void tell(unsigned *flag)
{
    cuda::atomic_ref<unsigned, cuda::thread_scope_device>(*flag).store(1,
                                                                       cuda::memory_order_relaxed);
}

/* Keys that a block moves at a time: of the whole array, or of one digit of the first level. */
struct piece {
    size_t begin;   /* where its keys begin */
    size_t first;   /* the first tile of the same digit */
    unsigned here;  /* keys, at most a tile; 0: there is no such tile */
    unsigned digit; /* of the first level */
};

/* A tile's word for a digit: what it is in the upper 2 bits, below them how many keys. W is
 * unsigned, for less than 2^30 keys, or u64. */
#define LOWER_BITS(W) (8 * sizeof(W) - 2)
#define SUM(W) ((W)1 << LOWER_BITS(W))    /* of this tile */
#define PREFIX(W) ((W)2 << LOWER_BITS(W)) /* where the next tile's keys of the digit go */

template <typename W> static __device__ void post(W *p, W word)
{
    cuda::atomic_ref<W, cuda::thread_scope_device>(*p).store(word, cuda::memory_order_relaxed);
}

template <typename W> static __device__ W await(W *p)
{
    W word;

    do
        word = cuda::atomic_ref<W, cuda::thread_scope_device>(*p).load(cuda::memory_order_relaxed);
    while (word == 0);
    return word;
}

/* Where this tile's keys of a digit go, as in sort-onesweep: behind those of the tiles from
 * `first` on. */
template <typename W>
static __device__ W look_back(W *words, size_t tile, size_t first, W own, W begin)
{
    W before = 0, word = 0;

    for (size_t at = tile; at > first && word < PREFIX(W); at--) {
        word = await(&words[(at - 1) * DIGITS + threadIdx.x]);
        before += word & (SUM(W) - 1);
    }
    if (tile == first)
        before = begin;
    post(&words[tile * DIGITS + threadIdx.x], (W)(PREFIX(W) | (before + own)));
    return before;
}

/* Rank a row of the warp's keys by their digits, with counts and masks of the warp: the lanes with
 * the same digit set their bits in its mask. How many come before, in the rows so far. */
static __device__ __forceinline__ unsigned rank_row(unsigned *counts, unsigned *masks, unsigned d)
{
    unsigned lane = threadIdx.x % 32, same, before, count = 0;

    atomicOr(&masks[d], 1u << lane);
    __syncwarp();
    same = masks[d];
    __syncwarp(); /* all have read, before it is cleared */
    before = __popc(same & ((1u << lane) - 1));
    if (before == 0) {
        count = counts[d];
        counts[d] = count + __popc(same);
        masks[d] = 0;
    }
    count = __shfl_sync(WARP, count, __ffs(same) - 1);
    __syncwarp();
    return count + before;
}

/* Rank all rows of the warp: rank has the digits, and gets ranks in its lower half, above them the
 * digits. */
static __device__ __forceinline__ void rank_rows(unsigned *rank, unsigned *counts, unsigned *masks)
{
    unsigned one = __shfl_sync(WARP, rank[0], 0), lane = threadIdx.x % 32;
    bool same = true;

#pragma unroll
    for (int k = 0; k < ITEMS; k++)
        same = same && rank[k] == one;
    if (__all_sync(WARP, same)) { /* as of sorted keys */
        if (lane == 0)
            counts[one] = 32 * ITEMS;
#pragma unroll
        for (int k = 0; k < ITEMS; k++)
            rank[k] = one << 16 | (k * 32 + lane);
        return;
    }
#pragma unroll
    for (int k = 0; k < ITEMS; k++)
        rank[k] = rank[k] << 16 | rank_row(counts, masks, rank[k]);
}

/* Kernel 4, where equal keys must keep their order, and for pairs: move a piece by a digit.
 * begins: where the digits' first keys go. */
template <typename W, bool VALUES>
static __device__ void move_piece(struct arrays a, struct piece p, size_t tile, W *words,
                                  const W *begins, struct field f)
{
    extern __shared__ element4 memory[];
    __shared__ unsigned begin[DIGITS];
    __shared__ W shift[DIGITS];
    unsigned warp = threadIdx.x / 32, own, count = 0, all,
             from = warp * 32 * ITEMS + threadIdx.x % 32;
    unsigned *counts = (unsigned *)memory, *masks = counts + WARPS * DIGITS + warp * DIGITS;
    unsigned rank[ITEMS], tag[VALUES ? ITEMS : 1], d = threadIdx.x;
    element key[ITEMS], *keys = (element *)memory;
    unsigned *tags = (unsigned *)(keys + TILE);

    __syncthreads(); /* what the tile before left there has been read */
    for (unsigned k = threadIdx.x; k < 2 * WARPS * DIGITS; k += THREADS)
        counts[k] = 0;
#pragma unroll
    for (int k = 0; k < ITEMS; k++)
        key[k] = from + k * 32 < p.here ? a.x[p.begin + from + k * 32] : 0;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < ITEMS; k++) /* what is no key comes last, as the highest digit */
        rank[k] = from + k * 32 < p.here ? (unsigned)field_of(key[k], f) : DIGITS - 1;
    rank_rows(rank, counts + warp * DIGITS, masks);
    __syncthreads();
    if (d < DIGITS) {
#pragma unroll
        for (unsigned k = 0; k < WARPS; k++) {
            unsigned one = counts[k * DIGITS + d];

            counts[k * DIGITS + d] = count;
            count += one;
        }
    }
    own = count - (d == DIGITS - 1 ? TILE - p.here : 0);
    if (d < DIGITS && tile > p.first)
        post(&words[tile * DIGITS + d], (W)(SUM(W) | own));
    count = sum_before(count, &all);
    if (d < DIGITS)
        begin[d] = count;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        unsigned digit = rank[k] >> 16;

        rank[k] = (rank[k] & 0xffff) + begin[digit] + counts[warp * DIGITS + digit];
    }
    __syncthreads(); /* the keys go where the counts were */
#pragma unroll
    for (int k = 0; k < ITEMS; k++)
        keys[rank[k]] = key[k];
#pragma unroll
    for (int k = 0; VALUES && k < ITEMS; k++)
        tag[k] = from + k * 32 < p.here ? a.values[p.begin + from + k * 32] : 0;
    if (d < DIGITS)
        shift[d] =
            look_back(words, tile, p.first, (W)own, d < 1u << f.bits ? begins[d] : (W)0) - count;
#pragma unroll
    for (int k = 0; VALUES && k < ITEMS; k++)
        tags[rank[k]] = tag[k];
    __syncthreads();
#pragma unroll 4
    for (unsigned i = threadIdx.x; i < p.here; i += THREADS) {
        element one = keys[i];
        size_t place = (W)(shift[field_of(one, f)] + i);

        a.y[place] = one;
        if (VALUES)
            a.y_values[place] = tags[i];
    }
}

/* Whether a key is 0 or -0: they are equal and look different. */
static __device__ __forceinline__ bool is_zero(element key)
{
    return (element)0.5 != 0 && number_of(key) == number_of(0);
}

/* The zeros of x from `at` on, of every 32nd key, below `end`: how many, or, to which place each
 * goes. Of a warp. */
static __device__ unsigned take_zeros(element *y, const element *x, size_t at, size_t end)
{
    unsigned taken = 0;

    for (; at < end; at += 32 * ITEMS) {
        element key[ITEMS];

#pragma unroll
        for (int k = 0; k < ITEMS; k++)
            key[k] = at + k * 32 + threadIdx.x % 32 < end ? x[at + k * 32 + threadIdx.x % 32] : 1;
#pragma unroll
        for (int k = 0; k < ITEMS; k++) {
            unsigned zeros = __ballot_sync(WARP, is_zero(key[k]));

            if (y && is_zero(key[k]))
                y[taken + __popc(zeros & ((1u << threadIdx.x % 32) - 1))] = key[k];
            taken += __popc(zeros);
        }
    }
    return taken;
}

/* y is in order, but zeros of both signs are mixed: write them as they stand in x. counts: one per
 * warp of the grid. */
static __device__ void order_zeros(cooperative_groups::grid_group grid, element *y,
                                   const element *x, size_t n, unsigned *counts, struct field f)
{
    size_t warps = (size_t)gridDim.x * blockDim.x / 32;
    size_t warp = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) / 32, piece = n / warps + 1;
    size_t begin = warp * piece < n ? warp * piece : n;
    size_t end = begin + piece < n ? begin + piece : n, low = 0, high = n;
    unsigned own = take_zeros(NULL, x, begin, end);

    if (threadIdx.x % 32 == 0)
        counts[warp] = own;
    while (low < high) { /* where they begin in y */
        size_t middle = low + (high - low) / 2;

        if ((number_of(y[middle]) ^ (number)f.flip) < (number_of(0) ^ (number)f.flip))
            low = middle + 1;
        else
            high = middle;
    }
    grid.sync(); /* all have counted and searched; from here on y is written */
    own = 0;
    for (size_t k = threadIdx.x % 32; k < warp; k += 32)
        own += counts[k];
    for (int far = 16; far > 0; far /= 2)
        own += __shfl_xor_sync(WARP, own, far);
    low += own;
    take_zeros(y + low, x, begin, end);
}

/* The whole array by the lowest digit first, as in sort-onesweep, in one launch: where keys crowd.
 * Its blocks are all resident. A digit that all keys have in common costs no pass. totals begin as
 * zeros. */
template <typename W, bool VALUES> static __global__ void __launch_bounds__(THREADS, 2)
sort_crowded(struct arrays y, struct arrays other, unsigned *crowded, const unsigned *minus,
             W *totals, W *words, size_t n, struct field f)
{
    extern __shared__ element4 memory[];
    __shared__ W begins[DIGITS];
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    size_t tiles = (n + TILE - 1) / TILE;
    size_t me = (size_t)blockIdx.x * THREADS + threadIdx.x, threads = (size_t)gridDim.x * THREADS;
    unsigned passes = (f.bits + DIGIT_BITS - 1) / DIGIT_BITS, left = 0,
             *counts = (unsigned *)memory;
    unsigned varied = 0; /* a bit per pass in which keys have more than one digit */
    W *use = words, *clear = words + tiles * DIGITS;

    if (!is_crowded(crowded)) {
        if ((element)0.5 != 0 && *minus)
            order_zeros(grid, y.y, other.x, n, (unsigned *)words, f);
        return;
    }
    for (unsigned k = threadIdx.x; k < passes * DIGITS; k += THREADS)
        counts[k] = 0;
    __syncthreads();
    for (size_t i = me; i < n; i += threads) {
        number bits = field_of(other.x[i], f);

        for (unsigned p = 0; p < passes; p++)
            atomicAdd(&counts[p * DIGITS + (bits >> p * DIGIT_BITS & (DIGITS - 1))], 1);
    }
    __syncthreads();
    for (unsigned k = threadIdx.x; k < passes * DIGITS; k += THREADS) {
        if (counts[k] > 0)
            atomicAdd(&totals[k], (W)counts[k]);
    }
    for (size_t k = me; k < tiles * DIGITS; k += threads)
        use[k] = 0;
    grid.sync();
    for (unsigned p = 0; p < passes; p++) {
        if (!__syncthreads_or(threadIdx.x < DIGITS && totals[p * DIGITS + threadIdx.x] == n)) {
            varied |= 1u << p;
            left++;
        }
    }
    if (left == 0) {
        for (size_t i = me; i < n; i += threads) {
            y.y[i] = other.x[i];
            if (VALUES)
                y.y_values[i] = other.values[i];
        }
    }
    for (unsigned p = 0; p < passes; p++) {
        struct arrays a = other; /* what it reads */
        W *swap = use, before = 0;
        struct field digit = f;

        if (!(varied >> p & 1))
            continue;
        if (threadIdx.x < DIGITS) {
            for (unsigned d = 0; d < threadIdx.x; d++)
                before += totals[p * DIGITS + d];
            begins[threadIdx.x] = before;
        }
        digit.first += p * DIGIT_BITS;
        digit.bits = f.bits - p * DIGIT_BITS < DIGIT_BITS ? f.bits - p * DIGIT_BITS : DIGIT_BITS;
        digit.mask = (1u << digit.bits) - 1;
        a.y = left % 2 ? y.y : other.y; /* the last pass writes y */
        a.y_values = left % 2 ? y.y_values : other.y_values;
        for (size_t k = me; k < tiles * DIGITS; k += threads)
            clear[k] = 0;
        __syncthreads();
        for (size_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
            struct piece piece = {tile * TILE, 0,
                                  n - tile * TILE < TILE ? (unsigned)(n - tile * TILE) : TILE, 0};

            move_piece<W, VALUES>(a, piece, tile, use, begins, digit);
        }
        other.x = a.y;
        other.values = a.y_values;
        use = clear;
        clear = swap;
        left--;
        grid.sync();
    }
}

#endif
