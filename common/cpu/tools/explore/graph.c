/*
 * The axioms of PTX on the graph of an execution.
 *
 * Base causality order is kept as a vector clock per event: it is transitive and contains program
 * order, so the events before one are the first so many of each thread. Clocks follow from the
 * graph by a walk backwards. Fence-SC order is not chosen: an order of two fence.sc is taken only
 * when the other one would break an axiom, until nothing more follows; the execution is forbidden
 * when these orders make a circle. Reads never read from what they cause (no load buffering): that
 * is stricter than PTX, as docs/explore.md says.
 *
 * Of a sum the additions have no order: each thread's are writes of its own part. Threads that look
 * see all parts, and what they see must fit one order: of two looks one has seen all that the other
 * has, and none has seen an addition without those that cause it.
 *
 * Coherence order is a list per cell. Only what PTX relates counts of it: two writes that are
 * morally strong, or ordered by causality, and what follows from these.
 */
#include <stdlib.h>
#include <string.h>
#include "cpu/tools/explore/graph.h"

static void *grown(void *old, size_t count, size_t size)
{
    void *p = realloc(old, (count ? count : 1) * size);

    if (!p)
        abort();
    return p;
}

void list_add(struct list *l, uint32_t item)
{
    if (l->count == l->room) {
        l->room = l->room ? 2 * l->room : 8;
        l->item = grown(l->item, l->room, sizeof(*l->item));
    }
    l->item[l->count++] = item;
}

void list_insert(struct list *l, uint32_t at, uint32_t item)
{
    list_add(l, item);
    memmove(l->item + at + 1, l->item + at, (l->count - 1 - at) * sizeof(*l->item));
    l->item[at] = item;
}

struct graph *graph_new(unsigned threads, unsigned block)
{
    struct graph *g = grown(NULL, 1, sizeof(*g));

    *g = (struct graph){.threads = threads, .block = block};
    g->of_thread = grown(NULL, threads, sizeof(*g->of_thread));
    memset(g->of_thread, 0, threads * sizeof(*g->of_thread));
    return g;
}

void graph_free(struct graph *g)
{
    if (!g)
        return;
    for (unsigned i = 0; i < g->threads; i++)
        free(g->of_thread[i].item);
    for (uint32_t i = 0; i < g->cells; i++) {
        free(g->writes[i].item);
        free(g->reads[i].item);
    }
    free(g->of_thread);
    free(g->writes);
    free(g->reads);
    free(g->parts);
    free(g->sum);
    free(g->event);
    free(g->base);
    free(g->porf);
    free(g->state);
    free(g->sc.item);
    for (uint32_t i = 0; i < g->room; i++)
        free(g->edges[i].item);
    free(g->edges);
    free(g);
}

static void need_cells(struct graph *g, uint32_t cells)
{
    if (cells <= g->cells)
        return;
    cells += cells / 2;
    g->writes = grown(g->writes, cells, sizeof(*g->writes));
    g->reads = grown(g->reads, cells, sizeof(*g->reads));
    g->parts = grown(g->parts, cells, sizeof(*g->parts));
    g->sum = grown(g->sum, cells, sizeof(*g->sum));
    for (uint32_t i = g->cells; i < cells; i++) {
        g->parts[i] = 0;
        g->sum[i] = i;
    }
    memset(g->writes + g->cells, 0, (cells - g->cells) * sizeof(*g->writes));
    memset(g->reads + g->cells, 0, (cells - g->cells) * sizeof(*g->reads));
    g->cells = cells;
}

static void need_events(struct graph *g, uint32_t count)
{
    if (count > g->room) {
        uint32_t before = g->room;

        g->room = 2 * count + 64;
        g->edges = grown(g->edges, g->room, sizeof(*g->edges));
        memset(g->edges + before, 0, (g->room - before) * sizeof(*g->edges));
        g->event = grown(g->event, g->room, sizeof(*g->event));
        g->state = grown(g->state, g->room, 1);
        g->base = grown(g->base, (size_t)g->room * g->threads, sizeof(*g->base));
        g->porf = grown(g->porf, (size_t)g->room * g->threads, sizeof(*g->porf));
    }
}

/* --- relations ------------------------------------------------------------------------------- */

const struct event *graph_at(const struct graph *g, unsigned thread, uint32_t index)
{
    const struct list *l = &g->of_thread[thread];

    return index < l->count ? &g->event[l->item[index]] : NULL;
}

