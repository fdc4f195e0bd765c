/*
 * Which lanes of a warp do an instruction together.
 *
 * Lanes run one after the other here, side by side on a GPU. Before each access a lane says where
 * it is, and lets the others of its warp run until all that can are about to do an access, too.
 * Then those at one place do theirs, in order of lane, and the others wait: the lanes that have
 * gone back to an earlier line least often, because the others are rounds of a loop ahead of them;
 * of these the ones at the first line, because the others may be behind the point where the ways
 * meet again. The address decides within a line. A lane that has left a loop waits for those that
 * are in it still, which the source tells. So lanes that went different ways are together again
 * behind them, as far as a GPU would have it.
 *
 * A lane that waits at a barrier, for a warp operation or in a spin is not waited for.
 */
#include <string.h>
#include "cpu/tools/lines/lines.h"
#include "cpu/tools/record/record.h"

static int compare_sites(uintptr_t a, uintptr_t b)
{
    int first = a == b ? 0 : lines_find(a).line, second = a == b ? 0 : lines_find(b).line;

    if (first != second)
        return first < second ? -1 : 1;
    return a < b ? -1 : a > b;
}

/* Is one place in a loop, and the other one behind it? */
static bool has_left(uintptr_t in, uintptr_t behind)
{
    struct source_line loop = lines_find(in), other = lines_find(behind);

    return loop.path && other.path && !strcmp(loop.path, other.path) &&
           loops_left(loop.path, loop.line, other.line);
}

static bool is_in_loop(uintptr_t site)
{
    struct source_line at = lines_find(site);

    return at.path && loops_hold(at.path, at.line);
}

/* Does the one lane go before the other? */
static bool is_before(const struct going *g, unsigned lane, unsigned other)
{
    bool fewer = g->turns[lane] < g->turns[other];

    if (g->turns[lane] != g->turns[other])
        return fewer ? !has_left(g->site[other], g->site[lane])
                     : has_left(g->site[lane], g->site[other]);
    return compare_sites(g->site[lane], g->site[other]) < 0;
}

static void choose(struct going *g)
{
    unsigned best = (unsigned)__builtin_ctz(g->announced);

    for (uint32_t rest = g->announced; rest; rest &= rest - 1)
        if (is_before(g, (unsigned)__builtin_ctz(rest), best))
            best = (unsigned)__builtin_ctz(rest);
    g->chosen = 0;
    g->issue++;
    for (uint32_t rest = g->announced; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest);

        if (g->site[lane] == g->site[best] && g->turns[lane] == g->turns[best])
            g->chosen |= 1u << lane;
    }
}

void going_announce(struct going *g, const struct thread *t, uintptr_t site)
{
    unsigned lane = t->id % WARP;

    if (g->announced >> lane & 1)
        return;
    g->announced |= 1u << lane;
    g->site[lane] = site;
    if (!is_in_loop(site))
        g->turns[lane] = 0;
    else
        g->turns[lane] += g->last[lane] && compare_sites(site, g->last[lane]) <= 0;
    g->last[lane] = site;
}

bool going_rests(const struct going *g, const struct block *b, unsigned warp)
{
    return !g->chosen && !(set_of_warp(b->ready, warp) & ~g->announced);
}

bool going_waits(struct going *g, const struct thread *t)
{
    if (going_rests(g, t->block, t->id / WARP))
        choose(g);
    return !(g->chosen >> t->id % WARP & 1);
}

void going_done(struct going *g, unsigned lane)
{
    g->announced &= ~(1u << lane);
    g->chosen &= ~(1u << lane);
}

void going_met(struct going *g, uint32_t lanes)
{
    uint32_t turns = 0;

    for (uint32_t rest = lanes; rest; rest &= rest - 1)
        if (g->turns[__builtin_ctz(rest)] > turns)
            turns = g->turns[__builtin_ctz(rest)];
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        g->turns[__builtin_ctz(rest)] = turns;
        g->last[__builtin_ctz(rest)] = 0;
    }
}
