/*
 * The shadow of global memory: for each word of 4 bytes its last writer, and since then its first
 * reader and the last one that is another thread. See strip.c.
 */
#ifndef CPU_TOOLS_CHECK_STRIP_H
#define CPU_TOOLS_CHECK_STRIP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include "cpu/tools/check/check.h"

enum { STRIP_WORDS = 32, STRIP_BYTES = 4 * STRIP_WORDS };

struct full; /* a strip whose words go by no rule */

/* A strip of words, and one access of each: by the same instruction of threads that are equally far
 * apart. */
struct strip {
    union {
        access_id id; /* without its thread */
        struct full *full;
    };
    uint32_t mask; /* the words that were accessed */
    uint16_t time; /* low bits */
    int16_t first; /* the thread of word 0, be there one or not */
    int16_t step;  /* from word to word, in fourths of a thread */
    bool is_full;
};

struct chunk;

struct shadow {
    _Atomic uint8_t *lock; /* of each strip */
    struct strip *strip[CELL_ACCESSES];
    atomic_bool used[CELL_ACCESSES];
    uint32_t *written; /* a bit a byte */
    size_t bytes;      /* of memory that it is for */
    struct chunk *chunks;
    struct full *spare;
    atomic_flag pool; /* the lock of chunks and spare */
};

struct region { /* an allocation, or the program's variables */
    uintptr_t base;
    size_t bytes;
    unsigned number; /* of the allocation; 0: variables */
    bool freed;
    bool complete;   /* every byte was written */
    unsigned ranges; /* that the host wrote */
    struct {
        size_t from, to;
    } range[8];
    struct shadow shadow; /* lock NULL: none, do not check */
};

bool shadow_make(struct shadow *s, size_t bytes);
void shadow_free(struct shadow *s);
void shadow_forget(struct shadow *s); /* the accesses, not what was written */

static inline void shadow_lock(struct shadow *s, size_t strip)
{
    while (atomic_exchange_explicit(&s->lock[strip], 1, memory_order_acquire))
        ;
}

static inline void shadow_unlock(struct shadow *s, size_t strip)
{
    atomic_store_explicit(&s->lock[strip], 0, memory_order_release);
}

/* Under the lock of the word's strip. The access that is kept of a word; id 0: none. */
struct kept shadow_full(const struct strip *p, unsigned w);

static inline struct kept shadow_get(const struct shadow *s, int which, size_t word)
{
    const struct strip *p = &s->strip[which][word / STRIP_WORDS];
    unsigned w = word % STRIP_WORDS;
    unsigned thread;

    if (!atomic_load_explicit(&s->used[which], memory_order_relaxed))
        return (struct kept){0, 0};
    if (p->is_full)
        return shadow_full(p, w);
    if (!(p->mask >> w & 1))
        return (struct kept){0, 0};
    thread = (unsigned)(p->first + ((int)w * p->step >> 2));
    return (struct kept){p->id | (access_id)thread << 22, (uint32_t)(p->id & 7) << 16 | p->time};
}

/* oldest: the first serial number that still counts. */
void shadow_put_full(struct shadow *s, int which, size_t word, struct kept k, uint32_t oldest);

static inline void shadow_put(struct shadow *s, int which, size_t word, struct kept k,
                              uint32_t oldest)
{
    struct strip *p = &s->strip[which][word / STRIP_WORDS];
    unsigned w = word % STRIP_WORDS;
    access_id key = (k.id & ~((access_id)1023 << 22) & ~(access_id)7) | k.time >> 16;

    if (!p->is_full && p->mask && p->id == key && p->time == (uint16_t)k.time &&
        p->first + ((int)w * p->step >> 2) == (int)id_thread(k.id))
        p->mask |= 1u << w;
    else
        shadow_put_full(s, which, word, k, oldest);
}

void shadow_drop(struct shadow *s, int which, size_t word);

#endif
