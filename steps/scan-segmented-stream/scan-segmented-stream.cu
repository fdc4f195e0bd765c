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
#include <cuda/atomic>
#include <cuda_pipeline.h>
#include "families/segmented/segmented.h"

enum {
    WORKERS = 8, /* warps that move data; the poster and the gatherer follow */
    THREADS = (WORKERS + 2) * 32,
    STAGES = 5, /* tiles of the block in shared memory, most still on the way */
    LAG = 2,    /* a tile is finished so many tiles after it was summed */
    POLLS = 5,  /* words that a lane of the gatherer has in flight */
};

/* The sum since the last head in some elements, or of all, and whether there is a head. */
struct pair {
    element value;
    unsigned head;
};

/*
 * Pairs are handed over in words of 64 bits: a tag of 31 bits, the head, and the sum. A word is
 * written and read whole, by one relaxed atomic access, and nothing else is handed over with it, so
 * no fence is needed. Between blocks the tag is 1; inside a block it is the number of the tile.
 */
template <cuda::thread_scope SCOPE>
static __device__ void hand(unsigned long long *word, unsigned tag, struct pair p)
{
    unsigned bits;

    memcpy(&bits, &p.value, sizeof(bits));
    cuda::atomic_ref<unsigned long long, SCOPE>(*word).store(
        (unsigned long long)(tag << 1 | p.head) << 32 | bits, cuda::memory_order_relaxed);
}

template <cuda::thread_scope SCOPE>
static __device__ unsigned long long peek(unsigned long long *word)
{
    return cuda::atomic_ref<unsigned long long, SCOPE>(*word).load(cuda::memory_order_relaxed);
}

/* The pair in a word, once it has the tag; `seen` is what it held a moment ago. */
template <cuda::thread_scope SCOPE>
static __device__ struct pair take(unsigned long long *word, unsigned tag, unsigned long long seen)
{
    struct pair p;
    unsigned bits;

    while (seen >> 33 != tag)
        seen = peek<SCOPE>(word);
    bits = (unsigned)seen;
    memcpy(&p.value, &bits, sizeof(bits));
    p.head = seen >> 32 & 1;
    return p;
}

#define WARP 0xffffffffu
#define IN_BLOCK cuda::thread_scope_block
#define IN_GRID cuda::thread_scope_device

/* The sum over the warp, in every lane. */
static __device__ element warp_sum(element v)
{
    for (int k = 16; k > 0; k /= 2)
        v += __shfl_xor_sync(WARP, v, k);
    return v;
}

/* The largest over the warp, in every lane. */
static __device__ unsigned warp_max(unsigned v)
{
    for (int k = 16; k > 0; k /= 2) {
        unsigned other = __shfl_xor_sync(WARP, v, k);

        v = v > other ? v : other;
    }
    return v;
}

