/*
 * reduce-float4: more bytes in flight
 *
 * Idea      Memory answers after a third of a microsecond, however few bytes one load reads. So a
 *           thread sends four loads before it adds the first word; then each load has 16 bytes.
 * Since     reduce7 had one load of 4 bytes per thread in flight: 1.1 MB on an H200, where 1.6 MB
 *           are needed.
 * Expect    four-loads comes near the memory bandwidth, float4 does it with a quarter of the load
 *           instructions, any-start with any array.
 * Source    R. Ansorge, "Programming in Parallel with CUDA", 3 (vector loads).
 */
#include "families/reduce/reduce.h"

static __device__ unsigned tickets; /* taken so far; zero between launches */

/* From here to finish() all is reduce7's. */
static __device__ element warp_sum(element sum)
{
    for (int k = 16; k > 0; k /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, k);
    return sum;
}

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

static __device__ bool last_to_finish(element *partial, element sum)
{
    __shared__ bool last;

    if (threadIdx.x == 0) {
        partial[blockIdx.x] = sum;
        __threadfence();
        last = atomicInc(&tickets, gridDim.x - 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    return last;
}

/* From the sums of a block's threads to the sum of all blocks. */
static __device__ void finish(element *out, element *partial, element sum)
{
    element rest = 0;

    sum = block_sum(sum);
    if (gridDim.x > 1) { /* a single block is the last without asking */
        if (!last_to_finish(partial, sum))
            return;
        for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x)
            rest += partial[i];
        sum = block_sum(rest);
    }
    if (threadIdx.x == 0)
        *out = sum;
}

/* One thread's slice: of each tile of its block four elements, one block width apart. No load needs
 * another's result, so all four are in flight before the first addition waits for its operands. */
static __device__ element slice_four(const element *x, size_t n)
{
    size_t tile = 4 * blockDim.x, first = blockIdx.x * tile;
    element sum = 0;

    for (; first + tile <= n; first += gridDim.x * tile) {
        const element *p = x + first + threadIdx.x;
        element a = p[0], b = p[blockDim.x], c = p[2 * blockDim.x], d = p[3 * blockDim.x];

        sum += (a + b) + (c + d);
    }
    for (size_t i = first + threadIdx.x; i < n; i += blockDim.x) /* of a part of a tile */
        sum += x[i];
    return sum;
}

__global__ void sum_four(element *out, element *partial, const element *x, size_t n)
{
    finish(out, partial, slice_four(x, n));
}

static __device__ element sum4(element4 v)
{
    return (v.x + v.y) + (v.z + v.w);
}

/* The same with groups of four elements in place of elements. The address x is a multiple of 16; up
 * to three elements behind the last whole group are added singly. */
static __device__ element slice_wide(const element *x, size_t n)
{
    size_t thread = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t groups = n / 4, tile = 4 * blockDim.x, first = blockIdx.x * tile;
    const element4 *v = (const element4 *)x;
    element sum = thread < n % 4 ? x[n - 1 - thread] : 0;

    for (; first + tile <= groups; first += gridDim.x * tile) {
        const element4 *p = v + first + threadIdx.x;
        element4 a = p[0], b = p[blockDim.x], c = p[2 * blockDim.x], d = p[3 * blockDim.x];

        sum += (sum4(a) + sum4(b)) + (sum4(c) + sum4(d));
    }
    for (size_t i = first + threadIdx.x; i < groups; i += blockDim.x)
        sum += sum4(v[i]);
    return sum;
}

/* How many elements stand before the first address that is a multiple of 16. */
static __device__ unsigned before(const element *x)
{
    return (16 - (uintptr_t)x % 16) % 16 / sizeof(element);
}

__global__ void sum_wide(element *out, element *partial, const element *x, size_t n)
{
    finish(out, partial, before(x) == 0 ? slice_wide(x, n) : slice_four(x, n));
}

/* Any start: what lies before the first multiple of 16 is added singly, too. */
static __device__ element slice_any(const element *x, size_t n)
{
    size_t thread = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t head = min(n, (size_t)before(x));
    element sum = thread < head ? x[thread] : 0;

    return sum + slice_wide(x + head, n - head);
}

__global__ void sum_any(element *out, element *partial, const element *x, size_t n)
{
    finish(out, partial, slice_any(x, n));
}

static void four_loads(struct work *w)
{
    sum_four<<<w->blocks, w->threads>>>(w->sum, w->partial, w->x, w->n);
}

static void wide(struct work *w)
{
    sum_wide<<<w->blocks, w->threads>>>(w->sum, w->partial, w->x, w->n);
}

static void any_start(struct work *w)
{
    sum_any<<<w->blocks, w->threads>>>(w->sum, w->partial, w->x, w->n);
}

static const struct variant variants[] = {
    {"four-loads", "four loads of 4 bytes in flight per thread", four_loads, WHOLE_WARPS,
     reduce_depth_wide},
    {"float4", "four of 16 bytes, where the array starts at a multiple of 16", wide, WHOLE_WARPS,
     reduce_depth_wide},
    {"any-start", "and wherever it starts", any_start, WHOLE_WARPS, reduce_depth_wide},
};

STEP("reduce-float4", reduce_family, variants);