bool graph_strong(const struct graph *g, const struct event *a, const struct event *b)
{
    bool same_block = a->thread / g->block == b->thread / g->block;

    if (a->thread == b->thread)
        return a->index != b->index;
    return a->flags & b->flags & EVENT_STRONG &&
           (same_block || !((a->flags | b->flags) & EVENT_BLOCK));
}

static uint16_t *base_of(const struct graph *g, uint32_t e)
{
    return g->base + (size_t)e * g->threads;
}

static uint16_t *porf_of(const struct graph *g, uint32_t e)
{
    return g->porf + (size_t)e * g->threads;
}

bool graph_before(const struct graph *g, uint32_t a, uint32_t b)
{
    return g->event[a].index < base_of(g, b)[g->event[a].thread];
}

bool graph_porf(const struct graph *g, uint32_t a, uint32_t b)
{
    return g->event[a].index < porf_of(g, b)[g->event[a].thread];
}

const uint16_t *graph_before_of(const struct graph *g, uint32_t event)
{
    return base_of(g, event);
}

bool graph_done(const struct graph *g, uint32_t event, const uint32_t *done)
{
    const uint16_t *base = base_of(g, event), *porf = porf_of(g, event);

    for (unsigned i = 0; i < g->threads; i++)
        if (i != g->event[event].thread && (done[i] < base[i] || done[i] < porf[i]))
            return false;
    return true;
}

uint32_t graph_place(const struct graph *g, uint32_t write)
{
    const struct list *l = &g->writes[g->event[write].cell];
    uint32_t i = l->count;

    while (i-- > 0)
        if (l->item[i] == write)
            return i;
    return 0;
}

uint32_t graph_last_write(const struct graph *g, uint32_t cell)
{
    const struct list *l = &g->writes[cell];

    return cell < g->cells && l->count ? l->item[l->count - 1] : NO_EVENT;
}

/* The write of the update that this read begins; NO_EVENT: it has none, or not yet. */
static uint32_t write_of_update(const struct graph *g, uint32_t read)
{
    const struct event *r = &g->event[read];
    const struct list *l = &g->of_thread[r->thread];
    uint32_t next = r->index + 1 < l->count ? l->item[r->index + 1] : NO_EVENT;

    if (r->flags & EVENT_UPDATE && next != NO_EVENT && g->event[next].kind == EVENT_WRITE &&
        g->event[next].flags & EVENT_UPDATE)
        return next;
    return NO_EVENT;
}

bool graph_causes(const struct graph *g, uint32_t write, uint32_t to)
{
    const struct list *reads = &g->reads[g->event[write].cell];

    if (graph_before(g, write, to))
        return true;
    for (uint32_t i = 0; i < reads->count; i++) {
        uint32_t r = reads->item[i], next;

        if (g->event[r].from != write || r == to ||
            !graph_strong(g, &g->event[write], &g->event[r]))
            continue;
        if (graph_before(g, r, to))
            return true;
        next = write_of_update(g, r);
        if (next != NO_EVENT && next != to && graph_causes(g, next, to))
            return true;
    }
    return false;
}

/* Coherence order between the writes at two places of a cell's list, the first earlier. */
static bool coherent(const struct graph *g, const struct list *l, uint32_t first, uint32_t second)
{
    uint32_t a = l->item[first], b = l->item[second];

    if (graph_strong(g, &g->event[a], &g->event[b]) || graph_causes(g, a, b))
        return true;
    for (uint32_t i = first + 1; i < second; i++) {
        uint32_t c = l->item[i];

        if ((graph_strong(g, &g->event[a], &g->event[c]) || graph_causes(g, a, c)) &&
            coherent(g, l, i, second))
            return true;
    }
    return false;
}

/* Is what the read reads overwritten, in coherence order, by the write at this place? */
static bool overwritten(const struct graph *g, uint32_t from, const struct list *l, uint32_t place)
{
    uint32_t first = 0;

    if (from == NO_EVENT)
        return true;
    while (first < place && l->item[first] != from)
        first++;
    return first < place && coherent(g, l, first, place);
}

/* --- clocks ---------------------------------------------------------------------------------- */

static bool make_clocks(struct graph *g, uint32_t e);

