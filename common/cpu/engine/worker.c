/*
 * What one worker does in a launch: it takes blocks, runs each in turn until none of its threads
 * can go on, and finds out when nothing will ever change.
 *
 * A block in flight is in the list of its worker, oldest first, from the moment that it had to stop
 * until it has ended. in_flight counts the blocks of all workers that have begun and not ended, and
 * never exceeds what the modelled device holds for longer than a look at it. When every thread in
 * flight only polls, and no further block may become resident, nothing can change any more: that is
 * a deadlock, and the launch fails with a line that says so.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "cpu/engine/block_barrier.h"
#include "cpu/engine/block.h"
#include "cpu/engine/cluster.h"
#include "cpu/engine/failure.h"
#include "cpu/engine/object.h"
#include "cpu/engine/observer.h"
#include "cpu/engine/worker.h"
#include "cpu/engine/schedule.h"
#include "cpu/engine/stall.h"
#include "cpu/engine/thread.h"

enum {
    IDLE_ROUNDS = 200, /* of all workers, without any progress, may be a deadlock */
    PAUSE_ROUNDS = 2,  /* the same, where other launches may go on */
    STILL_SECONDS = 5, /* of a worker's own time without any progress are one in any case */
};

/* --- blocks that wait for ever --------------------------------------------------------------- */

/* What the first of the block's threads that waits for a barrier object in shared memory lacks. */
static const char *lacking(const struct block *b, char *text, size_t room)
{
    *text = '\0';
    for (unsigned i = 0; i < b->threads; i++) {
        const struct thread *t = &b->thread[i];
        size_t offset = t->object - (uintptr_t)b->shared;
        uint64_t word;
        long long bytes;

        if (!set_has(b->begun, i) || t->wait == ENDED || offset >= SHARED_BYTES)
            continue;
        memcpy(&word, b->shared + offset, sizeof(word));
        bytes = (long long)object_bytes(word);
        snprintf(text, room,
                 "; thread %u of block %llu waits for a barrier object whose phase lacks arrivals: "
                 "%u, and %s: %lld",
                 i, (unsigned long long)b->number, object_pending(word),
                 bytes < 0 ? "has bytes too many" : "bytes", bytes < 0 ? -bytes : bytes);
        return text;
    }
    return text;
}

/* A block whose threads all wait, none for something that another block could do. */
static void fail_stuck_block(struct block *b)
{
    unsigned counts[ENDED + 1] = {0};
    char object[200], cluster[80] = "";

    if (b->cluster)
        b = cluster_tell_stuck(b);
    else
        OBSERVE(stuck, b);
    for (unsigned i = 0; i < b->threads; i++)
        if (set_has(b->begun, i))
            counts[b->thread[i].wait]++;
    counts[ENDED] = b->threads - b->alive; /* some have never begun */
    if (counts[AT_CLUSTER])
        snprintf(cluster, sizeof(cluster), ", %u at a barrier of the cluster", counts[AT_CLUSTER]);
    cpu_fail(cudaErrorLaunchTimeout,
             "deadlock in block %llu of %s: of its %u threads %u wait at a block barrier, %u at a "
             "warp operation, %u at a grid barrier, %u at a cuda::barrier, a tile's or a numbered "
             "one%s, and %u have ended%s",
             (unsigned long long)b->number, b->launch->name, b->threads, counts[AT_BARRIER],
             counts[AT_WARP], counts[AT_GRID], counts[AT_OBJECT], cluster, counts[ENDED],
             lacking(b, object, sizeof(object)));
}

void fail_deadlock(struct launch *l, const struct block *blocks)
{
    char object[200] = "";
    unsigned long long flying = atomic_load(&l->in_flight), done = atomic_load(&l->done);

    for (const struct block *b = blocks; b && !*object; b = b->next)
        lacking(b, object, sizeof(object));
    cpu_fail(cudaErrorLaunchTimeout,
             "deadlock in %s: %llu of %llu blocks are resident and only wait; %llu blocks cannot "
             "start before one ends (this device holds %llu of this shape at once)%s%s",
             l->name, flying, (unsigned long long)l->sampled,
             (unsigned long long)l->sampled - flying - done, (unsigned long long)l->resident,
             l->sampled < l->blocks ? "; --sample left out those that they may wait for" : "",
             object);
}

