/*
 * histogram-global: one atomic per element in global memory
 *
 * Idea      A thread finds the bin of an element and adds 1 to the bin's counter with an atomic,
 *           which no other thread can come between.
 * Since     A reduction has one result, so that a thread can add up its own part first. Here each
 *           element chooses among many results.
 * Expect    n atomics, all of them to a few words that the L2 cache holds: far below the rate of a
 *           copy, and the slower the fewer the bins, because atomics to one word are done one after
 *           the other. `plain` has a load, an addition and a store instead of the atomic: it is
 *           faster and loses most of the elements.
 * Source    Lecture notes on parallel algorithms: one global atomicAdd per element, x % bins.
 */
#include "families/histogram/histogram.h"

__global__ void count_atomic(unsigned long long *counts, const element *x, size_t n,
                             struct bins bins)
{
    size_t stride = (size_t)gridDim.x * blockDim.x;

    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&counts[bin_of(x[i], &bins)], 1ull);
}

/* Wrong: two threads may load the same count, and then both store the same one more. */
__global__ void count_plain(unsigned long long *counts, const element *x, size_t n,
                            struct bins bins)
{
    size_t stride = (size_t)gridDim.x * blockDim.x;

    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        counts[bin_of(x[i], &bins)]++;
}

static void clear(struct work *w)
{
    cudaMemsetAsync(w->counts, 0, (w->bins.count + 1) * sizeof(*w->counts), 0);
}

static void atomic(struct work *w)
{
    clear(w);
    count_atomic<<<w->blocks, w->threads>>>(w->counts, w->x, w->n, w->bins);
}

static void plain(struct work *w)
{
    clear(w);
    count_plain<<<w->blocks, w->threads>>>(w->counts, w->x, w->n, w->bins);
}

static const struct variant variants[] = {
    {"atomic", "one atomicAdd per element", atomic},
    {"plain", "a plain ++: threads lose each other's counts", plain, UNSYNCHRONISED | UNORDERED},
};

STEP("histogram-global", histogram_family, variants);
