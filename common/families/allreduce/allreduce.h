/*
 * The allreduce family: each of p devices has an array of n elements, and each gets the sum of all
 * arrays, out[i] = in_0[i] + ... + in_(p-1)[i].
 */
#ifndef ALLREDUCE_H
#define ALLREDUCE_H

#include "harness/kit/device_barrier.h"
#include "harness/kit/element.h"
#include "harness/kit/spread.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Elements that are handed over as pairs of a value and a flag, at most. */
#define MAX_PACKED ((size_t)1 << 18)

/* What a launch function gets: it queues the work of all devices, in the stream of each place. */
struct work {
    int devices;         /* p, 1 to MAX_SPREAD; device number d works in places[d] */
    size_t n;            /* elements of each array; may be 0 */
    size_t share;        /* elements of a device's share: n / p, rounded up to whole quads; the last
                          * ones' are shorter, or empty */
    int blocks, threads; /* of each device's grid */
    const struct device_stream *places;
    const element *in[MAX_SPREAD]; /* device memory: n elements, whole quads aligned */
    element *out[MAX_SPREAD];      /* the same; poisoned before */
    element *scratch[MAX_SPREAD];  /* p * share elements; or two halves of p * packets pairs of a
                                    * value and a flag, 0 at first; what launches leave stays */
    size_t packets;                /* room for so many from each device: n, at most MAX_PACKED */
    struct device_barrier barrier; /* of which each kernel gets a copy with its rank */
    unsigned epoch;                /* launches so far: the launch function counts them */
    struct CUevent_st *done[MAX_SPREAD]; /* an event of each device */
};

/* The family's: 512 threads, a thread per quad of a share, at most a block per multiprocessor. */
void allreduce_default_shape(struct shape *);

#ifdef __cplusplus
}
#endif
#endif
