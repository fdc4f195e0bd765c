/*
 * Waiting for an object in memory, such as a cuda::barrier in shared memory: a thread sleeps at its
 * address until another thread of the block wakes those that do. See object.c.
 */
#ifndef CPU_ENGINE_OBJECT_H
#define CPU_ENGINE_OBJECT_H

#include "cpu/engine/state.h"

void object_sleep(struct thread *t, uintptr_t object, uintptr_t site);
void object_wake(struct block *b, uintptr_t object);

/*
 * A team is 2, 4, 8, 16 or 32 warps of the block, from a multiple of that: a tile of more than 32
 * threads. The running thread arrives, and returns when all threads of its team have that have not
 * ended.
 */
void team_wait(struct thread *t, unsigned warps, uintptr_t site);

/* A thread has ended, for which alone the others of its teams may have waited. */
void team_thread_ended(struct thread *t);

#endif
