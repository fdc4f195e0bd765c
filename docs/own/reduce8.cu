/*
 * reduce8: an atomic for each warp
 *
 * Idea      The lanes of a warp add their sums by shuffles, and one lane adds the warp's to the
 *           result. No shared memory, no barrier, one launch.
 * Since     reduce6 needed a tree in shared memory to have fewer atomics than threads.
 * Expect    32 times fewer atomics than per-thread, and as many loads.
 * Source    An exercise.
 */
#include "families/reduce/reduce.h"

__global__ void add_per_warp(element *total, const element *x, size_t n)
{
    size_t stride = (size_t)gridDim.x * blockDim.x;
    element sum = 0;

    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        sum += x[i];
    for (int k = 16; k > 0; k /= 2)
        sum += __shfl_down_sync(~0u, sum, k);
    if (threadIdx.x % 32 == 0)
        atomicAdd(total, sum);
}

static void per_warp(struct work *w)
{
    cudaMemsetAsync(w->sum, 0, sizeof(element));
    add_per_warp<<<w->blocks, w->threads>>>(w->sum, w->x, w->n);
}

static const struct variant variants[] = {
    {"per-warp", "shuffles, then an atomicAdd a warp", per_warp, WHOLE_WARPS | UNORDERED,
     reduce_depth_thread_atomic},
};

STEP("reduce8", reduce_family, variants);
