/*
 * The shadow of global memory. Most memory is accessed in order: neighbours by neighbouring threads
 * at one place in the code. A line, 32 words, then takes one entry for all of them, 24 bytes; a
 * line that goes by no such rule has an entry per word, taken from a pool when it is needed. All of
 * it is reserved when the allocation is made, and backed by the system only where it is used.
 *
 * When a part of a word is accessed, its line is split: from then on there are four lines in its
 * place, one for the first bytes of all words, one for the second ones, and so on. Where threads
 * access neighbouring bytes, each of the four goes by a rule again.
 *
 * A line, its entries and its bits of `written` are touched under the line's lock; those of the
 * pool under the pool's. Entries of earlier launches mean nothing, and make room.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "cpu/tools/check/shadow_global.h"

struct expanded_line {
    access_id id[SHADOW_LINE_WORDS];
    low_epoch epoch[SHADOW_LINE_WORDS];
    uint32_t latest; /* serial number */
    struct expanded_line *next;
};

enum { CHUNK = 128 };
struct chunk {
    struct chunk *next;
    struct expanded_line line[CHUNK];
};

static size_t shadow_lines_of(size_t bytes)
{
    return (bytes + SHADOW_LINE_BYTES - 1) / SHADOW_LINE_BYTES;
}

static void *reserve(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);

    if (p == MAP_FAILED)
        return NULL;
    madvise(p, bytes, MADV_NOHUGEPAGE); /* a page of which one line is touched is no page of 2 MB */
    return p;
}

static bool make_plane(struct shadow_plane *p, size_t lines)
{
    for (int i = 0; i < SHADOW_CELLS; i++)
        if (!(p->line[i] = reserve(lines * sizeof(struct shadow_line))))
            return false;
    return true;
}

bool shadow_global_make(struct shadow_global *s, size_t bytes)
{
    size_t lines = shadow_lines_of(bytes);
    bool good;

    memset(s, 0, sizeof(*s));
    s->bytes = bytes;
    s->lock = reserve(lines);
    s->written = reserve(lines * SHADOW_LINE_BYTES / 8);
    good = s->lock && s->written;
    good &= make_plane(&s->plane[PLANE_WORDS], lines);
    if (!good)
        shadow_global_free(s);
    return good;
}

static void release(void *p, size_t bytes)
{
    if (p)
        munmap(p, bytes);
}

static void free_chunks(struct shadow_global *s)
{
    while (s->chunks) {
        struct chunk *c = s->chunks;

        s->chunks = c->next;
        free(c);
    }
    s->spare = NULL;
}

void shadow_global_free(struct shadow_global *s)
{
    size_t lines = shadow_lines_of(s->bytes);

    release((void *)s->lock, lines);
    release(s->written, lines * SHADOW_LINE_BYTES / 8);
    for (int i = 0; i < PLANES * SHADOW_CELLS; i++)
        release(s->plane[i % PLANES].line[i / PLANES], lines * sizeof(struct shadow_line));
    free_chunks(s);
    memset(s, 0, sizeof(*s));
}

void shadow_global_forget(struct shadow_global *s)
{
    for (int i = 0; i < PLANES * SHADOW_CELLS; i++) {
        struct shadow_line *line = s->plane[i % PLANES].line[i / PLANES];

        if (line)
            madvise(line, shadow_lines_of(s->bytes) * sizeof(*line), MADV_DONTNEED);
    }
    free_chunks(s);
}

void shadow_global_clear(struct shadow_global *s)
{
    shadow_global_forget(s);
    madvise(s->written, shadow_lines_of(s->bytes) * SHADOW_LINE_BYTES / 8, MADV_DONTNEED);
}

/* --- lines that go by no rule ---------------------------------------------------------------- */

static struct expanded_line *take(struct shadow_global *s)
{
    struct expanded_line *f;

