/*
 * What the runtime observes, passed on to the tools that are on. With counters or checks on, the
 * lanes of a warp take turns after a number of accesses, so that what is kept of one lane until
 * the others have caught up stays small.
 */
#include <stdlib.h>
#include <string.h>
#include "tools.h"

enum { SLICE = 32 }; /* accesses between turns */

void cpu_device_set_tools(unsigned tools)
{
    cpu_tools = tools & CPU_LINES ? tools | CPU_COUNTERS : tools;
}

int cpu_device_set_schedule(const char *spec)
{
    char *end;

    cpu_random_order = false;
    if (!spec || !*spec)
        return 0;
    if (strncmp(spec, "random:", 7) || spec[7] < '0' || spec[7] > '9')
        return -1;
    cpu_random_seed = strtoull(spec + 7, &end, 10);
    if (*end)
        return -1;
    cpu_random_order = true;
    return 0;
}

void observe_access(struct thread *t, uintptr_t address, unsigned bytes, unsigned flags,
                    uintptr_t site)
{
    struct access a = {t, address, site, bytes, flags, space_of(t, address)};

    if (cpu_tools & CPU_CHECK && !check_access(&a))
        cpu_kill(t);
    if (cpu_tools & (CPU_COUNTERS | CPU_TRACE))
        counters_access(&a);
    if (++t->slice % SLICE == 0)
        cpu_give_way(t);
}

#define COUNTING (cpu_tools & (CPU_COUNTERS | CPU_TRACE))
#define CHECKING (cpu_tools & CPU_CHECK)

void observe_barrier(struct block *b)
{
    if (COUNTING)
        counters_barrier(b);
    if (CHECKING)
        check_barrier(b);
}

void observe_warp(struct thread *t, uint32_t mask, uintptr_t site)
{
    if (CHECKING)
        check_warp(t, mask, site);
}

void observe_warp_done(struct block *b, struct warp *w, uint32_t mask)
{
    if (COUNTING)
        counters_warp_done(b, w, mask);
    if (CHECKING)
        check_warp_done(b, w, mask);
}

void observe_grid_barrier(struct launch *l)
{
    if (CHECKING)
        check_grid_barrier(l);
}

void observe_fence(struct thread *t, int scope)
{
    if (CHECKING)
        check_fence(t, scope);
}

void observe_thread_end(struct thread *t)
{
    if (COUNTING)
        counters_thread_end(t);
    if (CHECKING)
        check_thread_end(t);
}

void observe_block_begin(struct block *b)
{
    if (COUNTING)
        counters_block_begin(b);
    if (CHECKING)
        check_block_begin(b);
}

void observe_block_end(struct block *b)
{
    if (COUNTING)
        counters_block_end(b);
    if (CHECKING)
        check_block_end(b);
}

void observe_launch_begin(struct launch *l)
{
    if (COUNTING)
        counters_launch_begin(l);
    if (CHECKING)
        check_launch_begin(l);
}

void observe_launch_end(struct launch *l)
{
    if (COUNTING)
        counters_launch_end(l);
    if (CHECKING)
        check_launch_end(l);
}

void observe_stuck(struct block *b)
{
    if (CHECKING)
        check_stuck(b);
}

void observe_host_write(uintptr_t address, size_t bytes)
{
    if (CHECKING)
        check_host_write(address, bytes);
}

void observe_malloc(struct allocation *a)
{
    if (CHECKING)
        check_malloc(a);
}

void observe_free(struct allocation *a)
{
    if (CHECKING)
        check_free(a);
}
