/*
 * What one call of the program measures: every size with every variant that can run it.
 */
#ifndef PLAN_H
#define PLAN_H

#include "harness/run/options.h"

struct listener;

/* One row of the table. */
struct item {
    const struct variant *variant;
    struct shape shape;
    enum role role;
    bool library;      /* it is a peer's */
    char refused[200]; /* why it cannot run; "" if it can */
};

struct plan {
    struct item *items; /* size by size, in each all variants, peers last */
    size_t count;
    size_t sizes;         /* items of one size: count / sizes */
    struct shape largest; /* the maximum of each member over what is measured */
    int devices;          /* of the item that works on most */
};

/*
 * Work the plan out. A variant that breaks a rule at some size keeps its row, refused. BAD_USAGE
 * after one line if a variant named with -v cannot run at any size, or none that is meant to be
 * right can, but in a batch; BAD_DEVICE without memory. The device must be usable. Of the listener
 * (NULL: none) what it puts in an item's place is looked at. Free with plan_free in either case.
 */
int plan_make(struct plan *plan, const struct options *options, const struct program *program,
              const struct listener *listener);
void plan_free(struct plan *plan);

/* On how many devices a run of this shape works. */
int plan_devices(const struct family *family, const struct shape *);

/* Make each member of *largest at least as large, and take the type. */
void shape_enlarge(struct shape *largest, const struct shape *);

#endif
