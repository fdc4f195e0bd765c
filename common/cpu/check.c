/*
 * --check: what the runtime reports, put to each kind of check. See check.h for the parts.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "check.h"

static _Atomic uint64_t first_serial = 1; /* of the launch, or since its last grid barrier */
static uint64_t era;                      /* how often the serial numbers began again */

bool check_access(const struct access *a)
{
    struct thread *t = a->thread;
    struct check_block *cb = check_of(t->block);
    bool reads, speaks;
    struct place p;

    if (a->space == SPACE_LOCAL)
        return true;
    if (cb->thread[t->id].polled)
        order_resolve(t);
    if (!memory_place(a, &p)) {
        cb->killed = true;
        return false;
    }
    if (!p.cells)
        return true;
    memory_check_written(a, &p);
    race_check(a, &p);
    speaks = a->flags & ACCESS_ATOMIC || (p.region && a->flags & ACCESS_VOLATILE);
    if (!speaks)
        return true;
    reads = !(a->flags & ACCESS_WRITE && a->flags & ACCESS_VOLATILE);
    if (a->flags & ACCESS_WRITE)
        order_publish(a, p.region != NULL);
    if (reads)
        order_poll(a);
    return true;
}

void check_barrier(struct block *b)
{
    struct check_block *cb = check_of(b);

    sync_barrier(b);
    order_barrier(b);
    if (cb->first_serial != (uint32_t)atomic_load(&first_serial)) { /* a grid barrier */
        cb->first_serial = (uint32_t)atomic_load(&first_serial);
        cb->serial = cb->first_serial + (uint32_t)b->number;
        order_forget(cb);
    }
}

/* All blocks wait: what they did before is in order with all that follows, as between launches. */
void check_grid_barrier(struct launch *l)
{
    atomic_fetch_add(&first_serial, l->blocks);
}

void check_warp(struct thread *t, uint32_t mask, uintptr_t site)
{
    sync_warp(t, mask, site);
}

void check_warp_done(struct block *b, struct warp *w, uint32_t mask)
{
    order_warp(b, w, mask);
}

void check_fence(struct thread *t, int scope)
{
    order_fence(t, scope);
}

void check_thread_end(struct thread *t)
{
    sync_thread_end(t);
}

void check_block_begin(struct block *b)
{
    struct check_block *cb = b->check;

    if (!cb && !(cb = b->check = calloc(1, sizeof(*cb)))) {
        fprintf(stderr, "--check: out of memory\n");
        exit(3);
    }
    order_forget(cb);
    if (cb->latest < cb->base)
        cb->latest = cb->base;
    if (cb->latest > TIME_MAX / 2 || cb->era != era) {
        memset(cb->thread, 0, sizeof(cb->thread));
        memset(cb->cell, 0, sizeof(cb->cell));
        cb->latest = 0;
        cb->era = era;
    }
    cb->base = cb->latest + 1;
    cb->first_serial = (uint32_t)atomic_load(&first_serial);
    cb->serial = cb->first_serial + (uint32_t)b->number;
    cb->killed = false;
    cb->passed = 0;
}

/* Shared memory is forgotten here, when it is known how much of it was there. */
void check_block_end(struct block *b)
{
    struct check_block *cb = check_of(b);
    size_t words = (b->shared_used + 31) / 32;

    memset(cb->written, 0, words * sizeof(cb->written[0]));
}

void check_launch_begin(struct launch *l)
{
    /* Serial numbers have 32 bits; half of them are for the grid barriers of one launch. */
    if (atomic_load(&first_serial) + l->blocks > (uint64_t)1 << 31) {
        memory_forget_accesses();
        era++;
        atomic_store(&first_serial, 1);
    }
    race_launch_begin();
    order_launch_begin();
    findings_launch(l);
}

void check_launch_end(struct launch *l)
{
    atomic_fetch_add(&first_serial, l->blocks);
    order_launch_end();
    findings_print();
}

void check_stuck(struct block *b)
{
    sync_stuck(b);
}
