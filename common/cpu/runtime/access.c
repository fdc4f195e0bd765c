/*
 * An access to memory, on its way to the tools: which memory it is in, whether it may be done, and
 * whose turn it is.
 *
 * With a tool on that keeps something of one lane until the others have caught up, the lanes of a
 * warp take turns after SLICE accesses each, so that it stays small. In the natural order lanes keep
 * within two turns of each other. In a random order one may be far ahead, and has to wait: not for
 * ever, since another may not be able to go on before it does.
 */
#include "cpu/abi.h"
#include "cpu/engine/memory.h"
#include "cpu/engine/thread.h"
#include "cpu/runtime/access.h"

enum {
    SLICE = 32,   /* accesses of a thread between turns */
    TURNS = 4096, /* that it lets others have, at most, when it is ahead */
};

static enum space space_of(const struct thread *t, uintptr_t address)
{
    if (address - (uintptr_t)t->block->shared < SHARED_BYTES)
        return SPACE_SHARED;
    if (memory_is_device(address))
        return SPACE_GLOBAL;
    if (fiber_holds(t->fiber, address))
        return SPACE_LOCAL;
    if (memory_is_program(address)) /* __device__ and __constant__ variables */
        return SPACE_GLOBAL;
    return SPACE_OTHER;
}

bool cpu_is_global(const void *p)
{
    return space_of(cpu_thread(), (uintptr_t)p) == SPACE_GLOBAL;
}

bool cpu_is_shared(const void *p)
{
    return space_of(cpu_thread(), (uintptr_t)p) == SPACE_SHARED;
}

bool cpu_is_local(const void *p)
{
    return space_of(cpu_thread(), (uintptr_t)p) == SPACE_LOCAL;
}

void access_tell(struct thread *t, uintptr_t address, unsigned bytes, unsigned flags,
                 uintptr_t site)
{
    struct access a = {t, address, site, bytes, flags, space_of(t, address)};
    bool turn = t->slice % SLICE == 0, waits = false;

    if (__builtin_expect(t->only_bytes, 0)) {
        if (!(flags & ACCESS_WRITE) && address - t->read_only < t->only_bytes)
            a.flags |= ACCESS_READ_ONLY;
        else
            t->only_bytes = 0;
    }
    for (const struct observer *o = cpu_observers; o; o = o->next) {
        waits |= o->is_ahead != NULL;
        if (__builtin_expect(turn && o->is_ahead, 0))
            for (unsigned i = 0; i < TURNS && o->is_ahead(t); i++)
                cpu_give_way(t);
        if (!o->access(&a))
            cpu_kill(t);
    }
    if (++t->slice % SLICE == 0 && (waits || cpu_random_order))
        cpu_give_way(t);
}
