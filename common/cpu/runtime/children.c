/*
 * Dynamic parallelism: launches by kernels. A thread only notes them. They run when all threads
 * of the parent wait or have ended, in the order in which they were noted, each to its end with
 * its own children, before the next; those in the stream cudaStreamTailLaunch behind all others
 * of the same parent. That is one of the orders that CUDA allows: a parent that does not wait may
 * not count on any. cudaDeviceSynchronize in a kernel waits for what the block has launched, as
 * up to CUDA 11.
 *
 * Such a parent pauses like a kernel that others run beside (engine/grid_launch.h).
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "cpu/engine/failure.h"
#include "cpu/engine/grid_launch.h"
#include "cpu/engine/schedule.h"
#include "cpu/engine/thread.h"
#include "cpu/runtime/children.h"
#include "cpu/runtime/errors.h"

enum { MOST_DEPTH = 24, STILL_TURNS = 1000 }; /* depth: as CUDA has it */

struct child {
    struct child *next;
    uint64_t block; /* of the parent */
    bool tail, begun;
    _Atomic bool ended;
    struct launch launch;
    struct cpu_kernel_call call; /* with arguments of its own */
};

void (*children_number)(struct launch *l);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the lists, to which workers add */
static int depth;

extern char cpu_launches_inside __attribute__((weak)); /* by the translator */

bool children_possible(void)
{
    return &cpu_launches_inside;
}

/* In a kernel new takes memory of the device, which is the host's copy no place for. */
static void *keep(const struct cpu_kernel_call *call)
{
    struct thread *t = cpu_worker->thread;
    void *kept;

    cpu_worker->thread = NULL;
    kept = call->keep(call->arguments);
    cpu_worker->thread = t;
    return kept;
}

cudaError_t children_add(struct thread *t, const struct launch *l,
                         const struct cpu_kernel_call *call, cudaStream_t stream)
{
    struct launch *parent = t->block->launch;
    struct child *c = calloc(1, sizeof(*c)), **end;

    if (!c)
        return cudaErrorMemoryAllocation;
    memcpy(&c->launch, l, sizeof(*l));
    c->block = t->block->number;
    c->tail = stream == cudaStreamTailLaunch;
    c->call = *call;
    c->call.arguments = keep(call);
    c->launch.body = call->body;
    c->launch.arguments = c->call.arguments;
    c->launch.parameter = NULL; /* their names are gone by then */
    c->launch.parameters = 0;
    pthread_mutex_lock(&lock);
    for (end = &parent->children; *end; end = &(*end)->next)
        ;
    *end = c;
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

static bool block_waits(const struct block *b)
{
    bool waits = false;

    pthread_mutex_lock(&lock);
    for (const struct child *c = b->launch->children; c && !waits; c = c->next)
        waits = c->block == b->number && !c->tail && !c->ended;
    pthread_mutex_unlock(&lock);
    return waits;
}

cudaError_t children_wait(struct thread *t)
{
    while (block_waits(t->block))
        cpu_spin(t, (uintptr_t)__builtin_return_address(0));
    return cudaSuccess;
}

/* The first that has not begun; NULL: there is none. */
static struct child *next_of(struct launch *parent, bool tail)
{
    struct child *c;

    pthread_mutex_lock(&lock);
    for (c = parent->children; c && (c->begun || c->tail != tail); c = c->next)
        ;
    if (c)
        c->begun = true;
    pthread_mutex_unlock(&lock);
    return c;
}

/* Those that have not begun, and those that they add; false: there was none. */
static bool run_all(struct launch *parent, bool tail)
{
    struct child *c;
    bool any = false;

    while (!cpu_failure() && (c = next_of(parent, tail))) {
        any = true;
        children_number(&c->launch);
        (void)children_run(&c->launch); /* a failure is kept */
        c->call.drop(c->call.arguments);
        c->ended = true;
    }
    return any;
}

static void forget(struct launch *l)
{
    for (struct child *c = l->children, *next; c; c = next) {
        next = c->next;
        if (!c->begun)
            c->call.drop(c->call.arguments);
        free(c);
    }
    l->children = NULL;
}

static void run_until_ended(struct launch *l)
{
    uint64_t turn = 1;

    while (!launch_go_on(l)) {
        cpu_worker = NULL;
        l->share = 0; /* it waits: its place on the device is free */
        if (run_all(l, false))
            turn = 1;
        else if (launches_loop(turn) || turn++ > STILL_TURNS)
            launches_fail();
    }
    cpu_worker = NULL;
}

cudaError_t children_run(struct launch *l)
{
    cudaError_t error = launch_prepare(l);

    if (error)
        return error;
    if (depth >= MOST_DEPTH)
        cpu_fail(cudaErrorLaunchFailure, "%s: kernels that launch kernels, %d deep", l->name,
                 MOST_DEPTH);
    else if (!launch_begin(l))
        cpu_fail(cudaErrorLaunchFailure, "%s: no room on the device beside what waits for it",
                 l->name);
    else {
        depth++;
        run_until_ended(l);
        run_all(l, false);
        run_all(l, true);
        depth--;
    }
    forget(l);
    return cpu_failure();
}
