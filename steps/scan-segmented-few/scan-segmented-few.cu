/*
 * scan-segmented-few: few tiles, a block each, and nothing to clear
 *
 * Idea      Where the device holds a block per tile at once, each block posts the pair of its tile and reads
 *           those before it. The word of a pair has the number of the launch in it, so that what an earlier
 *           launch has left needs no clearing; the blocks need no tickets.
 * Since     scan-segmented clears tickets and words before each launch. In a short one that takes half of the
 *           time.
 * Expect    One empty launch, and the way of a pair from block to block. Longer arrays go piece by piece, as
 *           many tiles as fit: those are for the steps with look-back, or with a stream.
 * Source    As scan-segmented.
 */
#include "families/segmented/pairs.h"

enum {
    WORKERS = 8, /* warps, each with a part of the tile */
    FEW_QUADS = 4,
    FEW_TILE = WORKERS * FEW_QUADS * 128,
    FEW_THREADS = WORKERS * 32,
    FEW = 1024 /* words: no more blocks than that */
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

/* Between two pieces: add the last sum of the one before to the elements that stand open, before the piece's first
 * head. The words of scan_few say which tiles have one. */
template <bool PACKED> static __global__ void __launch_bounds__(FEW_THREADS)
carry_few(element *out, const unsigned *flags, size_t n)
{
    __shared__ unsigned open;
    size_t begin = blockIdx.x * (size_t)FEW_TILE;
    unsigned left = n - begin < FEW_TILE ? (unsigned)(n - begin) : FEW_TILE;
    bool ended = false;

    for (unsigned k = threadIdx.x; k < blockIdx.x; k += FEW_THREADS)
        ended |= posted_few[k] >> 32 & 1;
    if (threadIdx.x == 0)
        open = left;
    if (__syncthreads_or(ended))
        return;
    for (unsigned k = threadIdx.x; k < left; k += FEW_THREADS) {
        size_t i = begin + k;

        if (PACKED ? flags[i / 32] >> i % 32 & 1 : ((const unsigned char *)flags)[i])
            atomicMin(&open, k);
    }
    __syncthreads();
    for (unsigned k = threadIdx.x; k < open; k += FEW_THREADS)
        out[begin + k] = out[-1] + out[begin + k];
}

/* How many blocks of scan_few are on the device at once, as far as there are words for them. */
template <bool PACKED> static int resident_few(int threads)
{
    static int most;
    int sms = 0, a_sm = 0;

    if (most == 0) {
        cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&a_sm, scan_few<PACKED>, FEW_THREADS, 0);
        most = sms * a_sm < FEW ? sms * a_sm : FEW;
    }
    return threads == FEW_THREADS ? most : 0;
}

/* A block per tile, as far as they fit. */
template <bool PACKED> static void shape_few(struct shape *s)
{
    size_t tiles = segmented_tiles_of(s->n, FEW_TILE), most = resident_few<PACKED>(FEW_THREADS);

    if (s->threads == 0)
        s->threads = FEW_THREADS;
    if (s->blocks == 0)
        s->blocks = tiles == 0 ? 1 : (int)(tiles < most ? tiles : most);
}

static unsigned last_tag; /* of scan_few: never 0, which the words hold at first */

template <bool PACKED> static void few(struct work *w)
{
    const char *flags = PACKED ? (const char *)w->bits : (const char *)w->flags;
    size_t piece = (size_t)(w->blocks < FEW ? w->blocks : FEW) * FEW_TILE;

    for (size_t begin = 0; begin < w->n; begin += piece) {
        const unsigned *words = (const unsigned *)(flags + (PACKED ? begin / 8 : begin));
        size_t n = w->n - begin < piece ? w->n - begin : piece;
        unsigned tiles = (unsigned)segmented_tiles_of(n, FEW_TILE);

        last_tag = last_tag % 0x7fffffff + 1;
        scan_few<PACKED><<<tiles, FEW_THREADS>>>(w->y + begin, w->x + begin, words, n, last_tag);
        if (begin > 0)
            carry_few<PACKED><<<tiles, FEW_THREADS>>>(w->y + begin, words, n);
    }
}

/* The rows of a part 3 + 5, its parts 4, those of the block 8; the gatherer's 5 + 1 for 32 words; what reaches a
 * row 1 + 4, and its elements 2; and from piece to piece 1. */
static double depth(const struct shape *s)
{
    double blocks = s->blocks ? s->blocks : 1;
    double pieces = ceil((double)segmented_tiles_of(s->n, FEW_TILE) / blocks);

    return 3 + 5 + 4 + 8 + (floor(blocks / 32) + 1) * (5 + 1) + 1 + 4 + 2 + pieces;
}

static const struct variant variants[] = {
    {"few", "a block per tile, and nothing to clear", few<false>, WAITS, depth, resident_few<false>,
     shape_few<false>, NULL, FEW_THREADS},
    {"few-bits", "the same, flags packed 32 to a word", few<true>, WAITS, depth, resident_few<true>,
     shape_few<true>, NULL, FEW_THREADS, NULL, segmented_bytes_of_bits},
};

static const struct launches launches[] = {
    /* More than 32 tiles, and the first alone has a head; elements that are not aligned, up to the end of a quad;
     * pieces that end at a head, and in a segment. */
    {MUTATED,
     {"-n 150001 --segment 2^40", "-n 1152 --offset 1", "-n 40003 -b 3",
      "-n 40003 -b 3 --segment 2^40"}},
    {0},
};

STEP("scan-segmented-few", segmented_family, variants, launches);