/* --- the order of blocks --------------------------------------------------------------------- */

static uint64_t gcd(uint64_t a, uint64_t b)
{
    return b ? gcd(b, a % b) : a;
}

/* A permutation of the blocks, or of the clusters. */
static uint64_t block_order(const struct launch *l, uint64_t i)
{
    uint64_t all = l->blocks / cluster_blocks(l);
    uint64_t stride = (cpu_random_seed * 0x9e3779b97f4a7c15 >> 33) % all | 1;

    while (gcd(stride, all) != 1)
        stride += 2;
    return (uint64_t)(((__uint128_t)i * stride + cpu_random_seed) % all);
}

/* Take a block that is not started yet, or a cluster of them, if the device has room for it. */
static bool take_block(struct launch *l, uint64_t *number)
{
    uint64_t next, each = cluster_blocks(l);

    if (atomic_fetch_add(&l->in_flight, each) + each > l->resident) {
        atomic_fetch_sub(&l->in_flight, each);
        return false;
    }
    next = atomic_fetch_add(&l->next, 1);
    if (next >= l->parts) {
        atomic_fetch_sub(&l->in_flight, each);
        return false;
    }
    if (l->sampled < l->blocks)
        next = (uint64_t)((__uint128_t)next * l->blocks / l->sampled);
    *number = cpu_random_order ? block_order(l, next) : next;
    return true;
}

/* --- the list of blocks ---------------------------------------------------------------------- */

/* At its end: oldest first. */
static void add_block(struct worker *w, struct block *b)
{
    struct block **end = &w->blocks;

    while (*end)
        end = &(*end)->next;
    *end = b;
    b->next = NULL;
}

static void end(struct worker *w, struct block *b)
{
    block_end(w, b);
    cluster_forget(b);
}

/* All threads of the block at *p have ended, and so have those of its cluster: until then they can
 * reach its shared memory. Returns where the next block stands. */
static struct block **end_blocks(struct worker *w, struct block **p)
{
    const struct cluster *c = w->launch->cluster.x ? (*p)->cluster : NULL;
    unsigned rest = c ? c->blocks : 1;

    if (c)
        p = &w->blocks;
    while (rest) {
        struct block *b = *p;

        if (c && b->cluster != c) {
            p = &b->next;
            continue;
        }
        *p = b->next;
        end(w, b);
        rest--;
    }
    return p;
}

/* --- rounds ---------------------------------------------------------------------------------- */

