/* Asynchronous copies into shared memory, which arrive late. See async_copies.c. */
#ifndef CPU_ENGINE_ASYNC_COPIES_H
#define CPU_ENGINE_ASYNC_COPIES_H

#include "cpu/engine/state.h"

struct copy {
    struct copy *next; /* of the same thread, younger */
    void *to;
    const void *from;
    unsigned bytes, zeros; /* bytes in all; the last `zeros` of them are set to 0 */
    uintptr_t site;        /* the call that began it */
    uintptr_t object;      /* the barrier object that waits for it, or 0 */
    uint64_t group;        /* of the thread's commits: how many came before it */
};

/* The running thread begins a copy. The caller has told the tools of the accesses. */
void async_copy_begin(struct thread *t, const struct copy *c);
void async_copy_commit(struct thread *t); /* what it began since its last commit is one group */

/* The running thread's copies arrive: all but those of the youngest `prior` groups, and of those
 * that it has not committed. */
void async_copy_wait(struct thread *t, uint64_t prior);

/* The barrier object waits for all that the thread has begun and that no object waits for. */
void async_copy_bind(struct thread *t, uintptr_t object);
void async_copy_arrive(struct block *b, uintptr_t object); /* what the object waits for arrives */

void async_copy_forget(struct block *b); /* it ends: what nobody has waited for never arrives */

#endif
