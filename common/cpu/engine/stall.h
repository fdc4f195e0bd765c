/* Is a standstill for ever? See stall.c. */
#ifndef CPU_ENGINE_STALL_H
#define CPU_ENGINE_STALL_H

#include "cpu/engine/state.h"

/* By a worker that can do nothing, in every round of a standstill: turn 1, 2 ...; progress names
 * the standstill. Do all its threads loop for ever, as long as no other worker does anything? */
bool stall_loops(struct worker *w, uint64_t progress, uint64_t turn);

#endif
