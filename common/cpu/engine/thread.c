/*
 * The life of a GPU thread: it runs the kernel's body on a fiber, and ends.
 *
 * Most threads ask the device for nothing but where they are. Nobody hears of such a one: it has
 * not `begun`, and leaves its struct thread as it found it, but for what tools alone read. So the
 * next one there, which no tool sees either, need not clear it.
 *
 * A fiber never ends. When its thread has ended it takes the next thread of the block that has not
 * begun; if none is to go on with but one that waits on a fiber of its own, it is kept idle, still
 * inside thread_main, and resumed there with another thread. So thread_main must find everything
 * anew through cpu_worker after each switch.
 */
#include <stdlib.h>
#include "cpu/engine/block_barrier.h"
#include "cpu/engine/cluster.h"
#include "cpu/engine/failure.h"
#include "cpu/engine/object.h"
#include "cpu/engine/observer.h"
#include "cpu/engine/operation_counts.h"
#include "cpu/engine/schedule.h"
#include "cpu/engine/thread.h"
#include "cpu/engine/warp.h"

static void end_thread(struct thread *t)
{
    struct block *b = t->block;

    OBSERVE(thread_end, t);
    t->wait = ENDED;
    cpu_note_thread(b, t->id);
    set_remove(b->ready, t->id);
    b->alive--;
    warp_of(t)->ended |= 1u << t->id % WARP;
    if (warp_of(t)->pending)
        warp_thread_ended(t);
    if (b->at_object)
        team_thread_ended(t);
    if (b->cluster)
        cluster_thread_ended(t);
    barrier_thread_ended(b);
}

/* Instructions that nvcc puts around each kernel, and the assembler's stand-in does not see: LDC R1
 * (the stack), ULDC.64 (what every access needs) and EXIT. With them the threads of add_checked of
 * the step add execute 29 by the rule; in nvcc 13's code they are 27, because there its product of
 * 64 bits is one of numbers of 32. */
enum { AROUND_A_KERNEL = 3 };

/* A thread has come to its end that has asked for nothing, and so may those of its warp behind it
 * that have yet to begin. Returns the last one that ran; if that has asked for something it has yet
 * to end. As long as none asks, nobody else changes what is kept here from one to the next. */
static __attribute__((noinline)) struct thread *run_quickly(struct worker *w, struct thread *t)
{
    struct block *b = t->block;
    const struct launch *l = b->launch;
    const struct cpu_dim dim = l->dim;
    struct cpu_dim index = cpu_place.thread;
    struct warp *warp = warp_of(t);
    struct fiber *self = t->fiber;
    unsigned number = t->id / WARP;
    uint32_t lane = 1u << t->id % WARP, ended = warp->ended, used = set_of_warp(b->used, number);
    uint32_t fresh = set_of_warp(b->ready, number) & ~set_of_warp(b->begun, number);
    uint64_t ready = b->ready[number / 2];
    unsigned alive = b->alive;

    if (warp->pending || b->at_object || b->cluster) { /* which may wait for it */
        w->asked = true;
        return t;
    }
    for (;;) {
        b->ready[number / 2] = ready &= ~((uint64_t)lane << number % 2 * WARP);
        b->alive = --alive;
        warp->ended = ended |= lane;
        lane <<= 1;
        if (!(fresh & lane))
            break;
        t++;
        if (used & lane)
            cpu_clear_thread(b, (unsigned)(t - b->thread));
        w->thread = t;
        t->fiber = self;
        cpu_place.thread = index = cpu_next_index(index, &dim);
        l->body(l->arguments);
        if (w->asked)
            return t;
    }
    barrier_thread_ended(b);
    return t;
}

/* Runs threads, one after the other, for as long as none has to wait for another. */
static void run_threads(struct fiber *self)
{
    struct worker *w = cpu_worker;

    for (;;) {
        struct thread *t = w->thread;
        struct block *b = t->block;
        int next;

        cpu_operations[OPERATION_INSTRUCTIONS] += AROUND_A_KERNEL;
        b->launch->body(b->launch->arguments);
        if (!w->asked)
            t = run_quickly(w, t);
        if (w->asked) {
            end_thread(t);
            t->fiber = NULL;
        }
        next = cpu_pick(b, t->id + 1);
        if (next >= 0 && !set_has(b->begun, (unsigned)next)) {
            cpu_settle(w);
            cpu_begin_thread(b, (unsigned)next, self);
            continue;
        }
        if (!fiber_intact(self))
            cpu_fail(cudaErrorLaunchFailure, "a thread's stack overflowed: its local arrays are "
                                             "too large for the CPU device");
        cpu_keep_fiber(w, self);
        if (next >= 0)
            cpu_switch(b, (unsigned)next, self);
        else
            cpu_switch_home(w, self);
    }
}

void thread_main(void)
{
    run_threads(cpu_worker->thread->fiber);
}

/* Its fiber goes back to the start of its loop. */
void cpu_kill(struct thread *t)
{
    struct worker *w = cpu_worker;
    struct block *b = t->block;
    struct fiber *f = t->fiber;
    int next;

    t->killed = true;
    end_thread(t);
    t->fiber = NULL;
    fiber_restart(f, thread_main); /* never resumed where it is */
    next = cpu_pick(b, t->id + 1);
    cpu_keep_fiber(w, f);
    /* The saved state must not be that of this call: switch away through a scratch fiber. */
    w->scratch = w->scratch ? w->scratch : fiber_of_caller();
    if (next >= 0)
        cpu_switch(b, (unsigned)next, w->scratch);
    else
        cpu_switch_home(w, w->scratch);
    abort();
}
