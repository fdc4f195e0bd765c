/*
 * Which problems are counted for an estimate in the place of one that takes the CPU device too
 * long: smaller ones, by whose counters estimate.c and estimate_product.c say the large one's.
 */
#ifndef ESTIMATE_SHAPES_H
#define ESTIMATE_SHAPES_H

#include "harness/run/plan.h"

#define COUNTED_SIZES 3 /* problems whose counters lie on a line */
#define COUNTED_PRODUCTS                                                                           \
    6 /* of a product of matrices: so many tiles along rows, columns and depth */
extern const int estimate_tiles[COUNTED_PRODUCTS][3];

/* Elements of a counted problem, at most; more take the CPU device too long. SMALL is tried first,
 * then twice as many each time: most of these problems were counted before. */
#define MAX_COUNTED ((size_t)1 << 22)
#define MAX_COUNTED_SMALL ((size_t)1 << 20)

/* Whether the family's problem is a product of matrices. */
bool estimate_is_product(const struct family *);

/* How many problems are counted in place of a large one. */
int estimate_count_of(const struct family *);

/* Whether others are counted in the item's place. */
bool estimate_is_large(const struct item *, const struct family *);

/* Why there are none that could be; NULL: there are. */
const char *estimate_uncountable(const struct item *, const struct family *);

/* The one of this index, from 0, in rising order; the last has about as many elements as max. If
 * the grid is free it shrinks with the size, so that each block has as much to do; else the first
 * axis does. Of a product of matrices all three do, and max is not looked at. */
struct shape estimate_shape(const struct item *, const struct family *, int index, size_t max);

#endif
