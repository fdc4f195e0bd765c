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
#include "families/segmented/few.h"

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

/* A block per tile, as far as they fit. */
template <bool PACKED> static void shape_few(struct shape *s)
{
    size_t tiles = segmented_tiles_of(s->n, FEW_TILE), most = resident_few<PACKED>(FEW_THREADS);

    if (s->threads == 0)
        s->threads = FEW_THREADS;
    if (s->blocks == 0)
        s->blocks = tiles == 0 ? 1 : (int)(tiles < most ? tiles : most);
}

template <bool PACKED> static void few(struct work *w)
{
    const char *flags = PACKED ? (const char *)w->bits : (const char *)w->flags;
    size_t piece = (size_t)(w->blocks < FEW ? w->blocks : FEW) * FEW_TILE;

    for (size_t begin = 0; begin < w->n; begin += piece) {
        const unsigned *words = (const unsigned *)(flags + (PACKED ? begin / 8 : begin));
        size_t n = w->n - begin < piece ? w->n - begin : piece;
        unsigned tiles = (unsigned)segmented_tiles_of(n, FEW_TILE);

        launch_few<PACKED>(w->y + begin, w->x + begin, words, n);
        if (begin > 0)
            carry_few<PACKED><<<tiles, FEW_THREADS>>>(w->y + begin, words, n);
    }
}

/* That of a launch, and from piece to piece 1. */
static double depth(const struct shape *s)
{
    int blocks = s->blocks ? s->blocks : 1;

    return depth_few(blocks) + ceil((double)segmented_tiles_of(s->n, FEW_TILE) / blocks);
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
    /* With one block, a piece that ends one before a tile, or where the flags' array does; a head that its threads
     * reach in their third turn; and a piece of 33 tiles without a head. */
    {MUTATED,
     {"-n 150001 --segment 2^40", "-n 1152 --offset 1", "-n 40003 -b 3",
      "-n 40003 -b 3 --segment 2^40", "-n 8191 -b 1 --segment 2^40", "-n 4224 -b 1 --segment 2^40",
      "-n 4610 -b 1 --segment 500 --seed 60", "-n 270336 -b 33 --segment 2^40"}},
    {0},
};

STEP("scan-segmented-few", segmented_family, variants, launches);
