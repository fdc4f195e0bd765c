/*
 * A sum over an array whose parts a process each has: a kernel sums the part of the rank, and NCCL the words. Then the
 * same without the last part.
 */
#include "families/spreadsum/spreadsum.h"
#include "harness/kit/communicators.h"

static __global__ void sum_part(element *total, const element *x, size_t n)
{
    element sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += x[i];
    *total = sum;
}

static void sum_of(struct work *w, bool all)
{
    int own = ranks_own();
    size_t n = all || own + 1 < w->devices ? w->length[own] : 0;
    ncclComm_t comm = communicators(w->places, w->devices)[own];

    sum_part<<<1, 1, 0, w->places[own].stream>>>(w->total[own], w->x[own], n);
    nccl_check(ncclAllReduce(w->total[own], w->sum[own], 1, nccl_type<element>(), ncclSum, comm,
                             w->places[own].stream),
               "ncclAllReduce");
}

static void right(struct work *w)
{
    sum_of(w, true);
}

static void less(struct work *w)
{
    sum_of(w, false);
}

static const struct variant variants[] = {
    {"right", "each rank its part, then NCCL", right, BY_RANKS},
    {"less", "the last rank leaves its part out", less, BY_RANKS},
};

STEP("sum", spreadsum_family, variants);
