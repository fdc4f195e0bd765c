/*
 * The peercopy family: arrays go from one device to another. Device d has an input of n elements,
 * and the next device's output is to be a copy of it.
 */
#ifndef PEERCOPY_H
#define PEERCOPY_H

#include "harness/kit/element.h"
#include "harness/kit/spread.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Rules of this family's variants, beside enum rule. */
enum peercopy_rule {
    ONE_WAY = FAMILY_RULE, /* only device 0 sends, to device 1 */
};

/* What a launch function gets: it queues the work of all devices, in the stream of each place. */
struct work {
    int devices;         /* p, 1 to MAX_SPREAD; device number d works in places[d] */
    size_t n;            /* elements of each array; may be 0 */
    int blocks, threads; /* of each device's grid */
    const struct device_stream *places;
    const element *in[MAX_SPREAD]; /* device memory: n elements, whole quads aligned */
    element *out[MAX_SPREAD];      /* the same; poisoned before */
    void *host[MAX_SPREAD];        /* pinned memory of the host, n elements for each device */
    struct CUevent_st *written[MAX_SPREAD]; /* events: of device d, for host[d]; */
    struct CUevent_st *read[MAX_SPREAD];    /* of the one behind it, for the same */
};

#ifdef __cplusplus
}
#endif
#endif
