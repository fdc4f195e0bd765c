/* Which sectors of memory a launch has touched, and where its atomic operations met. See touched.c. */
#ifndef CPU_TOOLS_TOUCHED_H
#define CPU_TOOLS_TOUCHED_H

#include <stdbool.h>
#include <stdint.h>

struct touched;

/* Sectors that were read, written, and either; and of the line whose atomic operations have to wait most
 * for each other: lanes of warps that had whole sectors, and how often a sector was to be done in the
 * others, again for each lane that shares a word of it. */
struct footprint {
    uint64_t read, written, any, hot_lanes, hot_passes;
};

struct touched *touched_create(void); /* ends the program without memory */
void touched_free(struct touched *t); /* may be NULL */
void touched_sector(struct touched *t, uint64_t sector, bool write);
void touched_by_atomics(struct touched *t, uint64_t line, uint64_t lanes, uint64_t passes);
struct footprint touched_sum(struct touched **of, unsigned count); /* of all; frees them */

#endif
