/*
 * The spreadscan family: the inclusive scan of an array that is spread over p devices,
 * y[i] = x[0] + ... + x[i], spread in the same way.
 */
#ifndef SPREADSCAN_H
#define SPREADSCAN_H

#include "harness/kit/device_barrier.h"
#include "harness/kit/element.h"
#include "harness/kit/spread.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Rules of this family's variants, beside enum rule. */
enum spreadscan_rule {
    CYCLIC = FAMILY_RULE, /* many chunks, dealt out in turn; else a part per device */
};

#define LEAST_TILE 1920              /* elements of a tile, which is a part of one chunk */
#define MOST_CHUNK (30 * LEAST_TILE) /* elements of a chunk that is dealt out: at most 32 tiles */

/* What a launch function gets: it queues the work of all devices, in the stream of each place. */
struct work {
    int devices;         /* p, 1 to MAX_SPREAD; device number d works in places[d] */
    size_t n;            /* elements of the whole array; may be 0 */
    size_t chunk;        /* elements of a chunk, whole quads: chunk c is on device c % p */
    int blocks, threads; /* of each device's grid */
    const struct device_stream *places;
    const element *x[MAX_SPREAD];  /* device memory: the device's chunks, one behind the other */
    element *y[MAX_SPREAD];        /* the same; poisoned before */
    size_t length[MAX_SPREAD];     /* elements of a device; may be 0 */
    element *partial[MAX_SPREAD];  /* room for two per block */
    unsigned *tickets[MAX_SPREAD]; /* a word of each device; 0 at first, and left so by launches */
    unsigned long long *posted[MAX_SPREAD]; /* a word per tile of each chunk of the device */
    unsigned long long *inbox[MAX_SPREAD];  /* two halves of room words, one per chunk of all.
                                             * These and those posted are 0 at first; what launches
                                             * leave stays */
    size_t room;
    struct device_barrier barrier; /* of which each kernel gets a copy with its rank */
    unsigned epoch;                /* launches so far: the launch function counts them */
};

/* The elements of a chunk, of an array of n: dealt out, or in plain parts. At least 1. */
size_t spreadscan_chunk(size_t n, int devices, bool cyclic);

/* Elements of the device that has the most. */
size_t spreadscan_longest(size_t n, int devices, size_t chunk);

#ifdef __cplusplus
}
#endif
#endif
