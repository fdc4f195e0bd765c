/*
 * The shadow of global memory. Most memory is accessed in order: neighbours by neighbouring threads
 * at one place in the code. A strip of 32 words then takes one entry for all of them, 24 bytes; a
 * strip that goes by no such rule has an entry a word, taken from a pool when it is needed. All of
 * it is reserved when the allocation is made, and backed by the system only where it is used.
 *
 * A strip, its entries and its bits of `written` are touched under the strip's lock; those of the
 * pool under the pool's. Entries of earlier launches mean nothing, and make room.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "cpu/tools/check/strip.h"

struct full {
    access_id id[STRIP_WORDS];
    uint16_t time[STRIP_WORDS];
    uint32_t latest; /* serial number */
    struct full *next;
};

enum { CHUNK = 128 };
struct chunk {
    struct chunk *next;
    struct full full[CHUNK];
};

static size_t strips_of(size_t bytes)
{
    return (bytes + STRIP_BYTES - 1) / STRIP_BYTES;
}

static void *reserve(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);

    if (p == MAP_FAILED)
        return NULL;
    madvise(p, bytes, MADV_NOHUGEPAGE); /* a page of one strip that is touched is no page of 2 MB */
    return p;
}

bool shadow_make(struct shadow *s, size_t bytes)
{
    size_t strips = strips_of(bytes);
    bool good;

    memset(s, 0, sizeof(*s));
    s->bytes = bytes;
    s->lock = reserve(strips);
    s->written = reserve(strips * STRIP_BYTES / 8);
    good = s->lock && s->written;
    for (int i = 0; i < CELL_ACCESSES; i++) {
        s->strip[i] = reserve(strips * sizeof(struct strip));
        good &= s->strip[i] != NULL;
    }
    if (!good)
        shadow_free(s);
    return good;
}

static void release(void *p, size_t bytes)
{
    if (p)
        munmap(p, bytes);
}

static void free_chunks(struct shadow *s)
{
    while (s->chunks) {
        struct chunk *c = s->chunks;

        s->chunks = c->next;
        free(c);
    }
    s->spare = NULL;
}

void shadow_free(struct shadow *s)
{
    size_t strips = strips_of(s->bytes);

    release((void *)s->lock, strips);
    release(s->written, strips * STRIP_BYTES / 8);
    for (int i = 0; i < CELL_ACCESSES; i++)
        release(s->strip[i], strips * sizeof(struct strip));
    free_chunks(s);
    memset(s, 0, sizeof(*s));
}

void shadow_forget(struct shadow *s)
{
    for (int i = 0; i < CELL_ACCESSES; i++)
        if (s->strip[i])
            madvise(s->strip[i], strips_of(s->bytes) * sizeof(struct strip), MADV_DONTNEED);
    free_chunks(s);
}

/* --- strips that go by no rule ---------------------------------------------------------------- */

static struct full *take(struct shadow *s)
{
    struct full *f;

    while (atomic_flag_test_and_set_explicit(&s->pool, memory_order_acquire))
        ;
    if (!s->spare) {
        struct chunk *c = malloc(sizeof(*c));

        for (int i = 0; c && i < CHUNK; i++) {
            c->full[i].next = s->spare;
            s->spare = &c->full[i];
        }
        if (c) {
            c->next = s->chunks;
            s->chunks = c;
        }
    }
    f = s->spare;
    if (f)
        s->spare = f->next;
    atomic_flag_clear_explicit(&s->pool, memory_order_release);
    if (f)
        memset(f, 0, sizeof(*f));
    return f;
}

static void give(struct shadow *s, struct full *f)
{
    while (atomic_flag_test_and_set_explicit(&s->pool, memory_order_acquire))
        ;
    f->next = s->spare;
    s->spare = f;
    atomic_flag_clear_explicit(&s->pool, memory_order_release);
}

struct kept shadow_full(const struct strip *p, unsigned w)
{
    const struct full *f = p->full;

    return (struct kept){f->id[w], (uint32_t)(f->id[w] & 7) << 16 | f->time[w]};
}

