/* What one change of a kernel would bring. See estimate_mends.c. */
#ifndef ESTIMATE_MENDS_H
#define ESTIMATE_MENDS_H

#include <cpu_device.h>

#include "harness/kit/machine.h"

enum mend {
    MEND_COALESCED,
    MEND_CONFLICTS,
    MEND_CONSTANTS,
    MEND_RESIDENT,
    MEND_IN_FLIGHT,
    MEND_SPREAD,
    MEND_BARRIERS,
    MEND_LINES,
    MEND_WHOLE_SECTORS,
    MEND_INSTRUCTIONS,
    MEND_BYTES,
    MENDS
};

/* "coalesced"; it stays. */
const char *mend_name(enum mend);

/* us of the launch with this change and all else as it is; below 0: there is nothing to change. */
double mend_us(const struct machine *, const struct cpu_device_launch *, enum mend);

#endif
