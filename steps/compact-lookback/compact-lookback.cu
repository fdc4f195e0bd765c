/*
 * compact-lookback: one pass; a tile learns where its kept elements go while it holds them
 *
 * Idea      A block keeps a tile on the chip, posts how many of its elements are kept, and finds out
 *           how many are kept before it: x is read once, and only what is kept is written. The kept
 *           elements are first packed in shared memory, so that neighbours are stored together.
 * Since     compact-scan moved flags and addresses through memory, and x twice.
 * Expect    `lookback` finds its place as scan-lookback does. In `rounds` all blocks take a tile
 *           each at the same time, and read all counts of a round DELAY rounds later, when they have
 *           long been posted: nobody waits, and the loads go on. As good as the memory.
 * Source    Merrill and Garland, NVIDIA NVR-2016-002 (look-back); rounds: scan-stream's window.
 */
#include <cuda/atomic>
#include "families/compact/compact.h"

typedef unsigned long long u64;
typedef element4 quad; /* four elements that lie together, which one access reads */

#define WARP 0xffffffffu

static __device__ void post(u64 *p, u64 word, bool ordered)
{
    cuda::atomic_ref<u64, cuda::thread_scope_device>(*p).store(
        word, ordered ? cuda::memory_order_release : cuda::memory_order_relaxed);
}

static __device__ u64 peek(u64 *p, bool ordered)
{
    return cuda::atomic_ref<u64, cuda::thread_scope_device>(*p).load(
        ordered ? cuda::memory_order_acquire : cuda::memory_order_relaxed);
}

/* The sum over the warp, in every lane. */
template <typename count> static __device__ count warp_sum(count v)
{
    for (int k = 16; k > 0; k /= 2)
        v += __shfl_xor_sync(WARP, v, k);
    return v;
}

/*
 * A warp's part of a tile: ROWS rows of 32 quads, lane l with quad l of each. What is kept is a mask of 4
 * bits a row. Counts of all rows are handled at once, a byte each: a row has at most 128 elements.
 */
template <int ROWS> static __device__ void load(quad *q, const element *in, size_t first, size_t n)
{
    bool wide = first + ROWS * 128 <= n && (size_t)in % sizeof(quad) == 0;

#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        size_t i = first + r * 128 + threadIdx.x % 32 * 4;

        if (wide) {
            q[r] = *(const quad *)(in + i);
            continue;
        }
        q[r].x = i < n ? in[i] : 0;
        q[r].y = i + 1 < n ? in[i + 1] : 0;
        q[r].z = i + 2 < n ? in[i + 2] : 0;
        q[r].w = i + 3 < n ? in[i + 3] : 0;
    }
}

/* The mask of what the predicate keeps; bits of places from n on are 0. */
template <int ROWS>
static __device__ unsigned mask_of(const quad *q, element limit, size_t first, size_t n)
{
    unsigned mask = 0;

#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        unsigned bits = keeps(q[r].x, limit) | keeps(q[r].y, limit) << 1 |
                        keeps(q[r].z, limit) << 2 | keeps(q[r].w, limit) << 3;
        size_t i = first + r * 128 + threadIdx.x % 32 * 4;

        if (first + ROWS * 128 > n)
            bits &= i >= n ? 0 : n - i < 4 ? (1 << (n - i)) - 1 : 15;
        mask |= bits << 4 * r;
    }
    return mask;
}

/* The mask that flags give. */
template <int ROWS>
static __device__ unsigned mask_of(const unsigned char *flags, size_t first, size_t n)
{
    bool wide = first + ROWS * 128 <= n && (size_t)flags % sizeof(uchar4) == 0;
    unsigned mask = 0;

#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        size_t i = first + r * 128 + threadIdx.x % 32 * 4;
        uchar4 f;

        if (wide) {
            f = *(const uchar4 *)(flags + i);
        } else {
            f.x = i < n ? flags[i] : 0;
            f.y = i + 1 < n ? flags[i + 1] : 0;
            f.z = i + 2 < n ? flags[i + 2] : 0;
            f.w = i + 3 < n ? flags[i + 3] : 0;
        }
        mask |= (f.x | f.y << 1 | f.z << 2 | f.w << 3) << 4 * r;
    }
    return mask;
}

/* A byte per row: what is kept in the lanes before this one, and in all. */
struct counts {
    unsigned before, all;
};

template <int ROWS> static __device__ struct counts count(unsigned mask)
{
    struct counts c;
    unsigned own = 0, sum;

#pragma unroll
    for (int r = 0; r < ROWS; r++)
        own |= __popc(mask >> 4 * r & 15) << 8 * r;
    sum = own;
#pragma unroll
    for (unsigned k = 1; k < 32; k *= 2) {
        unsigned other = __shfl_up_sync(WARP, sum, k);

        sum += threadIdx.x % 32 >= k ? other : 0;
    }
    c.before = sum - own;
    c.all = __shfl_sync(WARP, sum, 31);
    return c;
}

