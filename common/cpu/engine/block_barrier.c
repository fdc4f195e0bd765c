/*
 * The barriers of a block and of a cooperative grid.
 *
 * Threads that have ended count as arrived, as on hardware since Volta (CUDA C++ Programming Guide,
 * "Independent Thread Scheduling"). The last thread that arrives, or ends, releases the others and
 * goes on; no worker is involved. A grid barrier goes through the worker: when all threads of a
 * block wait there the block is announced to the launch, once for each generation, and the worker
 * looks in each of its rounds whether the generation has passed.
 */
#include "cpu/engine/block_barrier.h"
#include "cpu/engine/observer.h"
#include "cpu/engine/schedule.h"

static void release(struct block *b)
{
    OBSERVE(barrier, b);
    b->barriers++;
    b->vote_result = b->vote_count;
    b->vote_size = b->vote_arrived;
    b->vote_count = b->vote_arrived = 0;
    b->at_barrier = 0;
    set_move(b->ready, b->barrier);
    cpu_progress();
}

void barrier_wait(struct thread *t, bool predicate, uintptr_t site)
{
    struct block *b = t->block;

    t->site = site;
    b->vote_count += predicate;
    b->vote_arrived++;
    set_add(b->barrier, t->id);
    t->wait = AT_BARRIER;
    set_remove(b->ready, t->id);
    if (++b->at_barrier == b->alive) {
        release(b);
        int first = cpu_pick(b, 0);
        if (first >= 0 && first != (int)t->id)
            cpu_switch(b, (unsigned)first, t->fiber);
    } else {
        cpu_leave(t);
    }
    t->wait = RUNNING;
    t->line = 0; /* was of this barrier */
}

void barrier_thread_ended(struct block *b)
{
    if (b->at_barrier && b->at_barrier == b->alive)
        release(b);
}

/* Each block counts once for the grid, when all its threads are there. */
void grid_wait(struct thread *t, uintptr_t site)
{
    struct block *b = t->block;

    t->site = site;
    b->at_grid++;
    set_add(b->grid, t->id);
    cpu_wait(t, AT_GRID);
}

void grid_announce(struct block *b)
{
    struct launch *l = b->launch;

    if (!b->at_grid || b->at_grid != b->alive || b->grid_announced)
        return;
    b->grid_announced = true;
    b->grid_generation = atomic_load(&l->grid_generation);
    if (atomic_fetch_add(&l->grid_arrived, 1) + 1 == l->blocks) {
        OBSERVE(grid_barrier, l);
        atomic_store(&l->grid_arrived, 0);
        atomic_fetch_add(&l->grid_generation, 1);
    }
    cpu_progress();
}

bool grid_passed(struct block *b)
{
    if (!b->grid_announced || atomic_load(&b->launch->grid_generation) == b->grid_generation)
        return false;
    b->grid_announced = false;
    b->at_grid = 0;
    OBSERVE(barrier, b);
    b->barriers++;
    set_move(b->ready, b->grid);
    return true;
}
