/* Which sectors of memory a launch has touched, and where its atomic operations went. See
 * touched.c. */
#ifndef CPU_TOOLS_TOUCHED_H
#define CPU_TOOLS_TOUCHED_H

#include <stdbool.h>
#include <stdint.h>

struct touched;

/* What atomic operations do to a line: lanes of warps that have whole sectors, and how often a
 * sector is to be done in the others, again for each lane that shares a word of it, of floating
 * point and of integers. */
struct line_atomics {
    uint64_t lanes, passes, integers;
};

/* Sectors that were read, written, and either; and of the line that most atomic operations come
 * to. */
struct footprint {
    uint64_t read, written, any;
    struct line_atomics hot;
};

struct touched *touched_create(void); /* ends the program without memory */
void touched_free(struct touched *t); /* may be NULL */
void touched_sector(struct touched *t, uint64_t sector, bool write);
void touched_by_atomics(struct touched *t, uint64_t line, struct line_atomics more);
struct footprint touched_sum(struct touched **of, unsigned count); /* of all; frees them */

#endif
