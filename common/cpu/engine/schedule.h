/*
 * Which thread runs: the order, and the switch from one to the next. See schedule.c.
 * All of it is called by the worker that the thread or block belongs to, inside a launch.
 */
#ifndef CPU_ENGINE_SCHEDULE_H
#define CPU_ENGINE_SCHEDULE_H

#include "cpu/engine/fiber.h"
#include "cpu/engine/operation_counts.h"
#include "cpu/engine/state.h"

/* Set while no kernel runs. */
extern bool cpu_random_order;
extern uint64_t cpu_random_seed;
extern bool cpu_steady; /* the same steps in every run: one worker, and a clock that they move */

/* Set while one worker runs a launch in an order that a tool decides: this is done in place of the
 * rounds over its blocks, every thread that waits goes back to it, and none gives way of itself. */
extern void (*cpu_driver)(struct worker *w, struct launch *l);

/* Set where a tool has the lanes of a warp go together: before each access, at that place in the
 * code, must other lanes run first? What the tools are told of is then done at once, and a warp
 * goes on for as long as one of its lanes can. */
extern bool (*cpu_waits_for_lanes)(const struct thread *t, uintptr_t site);

/* Is there only in a program in which lanes of a warp meet: translate/meets.c, in_step.c. */
extern char cpu_lanes_meet __attribute__((weak));

/* The worker of this OS thread; NULL for a thread that never ran a launch. */
extern __thread struct worker *cpu_worker;

/* Where the GPU thread is that runs now. */
extern _Thread_local struct cpu_place cpu_place;

/* As cpu/assemble/hooks.c has it. */
_Static_assert(sizeof(struct cpu_dim) == 12 && offsetof(struct cpu_place, thread) == 0 &&
                   offsetof(struct cpu_place, block) == 12 &&
                   offsetof(struct cpu_place, block_dim) == 24 &&
                   offsetof(struct cpu_place, grid_dim) == 36,
               "the assembler's stand-in reads these by their places");

/* The GPU thread that runs now, for what it has asked for; NULL outside a kernel. */
static inline struct thread *cpu_thread(void)
{
    if (!cpu_worker)
        return NULL;
    cpu_worker->asked = true;
    return cpu_worker->thread;
}

/* SplitMix64 (Steele, Lea and Flood, 2014). */
static inline uint64_t cpu_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

/* The first member at or after start, cyclically; -1 if there is none. */
static inline int set_next(const thread_set s, unsigned start, unsigned threads)
{
    unsigned words = (threads + 63) / 64, w = start / 64;
    uint64_t rest;

    if (start >= threads)
        w = start = 0;
    rest = s[w] & (~(uint64_t)0 << start % 64);
    for (unsigned i = 0; i <= words; i++) {
        if (rest)
            return (int)(w * 64 + __builtin_ctzll(rest));
        if (++w == words)
            w = 0;
        rest = s[w];
    }
    return -1;
}

/* The next lane of the thread's warp that is ready, cyclically; there is one. */
static inline int cpu_next_lane(const struct block *b, unsigned id)
{
    uint32_t lanes = set_of_warp(b->ready, id / WARP);
    uint32_t after = id % WARP == WARP - 1 ? 0 : lanes & (~0u << (id % WARP + 1));

    return (int)(id / WARP * WARP) + __builtin_ctz(after ? after : lanes);
}

/* The thread to go on with: the next ready one, or any in a random order; -1: none is ready. */
static inline int cpu_pick(struct block *b, unsigned start)
{
    if (cpu_driver)
        return -1; /* it picks */
    if (__builtin_expect(cpu_waits_for_lanes != NULL, 0) && start &&
        set_of_warp(b->ready, (start - 1) / WARP))
        return cpu_next_lane(b, start - 1);
    if (cpu_random_order)
        start = (unsigned)(cpu_random(&b->worker->random) % b->threads);
    return set_next(b->ready, start, b->threads);
}

void cpu_clear_thread(struct block *b, unsigned id); /* what one before it has left there */

/* It runs next, on that fiber: whoever calls this goes there. */
void cpu_begin_thread(struct block *b, unsigned id, struct fiber *f);
void cpu_keep_fiber(struct worker *w, struct fiber *f); /* no thread uses it any more */

/* What the worker has executed since another thread ran is the running thread's: before it stops
 * running. */
static inline void cpu_settle(struct worker *w)
{
    uint64_t now = cpu_operations[OPERATION_INSTRUCTIONS];

    if (w->thread)
        w->thread->instructions += now - w->settled;
    w->settled = now;
}

/* A thread has begun that others are to find. */
static inline void cpu_note_thread(struct block *b, unsigned id)
{
    if (set_has(b->begun, id))
        return;
    set_add(b->begun, id);
    set_add(b->used, id);
}

/* Without a division, which would cost as much as all else of a short thread. */
static inline struct cpu_dim cpu_next_index(struct cpu_dim i, const struct cpu_dim *d)
{
    if (++i.x == d->x) {
        i.x = 0;
        if (++i.y == d->y) {
            i.y = 0;
            i.z++;
        }
    }
    return i;
}

/* Save the state of `from`, and let thread `id` of the block go on, or the worker itself. */
void cpu_switch(struct block *b, unsigned id, struct fiber *from);
void cpu_switch_home(struct worker *w, struct fiber *from);

/* Let other threads run; returns when it is this one's turn again. */
void cpu_leave(struct thread *t);                /* another one if any is ready */
void cpu_wait(struct thread *t, enum wait why);  /* until something makes it ready */
void cpu_give_way(struct thread *t);             /* to the next lane of its warp, once */
void cpu_first_lane(struct thread *t);           /* to the first ready lane of its warp */
void cpu_spin(struct thread *t, uintptr_t site); /* until all others have had their turn */
void cpu_poll(struct thread *t, uintptr_t site, uint64_t value); /* gives way if it spins */

/* The value to hand to cpu_poll for a read: equal words at different addresses are no spin. */
static inline uint64_t cpu_polled(const void *address, uint64_t value)
{
    return value ^ (uintptr_t)address * 0x9e3779b97f4a7c15;
}

/* Something changed that others may poll for. */
static inline void cpu_progress(void)
{
    atomic_uint_fast64_t *own = &cpu_worker->progress; /* nobody else writes it */

    atomic_store_explicit(own, atomic_load_explicit(own, memory_order_relaxed) + 1,
                          memory_order_relaxed);
}

#endif
