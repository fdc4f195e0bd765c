/*
 * scan-stream: the loads never stop
 *
 * Idea      Give every warp of a block a part of its own. Eight workers copy, sum, scan and store
 *           their share of a tile, without any block barrier; a poster tells the other blocks the
 *           tile's sum; a gatherer adds up the sums of the tiles before. Six tiles are on the way
 *           into shared memory at any time, and a tile is finished two tiles after its sum was
 *           posted, so that no warp waits for the exchange.
 * Since     In scan-lookback a block that waits for its prefix, or at a barrier, loads nothing.
 * Expect    The rate of a copy kernel. Tiles go round the blocks, tile k of block b being k * G + b,
 *           so a prefix is the block's last one and the G sums after it, always added in the same
 *           order: the same bits in every run on the same device.
 * Source    The look-back of Merrill and Garland (2016), with a fixed window; warp specialisation
 *           after Bauer, Cook and Khailany, "CudaDMA", SC 2011.
 */
#include <cuda/atomic>
#include <cuda_pipeline.h>
#include "families/scan/scan.h"

enum {
    WORKERS = 8,                 /* warps that move data; the poster and the gatherer follow */
    THREADS = (WORKERS + 2) * 32,
    STAGES = 6,                  /* tiles of the block in shared memory, most still on the way */
    LAG = 2,                     /* a tile is finished so many tiles after it was summed */
    POLLS = 5,                   /* words that a lane of the gatherer has in flight */
};

/*
 * Sums are handed over in words of 64 bits: a tag, which says what it is, and the sum. A word is
 * written and read whole, by one relaxed atomic access, and nothing else is handed over with it, so
 * no fence is needed. Between blocks the tag is 1; inside a block it is the number of the tile.
 */
template <cuda::thread_scope SCOPE>
static __device__ void hand(unsigned long long *word, unsigned tag, element value)
{
    unsigned bits;

    memcpy(&bits, &value, sizeof(bits));
    cuda::atomic_ref<unsigned long long, SCOPE>(*word).store((unsigned long long)tag << 32 | bits,
                                                             cuda::memory_order_relaxed);
}

template <cuda::thread_scope SCOPE> static __device__ unsigned long long peek(unsigned long long *word)
{
    return cuda::atomic_ref<unsigned long long, SCOPE>(*word).load(cuda::memory_order_relaxed);
}

