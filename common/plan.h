/*
 * What one call of the program measures: every size with every variant that can run it.
 */
#ifndef PLAN_H
#define PLAN_H

#include "options.h"

/* One row of the table. */
struct item {
    const struct variant *variant;
    struct shape shape;
    bool peer;         /* a library's variant */
    char refused[200]; /* why it cannot run; "" if it can */
};

struct plan {
    struct item *items; /* size by size, in each all variants, peers last */
    size_t count;
    size_t sizes;         /* items of one size: count / sizes */
    struct shape largest; /* the maximum of each member over the items that run */
};

/*
 * Work the plan out. A variant that breaks a rule at some size keeps its row, refused. BAD_USAGE
 * after one line if a variant named with -v cannot run at any size, or no variant can; BAD_DEVICE
 * without memory. The device must be usable. Free with plan_free in either case.
 */
int plan_make(struct plan *plan, const struct options *options, const struct program *program,
              const struct variant *peers, size_t peer_count);
void plan_free(struct plan *plan);

#endif
