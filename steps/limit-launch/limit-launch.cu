/*
 * limit-launch: what it costs to start something
 *
 * Idea      Kernels that do nothing: one launch, launches in a row as the host makes them, launches that
 *           are all in the queue when the first begins, and one launch of many blocks.
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

/* Keeps the device busy while the host fills the queue behind it. */
static __global__ void hold(long long cycles)
{
    for (long long begun = clock64(); clock64() - begun < cycles;)
        ;
}

static void queue(struct work *w)
{
    for (size_t i = 0; i < w->n; i++)
        nothing<<<w->blocks, w->threads>>>(w->counts ? (unsigned long long *)w->y : NULL);
}

/* The launch that holds the queue comes before the first event, so it is not timed. */
static void held(struct work *w)
{
    if (w->hold)
        hold<<<1, 1>>>(w->hold);
    else
        queue(w);
}

static void starts(struct work *w)
{
    if (w->n > 0)
        nothing<<<(unsigned)w->n, w->threads>>>(w->counts ? (unsigned long long *)w->y : NULL);
}

static const struct variant variants[] = {
    {"queue", "n launches of one block, from an idle device", queue, FROM_IDLE},
    {"held", "the same, all of them in the queue before the first begins", held, HELD},
    {"blocks", "one launch of n blocks", starts},
};

static const struct launches launches[] = {
    {LADDER | RECORD | GPU_ONLY,
     {"-v queue -v held -n 1 -r 101 -w 10", "-v queue -v held -n 512 -r 31",
      "-v blocks -n 2^20 -r 15", "-v blocks -n 2^20 -r 15 -t 1024"}},
    {SWEEP | RECORD | GPU_ONLY,
     {"-v queue -v held --sweep 0:9 -r 15 -w 3", "-v blocks --sweep 0:20 -r 5 -w 2 -t 32",
      "-v blocks --sweep 0:20 -r 5 -w 2", "-v blocks --sweep 0:20 -r 5 -w 2 -t 1024"}},
    {0},
};

STEP("limit-launch", limit_launch_family, variants, launches);
