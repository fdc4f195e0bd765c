/* Faults in which elements are read: too few, too many, twice. One thread adds, so that nothing
 * else can be wrong. */
#include "families/reduce/reduce.h"

__global__ void sum_range(element *out, const element *x, size_t first, size_t end)
{
    element sum = 0;

    for (size_t i = first; i < end; i++)
        sum += x[i];
    *out = sum;
}

__global__ void sum_skipping(element *out, const element *x, size_t n, size_t skipped, int times)
{
    element sum = 0;

    for (size_t i = 0; i < n; i++)
        for (int k = 0; k < (i == skipped ? times : 1); k++)
            sum += x[i];
    *out = sum;
}

static void right(struct work *w)
{
    sum_range<<<1, 1>>>(w->sum, w->x, 0, w->n);
}

static void dropped_tail(struct work *w)
{
    sum_range<<<1, 1>>>(w->sum, w->x, 0, w->n / w->threads * w->threads);
}

static void off_by_one_end(struct work *w)
{
    sum_range<<<1, 1>>>(w->sum, w->x, 0, w->n - 1);
}

static void off_by_one_start(struct work *w)
{
    sum_range<<<1, 1>>>(w->sum, w->x, 1, w->n);
}

static void one_skipped(struct work *w)
{
    sum_skipping<<<1, 1>>>(w->sum, w->x, w->n, w->n / 2, 0);
}

static void double_count(struct work *w)
{
    sum_skipping<<<1, 1>>>(w->sum, w->x, w->n, w->n / 2, 2);
}

static const struct variant variants[] = {
    {"right", "every element once", right, 0},
    {"dropped-tail", "what does not fill a block is left out", dropped_tail, 0},
    {"off-by-one-end", "the last element is left out", off_by_one_end, 0},
    {"off-by-one-start", "the first element is left out", off_by_one_start, 0},
    {"one-skipped", "an element in the middle is left out", one_skipped, 0},
    {"double-count", "an element in the middle counts twice", double_count, 0},
};

STEP("coverage", reduce_family, variants);
