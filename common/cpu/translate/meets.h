/* Where the lanes of a warp meet again. See meets.c. */
#ifndef CPU_TRANSLATE_MEETS_H
#define CPU_TRANSLATE_MEETS_H

#include "cpu/translate/units.h"

/* With the word MEETS on the compiler's command line. To be called behind all that changes
 * statements. rounds: COUNT_ROUNDS (rounds.h) is there, too. */
#define MEETS "-DCPU_DEVICE_MEETS"
void put_meets(struct source *s, const struct units *u, bool rounds);

#endif
