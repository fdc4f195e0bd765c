/*
 * scan-segmented-stream: pairs, and the loads never stop
 *
 * Idea      A job for each warp and no block barrier: workers own a part of each tile, a poster and a
 *           gatherer hand over (flag, sum) pairs. To join many pairs, find the last that has a head, and
 *           add the sums from there on: no scan of pairs is needed for that.
 * Since     In scan-segmented a block loads nothing while it waits for its prefix or at a barrier.
 * Expect    The rate of a copy, of 9 bytes per element, or 8 and an eighth with packed flags: whatever
 *           the segments are like, since what is done does not depend on them. The same bits in every
 *           run on the same device.
 * Source    As scan-segmented; Bauer, Cook and Khailany, "CudaDMA", SC 2011, for warps with jobs.
 */
#include <cuda_pipeline.h>
#include "families/segmented/few.h"

enum {
    WORKERS = 8, /* warps that move data; the poster and the gatherer follow */
    THREADS = (WORKERS + 2) * 32,
    STAGES = 5, /* tiles of the block in shared memory, most still on the way */
    LAG = 2,    /* a tile is finished so many tiles after it was summed */
    POLLS = 5,  /* words that a lane of the gatherer has in flight */
};

/* The largest over the warp, in every lane. */
static __device__ unsigned warp_max(unsigned v)
{
    for (int k = 16; k > 0; k /= 2) {
        unsigned other = __shfl_xor_sync(WARP, v, k);

        v = v > other ? v : other;
    }
    return v;
}

/* What the warps of a block share: the pair of each worker's part of a tile, and what reaches it. */
struct exchange {
    unsigned long long part[STAGES][WORKERS], base[STAGES][WORKERS];
};

static __device__ struct pair take_part(struct exchange *e, unsigned k)
{
    unsigned lane = threadIdx.x % 32;

    return lane < WORKERS ? take<IN_BLOCK>(&e->part[k % STAGES][lane], k + 1, 0) : pair{0, 0};
}

static __device__ void post_pairs(struct exchange *e, unsigned long long *posted, unsigned mine)
{
    unsigned lane = threadIdx.x % 32;

    for (unsigned k = 0; k < mine; k++) {
        struct pair p = take_part(e, k);
        unsigned with = __ballot_sync(WARP, p.head);
        element sum = warp_sum(!(with >> lane >> 1) ? p.value : 0); /* from the last head on */

        if (lane == 0)
            hand<IN_GRID>(&posted[blockIdx.x + (size_t)k * gridDim.x], 1, {sum, with != 0});
    }
}

/* The pair of the G tiles before this one, or of all if there are fewer; POLLS loads in flight. */
static __device__ struct pair window(unsigned long long *posted, size_t tile)
{
    struct pair all = {0, 0};

    for (unsigned from = 0; from < gridDim.x; from += POLLS * 32) {
        unsigned long long seen[POLLS];
        struct pair p[POLLS];
        unsigned near = 0; /* the nearer the tile with a head, the larger; 0: none has one */
        element sum = 0;

#pragma unroll
        for (unsigned i = 0; i < POLLS; i++) {
            unsigned back = from + i * 32 + threadIdx.x % 32 + 1;

            seen[i] = back <= gridDim.x && back <= tile ? peek<IN_GRID>(&posted[tile - back]) : 0;
        }
#pragma unroll
        for (unsigned i = 0; i < POLLS; i++) {
            unsigned back = from + i * 32 + threadIdx.x % 32 + 1;

            p[i] = {0, 0};
            if (back <= gridDim.x && back <= tile)
                p[i] = take<IN_GRID>(&posted[tile - back], 1, seen[i]);
            if (p[i].head && !near)
                near = ~back;
        }
        near = warp_max(near);
#pragma unroll
        for (unsigned i = 0; i < POLLS; i++)
            sum += ~(from + i * 32 + threadIdx.x % 32 + 1) >= near ? p[i].value : 0;
        sum = warp_sum(sum);
        if (!all.head) /* the words are awaited in any case: see the page */
            all = {sum + all.value, near != 0};
    }
    return all;
}

