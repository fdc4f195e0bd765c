/*
 * The alltoall family: a matrix of floats is spread over p devices by rows, and is to be spread by
 * columns, as it is or turned: each device has a block for every other.
 */
#ifndef ALLTOALL_H
#define ALLTOALL_H

#include "harness/kit/device_barrier.h"
#include "harness/kit/element.h"
#include "harness/kit/spread.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Rules of this family's variants, beside enum rule. */
enum alltoall_rule {
    TURNS = FAMILY_RULE,      /* the result is the transpose */
    STAYS = FAMILY_RULE << 1, /* and is spread by its columns: no element leaves its device */
    FREES =
        FAMILY_RULE << 2, /* outputs may be in use until a launch, which waits for all devices */
};

/* What a launch function gets: it queues the work of all devices, in the stream of each place.
 * Device d has the rows from d * row_share on and is to have the columns from d * col_share on, one
 * share each; the last shares are shorter, or empty. */
struct work {
    int devices;         /* p, 1 to MAX_SPREAD; device number d works in places[d] */
    size_t rows, cols;   /* of the whole matrix; either may be 0 */
    size_t row_share;    /* rows / p, rounded up */
    size_t col_share;    /* cols / p, rounded up to whole quads */
    int blocks, threads; /* of each device's grid */
    const struct device_stream *places;
    const float *in[MAX_SPREAD]; /* device memory: the device's rows, each of cols elements */
    /* All rows, each of the device's columns. Turned: its columns, each of all rows; if it stays:
     * all columns, each of the device's rows. Poisoned before. */
    float *out[MAX_SPREAD];
    struct device_barrier barrier; /* of which each kernel gets a copy with its rank */
    unsigned epoch;                /* launches so far: the launch function counts them */
};

#ifdef __cplusplus
}
#endif
#endif
