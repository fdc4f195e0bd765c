/*
 * What a comparison of a large C needs of it: the sums of its rows times vectors of signs, a sample
 * of its elements, and whether anything between its rows was written to. On a GPU kernels look, on
 * the CPU device loops of the host.
 */
#ifndef COMPARE_H
#define COMPARE_H

#include "families/gemm/gemm_product.h"
#include "harness/kit/buffer.h"

/* The caller sets the first part, and owns its host memory. */
struct comparison {
    const struct buffer *c, *before; /* C; what it held, or NULL: the poison */
    size_t m, n, ldc;
    bool turned;                /* the rows of the check are the columns of C: there are fewer */
    const unsigned char *signs; /* of each column, or row, in host memory */
    const size_t *places;       /* of the sample, from the start of C */
    size_t samples;
    double (*sums)[PRODUCT_CHECKS]; /* a result: of each row, or column */
    float *sampled;                 /* a result */
    unsigned long long between;     /* a result: elements that are not as they were */
    void *device[4];                /* the kit's own; zeroed */
};

#ifdef __cplusplus
extern "C" {
#endif

/* Take over signs and places, after they or the sizes have changed. 0, or BAD_DEVICE after one
 * line. */
int gemm_compare_open(struct comparison *);
void gemm_compare_close(struct comparison *);

/* Look. 0, or BAD_DEVICE after one line. */
int gemm_compare(struct comparison *);

/* How many of an array's elements between its rows are not as they were: both in host memory, or on
 * the device both; before NULL: the poison. */
HOST_DEVICE static inline bool gemm_unlike(const unsigned *now, const unsigned *before, size_t i)
{
    return now[i] != (before ? before[i] : 0xffffffffu);
}

#ifdef __cplusplus
}
#endif
#endif
