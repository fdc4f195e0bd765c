/*
 * The reduce family: x[0] + x[1] + ... + x[n-1] on the device.
 */
#ifndef REDUCE_H
#define REDUCE_H

#include "harness/kit/element.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a launch function gets. All pointers are device memory. */
struct work {
    element *x;       /* n elements, and room for one if n is 0; only a variant marked
                         DESTROYS_INPUT may write to it */
    element *partial; /* room for one partial sum per thread of the grid, and one per block */
    element *sum;     /* the result, one element; poisoned before each run */
    size_t n;         /* elements, 0 and up */
    int blocks;       /* grid size, at least 1 */
    int threads;      /* threads per block, 1 to 1024 */
};

/*
 * The length of the longest chain of additions, for the error bound; see docs/verifying.md. A slice
 * is what one thread adds up on its own, ceil(elements / threads of the grid) of them; a tree over
 * t threads has ceil(lg t) levels, with or without a fold of the part above a power of two.
 */
double reduce_depth_halving(const struct shape *);  /* reduce0: ceil(lg n) halvings, n odd or not:
                                                       each adds x[i + ceil(n / 2)] to x[i] */
double reduce_depth_threads(const struct shape *);  /* reduce1: slice; slice over the threads'
                                                       sums by one block; chain of its threads */
double reduce_depth_two_pass(const struct shape *); /* slice, tree, slice, tree (default) */
double reduce_depth_wide(const struct shape *);     /* the same; slices in groups of 16 elements
                                                       and up to 6 that stand unaligned */
double reduce_depth_thread_atomic(const struct shape *); /* slice, then one chain of all threads */
double reduce_depth_block_atomic(const struct shape *);  /* slice, tree, then a chain of blocks */

/* Threads and blocks that are 0 become 256, and as many as fill the device or the array needs. */
void reduce_default_shape(struct shape *);

extern const struct family reduce_family;

#ifdef __cplusplus
}
#endif
#endif
