/*
 * compact-stream: the loads never stop
 *
 * Idea      The machinery of scan-segmented-stream: workers that own a part of each tile, a poster, a gatherer, no
 *           block barrier. A worker packs what its part keeps as soon as it has arrived, by votes, and
 *           stores it LAG tiles later, when the count of everything before it has long arrived.
 * Since     In compact-lookback a block that waits for its base, or at a barrier, loads nothing.
 * Expect    As good as the memory. Counts lag by more tiles than its sums (LAG), since a tile
 *           is finished sooner: less is written.
 * Source    scan-segmented-stream; Merrill and Garland, NVIDIA NVR-2016-002.
 */
#include <limits.h>
#include <cuda/atomic>
#include <cuda_pipeline.h>
#include "families/compact/compact.h"

typedef unsigned long long u64;
typedef element4 quad;

enum {
    WORKERS = 16, /* warps that move data; the poster and the gatherer follow */
    THREADS = (WORKERS + 2) * 32,
    STAGES = 6, /* tiles of the block in shared memory, most counted already */
    LAG = 4,    /* a tile is finished so many tiles after it was counted */
    POLLS = 5,  /* words that a lane of the gatherer reads, all at once */
    RING = 16,  /* words of a block: at least 2 * LAG + 4, and a power of two */
    MOST_BLOCKS = 32 * POLLS,
};

#define WARP 0xffffffffu
#define IN_BLOCK cuda::thread_scope_block
#define IN_GRID cuda::thread_scope_device

/*
 * Numbers are handed over in words of 64 bits: the upper 16 or more are a tag, which says of what the
 * number is. A word is written and read whole, by one access, and nothing else is handed over with it,
 * so no fence is needed. In place, ORDERED, a word says besides that what it counts has been read. That
 * is known when the kernel is compiled, because an order that is not costs a choice at each access.
 */
template <cuda::thread_scope SCOPE, bool ORDERED> static __device__ void hand(u64 *word, u64 value)
{
    cuda::atomic_ref<u64, SCOPE>(*word).store(value, ORDERED ? cuda::memory_order_release
                                                             : cuda::memory_order_relaxed);
}

template <cuda::thread_scope SCOPE, bool ORDERED> static __device__ u64 peek(u64 *word)
{
    return cuda::atomic_ref<u64, SCOPE>(*word).load(ORDERED ? cuda::memory_order_acquire
                                                            : cuda::memory_order_relaxed);
}

/* Inside a block: TAG_BITS, 16, of the number of the tile, and 48 of the value. */
#define VALUE_BITS ((1ull << (64 - TAG_BITS)) - 1)

static __device__ u64 tagged(unsigned tile, u64 value)
{
    return (u64)(tile + 1) << (64 - TAG_BITS) | value;
}

template <bool ORDERED> static __device__ u64 take(u64 *word, unsigned tile)
{
    u64 seen;

    do {
        seen = peek<IN_BLOCK, false>(word);
    } while (seen >> (64 - TAG_BITS) != ((tile + 1) & ((1 << TAG_BITS) - 1)));
    if (ORDERED) /* once is enough */
        peek<IN_BLOCK, true>(word);
    return seen & VALUE_BITS;
}

/*
 * Between blocks: a word for each block and each of RING rounds, tile k of all blocks being a round. Its
 * upper half is the number of the round among those of all launches, so words need not be cleared. May
 * one be overwritten too early? The block that posts tile k has finished k - LAG - 1 and so has seen tile
 * k - LAG - 2 of every block; its poster has seen k - 2 * LAG - 4 of every block.
 */
static __device__ u64 posted[RING][MOST_BLOCKS];

/* The sum over the warp, in every lane: one instruction from compute capability 8.0 on. */
static __device__ unsigned warp_sum(unsigned v)
{
#if __CUDA_ARCH__ >= 800
    return __reduce_add_sync(WARP, v);
#else
    for (int k = 16; k > 0; k /= 2)
        v += __shfl_xor_sync(WARP, v, k);
    return v;
#endif
}

/* The sums over the lanes up to this one. */
static __device__ unsigned warp_scan(unsigned v)
{
    for (unsigned k = 1; k < 32; k *= 2) {
        unsigned other = __shfl_up_sync(WARP, v, k);

        v += threadIdx.x % 32 >= k ? other : 0;
    }
    return v;
}

