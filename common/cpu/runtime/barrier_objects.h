/* What copies need of barrier objects. See barrier_objects.c. */
#ifndef CPU_RUNTIME_BARRIER_OBJECTS_H
#define CPU_RUNTIME_BARRIER_OBJECTS_H

#include "cpu/engine/state.h"

/* The copies in bulk to the block's shared memory that the object waits for arrive, and it counts
 * their bytes. */
void object_copies_arrive(struct thread *t, struct block *b, uint64_t *object);

#endif