static void join(uint16_t *to, const uint16_t *from, unsigned threads)
{
    for (unsigned i = 0; i < threads; i++)
        to[i] = to[i] > from[i] ? to[i] : from[i];
}

/* All that is before x, and x, is before e. */
static bool join_base(struct graph *g, uint32_t e, uint32_t x)
{
    const struct event *first = &g->event[x];

    if (first->index < base_of(g, e)[first->thread])
        return true;
    if (!make_clocks(g, x))
        return false;
    join(base_of(g, e), base_of(g, x), g->threads);
    if (base_of(g, e)[first->thread] <= first->index)
        base_of(g, e)[first->thread] = (uint16_t)(first->index + 1);
    return true;
}

static bool join_porf(struct graph *g, uint32_t e, uint32_t x)
{
    const struct event *first = &g->event[x];

    if (!make_clocks(g, x))
        return false;
    join(porf_of(g, e), porf_of(g, x), g->threads);
    if (porf_of(g, e)[first->thread] <= first->index)
        porf_of(g, e)[first->thread] = (uint16_t)(first->index + 1);
    return true;
}

/* The release patterns that end with this write synchronise with e: the last that is morally
 * strong with e has the others before it. */
static bool join_release(struct graph *g, uint32_t e, uint32_t write)
{
    const struct event *w = &g->event[write];

    for (uint32_t i = w->index + 1; i-- > 0;) {
        uint32_t x = g->of_thread[w->thread].item[i];
        const struct event *head = &g->event[x];
        bool releases =
            head->kind == EVENT_FENCE ||
            (head->kind == EVENT_WRITE && head->cell == w->cell && head->flags & EVENT_RELEASE);

        if (releases && graph_strong(g, head, &g->event[e]))
            return join_base(g, e, x);
    }
    return true;
}

/* The writes that the read observes, through the chain of atomic updates. */
static bool join_observed(struct graph *g, uint32_t e, uint32_t read)
{
    for (;;) {
        uint32_t write = g->event[read].from;
        const struct event *w = &g->event[write];

        if (write == NO_EVENT || !graph_strong(g, w, &g->event[read]))
            return true;
        if (!join_release(g, e, write))
            return false;
        if (!(w->flags & EVENT_UPDATE))
            return true;
        read = g->of_thread[w->thread].item[w->index - 1];
    }
}

/* The acquire patterns that end with e. What a fence before it of no smaller scope has acquired is
 * before e already. */
static bool join_acquire(struct graph *g, uint32_t e)
{
    const struct event *last = &g->event[e];
    bool fence = last->kind == EVENT_FENCE;

    for (uint32_t i = last->index + 1; i-- > 0;) {
        uint32_t x = g->of_thread[last->thread].item[i];
        const struct event *r = &g->event[x];

        if (r->kind == EVENT_FENCE && x != e &&
            (!(r->flags & EVENT_BLOCK) || last->flags & EVENT_BLOCK))
            return true;
        if (r->kind == EVENT_READ && r->flags & EVENT_STRONG && (fence || r->cell == last->cell) &&
            !join_observed(g, e, x))
            return false;
    }
    return true;
}

/* What is before a group is before all of it: made once, for its first event, and copied. */
static bool join_group(struct graph *g, uint32_t e)
{
    const struct event *x = &g->event[e];

    if (x->from != e)
        return (!(x->flags & EVENT_ORDERS) || join_base(g, e, x->from)) && join_porf(g, e, x->from);
    for (uint32_t i = e; i < g->count; i++) {
        const struct event *m = &g->event[i];

        if (m->kind != EVENT_GROUP || m->from != e)
            break;
        if (m->index) {
            uint32_t last = g->of_thread[m->thread].item[m->index - 1];

            if (!join_porf(g, e, last) || (m->flags & EVENT_ORDERS && !join_base(g, e, last)))
                return false;
        }
    }
    return true;
}

/* All events of a group are before what comes after any of them. */
static void join_members(struct graph *g, uint32_t e, uint32_t first)
{
    for (uint32_t i = first; i < g->count; i++) {
        const struct event *m = &g->event[i];
        uint16_t *base = &base_of(g, e)[m->thread], *porf = &porf_of(g, e)[m->thread];

        if (m->kind != EVENT_GROUP || m->from != first)
            break;
        if (*porf <= m->index)
            *porf = (uint16_t)(m->index + 1);
        if (m->flags & EVENT_ORDERS && *base <= m->index)
            *base = (uint16_t)(m->index + 1);
    }
}

