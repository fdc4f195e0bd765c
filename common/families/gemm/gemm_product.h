/*
 * What C should be, in double on the host, and how far a float result may be from it.
 *
 * The bound. A term alpha a[i][l] b[l][j] passes through its product, at most k - 1 additions, the
 * product with alpha and the addition of beta c: k + 2 roundings at most, in whatever order the
 * terms are added, and fewer with fused multiply-adds. So with u = 2^-24 and gamma_d = d u / (1 - d
 * u)
 *
 *     |computed - exact| <= gamma_(k+2) (|alpha| sum |a[i][l]| |b[l][j]| + |beta| |c[i][j]|)
 *
 * (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section 3.5). A product below
 * the least normal number is off by at most half of 2^-149 more, and double's own roundings are
 * added. If all elements are integers so small that no partial sum leaves 2^24, everything is
 * exact: the bound is 0.
 *
 * Where A and B are of f16 or bf16, tensor cores may have added the products up, which cut off
 * where floats round: in place of k - 1 roundings stands tensor_bound of harness/kit/sums.h, which
 * is more than those would be.
 *
 * All of C is compared where that takes the host at most PRODUCT_WHOLE multiply-adds. Beyond, two
 * things are:
 *  - A sample: one element at a random place in each of up to PRODUCT_SAMPLES equal parts of C,
 * with the bound above.
 *  - Freivalds' check (1977), of all: with vectors x of random signs, C x must be alpha A (B x) +
 * beta C0 x, row by row, which takes k n + m k operations in place of m n k. A row's bound is the
 * sum of its elements' bounds, so an error that is small beside it stays unseen; with integers it
 * is 0, and a wrong row is missed by all PRODUCT_CHECKS vectors with a probability of at most
 * 2^-PRODUCT_CHECKS, one wrong element of it never.
 */
#ifndef PRODUCT_H
#define PRODUCT_H

#include "harness/kit/worst.h"

/* Multiply-adds, and elements of C. On the CPU device fewer, so that tests go beyond. */
#ifdef BACKEND_CPU
#define PRODUCT_WHOLE ((size_t)1 << 24)
#define PRODUCT_WHOLE_C ((size_t)1 << 16)
#else
#define PRODUCT_WHOLE ((size_t)1 << 27)
#define PRODUCT_WHOLE_C ((size_t)1 << 22)
#endif
#define PRODUCT_SAMPLES ((size_t)1 << 14)
#define PRODUCT_CHECKS 4

/* A matrix, row by row or column by column: element (i, j) is at[i * down + j * across]. */
struct plane {
    const float *at;
    size_t down, across;
};

/* C = alpha A B + beta C0, of which C0 is not read where beta is 0, nor A and B where alpha is. */
struct product {
    struct plane a, b, c;
    size_t m, n, k;
    double alpha, beta;
    bool exact;  /* no partial sum leaves the integers that a float holds */
    bool tensor; /* A and B are of 16 bits: tensor cores may have added their products */
};

/* One element of A B, and what it should be within. */
struct term {
    double sum, magnitude; /* of a b; of |a b| */
};

/* A row of A B, times vectors of signs, and of C0. */
struct row {
    double sum[PRODUCT_CHECKS], c[PRODUCT_CHECKS];
    double magnitude, c_magnitude; /* the sums of the magnitudes */
};

#ifdef __cplusplus
extern "C" {
#endif

/* Whether all of C is compared. */
bool product_whole(size_t m, size_t n, size_t k);

/* The same product seen from the other side: the columns of C as the rows of its transpose. */
struct product product_turned(const struct product *);

/* All m n elements of A B, row by row. */
void product_terms(struct term *, const struct product *);

/* How many elements the sample has, and the place of one: i * n + j. */
size_t product_samples(const struct product *);
size_t product_sample(const struct product *, size_t sample, uint64_t seed);

/* The elements of the sample. */
void product_sampled(struct term *, const struct product *, uint64_t seed);

/* The signs of column j: bit r is set where vector r has -1. */
unsigned char product_signs(uint64_t seed, size_t j);

/* The m rows of Freivalds' check; scratch has room for k rows. signs: of each column. */
void product_rows(struct row *, struct row *scratch, const struct product *,
                  const unsigned char *signs);

/* Compare an element, at place i * n + j. sign: -1 where A holds its opposite, else 1. */
void product_compare(struct worst *, const struct product *, const struct term *, size_t place,
                     float found, double sign);

/* Compare C x of a row. */
void product_compare_row(struct worst *, const struct product *, const struct row *, size_t i,
                         const double found[PRODUCT_CHECKS], double sign);

#ifdef __cplusplus
}
#endif
#endif
