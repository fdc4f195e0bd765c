/*
 * Happens-before through memory: the vector clocks of threads. See vector_clock.c. Everything lives
 * until a launch begins that is in order behind all before, and does not change once another thread
 * can reach it, but for the lists' heads.
 */
#ifndef CPU_TOOLS_CHECK_VECTOR_CLOCK_H
#define CPU_TOOLS_CHECK_VECTOR_CLOCK_H

#include "cpu/tools/check/check.h"

struct release_record {                  /* one release, as made by one thread */
    struct release_record *next;         /* in the bucket */
    struct release_record *next_carrier; /* of the word, those that pass on what others did */
    struct sync_var *var;
    uint64_t version; /* how many the word has, with this one */
    uint32_t serial, base, epoch;
    uint32_t when; /* check_now of its block: it tells of nothing later */
    unsigned thread;
    enum cpu_scope scope; /* of the fence, or of the write itself if that is less */
    int device;
    _Atomic uint32_t own; /* epoch of the thread's latest such write of the word itself */
    uint32_t *lane;       /* the clocks of its warp; NULL: its own alone */
    struct vector_clock *acquired;
    struct flush *flush;
    _Atomic(struct section *) section; /* that ends here; NULL: none */
};

struct sync_var { /* a word that was released to */
    struct sync_var *next;
    uintptr_t address;
    uint32_t serial; /* of the block, in shared memory; else 0 */
    _Atomic uint64_t version;
    atomic_bool is_lock;
    _Atomic(struct release_record *) carriers; /* releases that pass on what others did */
};

struct vector_clock {
    struct sync_var *var; /* all its records up to version; NULL: see parents */
    uint64_t version;
    uint32_t serial;      /* of the block that acquired it; 0: of several */
    uint32_t when;        /* check_now of that block: nothing in it is later */
    int device;           /* that it is on */
    enum cpu_scope scope; /* of this and the parents only what that block, or device, released */
    struct vector_clock *parent[2];
    struct section *section; /* that began so; NULL: none */
    struct sync_var *only;   /* all that it covers is through this word */
    uint64_t only_version;
    const uint64_t *after; /* so many operations of each stream; NULL: none */
};

struct flush {          /* the fences of a block, as its barrier saw them */
    uint32_t base, all; /* all: every thread's accesses up to this epoch */
    unsigned count;
    struct vector_clock *acquired;
    struct {
        uint32_t thread, epoch;
    } of[];
};

/* While no launch is active: what was released, and the memory for it. */
void vector_clock_forget(void);

void *vector_clock_alloc(size_t bytes); /* zeroed memory, until all is forgotten */

/* The clock with all that was released to the word up to the version, as far as that scope goes
 * around the block. section: of a lock, NULL: it is none. */
struct vector_clock *vector_clock_acquire(struct vector_clock *clock, struct sync_var *s,
                                          uint64_t version, const struct check_block *cb,
                                          enum cpu_scope scope, struct section *section);

/* Of the clock what the block itself released, or its device. */
struct vector_clock *vector_clock_in_scope(struct vector_clock *clock, const struct check_block *cb,
                                           enum cpu_scope scope);

/* The clock with so many operations of each stream, as in struct launch. */
struct vector_clock *vector_clock_behind(struct vector_clock *clock, const uint64_t *after);

/* What either has; NULL: an empty one. */
struct vector_clock *vector_clock_join(struct vector_clock *a, struct vector_clock *b);

bool vector_clock_any(void); /* something was released, and not forgotten */

/* The word; NULL: nothing was released to it. */
struct sync_var *vector_clock_find(uintptr_t address, uint32_t serial);
struct sync_var *vector_clock_find_or_add(uintptr_t address, uint32_t serial);

/* Sets r->var, its version and the lists. */
void vector_clock_release(struct sync_var *s, struct release_record *r);

struct target { /* an access */
    uint32_t serial;
    unsigned thread;
    uint32_t epoch;
    uintptr_t word; /* that it was of, if atomic: else 0 */
    bool any_scope; /* what if all fences and atomics had the scope of the device? */
};

/* Has one of the two clocks that access? NULL: an empty one. true also when there is too much to
 * look through. */
bool vector_clock_covers(struct vector_clock *first, struct vector_clock *second,
                         const struct target *target);

/* The same by some of what was released alone: from one section of a lock to another where both do
 * what may not happen at the same time, or not at all. */
enum clock_edges { EDGES_ALL, EDGES_OF_CONFLICTS, EDGES_OF_NO_LOCK };
bool vector_clock_covers_by(struct vector_clock *first, struct vector_clock *second,
                            const struct target *target, enum clock_edges edges);

#endif