static __device__ unsigned sum_of_rows(unsigned rows)
{
    return (rows & 255) + (rows >> 8 & 255) + (rows >> 16 & 255) + (rows >> 24);
}

/* Pack the kept elements of the warp's part, from packed[at] on. */
template <int ROWS>
static __device__ void pack(element *packed, unsigned at, const quad *q, unsigned mask,
                            struct counts c)
{
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        unsigned to = at + (c.before >> 8 * r & 255), bits = mask >> 4 * r;

        if (bits & 1)
            packed[to++] = q[r].x;
        if (bits & 2)
            packed[to++] = q[r].y;
        if (bits & 4)
            packed[to++] = q[r].z;
        if (bits & 8)
            packed[to] = q[r].w;
        at += c.all >> 8 * r & 255;
    }
}

/* --- look-back: see scan-lookback --------------------------------------------------------------- */

#define ROWS_LOOKBACK (LOOKBACK_ITEMS / 4)

/* A tile's word: a flag in the two highest bits and a count, read and written whole. */
#define SUM (1ull << 62)
#define PREFIX (2ull << 62)
#define COUNT_BITS (SUM - 1)

/*
 * How many elements the tiles before this one keep, for warp 0. Counts need no order: a word is all that
 * is handed over. In place, ordered, a word says besides that its tile has been read, and
 * a prefix that all tiles before have been, so that their room may be written to.
 */
static __device__ u64 look_back(u64 *words, size_t tile, u64 sum, bool ordered)
{
    u64 before = 0;
    unsigned whole = 0;

    if (threadIdx.x == 0)
        post(&words[tile], (tile > 0 ? SUM : PREFIX) | sum, ordered);
    for (long long at = (long long)tile - 1 - threadIdx.x; !whole; at -= 32) {
        u64 word;

        do { /* until all 32 have posted; what would lie before the first tile counts as a prefix */
            word = at >= 0 ? peek(&words[at], ordered) : PREFIX;
        } while (__any_sync(WARP, word < SUM));
        whole = __ballot_sync(WARP, word >= PREFIX);
        /* up to the nearest prefix, or all; ffs is 1 for lane 0, and 0 for none */
        before += warp_sum<u64>((unsigned)__ffs(whole) - 1 >= threadIdx.x ? word & COUNT_BITS : 0);
    }
    __syncwarp(); /* what the lanes have seen comes before what lane 0 posts */
    if (threadIdx.x == 0 && tile > 0)
        post(&words[tile], PREFIX | (before + sum), ordered);
    return before;
}

/* Tiles are taken by ticket, so what a tile waits for is in the hands of blocks that run. */
__global__ void compact_tiles(element *y, u64 *total, const element *x, const unsigned char *flags,
                              size_t n, size_t tiles, element limit, u64 *words, bool ordered)
{
    extern __shared__ element packed[]; /* a tile */
    __shared__ unsigned warps[32];
    __shared__ u64 ticket, base;
    unsigned warp = threadIdx.x / 32;

    for (;;) {
        quad q[ROWS_LOOKBACK];
        unsigned mask, at = 0, sum = 0;
        struct counts c;
        size_t tile, first;

        if (threadIdx.x == 0)
            ticket = atomicAdd(&words[0], 1ull);
        __syncthreads();
        tile = ticket;
        if (tile >= tiles)
            return;
        first = tile * blockDim.x * LOOKBACK_ITEMS + warp * ROWS_LOOKBACK * 128;
        load<ROWS_LOOKBACK>(q, x, first, n);
        mask = flags ? mask_of<ROWS_LOOKBACK>(flags, first, n)
                     : mask_of<ROWS_LOOKBACK>(q, limit, first, n);
        c = count<ROWS_LOOKBACK>(mask);
        if (threadIdx.x % 32 == 0)
            warps[warp] = sum_of_rows(c.all);
        __syncthreads();
        for (unsigned i = 0; i < blockDim.x / 32; i++) {
            at += i < warp ? warps[i] : 0;
            sum += warps[i];
        }
        pack<ROWS_LOOKBACK>(packed, at, q, mask, c);
        if (warp == 0) {
            u64 before = look_back(words + 1, tile, sum, ordered);

            if (threadIdx.x == 0)
                base = before;
            if (threadIdx.x == 0 && tile == tiles - 1)
                *total = before + sum;
        }
        __syncthreads();
        for (unsigned i = threadIdx.x; i < sum; i += blockDim.x)
            y[base + i] = packed[i]; /* two barriers before the next tile is packed over it */
    }
}

