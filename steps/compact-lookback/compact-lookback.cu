/*
 * compact-lookback: one pass; a tile learns where its kept elements go while it holds them
 *
 * Idea      A block keeps a tile on the chip, posts how many of its elements are kept, and finds out
 *           how many are kept before it: x is read once, and only what is kept is written. The kept
 *           elements are first packed in shared memory, so that neighbours are stored together.
 * Since     compact-scan moved flags and addresses through memory, and x twice.
 * Expect    Half of what the three kernels move, or less. `flagged` reads given flags instead of the
 *           predicate. `in-place` may write over what it has read, if the words are ordered.
 * Source    Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back",
 *           NVIDIA NVR-2016-002.
 */
#include <cuda/atomic>
#include "families/compact/compact.h"

typedef unsigned long long u64;
typedef element4 quad; /* four elements that lie together, which one access reads */

#define QUADS (LOOKBACK_ITEMS / 4)
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
static __device__ u64 warp_sum(u64 v)
{
    for (int k = 16; k > 0; k /= 2)
        v += __shfl_xor_sync(WARP, v, k);
    return v;
}

/*
 * A warp's part of a tile: QUADS rows of 32 quads, lane l with quad l of each. What is kept is a mask of 4
 * bits a row. Counts of all rows are handled at once, a byte each: a row has at most 128 elements.
 */
static __device__ void load(quad *q, const element *in, size_t first, size_t n)
{
    bool wide = first + QUADS * 128 <= n && (size_t)in % sizeof(quad) == 0;

#pragma unroll
    for (int r = 0; r < QUADS; r++) {
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
static __device__ unsigned mask_of(const quad *q, element limit, size_t first, size_t n)
{
    unsigned mask = 0;

#pragma unroll
    for (int r = 0; r < QUADS; r++) {
        unsigned bits = keeps(q[r].x, limit) | keeps(q[r].y, limit) << 1 |
                        keeps(q[r].z, limit) << 2 | keeps(q[r].w, limit) << 3;
        size_t i = first + r * 128 + threadIdx.x % 32 * 4;

        if (first + QUADS * 128 > n)
            bits &= i >= n ? 0 : n - i < 4 ? (1 << (n - i)) - 1 : 15;
        mask |= bits << 4 * r;
    }
    return mask;
}

/* The mask that flags give. */
static __device__ unsigned mask_of(const unsigned char *flags, size_t first, size_t n)
{
    bool wide = first + QUADS * 128 <= n && (size_t)flags % sizeof(uchar4) == 0;
    unsigned mask = 0;

#pragma unroll
    for (int r = 0; r < QUADS; r++) {
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

static __device__ struct counts count(unsigned mask)
{
    struct counts c;
    unsigned own = 0, sum;

#pragma unroll
    for (int r = 0; r < QUADS; r++)
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

/* Pack the kept elements of the warp's part, from packed[at] on. */
static __device__ void pack(element *packed, unsigned at, const quad *q, unsigned mask,
                            struct counts c)
{
#pragma unroll
    for (int r = 0; r < QUADS; r++) {
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
        before += warp_sum((unsigned)__ffs(whole) - 1 >= threadIdx.x ? word & COUNT_BITS : 0);
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
        quad q[QUADS];
        unsigned mask, at = 0, sum = 0;
        struct counts c;
        size_t tile, first;

        if (threadIdx.x == 0)
            ticket = atomicAdd(&words[0], 1ull);
        __syncthreads();
        tile = ticket;
        if (tile >= tiles)
            return;
        first = tile * blockDim.x * LOOKBACK_ITEMS + warp * QUADS * 128;
        load(q, x, first, n);
        mask = flags ? mask_of(flags, first, n) : mask_of(q, limit, first, n);
        c = count(mask);
        if (threadIdx.x % 32 == 0)
            warps[warp] = (c.all & 255) + (c.all >> 8); /* two rows */
        __syncthreads();
        for (unsigned i = 0; i < blockDim.x / 32; i++) {
            at += i < warp ? warps[i] : 0;
            sum += warps[i];
        }
        pack(packed, at, q, mask, c);
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

static const struct variant variants[] = {
    {"lookback", "32 tiles at a time, until a whole prefix", launch_lookback, WHOLE_WARPS | WAITS,
     NULL, NULL, compact_shape_lookback},
    {"flagged", "the same by given flags in place of the predicate", launch_flagged,
     WHOLE_WARPS | WAITS | FLAGGED, NULL, NULL, compact_shape_lookback, NULL, 0, NULL,
     compact_bytes_flagged},
    {"in-place", "lookback over its own input, which takes ordered words", launch_in_place,
     WHOLE_WARPS | WAITS | IN_PLACE, NULL, NULL, compact_shape_lookback},
};

/* More blocks than are resident at once, each with tiles after its first. */
static const struct launches launches[] = {
    {MUTATED, {"-n 268003 -b 530 -t 32 -v lookback"}},
    {0},
};

STEP("compact-lookback", compact_family, variants, launches);
