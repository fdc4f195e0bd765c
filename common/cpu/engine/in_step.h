/* Lanes of a warp that go together where programs count on it. See in_step.c. */
#ifndef CPU_ENGINE_IN_STEP_H
#define CPU_ENGINE_IN_STEP_H

#include "cpu/engine/state.h"

/* The running thread is about to print this text or format, or, NULL, to access a volatile word, at
 * this place in the code, which the lanes of its warp do together: returns when it is its turn. */
void in_step(struct thread *t, uintptr_t site, const void *prints);

/* Do all other lanes of its warp that may go on wait for it there? Then none gains by its giving
 * way. */
static inline bool in_step_awaited(const struct thread *t)
{
    const struct block *b = t->block;
    unsigned warp = t->id / WARP;
    uint32_t others = set_of_warp(b->ready, warp) & ~(1u << t->id % WARP);

    return others && !(others & ~b->warp[warp].arrived);
}

#endif
