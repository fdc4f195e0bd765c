/*
 * limit-barrier: what a barrier of a block costs
 *
 * Idea      Multiply-adds, and after so many of them __syncthreads(). The fewer there are between two
 *           barriers, the more the warps wait for one another; a second block on the multiprocessor
 *           has other warps, which need not wait.
 * Since     limit-latency hid a wait by more threads; here the threads themselves make one another wait.
 * Expect    The rate rises with the work between two barriers, and earlier with 2 and 4 blocks.
 * Source    A paper on the principles of GPU programming (C4): 1 and 2 resident blocks of a GTX 280.
 */
#include "families/limits/limits.h"

template <bool meets>
static __global__ void rounds(float *y, float factor, float term, int n, int between)
{
    float x[CHAINS_BETWEEN], sum = 0;

#pragma unroll
    for (int k = 0; k < CHAINS_BETWEEN; k++)
        x[k] = chain_start(threadIdx.x, k);
    for (int round = 0; round < n; round++) {
#pragma unroll 4
        for (int i = 0; i < between; i++) {
#pragma unroll
            for (int k = 0; k < CHAINS_BETWEEN; k++)
                x[k] = multiply_add(x[k], factor, term);
        }
        if (meets)
            __syncthreads();
    }
#pragma unroll
    for (int k = 0; k < CHAINS_BETWEEN; k++)
        sum += x[k];
    y[thread_of_grid()] = sum;
}

static void barriers(struct work *w)
{
    rounds<true><<<w->blocks, w->threads>>>((float *)w->y, FACTOR_f32, TERM_f32, (int)w->n,
                                            (int)w->between);
}

static void none(struct work *w)
{
    rounds<false><<<w->blocks, w->threads>>>((float *)w->y, FACTOR_f32, TERM_f32, (int)w->n,
                                             (int)w->between);
}

static const struct variant variants[] = {
    {"barrier", "multiply-adds, then the block meets", barriers},
    {"none", "the same without a barrier", none},
};

STEP("limit-barrier", limit_barrier_family, variants);
