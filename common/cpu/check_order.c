/*
 * What happens before what through memory: fences, flags and atomics.
 *
 * The rule is that of CUDA's memory model (PTX ISA, "Memory Consistency Model"), with volatile
 * accesses taken as relaxed atomics. A fence followed by an atomic or volatile write of a word
 * releases what the thread knows; an atomic or volatile read of the same word, followed by a fence,
 * acquires it, and a barrier hands on to the block what was acquired. A fence before a block barrier
 * also counts for a write after the barrier by another thread of the block, as it does on every GPU.
 *
 * What was released is a record of the word; what was acquired is a reference to the word and to
 * the number of its records, so neither costs more when there are a million blocks. What follows
 * from it is looked up only when two accesses seem to be a race.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "check.h"

enum {
    BUCKETS = 1 << 14,
    CHUNK = 1 << 18,        /* bytes that a worker takes from the system at once */
    MEMORY_LIMIT = 1 << 30, /* bytes; beyond that all is taken to be in order */
    SEARCH_LIMIT = 1 << 13, /* steps; beyond that the two accesses are */
    SEEN = 4 * SEARCH_LIMIT,
};

struct record {               /* one release, as made by one thread */
    struct record *next;      /* in the bucket */
    struct record *next_told; /* of the word, those that pass on what others did */
    struct sync *sync;
    uint64_t version; /* how many the word has, with this one */
    uint32_t serial, base, time;
    unsigned thread;
    bool block_only; /* the fence had block scope */
    uint32_t *lane;  /* the clocks of its warp; NULL: its own alone */
    struct know *know;
    struct flush *flush;
};

struct sync { /* a word that was released to */
    struct sync *next;
    uintptr_t address;
    uint32_t serial; /* of the block, in shared memory; else 0 */
    _Atomic uint64_t version;
    _Atomic(struct record *) told;
};

struct know {
    struct sync *sync; /* all its records up to version; NULL: see parents */
    uint64_t version;
    struct know *parent[2];
    struct sync *only; /* all that is known is through this word */
    uint64_t only_version;
};

struct flush {          /* the fences of a block, as its barrier saw them */
    uint32_t base, all; /* all: every thread's accesses up to this time */
    unsigned count;
    struct know *know;
    struct {
        uint32_t thread, time;
    } of[];
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

static void *take(size_t bytes)
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

void order_launch_begin(void)
{
    launches++;
}

void order_launch_end(void)
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

static struct know *know_sync(struct know *k, struct sync *s, uint64_t version)
{
    struct know *n;

    if (k && k->only == s && k->only_version >= version)
        return k;
    n = take(sizeof(*n));
    n->sync = s;
    n->version = version;
    if (!k || k->only == s) {
        n->only = s;
        n->only_version = version;
    } else {
        n->parent[0] = k;
    }
    return n;
}

static struct know *merge(struct know *a, struct know *b)
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
    n = take(sizeof(*n));
    n->parent[0] = a;
    n->parent[1] = b;
    return n;
}

static unsigned hash(uint64_t a, uint64_t b)
{
    a = (a ^ b << 32 ^ b >> 5) * 0x9e3779b97f4a7c15;
    return (unsigned)(a >> 40) % BUCKETS;
}

static struct sync *find_sync(uintptr_t address, uint32_t serial)
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

static bool covers(const struct record *r, unsigned thread, uint32_t time)
{
    if (time < r->base || (thread == r->thread && time <= r->time))
        return true;
    if (r->lane && thread / WARP == r->thread / WARP && time <= r->lane[thread % WARP])
        return true;
    return r->flush && flush_covers(r->flush, thread, time);
}

struct target {
    uint32_t serial, asking; /* whose access; who asks */
    unsigned thread;
    uint32_t time;
};

static bool told_directly(const struct sync *s, uint64_t version, const struct target *t,
                          unsigned *steps)
{
    const struct record *r =
        atomic_load_explicit(&records[hash((uintptr_t)s, t->serial)], memory_order_acquire);

    for (; r && ++*steps < SEARCH_LIMIT; r = r->next)
        if (r->sync == s && r->serial == t->serial && r->version <= version &&
            (!r->block_only || r->serial == t->asking) && covers(r, t->thread, t->time))
            return true;
    return false;
}

