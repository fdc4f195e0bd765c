/*
 * Launches: workers, blocks in flight, and the switch from one GPU thread to the next.
 *
 * Threads of a block run in their natural order, each until it waits or ends, so results do not
 * depend on the number of workers unless atomics between blocks order them. A thread that polls
 * gives way; when every thread in flight only polls, and no further block may become resident,
 * nothing can change any more: that is a deadlock, and the launch fails with a line that says so.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "launch.h"
#include "warp.h"

enum {
    SPIN_POLLS = 2,      /* equal polls in a row at one place are a spin */
    MANY_POLLS = 64,     /* or so many polls of any kind */
    IDLE_ROUNDS = 200,   /* of all workers, without any progress, are a deadlock */
};

unsigned cpu_tools;
bool cpu_random_order;
uint64_t cpu_random_seed;
__thread struct worker *cpu_worker;

static void fiber_main(void);

/* --- the order of threads ----------------------------------------------------------------- */

/* SplitMix64 (Steele, Lea and Flood, 2014). */
static uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

static inline void set_add(thread_set s, unsigned id)
{
    s[id / 64] |= (uint64_t)1 << id % 64;
}

static inline void set_remove(thread_set s, unsigned id)
{
    s[id / 64] &= ~((uint64_t)1 << id % 64);
}

static inline bool set_has(const thread_set s, unsigned id)
{
    return s[id / 64] >> id % 64 & 1;
}

static bool set_empty(const thread_set s)
{
    for (int i = 0; i < WORDS; i++)
        if (s[i])
            return false;
    return true;
}

