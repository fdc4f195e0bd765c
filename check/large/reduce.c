/*
 * Reductions: a few ones at the beginning and threes at the end, in the slices of sampled blocks.
 */
#include <stdio.h>
#include <string.h>

#include "families/reduce/reduce.h"
#include "large.h"

#define EACH 1000

/* A float or an int, as the step has them. */
union value {
    float f32;
    int i32;
};

static int rounded(union value x, bool real)
{
    return real ? (int)x.f32 : x.i32;
}

void large_run(const struct variant *v, struct found *found)
{
    struct work w = {.n = LARGE, .blocks = 1 << 14, .threads = 256};
    bool real = large_step->type == &type_f32;
    union value *x = large_array(LARGE * sizeof(*x));
    union value one = {.i32 = 1}, three = {.i32 = 3};
    int sum;

    if (real) {
        one.f32 = 1;
        three.f32 = 3;
    }
    w.x = x;
    w.partial = large_array((size_t)w.blocks * (size_t)w.threads * sizeof(*x));
    w.sum = large_array(sizeof(*x));
    memset(w.sum, 0xa5, sizeof(*x));
    for (size_t i = 0; i < EACH; i++) {
        x[i] = one;
        x[LARGE - 1 - i] = three;
    }
    v->launch(&w);
    large_wait(v);
    sum = rounded(*(union value *)w.sum, real);
    if (sum != 4 * EACH)
        snprintf(found->text, sizeof(found->text), "the sum is %d, not %d", sum, 4 * EACH);
    large_free(w.x);
    large_free(w.partial);
    large_free(w.sum);
}