/* What the warps of a block share: what each worker's part of a tile keeps, and where that goes. */
struct exchange {
    u64 part[STAGES][WORKERS], base[STAGES][WORKERS];
};

template <bool ORDERED>
static __device__ void post_counts(struct exchange *e, unsigned mine, unsigned tag)
{
    unsigned lane = threadIdx.x % 32;

    for (unsigned k = 0; k < mine; k++, tag++) {
        unsigned kept = lane < WORKERS ? take<ORDERED>(&e->part[k % STAGES][lane], k) : 0;

        kept = warp_sum(kept);
        __syncwarp(); /* what the lanes have seen comes before what lane 0 posts */
        if (lane == 0)
            hand<IN_GRID, ORDERED>(&posted[tag % RING][blockIdx.x], (u64)tag << 32 | kept);
    }
}

/* The posted words that lane l of the gatherer reads for a tile: those of blocks l, l + 32, ... */
struct window {
    u64 seen[POLLS];
    unsigned wanted[POLLS]; /* their tags */
    bool there[POLLS];      /* is there such a block? */
};

static __device__ u64 *word_of(const struct window *w, int p)
{
    return &posted[w->wanted[p] % RING][threadIdx.x % 32 + p * 32];
}

/* Ask for all words, without a look at what comes: one trip for all of them. */
static __device__ void ask(struct window *w)
{
#pragma unroll
    for (int p = 0; p < POLLS; p++)
        w->seen[p] = w->there[p] ? peek<IN_GRID, false>(word_of(w, p)) : 0;
}

/* What the words sum up to, once all have come; one question for all, and a loop only where one is
 * missing. */
template <bool ORDERED> static __device__ unsigned hear(struct window *w)
{
    unsigned kept = 0;
    bool missing = false;

#pragma unroll
    for (int p = 0; p < POLLS; p++)
        missing |= w->there[p] && w->seen[p] >> 32 != w->wanted[p];
    while (__any_sync(WARP, missing)) {
        missing = false;
#pragma unroll
        for (int p = 0; p < POLLS; p++) {
            if (w->there[p] && w->seen[p] >> 32 != w->wanted[p])
                w->seen[p] = peek<IN_GRID, false>(word_of(w, p));
        }
#pragma unroll
        for (int p = 0; p < POLLS; p++)
            missing |= w->there[p] && w->seen[p] >> 32 != w->wanted[p];
    }
#pragma unroll
    for (int p = 0; p < POLLS; p++) {
        if (ORDERED && w->there[p]) /* once is enough */
            peek<IN_GRID, true>(word_of(w, p));
        kept += (unsigned)w->seen[p];
    }
    return warp_sum(kept);
}

/*
 * The base of a tile is what the G tiles before it keep, or all if there are fewer, more than that of
 * the block's tile before: the tiles of earlier blocks in this round, those of the others in the last.
 * The words for the next tile are asked for before this one is dealt with.
 */
template <bool ORDERED>
static __device__ void gather_bases(struct exchange *e, u64 *count, unsigned mine, bool last,
                                    unsigned tag)
{
    unsigned lane = threadIdx.x % 32;
    struct window w;
    u64 before = 0; /* kept in all tiles before this one */

#pragma unroll
    for (int p = 0; p < POLLS; p++) { /* before the first round there is none */
        w.there[p] = lane + p * 32 < blockIdx.x;
        w.wanted[p] = w.there[p] ? tag : tag - 1;
    }
    ask(&w);
    for (unsigned k = 0; k < mine; k++) {
        unsigned kept, sum;

        before += hear<ORDERED>(&w);
#pragma unroll
        for (int p = 0; p < POLLS; p++) {
            w.there[p] = lane + p * 32 < gridDim.x && k + 1 < mine;
            w.wanted[p]++;
        }
        ask(&w);
        kept = lane < WORKERS ? (unsigned)take<ORDERED>(&e->part[k % STAGES][lane], k) : 0;
        sum = warp_scan(kept);
        __syncwarp(); /* what all lanes have seen comes before what each hands over */
        if (lane < WORKERS)
            hand<IN_BLOCK, ORDERED>(&e->base[k % STAGES][lane], tagged(k, before + (sum - kept)));
        if (last && k == mine - 1 && lane == WORKERS - 1)
            *count = before + sum;
    }
}