/* The sum in a word, once it has the tag; `seen` is what it held a moment ago. */
template <cuda::thread_scope SCOPE>
static __device__ element take(unsigned long long *word, unsigned tag, unsigned long long seen)
{
    unsigned bits;
    element value;

    while (seen >> 32 != tag)
        seen = peek<SCOPE>(word);
    bits = (unsigned)seen;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

#define IN_BLOCK cuda::thread_scope_block
#define IN_GRID cuda::thread_scope_device

/* The sum over the warp, in every lane. */
static __device__ element warp_sum(element v)
{
    for (int k = 16; k > 0; k /= 2)
        v += __shfl_xor_sync(0xffffffff, v, k);
    return v;
}

/* The sums over the lanes up to this one. */
static __device__ element warp_scan(element v)
{
    for (unsigned k = 1; k < 32; k *= 2) {
        element other = __shfl_up_sync(0xffffffff, v, k);

        v += threadIdx.x % 32 >= k ? other : 0;
    }
    return v;
}

/* What the warps of a block share: the sum of each worker's part of a tile, and where it begins. */
struct exchange {
    unsigned long long part[STAGES][WORKERS], base[STAGES][WORKERS];
};

static __device__ void post_sums(struct exchange *e, unsigned long long *posted, unsigned mine)
{
    unsigned lane = threadIdx.x % 32;

    for (unsigned k = 0; k < mine; k++) {
        element sum = lane < WORKERS ? take<IN_BLOCK>(&e->part[k % STAGES][lane], k + 1, 0) : 0;

        sum = warp_sum(sum);
        if (lane == 0)
            hand<IN_GRID>(&posted[blockIdx.x + (size_t)k * gridDim.x], 1, sum);
    }
}

/* The sum of the G tiles before this one, or of all if there are fewer; POLLS loads in flight. */
static __device__ element window(unsigned long long *posted, size_t tile)
{
    element sum = 0;

    for (unsigned i = threadIdx.x % 32; i < gridDim.x; i += POLLS * 32) {
        unsigned long long seen[POLLS];

#pragma unroll
        for (unsigned p = 0; p < POLLS; p++) {
            unsigned back = i + p * 32 + 1;

            seen[p] = back <= gridDim.x && back <= tile ? peek<IN_GRID>(&posted[tile - back]) : 0;
        }
#pragma unroll
        for (unsigned p = 0; p < POLLS; p++) {
            unsigned back = i + p * 32 + 1;

            if (back <= gridDim.x && back <= tile)
                sum += take<IN_GRID>(&posted[tile - back], 1, seen[p]);
        }
    }
    return warp_sum(sum);
}

static __device__ void gather_bases(struct exchange *e, unsigned long long *posted, unsigned mine)
{
    unsigned lane = threadIdx.x % 32;
    element prefix = 0; /* of all tiles before this one */

    for (unsigned k = 0; k < mine; k++) {
        element sum, before;

        prefix += window(posted, blockIdx.x + (size_t)k * gridDim.x);
        sum = lane < WORKERS ? take<IN_BLOCK>(&e->part[k % STAGES][lane], k + 1, 0) : 0;
        before = __shfl_up_sync(0xffffffff, warp_scan(sum), 1);
        if (lane < WORKERS)
            hand<IN_BLOCK>(&e->base[k % STAGES][lane], k + 1, lane > 0 ? prefix + before : prefix);
    }
}

/* Start copying up to QUADS * 128 elements; a lane copies what it will read itself. */
template <int QUADS>
static __device__ void load(element4 *stage, const element *in, size_t first, size_t n)
{
    for (int r = 0; r < QUADS; r++) {
        size_t i = first + (r * 32 + threadIdx.x % 32) * 4;
        element4 *q = &stage[r * 32 + threadIdx.x % 32];

        if (first + QUADS * 128 <= n && (size_t)in % sizeof(*q) == 0) {
            __pipeline_memcpy_async(q, in + i, sizeof(*q));
        } else {
            element4 v;

            v.x = i < n ? in[i] : 0;
            v.y = i + 1 < n ? in[i + 1] : 0;
            v.z = i + 2 < n ? in[i + 2] : 0;
            v.w = i + 3 < n ? in[i + 3] : 0;
            *q = v;
        }
    }
}

template <int QUADS>
static __device__ void store(element *out, const element4 *q, size_t first, size_t n)
{
    size_t i = first + threadIdx.x % 32 * 4;

    if (first + QUADS * 128 <= n && (size_t)out % sizeof(*q) == 0) {
#pragma unroll
        for (int r = 0; r < QUADS; r++)
            __stwb((element4 *)(out + i + r * 128), q[r]); /* an ordinary store, kept whole */
        return;
    }
#pragma unroll
    for (int r = 0; r < QUADS; r++, i += 128) {
        if (i < n)
            out[i] = q[r].x;
        if (i + 1 < n)
            out[i + 1] = q[r].y;
        if (i + 2 < n)
            out[i + 2] = q[r].z;
        if (i + 3 < n)
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

/* Scan the worker's part of a tile. The rows' shuffles take turns, so that those of one row need not
 * wait for each other. */
template <int QUADS> static __device__ void scan_part(element4 *q)
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
            element other = __shfl_up_sync(0xffffffff, sum[r], k);

            sum[r] += threadIdx.x % 32 >= k ? other : 0;
        }
    }
#pragma unroll
    for (int r = 0; r < QUADS; r++) {
        element before = __shfl_up_sync(0xffffffff, sum[r], 1);

        add_to_quad(&q[r], threadIdx.x % 32 > 0 ? carry + before : carry);
        carry += __shfl_sync(0xffffffff, sum[r], 31);
    }
}

template <int QUADS>
static __device__ void work_on(element4 *stages, struct exchange *e, element *out, const element *in,
                               size_t n, unsigned mine)
{
    const size_t part = QUADS * 128, tile = WORKERS * part;
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    size_t first = blockIdx.x * tile + warp * part, step = gridDim.x * tile;
    element4 *mine_of_stage = stages + warp * QUADS * 32;

    for (unsigned k = 0; k < STAGES; k++) {
        if (k < mine)
            load<QUADS>(mine_of_stage + k * WORKERS * QUADS * 32, in, first + k * step, n);
        __pipeline_commit(); /* one group a tile, be it empty */
    }
    for (unsigned k = 0; k < mine + LAG; k++) {
        if (k < mine) { /* sum tile k */
            const element4 *s = mine_of_stage + k % STAGES * WORKERS * QUADS * 32;
            element sum = 0;

            __pipeline_wait_prior(STAGES - LAG - 1);
#pragma unroll
            for (int r = 0; r < QUADS; r++) {
                element4 v = s[r * 32 + lane];

                sum += (v.x + v.y) + (v.z + v.w);
            }
            sum = warp_sum(sum);
            if (lane == 0)
                hand<IN_BLOCK>(&e->part[k % STAGES][warp], k + 1, sum);
        }
        if (k >= LAG) { /* finish tile d, and use its room again */
            unsigned d = k - LAG;
            element4 *s = mine_of_stage + d % STAGES * WORKERS * QUADS * 32, q[QUADS];
            element base;

#pragma unroll
            for (int r = 0; r < QUADS; r++)
                q[r] = s[r * 32 + lane];
            scan_part<QUADS>(q);
            base = take<IN_BLOCK>(&e->base[d % STAGES][warp], d + 1, 0); /* the later, the better */
#pragma unroll
            for (int r = 0; r < QUADS; r++)
                add_to_quad(&q[r], base);
            store<QUADS>(out, q, first + d * step, n);
            if (d + STAGES < mine)
                load<QUADS>(s, in, first + (d + STAGES) * step, n);
        }
        __pipeline_commit();
    }
}

