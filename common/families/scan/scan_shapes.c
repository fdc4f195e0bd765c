/*
 * The launch shapes of the scan steps, how long the chains of additions are that they form, and how
 * many additions they do.
 *
 * A tile of t elements takes ceil(lg t) rounds, or twice that up and down a tree; where
 * tiles are scanned, then their sums, then added, each level has a round more, for adding. In the
 * single pass, an element meets 3 additions in its quad, 5 between the lanes, 4 to carry over
 * quads and 1 to add that, as many as there are warps, 1 for prefix + warps before, 1 in the last
 * addition. Between tiles, whichever way look-back goes, one hop over m tiles adds at most m
 * times: a tile in the way costs 1, for its prefix + sum; more at a time cost min(5, ceil(lg m))
 * in a warp, 1 a window beyond the first and 1 for prefix + sum, which is no more than m. So a
 * chain has at most as many as tiles. In the tree a sum climbs at most lg(tiles) nodes, at each 5
 * in a warp and 1 for its own sum, and 5 more.
 */
#include "families/scan/scan.h"
#include "harness/kit/device.h"
#include "harness/kit/number.h"

static void block_of(struct shape *s, size_t elements_a_thread)
{
    if (s->threads == 0)
        for (s->threads = 1; s->threads < 256 && elements_a_thread * s->threads < s->n;)
            s->threads *= 2;
    device_default_shape(s, elements_a_thread);
}

void scan_shape_hillis_block(struct shape *s)
{
    block_of(s, 1);
}

void scan_shape_blelloch_block(struct shape *s)
{
    block_of(s, BLELLOCH_ITEMS);
}

void scan_shape_blelloch(struct shape *s)
{
    device_default_shape(s, BLELLOCH_ITEMS);
}

void scan_shape_lookback(struct shape *s)
{
    device_default_shape(s, LOOKBACK_ITEMS);
}

/* Over all levels of tiles, tiles of sums and so on: what one tile costs, and one adding. */
static double over_levels(const struct shape *s, size_t tile, double a_tile, double rounds,
                          double *additions)
{
    double depth = rounds;
    size_t n = s->n;

    *additions = 0;
    for (;; depth += rounds + 1) {
        size_t tiles = scan_tiles_of(n, tile);

        *additions += (double)tiles * a_tile;
        if (tiles <= 1 || tile < 2)
            return depth;
        *additions += (double)(n - tile);
        n = tiles;
    }
}

static double hillis(const struct shape *s, double *additions)
{
    double a_tile = 0;

    for (int k = 1; k < s->threads; k *= 2)
        a_tile += s->threads - k;
    return over_levels(s, (size_t)s->threads, a_tile, levels(s->threads), additions);
}

/* Up and down, one addition a pair: 2 (tile - 1). */
static double blelloch(const struct shape *s, double *additions)
{
    double tile = (double)BLELLOCH_ITEMS * s->threads;

    return over_levels(s, (size_t)tile, 2 * (tile - 1), 2 * levels(tile), additions);
}

double scan_depth_hillis(const struct shape *s)
{
    double additions;

    return hillis(s, &additions);
}

double scan_flops_hillis(const struct shape *s)
{
    double additions;

    hillis(s, &additions);
    return additions;
}

double scan_depth_blelloch(const struct shape *s)
{
    double additions;

    return blelloch(s, &additions);
}

double scan_flops_blelloch(const struct shape *s)
{
    double additions;

    blelloch(s, &additions);
    return additions;
}

double scan_depth_blelloch_inclusive(const struct shape *s)
{
    return scan_depth_blelloch(s) + 1;
}

double scan_flops_blelloch_inclusive(const struct shape *s)
{
    return scan_flops_blelloch(s) + (double)s->n;
}

static double lookback_tiles(const struct shape *s)
{
    return (double)scan_tiles_of(s->n, (size_t)s->threads * LOOKBACK_ITEMS);
}

static double lookback_tile_depth(const struct shape *s)
{
    return 3 + 5 + LOOKBACK_ITEMS / 4 + 1 + s->threads / 32 + 1 + 1;
}

double scan_depth_chain(const struct shape *s)
{
    return lookback_tile_depth(s) + lookback_tiles(s);
}

double scan_depth_tree(const struct shape *s)
{
    return lookback_tile_depth(s) + 6 * levels(lookback_tiles(s)) + 5;
}

/* A thread: 3 in each quad, 5 rounds between lanes (all but the first 1, 2, 4, 8, 16 add), 4 to add
 * what stands before it, 4 for the prefix, the carries; then the warps' sums, by every thread. */
double scan_flops_lookback(const struct shape *s)
{
    double quads = LOOKBACK_ITEMS / 4, threads = s->threads, warps = threads / 32;
    double a_warp = quads * (3 * 32 + (5 * 32 - 31) + 31 + 4 * 32 + 4 * 32 + 32);

    return lookback_tiles(s) * (warps * a_warp + threads * (warps + 1));
}