/* What no limit leaves out. It stands in for what lies behind the last element: as many as are
 * missing are kept, behind all others. */
static __device__ inline float least(const float *)
{
    return -INFINITY;
}

static __device__ inline int least(const int *)
{
    return INT_MIN;
}

/* How many elements of the part that begins at `at` lie behind the last one. */
static __device__ unsigned padding(size_t at, size_t part, size_t n)
{
    return at + part <= n ? 0 : (unsigned)(at < n ? at + part - n : part);
}

/* Start copying up to QUADS * 128 elements; a lane copies what it will read itself. */
template <int QUADS>
static __device__ void load(quad *stage, const element *in, size_t first, size_t n)
{
    bool wide = first + QUADS * 128 <= n && (size_t)in % sizeof(quad) == 0;

    for (int r = 0; r < QUADS; r++) {
        size_t i = first + (r * 32 + threadIdx.x % 32) * 4;
        quad *q = &stage[r * 32 + threadIdx.x % 32];

        if (wide) {
            __pipeline_memcpy_async(q, in + i, sizeof(*q));
        } else {
            quad v;

            v.x = i < n ? in[i] : least(in);
            v.y = i + 1 < n ? in[i + 1] : least(in);
            v.z = i + 2 < n ? in[i + 2] : least(in);
            v.w = i + 3 < n ? in[i + 3] : least(in);
            *q = v;
        }
    }
}

/* Write the kept elements of the warp's part side by side over it; how many. A row is 32 elements, a lane
 * has one of each row, and where it goes, it learns from a vote: those that keep theirs store side by
 * side. */
template <int QUADS> static __device__ unsigned pack(element *part, element limit)
{
    unsigned lane = threadIdx.x % 32, at = 0;
    element row[QUADS * 4];

#pragma unroll
    for (int r = 0; r < QUADS * 4; r++)
        row[r] = part[r * 32 + lane];
    __syncwarp(); /* all lanes have read */
#pragma unroll
    for (int r = 0; r < QUADS * 4; r++) {
        bool kept = keeps(row[r], limit);
        unsigned who = __ballot_sync(WARP, kept);

        if (kept)
            part[at + __popc(who & ((1u << lane) - 1))] = row[r];
        at += __popc(who);
    }
    return at;
}

template <int QUADS, bool ORDERED>
static __device__ void work_on(quad *stages, struct exchange *e, element *y, const element *x,
                               size_t n, unsigned mine, element limit)
{
    const size_t part = QUADS * 128, tile = WORKERS * part;
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    size_t first = blockIdx.x * tile + warp * part, step = gridDim.x * tile;
    quad *mine_of_stage = stages + warp * QUADS * 32;

    for (unsigned k = 0; k < STAGES; k++) {
        if (k < mine)
            load<QUADS>(mine_of_stage + k * WORKERS * QUADS * 32, x, first + k * step, n);
        __pipeline_commit(); /* one group a tile, be it empty */
    }
    for (unsigned k = 0; k < mine + LAG; k++) {
        if (k < mine) { /* pack tile k */
            quad *s = mine_of_stage + k % STAGES * WORKERS * QUADS * 32;
            unsigned kept;

            __pipeline_wait_prior(STAGES - LAG - 1);
            __syncwarp(); /* the other lanes' copies, too */
            kept = pack<QUADS>((element *)s, limit);
            if (lane == 0)
                hand<IN_BLOCK, ORDERED>(&e->part[k % STAGES][warp],
                                        tagged(k, kept - padding(first + k * step, part, n)));
            __syncwarp(); /* all have packed, before any stores the part */
        }
        if (k >= LAG) { /* store tile d, and use its room again */
            unsigned d = k - LAG, kept;
            quad *s = mine_of_stage + d % STAGES * WORKERS * QUADS * 32;
            const element *packed = (const element *)s;
            element *to;

            kept = (unsigned)peek<IN_BLOCK, false>(&e->part[d % STAGES][warp]);
            to = y + take<ORDERED>(&e->base[d % STAGES][warp], d); /* the later, the better */
            for (unsigned i = lane; i < kept; i += 32)
                to[i] = packed[i];
            __syncwarp();
            if (d + STAGES < mine)
                load<QUADS>(s, x, first + (d + STAGES) * step, n);
        }
        __pipeline_commit();
    }
}