/* A search through everything that is known, nearest first. Its tables are of the worker: nothing
 * in here lets another GPU thread run. */
struct search {
    const struct know *queue[SEARCH_LIMIT];
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

static bool push(const struct know *k)
{
    if (!k || seen_before(k, 0))
        return true;
    if (search->tail == SEARCH_LIMIT)
        return false;
    search->queue[search->tail++] = k;
    return true;
}

bool order_known(const struct thread *t, uint32_t serial, unsigned thread, uint32_t time)
{
    struct check_block *cb = check_of(t->block);
    struct check_thread *ct = &cb->thread[t->id];
    struct target target = {serial, cb->serial, thread, time};
    unsigned steps = 0;

    if (atomic_load_explicit(&forgotten, memory_order_relaxed))
        return true;
    if (!ct->know && !cb->common)
        return false;
    if (!search && !(search = calloc(1, sizeof(*search))))
        return true;
    search->number++;
    search->head = search->tail = 0;
    push(ct->know);
    push(cb->common);
    while (search->head < search->tail) {
        const struct know *k = search->queue[search->head++];

        if (k->sync && !seen_before(k->sync, k->version)) {
            struct record *r = atomic_load_explicit(&k->sync->told, memory_order_acquire);

            if (told_directly(k->sync, k->version, &target, &steps))
                return true;
            for (; r; r = r->next_told)
                if (++steps >= SEARCH_LIMIT ||
                    (r->version <= k->version && (!r->block_only || r->serial == cb->serial) &&
                     (!push(r->know) || !push(r->flush ? r->flush->know : NULL))))
                    return true;
        }
        if (steps >= SEARCH_LIMIT || !push(k->parent[0]) || !push(k->parent[1]))
            return true;
    }
    return false;
}

/* --- acquire ---------------------------------------------------------------------------------- */

static void set_aware(struct check_block *cb, unsigned id)
{
    cb->aware[id / 64] |= (uint64_t)1 << id % 64;
}

void order_poll(const struct access *a)
{
    struct check_thread *ct = &check_of(a->thread->block)->thread[a->thread->id];

    ct->polled = true;
    ct->poll_address = a->address;
    ct->poll_bytes = (uint8_t)a->bytes;
    set_aware(check_of(a->thread->block), a->thread->id);
}

/* Called before whatever the thread does next, so that the value it has read was there by then. */
void order_resolve(struct thread *t)
{
    struct check_block *cb = check_of(t->block);
    struct check_thread *ct = &cb->thread[t->id];
    uint32_t serial = space_of(t, ct->poll_address) == SPACE_SHARED ? cb->serial : 0;

    ct->polled = false;
    if (!atomic_load_explicit(&any, memory_order_acquire))
        return;
    for (unsigned i = 0; i < ct->poll_bytes; i += 4) {
        struct sync *s = find_sync((ct->poll_address & ~(uintptr_t)3) + i, serial);
        uint64_t version;

        if (!s)
            continue;
        version = atomic_load_explicit(&s->version, memory_order_acquire);
        if (s == ct->seen && version == ct->seen_version)
            continue;
        ct->seen = s;
        ct->seen_version = version;
        ct->pending = know_sync(ct->pending, s, version);
    }
}

static void acquire(struct thread *t, struct check_thread *ct)
{
    if (ct->polled)
        order_resolve(t);
    ct->know = merge(ct->pending, ct->know);
    ct->pending = NULL;
}

/* --- release ---------------------------------------------------------------------------------- */

static void tick(struct check_block *cb, struct check_thread *ct)
{
    if (check_time(cb, ct) < TIME_MAX)
        ct->time++;
    if (ct->time > cb->latest)
        cb->latest = ct->time;
}

void order_fence(struct thread *t, int scope)
{
    struct check_block *cb = check_of(t->block);
    struct check_thread *ct = &cb->thread[t->id];
    unsigned lane = t->id % WARP;
    struct know *know;

    acquire(t, ct);
    set_aware(cb, t->id);
    cb->fenced = true;
    know = merge(ct->know, cb->common);
    for (int i = 0; i <= (scope > 0); i++) {
        struct release *r = &ct->release[i];

        r->valid = true;
        r->base = cb->base;
        r->lanes = ct->lanes_base == cb->base;
        if (r->lanes)
            memcpy(r->clock, ct->lane, sizeof(r->clock));
        r->clock[lane] = check_time(cb, ct);
        r->know = know;
    }
    ct->stamp++;
    tick(cb, ct);
}

static struct sync *sync_of(uintptr_t address, uint32_t serial)
{
    unsigned bucket = hash(address, serial);
    struct sync *s = find_sync(address, serial);