/* What a phase's arrivals tell is before what passes it. */
static bool join_phase(struct graph *g, uint32_t e)
{
    for (uint32_t a = 0; a < g->count; a++) {
        const struct event *x = &g->event[a];

        if (x->kind == EVENT_ARRIVE && !(x->flags & EVENT_BEGINS) && x->cell == g->event[e].cell &&
            x->value == g->event[e].value &&
            (!join_porf(g, e, a) || (x->flags & EVENT_ORDERS && !join_base(g, e, a))))
            return false;
    }
    return true;
}

static bool join_edges(struct graph *g, uint32_t e)
{
    for (uint32_t i = 0; i < g->edges[e].count; i++)
        if (!join_base(g, e, g->edges[e].item[i]))
            return false;
    return true;
}

/* What is before the event. False: the event is before itself. */
static bool make_clocks(struct graph *g, uint32_t e)
{
    const struct event *x = &g->event[e];
    size_t bytes = g->threads * sizeof(*g->base);
    bool fine = true;

    if (g->state[e])
        return g->state[e] == 2;
    g->state[e] = 1;
    memset(base_of(g, e), 0, bytes);
    memset(porf_of(g, e), 0, bytes);
    if (x->index) {
        uint32_t last = g->of_thread[x->thread].item[x->index - 1];

        fine = join_base(g, e, last) && join_porf(g, e, last);
        if (fine && g->event[last].kind == EVENT_GROUP)
            join_members(g, e, g->event[last].from);
    }
    if (fine && x->kind == EVENT_GROUP)
        fine = join_group(g, e);
    if (fine && x->kind == EVENT_PASS)
        fine = join_phase(g, e);
    if (fine && x->kind == EVENT_READ && x->from != NO_EVENT)
        fine = join_porf(g, e, x->from);
    if (fine && (x->kind == EVENT_FENCE || (x->kind == EVENT_READ && x->flags & EVENT_ACQUIRE)))
        fine = join_acquire(g, e);
    if (fine && x->kind == EVENT_FENCE)
        fine = join_edges(g, e);
    g->state[e] = 2;
    return fine;
}

/* --- fence-SC order -------------------------------------------------------------------------- */

/* Must b not come before a in causality order? Both are of one cell: a reads or is what b, or what
 * b observed, overwrites. */
static bool must_not(const struct graph *g, uint32_t b, uint32_t a)
{
    const struct event *x = &g->event[a];
    const struct list *l = &g->writes[x->cell];
    uint32_t source = g->event[b].kind == EVENT_WRITE ? b : g->event[b].from;

    if (source == NO_EVENT || a == b)
        return false;
    if (g->event[b].kind == EVENT_READ && !graph_strong(g, &g->event[source], &g->event[b]))
        return false;
    if (x->kind == EVENT_WRITE)
        return source == a ? b != a : graph_place(g, source) > graph_place(g, a);
    return overwritten(g, x->from, l, graph_place(g, source));
}

/* An order from each fence.sc before a to the fence e. */
static bool add_edges_of(struct graph *g, uint32_t a, uint32_t e)
{
    bool added = false;

    for (uint32_t i = 0; i < g->sc.count; i++) {
        uint32_t first = g->sc.item[i];

        if (first != e && graph_before(g, first, a) && !graph_before(g, first, e) &&
            graph_strong(g, &g->event[first], &g->event[e])) {
            list_add(&g->edges[e], first);
            added = true;
        }
    }
    return added;
}

/* Has what is before e something that must not come before a, in the same cell? */
static bool is_later(const struct graph *g, uint32_t a, uint32_t e)
{
    const struct list *part[2] = {&g->writes[g->event[a].cell], &g->reads[g->event[a].cell]};

    for (int i = 0; i < 2; i++)
        for (uint32_t j = 0; j < part[i]->count; j++) {
            uint32_t b = part[i]->item[j];

            if (g->event[a].thread != g->event[b].thread && graph_before(g, b, e) &&
                must_not(g, b, a))
                return true;
        }
    return false;
}

