/*
 * Launch shapes, bytes, and how long the chains of additions are.
 *
 * A pair is added to another as a sum is, or takes its place: no chain is longer than in a scan of
 * the same form. A tile of t elements takes ceil(lg t) rounds; where tiles are scanned, then their
 * pairs, then added, each level has a round more, for adding. With look-back, an element meets 3
 * additions in its quad, 5 between the lanes, 1 to what stands before its row, 1 for each of 4
 * rows, 5 between the warps, 1 for prefix + warps before, 1 in the last addition. Between tiles,
 * one hop over m tiles adds at most m times: a tile in the way costs 1; more at a time cost min(5,
 * ceil(lg m)) in a warp, 1 per window beyond the first and 1 for prefix + sum, which is no more
 * than m.
 */
#include "families/segmented/segmented.h"
#include "harness/kit/device.h"
#include "harness/kit/number.h"

void segmented_shape_lookback(struct shape *s)
{
    device_default_shape(s, LOOKBACK_ITEMS);
}

double segmented_depth_hillis(const struct shape *s)
{
    double rounds = levels(s->threads), depth = rounds;
    size_t tile = (size_t)s->threads;

    for (size_t n = s->n; n > tile && tile > 1; depth += rounds + 1)
        n = segmented_tiles_of(n, tile);
    return depth;
}

double segmented_depth_lookback(const struct shape *s)
{
    double tiles = (double)segmented_tiles_of(s->n, (size_t)s->threads * LOOKBACK_ITEMS);

    return 3 + 5 + 1 + LOOKBACK_ITEMS / 4. + 5 + 1 + 1 + tiles;
}

double segmented_bytes(const struct shape *s)
{
    return (double)s->n * (2. * (double)s->type->bytes + 1);
}

double segmented_bytes_of_bits(const struct shape *s)
{
    return (double)s->n * (2. * (double)s->type->bytes + 1 / 8.);
}