static __device__ void gather_bases(struct exchange *e, unsigned long long *posted, unsigned mine)
{
    unsigned lane = threadIdx.x % 32;
    element prefix = 0; /* what reaches this tile */

    for (unsigned k = 0; k < mine; k++) {
        struct pair all = window(posted, blockIdx.x + (size_t)k * gridDim.x), p = take_part(e, k);
        unsigned with = __ballot_sync(WARP, p.head), most = reach(with);
        element before;

        prefix = all.head ? all.value : prefix + all.value;
        for (unsigned d = 1; d < WORKERS; d *= 2) {
            element other = __shfl_up_sync(WARP, p.value, d);

            p.value = d <= most ? other + p.value : p.value;
        }
        before = __shfl_up_sync(WARP, p.value, 1);
        if (lane == 0)
            before = prefix;
        else if (!(with << (32 - lane))) /* no head in the parts before */
            before = prefix + before;
        if (lane < WORKERS)
            hand<IN_BLOCK>(&e->base[k % STAGES][lane], k + 1, {before, 0});
    }
}

/* A worker's part of a stage: its elements, and the words that hold their flags. */
template <int QUADS, bool PACKED> struct stage {
    static const int WORDS = PACKED ? QUADS * 4 : QUADS * 32;
    element4 q[WORKERS][QUADS * 32];
    unsigned words[WORKERS][WORDS];
};

/* The flags of this lane's quad of a row: bit k is element k's. */
template <bool PACKED> static __device__ unsigned heads_of(const unsigned *words, int row)
{
    unsigned lane = threadIdx.x % 32;

    if (PACKED)
        return words[row * 4 + lane / 8] >> lane % 8 * 4 & 15;
    /* four bytes of 0 or 1: the product has them side by side in its highest byte */
    return (words[row * 32 + lane] * 0x01020408u) >> 24;
}

/* Start copying up to QUADS * 128 elements and their flags. A lane copies the elements that it will read
 * itself, but other lanes' flags. */
template <int QUADS, bool PACKED>
static __device__ void load(struct stage<QUADS, PACKED> *s, const element *in,
                            const unsigned *flags, size_t first, size_t n)
{
    const int words = s->WORDS, each = PACKED ? 32 : 4; /* elements of a word */
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    bool whole = first + QUADS * 128 <= n;

    for (int r = 0; r < QUADS; r++) {
        size_t i = first + (r * 32 + lane) * 4;
        element4 *q = &s->q[warp][r * 32 + lane], v;

        if (whole && (size_t)in % sizeof(*q) == 0) {
            __pipeline_memcpy_async(q, in + i, sizeof(*q));
            continue;
        }
        v.x = i < n ? in[i] : 0;
        v.y = i + 1 < n ? in[i + 1] : 0;
        v.z = i + 2 < n ? in[i + 2] : 0;
        v.w = i + 3 < n ? in[i + 3] : 0;
        *q = v;
    }
    for (int i = lane * 4; i < words; i += 128) {
        if (whole)
            __pipeline_memcpy_async(&s->words[warp][i], flags + first / each + i, 16);
        for (int k = i; k < i + 4 && !whole; k++)
            s->words[warp][k] = first + k * each < n ? flags[first / each + k] : 0;
    }
}

/* The pair of a part: find the last head, then add what stands from it on. */
template <int QUADS, bool PACKED>
static __device__ struct pair sum_part(const element4 *q, const unsigned *words)
{
    unsigned lane = threadIdx.x % 32,
             last = 0; /* 1 + the place of the last head; 0: there is none */
    element sum = 0;

#pragma unroll
    for (int r = 0; r < QUADS; r++) {
        unsigned heads = heads_of<PACKED>(words, r);

        if (heads)
            last = r * 128 + lane * 4 + 32 - __clz(heads);
    }
    last = warp_max(last);
#pragma unroll
    for (int r = 0; r < QUADS; r++) {
        unsigned i = r * 128 + lane * 4 + 1;
        element4 v = q[r * 32 + lane];

        sum += ((i >= last ? v.x : 0) + (i + 1 >= last ? v.y : 0)) +
               ((i + 2 >= last ? v.z : 0) + (i + 3 >= last ? v.w : 0));
    }
    return {warp_sum(sum), last > 0};
}

/* Scan a part. Its base is taken when it is needed: the later, the better. */
template <int QUADS, bool PACKED>
static __device__ void scan_part(element4 *q, const element4 *from, const unsigned *words,
                                 unsigned long long *base, unsigned tag)
{
    unsigned lane = threadIdx.x % 32, heads[QUADS], with[QUADS];
    element sum[QUADS];

#pragma unroll
    for (int r = 0; r < QUADS; r++) {
        q[r] = from[r * 32 + lane];
        heads[r] = heads_of<PACKED>(words, r);
    }
    scan_rows<QUADS>(q, sum, heads, with);
    add_reach<QUADS>(q, sum, heads, with, take<IN_BLOCK>(base, tag, 0).value);
}