static void set_move(thread_set to, thread_set from)
{
    for (int i = 0; i < WORDS; i++) {
        to[i] |= from[i];
        from[i] = 0;
    }
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

static inline int pick(struct block *b, unsigned start)
{
    if (cpu_random_order)
        start = (unsigned)(random_next(&b->worker->random) % b->threads);
    return set_next(b->ready, start, b->threads);
}

/* --- running threads ---------------------------------------------------------------------- */

static struct fiber *idle_fiber(struct worker *w)
{
    struct fiber *f;

    if (w->idle_fibers)
        f = w->idle_list[--w->idle_fibers];
    else
        f = fiber_create(fiber_main);
    if (!f) {
        fprintf(stderr, "CPU device: out of memory for the stacks of %u threads\n",
                w->launch->threads);
        exit(3);
    }
    return f;
}

static void keep_idle(struct worker *w, struct fiber *f)
{
    if (w->idle_fibers == w->idle_room) {
        w->idle_room = w->idle_room ? 2 * w->idle_room : 64;
        w->idle_list = realloc(w->idle_list, w->idle_room * sizeof(*w->idle_list));
        if (!w->idle_list)
            abort();
    }
    w->idle_list[w->idle_fibers++] = f;
}

static void begin_thread(struct block *b, unsigned id)
{
    struct thread *t = &b->thread[id];
    const struct cpu_dim *d = &b->launch->dim;

    memset(t, 0, sizeof(*t));
    t->id = id;
    t->block = b;
    t->index.x = id % d->x;
    t->index.y = d->y == 1 && d->z == 1 ? 0 : id / d->x % d->y;
    t->index.z = d->z == 1 ? 0 : id / d->x / d->y;
    set_add(b->begun, id);
}

/* Let thread `id` of the block go on, in place of `from` (a fiber whose state is kept). */
static void switch_to(struct block *b, unsigned id, struct fiber *from)
{
    struct worker *w = b->worker;
    struct thread *t = &b->thread[id];

    if (!set_has(b->begun, id)) {
        begin_thread(b, id);
        t->fiber = idle_fiber(w);
    }
    w->thread = t;
    fiber_switch(from, t->fiber);
}

static void switch_home(struct worker *w, struct fiber *from)
{
    w->thread = NULL;
    fiber_switch(from, w->home);
}

static void leave(struct thread *t)
{
    struct block *b = t->block;
    struct fiber *f = t->fiber;
    int next = pick(b, t->id + 1);

    if (next == (int)t->id)
        return;
    if (next >= 0)
        switch_to(b, (unsigned)next, f);
    else
        switch_home(b->worker, f);
}

void cpu_wait(struct thread *t, enum wait why)
{
    t->wait = why;
    set_remove(t->block->ready, t->id);
    leave(t);
    t->wait = RUNNING;
}

void cpu_ready(struct block *b, unsigned id)
{
    set_add(b->ready, id);
}

/* To another lane of the warp that may go on, so that the lanes keep step. */
void cpu_give_way(struct thread *t)
{
    struct block *b = t->block;
    unsigned warp = t->id / WARP, lane = t->id % WARP;
    uint32_t lanes = (uint32_t)(b->ready[warp / 2] >> (warp % 2 * WARP));
    uint32_t after;

    if (cpu_random_order && random_next(&b->worker->random) % 4 == 0) {
        leave(t); /* stays ready */
        return;
    }
    after = lane == 31 ? 0 : lanes & (~0u << (lane + 1));
    if (!after)
        after = lanes;
    after = (unsigned)__builtin_ctz(after);
    if (after != lane)
        switch_to(b, warp * WARP + after, t->fiber);
}

void cpu_first_lane(struct thread *t)
{
    struct block *b = t->block;
    unsigned warp = t->id / WARP;
    uint32_t lanes = (uint32_t)(b->ready[warp / 2] >> (warp % 2 * WARP));
    unsigned first = warp * WARP + (unsigned)__builtin_ctz(lanes);

    if (first != t->id)
        switch_to(b, first, t->fiber);
}

void cpu_progress(void)
{
    atomic_fetch_add_explicit(&cpu_worker->progress, 1, memory_order_relaxed);
}

static void spin(struct thread *t)
{
    set_add(t->block->spinning, t->id);
    cpu_wait(t, SPINNING);
}

void cpu_poll(struct thread *t, uintptr_t site, uint64_t value)
{
    if (t->spin_site != site || t->spin_value != value) {
        t->spin_site = site;
        t->spin_value = value;
        t->equal_polls = 0;
    } else if (++t->equal_polls >= SPIN_POLLS) {
        t->site = site;
        spin(t);
        return;
    }
    if (++t->polls % MANY_POLLS == 0) { /* a loop over several flags */
        t->site = site;
        spin(t);
    }
}

void cpu_nanosleep(unsigned ns)
{
    struct thread *t = cpu_thread();

    (void)ns;
    if (!t)
        return;
    t->site = (uintptr_t)__builtin_return_address(0);
    spin(t);
}

/* --- barriers of block and grid ------------------------------------------------------------ */

static void release_barrier(struct block *b)
{
    observe_barrier(b);
    b->barriers++;
    b->vote_result = b->vote_count;
    b->vote_size = b->vote_arrived;
    b->vote_count = b->vote_arrived = 0;
    b->at_barrier = 0;
    set_move(b->ready, b->barrier);
    cpu_progress();
}

/* The barrier of the block; predicate is counted. Threads that have ended count as arrived, as
 * on hardware since Volta (CUDA C++ Programming Guide, "Independent Thread Scheduling"). */
static void block_barrier(bool predicate, uintptr_t site)
{
    struct thread *t = cpu_thread();
    struct block *b = t->block;

    t->site = site;
    b->vote_count += predicate;
    b->vote_arrived++;
    set_add(b->barrier, t->id);
    t->wait = AT_BARRIER;
    set_remove(b->ready, t->id);
    if (++b->at_barrier == b->alive) {
        release_barrier(b);
        int first = pick(b, 0);
        if (first != (int)t->id)
            switch_to(b, (unsigned)first, t->fiber);
    } else {
        leave(t);
    }
    t->wait = RUNNING;
}

void cpu_barrier(void)
{
    block_barrier(false, (uintptr_t)__builtin_return_address(0));
}

int cpu_barrier_count(int predicate)
{
    block_barrier(predicate != 0, (uintptr_t)__builtin_return_address(0));
    return (int)cpu_thread()->block->vote_result;
}

int cpu_barrier_and(int predicate)
{
    block_barrier(predicate != 0, (uintptr_t)__builtin_return_address(0));
    struct block *b = cpu_thread()->block;
    return b->vote_result == b->vote_size;
}

int cpu_barrier_or(int predicate)
{
    block_barrier(predicate != 0, (uintptr_t)__builtin_return_address(0));
    return cpu_thread()->block->vote_result != 0;
}

/* The barrier of a cooperative grid. Each block counts once, when all its threads are there. */
void cpu_grid_barrier(void)
{
    struct thread *t = cpu_thread();
    struct block *b = t->block;

    t->site = (uintptr_t)__builtin_return_address(0);
    if (!b->launch->cooperative) {
        cpu_fail(cudaErrorLaunchFailure, "grid synchronisation in a launch that is not "
                                         "cooperative: use cudaLaunchCooperativeKernel");
        cpu_kill(t);
    }
    b->at_grid++;
    set_add(b->grid, t->id);
    cpu_wait(t, AT_GRID);
}

static void announce_grid(struct block *b)
{
    struct launch *l = b->launch;

    b->grid_announced = true;
    b->grid_generation = atomic_load(&l->grid_generation);
    if (atomic_fetch_add(&l->grid_arrived, 1) + 1 == l->blocks) {
        observe_grid_barrier(l);
        atomic_store(&l->grid_arrived, 0);
        atomic_fetch_add(&l->grid_generation, 1);
    }
    cpu_progress();
}

static bool grid_passed(struct block *b)
{
    if (b->grid_announced && atomic_load(&b->launch->grid_generation) != b->grid_generation) {
        b->grid_announced = false;
        b->at_grid = 0;
        observe_barrier(b);
        b->barriers++;
        set_move(b->ready, b->grid);
        return true;
    }
    return false;
}

/* --- the life of a thread ------------------------------------------------------------------ */

static void end_thread(struct thread *t)
{
    struct block *b = t->block;

    observe_thread_end(t);
    t->wait = ENDED;
    set_remove(b->ready, t->id);
    b->alive--;
    warp_of(t)->ended |= 1u << t->id % WARP;
    if (warp_of(t)->pending)
        warp_thread_ended(t);
    if (b->at_barrier && b->at_barrier == b->alive)
        release_barrier(b);
}

/* Runs threads, one after the other, for as long as none has to wait for another. */
static void run_threads(struct fiber *self)
{
    struct worker *w = cpu_worker;

    for (;;) {
        struct thread *t = w->thread;
        struct block *b = t->block;
        int next;

        b->launch->body(b->launch->arguments);
        end_thread(t);
        t->fiber = NULL;
        next = pick(b, t->id + 1);
        if (next >= 0 && !set_has(b->begun, (unsigned)next)) {
            begin_thread(b, (unsigned)next);
            w->thread = &b->thread[next];
            w->thread->fiber = self;
            continue;
        }
        if (!fiber_intact(self))
            cpu_fail(cudaErrorLaunchFailure, "a thread's stack overflowed: its local arrays are "
                                             "too large for the CPU device");
        keep_idle(w, self);
        if (next >= 0)
            switch_to(b, (unsigned)next, self);
        else
            switch_home(w, self);
    }
}

static void fiber_main(void)
{
    run_threads(cpu_worker->thread->fiber);
}

/* The thread is ended on the spot: its fiber goes back to the start of its loop. */
void cpu_kill(struct thread *t)
{
    struct worker *w = cpu_worker;
    struct block *b = t->block;
    struct fiber *f = t->fiber;
    int next;

    t->killed = true;
    end_thread(t);
    t->fiber = NULL;
    fiber_restart(f, fiber_main); /* never resumed where it is */
    next = pick(b, t->id + 1);
    keep_idle(w, f);
    /* The saved state must not be that of this call: switch away through a scratch fiber. */
    w->scratch = w->scratch ? w->scratch : fiber_of_caller();
    if (next >= 0)
        switch_to(b, (unsigned)next, w->scratch);
    else
        switch_home(w, w->scratch);
    abort();
}

/* --- failures ------------------------------------------------------------------------------ */

static pthread_mutex_t failure_lock = PTHREAD_MUTEX_INITIALIZER;
static cudaError_t failure;
static char failure_text[512];

void cpu_fail(cudaError_t error, const char *format, ...)
{
    va_list args;

    pthread_mutex_lock(&failure_lock);
    if (!failure) {
        failure = error;
        va_start(args, format);
        vsnprintf(failure_text, sizeof(failure_text), format, args);
        va_end(args);
    }
    pthread_mutex_unlock(&failure_lock);
    if (cpu_worker && cpu_worker->launch)
        atomic_store(&cpu_worker->launch->failed, true);
}

cudaError_t cpu_failure(void)
{
    return failure;
}

const char *cpu_failure_text(cudaError_t error)
{
    return error && error == failure ? failure_text : NULL;
}

/* A block whose threads all wait, none for something that another block could do. */
static void fail_stuck_block(struct block *b)
{
    unsigned counts[ENDED + 1] = {0};

    for (unsigned i = 0; i < b->threads; i++)
        if (set_has(b->begun, i))
            counts[b->thread[i].wait]++;
    observe_stuck(b);
    cpu_fail(cudaErrorLaunchTimeout,
             "deadlock in block %llu of %s: of its %u threads %u wait at a block barrier, %u at a "
             "warp operation, %u at a grid barrier, and %u have ended",
             (unsigned long long)b->number, b->launch->name, b->threads, counts[AT_BARRIER],
             counts[AT_WARP], counts[AT_GRID], counts[ENDED]);
}

static void fail_deadlock(struct launch *l)
{
    unsigned long long flying = atomic_load(&l->in_flight), done = atomic_load(&l->done);

    cpu_fail(cudaErrorLaunchTimeout,
             "deadlock in %s: %llu of %llu blocks are resident and only wait; %llu blocks cannot "
             "start before one ends (this device holds %llu of this shape at once)",
             l->name, flying, (unsigned long long)l->blocks,
             (unsigned long long)l->blocks - flying - done, (unsigned long long)l->resident);
}

/* --- blocks -------------------------------------------------------------------------------- */

static struct block *new_block(struct worker *w)
{
    struct launch *l = w->launch;
    struct block *b = w->spare;

    if (b)
        w->spare = b->next;
    if (b && b->capacity < l->threads) {
        cpu_free_block(b);
        b = NULL;
    }
    if (!b) {
        b = calloc(1, sizeof(*b) + l->threads * sizeof(b->thread[0]));
        if (b) {
            b->capacity = l->threads;
            b->shared = aligned_alloc(1024, MODEL_SHARED_OPTIN + 1024);
        }
        if (!b || !b->shared) {
            fprintf(stderr, "CPU device: out of memory for a block of %u threads\n", l->threads);
            exit(3);
        }
    }
    return b;
}

/* Start block `number` on this worker. */
static struct block *begin_block(struct worker *w, uint64_t number)
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
    for (unsigned i = 0; i < b->warps; i++) {
        struct warp *warp = &b->warp[i];
        unsigned lanes = b->threads - i * WARP;

        warp->first = i * WARP;
        warp->lanes = lanes >= WARP ? ~0u : (1u << lanes) - 1;
        warp->ended = 0;
        warp->pending = 0;
    }
    b->shared_used = (l->dynamic_shared + 15) & ~(size_t)15;
    b->statics = 0;
    observe_block_begin(b);
    return b;
}

