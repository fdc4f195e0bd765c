/*
 * Threads that wait for an object, and the barriers of teams of warps.
 *
 * A sleeping thread is in `objects` of its block and says in `object` what for. Who wakes it looks
 * at all that sleep, which are few kinds at a time. A block whose threads all sleep is stuck, and
 * engine/worker.c says so.
 *
 * The teams of a block are the nodes of a binary tree over its warps: the team of `warps` warps
 * from warp w has number MAX_WARPS / warps + w / warps, so that the whole block's is 1.
 */
#include <limits.h>
#include "cpu/engine/object.h"
#include "cpu/engine/observer.h"
#include "cpu/engine/schedule.h"

enum { ALL_THREADS = UINT_MAX >> 1 }; /* awaited by a barrier that names no number of threads */

void object_sleep(struct thread *t, uintptr_t object, uintptr_t site)
{
    t->site = site;
    t->object = object;
    set_add(t->block->objects, t->id);
    t->block->at_object++;
    cpu_wait(t, AT_OBJECT);
    t->object = 0;
}

void object_wake(struct block *b, uintptr_t object)
{
    for (unsigned i = 0; i < WORDS; i++)
        for (uint64_t rest = b->objects[i]; rest; rest &= rest - 1) {
            struct thread *t = &b->thread[i * 64 + (unsigned)__builtin_ctzll(rest)];

            if (t->object != object)
                continue;
            set_remove(b->objects, t->id);
            b->at_object--;
            set_add(b->ready, t->id);
        }
    cpu_progress();
}

static unsigned team_of(const struct thread *t, unsigned warps)
{
    return MAX_WARPS / warps + t->id / WARP / warps;
}

/* How many threads of the team have not ended. */
static unsigned alive(const struct block *b, unsigned team)
{
    unsigned warps = MAX_WARPS, first, count = 0;

    for (unsigned i = team; i > 1; i /= 2)
        warps /= 2;
    first = (team - MAX_WARPS / warps) * warps;
    for (unsigned i = first; i < first + warps && i < b->warps; i++)
        count += (unsigned)__builtin_popcount(b->warp[i].lanes & ~b->warp[i].ended);
    return count;
}

static uintptr_t object_of(const struct block *b, unsigned team)
{
    return (uintptr_t)&b->team_arrived[team];
}

static bool release_if_all(struct block *b, unsigned team)
{
    if (!b->team_arrived[team] || b->team_arrived[team] < alive(b, team))
        return false;
    b->team_arrived[team] = 0;
    b->team_phase[team]++;
    object_wake(b, object_of(b, team));
    return true;
}

void team_wait(struct thread *t, unsigned warps, uintptr_t site)
{
    struct block *b = t->block;
    unsigned team = team_of(t, warps), phase;

    t->site = site;
    OBSERVE(arrive, t, object_of(b, team)); /* may let others go first */
    phase = b->team_phase[team];
    b->team_arrived[team]++;
    release_if_all(b, team);
    while (b->team_phase[team] == phase)
        object_sleep(t, object_of(b, team), site);
    OBSERVE(pass, t, object_of(b, team));
}

/* The barriers with numbers. What threads tell each other there goes by two addresses in turn, so
 * that an arrival at the next phase tells nothing to who waits for this one. */
static uintptr_t place_of(const struct named_barrier *n)
{
    return (uintptr_t)(n->phase % 2 ? &n->around : &n->phase);
}

/* The lanes that a warp does not have, where its block ends in it: lane 0 counts for them. */
static unsigned missing(const struct warp *w)
{
    return WARP - (unsigned)__builtin_popcount(w->lanes);
}

static unsigned all_threads(const struct block *b)
{
    const struct warp *last = &b->warp[b->warps - 1];

    return b->alive + (last->ended & 1 ? 0 : missing(last));
}

static void end_phase_if_all(struct block *b, struct named_barrier *n)
{
    uintptr_t place = place_of(n);

    if (!n->arrived || n->arrived < (n->awaited == ALL_THREADS ? all_threads(b) : n->awaited))
        return;
    n->arrived = 0;
    n->phase++;
    object_wake(b, place);
}

const char *named_barrier(struct thread *t, unsigned number, unsigned threads, bool waits,
                          uintptr_t site)
{
    struct block *b = t->block;
    struct named_barrier *n = &b->named[number];
    unsigned awaited = threads ? threads : ALL_THREADS;
    uintptr_t place;
    uint64_t phase;

    if (number >= NAMED_BARRIERS)
        return "a barrier of the block has a number that is not 0 to 15";
    if (threads % WARP || threads > b->warps * WARP || (!threads && !waits))
        return "a barrier of the block awaits a number of threads that is no multiple of 32, or "
               "more than the block has";
    t->site = site;
    OBSERVE(arrive, t, place_of(n)); /* may let others go first */
    if (n->arrived && n->awaited != awaited)
        return "threads arrive at the same barrier of the block and tell different numbers of "
               "threads that it awaits";
    place = place_of(n);
    phase = n->phase;
    n->awaited = awaited;
    n->arrived += 1 + (t->id % WARP ? 0 : missing(warp_of(t)));
    end_phase_if_all(b, n);
    while (waits && n->phase == phase)
        object_sleep(t, place, site);
    if (waits)
        OBSERVE(pass, t, place);
    return NULL;
}

void team_thread_ended(struct thread *t)
{
    for (unsigned warps = 2; warps <= MAX_WARPS; warps *= 2)
        release_if_all(t->block, team_of(t, warps));
    for (unsigned i = 0; i < NAMED_BARRIERS; i++)
        end_phase_if_all(t->block, &t->block->named[i]);
}
