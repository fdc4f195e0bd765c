/* In what a GPU's counters may differ from these, by what a launch did. See differences.c. */
#ifndef CPU_TOOLS_DIFFERENCES_H
#define CPU_TOOLS_DIFFERENCES_H

#include "cpu/tools/counters/tally.h"

/* Of a place's accesses: bits, one for each class. */
unsigned differences_of(const struct place_sum *p);

/* What is said of the class with that bit, 1 << at; NULL: there are no more. */
const char *differences_text(unsigned at);

#endif
