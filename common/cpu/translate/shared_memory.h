/* Declarations of shared memory. See shared_memory.c. */
#ifndef CPU_TRANSLATE_SHARED_MEMORY_H
#define CPU_TRANSLATE_SHARED_MEMORY_H

#include "cpu/translate/units.h"

void translate_shared(struct source *s, const struct units *u);

#endif
