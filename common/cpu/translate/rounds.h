/* Loops whose rounds are counted. See rounds.c. */
#ifndef CPU_TRANSLATE_ROUNDS_H
#define CPU_TRANSLATE_ROUNDS_H

#include "cpu/translate/units.h"

/* With the word COUNT_ROUNDS on the compiler's command line. To be called behind all that changes
 * conditions. */
#define COUNT_ROUNDS "-DCPU_DEVICE_ROUNDS"
void count_rounds(struct source *s, const struct units *u);

#endif
