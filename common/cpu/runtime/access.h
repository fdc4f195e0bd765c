/* An access to memory: may it be done, and the tools' part in it. See access.c. */
#ifndef CPU_RUNTIME_ACCESS_H
#define CPU_RUNTIME_ACCESS_H

#include "cpu/engine/memory.h"
#include "cpu/engine/observer.h"
#include "cpu/engine/schedule.h"

/* The place in the code that called the function in which this stands. */
#define HERE ((uintptr_t)__builtin_return_address(0))

/* With no tool on: does not return unless a kernel may touch the address. */
void access_judge(struct thread *t, uintptr_t address, unsigned bytes, unsigned flags,
                  uintptr_t site);

/* The launch fails, because the address is no multiple of the bytes: does not return. */
void access_misaligned(struct thread *t, uintptr_t address, unsigned bytes, unsigned flags,
                       uintptr_t site);

/* By the host, of memory that kernels may touch. Ends the program if it is the device's own. */
void access_by_host(uintptr_t address, unsigned bytes, unsigned flags, uintptr_t site);

void access_notify(struct thread *t, uintptr_t address, unsigned bytes, unsigned flags,
                   uintptr_t site);

/* A round of a loop ends, in device code or in the host's. */
void access_round(uintptr_t site);
void access_branch(uintptr_t site, unsigned taken); /* the condition of an if is this */

/* What an atomic access is besides, where that was said before it: of block scope; and of what may
 * be a count, whether it is one. */
static inline unsigned access_scope(struct thread *t, unsigned flags)
{
    bool block = t->block_scope, all = t->system_scope, takes = !t->takes_nothing;

    t->block_scope = t->system_scope = t->takes_nothing = false;
    if (takes)
        flags &= ~(unsigned)(ACCESS_COUNT | ACCESS_SUM);
    return flags | (block ? ACCESS_BLOCK_SCOPE : 0) | (all ? ACCESS_SYSTEM_SCOPE : 0) |
           (takes ? 0 : ACCESS_QUIET);
}

/* The thread is about to do this access: is it allowed, and tell the tools. Others may run before
 * it returns; it does not return when the access must not be done. flags: enum access_flag. */
static inline void access_observe(struct thread *t, const void *address, unsigned bytes,
                                  unsigned flags, uintptr_t site)
{
    if (cpu_observers)
        access_notify(t, (uintptr_t)address, bytes, flags, site);
    else if ((uintptr_t)address - cpu_worker->open_from >= cpu_worker->open_bytes)
        access_judge(t, (uintptr_t)address, bytes, flags, site);
}

/* What was called before leaves no trace on the stack, by which a tool that decides the order knows
 * a thread's state. */
void access_clear_stack(void);

/* In a random order an atomic comes late now and then, so that those of other blocks come between
 * it and what the thread has read before. */
void access_come_late(struct thread *t, uintptr_t site);

static inline void access_late(struct thread *t, uintptr_t site)
{
    if (__builtin_expect(cpu_random_order, 0))
        access_come_late(t, site);
}

#endif
