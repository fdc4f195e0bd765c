/*
 * The life of a block, and its memory.
 *
 * A block that has ended is kept by its worker for reuse, with its shared memory and what the tools
 * have hung on it, so a launch of a million blocks allots as many as are in flight. What lies
 * before `shared` in struct block is cleared for each new block, what lies behind is kept or set.
 * Shared memory is not cleared: a kernel must not count on what is in it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cpu/engine/block_barrier.h"
#include "cpu/engine/block.h"
#include "cpu/engine/async_copies.h"
#include "cpu/engine/async_products.h"
#include "cpu/engine/bulk_copies.h"
#include "cpu/engine/memory.h"
#include "cpu/engine/near.h"
#include "cpu/engine/observer.h"
#include "cpu/engine/schedule.h"
#include "cpu/engine/warp.h"

bool cpu_shared_gaps;

static void free_block(struct block *b)
{
    if (cpu_free_block)
        cpu_free_block(b);
    free(b->shared);
    free(b);
}

static struct block *new_block(struct worker *w)
{
    struct launch *l = w->launch;
    struct block *b = w->spare;

    if (b)
        w->spare = b->next;
    if (b && b->capacity < l->threads) {
        free_block(b);
        b = NULL;
    }
    if (!b) {
        /* One more: cpu_switch looks at the fiber of the thread behind. */
        b = calloc(1, sizeof(*b) + (l->threads + 1) * sizeof(b->thread[0]));
        if (b) {
            b->capacity = l->threads;
            b->shared = aligned_alloc(1024, SHARED_BYTES);
        }
        if (!b || !b->shared) {
            fprintf(stderr, "CPU device: out of memory for a block of %u threads\n", l->threads);
            exit(3);
        }
    }
    if (memcmp(&b->shape, &l->dim, sizeof(b->shape))) {
        b->shape = l->dim;
        memset(b->used, -1, sizeof(b->used));
    }
    return b;
}

static void begin_warps(struct block *b)
{
    for (unsigned i = 0; i < b->warps; i++) {
        struct warp *warp = &b->warp[i];
        unsigned lanes = b->threads - i * WARP;

        warp->first = i * WARP;
        warp->lanes = lanes >= WARP ? ~0u : (1u << lanes) - 1;
        warp->ended = 0;
        warp->pending = 0;
        warp->arrived = warp->chosen = warp->passing = 0;
        warp->products = NULL;
    }
}

struct block *block_begin(struct worker *w, uint64_t number)
{
    struct launch *l = w->launch;
    struct block *b = new_block(w);

    memset(b, 0, offsetof(struct block, shared));
    b->launch = l;
    b->worker = w;
    b->number = number;
    b->index.x = (unsigned)(number % l->grid.x);
    b->index.y = (unsigned)(number / l->grid.x % l->grid.y);
    b->index.z = (unsigned)(number / l->grid.x / l->grid.y);
    b->threads = b->alive = l->threads;
    b->warps = (l->threads + WARP - 1) / WARP;
    for (unsigned i = 0; i < b->threads / 64; i++)
        b->ready[i] = ~(uint64_t)0;
    if (b->threads % 64)
        b->ready[b->threads / 64] = ((uint64_t)1 << b->threads % 64) - 1;
    begin_warps(b);
    b->shared_used = (l->dynamic_shared + 15) & ~(size_t)15;
    b->shared_gaps = 0;
    b->statics = 0;
    b->dynamic = NULL;
    OBSERVE(block_begin, b);
    return b;
}

void block_end(struct worker *w, struct block *b)
{
    struct launch *l = w->launch;

    OBSERVE(block_end, b);
    async_copy_forget(b);
    async_products_forget(b);
    bulk_end(b);
    b->next = w->spare;
    w->spare = b;
    atomic_fetch_sub(&l->in_flight, 1);
    atomic_fetch_add(&l->done, 1);
    cpu_progress();
}

/* Its fibers forget what they were doing. */
void block_abandon(struct worker *w, struct block *b)
{
    for (unsigned i = 0; i < b->threads; i++) {
        struct thread *t = &b->thread[i];

        if (set_has(b->begun, i) && t->fiber) {
            fiber_restart(t->fiber, w->fiber_main);
            cpu_keep_fiber(w, t->fiber);
        }
    }
    block_end(w, b);
}

/* Bytes above a hook's own frame: the thread's stack. */
enum { LOCAL_BYTES = 32 * 1024 };

_Thread_local struct near cpu_near;

static struct near near_of(const struct block *b)
{
    const struct worker *w = b->worker;
    struct near n = {.open = w->open_from,
                     .open_bytes = w->open_bytes,
                     .shared = (uintptr_t)b->shared,
                     .shared_bytes = SHARED_BYTES,
                     .local_bytes = LOCAL_BYTES};

    n.constants = memory_constants(&n.constant_bytes);
    return n;
}

void block_enter(struct worker *w, struct block *b)
{
    w->block = b;
    cpu_place = (struct cpu_place){
        .block = b->index, .block_dim = b->launch->dim, .grid_dim = b->launch->grid};
}

bool block_run(struct worker *w, struct block *b)
{
    struct near before = cpu_near;
    int first;

    block_enter(w, b);
    if (!cpu_observers)
        cpu_near = near_of(b);
    do {
        first = cpu_pick(b, 0);
        if (first >= 0)
            cpu_switch(b, (unsigned)first, w->home);
    } while (!atomic_load(&b->launch->failed) && warp_converge(b));
    w->block = NULL;
    cpu_near = before;
    grid_announce(b);
    return b->alive == 0;
}
