/*
 * The compact family: y is what of x is kept, in its order, and count how many elements that is.
 * x[i] is kept if x[i] <= limit, so a NaN never is. --keep sets the limit so that so many percent
 * of the input `random` are kept; of another input it may be any share.
 */
#ifndef COMPACT_H
#define COMPACT_H

#include "harness/kit/element.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Rules of this family's variants, beside enum rule. */
enum compact_rule {
    FLAGGED = FAMILY_RULE,        /* reads the flags in place of the predicate */
    ADDRESSES = FAMILY_RULE << 1, /* uses marks and places */
};

/* The largest element that is kept: one member for each element type. */
struct limit {
    float f32;
    int32_t i32;
};

/* What a launch function gets. All pointers are device memory. What is not input holds anything
 * when a run begins. */
struct work {
    element *y;                 /* room for n elements, the result; poisoned before each run */
    const element *x;           /* n elements; y itself for a variant marked IN_PLACE */
    const unsigned char *flags; /* n of them: 1 where x is kept, else 0 */
    unsigned long long *count;  /* the other result: how many elements are kept */
    unsigned char *marks;       /* with ADDRESSES: room for n flags, */
    unsigned *places;           /* and for n addresses inside of a tile */
    unsigned long long *sums;  /* room for one sum per tile, one for each so many sums again, and so
                                    on down to 1, if a tile has as many elements as the block has
                                    threads, and at least 2 */
    unsigned long long *words; /* room for one word per tile and one more; tiles as above */
    struct limit limit;
    size_t n;    /* elements, 0 and up */
    int blocks;  /* grid size, at least 1 */
    int threads; /* threads per block, 1 to 1024 */
};

/* How many tiles n elements make. No elements make one, which is empty: its block sets the count.
 */
static inline size_t compact_tiles_of(size_t n, size_t tile)
{
    return n == 0 ? 1 : n / tile + (n % tile != 0);
}

/* The grid for so many tiles: the launch's blocks, but none that would have nothing to do. */
static inline int compact_grid(const struct work *w, size_t tiles)
{
    return tiles < (size_t)w->blocks ? (int)tiles : w->blocks;
}

/* How much of a tile's number a word has. SMALL_LIMITS: so little that a launch of ten thousands of
 * elements has more tiles than that counts. */
#ifdef SMALL_LIMITS
#define TAG_BITS 3
#else
#define TAG_BITS 16
#endif

#define LOOKBACK_ITEMS 8 /* elements a thread of compact-lookback takes */

/* Default shape: at most a block per tile, and at most a device full of blocks. */
void compact_shape_lookback(struct shape *);

/* Useful bytes of a run of a variant marked FLAGGED. */
double compact_bytes_flagged(const struct shape *);

#ifdef __cplusplus
}

/* The predicate. */
static __host__ __device__ inline bool keeps(element x, element limit)
{
    return x <= limit;
}

/* The limit, for the element type that the caller is compiled for. */
static inline element limit_of(const struct work *w)
{
    return w->limit.ELEMENT_TYPE;
}
#endif
#endif