/* One round over the blocks in flight here. Returns whether any thread could go on. */
static bool round_of_blocks(struct worker *w)
{
    bool moved = false;

    for (struct block **p = &w->blocks; *p;) {
        struct block *b = *p;

        moved |= grid_passed(b);
        set_move(b->ready, b->spinning);
        if (set_empty(b->ready)) {
            if (b->cluster ? cluster_is_stuck(b) : !b->grid_announced) {
                fail_stuck_block(b);
                return false;
            }
            p = &b->next;
            continue;
        }
        if (!block_run(w, b)) {
            p = &b->next;
        } else {
            p = b->cluster && b->cluster->alive ? &b->next : end_blocks(w, p);
            moved = true;
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
        sum += atomic_load_explicit(&l->worker[i].progress, memory_order_relaxed);
    return sum;
}

/* How far all workers were when the progress was last seen to change. */
struct standstill {
    uint64_t progress, rounds[MAX_WORKERS];
    uint64_t turns; /* of this worker since every one has gone around often enough */
    time_t since;   /* seconds of the worker's own time */
};

static time_t own_time(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec;
}

/* Every worker that has threads has found that they loop for ever; or it is long since any did
 * anything, where that cannot be found. */
static bool is_for_ever(struct worker *w, struct standstill *s)
{
    struct launch *l = w->launch;

    if (!s->turns++)
        s->since = own_time();
    if (atomic_load(&w->loops) != s->progress + 1 &&
        stall_loops(w->blocks, s->progress + 1, s->turns))
        atomic_store(&w->loops, s->progress + 1);
    if (own_time() - s->since > STILL_SECONDS)
        return true;
    for (unsigned i = 0; i < l->workers; i++)
        if (atomic_load(&l->worker[i].running) &&
            atomic_load(&l->worker[i].loops) != s->progress + 1)
            return false;
    return true;
}

/* Nothing here can go on. Wait for another worker, or find that none can: every worker has gone
 * over all its blocks many times, and nothing happened that any of them could wait for. */
static void idle(struct worker *w, struct standstill *s)
{
    struct launch *l = w->launch;
    uint64_t now = total_progress(l);
    bool stuck = now == s->progress;

    for (unsigned i = 0; i < l->workers; i++) {
        struct worker *other = &l->worker[i];
        uint64_t rounds = atomic_load(&other->rounds);

        if (now != s->progress)
            s->rounds[i] = rounds;
        else if (atomic_load(&other->running) &&
                 rounds - s->rounds[i] < (l->beside ? PAUSE_ROUNDS : IDLE_ROUNDS))
            stuck = false;
    }
    if (now != s->progress)
        s->turns = 0;
    s->progress = now;
    if (l->beside) {
        if (stuck && total_progress(l) == now)
            atomic_store(&l->pauses, true);
    } else if (stuck && is_for_ever(w, s) && total_progress(l) == now) {
        for (struct block *b = w->blocks; b; b = b->next)
            OBSERVE(stuck, b);
        fail_deadlock(l, w->blocks);
    }
    if (l->workers > 1)
        sched_yield();
}

/* All blocks of a cluster, by rank, in a random order from a random one on: none has run. */
static void begin_cluster(struct worker *w, uint64_t number)
{
    struct cluster *c = cluster_new(w->launch);
    unsigned first = cpu_random_order ? (unsigned)(cpu_random(&w->random) % c->blocks) : 0;

    for (unsigned i = 0; i < c->blocks; i++) {
        unsigned rank = (first + i) % c->blocks;
        struct block *b = block_begin(w, cluster_block_at(w->launch, number, rank));

        cluster_add(c, b, rank);
        add_block(w, b);
    }
}

/* A block, which runs as far as it goes; or those of a cluster, which do in the next round. */
static void begin_blocks(struct worker *w, uint64_t number)
{
    struct block *b;

    if (w->launch->cluster.x) {
        begin_cluster(w, number);
        return;
    }
    b = block_begin(w, number);
    if (block_run(w, b)) {
        end(w, b);
    } else {
        add_block(w, b);
    }
}

void run_worker(struct worker *w, struct launch *l)
{
    struct standstill standstill = {.progress = UINT64_MAX};
    uint64_t number;
    bool gone = false; /* over its blocks: one that wakes late must, too, before all pause */

    cpu_worker = w;
    w->os_thread = pthread_self();
    if (!w->home)
        w->home = fiber_of_caller();
    w->launch = l;
    w->open_from = l->open_from;
    w->open_bytes = l->open_bytes;
    w->fiber_main = thread_main;
    w->random = cpu_random_seed * 0x9e3779b97f4a7c15 + w->number;
    atomic_store(&w->loops, 0);
    w->blocks = l->kept ? l->kept[w->number] : NULL;
    OBSERVE(worker_begin, w);
    atomic_store(&w->running, true);
    if (cpu_driver)
        cpu_driver(w, l);
    while (!cpu_driver && !atomic_load(&l->failed) && !(gone && atomic_load(&l->pauses))) {
        bool moved = round_of_blocks(w);

        gone = true;
        atomic_fetch_add(&w->rounds, 1);
        if (atomic_load(&l->failed))
            break;
        if (take_block(l, &number)) {
            begin_blocks(w, number);
            continue;
        }
        if (!w->blocks && atomic_load(&l->next) >= l->parts)
            break;
        if (!moved)
            idle(w, &standstill);
    }
    if (l->kept && !atomic_load(&l->failed)) {
        l->kept[w->number] = w->blocks;
        w->blocks = NULL;
    }
    while (w->blocks) {
        struct block *b = w->blocks;

        w->blocks = b->next;
        block_abandon(w, b);
        cluster_forget(b);
    }
    if (l->kept && atomic_load(&l->failed))
        l->kept[w->number] = NULL;
    OBSERVE(worker_end, w);
    atomic_store(&w->running, false);
    w->launch = NULL;
    w->thread = NULL;
}