/* All blocks must be resident, since they wait for each other: a cooperative launch sees to it. */
template <int QUADS>
__global__ void __launch_bounds__(THREADS, 1)
    scan_stream(element *out, const element *in, size_t n, unsigned long long *posted)
{
    extern __shared__ element4 stages[];
    __shared__ struct exchange e;
    const size_t tile = WORKERS * QUADS * 128, tiles = (n + tile - 1) / tile;
    unsigned mine = blockIdx.x < tiles ? (unsigned)((tiles - 1 - blockIdx.x) / gridDim.x) + 1 : 0;

    if (threadIdx.x < STAGES * WORKERS)
        (&e.part[0][0])[threadIdx.x] = (&e.base[0][0])[threadIdx.x] = 0;
    __syncthreads();
    if (threadIdx.x / 32 == WORKERS)
        post_sums(&e, posted, mine);
    else if (threadIdx.x / 32 == WORKERS + 1)
        gather_bases(&e, posted, mine);
    else
        work_on<QUADS>(stages, &e, out, in, n, mine);
}

typedef void kernel(element *, const element *, size_t, unsigned long long *);

/* The largest parts that fit in the device's shared memory: chosen once. */
struct form {
    kernel *run;
    size_t tile, shared;
    int resident; /* blocks on the whole device; 0 if not even the smallest fits */
};

static struct form choose(kernel *run, int quads)
{
    struct form f = {run, (size_t)WORKERS * quads * 128, sizeof(element4) * 32 * quads * WORKERS * STAGES};
    int sms = 0, a_sm = 0;

    if (cudaFuncSetAttribute(run, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)f.shared) ==
        cudaSuccess) {
        cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&a_sm, run, THREADS, f.shared);
    }
    f.resident = sms * (a_sm > 1 ? 1 : a_sm); /* one is enough to keep the loads going */
    cudaGetLastError();                       /* too large for this device is no error */
    return f;
}

static const struct form *form(void)
{
    static struct form f;

    if (f.resident == 0)
        f = choose(scan_stream<8>, 8);
    if (f.resident == 0)
        f = choose(scan_stream<4>, 4);
    if (f.resident == 0)
        f = choose(scan_stream<2>, 2);
    return &f;
}

static void stream(struct work *w)
{
    const struct form *f = form();
    size_t tiles = scan_tiles_of(w->n, f->tile);
    void *arguments[] = {&w->y, &w->x, &w->n, &w->words};

    if (tiles == 0)
        return;
    cudaMemsetAsync(w->words, 0, tiles * sizeof(*w->words), 0); /* nothing is posted */
    cudaLaunchCooperativeKernel(f->run, dim3(scan_grid(w, tiles)), dim3(THREADS), arguments,
                                f->shared, 0);
}

static int resident(int threads)
{
    return threads == THREADS ? form()->resident : 0;
}

static void shape(struct shape *s)
{
    size_t tiles = scan_tiles_of(s->n, form()->tile);

    if (s->threads == 0)
        s->threads = THREADS;
    if (s->blocks == 0)
        s->blocks = tiles == 0 ? 1 : tiles < (size_t)form()->resident ? (int)tiles : form()->resident;
}

/*
 * The longest chain of additions. A worker's sum of its part: 2 + 8 + 5; the poster's over the
 * workers: 5; the gatherer's over G words, 32 lanes at a time: G / 32 + 1 + 5; the prefix: one a tile
 * of the block; the bases of the workers: 6; the scan of a part, added to its base: 3 + 5 + 8 + 2 + 1.
 */
static double depth(const struct shape *s)
{
    double tiles = (double)scan_tiles_of(s->n, form()->tile), blocks = s->blocks ? s->blocks : 1;

    return tiles / blocks + 1 + blocks / 32 + 51;
}

/* A lane's additions: 4 a row and 5 to sum its part, then 18 a row to scan it; zeros included. */
static double flops(const struct shape *s)
{
    double rows = form()->tile / (WORKERS * 128.);

    return scan_tiles_of(s->n, form()->tile) * WORKERS * 32. * (22 * rows + 5);
}

static const struct variant variants[] = {
    {"stream", "warps with a part each; six tiles on the way", stream, WAITS, depth, resident, shape, flops,
     THREADS},
    {"in-place", "the same, over its own input", stream, WAITS | IN_PLACE, depth, resident, shape, flops,
     THREADS},
};

STEP("scan-stream", scan_family, variants);
