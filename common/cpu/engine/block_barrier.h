/* The barriers of a block and of a cooperative grid. See block_barrier.c. */
#ifndef CPU_ENGINE_BLOCK_BARRIER_H
#define CPU_ENGINE_BLOCK_BARRIER_H

#include "cpu/engine/state.h"

/* The running thread arrives, and returns when all have. The votes that the predicates gave are
 * then in its block. */
void barrier_wait(struct thread *t, bool predicate, uintptr_t site);
void grid_wait(struct thread *t, uintptr_t site); /* of a cooperative launch */

/* A thread has ended, for which alone the others may have waited. */
void barrier_thread_ended(struct block *b);

/* By the worker between threads: the block has come to the grid barrier, if all its threads wait
 * there; may it go on? */
void grid_announce(struct block *b);
bool grid_passed(struct block *b);

#endif
