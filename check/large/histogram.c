/*
 * Histograms: elements of one bin at the beginning and of another at the end, in the shares of
 * sampled blocks. How many zeros these blocks count does not matter.
 */
#include <stdio.h>

#include "families/histogram/histogram_range.h"
#include "large.h"

#define EACH 1000
#define BINS 10
#define FIRST 3 /* bins */
#define LAST 8

void large_run(const struct variant *v, struct found *found)
{
    struct work w = {.n = LARGE,
                     .piece = (size_t)1 << 31,
                     .blocks = 1 << 14,
                     .threads = 256,
                     .shared_memory = 48 * 1024};
    const struct range range = {.ints = {0, BINS}};
    int *x = large_array(LARGE * sizeof(*x));
    unsigned long long first, last;

    w.bins = bins_of(&range, &type_i32, BINS);
    w.x = x;
    w.partial = large_array((size_t)w.blocks * (BINS + 1) * sizeof(*w.partial));
    w.counts = large_array((BINS + 1) * sizeof(*w.counts));
    for (size_t i = 0; i < EACH; i++) {
        x[i] = FIRST;
        x[LARGE - 1 - i] = LAST;
    }
    v->launch(&w);
    large_wait(v);
    first = w.counts[FIRST];
    last = w.counts[LAST];
    if (first != EACH || last != EACH)
        snprintf(found->text, sizeof(found->text), "bins %d and %d have %llu and %llu, not %d",
                 FIRST, LAST, first, last, EACH);
    large_free(x);
    large_free(w.partial);
    large_free(w.counts);
}
