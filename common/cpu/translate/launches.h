/* Launches. See launches.c. */
#ifndef CPU_TRANSLATE_LAUNCHES_H
#define CPU_TRANSLATE_LAUNCHES_H

#include "cpu/translate/units.h"

void translate_launches(struct source *s);

#endif
