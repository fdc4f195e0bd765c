/* Declarations of shared memory. See shared.c. */
#ifndef CPU_TRANSLATE_SHARED_H
#define CPU_TRANSLATE_SHARED_H

#include <stdbool.h>

/* p stands at the start of a word. If it begins a declaration of shared memory, `__shared__` with
 * extern, static or volatile before it, returns the place behind the semicolon; else NULL. */
const char *translate_shared(const char *p, bool in_function);

#endif
