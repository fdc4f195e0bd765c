/*
 * The timing loop: CUDA events around each run, after a warm-up. A run is in the queues as a whole
 * before it begins (see gate.h). One that works in several places, of one device or several, is in
 * all of them at once, and takes as long as it does in the one that is last.
 */
#ifndef MEASURE_H
#define MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include "harness/kit/device.h"
#include "harness/kit/stats.h"
#include "harness/run/gate.h"

#define FEWEST_RUNS 5   /* where neither their number nor their time is given */
#define FEWEST_BUDGET 3 /* where runs are short beside what is done before and after them */

/* What is measured. The functions return as those of struct family do. */
struct measured {
    const char *name; /* for messages: the variant */
    int warmup, runs;
    double enough_us; /* no run beyond the fewest once all took so long; 0: all */
    double budget_us; /* the same, of what is done around them, too: FEWEST_BUDGET are; 0: none */
    int fewest;       /* timed runs, whatever they take */
    size_t places;    /* it works in so many of the meter's places, the first; 0: in all */
    bool by_ranks;    /* all ranks measure it together: the time is that of the last to end */
    bool from_idle;   /* a run begins on an idle device, while the host makes its launches */
    int (*prepare)(void *context); /* before each run, untimed; may be NULL */
    /* The timed part: only enqueues work. What it puts in other streams begins behind what is in
     * that of its device's place, and is joined with it. The first place's device is the current
     * one, and stays so if there is no other. */
    void (*launch)(void *context);
    int (*verify)(void *context);                       /* after each timed run; may be NULL */
    void (*progress)(void *context, int run, int runs); /* run of so many is next; may be NULL */
    void *context;
};

/* Of each place: events, and what flushes its device's L2 cache. */
struct timer {
    void *start, *stop; /* cudaEvent_t */
    void *flush;        /* NULL: the cache stays warm */
    size_t flush_bytes;
};

struct meter {
    const struct device_stream *places;
    size_t count;
    struct timer *timers; /* one per place */
    struct gate gate;
    double *times; /* room for the times of all runs */
};

/* Set up for runs in these places, at least one, which outlive the meter, and at most so many runs;
 * cold flushes the caches before each. 0, or negative after one line; then, too, meter_close may be
 * called. */
int meter_open(struct meter *, const struct device_stream *places, size_t count, int max_runs,
               bool cold);
void meter_close(struct meter *);

/* Measure, in microseconds; runs: how many were timed, may be NULL. 0, or negative after one line
 * that names what failed. */
int measure(struct meter *, const struct measured *, struct stats *us, int *runs);

/*
 * The ceiling: 1e9 bytes per second of a copy in the first place, within its device, that reads and
 * writes together as many bytes, measured by the same loop. In several places each copies as many
 * to the next one's memory, all at once, and the rate is that of one of the copies. NaN without a
 * message if there is no memory for it.
 */
int measure_copy(struct meter *, size_t places, double bytes, int warmup, int runs,
                 struct stats *us, double *gb_per_s);

#endif
