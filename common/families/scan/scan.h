/*
 * The scan family: y[i] = x[0] + ... + x[i] (inclusive), or up to x[i - 1] (exclusive, y[0] = 0).
 */
#ifndef SCAN_H
#define SCAN_H

#include "harness/kit/element.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Rules of this family's variants, beside enum rule. */
enum scan_rule {
    EXCLUSIVE = FAMILY_RULE, /* the result is the exclusive scan */
};

/* What a launch function gets. All pointers are device memory. */
struct work {
    element *y;                /* n elements, the result; poisoned before each run */
    const element *x;          /* n elements; y itself for a variant marked IN_PLACE */
    element *sums;             /* room for one sum per tile, one for each so many sums again, and so
                                  on down to 1, if a tile has as many elements as the block has
                                  threads, and at least 2 */
    unsigned long long *words; /* room for one word per tile and one more; tiles as above */
    size_t n;                  /* elements, 0 and up */
    int blocks;                /* grid size, at least 1 */
    int threads;               /* threads per block, 1 to 1024 */
};

/* How many tiles n elements make. */
static inline size_t scan_tiles_of(size_t n, size_t tile)
{
    return n / tile + (n % tile != 0);
}

/* The grid for so many tiles: the launch's blocks, but none that would have nothing to do. */
static inline int scan_grid(const struct work *w, size_t tiles)
{
    return tiles == 0 ? 1 : tiles < (size_t)w->blocks ? (int)tiles : w->blocks;
}

#define BLELLOCH_ITEMS 2  /* elements a thread of scan-blelloch takes */
#define LOOKBACK_ITEMS 16 /* and of scan-lookback */

/* Default shapes: at most a block per tile, and at most a device full of blocks. */
void scan_shape_hillis_block(struct shape *); /* one block: the threads that n needs, 256 at most */
void scan_shape_blelloch_block(struct shape *);
void scan_shape_blelloch(struct shape *);
void scan_shape_lookback(struct shape *);

/*
 * The longest chain of additions that any element passes through on its way into any prefix: the
 * parallel steps of the algorithm, and the depth of the error bound.
 */
double scan_depth_hillis(const struct shape *);
double scan_depth_blelloch(const struct shape *);
double scan_depth_blelloch_inclusive(const struct shape *);
double scan_depth_chain(const struct shape *); /* scan-lookback: tiles one after the other, or by
                                                  look-back, whose longest chain is the same */
double scan_depth_tree(const struct shape *);  /* scan-lookback: tiles in a binary indexed tree */

/* The additions that one run does, those on the zeros that fill the last tile up included. */
double scan_flops_hillis(const struct shape *);
double scan_flops_blelloch(const struct shape *);
double scan_flops_blelloch_inclusive(const struct shape *);
double scan_flops_lookback(const struct shape *); /* without those that find a tile's prefix: these
                                                     are at most 64 additions a warp, one in 512
                                                     elements, and depend on the timing */

#ifdef __cplusplus
}
#endif
#endif