/* The orders of two fence.sc that end with e and follow from what their threads read and wrote. */
static bool add_edges_into(struct graph *g, uint32_t e)
{
    bool added = false;

    for (uint32_t a = 0; a < g->count; a++) {
        bool fenced = false;

        if (g->event[a].kind > EVENT_WRITE || graph_before(g, a, e))
            continue;
        for (uint32_t i = 0; i < g->sc.count && !fenced; i++)
            fenced = g->sc.item[i] != e && graph_before(g, g->sc.item[i], a) &&
                     !graph_before(g, g->sc.item[i], e);
        if (fenced && is_later(g, a, e))
            added |= add_edges_of(g, a, e);
    }
    return added;
}

static bool add_edges(struct graph *g)
{
    bool added = false, several = false;

    for (uint32_t i = 1; i < g->sc.count; i++)
        several |= g->event[g->sc.item[i]].thread != g->event[g->sc.item[0]].thread;
    for (uint32_t i = 0; several && i < g->sc.count; i++)
        added |= add_edges_into(g, g->sc.item[i]);
    return added;
}

/* --- sums ------------------------------------------------------------------------------------- */

void graph_make_sum(struct graph *g, uint32_t cell, uint32_t parts)
{
    need_cells(g, cell + parts + 1);
    g->parts[cell] = parts;
    for (uint32_t i = 1; i <= parts; i++)
        g->sum[cell + i] = cell;
}

/* Of the look that begins with this read: what it reads in that part, 0 is the cell itself; NULL:
 * it has not come so far. */
static const struct event *look_at(const struct graph *g, uint32_t look, uint32_t part)
{
    const struct event *first = &g->event[look],
                       *e = graph_at(g, first->thread, first->index + part);

    return e && e->kind == EVENT_READ && e->cell == first->cell + part ? e : NULL;
}

uint32_t graph_look_end(const struct graph *g, uint32_t read)
{
    const struct event *e = &g->event[read];
    uint32_t part = 0;

    while (part < g->parts[e->cell] && look_at(g, read, part + 1))
        part++;
    return g->of_thread[e->thread].item[e->index + part];
}

/* How many writes of its cell has the read seen? */
static uint32_t count_seen(const struct graph *g, const struct event *read)
{
    return read->from == NO_EVENT ? 0 : graph_place(g, read->from) + 1;
}

/* Has one of two looks seen all that the other has? */
static bool is_nested(const struct graph *g, uint32_t a, uint32_t b)
{
    bool less = false, more = false;

    for (uint32_t i = 0; i <= g->parts[g->event[a].cell]; i++) {
        const struct event *x = look_at(g, a, i), *y = look_at(g, b, i);

        if (!x || !y)
            break;
        less |= count_seen(g, x) < count_seen(g, y);
        more |= count_seen(g, x) > count_seen(g, y);
    }
    return !(less && more);
}

/* Has the look seen a write of one part without what causes it in another? */
static bool is_closed(const struct graph *g, uint32_t look)
{
    const struct event *x, *y;

    for (uint32_t i = 0; (x = look_at(g, look, i)); i++) {
        const struct list *l = &g->writes[x->cell];
        uint32_t seen = count_seen(g, x);

        if (seen < l->count)
            for (uint32_t j = 0; (y = look_at(g, look, j)); j++)
                if (j != i && y->from != NO_EVENT && graph_causes(g, l->item[seen], y->from))
                    return false;
    }
    return true;
}

bool graph_look_allowed(const struct graph *g, uint32_t read)
{
    uint32_t sum = g->sum[g->event[read].cell], parts = g->event[read].cell - sum,
             look = g->of_thread[g->event[read].thread].item[g->event[read].index - parts];
    const struct list *l = &g->reads[sum];

    if (!(g->event[look].flags & EVENT_STRONG))
        return true;
    for (uint32_t i = 0; i < l->count; i++)
        if (l->item[i] != look && g->event[l->item[i]].flags & EVENT_STRONG &&
            !is_nested(g, look, l->item[i]))
            return false;
    return is_closed(g, look);
}

/* The addition is told by a release or a fence before it. */
static bool releases(const struct graph *g, const struct event *add)
{
    const struct list *l = &g->of_thread[add->thread];

    for (uint32_t i = 0; i < add->index; i++)
        if (g->event[l->item[i]].kind == EVENT_FENCE)
            return true;
    return add->flags & EVENT_RELEASE;
}

/* A fence behind the addition learns what those before it tell, and its thread has not looked at
 * the sum in between, by which it learns the same. */
