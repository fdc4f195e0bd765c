/*
 * reduce-bulk: other ways to load
 *
 * Idea      A load instruction can say more, or be none. With a hint, what it brings is the first to
 *           leave the L2 cache, so that a part of the array stays for the next run. And a bulk copy
 *           fills a tile in shared memory on its own, while the threads add the tile before.
 * Since     The loads of reduce-vector are all alike: what they bring leaves the cache as it came, and
 *           its threads wait for them.
 * Expect    hints gains some percent of a large array, if it is read again. bulk is as fast as loads
 *           with half of the threads: memory is the limit of both.
 * Source    The CUDA C++ Programming Guide, "Asynchronous Data Copies".
 */
#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include "families/reduce/reduce.h"

static __device__ unsigned tickets; /* taken so far; zero between launches */

/* From here to before() all is reduce-vector's. */
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
        cuda::atomic_ref<unsigned, cuda::thread_scope_device> taken(tickets);

        partial[blockIdx.x] = sum;
        last = taken.fetch_add(1, cuda::memory_order_acq_rel) == gridDim.x - 1;
        if (last)
            tickets = 0; /* no other block is left to read it before the next launch */
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

static __device__ element sum4(element4 v)
{
    return (v.x + v.y) + (v.z + v.w);
}

/* How many elements stand before the first address that is a multiple of so many bytes. */
static __device__ unsigned before(const element *x, unsigned bytes)
{
    return (unsigned)(-(intptr_t)x & (bytes - 1)) / sizeof(element);
}

static __device__ element4 load(const element4 *p, bool once)
{
    return once ? __ldcs(p) : *p; /* with the hint, it is the first to leave the cache again */
}

/* reduce-vector's slice with hints: the last groups of the array are loaded normally and may stay in the L2
 * cache; those before are loaded with a hint that they may leave it first, so they do not push the
 * others out. */
static __device__ element slice_hinted(const element *x, size_t n, size_t kept)
{
    size_t thread = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t groups = n / 4, tile = 4 * blockDim.x, first = blockIdx.x * tile;
    const element4 *v = (const element4 *)x;
    element sum = thread < n % 4 ? x[n - 1 - thread] : 0;

    for (; first + tile <= groups; first += gridDim.x * tile) {
        const element4 *p = v + first + threadIdx.x;
        bool once = first + kept < groups;
        element4 a = load(p, once), b = load(p + blockDim.x, once);
        element4 c = load(p + 2 * blockDim.x, once), d = load(p + 3 * blockDim.x, once);

        sum += (sum4(a) + sum4(b)) + (sum4(c) + sum4(d));
    }
    for (size_t i = first + threadIdx.x; i < groups; i += blockDim.x)
        sum += sum4(v[i]);
    return sum;
}

__global__ void __launch_bounds__(1024)
sum_hinted(element *out, element *partial, const element *x, size_t n, size_t kept)
{
    size_t thread = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t head = min(n, (size_t)before(x, 16));
    element sum = thread < head ? x[thread] : 0;

    finish(out, partial, sum + slice_hinted(x + head, n - head, kept));
}

#define MOST_STAGES 4 /* tiles of a block in shared memory: more gain nothing */

typedef cuda::barrier<cuda::thread_scope_block> arrival; /* of a tile */

/* The first warp asks for a tile, all of it with one copy. Where the device can, its hardware makes
 * the copy and arrives when it is done; elsewhere the lanes copy 16 bytes at a time. */
static __device__ void ask(arrival *full, element4 *room, const element4 *tile, unsigned groups)
{
    auto warp = cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block());

    if (threadIdx.x >= 32)
        return;
    cuda::memcpy_async(warp, room, tile, cuda::aligned_size_t<16>(groups * sizeof(element4)),
                       *full);
    warp.sync(); /* the barrier knows of the copies of all lanes */
    if (threadIdx.x == 0)
        (void)full->arrive();
}

