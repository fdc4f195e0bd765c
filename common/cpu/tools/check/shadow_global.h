/*
 * The shadow of global memory: for each word of 4 bytes its last writer, and since then its first
 * reader and the last one that is another thread; the same for each byte, in lines where a part of
 * a word was accessed. See shadow_global.c.
 */
#ifndef CPU_TOOLS_CHECK_SHADOW_GLOBAL_H
#define CPU_TOOLS_CHECK_SHADOW_GLOBAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include "cpu/tools/check/check.h"

enum { SHADOW_LINE_WORDS = 32, SHADOW_LINE_BYTES = 4 * SHADOW_LINE_WORDS };

struct expanded_line; /* a line whose words go by no rule */

/* A line of words, and one access of each: by the same instruction of threads that are equally far
 * apart. */
struct shadow_line {
    union {
        access_id id; /* without its thread */
        struct expanded_line *expanded;
    };
    uint32_t mask;   /* the words that were accessed */
    low_epoch epoch; /* low bits */
    int16_t first;   /* the thread of word 0, be there one or not */
    int16_t stride;  /* from word to word, in fourths of a thread */
    bool is_expanded;
    bool is_split; /* of the words' writers: the planes of bytes are used */
};

/* Byte 0 of each word, byte 1, ..., and the words as a whole. */
enum { PLANE_WORDS = 4, PLANES };
struct shadow_plane {
    struct shadow_line *line[SHADOW_CELLS]; /* of bytes NULL: no line is split */
    atomic_bool used[SHADOW_CELLS];
};

struct chunk;

struct shadow_global {
    _Atomic uint8_t *lock; /* of each line */
    struct shadow_plane plane[PLANES];
    uint32_t *written; /* a bit per byte */
    size_t bytes;      /* of memory that it is for */
    struct chunk *chunks;
    struct expanded_line *spare;
    atomic_flag pool; /* the lock of chunks and spare, and of making the planes of bytes */
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
    struct shadow_global shadow; /* lock NULL: none, do not check */
};

/* It is told in the finding. */
static inline void region_tell(const struct region *r, struct finding *f)
{
    f->memory.number = r->number;
    f->memory.bytes = r->bytes;
    f->memory.base = r->base;
}

bool shadow_global_make(struct shadow_global *s, size_t bytes);
void shadow_global_free(struct shadow_global *s);
void shadow_global_forget(struct shadow_global *s); /* the accesses, not what was written */
void shadow_global_clear(struct shadow_global *s);  /* both */

static inline void shadow_global_lock(struct shadow_global *s, size_t line)
{
    while (atomic_exchange_explicit(&s->lock[line], 1, memory_order_acquire))
        ;
}

static inline void shadow_global_unlock(struct shadow_global *s, size_t line)
{
    atomic_store_explicit(&s->lock[line], 0, memory_order_release);
}

/* --- under the lock of the word's line -------------------------------------------------------- */

void shadow_global_split(struct shadow_global *s, size_t line);

static inline bool shadow_global_is_split(const struct shadow_global *s, size_t word)
{
    return s->plane[PLANE_WORDS].line[WRITER][word / SHADOW_LINE_WORDS].is_split;
}

/* In which planes a byte, and an access of some bytes of its word, is kept. */
struct planes {
    int from, to;
};
static inline struct planes shadow_global_planes(struct shadow_global *s, size_t byte, size_t bytes)
{
    int from = byte % 4;

    if (!shadow_global_is_split(s, byte / 4)) {
        if (bytes == 4)
            return (struct planes){PLANE_WORDS, PLANES};
        shadow_global_split(s, byte / 4 / SHADOW_LINE_WORDS);
    }
    return (struct planes){from, from + (int)bytes};
}
static inline int shadow_global_plane(const struct shadow_global *s, size_t byte)
{
    return shadow_global_is_split(s, byte / 4) ? (int)(byte % 4) : PLANE_WORDS;
}

/* The access that is kept of a word in that plane; id 0: none. */
struct shadow_cell shadow_global_get_expanded(const struct shadow_line *p, unsigned w);

static inline struct shadow_cell shadow_global_get(const struct shadow_global *s, int plane,
                                                   int which, size_t word)
{
    const struct shadow_plane *of = &s->plane[plane];
    const struct shadow_line *p = &of->line[which][word / SHADOW_LINE_WORDS];
    unsigned w = word % SHADOW_LINE_WORDS;
    unsigned thread;

    if (!atomic_load_explicit(&of->used[which], memory_order_relaxed))
        return (struct shadow_cell){0, 0};
    if (p->is_expanded)
        return shadow_global_get_expanded(p, w);
    if (!(p->mask >> w & 1))
        return (struct shadow_cell){0, 0};
    thread = (unsigned)(p->first + ((int)w * p->stride >> 2));
    return cell_of_global(id_with_thread(p->id, thread), p->epoch);
}

/* oldest: the first serial number that still counts. */
void shadow_global_put_slowly(struct shadow_global *s, int plane, int which, size_t word,
                              struct shadow_cell k, uint32_t oldest);

static inline void shadow_global_put(struct shadow_global *s, int plane, int which, size_t word,
                                     struct shadow_cell k, uint32_t oldest)
{
    struct shadow_line *p = &s->plane[plane].line[which][word / SHADOW_LINE_WORDS];
    unsigned w = word % SHADOW_LINE_WORDS;

    if (!p->is_expanded && p->mask && p->id == id_without_thread(id_with_epoch(k)) &&
        p->epoch == (low_epoch)k.epoch &&
        p->first + ((int)w * p->stride >> 2) == (int)id_thread(k.id))
        p->mask |= 1u << w;
    else
        shadow_global_put_slowly(s, plane, which, word, k, oldest);
}

void shadow_global_drop(struct shadow_global *s, int plane, int which, size_t word);

#endif
