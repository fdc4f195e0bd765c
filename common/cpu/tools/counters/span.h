/* The longest chain of steps that wait for each other, and what the memory system behind the requests has
 * to move. See span.c. */
#ifndef CPU_TOOLS_SPAN_H
#define CPU_TOOLS_SPAN_H

#include "cpu/engine/state.h"

/* What a warp waits for. */
enum step {
    STEP_GLOBAL, /* loads of global memory that are in flight together: once */
    STEP_CACHE,  /* the same, all of it in the multiprocessor's cache */
    STEP_SHARED, /* the same of shared memory; an atomic there */
    STEP_WARP,   /* a warp operation: a shuffle, a vote, __syncwarp */
    STEP_BARRIER,
    STEP_ATOMIC, /* in global memory, whose answer is needed */
    STEP_FENCE,
    STEPS
};

struct chain {
    uint64_t steps[STEPS];
};

/* Of a warp. */
enum { TOGETHER = 16 };
struct span {
    struct chain chain;
    uint64_t batch[TOGETHER]; /* the loads in flight, by their places */
    unsigned in_batch;
    enum step batch_step;
    bool copying;        /* asynchronous copies are on their way */
    unsigned fence_lane; /* the last one that fenced */
};

/* Of a block: what its part of the multiprocessor's cache holds, lines of 128 bytes with their sectors, the
 * oldest of a set replaced first. */
enum { CACHE_LINE = 128, CACHE_WAYS = 4, CACHE_SETS = 512 };
struct cache {
    unsigned sets; /* in use */
    uint64_t line[CACHE_SETS][CACHE_WAYS];
    unsigned char sectors[CACHE_SETS][CACHE_WAYS], next[CACHE_SETS];
};

/* Which sectors of memory a worker's blocks have touched in a launch, and how often its hottest line was
 * added to. Empty between launches. */
struct touched;

/* Sums of a worker over a launch. */
struct traffic {
    struct chain sum, longest; /* of blocks */
    uint64_t blocks, shared;   /* shared: bytes of a block, the most */
    uint64_t cache_sectors;    /* of loads, that the multiprocessor's cache has */
    uint64_t lines;            /* of 128 bytes, summed over the requests */
    uint64_t partial;          /* sectors that a request stores to, but not whole */
    struct touched *touched;
};

void span_access(struct span *s, struct cache *c, struct traffic *t, uint64_t key, uint32_t lanes,
                 const uint64_t *address);
void span_meet(struct span *s);                 /* a warp operation */
void span_fence(struct span *s, unsigned lane); /* of one thread */
void span_arrived(struct span *s);              /* its asynchronous copies have */
void span_barrier(struct span **warps, unsigned count);
void span_block_begin(struct cache *c, unsigned threads, size_t shared);
void span_block_end(struct traffic *t, struct span **warps, unsigned count, size_t shared);

/* Sectors of memory that the launch read, wrote, and touched; and of the line whose atomic operations
 * have to wait most for each other: how many there were, one lane's each, in warps that had whole sectors;
 * and how often a sector of it was to be done in the others, again for each lane that shares a word. */
struct footprint {
    uint64_t read, written, any, hot_lanes, hot_passes;
};
struct footprint span_footprint(struct traffic **t,
                                unsigned count); /* of all workers; forgets it */
void span_clear(struct traffic *t);
bool span_longer(const struct chain *a, const struct chain *b);

#endif
