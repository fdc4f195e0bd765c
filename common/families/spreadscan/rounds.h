/*
 * scan-rounds' kernel, for a device's chunks of a spread array, and its launch: what the steps of
 * this family share beside the words.
 */
#ifndef SPREADSCAN_ROUNDS_H
#define SPREADSCAN_ROUNDS_H

#include "families/spreadscan/sums.h"

enum {
    WORKERS = 15, /* warps that move data; one more exchanges sums */
    THREADS = (WORKERS + 1) * 32,
    BLOCKS = 2, /* on each multiprocessor */
    DELAY = 4,  /* a tile is stored so many rounds after it was summed */
};

/* The sums over the lanes up to this one. */
static __device__ element warp_scan(element v)
{
    for (unsigned k = 1; k < 32; k *= 2) {
        element other = __shfl_up_sync(WARP, v, k);

        v += threadIdx.x % 32 >= k ? other : 0;
    }
    return v;
}

/* How the device's chunks are cut into tiles: none has elements of two chunks. 2^40 elements make
 * fewer than 2^32 tiles, and a division of 32 bits costs a part of one of 64. */
struct tiling {
    size_t tile;          /* elements of a tile */
    unsigned each, count; /* tiles of a whole chunk; tiles in all */
};

static __host__ __device__ struct tiling tiling_of(size_t n, size_t chunk, size_t tile)
{
    size_t each = (chunk + tile - 1) / tile, rest = n % chunk;
    struct tiling t = {tile, (unsigned)each,
                       (unsigned)(n / chunk * each + (rest + tile - 1) / tile)};

    return t;
}

/* The elements of a warp's part of a tile. */
struct span {
    size_t first, end; /* end: of what it may load; first may lie behind it */
};

static __device__ struct span span_of(const struct part &p, const struct tiling &t, unsigned tile,
                                      size_t before)
{
    size_t begin = tile / t.each * p.chunk, end = begin + p.chunk;
    struct span s = {begin + tile % t.each * t.tile + before, end < p.n ? end : p.n};

    return s;
}

/* From here to scan_part() all is scan-rounds': QUADS rows of 32 float4s. */
template <int QUADS> static __device__ void load(element4 *q, const element *in, struct span s)
{
    size_t i = s.first + threadIdx.x % 32 * 4;

    if (s.first + QUADS * 128 <= s.end) {
#pragma unroll
        for (int r = 0; r < QUADS; r++)
            q[r] = *(const element4 *)(in + i + r * 128);
        return;
    }
#pragma unroll
    for (int r = 0; r < QUADS; r++, i += 128) {
        q[r].x = i < s.end ? in[i] : 0;
        q[r].y = i + 1 < s.end ? in[i + 1] : 0;
        q[r].z = i + 2 < s.end ? in[i + 2] : 0;
        q[r].w = i + 3 < s.end ? in[i + 3] : 0;
    }
}

template <int QUADS> static __device__ void store(element *out, const element4 *q, struct span s)
{
    size_t i = s.first + threadIdx.x % 32 * 4;

    if (s.first + QUADS * 128 <= s.end) {
#pragma unroll
        for (int r = 0; r < QUADS; r++)
            __stwb((element4 *)(out + i + r * 128), q[r]); /* an ordinary store, kept whole */
        return;
    }
#pragma unroll
    for (int r = 0; r < QUADS; r++, i += 128) {
        if (i < s.end)
            out[i] = q[r].x;
        if (i + 1 < s.end)
            out[i + 1] = q[r].y;
        if (i + 2 < s.end)
            out[i + 2] = q[r].z;
        if (i + 3 < s.end)
            out[i + 3] = q[r].w;
    }
}

static __device__ void add_to_quad(element4 *q, element v)
{
    q->x += v;
    q->y += v;
    q->z += v;
    q->w += v;
}

