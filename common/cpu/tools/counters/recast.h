/* Accesses of a warp as nvcc's code does them, where that is known. See recast.c. */
#ifndef CPU_TOOLS_RECAST_H
#define CPU_TOOLS_RECAST_H

#include "cpu/tools/counters/groups.h"
#include "cpu/tools/counters/recipe.h"

struct recast;

/* Called with each warp-level access that is to be counted, like groups_complete. */
typedef void recast_count(struct log *log, access_key key, uint32_t lanes, const uint64_t *address);

struct recast *recast_create(void); /* NULL: out of memory; freed by free() */
void recast_reset(struct recast *r);
void recast_add(struct recast *r, struct log *log, struct recipe how, access_key key,
                uint32_t lanes, const uint64_t *address, recast_count *count);
void recast_flush(struct recast *r, struct log *log, recast_count *count); /* all that waits */

#endif