static void lookback(struct work *w, const unsigned char *flags, bool ordered)
{
    size_t tile = (size_t)w->threads * LOOKBACK_ITEMS, tiles = compact_tiles_of(w->n, tile);

    cudaMemsetAsync(w->words, 0, (tiles + 1) * sizeof(*w->words), 0); /* no tickets, no flags */
    compact_tiles<<<compact_grid(w, tiles), w->threads, tile * sizeof(element)>>>(
        w->y, w->count, w->x, flags, w->n, tiles, limit_of(w), w->words, ordered);
}

static void launch_lookback(struct work *w)
{
    lookback(w, NULL, false);
}

static void launch_flagged(struct work *w)
{
    lookback(w, w->flags, false);
}

static void launch_in_place(struct work *w)
{
    lookback(w, NULL, true);
}

/* --- rounds ------------------------------------------------------------------------------------- */

#define THREADS 512
#define MOST_BLOCKS THREADS /* a thread reads the word of one block */
#define MOST_DELAY 2        /* rounds that a tile waits in shared memory */
#define RING (2 * MOST_DELAY)

/*
 * The counts of a round: a word for each block, a tag above a count of 16 bits. A tag stands for a round
 * of a launch and is used once, so no word ever needs to be cleared. May a word be overwritten too
 * early? Who posts for round r has read the words of r - DELAY, so by then all blocks have posted
 * those, and before that have read those of r - 2 * DELAY: RING rounds ago.
 */
static __device__ u64 posted[RING][MOST_BLOCKS];

static __device__ u64 *word_of(u64 tag)
{
    return &posted[tag % RING][threadIdx.x];
}

/* What blocks keep in a round: those before this block, and all. */
struct part {
    unsigned left, all;
};

/* Wait for the word of the thread's block, and add up the warp's 32; seen is what the word held a moment
 * ago. All words are asked for at once: one after the other would take as many trips to the cache. */
static __device__ void gather(struct part *parts, u64 tag, u64 seen)
{
    struct part part;
    unsigned kept;

    if (threadIdx.x / 32 * 32 >= gridDim.x)
        return;
    while (threadIdx.x < gridDim.x && seen >> 16 != tag)
        seen = peek(word_of(tag), false);
    kept = threadIdx.x < gridDim.x ? seen & 65535 : 0;
    part.left = warp_sum<unsigned>(threadIdx.x < blockIdx.x ? kept : 0);
    part.all = warp_sum<unsigned>(kept);
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = part;
}

/* Tile k of block b is tile k * G + b of all. All blocks must be resident, since they wait for each
 * other: a cooperative launch sees to it. */
template <int ROWS, int DELAY> __global__ void __launch_bounds__(THREADS, 2)
compact_rounds(element *y, u64 *total, const element *x, size_t n, unsigned rounds, element limit,
               u64 tag)
{
    const unsigned TILE = THREADS * ROWS * 4, ROOMS = DELAY + 1;
    extern __shared__ element packed[]; /* ROOMS tiles */
    __shared__ unsigned warps[2][THREADS / 32], kept[ROOMS];
    __shared__ struct part parts[2][THREADS / 32];
    unsigned warp = threadIdx.x / 32;
    size_t first = (size_t)blockIdx.x * TILE + warp * ROWS * 128, step = (size_t)gridDim.x * TILE;
    quad now[ROWS], next[ROWS];
    element *to = y;

    load<ROWS>(now, x, first, n);
    for (unsigned k = 0; k < rounds + DELAY; k++, first += step) {
        unsigned mask = 0, room = k % ROOMS, done = (k + 1) % ROOMS; /* that of tile k - DELAY */
        u64 seen = 0, old = tag + k - DELAY;
        struct counts c;

        if (DELAY > 0 && k + 1 > DELAY && threadIdx.x < gridDim.x)
            seen = peek(word_of(old), false);
        if (k < rounds) { /* count tile k, while the next is loaded */
            if (k + 1 < rounds)
                load<ROWS>(next, x, first + step, n);
            mask = mask_of<ROWS>(now, limit, first, n);
            c = count<ROWS>(mask);
            if (threadIdx.x % 32 == 0)
                warps[k % 2][warp] = sum_of_rows(c.all);
        }
        if (DELAY > 0 && k + 1 > DELAY)
            gather(parts[k % 2], old, seen);
        __syncthreads();
        if (k < rounds) { /* post and pack it */
            unsigned at = 0, sum = 0;

#pragma unroll
            for (unsigned i = 0; i < THREADS / 32; i++) {
                at += i < warp ? warps[k % 2][i] : 0;
                sum += warps[k % 2][i];
            }
            if (threadIdx.x == 0) {
                post(&posted[(tag + k) % RING][blockIdx.x], (tag + k) << 16 | sum, false);
                kept[room] = sum;
            }
            pack<ROWS>(packed + room * TILE, at, now, mask, c);
#pragma unroll
            for (int r = 0; r < ROWS; r++)
                now[r] = next[r];
        }
        if (DELAY == 0) {
            gather(parts[k % 2], old, 0);
            __syncthreads();
        }
        if (k + 1 > DELAY) { /* store tile k - DELAY; its room is packed again behind a barrier */
            unsigned left = 0, all = 0;

            for (unsigned i = 0; i * 32 < gridDim.x; i++) {
                left += parts[k % 2][i].left;
                all += parts[k % 2][i].all;
            }
            for (unsigned i = threadIdx.x; i < kept[done]; i += THREADS)
                to[left + i] = packed[done * TILE + i];
            to += all;
        }
    }
    if (blockIdx.x == 0 && threadIdx.x == 0)
        *total = to - y;
}