/* Scan a warp's part; its sum. */
template <int QUADS> static __device__ element scan_part(element4 *q)
{
    element sum[QUADS], carry = 0;

#pragma unroll
    for (int r = 0; r < QUADS; r++) {
        q[r].y += q[r].x;
        q[r].z += q[r].y;
        q[r].w += q[r].z;
        sum[r] = q[r].w;
    }
    for (unsigned k = 1; k < 32; k *= 2) {
#pragma unroll
        for (int r = 0; r < QUADS; r++) {
            element other = __shfl_up_sync(WARP, sum[r], k);

            sum[r] += threadIdx.x % 32 >= k ? other : 0;
        }
    }
#pragma unroll
    for (int r = 0; r < QUADS; r++) {
        element before = __shfl_up_sync(WARP, sum[r], 1);

        add_to_quad(&q[r], threadIdx.x % 32 > 0 ? carry + before : carry);
        carry += __shfl_sync(WARP, sum[r], 31);
    }
    return carry;
}

/* What the warps of a block tell each other across a round's barrier, as in scan-rounds. */
struct exchange {
    element sum[2][WORKERS], base[2][WORKERS];
    /* The exchanging warp's own: prefixes of a tile's parts, and its sum. */
    element within[DELAY][WORKERS + 1];
};

/* Round k: tile k's sum is posted. */
static __device__ void post_sum(const struct part &p, struct exchange *e, unsigned k)
{
    unsigned lane = threadIdx.x % 32;
    element sum = warp_scan(lane < WORKERS ? e->sum[k % 2][lane] : 0);
    element before = __shfl_up_sync(WARP, sum, 1);

    if (lane == 31)
        device_packet(p.posted[blockIdx.x + k * gridDim.x])
            .store(packed(p, sum), cuda::memory_order_relaxed);
    if (lane <= WORKERS)
        e->within[k % DELAY][lane] = lane > 0 ? before : 0;
}

/* The parts of the tile of round d get their bases. */
static __device__ void set_bases(struct exchange *e, unsigned d, element base)
{
    unsigned lane = threadIdx.x % 32;

    if (lane < WORKERS)
        e->base[(d + DELAY) % 2][lane] = base + e->within[d % DELAY][lane];
}

/*
 * scan-rounds' kernel over tiles of chunks: all blocks must be resident. What the exchanging warp
 * does in a round, with the tile that is far enough behind, is a type: its go() does that. Its
 * state is what a lane keeps, a share of what stands before a tile of the block.
 * DEALT: the chunks are dealt out. DEVICES_WAIT: for each other at the end, so that none is two
 * launches ahead.
 */
template <int QUADS, typename WAY> static __global__ void __launch_bounds__(THREADS, BLOCKS)
scan_rounds(struct part p)
{
    extern __shared__ element4 waiting[]; /* DELAY tiles */
    __shared__ struct exchange e;
    const size_t length = QUADS * 128;
    const struct tiling t = tiling_of(p.n, p.chunk, WORKERS * length);
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    unsigned rounds = blockIdx.x < t.count ? (t.count - 1 - blockIdx.x) / gridDim.x + 1 : 0;
    typename WAY::state before = {};
    element4 next[QUADS], oldest[QUADS];
    bool works = warp < WORKERS;

    if (works && rounds > 0)
        load<QUADS>(next, p.x, span_of(p, t, blockIdx.x, warp * length));
    for (unsigned k = 0; rounds > 0 && k < rounds + DELAY; k++) {
        unsigned tile = blockIdx.x + k * gridDim.x;
        element4 *slot = &waiting[(k % DELAY * WORKERS + warp) * QUADS * 32 + lane];

        if (works && k >= DELAY) { /* make room for tile k */
#pragma unroll
            for (int r = 0; r < QUADS; r++)
                oldest[r] = slot[r * 32];
        }
        if (works && k < rounds) {
            element sum = scan_part<QUADS>(next);

            if (lane == 0)
                e.sum[k % 2][warp] = sum;
#pragma unroll
            for (int r = 0; r < QUADS; r++)
                slot[r * 32] = next[r];
            if (k + 1 < rounds)
                load<QUADS>(next, p.x, span_of(p, t, tile + gridDim.x, warp * length));
        }
        __syncthreads(); /* with the loads of tile k + 1 under way */
        if (works && k >= DELAY) {
#pragma unroll
            for (int r = 0; r < QUADS; r++)
                add_to_quad(&oldest[r], e.base[k % 2][warp]);
            store<QUADS>(p.y, oldest, span_of(p, t, tile - DELAY * gridDim.x, warp * length));
        }
        if (works)
            continue;
        if (k < rounds)
            post_sum(p, &e, k);
        WAY::go(p, t, &e, &before, k, rounds);
    }
    if (WAY::DEVICES_WAIT && blockIdx.x == 0)
        wait_for_devices(&p.barrier, p.epoch);
}

