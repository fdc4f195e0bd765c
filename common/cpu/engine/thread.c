/*
 * The life of a GPU thread: it runs the kernel's body on a fiber, and ends.
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
        end_thread(t);
        t->fiber = NULL;
        next = cpu_pick(b, t->id + 1);
        if (next >= 0 && !set_has(b->begun, (unsigned)next)) {
            cpu_settle(w);
            cpu_begin_thread(b, (unsigned)next);
            w->thread = &b->thread[next];
            w->thread->fiber = self;
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
