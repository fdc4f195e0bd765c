/*
 * What one call of the program measures: every size with every variant that can run it.
 */
#ifndef PLAN_H
#define PLAN_H

#include "harness/run/options.h"

/* One row of the table. */
struct item {
    const struct variant *variant;
    struct shape shape;
    enum role role;
    bool library;          /* it is a peer's */
    char refused[200];     /* why it cannot run; "" if it can */
    bool extended;         /* for an estimate: in its place smaller sizes are counted, */
    const char *uncounted; /* unless they cannot be, for this reason */
};

struct plan {
    struct item *items; /* size by size, in each all variants, peers last */
    size_t count;
    size_t sizes;         /* items of one size: count / sizes */
    struct shape largest; /* the maximum of each member over the items that run */
    int devices;          /* of the item that works on most */
};

/*
 * Work the plan out. A variant that breaks a rule at some size keeps its row, refused. BAD_USAGE
 * after one line if a variant named with -v cannot run at any size, or none that is meant to be
 * right can, but in a batch; BAD_DEVICE without memory. The device must be usable. Free with plan_free in either
 * case.
 */
int plan_make(struct plan *plan, const struct options *options, const struct program *program);
void plan_free(struct plan *plan);

/* On how many devices a run of this shape works. */
int plan_devices(const struct family *family, const struct shape *);

#define MOST_COUNTED                                                                               \
    ((size_t)1 << 22) /* elements, for an estimate; more take the CPU device too long */
#define LESS_COUNTED ((size_t)1 << 20) /* tried before, in place of larger sizes */
#define FEW_COUNTED ((size_t)1 << 24)  /* of a few blocks of a grid */
#define COUNTED_SIZES 3
/* Multiply-adds of a product of matrices: the few tiles that stand for more of them take about as long. */
#define MOST_MULTIPLIED ((size_t)1 << 25)
#define COUNTED_PRODUCTS 6 /* of a product of matrices: so many tiles of M, N and K */
#define MOST_PARTS COUNTED_PRODUCTS
extern const int plan_tiles[COUNTED_PRODUCTS][3];

/* How many sizes are counted in place of a larger one. */
int plan_parts(const struct family *family);

/* The at-th, from 0, of the sizes that are counted in place of the item's, in rising order, the last one of at
 * most so many elements. If the grid is free it shrinks with the size, so that each block has as much to do;
 * else the first axis does. Of a product of matrices all three do. */
void plan_counted(struct shape *s, const struct item *item, const struct family *family, int at,
                  size_t most);

#endif
