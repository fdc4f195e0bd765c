/*
 * Inside the counters: groups.c puts the accesses of a warp's lanes together, model.c says what
 * each such group costs, counters.c adds up, report.c prints.
 */
#ifndef COUNTERS_H
#define COUNTERS_H

#include "tools.h"

/* What a warp-level access is. */
enum kind {
    GLOBAL_LOAD,
    GLOBAL_STORE,
    SHARED_LOAD,
    SHARED_STORE,
    GLOBAL_ATOMIC,
    SHARED_ATOMIC,
    KINDS
};

/*
 * A place in the code and what it does there: the return address, above 8 bits for the width and 8
 * for the kind. Accesses with different keys are different instructions.
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
    return key >> 8 & 255;
}

static inline enum kind key_kind(access_key key)
{
    return (enum kind)(key & 255);
}

/*
 * groups.c. A warp's log: what some of its lanes have done and others may still do. One malloc,
 * which warp->log points to. Each complete warp-level access goes to counters_group.
 */
struct log {
    struct block *block;
    struct warp *warp;
    bool diverged; /* not all the warp's lanes took part in each access and barrier */
};
struct log *groups_create(void); /* NULL: out of memory */
void groups_reset(struct log *log, struct block *b, struct warp *w); /* forget everything */
void groups_add(struct log *log, unsigned lane, access_key key, uint64_t address);
unsigned groups_ahead(const struct log *log, unsigned lane, uint32_t others); /* accesses */
void groups_meet(struct log *log, uint32_t mask); /* these lanes have met */
void groups_flush(struct log *log);               /* all lanes have, or will never */

/*
 * lines.c: the name of a kernel: as the launch has it, unless that is an expression such as an
 * element of a table; then as the function's source has it. Not for use inside a kernel.
 */
const char *lines_kernel(const void *kernel, const char *name);

/* counters.c: a warp-level access is complete. */
void counters_group(struct log *log, access_key key, uint32_t lanes, const uint64_t *address);


/* What a launch did. units: sectors of global memory, wavefronts of shared memory, and for atomics
 * the most lanes on one address, each summed over the requests. */
struct counts {
    uint64_t requests[KINDS], units[KINDS], ideal[KINDS];
    uint64_t lanes;        /* active, summed over all requests */
    uint64_t same_address; /* most lanes of an atomic request on one address */
    uint64_t barriers;     /* block barriers, one a warp */
    uint64_t divergent_warps;
    uint64_t local; /* accesses of threads to their stacks */
};

/* Equal launches of one report. */
struct launch_record {
    const char *name;
    struct cpu_dim grid, dim;
    uint64_t launches;
    struct counts counts; /* of one launch */
};

/* All launches of one kernel, at one source line. */
struct line_record {
    const char *name, *file;
    int line;
    enum kind kind;
    uint64_t requests, units, ideal;
};

/* What has been gathered since the last report. */
struct gathered {
    struct launch_record *launch;
    size_t launches, launch_room;
    struct line_record *line;
    size_t lines, line_room;
};
extern struct gathered gathered;

/* A place in an array of `count` elements of `size` bytes, which grows. Ends the program when
 * memory is exhausted. */
void *counters_grow(void *array, size_t count, size_t *room, size_t size);

/* trace.c: the access at one source line, for a picture. */
struct picture { /* of one place in the code: its first access with most lanes */
    access_key key;
    uint32_t lanes;
    uint64_t block;
    unsigned warp;
    uint64_t address[WARP]; /* shared: from the start of the block's shared memory */
};
bool trace_is_on(void); /* until something was printed */
void trace_offer(struct picture *best, const struct log *log, access_key key, uint32_t lanes,
                 const uint64_t *address);
void trace_keep(const struct picture *p); /* of one worker, at the end of a launch: if it is at
                                             the chosen line */
void trace_print(void);                   /* what was kept in this launch, then no more */

#endif