/* The largest tiles that fit in a device's shared memory: chosen once. */
struct form {
    void (*run)(struct part);
    int rows; /* float4s of a lane, in a tile */
    size_t tile, shared;
    int resident; /* blocks on the whole device; 0 if not even the smallest fits */
};

static struct form choose(void (*run)(struct part), int rows)
{
    struct form f = {run, rows, (size_t)WORKERS * rows * 128,
                     sizeof(element4) * 32 * rows * WORKERS * DELAY};
    int sms = 0, a_sm = 0;

    if (cudaFuncSetAttribute(run, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)f.shared) ==
        cudaSuccess) {
        cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&a_sm, run, THREADS, f.shared);
    }
    f.resident = sms * (a_sm > BLOCKS ? BLOCKS : a_sm);
    cudaGetLastError(); /* too large for this device is no error */
    return f;
}

template <typename WAY> static const struct form *form(void)
{
    static struct form f;

    if (f.resident == 0)
        f = choose(scan_rounds<3, WAY>, 3);
    if (f.resident == 0)
        f = choose(scan_rounds<2, WAY>, 2);
    if (f.resident == 0)
        f = choose(scan_rounds<1, WAY>, 1);
    return &f;
}

template <typename WAY>
static void scan(const struct work *w, const struct part &p, cudaStream_t stream)
{
    const struct form *f = form<WAY>();

    cudaFuncSetAttribute(f->run, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)f->shared);
    if (f->rows == 3)
        scan_rounds<3, WAY><<<w->blocks, w->threads, f->shared, stream>>>(p);
    else if (f->rows == 2)
        scan_rounds<2, WAY><<<w->blocks, w->threads, f->shared, stream>>>(p);
    else
        scan_rounds<1, WAY><<<w->blocks, w->threads, f->shared, stream>>>(p);
}

template <typename WAY> static int resident(int threads)
{
    return threads == THREADS ? form<WAY>()->resident : 0;
}

/* The tiles of the device that has the most. */
template <typename WAY> static struct tiling tiles_of(const struct shape *s)
{
    int devices = (int)s->axis[1];
    size_t chunk = spreadscan_chunk(s->n, devices, WAY::DEALT);

    return tiling_of(spreadscan_longest(s->n, devices, chunk), chunk, form<WAY>()->tile);
}

template <typename WAY> static void shape(struct shape *s)
{
    unsigned most = (unsigned)form<WAY>()->resident, tiles;

    spread_default_devices(&s->axis[1]);
    tiles = tiles_of<WAY>(s).count;
    if (s->threads == 0)
        s->threads = THREADS;
    if (s->blocks == 0)
        s->blocks = tiles == 0 ? 1 : (int)(tiles < most ? tiles : most);
}

/* The longest chain of additions in the rounds, as in scan-rounds, without the sums of chunks. */
static double depth_of_rounds(const struct shape *s, const struct tiling &t)
{
    double blocks = s->blocks ? s->blocks : 1, rounds = (double)t.count / blocks + 1;

    return rounds + blocks / 32 + 32 + rounds;
}

#endif
