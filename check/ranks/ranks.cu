/*
 * NCCL's all-reduce with a process per device, and what can go wrong in one of them alone: in rank 1.
 */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "families/allreduce/allreduce.h"
#include "harness/kit/communicators.h"

static void right(struct work *w)
{
    int own = ranks_own();

    nccl_check(ncclAllReduce(w->in[own], w->out[own], w->n, nccl_type<element>(), ncclSum,
                             communicators(w->places, w->devices)[own], w->places[own].stream),
               "ncclAllReduce");
}

static __global__ void spoil(element *last)
{
    *last += 1;
}

static void spoiled(struct work *w)
{
    right(w);
    if (ranks_own() == 1)
        spoil<<<1, 1, 0, w->places[1].stream>>>(w->out[1] + w->n - 1);
}

/* In the midst of the runs; a death of this kind runs no handler. */
static void killed(struct work *w)
{
    static int launches;

    if (ranks_own() == 1 && ++launches == 5)
        raise(SIGKILL);
    right(w);
}

static void left(struct work *w)
{
    static int launches;

    if (ranks_own() == 1 && ++launches == 5)
        _exit(0);
    right(w);
}

/* It says so itself. */
static void refused(struct work *w)
{
    static int launches;

    if (ranks_own() == 1 && ++launches == 5)
        nccl_check(ncclAllReduce(w->in[1], w->out[1], w->n, ncclNumTypes, ncclSum,
                                 communicators(w->places, w->devices)[1], w->places[1].stream),
                   "ncclAllReduce");
    right(w);
}

static void elsewhere(struct work *w)
{
    (void)w;
}

static const struct variant variants[] = {
    {"right", "NCCL's all-reduce", right, BY_RANKS},
    {"spoiled", "rank 1 spoils its own output", spoiled, BY_RANKS},
    {"killed", "rank 1 is killed", killed, BY_RANKS},
    {"left", "rank 1 ends without a word", left, BY_RANKS},
    {"refused", "a call of rank 1 fails", refused, BY_RANKS},
    {"elsewhere", "no variant for several processes", elsewhere},
};

STEP("ranks", allreduce_family, variants);
