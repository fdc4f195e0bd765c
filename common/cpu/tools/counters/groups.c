/*
 * Which accesses of a warp's lanes are one instruction of the warp.
 *
 * Lanes run one after the other here, side by side on a GPU. Two lanes' accesses belong together
 * when both lanes execute that place of the code for the same, n-th, time since the lanes last
 * synchronised at a barrier or a warp operation. As long as all lanes do the same in the same
 * order, their k-th accesses belong together, and a row of 32 addresses for each k is all that is
 * needed ("in step"). When a lane does something else than the row says, the warp goes over to
 * counting by place until its lanes synchronise again ("apart").
 *
 * Lanes that synchronise in a warp operation whose mask leaves others out begin to count anew, and
 * cannot join what they did before; the lanes left out still can.
 *
 * What is kept is bounded: lanes take turns (runtime/access.c), so that few rows are open; when
 * there is no room nevertheless, as when the other lanes wait at a barrier, the oldest is complete.
 *
 * Invariants: a lane is in each open row or group at most once; rows from `first` to before `last`
 * are open, and no lane's count is beyond `last`; an access that was added is handed to `complete`
 * once, in the order of its place. Only the worker of the warp's block calls here.
 */
#include <stdlib.h>
#include <string.h>
#include "cpu/tools/counters/groups.h"

enum {
    PLACES = 128,  /* apart */
    OPEN = 128,    /* groups of one place */
    GROUPS = 1024, /* of all places */
    TABLE = 256,   /* slots to find a place */
};

struct place {
    access_key key;
    uint32_t era;         /* see struct groups */
    uint32_t first, last; /* occurrences that may be open: from first to before last */
    uint32_t count[WARP]; /* how often each lane has been here */
    uint16_t open[OPEN];  /* group of occurrence n at n % OPEN, from 1; 0: complete */
};

struct groups {
    struct warp_accesses head; /* first: what others see */
    groups_complete *complete;
    uint32_t era[WARP]; /* how often it has synchronised with a part of the warp since then */
    unsigned places, free_group, used_groups;
    uint16_t table[TABLE]; /* place, from 1 */
    struct place place[PLACES];
    struct group group[GROUPS]; /* from here on memory is touched only where it is used */
};

struct warp_accesses *groups_create(groups_complete *complete)
{
    struct groups *g = malloc(sizeof(*g));

    if (!g)
        return NULL;
    g->complete = complete;
    g->head.as_nvcc = NULL;
    g->head.cache = NULL;
    return &g->head;
}

static void clear_places(struct groups *g)
{
    g->places = g->free_group = g->used_groups = 0;
    memset(g->table, 0, sizeof(g->table));
}

static void restart(struct groups *g)
{
    g->head.first = g->head.last = 0;
    memset(g->head.count, 0, sizeof(g->head.count));
    if (g->head.apart) {
        g->head.apart = false;
        memset(g->era, 0, sizeof(g->era));
    }
}

void groups_reset(struct warp_accesses *accesses, struct block *b, struct warp *w)
{
    struct groups *g = (struct groups *)accesses;
    struct as_nvcc *as_nvcc = accesses->as_nvcc;
    struct cache *cache = accesses->cache;

    memset(accesses, 0, offsetof(struct warp_accesses, row));
    accesses->block = b;
    accesses->warp = w;
    accesses->as_nvcc = as_nvcc;
    accesses->cache = cache;
    accesses->span.fence_lane = WARP;
    g->head.apart = true;
    restart(g);
}

static inline bool is_full(const struct groups *g, const struct group *r)
{
    return (r->lanes | g->head.warp->ended) == g->head.warp->lanes;
}

static void complete(struct groups *g, const struct group *r)
{
    g->complete(&g->head, r->key, r->lanes, r->address);
}

/* --- apart ---------------------------------------------------------------------------------- */

static void close_group(struct groups *g, struct place *p, uint32_t n)
{
    unsigned i = p->open[n % OPEN];

    if (!i)
        return;
    complete(g, &g->group[i - 1]);
    g->group[i - 1].next_free = g->free_group;
    g->free_group = i;
    p->open[n % OPEN] = 0;
}

static void close_place(struct groups *g, struct place *p)
{
    for (; p->first != p->last; p->first++)
        close_group(g, p, p->first);
}

static void close_all(struct groups *g)
{
    for (unsigned i = 0; i < g->places; i++)
        close_place(g, &g->place[i]);
}

static unsigned slot_of(access_key key, uint32_t era)
{
    return (unsigned)(((key + ((uint64_t)era << 48)) * 0x9e3779b97f4a7c15) >> 56) % TABLE;
}

static void enter(struct groups *g, unsigned place)
{
    unsigned i = slot_of(g->place[place].key, g->place[place].era);

    while (g->table[i])
        i = (i + 1) % TABLE;
    g->table[i] = (uint16_t)(place + 1);
}

/* No room for another place: drop those that no lane can come back to, or else all. */
static void drop_places(struct groups *g)
{
    uint32_t oldest = ~0u, lanes = g->head.warp->lanes & ~g->head.warp->ended;
    unsigned kept = 0;

    for (; lanes; lanes &= lanes - 1)
        if (g->era[__builtin_ctz(lanes)] < oldest)
            oldest = g->era[__builtin_ctz(lanes)];
    for (unsigned i = 0; i < g->places; i++)
        kept += g->place[i].era >= oldest;
    if (kept == g->places)
        oldest = ~0u;
    kept = 0;
    for (unsigned i = 0; i < g->places; i++) {
        if (g->place[i].era < oldest)
            close_place(g, &g->place[i]);
        else if (kept++ != i)
            g->place[kept - 1] = g->place[i];
    }
    g->places = kept;
    memset(g->table, 0, sizeof(g->table));
    for (unsigned i = 0; i < kept; i++)
        enter(g, i);
}