/* How many lanes before this one belong to its segment, if `with` has the lanes with heads. */
static __device__ unsigned reach(unsigned with)
{
    unsigned lane = threadIdx.x % 32, back = __clz(with << (31 - lane)); /* 32: none up to here */

    return back < lane ? back : lane;
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

/* Scan the rows of a part, each by itself: sum[r] is that up to this lane's quad; with[r]: the lanes that have
 * heads. The rows' shuffles take turns, so that those of one row need not wait for each other. */
template <int QUADS>
static __device__ void scan_rows(element4 *q, element *sum, const unsigned *heads, unsigned *with)
{
    unsigned most[QUADS];

#pragma unroll
    for (int r = 0; r < QUADS; r++) {
        q[r].y = heads[r] & 2 ? q[r].y : q[r].x + q[r].y;
        q[r].z = heads[r] & 4 ? q[r].z : q[r].y + q[r].z;
        q[r].w = heads[r] & 8 ? q[r].w : q[r].z + q[r].w;
        sum[r] = q[r].w;
        with[r] = __ballot_sync(WARP, heads[r] != 0);
        most[r] = reach(with[r]);
    }
    for (unsigned k = 1; k < 32; k *= 2) {
#pragma unroll
        for (int r = 0; r < QUADS; r++) {
            element other = __shfl_up_sync(WARP, sum[r], k);

            sum[r] = k <= most[r] ? other + sum[r] : sum[r];
        }
    }
}

/* Add to the elements before the first head what reaches the part, its base, and go on from row to row. */
template <int QUADS>
static __device__ void add_reach(element4 *q, const element *sum, const unsigned *heads,
                                 const unsigned *with, element reaches)
{
    unsigned lane = threadIdx.x % 32;

#pragma unroll
    for (int r = 0; r < QUADS; r++) {
        element before = __shfl_up_sync(WARP, sum[r], 1), row = __shfl_sync(WARP, sum[r], 31);

        if (lane == 0)
            before = reaches;
        else if (!(with[r] << (32 - lane))) /* no head in the lanes before */
            before = reaches + before;
        q[r].x = heads[r] & 1 ? q[r].x : before + q[r].x;
        q[r].y = heads[r] & 3 ? q[r].y : before + q[r].y;
        q[r].z = heads[r] & 7 ? q[r].z : before + q[r].z;
        q[r].w = heads[r] ? q[r].w : before + q[r].w;
        reaches = with[r] ? row : reaches + row;
    }
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

/* --- few tiles: a block each, and nothing to clear ----------------------------------------------- */

enum {
    FEW_QUADS = 4,
    FEW_TILE = WORKERS * FEW_QUADS * 128,
    FEW_THREADS = WORKERS * 32,
    FEW = 1024
};

/* The pair of each tile, with the number of the launch as its tag: so those of earlier ones are none. */
static __device__ unsigned long long posted_few[FEW];

static __device__ struct pair join(struct pair a, struct pair b)
{
    return {b.head ? b.value : a.value + b.value, a.head | b.head};
}

/* What reaches this block, in every lane: the pairs of the tiles before it, 32 at a time and the nearest first,
 * up to one with a head. */
static __device__ element gather_few(unsigned tag)
{
    unsigned lane = threadIdx.x % 32, with = 0;
    element all = 0;

    for (unsigned end = blockIdx.x; end > 0 && !with; end -= end < 32 ? end : 32) {
        struct pair p = {0, 0};

        if (lane < end)
            p = take<IN_GRID>(&posted_few[end - 1 - lane], tag, 0);
        with = __ballot_sync(WARP, p.head);
        all += warp_sum(with & ((1u << lane) - 1) ? 0 : p.value);
    }
    return all;
}

/* A warp's part in registers: x and the flags of each row, so that all loads are in flight together. */
template <bool PACKED>
static __device__ void load_few(element4 *q, unsigned *heads, const element *in,
                                const unsigned *flags, size_t first, size_t n)
{
    unsigned lane = threadIdx.x % 32;

#pragma unroll
    for (int r = 0; r < FEW_QUADS; r++) {
        size_t row = first + r * 128, i = row + lane * 4;

        if (i + 4 <= n && (size_t)in % sizeof(*q) == 0)
            q[r] = *(const element4 *)(in + i);
        else {
            q[r].x = i < n ? in[i] : 0;
            q[r].y = i + 1 < n ? in[i + 1] : 0;
            q[r].z = i + 2 < n ? in[i + 2] : 0;
            q[r].w = i + 3 < n ? in[i + 3] : 0;
        }
        heads[r] = i < n ? flags[PACKED ? row / 32 + lane / 8 : i / 4] : 0;
    }
#pragma unroll
    for (int r = 0; r < FEW_QUADS; r++)
        heads[r] = PACKED ? heads[r] >> lane % 8 * 4 & 15 : (heads[r] * 0x01020408u) >> 24;
}

/* Each block posts its pair as soon as it has it, and gathers those before it. All blocks are resident. */
template <bool PACKED> static __global__ void __launch_bounds__(FEW_THREADS)
scan_few(element *out, const element *in, const unsigned *flags, size_t n, unsigned tag)
{
    __shared__ struct pair parts[WORKERS];
    __shared__ element prefix;
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    unsigned heads[FEW_QUADS], with[FEW_QUADS];
    size_t first = blockIdx.x * (size_t)FEW_TILE + warp * (FEW_QUADS * 128);
    element4 q[FEW_QUADS];
    element sum[FEW_QUADS];
    struct pair part = {0, 0}, before = {0, 0};

    load_few<PACKED>(q, heads, in, flags, first, n);
    scan_rows<FEW_QUADS>(q, sum, heads, with);
#pragma unroll
    for (int r = 0; r < FEW_QUADS; r++)
        part = join(part, {__shfl_sync(WARP, sum[r], 31), with[r] != 0});
    if (lane == 0)
        parts[warp] = part;
    __syncthreads();
    for (unsigned k = 0; k < warp; k++)
        before = join(before, parts[k]);
    if (warp == WORKERS - 1) {
        element reaches;

        if (lane == 0)
            hand<IN_GRID>(&posted_few[blockIdx.x], tag, join(before, part));
        reaches = gather_few(tag);
        if (lane == 0)
            prefix = reaches;
    }
    __syncthreads();
    add_reach<FEW_QUADS>(q, sum, heads, with, before.head ? before.value : prefix + before.value);
    store<FEW_QUADS>(out, q, first, n);
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

/* How many blocks of scan_few are on the device at once, as far as there are words for them. */
template <bool PACKED> static int resident_few(void)
{
    static int most;
    int sms = 0, a_sm = 0;

    if (most == 0) {
        cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&a_sm, scan_few<PACKED>, FEW_THREADS, 0);
        most = sms * a_sm < FEW ? sms * a_sm : FEW;
    }
    return most;
}

template <bool PACKED> static int resident_fitted(int threads)
{
    return threads == FEW_THREADS ? resident_few<PACKED>() : resident_stream<PACKED>(threads);
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

/* A block per tile where all of them fit. */
template <bool PACKED> static void shape_fitted(struct shape *s)
{
    size_t tiles = segmented_tiles_of(s->n, FEW_TILE);

    if (tiles > (size_t)resident_few<PACKED>() || (s->blocks != 0 && (size_t)s->blocks < tiles)) {
        shape_stream<PACKED>(s);
        return;
    }
    s->threads = FEW_THREADS;
    if (s->blocks == 0)
        s->blocks = tiles == 0 ? 1 : (int)tiles;
}

static unsigned last_tag; /* of scan_few: never 0, which the words hold at first */

template <bool PACKED> static void fitted(struct work *w)
{
    const void *flags = PACKED ? (const void *)w->bits : (const void *)w->flags;
    size_t tiles = segmented_tiles_of(w->n, FEW_TILE);

    last_tag = last_tag % 0x7fffffff + 1;
    if (w->threads != FEW_THREADS)
        launch(w, form<PACKED>(), flags);
    else if (tiles > 0)
        scan_few<PACKED>
            <<<(unsigned)tiles, FEW_THREADS>>>(w->y, w->x, (const unsigned *)flags, w->n, last_tag);
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

/* With few tiles: the rows of a part 3 + 5, its parts 4, those of the block 8; the gatherer's 5 + 1 for 32 words;
 * what reaches a row 1 + 4, and its elements 2. */
template <bool PACKED> static double depth_fitted(const struct shape *s)
{
    if (s->threads != FEW_THREADS)
        return depth<PACKED>(s);
    return 3 + 5 + 4 + 8 + (double)(s->blocks / 32 + 1) * (5 + 1) + 1 + 4 + 2;
}

static const struct variant variants[] = {
    {"stream", "warps with a part each; five tiles on the way", stream, WAITS, depth<false>,
     resident_stream<false>, shape_stream<false>, NULL, THREADS},
    {"stream-bits", "the same, flags packed 32 to a word", stream_bits, WAITS, depth<true>,
     resident_stream<true>, shape_stream<true>, NULL, THREADS, NULL, segmented_bytes_of_bits},
    {"fitted", "few tiles: a block each, and nothing to clear; else stream", fitted<false>,
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
