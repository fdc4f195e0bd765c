/*
 * Lanes of a warp that go together where programs count on it.
 *
 * Threads run one after the other here. On a GPU the lanes of a warp that have not gone different
 * ways do each instruction together, and older programs count on that: they add up the last 32
 * sums through `volatile`, with no barrier between. CUDA has not promised it since compute
 * capability 7.0, but a GPU still does it. So before each volatile access, and before each printf,
 * whose output would else be mixed, a lane lets the others of its warp run until all that can have
 * come to such a place, too. Then those at one place do theirs, in order of lane, and the others
 * wait: the lanes that have gone back to an earlier place least often, because the others are
 * rounds of a loop ahead of them; of these the ones at the first line, because the others may be
 * behind the point where the ways meet again. Whoever is behind every place from which a lane went
 * back has left the loop, and waits for those that are in it.
 *
 * A lane that waits at a barrier, for a warp operation or in a spin is not waited for. A random
 * order, and tools that decide the order, leave all of this out: what is right by it alone is a
 * race, and --check says so in any order.
 */
#include "cpu/engine/in_step.h"
#include "cpu/engine/observer.h"
#include "cpu/engine/schedule.h"

static struct thread *lane_of(struct block *b, const struct warp *w, uint32_t lanes)
{
    return &b->thread[w->first + (unsigned)__builtin_ctz(lanes)];
}

/* Whose place comes first in the source: < 0, 0 or > 0. The compiler may have made copies of a line,
 * or moved it, so the address decides only within a line; and not between copies of a call. */
static int compare(uintptr_t a, uintptr_t b, bool copies)
{
    int first = 0, second = 0;

    if (a == b)
        return 0;
    if (cpu_source_line && cpu_source_line(a, &first) && cpu_source_line(b, &second) &&
        (first != second || copies))
        return first - second;
    return a < b ? -1 : 1;
}

static void arrive(struct warp *w, struct thread *t, uintptr_t site, const void *prints)
{
    w->arrived |= 1u << t->id % WARP;
    if (t->step_site && site <= t->step_site && compare(site, t->step_site, false) <= 0) {
        t->step_turns++;
        if (!w->loop_end || compare(t->step_site, w->loop_end, false) > 0)
            w->loop_end = t->step_site;
    }
    t->step_site = site;
    t->step_prints = prints;
}

static bool has_left(const struct warp *w, const struct thread *t)
{
    return !w->loop_end || compare(t->step_site, w->loop_end, false) > 0;
}

/* < 0: a goes before b; 0: together. */
static int compare_lanes(const struct warp *w, const struct thread *a, const struct thread *b)
{
    bool left = has_left(w, a);

    if (left != has_left(w, b))
        return left ? 1 : -1;
    if (!left && a->step_turns != b->step_turns)
        return a->step_turns < b->step_turns ? -1 : 1;
    return compare(a->step_site, b->step_site, a->step_prints && a->step_prints == b->step_prints);
}

/* All lanes that can have arrived: those of them that go on. */
static void choose(struct block *b, struct warp *w, uint32_t ready)
{
    const struct thread *best = lane_of(b, w, ready);

    for (uint32_t rest = ready; rest; rest &= rest - 1)
        if (compare_lanes(w, lane_of(b, w, rest), best) < 0)
            best = lane_of(b, w, rest);
    for (uint32_t rest = ready; rest; rest &= rest - 1)
        if (compare_lanes(w, lane_of(b, w, rest), best) == 0)
            w->chosen |= rest & -rest;
    if (has_left(w, best)) { /* all have: as at the start */
        w->loop_end = 0;
        for (uint32_t rest = ready; rest; rest &= rest - 1)
            lane_of(b, w, rest)->step_turns = 0;
    }
}

/* Who runs next, by its id: it may not have begun. */
static unsigned next_of(struct block *b, struct warp *w)
{
    uint32_t ready = set_of_warp(b->ready, w->first / WARP);

    w->chosen &= ready;
    if (!w->chosen && !(ready & ~w->arrived))
        choose(b, w, ready);
    return w->first + (unsigned)__builtin_ctz(w->chosen ? w->chosen : ready & ~w->arrived);
}

void in_step(struct thread *t, uintptr_t site, const void *prints)
{
    struct block *b = t->block;
    struct warp *w = warp_of(t);
    unsigned next;

    if (cpu_driver || cpu_random_order || cpu_waits_for_lanes)
        return;
    arrive(w, t, site, prints);
    while ((next = next_of(b, w)) != t->id)
        cpu_switch(b, next, t->fiber);
    w->arrived &= ~(1u << t->id % WARP);
    w->chosen &= ~(1u << t->id % WARP);
}
