/* Is a standstill for ever? See stall.c. */
#ifndef CPU_ENGINE_STALL_H
#define CPU_ENGINE_STALL_H

#include "cpu/engine/state.h"

/* Of a worker's blocks, none of which can go on, in every round of a standstill: turn 1, 2 ...;
 * progress names the standstill. Do all their threads loop for ever, as long as nobody else does
 * anything? */
bool stall_loops(struct block *blocks, uint64_t progress, uint64_t turn);

#endif
