/*
 * The search: TruSt (Kokologiannakis, Marmanis, Gladstein and Vafeiadis, POPL 2022) on the graphs
 * of graph.c.
 *
 * A read that is added reads the last write of its cell, and for each other write that it may read
 * a copy of the graph waits. A write that is added stands last in coherence order, a copy waits for
 * each other place, and for each read that could have read it a copy without what was added since
 * that read and is not needed for the write. Such a copy is made only from the one graph in which
 * all that it leaves out was added in the plainest way, so no execution comes twice.
 *
 * It is complete if the event that is added next depends on the graph alone: see drive.c.
 */
#include <stdlib.h>
#include <string.h>
#include "cpu/tools/explore/search.h"

/* Of the first runs every other one takes the oldest that waits, which differs from the first run
 * in an early event; the newest first would come to it last, behind 2^32 others where 32 lanes
 * choose each. It costs memory, so not for ever. */
enum { EARLY_RUNS = 200 };

struct pending {
    struct pending *next, *newer;
    struct event *event;
    uint32_t count, cells;
};

void search_begin(struct search *s, unsigned threads, unsigned block)
{
    s->g = graph_new(threads, block);
    s->next = calloc(threads, sizeof(*s->next));
    s->pending = calloc(1, sizeof(*s->pending)); /* the empty graph */
    if (!s->next || !s->pending)
        abort();
    s->oldest = s->pending;
    s->waiting = 1;
    s->begun = 0;
}

void search_end(struct search *s)
{
    for (struct pending *p = s->pending, *next; p; p = next) {
        next = p->next;
        free(p->event);
        free(p);
    }
    graph_free(s->g);
    free(s->next);
    s->pending = s->oldest = NULL;
    s->g = NULL;
    s->next = NULL;
    s->waiting = 0;
}

static struct pending *take(struct search *s)
{
    struct pending *p = s->begun++ < EARLY_RUNS && s->begun % 2 == 0 ? s->oldest : s->pending;

    *(p->newer ? &p->newer->next : &s->pending) = p->next;
    *(p->next ? &p->next->newer : &s->oldest) = p->newer;
    s->waiting--;
    return p;
}

bool search_next(struct search *s)
{
    bool found = false;

    while (s->pending && !found) {
        struct pending *p = take(s);

        found = graph_load(s->g, p->event, p->count, p->cells);
        free(p->event);
        free(p);
    }
    memset(s->next, 0, s->g->threads * sizeof(*s->next));
    s->dead = s->strange = false;
    s->race[0] = s->race[1] = NO_EVENT;
    return found;
}

static void push(struct search *s, struct event *events, uint32_t count)
{
    struct pending *p = malloc(sizeof(*p));

    if (!p)
        abort();
    *p = (struct pending){s->pending, NULL, events, count, s->g->cells};
    *(s->pending ? &s->pending->newer : &s->oldest) = p;
    s->pending = p;
    s->waiting++;
}

bool search_again(const struct search *s, unsigned thread)
{
    return graph_at(s->g, thread, s->next[thread]) != NULL;
}

bool search_ready(const struct search *s, unsigned thread)
{
    return graph_done(s->g, s->g->of_thread[thread].item[s->next[thread]], s->next);
}

const uint16_t *search_before(const struct search *s, unsigned thread)
{
    return graph_before_of(s->g, s->g->of_thread[thread].item[s->next[thread] - 1]);
}

/* The event that was added last races with this one; NO_EVENT: with none. */
static void note_race(struct search *s, uint32_t with)
{
    s->race[1] = with;
    s->race[0] = with == NO_EVENT ? NO_EVENT : s->g->count - 1;
}

/* --- a read ---------------------------------------------------------------------------------- */

/* How many writes of its cell the read sees in the plainest case: all; of a part of a sum, as many
 * as fit the parts that it has seen. */
