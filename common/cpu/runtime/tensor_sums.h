/* The arithmetic of the tensor cores. See tensor_sums.c. */
#ifndef CPU_RUNTIME_TENSOR_SUMS_H
#define CPU_RUNTIME_TENSOR_SUMS_H

#include <stdint.h>
#include "cpu/abi.h"

enum { TENSOR_ROWS = 16, TENSOR_COLUMNS = 8, TENSOR_DEPTH = 32 }; /* at most so deep */

/* An element of A or B: significand * 2^(exponent - bits of the type's fraction). */
struct factor {
    int32_t significand, exponent;
    float value;
    bool special; /* infinity or NaN: only value counts */
};

/* The element that these bits are; not of ints. */
struct factor tensor_factor(enum cpu_tensor type, uint32_t bits);

/* The bits of c + a[0] * b[0] + ... + a[depth - 1] * b[depth - 1], as one instruction sums them.
 * c: bits of what type says. */
uint32_t tensor_sum(enum cpu_tensor type, const struct factor *a, const struct factor *b,
                    unsigned depth, uint32_t c);

#endif
