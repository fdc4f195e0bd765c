/*
 * reduce-vector: the launch fits the size, and fewer waits
 *
 * Idea      With enough bytes in flight, what is left is time at both ends of a launch. So the number
 *           of blocks follows from the size, and the ticket is one atomic without fences.
 * Since     reduce-float4 launched as many blocks for a small array as for a large one, and its
 *           ticket stood between two fences.
 * Expect    shape and ticket gain where arrays are small, one-word more. A large array takes the time
 *           of its bytes, as before.
 * Source    docs/performance.md.
 */
#include <cuda/atomic>
#include "families/reduce/reduce.h"

static __device__ unsigned tickets; /* taken so far; zero between launches */

/* From here to last_to_finish() all is reduce7's. */
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

/* The same with one atomic that releases and acquires in place of one between two fences. */
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

/* From the sums of a block's threads to the sum of all blocks, as in reduce7. */
template <bool FAST> static __device__ void finish(element *out, element *partial, element sum)
{
    element rest = 0;

    sum = block_sum(sum);
    if (gridDim.x > 1) { /* a single block is the last without asking */
        if (!(FAST ? last_to_finish_fast : last_to_finish)(partial, sum))
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

/* reduce-float4's slice of an aligned array: four loads of 16 bytes in flight. Up to three elements
 * behind the last whole group are added singly. */
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

/* How many elements stand before the first address that is a multiple of so many bytes. */
static __device__ unsigned before(const element *x, unsigned bytes)
{
    return (unsigned)(-(intptr_t)x & (bytes - 1)) / sizeof(element);
}

/* And of any array, as there. */
static __device__ element slice_any(const element *x, size_t n)
{
    size_t thread = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t head = min(n, (size_t)before(x, 16));
    element sum = thread < head ? x[thread] : 0;

    return sum + slice_wide(x + head, n - head);
}

template <bool FAST> __global__ void __launch_bounds__(1024)
sum_any(element *out, element *partial, const element *x, size_t n)
{
    finish<FAST>(out, partial, slice_any(x, n));
}

static __device__ element4 inside(const element4 *v, unsigned i, unsigned groups)
{
    element4 zero = {0, 0, 0, 0};

    return i < groups ? v[i] : zero;
}

/* For one block and at most four groups per thread: no loop, no 64-bit index, no ticket. */
__global__ void __launch_bounds__(1024)
sum_small(element *out, const element *x, unsigned n)
{
    unsigned t = threadIdx.x, threads = blockDim.x;
    unsigned head = min(n, before(x, 16)), groups = (n - head) / 4;
    const element4 *v = (const element4 *)(x + head);
    element4 a = inside(v, t, groups), b = inside(v, t + threads, groups);
    element4 c = inside(v, t + 2 * threads, groups), d = inside(v, t + 3 * threads, groups);
    element sum = t < head ? x[t] : 0;

    if (t < (n - head) % 4)
        sum += x[n - 1 - t];
    sum = block_sum(sum + ((sum4(a) + sum4(b)) + (sum4(c) + sum4(d))));
    if (t == 0)
        *out = sum;
}

static __device__ unsigned long long word; /* zero between launches */

/* Of ints, whose sum goes into one word with the ticket: one atomic adds both, and the block with the
 * last ticket has the sum of all. What overflows a sum leaves the word at its upper end. */
__global__ void __launch_bounds__(1024)
sum_one_word(element *out, const element *x, size_t n)
{
    element sum = block_sum(slice_any(x, n));

    if (threadIdx.x == 0) {
        unsigned long long own = (unsigned long long)(unsigned)(int)sum << 32 | 1;
        unsigned long long all = atomicAdd(&word, own) + own;

        if ((unsigned)all == gridDim.x) {
            *out = (element)(int)(all >> 32);
            word = 0; /* no other block is left to read it before the next launch */
        }
    }
}

/* Whether one block takes so many elements with four loads of each thread. */
static bool is_small(size_t n, int blocks, int threads)
{
    return blocks == 1 && n <= 16 * (size_t)threads;
}

static void shape(struct work *w)
{
    if (is_small(w->n, w->blocks, w->threads))
        sum_small<<<1, w->threads>>>(w->sum, w->x, (unsigned)w->n);
    else
        sum_any<false><<<w->blocks, w->threads>>>(w->sum, w->partial, w->x, w->n);
}

static void ticket(struct work *w)
{
    if (is_small(w->n, w->blocks, w->threads))
        sum_small<<<1, w->threads>>>(w->sum, w->x, (unsigned)w->n);
    else
        sum_any<true><<<w->blocks, w->threads>>>(w->sum, w->partial, w->x, w->n);
}

/* The one place where the launch depends on the size. Measured on an H200: docs/performance.md. */
static void shape_of_size(struct shape *s)
{
    size_t tiles;

    if (s->threads == 0) /* one block is the fastest as long as it can take all in one round */
        s->threads = s->n > 16 * 512 && s->n <= 16 * 1024 && s->blocks <= 1 ? 1024 : 512;
    tiles = (s->n + 16 * (size_t)s->threads - 1) / (16 * (size_t)s->threads);
    if (s->blocks > 0)
        return;
    reduce_default_shape(s); /* as many as the device holds, and none without a tile */
    if ((size_t)s->blocks > tiles)
        s->blocks = tiles > 0 ? (int)tiles : 1;
}

static void one_word(struct work *w)
{
    if (is_small(w->n, w->blocks, w->threads))
        sum_small<<<1, w->threads>>>(w->sum, w->x, (unsigned)w->n);
    else
        sum_one_word<<<w->blocks, w->threads>>>(w->sum, w->x, w->n);
}

static const struct variant variants[] = {
    {"shape", "the same, the launch chosen by size", shape, WHOLE_WARPS, reduce_depth_wide, NULL,
     shape_of_size},
    {"ticket", "and the ticket one atomic that releases and acquires", ticket, WHOLE_WARPS,
     reduce_depth_wide, NULL, shape_of_size},
    {"one-word", "of ints: the block's sum and its ticket in one atomic", one_word, WHOLE_WARPS,
     reduce_depth_wide, NULL, shape_of_size, .type = &type_i32},
};

static const struct launches launches[] = {
    {COUNTED, {"-n 100003 -b 7 -t 64 --type i32 -v one-word"}},
    {SANITIZED, {"-n 100003 -b 16 -t 128 --type i32 -v one-word"}},
    {MUTATED,
     {"-n 20011 -b 3 -t 256 --offset 1 --type i32 -v one-word",
      "-n 0 -b 2 -t 32 --type i32 -v one-word", "-n 30011 -b 40 -t 32 --type i32 -v one-word",
      "-n 1003 -b 1 -t 64 --type i32 -v one-word"}},
    {CHECKED, {"-n 5000 -b 3 -t 256 --offset 1 --type i32 -v one-word"}},
    {0},
};

STEP("reduce-vector", reduce_family, variants, launches);
