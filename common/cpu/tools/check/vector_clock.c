/*
 * Happens-before through memory. A thread's vector clock says of every other thread up to which of
 * its epochs all it did happens before what this one does next. With a million blocks it is no
 * array: it is a list of the releases that were acquired, with the clocks they carry, and is
 * searched for one access when somebody asks.
 *
 * What was released is a record of the word; what was acquired is a reference to the word and to
 * the number of its records, so neither costs more when there are a million blocks. What follows
 * from it is looked up only when two accesses seem to be a race.
 *
 * Words and records are found through hash tables of lists. They are added under the lock, at the
 * head, complete before they can be seen, and read without it. Memory is taken by each worker from
 * chunks of its own and goes back when all is forgotten.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "cpu/tools/check/past.h"
#include "cpu/tools/check/vector_clock.h"

enum {
    BUCKETS = 1 << 14,
    CHUNK = 1 << 18,        /* bytes that a worker takes from the system at once */
    MEMORY_LIMIT = 1 << 30, /* bytes; beyond that all is taken to be in order */
    SEARCH_LIMIT = 1 << 13, /* steps; beyond that the two accesses are */
    SEEN = 4 * SEARCH_LIMIT,
    ANSWERS = 8192, /* that a worker remembers */
};

static _Atomic(struct sync_var *) sync_vars[BUCKETS];
static _Atomic(struct release_record *) records[BUCKETS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool any, forgotten; /* some release; too many of them */

/* --- memory --------------------------------------------------------------------------------- */

struct chunk {
    struct chunk *next;
    char bytes[];
};

static struct chunk *chunks;
static size_t chunk_bytes;
static uint64_t times_forgotten;
static __thread struct {
    uint64_t time;
    char *next, *end;
} own;

void *vector_clock_alloc(size_t bytes)
{
    void *p;

    bytes = (bytes + 15) & ~(size_t)15;
    if (own.time != times_forgotten || (size_t)(own.end - own.next) < bytes) {
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
        own.time = times_forgotten;
        own.next = c->bytes;
        own.end = c->bytes + CHUNK + bytes;
    }
    p = own.next;
    own.next += bytes;
    memset(p, 0, bytes);
    return p;
}

void vector_clock_forget(void)
{
    times_forgotten++;
    while (chunks) {
        struct chunk *c = chunks;

        chunks = c->next;
        free(c);
    }
    chunk_bytes = 0;
    if (atomic_exchange(&any, false)) {
        memset(sync_vars, 0, sizeof(sync_vars));
        memset(records, 0, sizeof(records));
    }
    atomic_store(&forgotten, false);
}

/* --- clocks ---------------------------------------------------------------------------------- */

struct vector_clock *vector_clock_join(struct vector_clock *a, struct vector_clock *b)
{
    struct vector_clock *n;

    if (!b || a == b)
        return a;
    if (!a)
        return b;
    if (a->only && a->only == b->only && a->section == b->section)
        return a->only_version >= b->only_version ? a : b;
    if (a->parent[0] == b || a->parent[1] == b)
        return a;
    if (b->parent[0] == a || b->parent[1] == a)
        return b;
    n = vector_clock_alloc(sizeof(*n));
    n->scope = CPU_SCOPE_SYSTEM;
    n->serial = a->serial == b->serial ? a->serial : 0;
    n->when = a->when > b->when ? a->when : b->when;
    n->parent[0] = a;
    n->parent[1] = b;
    return n;
}

static struct vector_clock *new_clock(const struct check_block *cb, enum cpu_scope scope)
{
    struct vector_clock *n = vector_clock_alloc(sizeof(*n));

    n->serial = cb->serial;
    n->when = check_now(cb);
    n->device = cb->device;
    n->scope = scope;
    return n;
}

struct vector_clock *vector_clock_in_scope(struct vector_clock *clock, const struct check_block *cb,
                                           enum cpu_scope scope)
{
    struct vector_clock *n = new_clock(cb, scope);

    n->parent[0] = clock;
    return n;
}

struct vector_clock *vector_clock_behind(struct vector_clock *clock, const uint64_t *after)
{
    size_t bytes = (MAX_ORDERED + 1) * sizeof(*after);
    struct vector_clock *n = vector_clock_alloc(sizeof(*n));

    n->scope = CPU_SCOPE_SYSTEM;
    n->after = memcpy(vector_clock_alloc(bytes), after, bytes);
    n->parent[0] = clock;
    return n;
}

struct vector_clock *vector_clock_acquire(struct vector_clock *clock, struct sync_var *s,
                                          uint64_t version, const struct check_block *cb,
                                          enum cpu_scope scope, struct section *section)
{
    struct vector_clock *n;

    bool same = clock && clock->only == s && clock->section == section;

    if (same && clock->only_version >= version)
        return clock;
    n = new_clock(cb, scope);
    n->var = s;
    n->version = version;
    n->section = section;
    if (scope != CPU_SCOPE_SYSTEM) {
        n->parent[0] = clock && clock->scope == scope ? clock : NULL;
        return n->parent[0] == clock ? n : vector_clock_join(n, clock);
    }
    if (!clock || same) {
        n->only = s;
        n->only_version = version;
    } else {
        n->parent[0] = clock;
    }
    return n;
}

static unsigned hash(uint64_t a, uint64_t b)
{
    a = (a ^ b << 32 ^ b >> 5) * 0x9e3779b97f4a7c15;
    return (unsigned)(a >> 40) % BUCKETS;
}

struct sync_var *vector_clock_find(uintptr_t address, uint32_t serial)
{
    struct sync_var *s =
        atomic_load_explicit(&sync_vars[hash(address, serial)], memory_order_acquire);

    while (s && (s->address != address || s->serial != serial))
        s = s->next;
    return s;
}

static bool flush_covers(const struct flush *f, unsigned thread, uint32_t epoch)
{
    if (epoch < f->base || epoch <= f->all)
        return true;
    for (unsigned i = 0; i < f->count; i++)
        if (f->of[i].thread == thread)
            return epoch <= f->of[i].epoch;
    return false;
}

static bool covers(const struct release_record *r, const struct target *target)
{
    unsigned thread = target->thread;
    uint32_t epoch = target->epoch;

    if (thread == r->thread && target->word == r->var->address &&
        epoch <= atomic_load_explicit(&r->own, memory_order_relaxed))
        return true;
    if (epoch < r->base || (thread == r->thread && epoch <= r->epoch))
        return true;
    if (r->lane && thread / WARP == r->thread / WARP && epoch <= r->lane[thread % WARP])
        return true;
    return r->flush && flush_covers(r->flush, thread, epoch);
}

/* Does the record count for this clock, of that scope? */
static bool counts(struct release_record *r, const struct vector_clock *clock, enum cpu_scope scope,
                   const struct target *target, enum clock_edges edges)
{
    enum cpu_scope least = r->scope < scope ? r->scope : scope;
    const struct section *from;

    if (r->version > clock->version)
        return false;
    if (edges != EDGES_ALL && clock->section &&
        (from = atomic_load_explicit(&r->section, memory_order_acquire)) &&
        (edges == EDGES_OF_NO_LOCK || !sections_conflict(from, clock->section)))
        return false;
    if (target->any_scope || least == CPU_SCOPE_SYSTEM)
        return true;
    return least == CPU_SCOPE_BLOCK ? r->serial == clock->serial : r->device == clock->device;
}

/*
 * Was it made before the access, and so cannot cover it? Of one block the clocks of its threads and
 * its own time, check_now, tell: whatever is made known of an access is made known at its epoch or
 * later. So of all that a long kernel has released a search sees what is younger than the access.
 * The word's own last write is another matter: a record learns of it when it is there already.
 */
static bool is_older(uint32_t serial, uint32_t when, const struct target *target)
{
    return serial == target->serial && when < target->epoch && !target->word;
}

static bool released_directly(const struct vector_clock *clock, enum cpu_scope scope,
                              const struct target *target, enum clock_edges edges, unsigned *steps)
{
    const struct sync_var *s = clock->var;
    struct release_record *r =
        atomic_load_explicit(&records[hash((uintptr_t)s, target->serial)], memory_order_acquire);

    for (; r && ++*steps < SEARCH_LIMIT && !is_older(r->serial, r->when, target); r = r->next)
        if (r->var == s && r->serial == target->serial && counts(r, clock, scope, target, edges) &&
            covers(r, target))
            return true;
    return false;
}

/* What a search came to. Clocks do not change, so the answer does not, either. */
struct answer {
    const struct vector_clock *first, *second;
    uint64_t time; /* times_forgotten */
    uint32_t serial, epoch;
    unsigned thread;
    bool any_scope, covers;
};

/* A search through a clock, nearest first. Its tables are of the worker: nothing
 * in here lets another GPU thread run. */
struct search {
    struct answer answer[ANSWERS];
    const struct vector_clock *queue[SEARCH_LIMIT];
    enum cpu_scope scope[SEARCH_LIMIT]; /* only what was released in it */
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

static bool push(const struct vector_clock *clock, enum cpu_scope scope,
                 const struct target *target)
{
    if (!clock || is_older(clock->serial, clock->when, target) ||
        seen_before((const char *)clock + scope, 0))
        return true;
    if (search->tail == SEARCH_LIMIT)
        return false;
    search->scope[search->tail] = scope;
    search->queue[search->tail++] = clock;
    return true;
}

/* Is it an operation that those of the streams are behind? */
static bool is_behind(const struct vector_clock *clock, const struct target *target)
{
    struct past p;

    return clock->after && past_find(target->serial, &p) && past_in_order(&p, clock->after);
}

static bool look_through(struct vector_clock *first, struct vector_clock *second,
                         const struct target *target, enum clock_edges edges)
{
    unsigned steps = 0;

    search->number++;
    search->head = search->tail = 0;
    push(first, CPU_SCOPE_SYSTEM, target);
    push(second, CPU_SCOPE_SYSTEM, target);
    while (search->head < search->tail) {
        const struct vector_clock *clock = search->queue[search->head];
        enum cpu_scope scope = search->scope[search->head++];

        if (clock->scope < scope)
            scope = clock->scope;
        if (is_behind(clock, target))
            return true;
        if (clock->var &&
            !seen_before((edges == EDGES_ALL ? (const char *)clock->var : (const char *)clock + 3) +
                             scope,
                         clock->version)) {
            struct release_record *r =
                atomic_load_explicit(&clock->var->carriers, memory_order_acquire);

            if (released_directly(clock, scope, target, edges, &steps))
                return true;
            for (; r && !is_older(r->serial, r->when, target); r = r->next_carrier)
                if (++steps >= SEARCH_LIMIT ||
                    (counts(r, clock, scope, target, edges) &&
                     (!push(r->acquired, CPU_SCOPE_SYSTEM, target) ||
                      !push(r->flush ? r->flush->acquired : NULL, CPU_SCOPE_SYSTEM, target))))
                    return true;
        }
        if (steps >= SEARCH_LIMIT || !push(clock->parent[0], scope, target) ||
            !push(clock->parent[1], scope, target))
            return true;
    }
    return false;
}

static bool is_answer(const struct answer *a, const struct answer *b)
{
    return a->first == b->first && a->second == b->second && a->time == b->time &&
           a->serial == b->serial && a->epoch == b->epoch && a->thread == b->thread &&
           a->any_scope == b->any_scope;
}

bool vector_clock_covers_by(struct vector_clock *first, struct vector_clock *second,
                            const struct target *target, enum clock_edges edges)
{
    if (atomic_load_explicit(&forgotten, memory_order_relaxed))
        return true;
    if (!first && !second)
        return false;
    if (!search && !(search = calloc(1, sizeof(*search))))
        return true;
    return look_through(first, second, target, edges);
}

/* The words of a tile are asked about one after the other: mostly it is the same question. What a
 * record knows of its word's own last write may change. */
bool vector_clock_covers(struct vector_clock *first, struct vector_clock *second,
                         const struct target *target)
{
    struct answer now = {.first = first,
                         .second = second,
                         .time = times_forgotten,
                         .serial = target->serial,
                         .epoch = target->epoch,
                         .thread = target->thread,
                         .any_scope = target->any_scope};
    struct answer *a;

    if (target->word || !search || (!first && !second))
        return vector_clock_covers_by(first, second, target, EDGES_ALL);
    a = &search->answer[hash((uintptr_t)first, target->thread << 24 ^ target->epoch) % ANSWERS];
    if (!is_answer(a, &now)) {
        now.covers = vector_clock_covers_by(first, second, target, EDGES_ALL);
        *a = now;
    }
    return a->covers;
}

bool vector_clock_any(void)
{
    return atomic_load_explicit(&any, memory_order_acquire);
}

struct sync_var *vector_clock_find_or_add(uintptr_t address, uint32_t serial)
{
    unsigned bucket = hash(address, serial);
    struct sync_var *s = vector_clock_find(address, serial);

    if (s)
        return s;
    s = vector_clock_alloc(sizeof(*s));
    s->address = address;
    s->serial = serial;
    pthread_mutex_lock(&lock);
    struct sync_var *other = vector_clock_find(address, serial);
    if (other) {
        s = other;
    } else {
        s->next = atomic_load(&sync_vars[bucket]);
        atomic_store_explicit(&sync_vars[bucket], s, memory_order_release);
    }
    pthread_mutex_unlock(&lock);
    return s;
}

void vector_clock_release(struct sync_var *s, struct release_record *r)
{
    unsigned bucket = hash((uintptr_t)s, r->serial);
    struct flush *flush = r->flush;

    r->var = s;
    pthread_mutex_lock(&lock);
    r->version = atomic_load_explicit(&s->version, memory_order_relaxed) + 1;
    r->next = atomic_load(&records[bucket]);
    atomic_store_explicit(&records[bucket], r, memory_order_release);
    if ((r->acquired && r->acquired->only != s) ||
        (flush && flush->acquired && flush->acquired->only != s)) {
        r->next_carrier = atomic_load(&s->carriers);
        atomic_store_explicit(&s->carriers, r, memory_order_release);
    }
    atomic_store_explicit(&s->version, r->version, memory_order_release);
    atomic_store_explicit(&any, true, memory_order_release);
    pthread_mutex_unlock(&lock);
}
