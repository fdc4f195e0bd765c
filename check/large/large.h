/*
 * The kernels of a step over arrays of more than 2^32 elements, nearly all of them zeros on pages
 * that are never touched. Each family's file, FAMILY.c, makes its arrays, launches a variant, and
 * looks at the places that the sampled blocks work on.
 */
#ifndef LARGE_H
#define LARGE_H

#include "harness/family.h"

#define LARGE (((size_t)1 << 32) + 5)

extern const struct step *const large_step; /* of a line that the build adds: see check/large.py */

/* Zeroed device memory; ends the program if there is none. */
void *large_array(size_t bytes);
void large_free(void *array);

/* Wait for the launches; ends the program with a line if one failed. */
void large_wait(const struct variant *variant);

/* What stands wrong, in one line of at most so many bytes; "" for nothing. Or that the variant was
 * not run, because it takes no grid of which a few blocks can be. */
struct found {
    char text[160];
    bool left_out;
};

/* What a family's file does with a variant; a program has one such file. */
void large_run(const struct variant *, struct found *);

#endif
