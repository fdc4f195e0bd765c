/*
 * The barriers of an explored launch that threads arrive at and wait for in phases: those of a
 * block by their numbers, those of teams of warps, and objects in shared memory. See phases.c.
 */
#ifndef CPU_TOOLS_EXPLORE_PHASES_H
#define CPU_TOOLS_EXPLORE_PHASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct block;

void phases_begin(void); /* of a launch */
void phases_end(void);
void phases_run(void); /* begins: no object is initialised */
bool phases_any(void); /* has a thread come to one? */

/* The number of the barrier at this address, the same in each run. */
uint32_t phases_find(const struct block *b, uintptr_t object);

/* Is it an object in the block's shared memory? Then it begins anew. */
bool phases_is_object(const struct block *b, uintptr_t object);
void phases_restart(const struct block *b, uintptr_t object);

/* The phase of it that is under way. */
uint64_t phases_now(const struct block *b, uintptr_t object);

/* The barrier of this number in words. Returns `text`. */
const char *phases_name(char *text, size_t room, uint32_t number);

#endif
