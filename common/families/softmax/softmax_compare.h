/*
 * The verdict on a softmax: every element is compared with exp(x - m) / s, computed in double.
 *
 * The bound. Let u = 2^-24, the unit roundoff of float, and t = m - x >= 0.
 *
 *   - The difference x - m is rounded, which changes its exponential by t u at most. Where a sum is
 *     multiplied again each time that a larger element comes, the differences of a chain add up to
 *     t, too.
 *   - expf is off by one unit in the last place at most, which is 2 u (CUDA guide, "Mathematical
 *     Functions"; glibc's is not worse).
 *   - Of the sum s all terms are positive. Each is off by (t + 2) u, on average over s by (w + 2) u
 *     where w is the mean of t, weighted by the terms. Additions add u each: no term passes through
 *     more than depth of them. With each of them may come an exponential and a product: 3 u more.
 *   - The quotient, or the product with 1 / s: 2 u.
 *
 * Together (t + w + depth (+ 3 depth) + 6) u, relative to the result; r / (1 - r) covers what is of
 * second order. A result below the smallest normal float is off by a multiple of 2^-149 in each of
 * the last three operations.
 *
 * Of f16 and bf16 elements it may be 2^((x - m) log2(e)) by ex2.approx.ftz. The product is rounded,
 * and log2(e) as a float is off by less than u / 4: 1.25 t u more, in result and sum. The
 * instruction is off by 2^-22, 2 u more than expf (PTX ISA), and gives 0 below the smallest
 * normal float. The output is rounded once more, to its type. Nothing was fitted to a result.
 *
 * On a GPU the comparison is a kernel, on the CPU device a loop of the host. Both run the functions
 * below, on the arrays as they lie on the device.
 */
#ifndef SOFTMAX_COMPARE_H
#define SOFTMAX_COMPARE_H

#include "harness/kit/buffer.h"
#include "harness/kit/floats.h"
#include "harness/kit/worst.h"

/* What is compared: rows x cols elements of input and output, both in device memory. */
struct comparison {
    const void *out, *in;
    enum float_type type; /* of both */
    size_t rows, cols;
    double depth;
    bool rescales;
};

#ifdef __cplusplus
extern "C" {
#endif

/* Compare. 0, or BAD_DEVICE after one line. */
int softmax_compare(const struct comparison *, struct worst *);

#ifdef __cplusplus
}
#endif

/* The elements of a row, or of a part of it. */
struct row {
    double max;         /* -INFINITY: none, or no finite one */
    double sum, spread; /* of exp(x - max), and of that times max - x */
    bool undefined;     /* there is a NaN or +infinity */
};

HOST_DEVICE static inline void row_max(struct row *r, float x)
{
    r->undefined |= isnan(x) || x == INFINITY;
    if (x > r->max)
        r->max = x;
}

HOST_DEVICE static inline void row_sum(struct row *r, float x)
{
    double term = exp(x - r->max);

    r->sum += term;
    r->spread += term > 0 ? term * (r->max - x) : 0;
}

/* Element i of the output; the row is known as a whole. */
HOST_DEVICE static inline void compare_softmax(struct worst *w, const struct comparison *c,
                                               const struct row *r, size_t i)
{
    const double roundoff = 1 / 16777216., smallest = 1.401298464324817e-45;
    const double least_normal = 1.1754943508222875e-38;
    bool narrow = c->type != FLOAT_F32;
    float x = float_at(c->in, c->type, i), y = float_at(c->out, c->type, i);
    struct worst own = {i, 0, 0, 0, NAN, NAN, NAN};
    double off;

    own.value = isnan(y) ? NAN : y; /* a NaN's sign says nothing */
    own.reference = r->undefined || r->max == -INFINITY ? NAN : exp(x - r->max) / r->sum;
    if (isnan(own.reference)) {
        own.wrong = !isnan(y) || poison_at(c->out, c->type, i);
    } else {
        off = (own.reference > 0 ? r->max - x : 0) + r->spread / r->sum;
        off = (narrow ? 2.25 : 1) * off + c->depth * (c->rescales ? 4 : 1) + (narrow ? 10 : 6);
        off *= roundoff;
        own.error = fabs(y - own.reference); /* NaN for a NaN, which no bound covers */
        own.bound = (off < 1 ? off / (1 - off) : INFINITY) * own.reference +
                    (narrow ? least_normal : 3 * smallest);
        own.bound += float_rounding(own.reference + own.bound, c->type);
        own.wrong = !(own.error <= own.bound);
        own.part = own.error / own.bound;
    }
    worst_of(w, &own);
}

#endif
