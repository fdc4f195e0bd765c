/*
 * One access as the shadow keeps it: who did it, where in the code, how, and in which epoch of its
 * thread. The one place that knows which bit stands where, of global memory and of shared.
 */
#ifndef CPU_TOOLS_CHECK_SHADOW_H
#define CPU_TOOLS_CHECK_SHADOW_H

#include <assert.h>
#include "cpu/engine/state.h"
#include "cpu/tools/check/sites.h"

/* An epoch is a clock of a thread as it was at an access. One that has come so far as EPOCH_MAX is
 * always in order. */
enum { EPOCH_BITS = 22, EPOCH_MAX = (1 << EPOCH_BITS) - 1 };

/* All of an access but its epoch. The fields, from the lowest bit: in the lowest is what of the
 * epoch has no room beside the id, in the shadow of global memory; else 0. */
typedef uint64_t access_id;
enum id_layout {
    ID_EPOCH_BITS = 6,
    ID_KIND_BITS = 4,  /* enum id_kind */
    ID_SITE_BITS = 12, /* see sites.h */
    ID_THREAD_BITS = 10,
    ID_SERIAL_BITS = 32, /* of the block; no access has 0, so that an id of 0 is none */
    ID_KIND_SHIFT = ID_EPOCH_BITS,
    ID_SITE_SHIFT = ID_KIND_SHIFT + ID_KIND_BITS,
    ID_THREAD_SHIFT = ID_SITE_SHIFT + ID_SITE_BITS,
    ID_SERIAL_SHIFT = ID_THREAD_SHIFT + ID_THREAD_BITS
};
enum id_kind {
    ID_ATOMIC = 1,
    ID_VOLATILE = 2,
    ID_SPECIAL = 4, /* atomic: of block scope; volatile: a write behind a fence; else a
                      read-only read, or a write by a copy in bulk */
    ID_WIDE = 8     /* atomic or volatile: of more than 4 bytes */
};
static_assert(ID_SERIAL_SHIFT + ID_SERIAL_BITS == 64, "an access_id is full");
static_assert(1 << ID_THREAD_BITS == MAX_THREADS, "a thread of a block has room");
static_assert(1 << ID_SITE_BITS == SITES, "the number of a site has room");
static_assert((ID_ATOMIC | ID_VOLATILE | ID_SPECIAL | ID_WIDE) < 1 << ID_KIND_BITS,
              "a kind has room");

/* The lowest bits. */
static inline uint64_t low_bits(uint64_t value, unsigned count)
{
    return value & (((uint64_t)1 << count) - 1);
}

static inline uint32_t id_serial(access_id id)
{
    return (uint32_t)(id >> ID_SERIAL_SHIFT);
}
static inline unsigned id_thread(access_id id)
{
    return (unsigned)low_bits(id >> ID_THREAD_SHIFT, ID_THREAD_BITS);
}
static inline unsigned id_site(access_id id)
{
    return (unsigned)low_bits(id >> ID_SITE_SHIFT, ID_SITE_BITS);
}
static inline unsigned id_kind(access_id id)
{
    return (unsigned)low_bits(id >> ID_KIND_SHIFT, ID_KIND_BITS);
}

static inline access_id id_make(uint32_t serial, unsigned thread, unsigned site, unsigned kind)
{
    return (access_id)serial << ID_SERIAL_SHIFT | (access_id)thread << ID_THREAD_SHIFT |
           (access_id)site << ID_SITE_SHIFT | (access_id)kind << ID_KIND_SHIFT;
}

/* Of an id that has none yet. */
static inline access_id id_with_thread(access_id id, unsigned thread)
{
    return id | (access_id)thread << ID_THREAD_SHIFT;
}

static inline access_id id_without_thread(access_id id)
{
    return id & ~(low_bits(~(access_id)0, ID_THREAD_BITS) << ID_THREAD_SHIFT);
}

/* Are both of one thread of one block? */
static inline bool id_same_thread(access_id a, access_id b)
{
    return a >> ID_THREAD_SHIFT == b >> ID_THREAD_SHIFT;
}

/* What the shadow has of a word of 4 bytes, or of each of its bytes once an access was of a part of
 * it: its last writer, and since then its first reader, and one that is another thread. */
enum { WRITER, READER, OTHER_READER, SHADOW_CELLS };
struct shadow_cell {
    access_id id; /* 0: none */
    uint32_t epoch;
};

/* --- of global memory: an id with the high bits of the epoch, and beside it the low ones ------ */

enum { LOW_EPOCH_BITS = EPOCH_BITS - ID_EPOCH_BITS };
typedef uint16_t low_epoch;
static_assert(8 * sizeof(low_epoch) == LOW_EPOCH_BITS, "an epoch is kept whole");

static inline access_id id_with_epoch(struct shadow_cell cell)
{
    return (cell.id & ~low_bits(~(access_id)0, ID_EPOCH_BITS)) | cell.epoch >> LOW_EPOCH_BITS;
}

static inline struct shadow_cell cell_of_global(access_id id, low_epoch low)
{
    return (struct shadow_cell){id, (uint32_t)low_bits(id, ID_EPOCH_BITS) << LOW_EPOCH_BITS | low};
}

/* --- of a block's shared memory: the epoch above what an id has below its serial number ------- */

typedef uint64_t shared_cell; /* the larger, the later; 0: none */
enum {
    SHARED_CELL_BITS = ID_SERIAL_SHIFT - ID_KIND_SHIFT, /* of the id */
    SHARED_CELL_EPOCH_SHIFT = SHARED_CELL_BITS + 1,     /* the bit between is of SPLIT alone */
    SHARED_CELL_THREAD_SHIFT = ID_THREAD_SHIFT - ID_KIND_SHIFT,
    SHARED_CELL_ATOMIC = ID_ATOMIC,
    SHARED_CELL_WIDE = ID_WIDE
};
/* In all cells of a word that has an entry per byte. It is later than any access, and of none of
 * the threads. */
#define SHARED_CELL_SPLIT (~(shared_cell)0)
static_assert(SHARED_CELL_EPOCH_SHIFT + EPOCH_BITS <= 64, "an epoch has room");

struct shadow_word {
    shared_cell cell[SHADOW_CELLS];
};

static inline shared_cell shared_cell_of(struct shadow_cell cell)
{
    return (shared_cell)cell.epoch << SHARED_CELL_EPOCH_SHIFT |
           low_bits(cell.id >> ID_KIND_SHIFT, SHARED_CELL_BITS);
}

static inline struct shadow_cell cell_of_shared(shared_cell cell, uint32_t serial)
{
    return (struct shadow_cell){(access_id)serial << ID_SERIAL_SHIFT |
                                    low_bits(cell, SHARED_CELL_BITS) << ID_KIND_SHIFT,
                                (uint32_t)(cell >> SHARED_CELL_EPOCH_SHIFT)};
}

static inline unsigned shared_cell_thread(shared_cell cell)
{
    return (unsigned)low_bits(cell >> SHARED_CELL_THREAD_SHIFT, ID_THREAD_BITS + 1);
}

#endif
