/*
 * attention-balanced: tiles of two sizes
 *
 * Idea      A multiprocessor has one tile of queries after the other, and in the last round some have none. Some tiles
 *           are smaller, as many as make the rounds full, so that all multiprocessors end at about the same time.
 * Since     attention-wgmma, whose tiles are all of one size.
 * Expect    The time of the queries of the multiprocessor that has the most: 512 instead of 576 with 16 heads of 4096
 *           queries of 64 elements, on 132 multiprocessors. See docs/attention-balanced.md.
 * Source    Shah et al., "FlashAttention-3", 2024, for the tiles.
 */
#include "families/attention/turns.h"

#include "harness/kit/device.h"
#include "harness/kit/tma.h"

/*
 * The multiprocessors have a large tile each, then the next one, and in the last round not all have
 * one. With so many rounds of tiles, there may be more of them, so that some are small: as few
 * large ones as leave no query out. A causal head's tiles are not alike anyway.
 */
template <int DIM> static struct split balanced(const struct work &w)
{
    const struct device *device = device_in_use();
    size_t at_once = device ? device->multiprocessors : 1, small = queries<DIM> - OWN;
    struct split split = all_large<DIM>(w);
    size_t rounds = (w.heads * split.large + at_once - 1) / at_once, tiles;

    if (w.causal || small == OWN || w.heads == 0)
        return split;
    tiles = rounds * at_once / w.heads; /* of a head */
    if (tiles * small >= w.length)
        return {0, (unsigned)((w.length + small - 1) / small)};
    split.large = (unsigned)((w.length - tiles * small + OWN - 1) / OWN);
    split.small = (unsigned)tiles - split.large;
    return split;
}

static void launch(struct work *w)
{
    w->dim == 64 ? start<64, in_turn>(w, balanced<64>(*w))
                 : start<128, in_turn>(w, balanced<128>(*w));
}

static const struct variant variants[] = {
    {"balanced", "tiles of two sizes keep all multiprocessors busy", launch,
     ROUNDED | THREADS_BY_SIZE, depth, .default_shape = shape, .only = "64 128", .refuse = refuse},
};

/* Of the heads of 400 each has a large tile and two small ones, where there are 16 multiprocessors. */
static const struct launches launches[] = {
    {MUTATED,
     {"-n 193 --length 193 --causal 1", "-n 177 --length 177 --dim 128",
      "-n 2000 --length 400 --input exact", "-n 127 --length 127 --type f16"}},
    {CHECKED, {"-n 2000 --length 400"}},
    {TESTED, {"-n 2400 --length 300"}},
    {0},
};

STEP("attention-balanced", hattention_family, variants, launches);