static void end_block(struct worker *w, struct block *b)
{
    struct launch *l = w->launch;

    observe_block_end(b);
    b->next = w->spare;
    w->spare = b;
    atomic_fetch_sub(&l->in_flight, 1);
    atomic_fetch_add(&l->done, 1);
    cpu_progress();
}

/* After a failure: forget a block in the middle of its work, and what its fibers were doing. */
static void abandon_block(struct worker *w, struct block *b)
{
    for (unsigned i = 0; i < b->threads; i++) {
        struct thread *t = &b->thread[i];

        if (set_has(b->begun, i) && t->fiber) {
            fiber_restart(t->fiber, fiber_main);
            keep_idle(w, t->fiber);
        }
    }
    end_block(w, b);
}

/* Run the block until no thread of it can go on. Returns whether it has ended. */
static bool run_block(struct worker *w, struct block *b)
{
    int first = pick(b, 0);

    w->block = b;
    if (first >= 0)
        switch_to(b, (unsigned)first, w->home);
    w->block = NULL;
    if (b->at_grid && b->at_grid == b->alive && !b->grid_announced)
        announce_grid(b);
    return b->alive == 0;
}

/* --- workers ------------------------------------------------------------------------------- */

/* Take a block that is not started yet, if the device has room for one more. */
static bool take_block(struct launch *l, uint64_t *number)
{
    uint64_t next;

    if (atomic_fetch_add(&l->in_flight, 1) >= l->resident) {
        atomic_fetch_sub(&l->in_flight, 1);
        return false;
    }
    next = atomic_fetch_add(&l->next, 1);
    if (next >= l->blocks) {
        atomic_fetch_sub(&l->in_flight, 1);
        return false;
    }
    *number = cpu_random_order ? cpu_block_order(l, next) : next;
    return true;
}

