/*
 * Waiting for an object in memory, such as a cuda::barrier in shared memory: a thread sleeps at its
 * address until another thread of the block wakes those that do. See object.c.
 */
#ifndef CPU_ENGINE_OBJECT_H
#define CPU_ENGINE_OBJECT_H

#include "cpu/engine/state.h"

/*
 * The word of a barrier object: how many arrivals its phase still awaits (bits 0 to 19), how many a
 * phase awaits (20 to 39), how many bytes this one does (40 to 60, with a sign), and the number of
 * the phase, modulo 4 (61 and 62).
 */
enum {
    OBJECT_COUNT_BITS = 20,
    OBJECT_COUNT_MAX = (1 << OBJECT_COUNT_BITS) - 1,
    OBJECT_BYTES_BITS = 21,
    OBJECT_BYTES_SHIFT = 2 * OBJECT_COUNT_BITS,
    OBJECT_PHASE_SHIFT = OBJECT_BYTES_SHIFT + OBJECT_BYTES_BITS
};

static inline uint32_t object_pending(uint64_t word)
{
    return (uint32_t)(word & OBJECT_COUNT_MAX);
}

static inline int64_t object_bytes(uint64_t word)
{
    return (int64_t)(word << (64 - OBJECT_PHASE_SHIFT)) >> (64 - OBJECT_BYTES_BITS);
}

static inline unsigned object_parity(uint64_t word) /* of the phase that is under way */
{
    return (unsigned)(word >> OBJECT_PHASE_SHIFT & 1);
}

void object_sleep(struct thread *t, uintptr_t object, uintptr_t site);
void object_wake(struct block *b, uintptr_t object);

/*
 * A team is 2, 4, 8, 16 or 32 warps of the block, from a multiple of that: a tile of more than 32
 * threads. The running thread arrives, and returns when all threads of its team have that have not
 * ended.
 */
void team_wait(struct thread *t, unsigned warps, uintptr_t site);

/*
 * The running thread arrives at the block's barrier of this number, whose phase ends when so many
 * threads have, and with `waits` returns when it has. A warp counts as 32, though the block may
 * have fewer of it. 0 threads, only with `waits`: all that have not ended. Returns NULL, or what is
 * wrong.
 */
const char *named_barrier(struct thread *t, unsigned number, unsigned threads, bool waits,
                          uintptr_t site);

/* A thread has ended, for which alone the others of its teams, or at a barrier with a number, may
 * have waited. */
void team_thread_ended(struct thread *t);

#endif