static void fill(struct full *f, unsigned w, struct kept k)
{
    f->id[w] = (k.id & ~(access_id)7) | k.time >> 16;
    f->time[w] = (uint16_t)k.time;
    if (f->latest < id_serial(k.id))
        f->latest = id_serial(k.id);
}

/* The rule of one access: its words belong to one thread, the next ones to the next. */
static void begin(struct strip *p, unsigned w, struct kept k)
{
    unsigned thread = id_thread(k.id);

    p->is_full = false;
    p->id = (k.id & ~((access_id)1023 << 22) & ~(access_id)7) | k.time >> 16;
    p->time = (uint16_t)k.time;
    p->mask = 1u << w;
    p->step = 4;
    p->first = (int16_t)((int)thread - (int)w);
}

/* Two words say what the step is. */
static bool fits_step(struct strip *p, unsigned w, struct kept k)
{
    unsigned old = (unsigned)__builtin_ctz(p->mask);
    int thread = p->first + ((int)old * p->step >> 2);
    int apart = 4 * ((int)id_thread(k.id) - thread), words = (int)w - (int)old, step;

    if (p->mask & (p->mask - 1) || !words)
        return false;
    step = apart / words;
    if (step * words != apart || step > 1000 || step < -1000)
        return false;
    p->step = (int16_t)step;
    p->first = (int16_t)(thread - ((int)old * step >> 2));
    p->mask |= 1u << w;
    return true;
}

/* A vector of two or four words by each thread looks like a slice until the next thread comes. */
static bool fits_vector(struct strip *p, unsigned w, struct kept k)
{
    int thread = id_thread(k.id);

    if (p->step)
        return false;
    for (int step = 1; step <= 2; step++) {
        int first = p->first, count = 4 / step;
        unsigned low = (unsigned)__builtin_ctz(p->mask) / (unsigned)count * (unsigned)count;
        uint32_t group = ((1u << count) - 1) << low;

        if (p->mask & ~group)
            continue;
        first -= (int)low * step >> 2;
        if (first + ((int)w * step >> 2) != thread)
            continue;
        p->step = (int16_t)step;
        p->first = (int16_t)first;
        p->mask |= 1u << w;
        return true;
    }
    return false;
}

void shadow_put_full(struct shadow *s, int which, size_t word, struct kept k, uint32_t oldest)
{
    struct strip *p = &s->strip[which][word / STRIP_WORDS];
    unsigned w = word % STRIP_WORDS;
    struct full *f;

    atomic_store_explicit(&s->used[which], true, memory_order_relaxed);
    if (p->is_full) {
        if (p->full->latest >= oldest) {
            fill(p->full, w, k);
            return;
        }
        give(s, p->full);
        begin(p, w, k);
        return;
    }
    /* Of other readers the last one is kept: a new block's take the place of an old one's. */
    if (!(p->mask & ~(1u << w)) || id_serial(p->id) < oldest ||
        (which == OTHER_READER && id_serial(p->id) != id_serial(k.id) &&
         !(id_kind(p->id) & ID_SPECIAL))) {
        begin(p, w, k);
        return;
    }
    if (p->id == ((k.id & ~((access_id)1023 << 22) & ~(access_id)7) | k.time >> 16) &&
        p->time == (uint16_t)k.time && (fits_step(p, w, k) || fits_vector(p, w, k)))
        return;
    f = take(s);
    if (!f) { /* no memory: the others are forgotten */
        begin(p, w, k);
        return;
    }
    for (uint32_t rest = p->mask; rest; rest &= rest - 1) {
        unsigned i = (unsigned)__builtin_ctz(rest);

        fill(f, i, shadow_get(s, which, word - w + i));
    }
    fill(f, w, k);
    p->full = f;
    p->is_full = true;
}

void shadow_drop(struct shadow *s, int which, size_t word)
{
    struct strip *p = &s->strip[which][word / STRIP_WORDS];

    if (!atomic_load_explicit(&s->used[which], memory_order_relaxed))
        return;
    if (p->is_full)
        p->full->id[word % STRIP_WORDS] = 0;
    else
        p->mask &= ~(1u << word % STRIP_WORDS);
}
