/*
 * reduce6: one pass with atomics
 *
 * Idea      Let every thread, or one thread of every block, add its sum to the result with one
 *           atomicAdd. The result is set to zero first. No second launch over partial sums.
 * Since     The steps before needed a second launch, because blocks cannot wait for each other.
 * Expect    One launch fewer, which shows on small arrays. An atomic per thread is slow if the grid is
 *           large: all of them meet at one address. For floats the order of the additions, and so
 *           the last bits of the sum, change from run to run; for ints they cannot.
 * Source    Reductions 2015; R. Ansorge, "Programming in Parallel with CUDA".
 */
#include "families/reduce/reduce.h"

/* The sum of x[first], x[first + stride], ...: one thread's slice. */
static __device__ element slice_sum(const element *x, size_t n)
{
    size_t stride = (size_t)gridDim.x * blockDim.x;
    element sum = 0;

    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        sum += x[i];
    return sum;
}

__global__ void add_per_thread(element *sum, const element *x, size_t n)
{
    atomicAdd(sum, slice_sum(x, n));
}

/* The block's tree first, for any block size; then one atomic per block. */
__global__ void add_per_block(element *sum, const element *x, size_t n)
{
    extern __shared__ element s[];
    unsigned t = threadIdx.x;

    s[t] = slice_sum(x, n);
    __syncthreads();
    for (unsigned k = 512; k > 0; k /= 2) {
        if (t < k && t + k < blockDim.x)
            s[t] += s[t + k];
        __syncthreads();
    }
    if (t == 0)
        atomicAdd(sum, s[0]);
}

/* The same with the block size known: the tree unrolls. */
template <unsigned THREADS>
__global__ void add_per_block_unrolled(element *sum, const element *x, size_t n)
{
    __shared__ element s[THREADS];
    unsigned t = threadIdx.x;

    s[t] = slice_sum(x, n);
    __syncthreads();
#pragma unroll
    for (unsigned k = THREADS / 2; k > 32; k /= 2) {
        if (t < k)
            s[t] += s[t + k];
        __syncthreads();
    }
    if (t < 32) {
#pragma unroll
        for (unsigned k = THREADS < 64 ? THREADS / 2 : 32; k > 0; k /= 2) {
            if (t < k)
                s[t] += s[t + k];
            __syncwarp();
        }
    }
    if (t == 0)
        atomicAdd(sum, s[0]);
}

static void per_thread(struct work *w)
{
    cudaMemsetAsync(w->sum, 0, sizeof(element));
    add_per_thread<<<w->blocks, w->threads>>>(w->sum, w->x, w->n);
}

static void per_block(struct work *w)
{
    cudaMemsetAsync(w->sum, 0, sizeof(element));
    add_per_block<<<w->blocks, w->threads, w->threads * sizeof(element)>>>(w->sum, w->x, w->n);
}

static void per_block_unrolled(struct work *w)
{
    typedef void kernel(element *, const element *, size_t);
    static kernel *const kernels[] = {
        add_per_block_unrolled<1>,   add_per_block_unrolled<2>,   add_per_block_unrolled<4>,
        add_per_block_unrolled<8>,   add_per_block_unrolled<16>,  add_per_block_unrolled<32>,
        add_per_block_unrolled<64>,  add_per_block_unrolled<128>, add_per_block_unrolled<256>,
        add_per_block_unrolled<512>, add_per_block_unrolled<1024>};
    int i = 0;

    while (1 << i < w->threads)
        i++;
    cudaMemsetAsync(w->sum, 0, sizeof(element));
    kernels[i]<<<w->blocks, w->threads>>>(w->sum, w->x, w->n);
}

static const struct variant variants[] = {
    {"per-thread", "an atomicAdd a thread", per_thread, UNORDERED, reduce_depth_thread_atomic},
    {"per-block", "a tree, then an atomicAdd a block", per_block, UNORDERED,
     reduce_depth_block_atomic},
    {"per-block-unrolled", "the same, the block size a template parameter", per_block_unrolled,
     POWER_OF_TWO | UNORDERED, reduce_depth_block_atomic},
};

STEP("reduce6", reduce_family, variants);
