/*
 * The verdict on an elementwise result: every element is compared, bit for bit. A sum of two floats
 * is rounded once, so there is one right result: the sum in double, rounded to float. (Double has
 * more than twice the bits of float and two more, so the rounding to double first changes nothing.)
 * Of NaNs the bits do not count. Integers wrap modulo 2^32.
 *
 * On a GPU the comparison is a kernel, one thread per element; on the CPU device a loop of the
 * host. Both run the functions below, on the arrays as they lie on the device.
 */
#ifndef ELEMENTWISE_COMPARE_H
#define ELEMENTWISE_COMPARE_H

#include <string.h>

#include "harness/kit/buffer.h"
#include "harness/kit/sums.h" /* HOST_DEVICE */

/* What is compared: n elements of c with the sums of a and b, all in device memory. */
struct comparison {
    const uint32_t *c, *a, *b;
    size_t n;
    bool floats;
};

/* Where a result differs. */
struct difference {
    unsigned long long count; /* elements */
    unsigned long long first; /* the least index of one; ULLONG_MAX: none */
};

#ifdef __cplusplus
extern "C" {
#endif

/* Compare. 0, or BAD_DEVICE after one line. */
int elementwise_compare(const struct comparison *, struct difference *);

#ifdef __cplusplus
}
#endif

HOST_DEVICE static inline float float_of(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof(value));
    return value;
}

/* The bits of the right sum. */
HOST_DEVICE static inline uint32_t sum_of(uint32_t a, uint32_t b, bool floats)
{
    float sum = (float)((double)float_of(a) + (double)float_of(b));
    uint32_t bits;

    memcpy(&bits, &sum, sizeof(bits));
    return floats ? bits : a + b;
}

/* Whether c is the sum of a and b. The poison, a NaN that no addition gives, is no sum. */
HOST_DEVICE static inline bool is_sum(uint32_t c, uint32_t a, uint32_t b, bool floats)
{
    uint32_t sum = sum_of(a, b, floats);

    return c == sum || (floats && isnan(float_of(c)) && isnan(float_of(sum)) && c != UINT32_MAX);
}

#endif
