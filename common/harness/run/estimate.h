/* How long a GPU would take for the launches that the CPU device has counted. See estimate.c. */
#ifndef ESTIMATE_H
#define ESTIMATE_H

#include "harness/kit/machine.h"

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

/* By the counters of the launches since the last report, which were of so many equal runs. bound: the blocks
 * wait for each other, so that their chains say nothing; then it is what throughput alone takes. */
struct estimate estimate_run(const struct machine *machine, int runs, bool bound);

/* "latency of DRAM" */
const char *estimate_word(enum wait_for);

/* The two largest parts. */
void estimate_limits(const struct estimate *, enum wait_for *first, enum wait_for *second);

#endif
