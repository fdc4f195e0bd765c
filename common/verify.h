/*
 * References and error bounds for sums, in the type of the reference: double.
 *
 * The bound. Let u = 2^-24, the unit roundoff of float. A device computes fl(a + b) = (a + b)(1 +
 * e) with |e| <= u. If no term passes through more than d additions, in whatever order, then
 *
 *     computed = sum of x[i] (1 + e_i),   |e_i| <= (1 + u)^d - 1 <= gamma_d = d u / (1 - d u),
 *
 * so |computed - sum| <= gamma_d * sum |x[i]| (Higham, Accuracy and Stability of Numerical
 * Algorithms, 2nd ed., section 4.2). For any order of n terms it is also at most (n - 1) u sum
 * |x[i]|, without a condition on n u (Jeannerod and Rump, SIAM J. Matrix Anal. Appl. 34, 2013). The
 * smaller holds.
 *
 * An addition in float that gives a denormal is exact, so denormals cost nothing while they are
 * kept, as nvcc does by default. But atomicAdd on floats in global memory takes denormal operands
 * and results for zero (PTX ISA, atom): below 3 * 2^-126 a term. That is added, and so is what the
 * reference may be off by: 2^-52 sum |x[i]| covers compensated summation over our chunk lengths.
 *
 * If all terms are integers and sum |x[i]| <= 2^24, every partial sum in any order is an integer
 * that float holds exactly: the bound is 0.
 *
 * Nothing here was fitted to a result. Adding +0 for an idle thread is exact and counts for
 * nothing.
 */
#ifndef VERIFY_H
#define VERIFY_H

#include <stdint.h>
#include "harness.h"

/* A running sum: Neumaier's compensated summation (ZAMM 54, 1974), and what the bound needs. */
struct accumulator {
    double sum, carry;
    double magnitude; /* sum of |x| */
    size_t terms;     /* all of them, special ones too */
    size_t nans, plus_infinities, minus_infinities;
    bool fractions; /* some term was no integer */
};

struct reference {
    double value;     /* NaN or an infinity if the terms make it so */
    double magnitude; /* sum of |x| over the finite terms */
    size_t terms;
    bool integers; /* every finite term is an integer */
};

/* A zeroed accumulator is the empty sum. */
void accumulate(struct accumulator *, float x);
void accumulate_other(struct accumulator *, const struct accumulator *other);
struct reference accumulated(const struct accumulator *);

/* The sum of n elements in host memory, by several threads; the same bits however many. */
struct reference reference_sum_f32(const float *x, size_t n);
int32_t reference_sum_i32(const int32_t *x, size_t n); /* modulo 2^32 */

/* The most that a float sum may differ if no term passes through more than depth additions. */
double sum_bound(const struct reference *, double depth);

/* Fill in the result. NaN must meet NaN, an infinity the same infinity; integers must be equal. */
void verify_sum_f32(struct result *, float value, const struct reference *, double depth);
void verify_i32(struct result *, int32_t value, int32_t reference);

#endif
