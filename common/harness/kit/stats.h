/*
 * Order statistics of a few measured times.
 */
#ifndef STATS_H
#define STATS_H

#include <stddef.h>

struct stats {
    double min, q1, median, q3, max;
};

/*
 * Sorts values in place. Quartiles and median interpolate linearly between the two nearest values:
 * with the sorted values at positions 0 to count - 1, the fraction p stands at p * (count - 1)
 * (type 7 of Hyndman and Fan, "Sample Quantiles in Statistical Packages", 1996; the default of R
 * and NumPy). count 0 gives NaN throughout.
 */
struct stats stats_of(double *values, size_t count);

/* The same of values that are so many times as large. */
void stats_scale(struct stats *, double factor);

#endif
