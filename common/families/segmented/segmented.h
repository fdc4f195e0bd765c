/*
 * The segmented family: y[i] = x[h] + ... + x[i], where h is the last head up to i: the sums of
 * many arrays of any lengths that lie one behind the other. Flags say where each begins.
 */
#ifndef SEGMENTED_H
#define SEGMENTED_H

#include "harness/kit/element.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Rules of this family's variants, beside enum rule. */
enum segmented_rule {
    KEYS = FAMILY_RULE, /* it reads the segments' numbers, not the flags */
};

/* What a launch function gets. All pointers are device memory. The two forms of the flags say the
 * same, start at an aligned address, and hold flags to the end of their last 128 bits; those from
 * element n on mean nothing. */
struct work {
    element *y;                 /* n elements, the result; poisoned before each run */
    const element *x;           /* n elements */
    const unsigned char *flags; /* element i is a head: byte i is 1, else 0; byte 0 is 1 */
    const unsigned *bits;       /* the same: bit i % 32 of word i / 32 */
    const int *keys;            /* with KEYS, the same: heads up to element i; else NULL */
    element *sums;             /* room for one sum per tile, one for each so many sums again, and so
                                   on down to 1, if a tile has as many elements as the block has
                                   threads, and at least 2 */
    unsigned char *heads;      /* room for as many flags */
    unsigned *open;            /* and as many counts */
    unsigned long long *words; /* room for one word per tile and one more; tiles as above */
    size_t n;                  /* elements, 0 and up */
    int blocks;                /* grid size, at least 1 */
    int threads;               /* threads per block, 1 to 1024 */
};

/* How many tiles n elements make. */
static inline size_t segmented_tiles_of(size_t n, size_t tile)
{
    return n / tile + (n % tile != 0);
}

/* The grid for so many tiles: the launch's blocks, but none that would have nothing to do. */
static inline int segmented_grid(const struct work *w, size_t tiles)
{
    return tiles == 0 ? 1 : tiles < (size_t)w->blocks ? (int)tiles : w->blocks;
}

#define LOOKBACK_ITEMS 16 /* elements that a thread of the variants with look-back takes */

/* Default shape of these: at most a block per tile, and at most a device full of blocks. */
void segmented_shape_lookback(struct shape *);

/*
 * The longest chain of additions that any element passes through on its way into any sum, if a
 * single segment covers all: the parallel steps of the algorithm, and the depth of the error bound.
 */
double segmented_depth_hillis(const struct shape *);
double segmented_depth_lookback(const struct shape *);

/* Useful bytes of one run: x and y, and a flag per element, as a byte or as a bit. */
double segmented_bytes(const struct shape *);
double segmented_bytes_of_bits(const struct shape *);

#ifdef __cplusplus
}
#endif
#endif