/* A ring of tiles in shared memory: while one is added, the others are on their way. */
static __device__ element slice_bulk(const element4 *v, size_t groups, unsigned stages)
{
    extern __shared__ __align__(128) element4 ring[]; /* the stages, then their barriers */
    unsigned tile = 4 * blockDim.x, s = 0;
    size_t tiles = groups / tile;
    arrival *full = (arrival *)(ring + stages * tile);
    bool phase = false;
    element sum = 0;

    for (s = threadIdx.x; s < stages; s += blockDim.x)
        init(full + s, 1);
    __syncthreads();
    for (s = 0; s < stages && blockIdx.x + (size_t)s * gridDim.x < tiles; s++)
        ask(full + s, ring + s * tile, v + (blockIdx.x + (size_t)s * gridDim.x) * tile, tile);
    s = 0;
    for (size_t k = blockIdx.x; k < tiles; k += gridDim.x) {
        const element4 *p = ring + s * tile + threadIdx.x;
        size_t next = k + (size_t)stages * gridDim.x;

        full[s].wait_parity(phase); /* the tile is there */
        sum += (sum4(p[0]) + sum4(p[blockDim.x])) +
               (sum4(p[2 * blockDim.x]) + sum4(p[3 * blockDim.x]));
        __syncthreads(); /* and has been read */
        if (next < tiles)
            ask(full + s, ring + s * tile, v + next * tile, tile);
        if (++s == stages) {
            s = 0;
            phase = !phase;
        }
    }
    for (size_t i = tiles * tile + (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < groups;
         i += (size_t)gridDim.x * blockDim.x)
        sum += sum4(v[i]);
    return sum;
}

__global__ void __launch_bounds__(1024)
sum_bulk(element *out, element *partial, const element *x, size_t n, unsigned stages)
{
    size_t thread = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t head = min(n, (size_t)before(x, 128)), rest = (n - head) % 4;
    element sum = thread < head ? x[thread] : 0;

    if (thread < rest)
        sum += x[n - 1 - thread];
    sum += slice_bulk((const element4 *)(x + head), (n - head) / 4, stages);
    finish(out, partial, sum);
}

static void hints(struct work *w)
{
    static int l2_bytes; /* asked for once: the launch shall cost nothing else */

    if (l2_bytes == 0)
        cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, 0);
    sum_hinted<<<w->blocks, w->threads>>>(w->sum, w->partial, w->x, w->n,
                                          (size_t)l2_bytes / 8 * 5 / sizeof(element4));
}

static void bulk(struct work *w)
{
    size_t tile = 4 * (size_t)w->threads * sizeof(element4), stages;
    static int room; /* bytes of shared memory for a block's ring */

    if (room == 0) {
        cudaDeviceGetAttribute(&room, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);
        room -= 1024; /* for the sums */
        cudaFuncSetAttribute(sum_bulk, cudaFuncAttributeMaxDynamicSharedMemorySize, room);
    }
    stages = min((size_t)MOST_STAGES, max((size_t)1, (size_t)room / (tile + sizeof(arrival))));
    sum_bulk<<<w->blocks, w->threads, stages *(tile + sizeof(arrival))>>>(w->sum, w->partial, w->x,
                                                                          w->n, (unsigned)stages);
}

/* reduce-vector's shape, without its kernel for one block. */
static void shape_of_size(struct shape *s)
{
    size_t tiles;

    if (s->threads == 0)
        s->threads = 512;
    tiles = (s->n + 16 * (size_t)s->threads - 1) / (16 * (size_t)s->threads);
    if (s->blocks > 0)
        return;
    reduce_default_shape(s); /* as many as the device holds, and none without a tile */
    if ((size_t)s->blocks > tiles)
        s->blocks = tiles > 0 ? (int)tiles : 1;
}

/* The same with one block per multiprocessor: the ring is what is on its way. Where each has a tile,
 * tiles are as large as they can be. */
static void shape_of_ring(struct shape *s)
{
    bool chosen = s->blocks > 0;
    int multiprocessors = 1;

    cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
    if (s->threads == 0 && s->n > (size_t)multiprocessors * 16 * 1024)
        s->threads = 1024;
    shape_of_size(s);
    if (!chosen && s->blocks > multiprocessors)
        s->blocks = multiprocessors;
}

static const struct variant variants[] = {
    {"hints", "hints to the L2 cache to keep the array's end", hints, WHOLE_WARPS,
     reduce_depth_wide, NULL, shape_of_size},
    {"bulk", "a tile per copy, into a ring in shared memory", bulk, WHOLE_WARPS, reduce_depth_wide,
     NULL, shape_of_ring},
};

static const struct launches launches[] = {
    {MUTATED, {"-n 20011 -b 1 -t 64 -v bulk"}}, /* the ring of more than one warp goes around */
    {0},
};

STEP("reduce-bulk", reduce_family, variants, launches);
