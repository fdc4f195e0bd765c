/*
 * The timing loop: CUDA events around each run, after a warm-up. A run is in the device's queue as a
 * whole before it begins (see gate.h).
 */
#ifndef MEASURE_H
#define MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include "harness/kit/stats.h"

/* What is measured. The functions return as those of struct family do. */
struct measured {
    const char *name; /* for messages: the variant */
    int warmup, runs;
    bool from_idle; /* a run begins on an idle device, while the host makes its launches */
    int (*prepare)(void *context);                      /* before each run, untimed; may be NULL */
    void (*launch)(void *context);                      /* the timed part: only enqueues work */
    int (*verify)(void *context);                       /* after each timed run; may be NULL */
    void (*progress)(void *context, int run, int runs); /* run of so many is next; may be NULL */
    void *context;
};

/* Events, and what flushes the L2 cache. */
struct meter {
    void *start, *stop; /* cudaEvent_t */
    void *flush;        /* NULL: the cache stays warm */
    size_t flush_bytes;
    double *times; /* room for the times of most runs */
};

/* Set up for at most so many runs; cold flushes the cache before each. 0, or negative after one
 * line; then, too, meter_close may be called. */
int meter_open(struct meter *, int most_runs, bool cold);
void meter_close(struct meter *);

/* Measure, in microseconds. 0, or negative after one line that names what failed. */
int measure(struct meter *, const struct measured *, struct stats *us);

/*
 * The ceiling: 1e9 bytes per second of a device-to-device copy that reads and writes together as many
 * bytes, measured by the same loop. NaN without a message if there is no memory for it.
 */
int measure_copy(struct meter *, double bytes, int warmup, int runs, struct stats *us,
                 double *gb_per_s);

#endif
