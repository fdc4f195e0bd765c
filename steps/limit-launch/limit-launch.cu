/*
 * limit-launch: what it costs to start something
 *
 * Idea      Kernels that do nothing: one launch, launches in a row, and one launch of many blocks.
 * Since     The other limits are of kernels that run; this is what they pay before they begin.
 * Expect    The first launch between two events costs more than each further one, which waits in the
 *           queue behind it; a block costs a share of what its multiprocessor needs to start it.
 * Source    Ours: a floor for every small problem of the series.
 */
#include "families/limits/limits.h"

/* Does nothing but in the launch that verifies, in which each thread counts itself. */
static __global__ void nothing(unsigned long long *count)
{
    if (count)
        atomicAdd(count, 1ull);
}

static void queue(struct work *w)
{
    for (size_t i = 0; i < w->n; i++)
        nothing<<<w->blocks, w->threads>>>(w->counts ? (unsigned long long *)w->y : NULL);
}

static void starts(struct work *w)
{
    if (w->n > 0)
        nothing<<<(unsigned)w->n, w->threads>>>(w->counts ? (unsigned long long *)w->y : NULL);
}

static const struct variant variants[] = {
    {"queue", "n launches of one block", queue},
    {"blocks", "one launch of n blocks", starts},
};

STEP("limit-launch", limit_launch_family, variants);
