/*
 * The families gemm and hgemm: C = alpha A B + beta C, matrices stored row by row. A is m x k, B is
 * k x n, C is m x n.
 *
 * gemm: matrices of floats. Every product and every sum is a float's: no format with fewer bits on
 * the way. hgemm: A and B are of f16 or bf16, C and all sums are floats; B may be stored as its
 * transpose.
 */
#ifndef GEMM_H
#define GEMM_H

#include "harness/kit/element.h"

/* The family's rules: a product of more than 2^36 multiply-adds takes a GPU seconds, or one of more
 * than 2^40. */
#define SLOW (FAMILY_RULE << 0)
#define RATHER_SLOW (FAMILY_RULE << 1)

/* Scratch memory: so many floats and flags per multiprocessor. */
#define GEMM_SCRATCH 65536
#define GEMM_FLAGS 2

/* The family's axes. */
enum gemm_axis { GEMM_M, GEMM_N, GEMM_K, GEMM_AXES };

/* What a launch function gets. Rows start lda, ldb and ldc elements apart; what lies between the
 * end of a row and the next one is not the matrix's, and neither read nor written. Where beta is 0,
 * C is not read. The arrays are aligned to their elements, to more only without --offset. */
struct work {
    float *c; /* device; poisoned before if beta is 0 */
    const element *a, *b;
    size_t m, n, k; /* any of them may be 0; k is 0 where alpha is, so that A and B are not read */
    size_t lda, ldb, ldc;
    bool transposed; /* of hgemm: b holds the transpose of B, n rows of k elements: NT, else NN */
    float alpha, beta;
    int threads;     /* threads per block */
    int blocks;      /* of a variant with gemm_one_each; the grid of others follows from the size */
    float *partial;  /* device: GEMM_SCRATCH elements per multiprocessor; poisoned before */
    unsigned *flags; /* device: GEMM_FLAGS per multiprocessor, 0 before the first run; a run must
                        leave them 0 */
};

#ifdef __cplusplus
extern "C" {
#endif
/* For a variant with one block per multiprocessor, by default and at most: its default_shape and
 * resident. */
void gemm_one_each(struct shape *);
int gemm_multiprocessors(int threads);
#ifdef __cplusplus
}
#endif
#endif
