/*
 * The verdict on a stencil: every element is compared with the sum of its terms, up to five, added
 * in double. Five terms in any order pass through four additions at most, and the bound is that of
 * such a sum (harness/kit/sums.h). Integers wrap modulo 2^32 and must be equal.
 *
 * On a GPU the comparison is a kernel, on the CPU device a loop of the host. Both run the functions
 * below, on the arrays as they lie on the device.
 */
#ifndef STENCIL_COMPARE_H
#define STENCIL_COMPARE_H

#include "harness/kit/buffer.h"
#include "harness/kit/worst.h"

/* What is compared: rows x cols elements of input and output, both in device memory. */
struct comparison {
    const void *out, *in;
    size_t rows, cols;
    bool floats;
};

#ifdef __cplusplus
extern "C" {
#endif

/* Compare. 0, or BAD_DEVICE after one line. */
int stencil_compare(const struct comparison *, struct worst *);

#ifdef __cplusplus
}
#endif

#define STENCIL_TERMS 5
#define STENCIL_DEPTH (STENCIL_TERMS - 1)

/* The indices of the terms of element i; returns how many there are. */
HOST_DEVICE static inline int terms_of(size_t *term, const struct comparison *c, size_t i)
{
    size_t row = i / c->cols, col = i % c->cols;
    int count = 0;

    term[count++] = i;
    if (row > 0)
        term[count++] = i - c->cols;
    if (row + 1 < c->rows)
        term[count++] = i + c->cols;
    if (col > 0)
        term[count++] = i - 1;
    if (col + 1 < c->cols)
        term[count++] = i + 1;
    return count;
}

HOST_DEVICE static inline void compare_element(struct worst *w, const struct comparison *c,
                                               size_t i, bool last)
{
    size_t term[STENCIL_TERMS];
    int count = terms_of(term, c, i);
    struct accumulator sum;
    uint32_t integers = 0;
    double least = 0; /* the bound of one element says nothing of the next one's */

    memset(&sum, 0, sizeof(sum));
    for (int k = 0; k < count; k++) {
        if (c->floats)
            accumulate(&sum, ((const float *)c->in)[term[k]]);
        else
            integers += ((const uint32_t *)c->in)[term[k]];
    }
    if (c->floats)
        compare_f32(w, i, ((const float *)c->out)[i], false, &sum, STENCIL_DEPTH, &least, last);
    else
        compare_i32(w, i, ((const uint32_t *)c->out)[i], false, integers, last);
}

#endif
