/*
 * The jacobi family: sweeps over a matrix that is spread over p devices by rows. A sweep makes of
 * each element the mean of those above, below, left and right of it; what lies outside counts as 0.
 */
#ifndef JACOBI_H
#define JACOBI_H

#include "harness/kit/device_barrier.h"
#include "harness/kit/element.h"
#include "harness/kit/spread.h"

#ifdef __cplusplus
extern "C" {
#endif

struct CUstream_st;
/*
 * What a launch function gets: it queues the work of all devices, in the stream of each place.
 *
 * Each array of a device has its own rows, and a halo row above and one below: row 0 and row
 * own + 1. Those of the first input are there; no sweep fills those at the edges of the matrix.
 */
struct work {
    int devices;            /* p, 1 to MAX_SPREAD; device number d works in places[d] */
    size_t rows, cols;      /* of the matrix; either may be 0 */
    size_t pitch;           /* elements from row to row: cols, rounded up to whole quads; those past
                             * cols are 0 in each row */
    size_t own[MAX_SPREAD]; /* rows of each device; where there are too few, the last have none */
    unsigned sweeps;        /* 1 or more */
    int threads;            /* threads per block, whole warps */
    const struct device_stream *places;
    const element *in[MAX_SPREAD]; /* what the first sweep reads */
    element *array[MAX_SPREAD][2]; /* what sweeps write in turn, the last one the first of the two;
                                    * poisoned before, halo rows too */
    struct CUstream_st *second[MAX_SPREAD]; /* another stream of each device */
    struct CUevent_st *begun[MAX_SPREAD], *sent[MAX_SPREAD], *edges[MAX_SPREAD], *inner[MAX_SPREAD];
    struct device_barrier barrier; /* its flags, 0 at first, and its limit */
    unsigned epoch;                /* sweeps so far: the launch function counts them */
};

/* For the log: each element read once and written once per sweep. */
double jacobi_bytes(const struct shape *);

#ifdef __cplusplus
}
#endif
#endif
