/*
 * limit-barrier: what a barrier of a block costs
 *
 * Idea      Multiply-adds, and after so many of them __syncthreads(). The fewer there are between two
 *           barriers, the more the warps wait for one another; a second block on the multiprocessor
 *           has other warps, which need not wait.
 * Since     limit-latency hid a wait by more threads; here the threads themselves make one another wait.
 * Expect    The rate rises with the work between two barriers, and earlier with 2 and 4 blocks.
 * Source    GPU programming principles: 1 and 2 resident blocks of a GTX 280.
 */
#include "families/limits/limits.h"

/* n times: between GROUPs of multiply-adds of each thread, then a barrier. One loop for all, so that little
 * is done besides. */
template <bool meets> static __global__ void rounds(float *y, float factor, int n, int between)
{
    float x[CHAINS_BETWEEN], sum = 0;
    int since = 0;

#pragma unroll
    for (int k = 0; k < CHAINS_BETWEEN; k++)
        x[k] = chain_start(threadIdx.x, k);
#pragma unroll 1
    for (int group = n * between; group > 0; group--) {
#pragma unroll
        for (int k = 0; k < GROUP; k++)
            x[k % CHAINS_BETWEEN] = multiply_add(x[k % CHAINS_BETWEEN], factor, TERM_f32);
        if (++since == between) {
            since = 0;
            if (meets)
                __syncthreads();
        }
    }
#pragma unroll
    for (int k = 0; k < CHAINS_BETWEEN; k++)
        sum += x[k];
    y[thread_of_grid()] = sum;
}

/* Nothing but barriers, written out so that there is hardly a loop. */
static __global__ void barriers_alone(float *y, int n)
{
    int round = 0;

#pragma unroll 16
    for (; round < n; round++)
        __syncthreads();
    y[thread_of_grid()] = chain_start(threadIdx.x, 0) + round;
}

static void barriers(struct work *w)
{
    rounds<true><<<w->blocks, w->threads>>>((float *)w->y, FACTOR_f32, (int)w->n, (int)w->between);
}

static void none(struct work *w)
{
    rounds<false><<<w->blocks, w->threads>>>((float *)w->y, FACTOR_f32, (int)w->n, (int)w->between);
}

static void alone(struct work *w)
{
    barriers_alone<<<w->blocks, w->threads>>>((float *)w->y, (int)w->n);
}

static const struct variant variants[] = {
    {"barrier", "multiply-adds, then the block meets", barriers},
    {"none", "the same without a barrier", none},
    {"alone", "nothing but barriers", alone, ALONE, NULL, NULL, NULL, barrier_no_flops},
};

static const struct launches launches[] = {
    {LADDER | RECORD | GPU_ONLY, {"-v alone -n 2^17 -r 15"}},
    {SWEEP | RECORD | GPU_ONLY,
     {"--resident 1 -v barrier -v none --sweep between=0:6 -r 5 -w 1",
      "--resident 2 -v barrier -v none --sweep between=0:6 -r 5 -w 1",
      "--resident 4 -v barrier -v none --sweep between=0:6 -r 5 -w 1",
      "-v alone -n 2^17 -t 32 -r 5", "-v alone -n 2^17 -t 1024 -r 15"}},
    {0},
};

STEP("limit-barrier", limit_barrier_family, variants, launches);
