/* Which accesses of a warp's lanes are one instruction of the warp. See groups.c. */
#ifndef CPU_TOOLS_GROUPS_H
#define CPU_TOOLS_GROUPS_H

#include "cpu/engine/state.h"
#include "cpu/tools/counters/span.h"

/* What a warp-level access is. */
enum kind {
    GLOBAL_LOAD,
    GLOBAL_STORE,
    SHARED_LOAD,
    SHARED_STORE,
    GLOBAL_ATOMIC,
    SHARED_ATOMIC,
    KINDS,
    OTHER = KINDS, /* of enum other, which has the place of the width */
    REMOTE         /* of shared memory of another block of the cluster: enum remote */
};

/* What is counted like an access, and costs something else or nothing. */
enum other {
    BARRIER, /* where lines are asked for */
    ROUND,   /* of a loop, where those are told */
    BRANCH,  /* the condition of an if, where those are; its address is 1 where it is true, or 0 */
    CONSTANT /* a load of constant memory */
};

/*
 * A place in the code and what it does there: the return address, above 8 bits for the width and 8
 * for the kind and what enum key_flag has. Accesses with different keys are different instructions.
 */
typedef uint64_t access_key;

static inline access_key key_of(uintptr_t site, unsigned bytes, enum kind kind)
{
    return (uint64_t)site << 16 | bytes << 8 | kind;
}

static inline uintptr_t key_site(access_key key)
{
    return (uintptr_t)(key >> 16);
}

static inline unsigned key_bytes(access_key key)
{
    return key >> 8 & 127;
}

static inline enum kind key_kind(access_key key)
{
    return (enum kind)(key & 7);
}

static inline bool key_is(access_key key, enum other what)
{
    return key_kind(key) == OTHER && key_bytes(key) == (unsigned)what;
}

/* What a remote access is, in the bits of its key that an atomic's form has else. */
enum remote { REMOTE_LOAD, REMOTE_STORE, REMOTE_ATOMIC, REMOTES };
enum { REMOTE_SHIFT = 4 };

static inline enum remote key_remote(access_key key)
{
    return (enum remote)(key >> REMOTE_SHIFT & 3);
}

/* Or'ed into a key. */
enum key_flag {
    /* nobody waits for it: an atomic whose old value nobody takes, an asynchronous copy */
    KEY_QUIET = 8,
    KEY_LOOP = 16,      /* of an atomic: the GPU does it by a loop, if in shared memory */
    KEY_SWAP = 32,      /* a compare-and-swap */
    KEY_COUNT = 64,     /* an atomic that adds 1, whose old value nobody takes */
    KEY_VOLATILE = 128, /* of a volatile variable, with which the compiler may do nothing clever */
    KEY_FLOAT = 1 << 15 /* of an atomic: it computes with floating point */
};

static inline bool key_is_volatile(access_key key)
{
    return key & KEY_VOLATILE;
}

/* An access of a warp, shortly before: see tally.c. */
struct recent {
    access_key key;
    unsigned syncs; /* of the warp, when it was */
    uint32_t lanes;
    uint64_t first, second, last; /* addresses, by lane */
};
enum { RECENT = 16 };

/* Accesses of lanes, by lane, that belong together. */
struct group {
    access_key key;
    uint32_t lanes;
    uint32_t next_free; /* of groups.c */
    uint64_t address[WARP];
};

enum { ROWS = 128 }; /* in step; more than twice the turn of a lane */

/*
 * A warp's accesses: what some of its lanes have done and others may still do. One malloc, owned by
 * whoever created it and used by the worker of its block alone.
 */
struct warp_accesses {
    struct block *block;
    struct span span;
    struct cache *cache; /* the block's; owned by the accesses of its first warp */
    struct warp *warp;
    bool diverged;             /* not all the warp's lanes took part in each access and barrier */
    unsigned syncs;            /* barriers and warp operations so far */
    uint64_t cluster_barriers; /* of the cluster, when a lane last went on behind one */
    uint64_t instructions, loaded; /* loaded: up to the last load of global memory */
    struct recent recent[RECENT];
    unsigned next_recent;
    /* Of groups.c. */
    bool apart;
    uint32_t first, last; /* rows that may be open: from first to before last */
    uint32_t count[WARP]; /* accesses of each lane since they last synchronised */
    struct group row[ROWS];
    struct as_nvcc *as_nvcc; /* NULL: not needed yet. Kept while the block is reused */
};

/* Called with each complete warp-level access: its lanes, and their addresses by lane. */
typedef void groups_complete(struct warp_accesses *accesses, access_key key, uint32_t lanes,
                             const uint64_t *address);

struct warp_accesses *groups_create(groups_complete *complete); /* NULL: out of memory */
void groups_reset(struct warp_accesses *accesses, struct block *b,
                  struct warp *w); /* forget everything */
void groups_add(struct warp_accesses *accesses, unsigned lane, access_key key, uint64_t address);
void groups_complete_to(struct warp_accesses *accesses,
                        uint32_t n); /* row n is full, and so are those before */

unsigned groups_ahead(const struct warp_accesses *accesses, unsigned lane,
                      uint32_t others);                          /* accesses */
void groups_sync(struct warp_accesses *accesses, uint32_t mask); /* these lanes have synchronised */
void groups_flush(struct warp_accesses *accesses);               /* all lanes have, or will never */

#endif
