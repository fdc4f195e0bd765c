/*
 * What threads know of each other through memory: see know.c. Everything lives until the launch
 * ends, and does not change once it can be reached from another thread, but for the lists' heads.
 */
#ifndef CPU_TOOLS_CHECK_KNOW_H
#define CPU_TOOLS_CHECK_KNOW_H

#include "cpu/tools/check/check.h"

struct record {               /* one release, as made by one thread */
    struct record *next;      /* in the bucket */
    struct record *next_told; /* of the word, those that pass on what others did */
    struct sync *sync;
    uint64_t version; /* how many the word has, with this one */
    uint32_t serial, base, time;
    unsigned thread;
    bool block_only;      /* the fence, or the write itself, had block scope */
    _Atomic uint32_t own; /* time of the thread's latest such write of the word itself */
    uint32_t *lane;       /* the clocks of its warp; NULL: its own alone */
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
    uint32_t serial; /* of the block that acquired it */
    bool block;      /* with block scope: of this and the parents only what that block released */
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

void know_launch_begin(void);
void know_launch_end(void);

void *know_take(size_t bytes); /* zeroed memory, for this launch */

/* Knowing k, and besides all that was released to the word up to the version, by whatever block or,
 * of block scope, by the block itself. */
struct know *know_add(struct know *k, struct sync *s, uint64_t version, uint32_t serial,
                      bool block);
struct know *know_in_block(struct know *k,
                           uint32_t serial);             /* of k what the block itself released */
struct know *know_merge(struct know *a, struct know *b); /* NULL: nothing */

bool know_any(void); /* something was released in this launch */
struct sync *know_find(uintptr_t address, uint32_t serial); /* NULL: nothing was released to it */
struct sync *know_word(uintptr_t address, uint32_t serial); /* made if it is new */
void know_release(struct sync *s, struct record *r);        /* r->sync, version, lists: set here */

struct target { /* an access */
    uint32_t serial;
    unsigned thread;
    uint32_t time;
    uintptr_t word; /* that it was of, if atomic: else 0 */
    bool any_scope; /* what if all fences and atomics had the scope of the device? */
};

/* Does one of the two know of that access? true also when there is too much to look through. */
bool know_search(struct know *known, struct know *also, const struct target *target);

#endif
