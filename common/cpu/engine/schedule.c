/*
 * Which thread of a block runs, and when it lets another one run.
 *
 * Threads run in their natural order, each until it waits or ends, so results do not depend on the
 * number of workers unless atomics between blocks order them. A thread that polls gives way; so
 * does, between accesses that are observed, one that is ahead of its warp.
 *
 * Invariants: the running thread is `ready`, and its fiber is the one that executes; a thread gets
 * a fiber when it is first switched to. Whoever calls cpu_switch has said before where the thread
 * that leaves can be found again: it is ready, or in the set of what it waits for, or has ended.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cpu/engine/observer.h"
#include "cpu/engine/schedule.h"

enum {
    SPIN_POLLS = 2,  /* equal polls in a row at one place are a spin */
    MANY_POLLS = 64, /* or so many polls of any kind */
    STEPS = 64,      /* times that where lanes go in step: one that spins is no longer with them */
};

bool cpu_random_order;
bool cpu_steady;
void (*cpu_driver)(struct worker *w, struct launch *l);
bool (*cpu_waits_for_lanes)(const struct thread *t, uintptr_t site);
uint64_t cpu_random_seed;
__thread struct worker *cpu_worker;
_Thread_local struct cpu_place cpu_place;

static struct fiber *idle_fiber(struct worker *w)
{
    struct fiber *f;

    if (w->idle_fibers)
        f = w->idle_list[--w->idle_fibers];
    else
        f = fiber_create(w->fiber_main);
    if (!f) {
        fprintf(stderr, "CPU device: out of memory for the stacks of %u threads\n",
                w->launch->threads);
        exit(3);
    }
    return f;
}

void cpu_keep_fiber(struct worker *w, struct fiber *f)
{
    if (w->idle_fibers == w->idle_room) {
        w->idle_room = w->idle_room ? 2 * w->idle_room : 64;
        w->idle_list = realloc(w->idle_list, w->idle_room * sizeof(*w->idle_list));
        if (!w->idle_list)
            abort();
    }
    w->idle_list[w->idle_fibers++] = f;
}

static struct cpu_dim index_of(unsigned id, const struct cpu_dim *d)
{
    return (struct cpu_dim){id % d->x, id / d->x % d->y, id / d->x / d->y};
}

void cpu_clear_thread(struct block *b, unsigned id)
{
    struct thread *t = &b->thread[id];
    const struct cpu_dim *d = &b->launch->dim;
    size_t bytes = sizeof(*t);

    /* Whoever knows how many bytes these are sets them by `rep stos`, which takes twice as long. */
    __asm__("" : "+r"(bytes));
    memset(t, 0, bytes);
    t->index = id && set_has(b->begun, id - 1) ? cpu_next_index(t[-1].index, d) : index_of(id, d);
    t->id = id;
    t->wait = RUNNING;
    t->block = b;
    set_remove(b->used, id);
}

void cpu_begin_thread(struct block *b, unsigned id, struct fiber *f)
{
    struct worker *w = b->worker;

    w->asked = cpu_observers || cpu_driver || cpu_random_order || cpu_waits_for_lanes;
    if (w->asked || set_has(b->used, id))
        cpu_clear_thread(b, id);
    if (w->asked)
        cpu_note_thread(b, id);
    w->thread = &b->thread[id];
    w->thread->fiber = f;
    cpu_place.thread = w->thread->index;
}

/* The thread that ran stays where it can be found, if it has asked for anything. */
static void leave(struct worker *w)
{
    cpu_settle(w);
    if (w->thread && w->asked)
        cpu_note_thread(w->thread->block, w->thread->id);
}

void cpu_switch(struct block *b, unsigned id, struct fiber *from)
{
    struct worker *w = b->worker;
    struct thread *t = &b->thread[id];

    leave(w);
    if (!set_has(b->begun, id)) {
        cpu_begin_thread(b, id, idle_fiber(w));
    } else {
        w->asked = true;
        w->thread = t;
        cpu_place.thread = t->index;
    }
    fiber_expect(t[1].fiber); /* mostly the next: its stack comes while this one runs */
    fiber_switch(from, t->fiber);
}

void cpu_switch_home(struct worker *w, struct fiber *from)
{
    leave(w);
    w->thread = NULL;
    fiber_switch(from, w->home);
}

void cpu_leave(struct thread *t)
{
    struct block *b = t->block;
    struct fiber *f = t->fiber;
    int next = cpu_pick(b, t->id + 1);

    if (next == (int)t->id)
        return;
    if (next >= 0)
        cpu_switch(b, (unsigned)next, f);
    else
        cpu_switch_home(b->worker, f);
}

void cpu_wait(struct thread *t, enum wait why)
{
    t->wait = why;
    set_remove(t->block->ready, t->id);
    cpu_leave(t);
    t->wait = RUNNING;
}

/* To another lane of the warp that may go on, so that the lanes go on together. */
void cpu_give_way(struct thread *t)
{
    struct block *b = t->block;
    unsigned next;

    if (cpu_random_order && cpu_random(&b->worker->random) % 4 == 0) {
        cpu_leave(t); /* stays ready */
        return;
    }
    next = (unsigned)cpu_next_lane(b, t->id);
    if (next != t->id)
        cpu_switch(b, next, t->fiber);
}

void cpu_first_lane(struct thread *t)
{
    struct block *b = t->block;
    unsigned warp = t->id / WARP;

    if (cpu_driver)
        return;
    unsigned first = warp * WARP + (unsigned)__builtin_ctz(set_of_warp(b->ready, warp));

    if (first != t->id)
        cpu_switch(b, first, t->fiber);
}

void cpu_spin(struct thread *t, uintptr_t site)
{
    t->site = site;
    if (cpu_driver)
        return;
    set_add(t->block->spinning, t->id);
    cpu_wait(t, SPINNING);
}

static unsigned patience(const struct thread *t)
{
    uint32_t others = set_of_warp(t->block->ready, t->id / WARP) & ~(1u << t->id % WARP);

    return &cpu_lanes_meet && others ? STEPS : 1;
}

void cpu_poll(struct thread *t, uintptr_t site, uint64_t value)
{
    if (cpu_driver)
        return;
    if (t->spin_site != site || t->spin_value != value) {
        t->spin_site = site;
        t->spin_value = value;
        t->equal_polls = 0;
    } else if (++t->equal_polls >= SPIN_POLLS * patience(t)) {
        atomic_store_explicit(&t->block->launch->polled, true, memory_order_relaxed);
        cpu_spin(t, site);
        return;
    }
    if (++t->polls % (MANY_POLLS * patience(t)) == 0) /* a loop over several flags */
        cpu_spin(t, site);
}
