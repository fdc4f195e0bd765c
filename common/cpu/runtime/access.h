/* An access to memory, on its way to the tools. See access.c. */
#ifndef CPU_RUNTIME_ACCESS_H
#define CPU_RUNTIME_ACCESS_H

#include "cpu/engine/observer.h"
#include "cpu/engine/schedule.h"

void access_tell(struct thread *t, uintptr_t address, unsigned bytes, unsigned flags,
                 uintptr_t site);

/* What an atomic access is besides: of block scope, where that was said before it. */
static inline unsigned access_scope(struct thread *t)
{
    bool block = t->block_scope;

    t->block_scope = false;
    return block ? ACCESS_BLOCK_SCOPE : 0;
}

/* The thread is about to do this access: tell the tools, if any is on. Other threads may run before
 * it returns; it does not return when the access must not be done. flags: enum access_flag. */
static inline void access_observe(struct thread *t, const void *address, unsigned bytes,
                                  unsigned flags, uintptr_t site)
{
    if (cpu_observers)
        access_tell(t, (uintptr_t)address, bytes, flags, site);
}

#endif
