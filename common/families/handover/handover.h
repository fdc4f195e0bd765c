/*
 * The handover family: words that devices hand to one another, n times in one launch: round a ring,
 * or each to all in a barrier. What was stored before a flag must be there behind it.
 *
 * The same kernels are timed, and verified: then before_meeting and after_meeting store values to
 * the other devices' memory, and look whether they have come.
 */
#ifndef HANDOVER_H
#define HANDOVER_H

#include "harness/kit/device_barrier.h"
#include "harness/kit/element.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A kernel's argument. */
struct task {
    struct device_barrier barrier;
    unsigned passed; /* rounds of all launches before, modulo 2^32: words only grow */
    unsigned rounds; /* of this one */
    bool checks;     /* it is verified, and not timed */
    long long delay; /* cycles by which a device is late in each round that is checked */
    /* Of each device, in its memory: two halves in turn of a value per block and device, and how
     * many were wrong. */
    unsigned *slots[MAX_SPREAD];
    unsigned *errors[MAX_SPREAD];
};

/* What a launch function gets: it queues the work of all devices, in the stream of each place. */
struct work {
    struct task task;    /* of which each kernel gets a copy with its rank */
    int blocks, threads; /* of each device's grid */
    const struct device_stream *places;
};

#ifdef __cplusplus
}

static __device__ inline unsigned slot_value(unsigned turn, int device)
{
    return turn * 2654435761u + (unsigned)device * 40503u + blockIdx.x;
}

static __device__ inline unsigned *slot_of(const struct task *t, int owner, unsigned turn, int from)
{
    return t->slots[owner] + (turn % 2 * gridDim.x + blockIdx.x) * MAX_SPREAD + from;
}

/* To be called by one thread: store this round's value to the memory of a device, with plain
 * stores; one device of each round does so late. */
static __device__ inline void store_slot(const struct task *t, unsigned turn, int owner)
{
    long long begun = clock64();

    while ((int)(turn % (unsigned)t->barrier.devices) == t->barrier.rank &&
           clock64() - begun < t->delay)
        ;
    *slot_of(t, owner, turn, t->barrier.rank) = slot_value(turn, t->barrier.rank);
}

/* And behind the flag, by any thread: what another device has stored, by plain loads. */
static __device__ inline void load_slot(const struct task *t, unsigned turn, int from)
{
    if (*slot_of(t, t->barrier.rank, turn, from) != slot_value(turn, from))
        atomicAdd(t->errors[t->barrier.rank], 1u);
}

/* Around a barrier: each block stores to the same block of every device, and looks at what came. */
static __device__ inline void before_meeting(const struct task *t, unsigned turn)
{
    for (int d = 0; t->checks && threadIdx.x == 0 && d < t->barrier.devices; d++)
        store_slot(t, turn, d);
}

static __device__ inline void after_meeting(const struct task *t, unsigned turn)
{
    if (t->checks && (int)threadIdx.x < t->barrier.devices)
        load_slot(t, turn, (int)threadIdx.x);
}
#endif
#endif