static bool acquires(const struct graph *g, const struct event *add)
{
    const struct event *e;

    for (uint32_t i = add->index + 1; (e = graph_at(g, add->thread, i)); i++) {
        if (e->kind == EVENT_FENCE)
            return true;
        if (e->kind == EVENT_READ && e->flags & EVENT_STRONG && e->cell == g->sum[add->cell])
            return false;
    }
    return false;
}

bool graph_is_sum(const struct graph *g, uint32_t cell)
{
    bool told = false, learnt = false;

    for (uint32_t part = cell + 1; part <= cell + g->parts[cell]; part++)
        for (uint32_t i = 0; i < g->writes[part].count; i++) {
            uint32_t add = g->writes[part].item[i];

            for (uint32_t j = 0; j < g->writes[cell].count; j++)
                if (!graph_before(g, g->writes[cell].item[j], add))
                    return false;
            told |= releases(g, &g->event[add]);
            learnt |= acquires(g, &g->event[add]);
        }
    return !(told && learnt);
}

/* --- the axioms ------------------------------------------------------------------------------ */

bool graph_writes_allowed(const struct graph *g, uint32_t cell)
{
    const struct list *l = &g->writes[cell];

    for (uint32_t i = 0; i < l->count; i++) {
        const struct event *w = &g->event[l->item[i]], *r;

        for (uint32_t j = 0; j < i; j++)
            if (!graph_before(g, l->item[j], l->item[i]) && graph_causes(g, l->item[i], l->item[j]))
                return false;
        if (!(w->flags & EVENT_UPDATE))
            continue;
        r = graph_at(g, w->thread, w->index - 1);
        for (uint32_t j = 0; j < i; j++) {
            const struct event *other = &g->event[l->item[j]];

            if (graph_strong(g, r, other) && graph_strong(g, w, other) && r->from != l->item[j] &&
                overwritten(g, r->from, l, j) && coherent(g, l, j, i))
                return false;
        }
    }
    return true;
}

bool graph_may_read(const struct graph *g, uint32_t read, uint32_t write)
{
    const struct list *l = &g->writes[g->event[read].cell];

    for (uint32_t i = l->count; i-- > 0 && l->item[i] != write;)
        if (!graph_before(g, read, l->item[i]) && graph_causes(g, l->item[i], read) &&
            overwritten(g, write, l, i))
            return false;
    return true;
}

static bool allowed(const struct graph *g)
{
    for (uint32_t cell = 0; cell < g->cells; cell++) {
        if (!graph_writes_allowed(g, cell))
            return false;
        for (uint32_t i = 0; i < g->reads[cell].count; i++) {
            uint32_t r = g->reads[cell].item[i], from = g->event[r].from;

            if (!graph_may_read(g, r, from) || (from != NO_EVENT && graph_before(g, r, from)) ||
                (g->parts[cell] && !graph_look_allowed(g, r)))
                return false;
        }
    }
    return true;
}

/* The clocks of all events, with the orders of fences that follow. */
static bool settle(struct graph *g)
{
    do {
        memset(g->state, 0, g->count);
        for (uint32_t e = 0; e < g->count; e++)
            if (!make_clocks(g, e))
                return false;
    } while (add_edges(g));
    return true;
}

/* --- adding events --------------------------------------------------------------------------- */

static void enter(struct graph *g, uint32_t e, uint32_t place)
{
    struct event *x = &g->event[e];

    x->index = g->of_thread[x->thread].count;
    list_add(&g->of_thread[x->thread], e);
    g->state[e] = 0;
    g->edges[e].count = 0;
    if (x->kind == EVENT_READ)
        list_add(&g->reads[x->cell], e);
    if (x->kind == EVENT_WRITE)
        list_insert(&g->writes[x->cell], place, e);
    if (x->kind == EVENT_FENCE && x->flags & EVENT_SC)
        list_add(&g->sc, e);
}

uint32_t graph_add(struct graph *g, struct event x)
{
    uint32_t e = g->count;

    need_events(g, e + 1);
    need_cells(g, x.cell + 1);
    g->event[e] = x;
    g->count++;
    enter(g, e, g->writes[x.cell].count);
    if (x.kind != EVENT_GROUP)
        make_clocks(g, e);
    if (x.kind == EVENT_FENCE && x.flags & EVENT_SC && add_edges_into(g, e))
        settle(g);
    return e;
}

