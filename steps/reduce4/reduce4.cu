/*
 * reduce4: synchronise only the warp at the end
 *
 * Idea      When no more than 32 threads add, they are one warp: the block's barrier is more than
 *           they need, and __syncwarp() is enough. Written out step by step, the tree also needs
 *           no loop counter.
 * Since     reduce3 held up the whole block at a barrier for each of the last five additions.
 * Expect    Up to six barriers fewer per block. Most of the time is still the reading of x.
 * Beware    The variant lockstep leaves __syncwarp() out and trusts, as programs did for ten years,
 *           that the lanes of a warp go in step and that volatile is enough. Since Volta the lanes
 *           have program counters of their own: it is a race, even where its answer is right.
 * Source    Ladder 2022, after R. Ansorge (unrolled tree for 256 to 512 threads);
 *           Reductions 2015 (lockstep); CUDA C++ Programming Guide, "Independent
 *           Thread Scheduling".
 */
#include "families/reduce/reduce.h"

/* The sum of x[first], x[first + stride], ...: one thread's slice. */
static __device__ element slice_sum(const element *x, size_t n, size_t first, size_t stride)
{
    element sum = 0;

    for (size_t i = first; i < n; i += stride)
        sum += x[i];
    return sum;
}

/* Fold the block's sums until s[0..63] are left, or fewer in a smaller block. */
static __device__ void fold_to_64(element *s, unsigned t)
{
    if (blockDim.x >= 1024 && t < 512)
        s[t] += s[t + 512];
    __syncthreads();
    if (blockDim.x >= 512 && t < 256)
        s[t] += s[t + 256];
    __syncthreads();
    if (blockDim.x >= 256 && t < 128)
        s[t] += s[t + 128];
    __syncthreads();
    if (blockDim.x >= 128 && t < 64)
        s[t] += s[t + 64];
    __syncthreads();
}

__global__ void sum_unrolled(element *partial, const element *x, size_t n)
{
    extern __shared__ element s[];
    unsigned t = threadIdx.x;

    s[t] = slice_sum(x, n, (size_t)blockIdx.x * blockDim.x + t, (size_t)gridDim.x * blockDim.x);
    __syncthreads();
    fold_to_64(s, t);
    if (t < 32) { /* the first warp, whole or all there is */
        for (unsigned k = 32; k > 1; k /= 2) {
            if (t < k && t + k < blockDim.x)
                s[t] += s[t + k];
            __syncwarp(); /* what a lane wrote is seen by the lane that reads it next */
        }
        if (t == 0)
            partial[blockIdx.x] = blockDim.x > 1 ? s[0] + s[1] : s[0];
    }
}

/* Wrong since Volta: nothing orders the lanes. Kept to be looked at with --check. */
__global__ void sum_lockstep(element *partial, const element *x, size_t n)
{
    extern __shared__ element s[];
    volatile element *v = s;
    unsigned t = threadIdx.x;

    s[t] = slice_sum(x, n, (size_t)blockIdx.x * blockDim.x + t, (size_t)gridDim.x * blockDim.x);
    __syncthreads();
    fold_to_64(s, t);
    if (t < 32) {
        if (blockDim.x >= 64)
            v[t] = v[t] + v[t + 32];
        for (unsigned k = 16; k > 0; k /= 2)
            if (t + k < blockDim.x)
                v[t] = v[t] + v[t + k];
    }
    if (t == 0)
        partial[blockIdx.x] = v[0];
}

static void unrolled(struct work *w)
{
    size_t shared = w->threads * sizeof(element);

    sum_unrolled<<<w->blocks, w->threads, shared>>>(w->partial, w->x, w->n);
    sum_unrolled<<<1, w->threads, shared>>>(w->sum, w->partial, w->blocks);
}

static void lockstep(struct work *w)
{
    size_t shared = w->threads * sizeof(element);

    sum_lockstep<<<w->blocks, w->threads, shared>>>(w->partial, w->x, w->n);
    sum_lockstep<<<1, w->threads, shared>>>(w->sum, w->partial, w->blocks);
}

static const struct variant variants[] = {
    {"unrolled", "the tree written out, __syncwarp in the last warp", unrolled, POWER_OF_TWO,
     reduce_depth_two_pass},
    {"lockstep", "the same without __syncwarp: wrong since Volta", lockstep,
     POWER_OF_TWO | UNSYNCHRONISED, reduce_depth_two_pass},
};

STEP("reduce4", reduce_family, variants);
