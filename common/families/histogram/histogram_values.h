/*
 * Inputs of the histogram family. Element i is a function of (kind, seed, i) and the range, of
 * sorted also of n, the largest size of the run.
 *
 *  uniform  all values of the range alike; u32: all 32 bits random
 *  equal    one value of the range, chosen by the seed: all elements meet in one bin
 *  sorted   from the lowest value of the range to the highest: neighbours share a bin
 *  zipf     value r of 1 to 65535 (u8: 255) with a probability of about 1/r: a number of r's k + 1
 *           binary digits is chosen first, each alike, then the digits. The values are scattered
 * over the range; u32: over 0 to 65535. The most frequent one has 1/16 of all elements (u8: 1/8).
 *  hostile  f32: NaNs, infinities, the largest floats, denormals, -0.0, edges of bins of some
 * numbers of bins and their neighbours, values outside of the range; ints: the same as far as there
 *           are such
 */
#ifndef HISTOGRAM_VALUES_H
#define HISTOGRAM_VALUES_H

#include "families/histogram/histogram_range.h"

/* The names, NULL at the end: what --input takes. */
extern const char *const histogram_inputs[];

/* Fill x, n elements of the setting's type in host memory, by several threads. */
void values_fill(void *x, size_t n, const struct setting *, const struct range *);

#endif
