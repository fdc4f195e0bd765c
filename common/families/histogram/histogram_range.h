/*
 * The range that the bins divide: low is in it, high is not.
 */
#ifndef HISTOGRAM_RANGE_H
#define HISTOGRAM_RANGE_H

#include "families/histogram/histogram.h"

#define MAX_BINS 65536

struct range {
    float f32[2];    /* low and high */
    int64_t ints[2]; /* the same of i32 and u8; high - low is at most 2^32 */
};

/* Read LOW:HIGH, or take the type's default range if text is NULL; u32 has none and takes no text.
 * 0, or BAD_USAGE after one line. */
int range_parse(struct range *, const char *text, const struct type *type);

/* The rule for so many bins, 1 to MAX_BINS, over a range. */
struct bins bins_of(const struct range *, const struct type *type, size_t count);

#endif
