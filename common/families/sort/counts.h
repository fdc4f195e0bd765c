/*
 * Where the keys of each digit begin: a histogram of each tile, and the scan of all histograms.
 * Device code of the steps that move keys by a digit.
 */
#ifndef SORT_COUNTS_H
#define SORT_COUNTS_H

#include "families/sort/rank.h"

/* Kernel 1: how many keys of each tile have each digit. counts[digit * tiles + tile], so that a
 * scan of all counts gives the places: smaller digits first, and of one digit earlier tiles. */
static __global__ void count_digits(unsigned long long *counts, const element *x, size_t n,
                                    size_t tiles, struct field f)
{
    __shared__ unsigned here[DIGITS];
    size_t size = (size_t)blockDim.x * SORT_ITEMS;
    unsigned digits = digits_of(f);

    for (size_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        size_t end = (tile + 1) * size < n ? (tile + 1) * size : n;

        for (unsigned d = threadIdx.x; d < digits; d += blockDim.x)
            here[d] = 0;
        __syncthreads();
        for (size_t i = tile * size + threadIdx.x; i < end; i += blockDim.x)
            atomicAdd(&here[field_of(x[i], f)], 1);
        __syncthreads();
        for (unsigned d = threadIdx.x; d < digits; d += blockDim.x)
            counts[d * tiles + tile] = here[d];
        __syncthreads();
    }
}

/* The sum over the lanes up to this one. */
static __device__ unsigned long long scan_warp(unsigned long long sum)
{
    for (unsigned k = 1; k < 32; k *= 2) {
        unsigned long long other = __shfl_up_sync(WARP, sum, k);

        sum += threadIdx.x % 32 >= k ? other : 0;
    }
    return sum;
}

/* The sum over the threads of the block up to this one; *all: over all of them. */
static __device__ unsigned long long scan_block(unsigned long long own, unsigned long long *all)
{
    __shared__ unsigned long long warps[32];
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    unsigned long long sum = scan_warp(own), before;

    if (lane == 31)
        warps[warp] = sum;
    __syncthreads();
    before = scan_warp(lane < blockDim.x / 32 ? warps[lane] : 0);
    *all = __shfl_sync(WARP, before, 31);
    before = __shfl_sync(WARP, before, warp > 0 ? warp - 1 : 0);
    __syncthreads(); /* before the next sums are written over these */
    return warp > 0 ? sum + before : sum;
}

/* Kernel 2: the exclusive scan of each digit's counts, a block per digit; totals[digit] is their
 * sum. */
static __global__ void scan_counts(unsigned long long *counts, unsigned long long *totals,
                                   size_t tiles)
{
    unsigned long long *row = counts + blockIdx.x * tiles, carry = 0;

    for (size_t base = 0; base < tiles; base += blockDim.x) {
        size_t i = base + threadIdx.x;
        unsigned long long own = i < tiles ? row[i] : 0, all, sum = scan_block(own, &all);

        if (i < tiles)
            row[i] = carry + sum - own;
        carry += all;
    }
    if (threadIdx.x == 0)
        totals[blockIdx.x] = carry;
}

/* Kernel 3: the exclusive scan of the totals, by one block: where each digit's keys begin. */
static __global__ void scan_totals(unsigned long long *totals, unsigned digits)
{
    unsigned long long carry = 0;

    for (unsigned base = 0; base < digits; base += blockDim.x) {
        unsigned d = base + threadIdx.x;
        unsigned long long own = d < digits ? totals[d] : 0, all, sum = scan_block(own, &all);

        if (d < digits)
            totals[d] = carry + sum - own;
        carry += all;
    }
}

/* The threads of a block that scans so many counts: no more than have something to do. */
static int scan_threads(const struct work *w, size_t count)
{
    size_t useful = (count + 31) / 32 * 32;

    return useful < (size_t)w->threads ? (int)useful : w->threads;
}

/* All three, for the keys of x in this pass: totals, DIGITS of them, and counts behind them. */
static inline void count_and_scan(const struct work *w, const element *x, size_t tiles,
                                  struct field f, unsigned pass)
{
    unsigned long long *totals = w->counters, *counts = totals + DIGITS;
    unsigned digits = digits_of(f);

    timeline_begin("count", pass, 0);
    count_digits<<<sort_grid(w, tiles), w->threads>>>(counts, x, w->n, tiles, f);
    timeline_end(0);
    timeline_begin("scan", pass, 0);
    scan_counts<<<digits, scan_threads(w, tiles)>>>(counts, totals, tiles);
    scan_totals<<<1, scan_threads(w, digits)>>>(totals, digits);
    timeline_end(0);
}

#endif