template <int QUADS, bool PACKED>
static __device__ void work_on(struct stage<QUADS, PACKED> *stages, struct exchange *e,
                               element *out, const element *in, const unsigned *flags, size_t n,
                               unsigned mine)
{
    const size_t part = QUADS * 128, tile = WORKERS * part;
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    size_t first = blockIdx.x * tile + warp * part, step = gridDim.x * tile;

    for (unsigned k = 0; k < STAGES; k++) {
        if (k < mine)
            load(&stages[k], in, flags, first + k * step, n);
        __pipeline_commit(); /* one group per tile, be it empty */
    }
    for (unsigned k = 0; k < mine + LAG; k++) {
        if (k < mine) { /* sum tile k */
            struct stage<QUADS, PACKED> *s = &stages[k % STAGES];
            struct pair p;

            __pipeline_wait_prior(STAGES - LAG - 1);
            __syncwarp(); /* the flags that other lanes have copied */
            p = sum_part<QUADS, PACKED>(s->q[warp], s->words[warp]);
            if (lane == 0)
                hand<IN_BLOCK>(&e->part[k % STAGES][warp], k + 1, p);
        }
        if (k >= LAG) { /* finish tile d, and use its room again */
            unsigned d = k - LAG;
            struct stage<QUADS, PACKED> *s = &stages[d % STAGES];
            element4 q[QUADS];

            scan_part<QUADS, PACKED>(q, s->q[warp], s->words[warp], &e->base[d % STAGES][warp],
                                     d + 1);
            store<QUADS>(out, q, first + d * step, n);
            __syncwarp(); /* all lanes have read their flags */
            if (d + STAGES < mine)
                load(s, in, flags, first + (d + STAGES) * step, n);
        }
        __pipeline_commit();
    }
}

/* All blocks must be resident, since they wait for each other: a cooperative launch sees to it. */
template <int QUADS, bool PACKED> __global__ void __launch_bounds__(THREADS, 1)
scan_stream(element *out, const element *in, const unsigned *flags, size_t n,
            unsigned long long *posted)
{
    extern __shared__ uint4 room[];
    __shared__ struct exchange e;
    const size_t tile = WORKERS * QUADS * 128, tiles = (n + tile - 1) / tile;
    unsigned mine = blockIdx.x < tiles ? (unsigned)((tiles - 1 - blockIdx.x) / gridDim.x) + 1 : 0;

    if (threadIdx.x < STAGES * WORKERS)
        (&e.part[0][0])[threadIdx.x] = (&e.base[0][0])[threadIdx.x] = 0;
    __syncthreads();
    if (threadIdx.x / 32 == WORKERS)
        post_pairs(&e, posted, mine);
    else if (threadIdx.x / 32 == WORKERS + 1)
        gather_bases(&e, posted, mine);
    else
        work_on((struct stage<QUADS, PACKED> *)room, &e, out, in, flags, n, mine);
}

typedef void kernel(element *, const element *, const unsigned *, size_t, unsigned long long *);

/* The largest parts that fit in the device's shared memory: chosen once for each form of the flags. */
struct form {
    kernel *run;
    size_t tile, shared;
    int resident; /* blocks on the whole device; 0 if not even the smallest fits */
};

template <int QUADS, bool PACKED> static struct form choose(void)
{
    struct form f = {scan_stream<QUADS, PACKED>, (size_t)WORKERS * QUADS * 128,
                     STAGES * sizeof(struct stage<QUADS, PACKED>), 0};
    int sms = 0, a_sm = 0;

    if (cudaFuncSetAttribute(f.run, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)f.shared) ==
        cudaSuccess) {
        cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&a_sm, f.run, THREADS, f.shared);
    }
    f.resident = sms * (a_sm > 1 ? 1 : a_sm); /* one is enough to keep the loads going */
    cudaGetLastError();                       /* too large for this device is no error */
    return f;
}

template <bool PACKED> static const struct form *form(void)
{
    static struct form f;

    if (f.resident == 0)
        f = choose<8, PACKED>();
    if (f.resident == 0)
        f = choose<4, PACKED>();
    if (f.resident == 0)
        f = choose<2, PACKED>();
    return &f;
}

