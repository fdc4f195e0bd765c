/*
 * reduce7: one pass, and the last block finishes
 *
 * Idea      Every block leaves a partial sum and takes a ticket. The block with the last ticket
 *           knows that all others are done, and adds their partial sums. One launch, no atomic on
 *           the result, and an order of additions that never changes, so the same bits each time.
 * Since     reduce6 added to the result in whatever order the blocks came.
 * Expect    shuffle exchanges sums between registers instead of shared memory, so it has fewer
 *           barriers. On large arrays all take the time of reduce6, because a thread still has one
 *           load of 4 bytes in flight and memory waits for the next: reduce-float4 changes that.
 * Source    NVIDIA's threadFenceReduction sample; an article on reductions of 2015 with its faults
 *           mended (docs/sources.md: Reductions 2015); R. Ansorge, "Programming in Parallel with
 *           CUDA", 3 (shuffles).
 */
#include "families/reduce/reduce.h"

static __device__ unsigned tickets; /* taken so far; zero between launches */

/* The sum of x[first], x[first + stride], ...: one thread's slice. */
static __device__ element slice_sum(const element *x, size_t n)
{
    size_t stride = (size_t)gridDim.x * blockDim.x;
    element sum = 0;

    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        sum += x[i];
    return sum;
}

/*
 * Thread 0 leaves the block's sum and takes a ticket. Whether it was the last of the grid, every
 * thread of the block is told. __threadfence() does not wait for anybody: it orders. Before the
 * ticket, it makes the partial sum visible to all that see the ticket taken; after the last ticket,
 * it keeps the reading of the others' sums from coming early. __syncthreads() passes that on to
 * the block.
 */
static __device__ bool last_to_finish(element *partial, element sum)
{
    __shared__ bool last;

    if (threadIdx.x == 0) {
        partial[blockIdx.x] = sum;
        __threadfence();
        last = atomicInc(&tickets, gridDim.x - 1) == gridDim.x - 1; /* wraps to 0 for next time */
        __threadfence();
    }
    __syncthreads();
    return last;
}

/* The sum over the block, in thread 0. KNOWN is the block size where the compiler shall know it,
 * and unroll; 0 for any size. s has room for one element per thread. */
template <unsigned KNOWN> static __device__ element tree(element *s, element sum)
{
    unsigned t = threadIdx.x, threads = KNOWN ? KNOWN : blockDim.x;

    s[t] = sum;
    __syncthreads();
#pragma unroll
    for (unsigned k = KNOWN ? KNOWN / 2 : 512; k > 0; k /= 2) {
        if (t < k && t + k < threads)
            s[t] += s[t + k];
        __syncthreads();
    }
    return s[0];
}

template <unsigned KNOWN>
__global__ void sum_tree(element *out, element *partial, const element *x, size_t n)
{
    extern __shared__ element s[];
    element sum = tree<KNOWN>(s, slice_sum(x, n)), rest = 0;

    if (gridDim.x > 1) { /* a single block is the last without asking */
        if (!last_to_finish(partial, sum))
            return;
        for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x)
            rest += partial[i];
        sum = tree<KNOWN>(s, rest);
    }
    if (threadIdx.x == 0)
        *out = sum;
}

/* The sum over a whole warp, in lane 0: registers only. */
static __device__ element warp_sum(element sum)
{
    for (int k = 16; k > 0; k /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, k);
    return sum;
}

/* The sum over a block of whole warps, in thread 0: shuffles, then one sum per warp, then shuffles. */
static __device__ element block_sum(element sum)
{
    __shared__ element s[32];
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;

    sum = warp_sum(sum);
    if (lane == 0)
        s[warp] = sum;
    __syncthreads();
    if (warp == 0)
        sum = warp_sum(lane < blockDim.x / 32 ? s[lane] : 0);
    return sum;
}

__global__ void sum_shuffle(element *out, element *partial, const element *x, size_t n)
{
    element sum = block_sum(slice_sum(x, n)), rest = 0;

    if (gridDim.x > 1) {
        if (!last_to_finish(partial, sum))
            return;
        for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x)
            rest += partial[i];
        sum = block_sum(rest);
    }
    if (threadIdx.x == 0)
        *out = sum;
}

static void loop(struct work *w)
{
    sum_tree<0>
        <<<w->blocks, w->threads, w->threads * sizeof(element)>>>(w->sum, w->partial, w->x, w->n);
}

static void unrolled(struct work *w)
{
    static void (*const kernels[])(element *, element *, const element *, size_t) = {
        sum_tree<1>,  sum_tree<2>,   sum_tree<4>,   sum_tree<8>,   sum_tree<16>,  sum_tree<32>,
        sum_tree<64>, sum_tree<128>, sum_tree<256>, sum_tree<512>, sum_tree<1024>};
    int i = 0;

    while (1 << i < w->threads)
        i++;
    kernels[i]<<<w->blocks, w->threads, w->threads * sizeof(element)>>>(w->sum, w->partial, w->x,
                                                                        w->n);
}

static void shuffle(struct work *w)
{
    sum_shuffle<<<w->blocks, w->threads>>>(w->sum, w->partial, w->x, w->n);
}

static const struct variant variants[] = {
    {"loop", "a tree in shared memory, any block size", loop, 0, reduce_depth_two_pass},
    {"unrolled", "the same tree, the block size a template parameter", unrolled, POWER_OF_TWO,
     reduce_depth_two_pass},
    {"shuffle", "the tree in registers: warp shuffles", shuffle, WHOLE_WARPS,
     reduce_depth_two_pass},
};

STEP("reduce7", reduce_family, variants);
