/*
 * The spreadsum family: an array of n elements is spread over p devices, a part on each, and each
 * of them gets the sum of all, x[0] + x[1] + ... + x[n-1].
 */
#ifndef SPREADSUM_H
#define SPREADSUM_H

#include "harness/kit/device_barrier.h"
#include "harness/kit/element.h"
#include "harness/kit/spread.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a launch function gets: it queues the work of all devices, in the stream of each place. */
struct work {
    int devices;         /* p, 1 to MAX_SPREAD; device number d works in places[d] */
    size_t n;            /* elements of the whole array; may be 0 */
    int blocks, threads; /* of each device's grid */
    const struct device_stream *places;
    const element *x[MAX_SPREAD];  /* device memory: the part, whole quads aligned */
    size_t length[MAX_SPREAD];     /* its elements; the last parts may be shorter, or empty */
    element *sum[MAX_SPREAD];      /* the result, an element of each device; poisoned before */
    element *partial[MAX_SPREAD];  /* room for one per block; poisoned before */
    element *total[MAX_SPREAD];    /* room for the sum of the part */
    unsigned *tickets[MAX_SPREAD]; /* a word of each device; 0 at first, and left so by launches */
    unsigned long long *inbox[MAX_SPREAD]; /* two halves of a word from each device; 0 at first;
                                            * what launches leave stays */
    element *host; /* pinned memory that all reach: an element per device, and one */
    struct device_barrier barrier; /* of which each kernel gets a copy with its rank */
    unsigned epoch;                /* launches so far: the launch function counts them */
    struct CUevent_st *ready[MAX_SPREAD], *done[MAX_SPREAD]; /* an event or two of each device */
};

/* 512 threads, 16 elements of a part for each, at most as many blocks as the device holds. */
void spreadsum_default_shape(struct shape *);

/* The longest chain of additions: a slice of a part in groups of 16, a tree, the blocks' sums, a
 * tree, and one over the devices. */
double spreadsum_depth(const struct shape *);

#ifdef __cplusplus
}
#endif
#endif
