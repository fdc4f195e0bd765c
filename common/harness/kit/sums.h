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
 * reference may be off by: 2^-52 sum |x[i]| covers compensated summation over our span lengths.
 *
 * If all terms are integers and sum |x[i]| <= 2^24, every partial sum in any order is an integer
 * that float holds exactly: the bound is 0.
 *
 * The same holds whatever the magnitudes sum to where the signs are random, since no sum then comes
 * near 2^24: see input_exact in harness/kit/input.h.
 *
 * Nothing here was fitted to a result. Adding +0 for an idle thread is exact and counts for
 * nothing.
 *
 * The functions that a comparison on the device needs stand here, so that both sides run the same.
 */
#ifndef SUMS_H
#define SUMS_H

#include <math.h>

#include "harness/kit/device.h"
#include "harness/kit/host_device.h"

/* A running sum: Neumaier's compensated summation (ZAMM 54, 1974), and what the bound needs. */
struct accumulator {
    double sum, carry;
    double magnitude; /* sum of |x| */
    size_t terms;     /* all of them, special ones too */
    size_t nans, plus_infinities, minus_infinities;
    bool fractions; /* some term was no integer */
    bool small;     /* no sum of terms leaves 2^24, whatever the sum of magnitudes */
};

struct reference {
    double value;     /* NaN or an infinity if the terms make it so */
    double magnitude; /* sum of |x| over the finite terms */
    size_t terms;
    bool integers; /* every finite term is an integer */
    bool small;    /* as the accumulator's */
};

/* Neumaier's step: the carry takes what the addition to the sum rounds off. */
HOST_DEVICE static inline void add_compensated(struct accumulator *a, double x)
{
    double sum = a->sum + x;

    if (fabs(a->sum) >= fabs(x))
        a->carry += (a->sum - sum) + x;
    else
        a->carry += (x - sum) + a->sum;
    a->sum = sum;
}

/* One more term. A zeroed accumulator is the empty sum. */
HOST_DEVICE static inline void accumulate(struct accumulator *a, float x)
{
    a->terms++;
    if (!isfinite(x)) {
        a->nans += isnan(x) != 0;
        a->plus_infinities += x > 0;
        a->minus_infinities += x < 0;
        return;
    }
    add_compensated(a, x);
    a->magnitude += fabs((double)x);
    a->fractions |= x != truncf(x);
}

HOST_DEVICE static inline struct reference accumulated(const struct accumulator *a)
{
    struct reference r;

    r.value = a->sum + a->carry;
    r.magnitude = a->magnitude;
    r.terms = a->terms;
    r.integers = !a->fractions;
    r.small = a->small;
    if (a->nans || (a->plus_infinities && a->minus_infinities))
        r.value = NAN;
    else if (a->plus_infinities || a->minus_infinities)
        r.value = a->plus_infinities ? INFINITY : -INFINITY;
    return r;
}

/* The most that a float sum may differ if no term passes through more than depth additions. */
HOST_DEVICE static inline double sum_bound(const struct reference *r, double depth)
{
    const double roundoff = 1 / 16777216., smallest_normal = 1.1754943508222875e-38;
    double most = r->terms > 0 ? (double)(r->terms - 1) : 0; /* no chain is longer than all terms */
    double d = depth < most ? depth : most;
    double any_order = most * roundoff;
    double gamma = d * roundoff < 1 ? d * roundoff / (1 - d * roundoff) : any_order;

    if (r->integers && (r->small || r->magnitude <= 16777216))
        return 0;
    if (gamma > any_order)
        gamma = any_order;
    return (gamma + 2.220446049250313e-16) * r->magnitude *
               (1 + 9.313225746154785e-10) /* 2^-52; 2^-30: the magnitude's own rounding */
           + 3 * smallest_normal * (double)r->terms;
}

/* As so many roundings by 2^-24 a sum of `depth` products by tensor cores counts; see below. */
HOST_DEVICE static inline double tensor_roundings(size_t depth)
{
    return 7 * (double)((depth + 3) / 4);
}

/*
 * The bound of a sum of `depth` products of f16 or bf16, whose magnitudes add up to that, where
 * tensor cores add them up in f32. The products are exact. An instruction adds p of them to the sum
 * so far: it cuts each of these p + 1 terms off at 2^-f of the largest one, adds them exactly, and
 * cuts the sum off at 2^-23 of itself. Found by experiment (docs/tensor-cores.md) were p = 4 and
 * f = 24 since compute capability 7.5, then p = 8 and f = 24, and p = 16 and f = 25. With u = 2^-24
 * an instruction of the first loses at most (5 + 2) u of the magnitudes, and there are depth / 4 of
 * them; the others lose less. The sum so far may have grown by what was lost before, hence the
 * quotient. The last term is what the reference may be off by.
 *
 * Not for subnormal f16, whose exponents count as those of 2^-14: inputs of harness/kit/input.h
 * have none but the hostile ones.
 */
HOST_DEVICE static inline double tensor_bound(size_t depth, double magnitude)
{
    double lost = 0x1p-24 * tensor_roundings(depth);

    return ((lost < 1 ? lost / (1 - lost) : INFINITY) + 0x1p-52) * magnitude;
}

/* Whether the value is the reference, but for its bound. NaN must meet NaN, an infinity the same
 * infinity; error and bound are NaN then. */
HOST_DEVICE static inline bool sum_agrees(float value, const struct reference *r, double depth,
                                          double *error, double *bound)
{
    *error = *bound = NAN;
    if (isnan(r->value))
        return isnan(value);
    if (isinf(r->value))
        return value == r->value;
    *error = fabs(value - r->value); /* NaN for a NaN, which no bound covers */
    *bound = sum_bound(r, depth);
    return *error <= *bound;
}

#ifdef __cplusplus
extern "C" {
#endif

/* Elements between two places at which the sum of all before is kept. */
#define SUM_SPAN ((size_t)1 << 12)

/* The sums of an array's beginnings: what stands before element i * SUM_SPAN. One of the two. */
struct spans {
    struct accumulator *f32;
    uint32_t *i32;                 /* modulo 2^32 */
    size_t count;                  /* n / SUM_SPAN + 1 */
    const struct setting *setting; /* of an array that the host does not have; else NULL */
};

struct buffer;

/* Add up x, n floats or ints in host memory, by several threads; the same bits however many.
 * small: as input_exact says of x. 0, or BAD_DEVICE after one line. Free with spans_free in
 * either case. */
int spans_fill(struct spans *, const void *x, size_t n, const struct type *type, bool small);
void spans_free(struct spans *);

/* The same of an input that buffer_input_there made, by its device where the host has no copy. */
int spans_fill_from(struct spans *, const struct buffer *x, size_t n, const struct setting *);

/* Fill in the whole spans' own sums, each in the place of the next one's start, by a kernel over x
 * on the place's device; on a GPU alone. 0, or BAD_DEVICE after one line. */
int spans_sum_device(struct spans *, const struct device_stream *place, const void *x);

/* The sum of the first n elements, from the spans of at least as many; x: on the host, or NULL
 * where it has none. */
struct reference spans_sum_f32(const struct spans *, const float *x, size_t n);
int32_t spans_sum_i32(const struct spans *, const int32_t *x, size_t n);

void accumulate_other(struct accumulator *, const struct accumulator *other);

/* Fill in the result of one sum. */
void verify_sum_f32(struct result *, float value, const struct reference *, double depth);
void verify_i32(struct result *, int32_t value, int32_t reference);

#ifdef __cplusplus
}
#endif
#endif