static struct place *find_place(struct groups *g, access_key key, uint32_t era)
{
    struct place *p;
    unsigned i;

    for (i = slot_of(key, era); g->table[i]; i = (i + 1) % TABLE) {
        p = &g->place[g->table[i] - 1];
        if (p->key == key && p->era == era)
            return p;
    }
    if (g->places == PLACES)
        drop_places(g);
    p = &g->place[g->places];
    p->key = key;
    p->era = era;
    p->first = p->last = 0;
    memset(p->count, 0, sizeof(p->count));
    enter(g, g->places++);
    return p;
}

static struct group *new_group(struct groups *g, unsigned *number)
{
    if (!g->free_group && g->used_groups == GROUPS)
        close_all(g);
    if (g->free_group) {
        *number = g->free_group;
        g->free_group = g->group[*number - 1].next_free;
    } else {
        *number = ++g->used_groups;
    }
    return &g->group[*number - 1];
}

static void add_apart(struct groups *g, unsigned lane, access_key key, uint64_t address)
{
    struct place *p = find_place(g, key, g->era[lane]);
    struct group *r;
    unsigned number;
    uint32_t n;

    if (p->count[lane] < p->first) /* what it would have joined is complete */
        p->count[lane] = p->first;
    n = p->count[lane]++;
    if (n >= p->last) {
        if (n - p->first >= OPEN)
            close_group(g, p, p->first++);
        r = new_group(g, &number);
        p->open[n % OPEN] = (uint16_t)number;
        p->last = n + 1;
        r->key = key;
        r->lanes = 0;
    } else {
        r = &g->group[p->open[n % OPEN] - 1];
    }
    r->address[lane] = address;
    r->lanes |= 1u << lane;
    if (is_full(g, r))
        for (; p->first <= n; p->first++)
            close_group(g, p, p->first);
}

/* --- in step -------------------------------------------------------------------------------- */

static void go_apart(struct groups *g)
{
    uint32_t first = g->head.first, last = g->head.last;

    if (g->head.apart)
        return;
    clear_places(g);
    g->head.apart = true;
    for (; first != last; first++) {
        struct group *r = &g->head.row[first % ROWS];

        for (uint32_t rest = r->lanes; rest; rest &= rest - 1) {
            unsigned lane = (unsigned)__builtin_ctz(rest);

            add_apart(g, lane, r->key, r->address[lane]);
        }
    }
}

/* Row n is full, and so are those before: no lane can come to them any more. If it was the last
 * one, all lanes are as far, and the first rows are used again, which are still in the
 * processor's cache. */
void groups_complete_to(struct warp_accesses *accesses, uint32_t n)
{
    struct groups *g = (struct groups *)accesses;

    while (accesses->first <= n)
        complete(g, &accesses->row[accesses->first++ % ROWS]);
    if (accesses->first == accesses->last) {
        accesses->first = accesses->last = 0;
        memset(accesses->count, 0, sizeof(accesses->count));
    }
}

void groups_add(struct warp_accesses *accesses, unsigned lane, access_key key, uint64_t address)
{
    struct groups *g = (struct groups *)accesses;
    struct group *r;
    uint32_t n;

    if (g->head.apart) {
        g->head.count[lane]++;
        add_apart(g, lane, key, address);
        return;
    }
    if (g->head.count[lane] < g->head.first) /* what it would have joined is complete */
        g->head.count[lane] = g->head.first;
    n = g->head.count[lane];
    r = &g->head.row[n % ROWS];
    if (n == g->head.last) {
        if (n - g->head.first == ROWS)
            complete(g, &g->head.row[g->head.first++ % ROWS]);
        r->key = key;
        r->lanes = 0;
        g->head.last++;
    } else if (r->key != key) {
        go_apart(g);
        g->head.count[lane]++;
        add_apart(g, lane, key, address);
        return;
    }
    g->head.count[lane] = n + 1;
    r->address[lane] = address;
    r->lanes |= 1u << lane;
    if (is_full(g, r))
        groups_complete_to(accesses, n);
}

/* How many accesses the lane has done more than that of the others which has done least. */
unsigned groups_ahead(const struct warp_accesses *accesses, unsigned lane, uint32_t others)
{
    const struct groups *g = (const struct groups *)accesses;
    uint32_t least = g->head.count[lane];

    for (; others; others &= others - 1)
        if (g->head.count[__builtin_ctz(others)] < least)
            least = g->head.count[__builtin_ctz(others)];
    return g->head.count[lane] - least;
}

/* --- synchronising -------------------------------------------------------------------------- */

void groups_flush(struct warp_accesses *accesses)
{
    struct groups *g = (struct groups *)accesses;

    if (g->head.apart)
        close_all(g);
    else
        for (; g->head.first != g->head.last; g->head.first++)
            complete(g, &g->head.row[g->head.first % ROWS]);
    restart(g);
}

void groups_sync(struct warp_accesses *accesses, uint32_t mask)
{
    struct groups *g = (struct groups *)accesses;
    uint32_t era = 0;

    if (mask == (g->head.warp->lanes & ~g->head.warp->ended)) {
        groups_flush(accesses);
        return;
    }
    go_apart(g);
    for (uint32_t rest = mask; rest; rest &= rest - 1)
        if (g->era[__builtin_ctz(rest)] > era)
            era = g->era[__builtin_ctz(rest)];
    for (uint32_t rest = mask; rest; rest &= rest - 1)
        g->era[__builtin_ctz(rest)] = era + 1;
}
