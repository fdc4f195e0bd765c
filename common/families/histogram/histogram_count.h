/*
 * The reference: the histogram, counted on the host.
 */
#ifndef HISTOGRAM_COUNT_H
#define HISTOGRAM_COUNT_H

#include "families/histogram/histogram_range.h"

/*
 * Count n elements of x, in host memory, by several threads. counts: bins + 1, set here. By the
 * rule that histogram.h states, but not by the device's code: integers are divided as the rule
 * says, and floats are compared and scaled in plain C. 0, or BAD_DEVICE after one line.
 */
int count_on_host(uint64_t *counts, const void *x, size_t n, const struct type *type,
                  const struct range *range, size_t bins);

#endif
