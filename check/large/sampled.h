/*
 * Launches of which a few blocks, or clusters, are run: the first, some in the middle and the last,
 * with the numbers that they have in the whole grid. So a grid over 2^32 elements costs what a
 * small one does. What the other blocks would have left is what memory holds already: zeros.
 */
#ifndef SAMPLED_H
#define SAMPLED_H

#include <stdbool.h>
#include <stdint.h>

enum {
    SAMPLED_WHOLE = 4096, /* blocks: a grid of no more is run as a whole */
    SAMPLED_EACH = 5,     /* blocks from the beginning, from the middle and from the end */
    SAMPLED = 3 * SAMPLED_EACH
};

/* The number, of so many, that the k-th sampled one has; k is below SAMPLED. */
uint64_t sampled_number(uint64_t k, uint64_t of);

/* From here on, tickets taken at this address (of 8 bytes, device memory) are those of the sampled
 * tiles; NULL: no longer. */
void sampled_tickets(void *words, uint64_t tiles);

/* From here on, a counter of the program's own is one from which clusters draw so many rows: the
 * sampled clusters draw the sampled ones. 0: no longer. */
void sampled_draws(uint64_t rows);

/* Whether grids that would be run as a whole are left out, each thread of them having too much to
 * do; and whether the last one was. */
void sampled_only(bool only);
bool sampled_left_out(void);

/* Called before each launch, after what the host has enqueued before it; NULL: none. */
extern void (*sampled_before)(void);

#endif
