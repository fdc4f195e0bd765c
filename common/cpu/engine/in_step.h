/* Lanes of a warp that go together where programs count on it. See in_step.c. */
#ifndef CPU_ENGINE_IN_STEP_H
#define CPU_ENGINE_IN_STEP_H

#include "cpu/engine/state.h"

/* The running thread is about to do what the lanes of its warp do together: returns when it is its
 * turn. at.line 0: it is found out. */
void in_step(struct thread *t, struct meeting at);

/* As cpu_give_way, and the lanes that wait here do not wait for this one meanwhile. */
void in_step_give_way(struct thread *t);

/* The running thread does a fence, or a warp operation alone: one that waits for another lane by
 * these must let it go on. */
static inline void in_step_fence(struct thread *t)
{
    enum { MANY = 64 };

    if (__builtin_expect(warp_of(t)->arrived, 0) && ++t->fences % MANY == 0)
        in_step_give_way(t);
}

#endif
