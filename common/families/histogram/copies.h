/*
 * Copies of the histogram in a block's shared memory: the kernel, and its launch with one copy or
 * more. Device code.
 */
#ifndef HISTOGRAM_COPIES_H
#define HISTOGRAM_COPIES_H

#include "families/histogram/share.h"

/* Where a thread counts. */
struct copy_tally {
    const struct bins *bins;
    unsigned *own;  /* this lane's copy of counter first */
    unsigned first; /* the counters of this part: first to first + cells - 1 */
    unsigned cells;
    unsigned stride; /* words between a counter and the next one */
};

static __device__ __forceinline__ void count_element(struct copy_tally *t, element x)
{
    unsigned bin = bin_of(x, t->bins) - t->first; /* huge below first */

    /* What is of another part goes to a word that no thread reads. */
    atomicAdd(&t->own[min(bin, t->cells) * t->stride], 1u);
}

static __device__ __forceinline__ void count_word(struct copy_tally *t, unsigned word)
{
    count_elements(t, word);
}

/* Copies of `part` counters; blockIdx.y says which part. Lane l counts in copy l % copies. SHORT:
 * the rule's multiplier is; to ask for each element would cost more than it saves. */
template <bool SHORT> __global__ void __launch_bounds__(1024, 2)
count_copies(unsigned long long *counts, const element *x, size_t n, struct bins bins,
             unsigned part, unsigned copies)
{
    extern __shared__ unsigned shared[];
    unsigned first = blockIdx.y * part, cells = min(part, bins.count + 1 - first);
    struct copy_tally t = {&bins, shared + threadIdx.x % copies, first, cells, copies};

    bins.short_multiplier = SHORT;
    clear(shared, (cells + 1) * copies);
    count_share(&t, x, n);
    __syncthreads();
    add_block(counts + first, shared, cells, copies);
}

/* The counters of a part: all, if a block has room for them, else equal shares; and how many parts.
 */
static inline unsigned part_of(const struct work *w, unsigned *parts)
{
    unsigned cells = w->bins.count + 1, most = (unsigned)(w->shared_memory / sizeof(unsigned)) - 1;

    *parts = (cells + most - 1) / most;
    return (cells + *parts - 1) / *parts;
}

/* More than 48 KiB of shared memory are for kernels that say so, once. */
static void allow_copies(const struct work *w)
{
    static bool done;
    const enum cudaFuncAttribute most = cudaFuncAttributeMaxDynamicSharedMemorySize;

    if (done)
        return;
    cudaFuncSetAttribute(count_copies<false>, most, (int)w->shared_memory);
    cudaFuncSetAttribute(count_copies<true>, most, (int)w->shared_memory);
    done = true;
}

static void launch_copies(struct work *w, unsigned most_copies)
{
    unsigned parts, part = part_of(w, &parts), copies = most_copies;
    unsigned bytes = (part + 1) * (unsigned)sizeof(unsigned); /* one for those of other parts */

    while (copies > 1 && bytes * copies > w->shared_memory / 2) /* two blocks on an SM */
        copies /= 2;
    allow_copies(w);
    clear_result(w);
    for (size_t at = 0; at < w->n; at += w->piece)
        (w->bins.short_multiplier
             ? count_copies<true>
             : count_copies<
                   false>)<<<dim3((unsigned)w->blocks, parts), w->threads, bytes * copies>>>(
            w->counts, w->x + at, histogram_piece(w, at), w->bins, part, copies);
}

#endif
