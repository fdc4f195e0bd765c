/*
 * Critical sections, and races that another order would show.
 *
 * A lock is a word that a thread changes by a compare-and-swap or an exchange, and sets back.
 * Between the two the thread holds it. Threads may take it in any order, so that one had it first
 * puts nothing in order, unless both do something in it that may not happen at the same time: that
 * is the relation weak-causally-precedes (Kini, Mathur and Viswanathan, "Dynamic Race Prediction in
 * Linear Time", 2017). What only the order of such sections has put in order is a race of another
 * order. So is what one order of two sections puts in order and the other one does
 * not, because a fence is missing at one of their four ends.
 *
 * Where a thread meets others in the middle of a section, these may work under its lock: then it
 * counts as in conflict with all.
 *
 * Sections live as long as the launch. A thread alone changes its own; others may read an older
 * state of it, which is that of an earlier moment.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "cpu/tools/check/race.h"

struct suspect {
    struct finding finding;
    uint64_t fences;
    bool device; /* a fence of device scope is wanted */
};

enum { BUCKETS = 1024 };

static _Atomic(struct section *) buckets[BUCKETS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool any;

bool sections_any(void)
{
    return atomic_load_explicit(&any, memory_order_relaxed);
}

void sections_forget(void)
{
    if (atomic_exchange(&any, false))
        memset((void *)buckets, 0, sizeof(buckets));
}

static struct check_thread *thread_of(const struct thread *t)
{
    return &check_of(t->block)->thread[t->id];
}

static uintptr_t word_of(uintptr_t address)
{
    return address & ~(uintptr_t)3;
}

/* Memory begins at a page wherever it is: in each run of a program the same words share a bit. */
static unsigned bit_of(uintptr_t word)
{
    return (unsigned)(word / 4 % (64 * FILTER_WORDS));
}

static void filter_add(struct filter *f, uintptr_t word)
{
    f->bits[bit_of(word) / 64] |= (uint64_t)1 << bit_of(word) % 64;
}

static bool filter_has(const struct filter *f, uintptr_t word)
{
    return f->bits[bit_of(word) / 64] >> bit_of(word) % 64 & 1;
}

static unsigned bucket_of(uint32_t serial, unsigned thread)
{
    return (serial * 2654435761u >> 8 ^ thread) % BUCKETS;
}

/* --- what a thread holds ---------------------------------------------------------------------- */

static struct section *current(struct holding *h)
{
    return h->section ? h->section : &h->first;
}

static struct section *find_own(const struct holding *h, uintptr_t word)
{
    struct section *s = h->all;

    while (s && s->lock != word)
        s = s->next;
    return s;
}

static struct section *add(struct thread *t, struct holding *h, uintptr_t word)
{
    struct section *s = vector_clock_alloc(sizeof(*s));
    unsigned bucket;

    if (h->lock == word) {
        *s = h->first;
        h->section = s;
    }
    s->lock = word;
    s->serial = check_of(t->block)->serial;
    s->thread = t->id;
    s->next = h->all;
    h->all = s;
    bucket = bucket_of(s->serial, s->thread);
    pthread_mutex_lock(&lock);
    s->next_bucket = atomic_load(&buckets[bucket]);
    atomic_store_explicit(&buckets[bucket], s, memory_order_release);
    pthread_mutex_unlock(&lock);
    return s;
}

struct section *section_of_lock(struct thread *t, uintptr_t word)
{
    struct holding *h = &thread_of(t)->holding;
    struct section *s = find_own(h, word);

    return s ? s : add(t, h, word);
}

static void enter(struct check_thread *ct, uintptr_t word, uint64_t free)
{
    struct holding *h = &ct->holding;

    h->lock = word;
    h->free = free;
    h->fences = ct->fences;
    h->device_fences = ct->device_fences;
    h->first = (struct section){.lock = word};
    h->section = find_own(h, word);
    h->record = NULL;
}

/* Others may meet an access of the section at once, and look for the section. */
static void make_known(struct thread *t, struct holding *h)
{
    h->section = section_of_lock(t, h->lock);
    atomic_store_explicit(&any, true, memory_order_release);
}

static void leave(struct thread *t)
{
    struct check_thread *ct = thread_of(t);
    struct holding *h = &ct->holding;
    struct suspect *x = h->suspect;
    struct section *s;

    make_known(t, h);
    s = h->section;
    h->lock = 0;
    if (h->record) {
        atomic_store_explicit(&h->record->section, s, memory_order_release);
        atomic_store_explicit(&h->record->var->is_lock, true, memory_order_release);
    }
    if (x && (x->device ? ct->device_fences : ct->fences) == x->fences && !s->wide)
        finding_add(&x->finding);
    free(x);
    h->suspect = NULL;
}

void section_swapped(struct thread *t, uintptr_t word, uint64_t old, uint64_t now)
{
    struct check_thread *ct = thread_of(t);
    struct holding *h = &ct->holding;

    word = word_of(word);
    if (h->lock == word && now == h->free)
        leave(t);
    else if (h->lock == word)
        section_forget(ct); /* no lock, or one that keeps more than that */
    else if (h->lock && h->section)
        h->section->wide = true; /* a lock within a lock */
    else if (h->takes)
        enter(ct, word, old);
}

void section_written(const struct access *a)
{
    if (thread_of(a->thread)->holding.lock == word_of(a->address))
        leave(a->thread);
}

void section_widen(struct check_thread *ct)
{
    if (ct->holding.lock)
        current(&ct->holding)->wide = true;
}

void section_forget(struct check_thread *ct)
{
    free(ct->holding.suspect);
    ct->holding.suspect = NULL;
    ct->holding.lock = 0;
}

/* The word is touched, and since the lock was taken no fence of that scope was passed. */
static void add_bare(struct section *s, int device, uintptr_t word)
{
    for (unsigned i = 0; i < s->bare[device]; i++)
        if (s->bare_word[device][i] == word)
            return;
    if (s->bare[device] < MOST_BARE)
        s->bare_word[device][s->bare[device]++] = word;
}

void section_access(const struct access *a)
{
    struct check_thread *ct = thread_of(a->thread);
    struct holding *h = &ct->holding;
    struct section *s;

    if (a->flags & (ACCESS_SWAP | ACCESS_EXCHANGE))
        h->takes = !(a->flags & ACCESS_QUIET);
    if (!h->lock)
        return;
    if (sections_any() && !h->section && a->flags & ACCESS_VOLATILE)
        make_known(a->thread, h);
    s = current(h);
    if (word_of(a->address) == h->lock) {
        if (a->flags & ACCESS_WRITE)
            make_known(a->thread, h);
        /* Of a swap section_swapped is told, if it changes the word. */
        if ((a->flags & (ACCESS_WRITE | ACCESS_ATOMIC | ACCESS_VOLATILE)) ==
                (ACCESS_WRITE | ACCESS_ATOMIC) &&
            !(a->flags & (ACCESS_SWAP | ACCESS_EXCHANGE)))
            section_forget(ct);
        return;
    }
    for (uintptr_t word = word_of(a->address); word < a->address + a->bytes; word += 4) {
        filter_add(a->flags & ACCESS_WRITE ? &s->writes : &s->reads, word);
        if (a->flags & ACCESS_ATOMIC) /* it reads, too */
            filter_add(&s->reads, word);
        if (ct->fences == h->fences)
            add_bare(s, 0, word);
        if (ct->device_fences == h->device_fences)
            add_bare(s, 1, word);
    }
}

/* --- what another order would show ------------------------------------------------------------ */

/* The section of the other thread under the lock; NULL: it has none that is known. */
static const struct section *find_other(const struct target *old, uintptr_t word)
{
    const struct section *s =
        atomic_load_explicit(&buckets[bucket_of(old->serial, old->thread)], memory_order_acquire);

    while (s && (s->serial != old->serial || s->thread != old->thread || s->lock != word))
        s = s->next_bucket;
    return s;
}

bool section_gives_back(const struct access *a, const struct target *old)
{
    uintptr_t word = word_of(a->address);

    if (a->flags & (ACCESS_SWAP | ACCESS_EXCHANGE))
        return find_other(old, word);
    return thread_of(a->thread)->holding.lock == word;
}

static bool was_bare(const struct section *s, int device, uintptr_t word)
{
    for (unsigned i = 0; i < s->bare[device]; i++)
        if (s->bare_word[device][i] == word)
            return true;
    return false;
}

/* Are the two in order through a lock alone? Not within what a barrier or a warp has put in
 * order. */
static bool is_by_lock(const struct thread *t, const struct target *old, enum clock_edges edges)
{
    const struct check_block *cb = check_of(t->block);
    const struct check_thread *ct = &cb->thread[t->id];

    if (old->epoch == EPOCH_MAX ||
        (old->serial == cb->serial &&
         (old->epoch < cb->base || old->thread == t->id ||
          (old->thread / WARP == t->id / WARP && ct->lanes_base == cb->base &&
           ct->lane[old->thread % WARP] >= old->epoch))))
        return false;
    return !vector_clock_covers_by(ct->acquired, cb->common, old, edges);
}

bool section_by_luck(const struct access *a, const struct target *old)
{
    const struct check_block *cb = check_of(a->thread->block);
    const struct holding *h = &cb->thread[a->thread->id].holding;
    const struct section *s;

    if (!sections_any())
        return false;
    if (is_by_lock(a->thread, old, EDGES_OF_CONFLICTS))
        return true;
    s = h->lock ? find_other(old, h->lock) : NULL;
    return s && !s->wide && was_bare(s, old->serial != cb->serial, word_of(a->address)) &&
           is_by_lock(a->thread, old, EDGES_OF_NO_LOCK);
}

/* The one that writes has done so outside of its sections of a lock, in which it reads; the other
 * one is in a section of that lock. */
bool section_left_out(const struct access *a, const struct target *old)
{
    const struct holding *h = &thread_of(a->thread)->holding;
    const struct section *mine, *other;
    uintptr_t word = word_of(a->address);

    if (!sections_any() || (a->flags & ACCESS_WRITE && h->lock))
        return false;
    for (mine = h->all; mine; mine = mine->next) {
        const struct section *writer, *reader;

        other = find_other(old, mine->lock);
        writer = a->flags & ACCESS_WRITE ? mine : other;
        reader = a->flags & ACCESS_WRITE ? other : mine;
        if (other && !mine->wide && !other->wide && filter_has(&reader->reads, word) &&
            filter_has(&writer->reads, word) && !filter_has(&writer->writes, word) &&
            (a->flags & ACCESS_WRITE || h->lock == mine->lock))
            return true;
    }
    return false;
}

void section_suspect(const struct access *a, const struct target *old, const struct finding *f)
{
    struct check_thread *ct = thread_of(a->thread);
    struct holding *h = &ct->holding;
    bool device = old->serial != check_of(a->thread->block)->serial;
    const struct section *s = h->lock ? find_other(old, h->lock) : NULL;

    if (!s || s->wide || !is_by_lock(a->thread, old, EDGES_OF_NO_LOCK))
        return;
    if (!h->suspect && !(h->suspect = malloc(sizeof(*h->suspect))))
        return;
    *h->suspect = (struct suspect){*f, device ? ct->device_fences : ct->fences, device};
}
