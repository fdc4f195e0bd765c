/*
 * reduce2: a tree in shared memory
 *
 * Idea      One partial sum per block instead of one per thread: the threads of a block put their
 *           sums into shared memory and add them in a tree, halving the active threads each round.
 * Since     reduce1 wrote one sum per thread back to global memory and read them all again.
 * Expect    Global stores drop to one a block; the time is that of reading x once. Interleaved
 *           addressing does the same additions with the same lanes and colliding banks.
 * Source    Ladder 2022, after R. Ansorge, "Programming in Parallel with CUDA";
 *           M. Harris, "Optimizing Parallel Reduction in CUDA", kernels 2 and 3.
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

/* One partial sum per block. The threads that add and the words they read stay neighbours. */
__global__ void sum_sequential(element *partial, const element *x, size_t n)
{
    extern __shared__ element s[];
    unsigned t = threadIdx.x;

    s[t] = slice_sum(x, n, (size_t)blockIdx.x * blockDim.x + t, (size_t)gridDim.x * blockDim.x);
    __syncthreads();
    for (unsigned k = blockDim.x / 2; k > 0; k /= 2) {
        if (t < k)
            s[t] += s[t + k];
        __syncthreads();
    }
    if (t == 0)
        partial[blockIdx.x] = s[0];
}

/* The same with the stride doubling: the same threads add, but their words are 2, 4, 8, ... apart,
 * so from the first round on the lanes of a warp meet in the same banks. */
__global__ void sum_interleaved(element *partial, const element *x, size_t n)
{
    extern __shared__ element s[];
    unsigned t = threadIdx.x;

    s[t] = slice_sum(x, n, (size_t)blockIdx.x * blockDim.x + t, (size_t)gridDim.x * blockDim.x);
    __syncthreads();
    for (unsigned k = 1; k < blockDim.x; k *= 2) {
        unsigned i = 2 * k * t;

        if (i + k < blockDim.x)
            s[i] += s[i + k];
        __syncthreads();
    }
    if (t == 0)
        partial[blockIdx.x] = s[0];
}

/* The oldest form: thread t handles element t, and adds if t is a multiple of 2k. Fewer and fewer lanes
 * of each warp add, but all warps go through every round. */
__global__ void sum_divergent(element *partial, const element *x, size_t n)
{
    extern __shared__ element s[];
    unsigned t = threadIdx.x;

    s[t] = slice_sum(x, n, (size_t)blockIdx.x * blockDim.x + t, (size_t)gridDim.x * blockDim.x);
    __syncthreads();
    for (unsigned k = 1; k < blockDim.x; k *= 2) {
        if (t % (2 * k) == 0)
            s[t] += s[t + k];
        __syncthreads();
    }
    if (t == 0)
        partial[blockIdx.x] = s[0];
}

static void sequential(struct work *w)
{
    size_t shared = w->threads * sizeof(element);

    sum_sequential<<<w->blocks, w->threads, shared>>>(w->partial, w->x, w->n);
    sum_sequential<<<1, w->threads, shared>>>(w->sum, w->partial, w->blocks);
}

static void interleaved(struct work *w)
{
    size_t shared = w->threads * sizeof(element);

    sum_interleaved<<<w->blocks, w->threads, shared>>>(w->partial, w->x, w->n);
    sum_interleaved<<<1, w->threads, shared>>>(w->sum, w->partial, w->blocks);
}

static void divergent(struct work *w)
{
    size_t shared = w->threads * sizeof(element);

    sum_divergent<<<w->blocks, w->threads, shared>>>(w->partial, w->x, w->n);
    sum_divergent<<<1, w->threads, shared>>>(w->sum, w->partial, w->blocks);
}

static const struct variant variants[] = {
    {"divergent", "every 2k-th thread adds: warps with a few active lanes", divergent, POWER_OF_TWO,
     reduce_depth_two_pass},
    {"interleaved", "the stride doubles: banks collide", interleaved, POWER_OF_TWO,
     reduce_depth_two_pass},
    {"sequential", "the stride halves: active threads stay neighbours", sequential, POWER_OF_TWO,
     reduce_depth_two_pass},
};

STEP("reduce2", reduce_family, variants);