    if (s)
        return s;
    s = take(sizeof(*s));
    s->address = address;
    s->serial = serial;
    pthread_mutex_lock(&lock);
    struct sync *other = find_sync(address, serial);
    if (other) {
        s = other;
    } else {
        s->next = atomic_load(&syncs[bucket]);
        atomic_store_explicit(&syncs[bucket], s, memory_order_release);
    }
    pthread_mutex_unlock(&lock);
    return s;
}

static void record(struct thread *t, struct sync *s, const struct release *release,
                   struct flush *flush, bool block_only)
{
    struct check_block *cb = check_of(t->block);
    struct record *r = take(sizeof(*r));
    unsigned bucket = hash((uintptr_t)s, cb->serial);

    r->sync = s;
    r->serial = cb->serial;
    r->thread = t->id;
    r->block_only = block_only;
    r->flush = flush;
    if (release->valid) {
        r->base = release->base;
        r->time = release->clock[t->id % WARP];
        r->know = release->know;
        if (release->lanes) {
            r->lane = take(sizeof(release->clock));
            memcpy(r->lane, release->clock, sizeof(release->clock));
        }
    }
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

/* Called before the write, so that its record is there when another thread reads the value. */
void order_publish(const struct access *a, bool global)
{
    struct thread *t = a->thread;
    struct check_block *cb = check_of(t->block);
    struct check_thread *ct = &cb->thread[t->id];
    const struct release *block = &ct->release[0], *device = &ct->release[1];
    unsigned lane = t->id % WARP;
    uint64_t stamp = ct->stamp << 32 | cb->base;

    if (!block->valid && !cb->flush)
        return;
    for (unsigned i = 0; i < a->bytes; i += 4) {
        struct sync *s = sync_of((a->address & ~(uintptr_t)3) + i, global ? 0 : cb->serial);

        if (s == ct->told && ct->told_stamp == stamp)
            continue;
        ct->told = s;
        ct->told_stamp = stamp;
        if (device->valid || cb->flush)
            record(t, s, device, cb->flush, false);
        if (block->valid && (!device->valid || block->clock[lane] > device->clock[lane]))
            record(t, s, block, cb->flush, true);
    }
    set_aware(cb, t->id);
}

/* --- barriers --------------------------------------------------------------------------------- */

static void take_flush(struct block *b, struct check_block *cb)
{
    unsigned count = 0;
    uint32_t all = UINT32_MAX;
    struct flush *f;

    for (unsigned i = 0; i < b->threads; i++) {
        const struct release *r = &cb->thread[i].release[1];
        bool fenced = cb->aware[i / 64] >> i % 64 & 1 && r->valid;
        uint32_t time = fenced ? r->clock[i % WARP] : 0;

        count += fenced;
        all = time < all ? time : all;
    }
    if (!count)
        return;
    f = take(sizeof(*f) + count * sizeof(f->of[0]));
    f->all = all;
    for (unsigned i = 0; i < b->threads; i++) {
        const struct release *r = &cb->thread[i].release[1];

        if (!(cb->aware[i / 64] >> i % 64 & 1) || !r->valid)
            continue;
        if (r->base > f->base)
            f->base = r->base;
        f->know = merge(r->know, f->know);
        if (r->clock[i % WARP] > all) {
            f->of[f->count].thread = i;
            f->of[f->count++].time = r->clock[i % WARP];
        }
    }
    cb->flush = f;
}

void order_barrier(struct block *b)
{
    struct check_block *cb = check_of(b);

    for (unsigned i = 0; i < WORDS; i++)
        for (uint64_t rest = cb->aware[i]; rest; rest &= rest - 1) {
            struct check_thread *ct = &cb->thread[i * 64 + (unsigned)__builtin_ctzll(rest)];

            cb->common = merge(ct->know, cb->common);
            ct->know = NULL;
        }
    if (cb->fenced)
        take_flush(b, cb);
    cb->fenced = false;
    if (cb->latest < cb->base)
        cb->latest = cb->base;
    cb->base = cb->latest + 1 < TIME_MAX ? cb->latest + 1 : TIME_MAX;
}

/* All lanes of the mask know what each of them knew. */
void order_warp(struct block *b, struct warp *w, uint32_t mask)
{
    struct check_block *cb = check_of(b);
    struct check_thread *of = &cb->thread[w->first];
    struct know *know = NULL;
    uint32_t joined[WARP] = {0}, aware = (uint32_t)(cb->aware[w->first / 64] >> w->first % 64);

    if (!(mask & (mask - 1)))
        return;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest);
        struct check_thread *ct = &of[lane];

