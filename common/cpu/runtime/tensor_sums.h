/* The arithmetic of the tensor cores. See tensor_sums.c. */
#ifndef CPU_RUNTIME_TENSOR_SUMS_H
#define CPU_RUNTIME_TENSOR_SUMS_H

#include <stdbool.h>
#include <stdint.h>
#include "cpu/abi.h"

enum {
    TENSOR_ROWS = 16,
    TENSOR_COLUMNS = 8,
    TENSOR_DEPTH = 32, /* at most; of elements of 8 bits */
    TENSOR_LINE = 16   /* at most; of longer ones */
};

/* A row of A or a column of B, along k. All zeros at the begin: {{0}}. Values and exponents stand
 * apart, so that the compiler makes vector instructions of the sums. */
struct tensor_line {
    double value[TENSOR_LINE];
    int32_t exponent[TENSOR_LINE]; /* of the value; counted from the exponent of a zero */
    bool special;                  /* an element is infinite or no number */
    bool other;                    /* an element is not 0 */
};

/* Element k is what these bits are; not of ints. */
void tensor_set(struct tensor_line *line, unsigned k, enum cpu_tensor type, uint32_t bits);

/* The bits of c + a[0] * b[0] + ... + a[depth - 1] * b[depth - 1], as one instruction sums them.
 * c: bits of what type says. */
uint32_t tensor_sum(enum cpu_tensor type, const struct tensor_line *a, const struct tensor_line *b,
                    unsigned depth, uint32_t c);

#endif
