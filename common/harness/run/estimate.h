/* How long a GPU would take for the launches that the CPU device has counted. See estimate.c. */
#ifndef ESTIMATE_H
#define ESTIMATE_H

#include <stdbool.h>
#include <stddef.h>

#include <cpu_device.h>

#include "harness/kit/machine.h"
#include "harness/run/estimate_shapes.h"

/* What a run waits for. */
enum wait_for {
    FOR_LAUNCHES,  /* until the launches are in the queue */
    FOR_DRAM_TRIP, /* one after the other: */
    FOR_L2_TRIP,
    FOR_CACHE,
    FOR_SHARED,
    FOR_WARPS,
    FOR_BARRIERS,
    FOR_ATOMICS,
    FOR_FENCES,
    FOR_CHAIN, /* of instructions */
    FOR_DRAM,  /* as much as there is: */
    FOR_L2,
    FOR_BANKS,
    FOR_CONSTANTS,
    FOR_ARRIVALS, /* of warps, at barriers */
    FOR_ISSUE,
    FOR_F32,
    FOR_STARTS,
    FOR_SECTORS,
    FOR_LINE, /* atomics on one line */
    WAITS_FOR
};

struct estimate {
    double us;              /* of a run; below 0: nothing was counted */
    double part[WAITS_FOR]; /* us, each as if it were alone */
    double launches;
};

/* What the launches of equal runs did: all that a time is estimated from. */
struct counted {
    struct cpu_device_launch *launch;
    size_t count;
    double n; /* elements */
    int runs;
    double together; /* results that a thread makes side by side, so that its instructions need not
                        wait; 0: 1 */
    bool product;    /* of matrices: its blocks do the same, and read what others of them read */
};

/* The launches since the last report; its memory is freed by estimate_forget. -1 without memory. */
int estimate_count(struct counted *c, double n, int runs);
int estimate_copy(struct counted *to, const struct counted *from); /* the same */
void estimate_forget(struct counted *c);

/* How the launches were run. */
enum {
    ESTIMATE_BOUND =
        1, /* their blocks wait for each other, so that chains say nothing: throughput alone */
    ESTIMATE_COLD = 2, /* L2 had nothing of theirs */
};
/*
 * What a run of n elements would have counted, by runs of three smaller sizes in rising order, into
 * the last of them: each counter goes on as the line through the first and the last, if that of the
 * middle one lies on it; of a bound, chains are not looked at. NULL, or why it cannot be said.
 */
const char *estimate_extend(struct counted c[COUNTED_SIZES], double n, unsigned how);

/* Some numbers are a part of the sectors that L1 lacks, and go on with these: they need not lie on
 * a line. Is this one of them? And all of them, of a launch whose others have been extended, and
 * that lacked so many sectors before. */
bool estimate_is_share(struct cpu_device_launch *, size_t number);
void estimate_extend_shares(struct cpu_device_launch *, double before);

/* The same of a product of matrices, by some of few tiles: see estimate_product.c. */
const char *estimate_product(struct counted c[COUNTED_PRODUCTS], const struct shape *whole,
                             const struct family *family);

/* How many elements of C a thread makes; or why a product of this shape is not estimated. */
const char *estimate_product_shape(struct counted *, const struct shape *, unsigned how);

struct estimate estimate_run(const struct machine *machine, const struct counted *c, unsigned how);

/* us of one launch alone, behind others in the queue, of which L2 has what fits of its footprint;
 * with so many more blocks resident on a multiprocessor than there is room for. part: as in struct
 * estimate, without what is for launches; NULL: not wanted. */
double estimate_launch(const struct machine *, const struct cpu_device_launch *, int more_blocks,
                       double *part);

/* us until so many launches are in the queue, one behind the other. */
double estimate_queue(const struct machine *, double launches);

/* How many blocks are resident on a multiprocessor, and what there is no more room for. */
enum room { ROOM_FOR_THREADS, ROOM_FOR_SHARED, ROOM_FOR_BLOCKS, ROOM_FOR_REGISTERS };
double estimate_resident(const struct machine *, const struct cpu_device_launch *, enum room *);

/* Four of five estimates are no further off, as a part of the time: docs/estimate.md has the
 * comparison with the log of an H200. */
#define ESTIMATE_RANGE 0.11

/* "latency of DRAM"; and what would help, "more loads in flight". */
const char *estimate_word(enum wait_for);
const char *estimate_advice(enum wait_for);

/* The two largest parts. */
void estimate_limits(const struct estimate *, enum wait_for *first, enum wait_for *second);

#endif