static void launch(struct work *w, const struct form *f, const void *flags)
{
    size_t tiles = segmented_tiles_of(w->n, f->tile);
    void *arguments[] = {&w->y, &w->x, &flags, &w->n, &w->words};

    if (tiles == 0)
        return;
    cudaMemsetAsync(w->words, 0, tiles * sizeof(*w->words), 0); /* nothing is posted */
    cudaLaunchCooperativeKernel(f->run, dim3(segmented_grid(w, tiles)), dim3(THREADS), arguments,
                                f->shared, 0);
}

static void stream(struct work *w)
{
    launch(w, form<false>(), w->flags);
}

static void stream_bits(struct work *w)
{
    launch(w, form<true>(), w->bits);
}

template <bool PACKED> static int resident_stream(int threads)
{
    return threads == THREADS ? form<PACKED>()->resident : 0;
}

template <bool PACKED> static void shape_stream(struct shape *s)
{
    const struct form *f = form<PACKED>();
    size_t tiles = segmented_tiles_of(s->n, f->tile);

    if (s->threads == 0)
        s->threads = THREADS;
    if (s->blocks == 0)
        s->blocks = tiles == 0 ? 1 : tiles < (size_t)f->resident ? (int)tiles : f->resident;
}

/* --- both together: few tiles as in scan-segmented-few, where the device holds all at once ------- */

template <bool PACKED> static int resident_fitted(int threads)
{
    return threads == FEW_THREADS ? resident_few<PACKED>(threads)
                                  : resident_stream<PACKED>(threads);
}

template <bool PACKED> static void shape_fitted(struct shape *s)
{
    size_t tiles = segmented_tiles_of(s->n, FEW_TILE);

    if (tiles > (size_t)resident_few<PACKED>(FEW_THREADS) ||
        (s->blocks != 0 && (size_t)s->blocks < tiles)) {
        shape_stream<PACKED>(s);
        return;
    }
    s->threads = FEW_THREADS;
    if (s->blocks == 0)
        s->blocks = tiles == 0 ? 1 : (int)tiles;
}

template <bool PACKED> static void fitted(struct work *w)
{
    const void *flags = PACKED ? (const void *)w->bits : (const void *)w->flags;

    if (w->threads != FEW_THREADS)
        launch(w, form<PACKED>(), flags);
    else if (w->n > 0)
        launch_few<PACKED>(w->y, w->x, (const unsigned *)flags, w->n);
}

/*
 * The longest chain of additions. A worker's sum of its part: 2 + 8 + 5; the poster's over the
 * workers: 5; the gatherer's over G words, 160 at a time: 5 + 5 + 1 each time; the prefix: one per tile
 * of the block; the bases of the workers: 3 + 1; the scan of a part, added to its base: 3 + 5 + 8 + 2.
 */
template <bool PACKED> static double depth(const struct shape *s)
{
    double tiles = (double)segmented_tiles_of(s->n, form<PACKED>()->tile);
    double blocks = s->blocks ? s->blocks : 1;

    return 15 + 5 + (blocks / (POLLS * 32) + 1) * (POLLS + 5 + 1) + tiles / blocks + 1 + 4 + 18;
}

template <bool PACKED> static double depth_fitted(const struct shape *s)
{
    return s->threads == FEW_THREADS ? depth_few(s->blocks) : depth<PACKED>(s);
}

static const struct variant variants[] = {
    {"stream", "warps with a part each; five tiles on the way", stream, WAITS, depth<false>,
     resident_stream<false>, shape_stream<false>, NULL, THREADS},
    {"stream-bits", "the same, flags packed 32 to a word", stream_bits, WAITS, depth<true>,
     resident_stream<true>, shape_stream<true>, NULL, THREADS, NULL, segmented_bytes_of_bits},
    {"fitted", "few tiles as scan-segmented-few does it, many as stream", fitted<false>,
     WAITS | THREADS_BY_SIZE, depth_fitted<false>, resident_fitted<false>, shape_fitted<false>},
    {"fitted-bits", "the same, flags packed 32 to a word", fitted<true>, WAITS | THREADS_BY_SIZE,
     depth_fitted<true>, resident_fitted<true>, shape_fitted<true>, NULL, 0, NULL,
     segmented_bytes_of_bits},
};

static const struct launches launches[] = {
    /* With few tiles: more than 32 of them, and the first alone has a head; and elements that are
     * not aligned, up to the end of a quad. */
    {MUTATED,
     {"-n 150001 --segment 2^40 -v fitted -v fitted-bits",
      "-n 1152 --offset 1 -v fitted -v fitted-bits"}},
    {0},
};

STEP("scan-segmented-stream", segmented_family, variants, launches);
