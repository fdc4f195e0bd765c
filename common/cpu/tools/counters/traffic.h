/* What memory behind the requests of a worker's blocks has to move. See traffic.c. */
#ifndef CPU_TOOLS_TRAFFIC_H
#define CPU_TOOLS_TRAFFIC_H

#include <stddef.h>
#include "cpu/tools/counters/touched.h"

/* What a block's part of the multiprocessor's cache holds: lines of 128 bytes with their
 * sectors, the oldest of a set replaced first. */
enum { CACHE_LINE = 128, CACHE_WAYS = 4, CACHE_SETS = 512 };
struct cache {
    uint32_t block; /* whose it is, by its number */
    unsigned sets;  /* in use */
    uint64_t line[CACHE_SETS][CACHE_WAYS];
    unsigned char sectors[CACHE_SETS][CACHE_WAYS], next[CACHE_SETS];
};

/* Sums over a launch; all 0 before it. */
struct traffic {
    uint64_t cache_sectors; /* of loads, that the multiprocessor's cache has */
    uint64_t lines;         /* of 128 bytes, summed over the requests */
    uint64_t missed;        /* those of loads of which it lacks sectors */
    uint64_t quarters;      /* of the cycles that the multiprocessor's cache takes for them */
    uint64_t partial;       /* sectors that a request stores to, but not whole, */
    uint64_t partial_lines; /* and their lines */
    /* Sectors that atomics do not have whole, without an answer and with one. */
    uint64_t added, answered;
    struct touched *touched;
};

/* How many blocks of so many threads and bytes of shared memory a multiprocessor has room for. */
unsigned traffic_resident(unsigned threads, size_t shared);

/* Empty, for one of these blocks. */
void cache_begin(struct cache *c, uint32_t block, unsigned threads, size_t shared);

/* A request of global memory: is it a load of which the cache has all? key: an access_key. */
bool traffic_request(struct traffic *t, struct cache *c, uint64_t key, uint32_t lanes,
                     const uint64_t *address);

#endif
