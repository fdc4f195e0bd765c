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
#include "cpu/engine/object.h"
#include "cpu/engine/observer.h"
#include "cpu/engine/schedule.h"

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
    unsigned team = team_of(t, warps), phase = b->team_phase[team];

    OBSERVE(arrive, t, object_of(b, team));
    b->team_arrived[team]++;
    release_if_all(b, team);
    while (b->team_phase[team] == phase)
        object_sleep(t, object_of(b, team), site);
    OBSERVE(pass, t, object_of(b, team));
}

void team_thread_ended(struct thread *t)
{
    for (unsigned warps = 2; warps <= MAX_WARPS; warps *= 2)
        release_if_all(t->block, team_of(t, warps));
}