        if (ct->lanes_base != cb->base) {
            memset(ct->lane, 0, sizeof(ct->lane));
            ct->lanes_base = cb->base;
        }
        ct->lane[lane] = check_time(cb, ct);
        if (mask != ~0u)
            for (unsigned i = 0; i < WARP; i++)
                joined[i] = joined[i] > ct->lane[i] ? joined[i] : ct->lane[i];
        else
            joined[lane] = ct->lane[lane];
        if (aware >> lane & 1)
            know = merge(ct->know, know);
    }
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        struct check_thread *ct = &of[__builtin_ctz(rest)];

        memcpy(ct->lane, joined, sizeof(joined));
        tick(cb, ct);
        if (know) {
            ct->know = know;
            set_aware(cb, w->first + (unsigned)__builtin_ctz(rest));
        }
    }
    if (!(aware & mask))
        return;
    for (int scope = 0; scope < 2; scope++) { /* their fences count for each other, too */
        struct release all = {0};

        for (uint32_t rest = aware & mask; rest; rest &= rest - 1) {
            const struct release *r = &of[__builtin_ctz(rest)].release[scope];
            unsigned lane = (unsigned)__builtin_ctz(rest);

            if (!r->valid)
                continue;
            all.valid = all.lanes = true;
            all.base = r->base > all.base ? r->base : all.base;
            all.know = merge(all.know, r->know);
            for (unsigned i = 0; i < WARP; i++)
                if ((r->lanes || i == lane) && r->clock[i] > all.clock[i])
                    all.clock[i] = r->clock[i];
        }
        if (!all.valid)
            return;
        for (uint32_t rest = mask; rest; rest &= rest - 1) {
            of[__builtin_ctz(rest)].release[scope] = all;
            of[__builtin_ctz(rest)].stamp++;
            set_aware(cb, w->first + (unsigned)__builtin_ctz(rest));
        }
    }
}

void order_forget(struct check_block *cb)
{
    for (unsigned i = 0; i < WORDS; i++) {
        for (uint64_t rest = cb->aware[i]; rest; rest &= rest - 1) {
            struct check_thread *ct = &cb->thread[i * 64 + (unsigned)__builtin_ctzll(rest)];

            ct->polled = false;
            ct->know = ct->pending = NULL;
            ct->seen = ct->told = NULL;
            ct->release[0].valid = ct->release[1].valid = false;
        }
        cb->aware[i] = 0;
    }
    cb->common = NULL;
    cb->flush = NULL;
    cb->fenced = false;
    memset(cb->counter, 0, sizeof(cb->counter));
}
