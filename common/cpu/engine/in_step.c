/*
 * Lanes of a warp that go together where programs count on it.
 *
 * Threads run one after the other here. On a GPU the lanes of a warp that have not gone different
 * ways do each instruction together, and older programs count on that: they add up the last 32 sums
 * through `volatile`, with no barrier between. CUDA has not promised it since compute capability
 * 7.0, but a GPU still does it. So before each volatile access, before each printf, whose output
 * would else be mixed, and where lanes meet again that may have gone different ways between
 * (translate/meets.c), a lane lets the others of its warp run until all that can have come to such
 * a place, too. Then those at the place that comes first in the source do what they have come for,
 * in order of lane, and the others wait. So who has left a loop waits for those in it, and who has
 * left a round of it, too.
 *
 * A lane that waits at a barrier, for a warp operation or in a spin is not waited for, nor one that
 * gives way as below. All of this is for programs that steps/cuda translates, and left out in a
 * random order, and where a tool decides the order: what is right by it alone is a race, and
 * --check says so in any order.
 */
#include "cpu/engine/in_step.h"
#include "cpu/engine/observer.h"
#include "cpu/engine/schedule.h"

static int line_of(uintptr_t site)
{
    enum { PLACES = 128 };
    static _Thread_local struct {
        uintptr_t site;
        int line;
    } known[PLACES];
    size_t at = (site >> 2 ^ site >> 9) % PLACES;
    int line = 0;

    if (known[at].site != site) {
        if (cpu_source_line)
            cpu_source_line(site, &line);
        known[at].site = site;
        known[at].line = line;
    }
    return known[at].line;
}

static struct thread *lane_of(struct block *b, const struct warp *w, uint32_t lanes)
{
    return &b->thread[w->first + (unsigned)__builtin_ctz(lanes)];
}

/* < 0: a comes before b; 0: together. Within a line the address decides, but not between copies of
 * a call that the compiler has made. */
static int compare(const struct meeting *a, const struct meeting *b)
{
    bool copies = a->prints && a->prints == b->prints;

    if (a->line && b->line && a->line != b->line)
        return a->line - b->line;
    if (a->line && b->line && a->rank != b->rank)
        return a->rank - b->rank;
    if (a->site == b->site || (a->line && b->line && (a->rank || copies)))
        return 0;
    return a->site < b->site ? -1 : 1;
}

/* All lanes that can have arrived: those of them that go on. */
static void choose(struct block *b, struct warp *w)
{
    uint32_t lanes = w->arrived & set_of_warp(b->ready, w->first / WARP);
    const struct thread *best = lane_of(b, w, lanes);

    for (uint32_t rest = lanes; rest; rest &= rest - 1)
        if (compare(&lane_of(b, w, rest)->at, &best->at) < 0)
            best = lane_of(b, w, rest);
    for (uint32_t rest = lanes; rest; rest &= rest - 1)
        if (compare(&lane_of(b, w, rest)->at, &best->at) == 0)
            w->chosen |= rest & -rest;
}

/* Who runs next, by its id: it may not have begun. There is one that has arrived. */
static unsigned next_of(struct block *b, struct warp *w)
{
    uint32_t ready = set_of_warp(b->ready, w->first / WARP);
    uint32_t coming = ready & ~w->arrived & ~w->passing;

    w->chosen &= ready;
    if (!w->chosen && !coming)
        choose(b, w);
    return w->first + (unsigned)__builtin_ctz(w->chosen ? w->chosen : coming);
}

void in_step(struct thread *t, struct meeting at)
{
    struct block *b = t->block;
    struct warp *w = warp_of(t);
    uint32_t lane = 1u << t->id % WARP;
    unsigned next;

    if (!&cpu_lanes_meet || cpu_driver || cpu_random_order || cpu_waits_for_lanes ||
        set_of_warp(b->ready, w->first / WARP) == lane)
        return;
    t->at = at;
    if (!at.line)
        t->at.line = line_of(at.site);
    w->arrived |= lane;
    while ((next = next_of(b, w)) != t->id)
        cpu_switch(b, next, t->fiber);
    w->arrived &= ~lane;
    w->chosen &= ~lane;
}

void in_step_give_way(struct thread *t)
{
    struct warp *w = warp_of(t);

    w->passing |= 1u << t->id % WARP;
    cpu_give_way(t);
    w->passing &= ~(1u << t->id % WARP);
}
