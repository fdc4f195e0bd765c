/*
 * reduce3: any block size
 *
 * Idea      A tree that halves needs a power of two. For other block sizes, either pretend that
 *           the block were as large as the next power of two and guard each addition, or fold the
 *           part above the power of two below onto the front and run the plain tree.
 * Since     reduce2 drops terms without a word when the number of threads is not a power of two;
 *           that is why it refuses them.
 * Expect    The same time as reduce2, for any number of threads from 1 to 1024.
 * Source    Ladder 2022, after R. Ansorge, "Programming in Parallel with CUDA"
 *           (the guard, with __clz); Reductions 2015 (the fold).
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

/* The smallest power of two not below n, for n >= 1: __clz counts the leading zeros. */
static __device__ unsigned pow2_ceil(unsigned n)
{
    return n == 1 ? 1 : 1u << (32 - __clz(n - 1));
}

/* The largest power of two not above n, for n >= 1: clear the lowest bit until one is left. */
static __device__ unsigned pow2_floor(unsigned n)
{
    while (n & (n - 1))
        n &= n - 1;
    return n;
}

__global__ void sum_guard(element *partial, const element *x, size_t n)
{
    extern __shared__ element s[];
    unsigned t = threadIdx.x;

    s[t] = slice_sum(x, n, (size_t)blockIdx.x * blockDim.x + t, (size_t)gridDim.x * blockDim.x);
    __syncthreads();
    for (unsigned k = pow2_ceil(blockDim.x) / 2; k > 0; k /= 2) {
        if (t < k && t + k < blockDim.x)
            s[t] += s[t + k];
        __syncthreads();
    }
    if (t == 0)
        partial[blockIdx.x] = s[0];
}

__global__ void sum_fold(element *partial, const element *x, size_t n)
{
    extern __shared__ element s[];
    unsigned t = threadIdx.x;
    unsigned m = pow2_floor(blockDim.x);

    s[t] = slice_sum(x, n, (size_t)blockIdx.x * blockDim.x + t, (size_t)gridDim.x * blockDim.x);
    __syncthreads();
    if (t + m < blockDim.x)
        s[t] += s[t + m];
    __syncthreads();
    for (unsigned k = m / 2; k > 0; k /= 2) {
        if (t < k)
            s[t] += s[t + k];
        __syncthreads();
    }
    if (t == 0)
        partial[blockIdx.x] = s[0];
}

static void guard(struct work *w)
{
    size_t shared = w->threads * sizeof(element);

    sum_guard<<<w->blocks, w->threads, shared>>>(w->partial, w->x, w->n);
    sum_guard<<<1, w->threads, shared>>>(w->sum, w->partial, w->blocks);
}

static void fold(struct work *w)
{
    size_t shared = w->threads * sizeof(element);

    sum_fold<<<w->blocks, w->threads, shared>>>(w->partial, w->x, w->n);
    sum_fold<<<1, w->threads, shared>>>(w->sum, w->partial, w->blocks);
}

static const struct variant variants[] = {
    {"guard", "a tree of the next power of two, each addition guarded", guard, 0,
     reduce_depth_two_pass},
    {"fold", "fold the part above the power of two onto the front", fold, 0, reduce_depth_two_pass},
};

STEP("reduce3", reduce_family, variants);
