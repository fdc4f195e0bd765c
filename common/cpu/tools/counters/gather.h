/* What the counters keep of a launch until it is reported. See gather.c. */
#ifndef CPU_TOOLS_GATHER_H
#define CPU_TOOLS_GATHER_H

#include "cpu/tools/counters/counters.h"
#include "cpu/tools/counters/tally.h"

/* The launch is over, and these are its workers' tallies. */
void gather_launch(const struct launch *l, struct tally *tallies, const struct nvcc_kernel *nvcc,
                   bool launches, bool lines);

#endif