typedef void kernel(element *, u64 *, const element *, size_t, unsigned, element, u64);

/* The largest tiles of which MOST_DELAY + 1 fit in the device's shared memory: chosen once. */
struct form {
    kernel *delayed, *at_once; /* the second for a single round */
    size_t tile;
    int resident; /* blocks on the whole device; 0 if not even the smallest fit */
};

static size_t shared_bytes(const struct form *f, int delay)
{
    return (delay + 1) * f->tile * sizeof(element);
}

static struct form choose(kernel *delayed, kernel *at_once, int rows)
{
    struct form f = {delayed, at_once, (size_t)THREADS * rows * 4};
    size_t shared = shared_bytes(&f, MOST_DELAY);
    int sms = 0, a_sm = 0;

    if (cudaFuncSetAttribute(delayed, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared) ==
        cudaSuccess) {
        cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&a_sm, delayed, THREADS, shared);
    }
    f.resident = sms * a_sm < MOST_BLOCKS ? sms * a_sm : MOST_BLOCKS;
    cudaGetLastError(); /* too large for this device is no error */
    return f;
}

static const struct form *form(void)
{
    static struct form f;

    if (f.resident == 0)
        f = choose(compact_rounds<4, MOST_DELAY>, compact_rounds<4, 0>, 4);
    if (f.resident == 0)
        f = choose(compact_rounds<2, MOST_DELAY>, compact_rounds<2, 0>, 2);
    return &f;
}

static void launch_rounds(struct work *w)
{
    static u64 tag = 1; /* words begin as zeros, so with tag 0 */
    const struct form *f = form();
    size_t tiles = compact_tiles_of(w->n, f->tile);
    int grid = compact_grid(w, tiles);
    unsigned rounds = (unsigned)((tiles + grid - 1) / grid);
    element limit = limit_of(w);
    kernel *run = rounds > 1 ? f->delayed : f->at_once;
    size_t shared = shared_bytes(f, rounds > 1 ? MOST_DELAY : 0);
    void *arguments[] = {&w->y, &w->count, &w->x, &w->n, &rounds, &limit, &tag};

    cudaLaunchCooperativeKernel(run, dim3(grid), dim3(THREADS), arguments, shared, 0);
    tag += rounds;
}

static int resident_rounds(int threads)
{
    return threads == THREADS ? form()->resident : 0;
}

static void shape_rounds(struct shape *s)
{
    size_t tiles = compact_tiles_of(s->n, form()->tile), most = form()->resident;

    if (s->threads == 0)
        s->threads = THREADS;
    if (s->blocks == 0)
        s->blocks = (int)(tiles < most ? tiles : most);
}

static const struct variant variants[] = {
    {"lookback", "32 tiles at a time, until a whole prefix", launch_lookback, WHOLE_WARPS | WAITS,
     NULL, NULL, compact_shape_lookback},
    {"flagged", "the same by given flags in place of the predicate", launch_flagged,
     WHOLE_WARPS | WAITS | FLAGGED, NULL, NULL, compact_shape_lookback, NULL, 0, NULL,
     compact_bytes_flagged},
    {"in-place", "lookback over its own input, which takes ordered words", launch_in_place,
     WHOLE_WARPS | WAITS | IN_PLACE, NULL, NULL, compact_shape_lookback},
    {"rounds", "all blocks in step; a round's counts are read two rounds later", launch_rounds,
     WAITS, NULL, resident_rounds, shape_rounds, NULL, THREADS},
};

STEP("compact-lookback", compact_family, variants);