static uint32_t most_seen(struct search *s, uint32_t r)
{
    struct graph *g = s->g;
    const struct list *l = &g->writes[g->event[r].cell];
    uint32_t seen = l->count;

    if (g->sum[g->event[r].cell] == g->event[r].cell)
        return seen;
    for (graph_read_from(g, r, seen ? l->item[seen - 1] : NO_EVENT); !graph_look_allowed(g, r);
         graph_read_from(g, r, seen ? l->item[seen - 1] : NO_EVENT)) {
        if (!seen) {
            s->dead = true;
            break;
        }
        seen--;
    }
    graph_read_from(g, r, NO_EVENT);
    return seen;
}

static void add_read(struct search *s, struct event e)
{
    struct graph *g = s->g;
    uint32_t last, r, count;

    e.from = NO_EVENT;
    r = graph_add(g, e);
    count = g->writes[e.cell].count;
    if (s->scheduled) {
        count -= s->older < count ? s->older : count;
        s->older = 0;
    } else {
        count = most_seen(s, r);
    }
    last = count ? g->writes[e.cell].item[count - 1] : NO_EVENT;
    for (uint32_t i = 0; i < count && !s->scheduled; i++) {
        uint32_t w = i ? g->writes[e.cell].item[i - 1] : NO_EVENT;

        if (graph_may_read(g, r, w)) {
            struct event *copy = graph_save(g);

            copy[r].from = w;
            push(s, copy, g->count);
        }
    }
    graph_read_from(g, r, last);
    note_race(s, graph_race(g, r));
}

/* --- a write --------------------------------------------------------------------------------- */

/* Copies of the graph with the write, the last of `events`, at each place of its cell but the end,
 * or also there. `before` says of a number in these events whether it causes the write. Takes the
 * events. */
static void push_places(struct search *s, struct event *events, uint32_t count, const uint32_t *old,
                        bool end)
{
    uint32_t e = count - 1, w = s->g->count - 1, *order = malloc((count + 1) * sizeof(*order));
    uint32_t n = 0;

    if (!order)
        abort();
    for (uint32_t i = 0; i < e; i++) { /* the other writes of the cell, by their places */
        uint32_t at = n;

        if (events[i].kind != EVENT_WRITE || events[i].cell != events[e].cell)
            continue;
        for (; at && events[order[at - 1]].from > events[i].from; at--)
            order[at] = order[at - 1];
        order[at] = i;
        n++;
    }
    for (uint32_t place = n + 1; place-- > 0;) {
        if (place < n || end) {
            struct event *copy = malloc(count * sizeof(*copy));

            if (!copy)
                abort();
            memcpy(copy, events, count * sizeof(*copy));
            for (uint32_t i = 0; i < n; i++)
                copy[order[i]].from = i + (i >= place);
            copy[e].from = place;
            push(s, copy, count);
        }
        if (place && graph_causes(s->g, old ? old[order[place - 1]] : order[place - 1], w))
            break;
    }
    free(order);
    free(events);
}

/* Was x, which the copy would leave out, added in the plainest way: a write behind all others, a
 * read of the last write, among what was there then or is needed for the write e? */
static bool is_maximal(const struct graph *g, uint32_t x, uint32_t e)
{
    const struct event *event = &g->event[x];
    const struct list *writes, *reads;
    uint32_t from = event->kind == EVENT_READ ? event->from : x;
    bool behind = from == NO_EVENT;

    if (event->kind != EVENT_READ && event->kind != EVENT_WRITE)
        return true;
    writes = &g->writes[event->cell];
    reads = &g->reads[event->cell];
    for (uint32_t i = 0; event->kind == EVENT_WRITE && i < reads->count; i++)
        if (g->event[reads->item[i]].from == x && reads->item[i] < x)
            return false;
    if (from != NO_EVENT && from > x && !graph_porf(g, from, e))
        return false;
    for (uint32_t i = 0; i < writes->count; i++) {
        uint32_t w = writes->item[i];

        if (behind && w != e && (w < x || graph_porf(g, w, e)) && w != x)
            return false;
        behind |= w == from;
    }
    return true;
}

/* The read reads the write, which was added last: the graph without all that was added after the
 * read and is not needed for the write. */
