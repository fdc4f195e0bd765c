/*
 * What threads know of each other through memory.
 *
 * What was released is a record of the word; what was acquired is a reference to the word and to
 * the number of its records, so neither costs more when there are a million blocks. What follows
 * from it is looked up only when two accesses seem to be a race.
 *
 * Words and records are found through hash tables of lists. They are added under the lock, at the
 * head, complete before they can be seen, and read without it. Memory is taken by each worker from
 * chunks of its own and goes back when the launch has ended.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "cpu/tools/check/know.h"

enum {
    BUCKETS = 1 << 14,
    CHUNK = 1 << 18,        /* bytes that a worker takes from the system at once */
    MEMORY_LIMIT = 1 << 30, /* bytes; beyond that all is taken to be in order */
    SEARCH_LIMIT = 1 << 13, /* steps; beyond that the two accesses are */
    SEEN = 4 * SEARCH_LIMIT,
};

static _Atomic(struct sync *) syncs[BUCKETS];
static _Atomic(struct record *) records[BUCKETS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool any, forgotten; /* some release in this launch; too many of them */

/* --- memory for one launch ------------------------------------------------------------------ */

struct chunk {
    struct chunk *next;
    char bytes[];
};

static struct chunk *chunks;
static size_t chunk_bytes;
static uint64_t launches;
static __thread struct {
    uint64_t launch;
    char *next, *end;
} own;

void *know_take(size_t bytes)
{
    void *p;

    bytes = (bytes + 15) & ~(size_t)15;
    if (own.launch != launches || (size_t)(own.end - own.next) < bytes) {
        struct chunk *c = malloc(sizeof(*c) + CHUNK + bytes);

        if (!c)
            abort();
        pthread_mutex_lock(&lock);
        c->next = chunks;
        chunks = c;
        chunk_bytes += CHUNK + bytes;
        if (chunk_bytes > MEMORY_LIMIT)
            atomic_store(&forgotten, true);
        pthread_mutex_unlock(&lock);
        own.launch = launches;
        own.next = c->bytes;
        own.end = c->bytes + CHUNK + bytes;
    }
    p = own.next;
    own.next += bytes;
    memset(p, 0, bytes);
    return p;
}

void know_launch_begin(void)
{
    launches++;
}

void know_launch_end(void)
{
    while (chunks) {
        struct chunk *c = chunks;

        chunks = c->next;
        free(c);
    }
    chunk_bytes = 0;
    if (atomic_exchange(&any, false)) {
        memset(syncs, 0, sizeof(syncs));
        memset(records, 0, sizeof(records));
    }
    atomic_store(&forgotten, false);
}

/* --- what is known --------------------------------------------------------------------------- */

struct know *know_merge(struct know *a, struct know *b)
{
    struct know *n;

    if (!b || a == b)
        return a;
    if (!a)
        return b;
    if (a->only && a->only == b->only)
        return a->only_version >= b->only_version ? a : b;
    if (a->parent[0] == b || a->parent[1] == b)
        return a;
    if (b->parent[0] == a || b->parent[1] == a)
        return b;
    n = know_take(sizeof(*n));
    n->parent[0] = a;
    n->parent[1] = b;
    return n;
}

struct know *know_in_block(struct know *k, uint32_t serial)
{
    struct know *n = know_take(sizeof(*n));

    n->serial = serial;
    n->block = true;
    n->parent[0] = k;
    return n;
}

struct know *know_add(struct know *k, struct sync *s, uint64_t version, uint32_t serial, bool block)
{
    struct know *n;

    if (k && k->only == s && k->only_version >= version)
        return k;
    n = know_take(sizeof(*n));
    n->sync = s;
    n->version = version;
    n->serial = serial;
    n->block = block;
    if (block) {
        n->parent[0] = k && k->block ? k : NULL;
        return n->parent[0] == k ? n : know_merge(n, k);
    }
    if (!k || k->only == s) {
        n->only = s;
        n->only_version = version;
    } else {
        n->parent[0] = k;
    }
    return n;
}

static unsigned hash(uint64_t a, uint64_t b)
{
    a = (a ^ b << 32 ^ b >> 5) * 0x9e3779b97f4a7c15;
    return (unsigned)(a >> 40) % BUCKETS;
}

struct sync *know_find(uintptr_t address, uint32_t serial)
{
    struct sync *s = atomic_load_explicit(&syncs[hash(address, serial)], memory_order_acquire);

    while (s && (s->address != address || s->serial != serial))
        s = s->next;
    return s;
}

static bool flush_covers(const struct flush *f, unsigned thread, uint32_t time)
{
    if (time < f->base || time <= f->all)
        return true;
    for (unsigned i = 0; i < f->count; i++)
        if (f->of[i].thread == thread)
            return time <= f->of[i].time;
    return false;
}

static bool covers(const struct record *r, const struct target *target)
{
    unsigned thread = target->thread;
    uint32_t time = target->time;

    if (thread == r->thread && target->word == r->sync->address &&
        time <= atomic_load_explicit(&r->own, memory_order_relaxed))
        return true;
    if (time < r->base || (thread == r->thread && time <= r->time))
        return true;
    if (r->lane && thread / WARP == r->thread / WARP && time <= r->lane[thread % WARP])
        return true;
    return r->flush && flush_covers(r->flush, thread, time);
}

/* Does the record count for whoever knows k, of block scope or not? */
static bool counts(const struct record *r, const struct know *k, bool block,
                   const struct target *target)
{
    if (r->version > k->version)
        return false;
    return target->any_scope || (!r->block_only && !block) || r->serial == k->serial;
}

static bool told_directly(const struct know *k, bool block, const struct target *target,
                          unsigned *steps)
{
    const struct sync *s = k->sync;
    const struct record *r =
        atomic_load_explicit(&records[hash((uintptr_t)s, target->serial)], memory_order_acquire);

    for (; r && ++*steps < SEARCH_LIMIT; r = r->next)
        if (r->sync == s && r->serial == target->serial && counts(r, k, block, target) &&
            covers(r, target))
            return true;
    return false;
}

/* A search through everything that is known, nearest first. Its tables are of the worker: nothing
 * in here lets another GPU thread run. */
struct search {
    const struct know *queue[SEARCH_LIMIT];
    bool block[SEARCH_LIMIT]; /* only what the block itself released */
    unsigned head, tail;
    const void *seen[SEEN];
    uint64_t seen_version[SEEN];
    unsigned seen_in[SEEN], number;
};

static __thread struct search *search;

static bool seen_before(const void *p, uint64_t version)
{
    unsigned i = (unsigned)((uintptr_t)p * 0x9e3779b97f4a7c15 >> 45) % SEEN;

    while (search->seen_in[i] == search->number && search->seen[i] != p)
        i = (i + 1) % SEEN;
    if (search->seen_in[i] == search->number && search->seen_version[i] >= version)
        return true;
    search->seen_in[i] = search->number;
    search->seen[i] = p;
    search->seen_version[i] = version;
    return false;
}

static bool push(const struct know *k, bool block)
{
    if (!k || seen_before((const char *)k + block, 0))
        return true;
    if (search->tail == SEARCH_LIMIT)
        return false;
    search->block[search->tail] = block;
    search->queue[search->tail++] = k;
    return true;
}

bool know_search(struct know *known, struct know *also, const struct target *target)
{
    unsigned steps = 0;

    if (atomic_load_explicit(&forgotten, memory_order_relaxed))
        return true;
    if (!known && !also)
        return false;
    if (!search && !(search = calloc(1, sizeof(*search))))
        return true;
    search->number++;
    search->head = search->tail = 0;
    push(known, false);
    push(also, false);
    while (search->head < search->tail) {
        const struct know *k = search->queue[search->head];
        bool block = search->block[search->head++] || k->block;

        if (k->sync && !seen_before((const char *)k->sync + block, k->version)) {
            struct record *r = atomic_load_explicit(&k->sync->told, memory_order_acquire);

            if (told_directly(k, block, target, &steps))
                return true;
            for (; r; r = r->next_told)
                if (++steps >= SEARCH_LIMIT ||
                    (counts(r, k, block, target) &&
                     (!push(r->know, false) || !push(r->flush ? r->flush->know : NULL, false))))
                    return true;
        }
        if (steps >= SEARCH_LIMIT || !push(k->parent[0], block) || !push(k->parent[1], block))
            return true;
    }
    return false;
}

bool know_any(void)
{
    return atomic_load_explicit(&any, memory_order_acquire);
}

struct sync *know_word(uintptr_t address, uint32_t serial)
{
    unsigned bucket = hash(address, serial);
    struct sync *s = know_find(address, serial);

    if (s)
        return s;
    s = know_take(sizeof(*s));
    s->address = address;
    s->serial = serial;
    pthread_mutex_lock(&lock);
    struct sync *other = know_find(address, serial);
    if (other) {
        s = other;
    } else {
        s->next = atomic_load(&syncs[bucket]);
        atomic_store_explicit(&syncs[bucket], s, memory_order_release);
    }
    pthread_mutex_unlock(&lock);
    return s;
}

void know_release(struct sync *s, struct record *r)
{
    unsigned bucket = hash((uintptr_t)s, r->serial);
    struct flush *flush = r->flush;

    r->sync = s;
    pthread_mutex_lock(&lock);
    r->version = atomic_load_explicit(&s->version, memory_order_relaxed) + 1;
    r->next = atomic_load(&records[bucket]);
    atomic_store_explicit(&records[bucket], r, memory_order_release);
    if ((r->know && r->know->only != s) || (flush && flush->know && flush->know->only != s)) {
        r->next_told = atomic_load(&s->told);
        atomic_store_explicit(&s->told, r, memory_order_release);
    }
    atomic_store_explicit(&s->version, r->version, memory_order_release);
    atomic_store_explicit(&any, true, memory_order_release);
    pthread_mutex_unlock(&lock);
}
