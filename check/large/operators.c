/*
 * Reductions by other operators: a few ones at the beginning, threes at the end and one -5 among
 * them, in the slices of sampled blocks; z is 2 in each of these places. What the blocks that are
 * not run leave is 0: with it a product is 0, too, and so is *and*.
 */
#include <stdio.h>
#include <string.h>

#include "families/operators/operators_verdict.h"
#include "large.h"

#define EACH 1000
#define LEAST (-5)

/* What an operator must give, of a pair the place. */
static long long wanted(enum operator_kind kind)
{
    long long sum = EACH + 3 * (EACH - 1) + LEAST;

    switch (kind) {
    case SUM:
        return sum;
    case SQUARES:
        return EACH + 9 * (EACH - 1) + LEAST * LEAST;
    case DOT:
        return 2 * sum;
    case MINIMUM:
        return LEAST;
    case MAXIMUM:
        return 3;
    case EQUALS:
        return EACH - 1;
    case ARGMAX:
        return LARGE - EACH;
    default:
        return kind == LOGICAL_OR;
    }
}

static long long told(const union operators_result *r, enum operator_kind kind)
{
    return kind == EQUALS   ? (long long)r->count
           : kind == ARGMAX ? (long long)r->greatest.at
                            : r->element.i32;
}

/* With this element at the end. */
static void run(const struct variant *v, struct work *w, int32_t last, long long result,
                struct found *found)
{
    enum operator_kind kind = v->rules / FAMILY_RULE;

    ((int32_t *)w->x)[LARGE - 1] = last;
    memset(w->result, 0xa5, OPERATORS_MOST_BYTES);
    v->launch(w);
    large_wait(v);
    if (told(w->result, kind) != result)
        snprintf(found->text, sizeof(found->text), "the result is %lld, not %lld",
                 told(w->result, kind), result);
}

void large_run(const struct variant *v, struct found *found)
{
    struct work w = {.n = LARGE, .blocks = 1 << 14, .threads = 256, .target = {.i32 = 3}};
    enum operator_kind kind = v->rules / FAMILY_RULE;
    int32_t *x = large_array(LARGE * sizeof(*x)), *z = large_array(LARGE * sizeof(*z));

    if (!v->type) { /* the ints have them all but mean */
        w.x = x;
        w.z = z;
        w.partial = large_array((size_t)w.blocks * OPERATORS_MOST_BYTES);
        w.result = large_array(OPERATORS_MOST_BYTES);
        for (size_t i = 0; i < EACH; i++) {
            x[i] = 1;
            x[LARGE - 1 - i] = i == 1 ? LEAST : 3;
            z[i] = z[LARGE - 1 - i] = 2;
        }
        run(v, &w, 3, wanted(kind), found);
        if (kind == ARGMAX)
            run(v, &w, 4, LARGE - 1, found);
        large_free(w.partial);
        large_free(w.result);
    }
    large_free(x);
    large_free(z);
}
