/* In what a GPU's counters may differ from these, by what a launch did. See differences.c. */
#ifndef CPU_TOOLS_DIFFERENCES_H
#define CPU_TOOLS_DIFFERENCES_H

#include "cpu/tools/counters/tally.h"

/* Of a place's accesses: bits, one for each class. */
unsigned differences_of(const struct place_sum *p);

/* The classes of all launches gathered, a line for each, with its kernels. */
void differences_print(FILE *out);

#endif