    while (atomic_flag_test_and_set_explicit(&s->pool, memory_order_acquire))
        ;
    if (!s->spare) {
        struct chunk *c = malloc(sizeof(*c));

        for (int i = 0; c && i < CHUNK; i++) {
            c->line[i].next = s->spare;
            s->spare = &c->line[i];
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

static void give(struct shadow_global *s, struct expanded_line *f)
{
    while (atomic_flag_test_and_set_explicit(&s->pool, memory_order_acquire))
        ;
    f->next = s->spare;
    s->spare = f;
    atomic_flag_clear_explicit(&s->pool, memory_order_release);
}

struct shadow_cell shadow_global_get_expanded(const struct shadow_line *p, unsigned w)
{
    const struct expanded_line *f = p->expanded;

    return cell_of_global(f->id[w], f->epoch[w]);
}

static void fill(struct expanded_line *f, unsigned w, struct shadow_cell k)
{
    f->id[w] = id_with_epoch(k);
    f->epoch[w] = (low_epoch)k.epoch;
    if (f->latest < id_serial(k.id))
        f->latest = id_serial(k.id);
}

/* The rule of one access: its words belong to one thread, the next ones to the next. */
static void begin(struct shadow_line *p, unsigned w, struct shadow_cell k)
{
    unsigned thread = id_thread(k.id);

    p->is_expanded = false;
    p->id = id_without_thread(id_with_epoch(k));
    p->epoch = (low_epoch)k.epoch;
    p->mask = 1u << w;
    p->stride = 4;
    p->first = (int16_t)((int)thread - (int)w);
}

/* Two words say what the stride is. */
static bool fits_stride(struct shadow_line *p, unsigned w, struct shadow_cell k)
{
    unsigned old = (unsigned)__builtin_ctz(p->mask);
    int thread = p->first + ((int)old * p->stride >> 2);
    int apart = 4 * ((int)id_thread(k.id) - thread), words = (int)w - (int)old, stride;

    if (p->mask & (p->mask - 1) || !words)
        return false;
    stride = apart / words;
    if (stride * words != apart || stride > 1000 || stride < -1000)
        return false;
    p->stride = (int16_t)stride;
    p->first = (int16_t)(thread - ((int)old * stride >> 2));
    p->mask |= 1u << w;
    return true;
}

/* A vector of two or four words by each thread looks like a slice until the next thread comes. */
static bool fits_vector(struct shadow_line *p, unsigned w, struct shadow_cell k)
{
    int thread = id_thread(k.id);

    if (p->stride)
        return false;
    for (int stride = 1; stride <= 2; stride++) {
        int first = p->first, count = 4 / stride;
        unsigned low = (unsigned)__builtin_ctz(p->mask) / (unsigned)count * (unsigned)count;
        uint32_t group = ((1u << count) - 1) << low;

        if (p->mask & ~group)
            continue;
        first -= (int)low * stride >> 2;
        if (first + ((int)w * stride >> 2) != thread)
            continue;
        p->stride = (int16_t)stride;
        p->first = (int16_t)first;
        p->mask |= 1u << w;
        return true;
    }
    return false;
}

void shadow_global_put_slowly(struct shadow_global *s, int plane, int which, size_t word,
                              struct shadow_cell k, uint32_t oldest)
{
    struct shadow_line *p = &s->plane[plane].line[which][word / SHADOW_LINE_WORDS];
    unsigned w = word % SHADOW_LINE_WORDS;
    struct expanded_line *f;

    atomic_store_explicit(&s->plane[plane].used[which], true, memory_order_relaxed);
    if (p->is_expanded) {
        if (p->expanded->latest >= oldest) {
            fill(p->expanded, w, k);
            return;
        }
        give(s, p->expanded);
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
    if (p->id == id_without_thread(id_with_epoch(k)) && p->epoch == (low_epoch)k.epoch &&
        (fits_stride(p, w, k) || fits_vector(p, w, k)))
        return;
    f = take(s);
    if (!f) { /* no memory: the others are forgotten */
        begin(p, w, k);
        return;
    }
    for (uint32_t rest = p->mask; rest; rest &= rest - 1) {
        unsigned i = (unsigned)__builtin_ctz(rest);

        fill(f, i, shadow_global_get(s, plane, which, word - w + i));
    }
    fill(f, w, k);
    p->expanded = f;
    p->is_expanded = true;
}

void shadow_global_drop(struct shadow_global *s, int plane, int which, size_t word)
{
    struct shadow_line *p = &s->plane[plane].line[which][word / SHADOW_LINE_WORDS];

    if (!atomic_load_explicit(&s->plane[plane].used[which], memory_order_relaxed))
        return;
    if (p->is_expanded)
        p->expanded->id[word % SHADOW_LINE_WORDS] = 0;
    else
        p->mask &= ~(1u << word % SHADOW_LINE_WORDS);
}

/* --- lines that are split --------------------------------------------------------------------- */

static void make_planes_of_bytes(struct shadow_global *s)
{
    bool good = true;

    while (atomic_flag_test_and_set_explicit(&s->pool, memory_order_acquire))
        ;
    for (int b = 0; b < PLANE_WORDS && !s->plane[b].line[OTHER_READER]; b++)
        good &= make_plane(&s->plane[b], shadow_lines_of(s->bytes));
    atomic_flag_clear_explicit(&s->pool, memory_order_release);
    if (!good) {
        fprintf(stderr, "--check: out of memory\n");
        exit(3);
    }
}

void shadow_global_split(struct shadow_global *s, size_t line)
{
    make_planes_of_bytes(s);
    for (int which = 0; which < SHADOW_CELLS; which++) {
        struct shadow_line *words = &s->plane[PLANE_WORDS].line[which][line];

        for (size_t w = 0; w < SHADOW_LINE_WORDS; w++) {
            size_t word = line * SHADOW_LINE_WORDS + w;
            struct shadow_cell k = shadow_global_get(s, PLANE_WORDS, which, word);

            for (int b = 0; k.id && b < PLANE_WORDS; b++)
                shadow_global_put(s, b, which, word, k, 0);
        }
        if (words->is_expanded)
            give(s, words->expanded);
        memset(words, 0, sizeof(*words));
    }
    s->plane[PLANE_WORDS].line[WRITER][line].is_split = true;
}