/* One round over the blocks in flight here. Returns whether any thread could go on. */
static bool round_of_blocks(struct worker *w)
{
    bool moved = false;

    for (struct block **p = &w->blocks; *p;) {
        struct block *b = *p;

        moved |= grid_passed(b);
        set_move(b->ready, b->spinning);
        if (set_empty(b->ready)) {
            if (!b->grid_announced) {
                fail_stuck_block(b);
                return false;
            }
            p = &b->next;
            continue;
        }
        if (run_block(w, b)) {
            *p = b->next;
            end_block(w, b);
            moved = true;
        } else {
            p = &b->next;
        }
        if (atomic_load(&w->launch->failed))
            return false;
    }
    return moved;
}

static uint64_t total_progress(struct launch *l)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < l->workers; i++)
        sum += atomic_load_explicit(&cpu_worker_at(i)->progress, memory_order_relaxed);
    return sum;
}

/* How far all workers were when the progress was last seen to change. */
struct standstill {
    uint64_t progress, rounds[CPU_MAX_WORKERS];
};

/* Nothing here can go on. Wait for another worker, or find that none can: every worker has gone
 * over all its blocks many times, and nothing happened that any of them could wait for. */
static void idle(struct worker *w, struct standstill *s)
{
    struct launch *l = w->launch;
    uint64_t now = total_progress(l);
    bool stuck = now == s->progress;

    for (unsigned i = 0; i < l->workers; i++) {
        struct worker *other = cpu_worker_at(i);
        uint64_t rounds = atomic_load(&other->rounds);

        if (now != s->progress)
            s->rounds[i] = rounds;
        else if (atomic_load(&other->running) && rounds - s->rounds[i] < IDLE_ROUNDS)
            stuck = false;
    }
    s->progress = now;
    if (stuck && total_progress(l) == now) {
        for (struct block *b = w->blocks; b; b = b->next)
            observe_stuck(b);
        fail_deadlock(l);
    }
    sched_yield();
}

