/* Where the threads of a launch are that does not end. See where.c. */
#ifndef CPU_ENGINE_WHERE_H
#define CPU_ENGINE_WHERE_H

#include "cpu/engine/state.h"

/* On standard error: the launch, and of each worker that runs a thread of it the source lines that
 * the thread comes by. Called by a thread that is no worker; the program must end then. */
void where_print(const struct launch *l, const struct worker *workers, unsigned count);

#endif
