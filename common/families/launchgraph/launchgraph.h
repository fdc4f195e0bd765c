/*
 * The launchgraph family: n small kernels, one behind the other, over the same elements. Kernel
 * number k makes 3 * x + k of each x, modulo 2^32, so that each must run once, and in its turn.
 */
#ifndef LAUNCHGRAPH_H
#define LAUNCHGRAPH_H

#include "harness/kit/element.h"
#include "harness/kit/timeline.h"

#ifdef __cplusplus
extern "C" {
#endif

struct CUstream_st;
struct CUgraphExec_st;

/* What a launch function gets. */
struct work {
    size_t n;                   /* launches; may be 0 */
    size_t elements;            /* of x; may be 0 */
    element *x;                 /* device */
    int threads;                /* threads per block; the grid follows from the elements */
    struct CUstream_st *stream; /* the default stream waits for it, and it for the default stream */
    struct CUgraphExec_st *graph; /* made by the first launch; NULL before, and after a new shape */
    unsigned long long *stamps;   /* see harness/kit/timeline.h; or NULL */
};

#ifdef __cplusplus
/* A clock of the whole device. */
static __device__ inline unsigned long long nanoseconds()
{
#ifdef BACKEND_CPU
    return 0; /* no timeline is wanted there */
#else
    unsigned long long now;

    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
#endif
}

/* One thread of the first block notes the time in the word `at`, if a timeline is wanted. */
static __device__ inline void stamp(unsigned long long *stamps, size_t at)
{
    if (stamps && blockIdx.x == 0 && threadIdx.x == 0)
        stamps[at] = nanoseconds();
}
#endif

#ifdef __cplusplus
}
#endif
#endif