void graph_group(struct graph *g, uint32_t first)
{
    for (uint32_t e = first; e < g->count; e++)
        make_clocks(g, e);
}

void graph_read_from(struct graph *g, uint32_t read, uint32_t write)
{
    g->event[read].from = write;
    g->state[read] = 0;
    make_clocks(g, read);
}

bool graph_load(struct graph *g, const struct event *events, uint32_t count, uint32_t cells)
{
    need_events(g, count);
    need_cells(g, cells);
    for (unsigned i = 0; i < g->threads; i++)
        g->of_thread[i].count = 0;
    for (uint32_t i = 0; i < g->cells; i++)
        g->writes[i].count = g->reads[i].count = 0;
    g->sc.count = 0;
    if (count)
        memcpy(g->event, events, count * sizeof(*events));
    g->count = count;
    for (uint32_t e = 0; e < count; e++) {
        const struct event *x = &g->event[e];
        uint32_t place = 0;

        if (x->kind == EVENT_WRITE) {
            const struct list *l = &g->writes[x->cell];

            for (place = l->count; place && g->event[l->item[place - 1]].from > x->from;)
                place--;
        }
        enter(g, e, place);
    }
    return settle(g) && allowed(g);
}

struct event *graph_save(const struct graph *g)
{
    struct event *copy = grown(NULL, g->count, sizeof(*copy));

    if (g->count)
        memcpy(copy, g->event, g->count * sizeof(*copy));
    for (uint32_t cell = 0; cell < g->cells; cell++)
        for (uint32_t i = 0; i < g->writes[cell].count; i++)
            copy[g->writes[cell].item[i]].from = i;
    return copy;
}

/* Does it come before the event, without what the event itself learns? */
static bool known_before(const struct graph *g, uint32_t a, uint32_t e)
{
    const struct event *x = &g->event[e], *y = &g->event[a];

    if (x->thread == y->thread)
        return y->index < x->index;
    return x->index && graph_porf(g, a, g->of_thread[x->thread].item[x->index - 1]);
}

/* An arrival comes behind all of the phase before. So does a wait by parity behind those two phases
 * before, or it might have ended with them; and it comes before one of the next phase, or it might
 * have come too late. */
static bool is_forced(const struct graph *g, uint32_t e)
{
    const struct event *x = &g->event[e];
    bool next = false, before_next = false;

    for (uint32_t a = 0; a < g->count; a++) {
        const struct event *y = &g->event[a];

        if (y->kind != EVENT_ARRIVE || y->cell != x->cell || y->flags & EVENT_BEGINS)
            continue;
        if (y->value + 1 == x->value && !known_before(g, a, e))
            return false;
        next |= y->value == x->value + 1;
        before_next |= y->value == x->value + 1 && graph_porf(g, e, a);
    }
    return x->kind == EVENT_ARRIVE || !next || before_next;
}

bool graph_phases_forced(const struct graph *g)
{
    for (uint32_t e = 0; e < g->count; e++) {
        const struct event *x = &g->event[e];

        if (((x->kind == EVENT_ARRIVE && !(x->flags & EVENT_BEGINS)) || x->flags & EVENT_PARITY) &&
            !is_forced(g, e))
            return false;
    }
    return true;
}

uint32_t graph_unready(const struct graph *g, uint32_t event)
{
    const struct event *x = &g->event[event];

    for (uint32_t a = event; a-- > 0;) {
        const struct event *y = &g->event[a];

        if (y->kind == EVENT_ARRIVE && y->flags & EVENT_BEGINS && y->cell == x->cell)
            return graph_before(g, a, event) ? NO_EVENT : a;
    }
    return NO_EVENT;
}

uint32_t graph_race(const struct graph *g, uint32_t event)
{
    const struct event *x = &g->event[event];
    const struct list *part[2] = {&g->writes[x->cell], &g->reads[x->cell]};

    for (int i = 0; i < (x->kind == EVENT_WRITE ? 2 : 1); i++)
        for (uint32_t j = 0; j < part[i]->count; j++) {
            uint32_t other = part[i]->item[j];

            if (g->event[other].thread != x->thread && !graph_before(g, other, event) &&
                !graph_strong(g, &g->event[other], x))
                return other;
        }
    return NO_EVENT;
}