/* All blocks must be resident, since they wait for each other: a cooperative launch sees to it. */
template <int QUADS, bool ORDERED> __global__ void __launch_bounds__(THREADS, 1)
compact_stream(element *y, u64 *count, const element *x, size_t n, size_t tiles, element limit,
               unsigned tag)
{
    extern __shared__ quad stages[];
    __shared__ struct exchange e;
    unsigned mine = (unsigned)((tiles - 1 - blockIdx.x) / gridDim.x) + 1;
    bool last = (tiles - 1) % gridDim.x == blockIdx.x;

    if (threadIdx.x < STAGES * WORKERS)
        (&e.part[0][0])[threadIdx.x] = (&e.base[0][0])[threadIdx.x] = 0;
    __syncthreads();
    if (threadIdx.x / 32 == WORKERS)
        post_counts<ORDERED>(&e, mine, tag);
    else if (threadIdx.x / 32 == WORKERS + 1)
        gather_bases<ORDERED>(&e, count, mine, last, tag);
    else
        work_on<QUADS, ORDERED>(stages, &e, y, x, n, mine, limit);
}

typedef void kernel(element *, u64 *, const element *, size_t, size_t, element, unsigned);

/* The largest parts that fit in the device's shared memory: chosen once. */
struct form {
    kernel *run;
    size_t tile, shared;
    int resident; /* blocks on the whole device; 0 if not even the smallest fits */
};

static struct form choose(kernel *run, int quads)
{
    struct form f = {run, (size_t)WORKERS * quads * 128,
                     sizeof(quad) * 32 * quads * WORKERS * STAGES};
    int sms = 0, a_sm = 0;

    if (cudaFuncSetAttribute(run, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)f.shared) ==
        cudaSuccess) {
        cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&a_sm, run, THREADS, f.shared);
    }
    f.resident = a_sm > 0 ? sms : 0; /* one a multiprocessor is enough to keep the loads going */
    if (f.resident > MOST_BLOCKS)
        f.resident = MOST_BLOCKS;
    cudaGetLastError(); /* too large for this device is no error */
    return f;
}

template <bool ORDERED> static const struct form *form(void)
{
    static struct form f;

    if (f.resident == 0)
        f = choose(compact_stream<4, ORDERED>, 4);
    if (f.resident == 0)
        f = choose(compact_stream<2, ORDERED>, 2);
    if (f.resident == 0)
        f = choose(compact_stream<1, ORDERED>, 1);
    return &f;
}

static void launch(struct work *w, const struct form *f)
{
    static unsigned tag = 1; /* words begin as zeros */
    size_t tiles = compact_tiles_of(w->n, f->tile);
    int grid = compact_grid(w, tiles);
    element limit = limit_of(w);
    void *arguments[] = {&w->y, &w->count, &w->x, &w->n, &tiles, &limit, &tag};

    cudaLaunchCooperativeKernel(f->run, dim3(grid), dim3(THREADS), arguments, f->shared, 0);
    tag += (unsigned)((tiles + grid - 1) / grid);
}

static void stream(struct work *w)
{
    launch(w, form<false>());
}

static void in_place(struct work *w)
{
    launch(w, form<true>());
}

static int resident(int threads)
{
    return threads == THREADS ? form<true>()->resident : 0;
}

static void shape(struct shape *s)
{
    size_t tiles = compact_tiles_of(s->n, form<true>()->tile), most = form<true>()->resident;

    if (s->threads == 0)
        s->threads = THREADS;
    if (s->blocks == 0)
        s->blocks = (int)(tiles < most ? tiles : most);
}

static const struct variant variants[] = {
    {"stream", "warps with a part each; six tiles in shared memory", stream, WAITS, NULL, resident,
     shape, NULL, THREADS},
    {"in-place", "the same, over its own input", in_place, WAITS | IN_PLACE, NULL, resident, shape,
     NULL, THREADS},
};

STEP("compact-stream", compact_family, variants);