void cpu_run_worker(struct worker *w, struct launch *l)
{
    struct standstill standstill = {.progress = UINT64_MAX};
    uint64_t number;

    cpu_worker = w;
    if (!w->home)
        w->home = fiber_of_caller();
    w->launch = l;
    w->random = cpu_random_seed * 0x9e3779b97f4a7c15 + w->number;
    atomic_store(&w->running, true);
    while (!atomic_load(&l->failed)) {
        bool moved = round_of_blocks(w);

        atomic_fetch_add(&w->rounds, 1);
        if (atomic_load(&l->failed))
            break;
        if (take_block(l, &number)) {
            struct block *b = begin_block(w, number);

            if (run_block(w, b)) {
                end_block(w, b);
            } else {
                struct block **end = &w->blocks; /* oldest first */

                while (*end)
                    end = &(*end)->next;
                b->next = NULL;
                *end = b;
            }
            continue;
        }
        if (!w->blocks && atomic_load(&l->next) >= l->blocks)
            break;
        if (!moved)
            idle(w, &standstill);
    }
    while (w->blocks) {
        struct block *b = w->blocks;

        w->blocks = b->next;
        abandon_block(w, b);
    }
    atomic_store(&w->running, false);
    w->launch = NULL;
    w->thread = NULL;
}
