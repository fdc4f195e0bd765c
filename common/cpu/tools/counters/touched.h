/* Which sectors of memory a launch has touched, and where its atomic operations went. See
 * touched.c. */
#ifndef CPU_TOOLS_TOUCHED_H
#define CPU_TOOLS_TOUCHED_H

#include <stdbool.h>
#include <stdint.h>

struct touched;

/* What atomic operations do to a line: lanes of warps that have whole sectors; of the others the
 * sectors, and their words, a bit for each of the line's; and how often each of these sectors is to
 * be done, again for each lane that shares a word of it, of floating point and of integers. */
struct line_atomics {
    uint64_t lanes, sectors, passes, integers;
    uint32_t words;
};

/* Sectors that were read, written, and either; those that blocks lacked in their caches, and that
 * others at the same multiprocessor can be expected to have brought there; how often a line is to
 * be opened in memory for its sectors, and those of which all sectors come together then; and of
 * the line that most atomic operations come to. */
struct footprint {
    uint64_t read, written, any, common, opened, whole;
    struct line_atomics hot;
};

struct touched *touched_create(void); /* ends the program without memory */
void touched_free(struct touched *t); /* may be NULL */
void touched_sector(struct touched *t, uint64_t sector, bool write);
/* The cache of a block, by its number, lacks it. */
void touched_missing(struct touched *t, uint64_t sector, uint32_t block);
void touched_by_atomics(struct touched *t, uint64_t line, struct line_atomics more);
/* Of all, by so many blocks, of which so many are resident at once; frees them. */
struct footprint touched_sum(struct touched **of, unsigned count, double blocks, double resident);

#endif
