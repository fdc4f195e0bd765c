/*
 * Keys move by their upper bits, by one digit or by two, until those with the same ones lie
 * together: kernels 1 to 4 of sort-msd and sort-crowded. Device code.
 */
#ifndef SORT_UPPER_H
#define SORT_UPPER_H

#include "families/sort/any_place.h"
#include "families/sort/counted.h"

/* Kernel 1: how many keys each segment will have. */
static __global__ void __launch_bounds__(COUNTERS)
count_upper(struct segments s, const element *x, size_t n, struct field f)
{
    extern __shared__ element4 memory[];
    unsigned *counters = (unsigned *)memory, words = (1u << f.bits) / 2;

    for (unsigned k = threadIdx.x; k < words; k += COUNTERS)
        counters[k] = 0;
    __syncthreads();
    if (count_keys(counters, s.counts, x, (size_t)blockIdx.x * COUNTERS * ROWS,
                   (size_t)gridDim.x * COUNTERS * ROWS, n, f))
        tell(s.minus);
    __syncthreads();
    add_counters(s.counts, counters, words);
}

/* Kernel 2: where each segment begins, by a block per 1024 of them, which sums what is before
 * itself. */
static __global__ void __launch_bounds__(COUNTERS)
scan_upper(struct segments s, size_t n)
{
    unsigned all = 1u << s.bits, i = blockIdx.x * COUNTERS + threadIdx.x, under = s.bits - s.first;
    unsigned own = i < all ? s.counts[i] : 0, part = 0, before, sum, begin;

    for (unsigned k = threadIdx.x; k < blockIdx.x * COUNTERS; k += COUNTERS)
        part += s.counts[k];
    sum_before(part, &before);
    begin = before + sum_before(own, &sum);
    if (i >= all)
        return;
    s.begin[i] = begin;
    s.next[i] = begin;
    if (i % (1u << under) == 0)
        s.digits[i >> under] = begin;
    if (own > s.capacity && s.spread.list)
        s.spread.list[atomicAdd(s.spread.made, 1)] = i;
    else if (own > s.capacity)
        leave_segment(&s, i, own);
    if (i == all - 1)
        s.begin[all] = (unsigned)n;
}

/* Kernel 3, where there are two levels: how many tiles the digits of the first one make, by one
 * block. */
static __global__ void count_tiles(struct segments s)
{
    unsigned d = threadIdx.x, under = s.bits - s.first, own = 0, all, before;

    if (d < 1u << s.first)
        own = (s.begin[(d + 1) << under] - s.begin[d << under] + TILE - 1) / TILE;
    before = sum_before(own, &all);
    if (d < 1u << s.first)
        s.tiles[d] = before;
    if (d == 0)
        s.tiles[1u << s.first] = all;
}

/* The tiles of a level: of the whole array, or of the digits of the first one. */
struct level {
    struct segments s;
    unsigned number, digit, tile;
    size_t n;
    struct field f;
    __device__ __forceinline__ struct piece take(void)
    {
        struct piece p = piece_of(tile, &digit, &s, number, n);

        tile += gridDim.x;
        return p;
    }
    __device__ __forceinline__ unsigned *next(struct piece p) const
    {
        return number > 0 ? s.next + (p.digit << f.bits) : s.digits;
    }
    __device__ __forceinline__ struct field field(struct piece) const
    {
        return f;
    }
};

/* Kernel 4, for keys alone. */
static __global__ void __launch_bounds__(THREADS, 2)
move_any(element *y, const element *x, struct segments s, unsigned number, size_t n, struct field f)
{
    struct level level = {s, number, 0, blockIdx.x, n, f};

    if (!is_crowded(s.crowded))
        move_pieces(y, x, &level);
}

#endif
