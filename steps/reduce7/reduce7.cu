/*
 * reduce7: one pass, and the last block finishes
 *
 * Idea      Every block leaves a partial sum and takes a ticket. The block with the last ticket
 *           knows that all others are done, and adds their partial sums. One launch, no atomic on
 *           the result, and an order of additions that never changes, so the same bits each time.
 * Since     reduce6 added to the result in whatever order the blocks came.
 * Expect    The last variant reaches the device's memory bandwidth. shuffle exchanges sums between
 *           registers instead of shared memory; vector has four loads of 16 bytes in flight per
 *           thread, and reads only as much to keep as the L2 cache can hold.
 * Source    NVIDIA's threadFenceReduction sample, and an article on reductions of 2015 with its
 *           faults mended; R. Ansorge, "Programming in Parallel with CUDA", 3 (vector loads).
 */
#include <cuda/atomic>
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

static __device__ element sum4(element4 v)
{
    return (v.x + v.y) + (v.z + v.w);
}

static __device__ element4 load(const element4 *p, bool once)
{
    return once ? __ldcs(p) : *p; /* with the hint, it is the first to leave the cache again */
}

/* The slice in groups of four, four groups at a time. The elements before the first address that is
 * a multiple of 16 bytes, and those behind the last whole group, are added singly. The last
 * kept_bytes are loaded normally and may stay in the L2 cache; everything before is loaded with a
 * hint that it may leave the cache first, so it does not push them out. */
static __device__ element slice_sum4(const element *x, size_t n, size_t kept_bytes)
{
    size_t thread = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t stride = (size_t)gridDim.x * blockDim.x;
    size_t head = min(n, (size_t)(-(intptr_t)x & 15) / sizeof(element));
    size_t groups = (n - head) / 4, tiles = groups / (4 * blockDim.x);
    size_t kept = min(tiles, kept_bytes / (4 * blockDim.x * sizeof(element4)));
    const element4 *v = (const element4 *)(x + head);
    element sum = 0;

    for (size_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const element4 *p = v + tile * 4 * blockDim.x + threadIdx.x;
        bool once = tile < tiles - kept;
        element4 a = load(p, once), b = load(p + blockDim.x, once);
        element4 c = load(p + 2 * blockDim.x, once), d = load(p + 3 * blockDim.x, once);

        sum += (sum4(a) + sum4(b)) + (sum4(c) + sum4(d));
    }
    for (size_t i = tiles * 4 * blockDim.x + thread; i < groups; i += stride)
        sum += sum4(v[i]);
    for (size_t i = thread; i < head; i += stride)
        sum += x[i];
    for (size_t i = head + 4 * groups + thread; i < n; i += stride)
        sum += x[i];
    return sum;
}

/* One atomic that releases and acquires costs less than one between two fences. */
static __device__ bool last_to_finish_fast(element *partial, element sum)
{
    __shared__ bool last;

    if (threadIdx.x == 0) {
        cuda::atomic_ref<unsigned, cuda::thread_scope_device> taken(tickets);

        partial[blockIdx.x] = sum;
        last = taken.fetch_add(1, cuda::memory_order_acq_rel) == gridDim.x - 1;
        if (last)
            tickets = 0; /* no other block is left to read it before the next launch */
    }
    __syncthreads();
    return last;
}

__global__ void __launch_bounds__(1024)
    sum_vector(element *out, element *partial, const element *x, size_t n, size_t kept_bytes)
{
    element sum = block_sum(slice_sum4(x, n, kept_bytes)), rest = 0;

    if (!last_to_finish_fast(partial, sum))
        return;
    for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x)
        rest += __ldcg(partial + i);
    sum = block_sum(rest);
    if (threadIdx.x == 0)
        *out = sum;
}

static void loop(struct work *w)
{
    sum_tree<0><<<w->blocks, w->threads, w->threads * sizeof(element)>>>(w->sum, w->partial, w->x,
                                                                         w->n);
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

static void vector(struct work *w)
{
    static int l2_bytes; /* asked for once: the launch shall cost nothing else */

    if (l2_bytes == 0)
        cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, 0);
    sum_vector<<<w->blocks, w->threads>>>(w->sum, w->partial, w->x, w->n, l2_bytes / 8 * 5);
}

/* Large blocks, as many as fill the device or have a tile each: one without would only take a
 * ticket. Measured on an H200, see docs/performance.md. */
static void large_blocks(struct shape *s)
{
    bool chosen = s->blocks > 0;
    size_t tiles;

    if (s->threads == 0)
        s->threads = 512;
    tiles = (s->n + 16 * s->threads - 1) / (16 * s->threads);
    reduce_default_shape(s);
    if (!chosen && (size_t)s->blocks > tiles)
        s->blocks = tiles > 0 ? (int)tiles : 1;
}

static const struct variant variants[] = {
    {"loop", "a tree in shared memory, any block size", loop, 0, reduce_depth_two_pass},
    {"unrolled", "the same tree, the block size a template parameter", unrolled, POWER_OF_TWO,
     reduce_depth_two_pass},
    {"shuffle", "the tree in registers: warp shuffles", shuffle, WHOLE_WARPS,
     reduce_depth_two_pass},
    {"vector", "and four 16-byte loads in flight a thread: the fastest", vector, WHOLE_WARPS,
     reduce_depth_wide, NULL, large_blocks},
};

STEP("reduce7", reduce_family, variants);