static void revisit(struct search *s, uint32_t r, uint32_t e)
{
    struct graph *g = s->g;
    struct event *all;
    uint32_t *old, *now, kept = 0;

    for (uint32_t x = r; x < e; x++)
        if ((x == r || !graph_porf(g, x, e)) && !is_maximal(g, x, e))
            return;
    all = graph_save(g);
    old = malloc(2 * (size_t)g->count * sizeof(*old));
    if (!old)
        abort();
    now = old + g->count;
    for (uint32_t x = 0; x <= e; x++)
        if (x <= r || x == e || graph_porf(g, x, e)) {
            now[x] = kept;
            old[kept++] = x;
        }
    for (uint32_t i = 0; i < kept; i++) {
        struct event *x = &all[i];

        *x = all[old[i]];
        if (old[i] == r)
            x->from = kept - 1;
        else if ((x->kind == EVENT_READ && x->from != NO_EVENT) || x->kind == EVENT_GROUP)
            x->from = now[x->from];
    }
    push_places(s, all, kept, old, true);
    free(old);
}

static void add_write(struct search *s, struct event e)
{
    struct graph *g = s->g;
    const struct list *reads;
    uint32_t w = graph_add(g, e);

    note_race(s, graph_race(g, w));
    if (s->scheduled && s->older) {
        struct list *l = &g->writes[e.cell];

        l->count--;
        list_insert(l, l->count - s->older, w);
        s->older = 0;
    }
    if (!s->scheduled) {
        push_places(s, graph_save(g), g->count, NULL, false);
        reads = &g->reads[e.cell];
        for (uint32_t i = 0; i < reads->count; i++)
            if (!graph_porf(g, reads->item[i], w))
                revisit(s, reads->item[i], w);
    }
    s->dead |= e.flags & EVENT_UPDATE && !graph_writes_allowed(g, e.cell);
}

/* --- any event ------------------------------------------------------------------------------- */

uint32_t search_event(struct search *s, struct event e)
{
    const struct event *again = graph_at(s->g, e.thread, s->next[e.thread]);

    s->next[e.thread]++;
    if (!again) {
        if (e.kind == EVENT_READ)
            add_read(s, e);
        else if (e.kind == EVENT_WRITE)
            add_write(s, e);
        else
            graph_add(s->g, e);
        if (e.kind >= EVENT_ARRIVE)
            note_race(s, graph_unready(s->g, s->g->count - 1));
        if (s->races_allowed)
            s->race[0] = s->race[1] = NO_EVENT;
        again = &s->g->event[s->g->count - 1];
    } else if (again->kind != e.kind || again->cell != e.cell || again->flags != e.flags ||
               ((e.kind == EVENT_WRITE || e.kind >= EVENT_ARRIVE) && again->value != e.value)) {
        s->strange = true;
    }
    return again->kind == EVENT_READ ? again->from : NO_EVENT;
}

/* Have the same threads come together before, and done nothing since? Then nothing is added. */
static bool is_repeated(const struct search *s, const unsigned *threads, unsigned count,
                        bool orders)
{
    uint32_t first = NO_EVENT, members = 0;

    for (unsigned i = 0; i < count; i++) {
        uint32_t done = s->next[threads[i]];
        const struct event *last = done ? graph_at(s->g, threads[i], done - 1) : NULL;

        if (!last || last->kind != EVENT_GROUP || (orders && !(last->flags & EVENT_ORDERS)) ||
            (i && last->from != first))
            return false;
        first = last->from;
    }
    for (uint32_t e = first; e < s->g->count && s->g->event[e].kind == EVENT_GROUP; e++)
        members += s->g->event[e].from == first;
    return members == count;
}

void search_group(struct search *s, const unsigned *threads, unsigned count, bool orders,
                  uintptr_t site)
{
    uint32_t first = s->g->count;

    if (is_repeated(s, threads, count, orders))
        return;
    for (unsigned i = 0; i < count; i++) {
        unsigned t = threads[i];
        const struct event *again = graph_at(s->g, t, s->next[t]);
        struct event e = {.kind = EVENT_GROUP,
                          .flags = orders ? EVENT_ORDERS : 0,
                          .thread = (uint16_t)t,
                          .from = first,
                          .site = site};

        s->next[t]++;
        if (!again)
            graph_add(s->g, e);
        else if (again->kind != EVENT_GROUP)
            s->strange = true;
    }
    graph_group(s->g, first);
}
