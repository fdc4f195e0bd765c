/*
 * The verdict on a layernorm: every element is compared with (x - m) / sqrt(v + epsilon) w + b,
 * computed in double.
 *
 * The bound. Let u = 2^-24, the unit roundoff of float, and g = (depth + 2) u, where no term of a
 * sum passes through more than depth additions.
 *
 *   - The mean is off by e = g times the mean of all |x|.
 *   - A deviation d = x - m is off by e + u (|d| + e).
 *   - The variance is the mean of all d^2. By the deviations it is off by 2 e times the mean of all
 *     |d|, and e^2, and 3 u v; by its sum, by g of all that.
 *   - So v + epsilon is off by a part p of it, and 1 over its root by p / 2 / (1 - p) + 4 u: a root
 *     or a rsqrtf is off by two units in the last place at most (CUDA guide, "Mathematical
 *     Functions").
 *   - Two products and the addition of the bias: u each.
 *
 * An output of f16 or bf16 is rounded once more, to that type; the arithmetic before it is the
 * same. Nothing was fitted to a result. The variance must be that of deviations: a mean of squares
 * less the square of the mean is off by far more. Anything may stand where the sum of a row's
 * magnitudes, or of its squares, is more than half of the largest float, and where the mean's error
 * decides the sign of an infinite product.
 *
 * On a GPU the comparison is a kernel, on the CPU device a loop of the host. Both run the functions
 * below, on the arrays as they lie on the device.
 */
#ifndef LAYERNORM_COMPARE_H
#define LAYERNORM_COMPARE_H

#include <float.h>

#include "families/layernorm/layernorm.h"
#include "harness/kit/buffer.h"
#include "harness/kit/floats.h"
#include "harness/kit/worst.h"

/* What is compared: rows x cols elements of input and output, all arrays in device memory. */
struct comparison {
    const void *out, *in, *weight, *bias;
    enum float_type type; /* of all four */
    size_t rows, cols;
    double depth;
};

#ifdef __cplusplus
extern "C" {
#endif

/* Compare. 0, or BAD_DEVICE after one line. */
int layernorm_compare(const struct comparison *, struct worst *);

#ifdef __cplusplus
}
#endif

/* The elements of a row, or of a part of it: sums. */
struct row {
    double sum, magnitude;      /* of x, of |x| */
    double deviations, squares; /* of |x - mean|, of (x - mean)^2 */
    bool undefined;             /* there is a NaN or an infinity */
};

HOST_DEVICE static inline void row_mean(struct row *r, float x)
{
    r->sum += x;
    r->magnitude += fabs((double)x);
    r->undefined |= !isfinite(x);
}

HOST_DEVICE static inline void row_variance(struct row *r, float x, double mean)
{
    r->deviations += fabs(x - mean);
    r->squares += (x - mean) * (x - mean);
}

/* What a row's elements have in common. */
struct normal {
    double mean, mean_off, scale, scale_off; /* scale: 1 / sqrt(v + epsilon); its off is relative */
    bool undefined, open;                    /* open: its elements may be anything */
};

HOST_DEVICE static inline struct normal row_normal(const struct row *r, const struct comparison *c)
{
    const double u = 1 / 16777216.;
    double n = (double)c->cols, g = (c->depth + 2) * u, variance = r->squares / n, e, off, all;
    struct normal own = {.mean = r->sum / n, .undefined = r->undefined};

    own.open = g >= 0.5 || r->magnitude > FLT_MAX / 2 || r->squares > FLT_MAX / 2;
    e = g / (1 - g) * r->magnitude / n;
    off = 2 * e * r->deviations / n + e * e + 3 * u * variance;
    off = (off + g * (variance + off)) / (1 - g);
    all = variance + (double)LAYERNORM_EPSILON;
    off = off / all + u;
    own.open |= off >= 0.5;
    own.mean_off = e;
    own.scale = 1 / sqrt(all);
    own.scale_off = off / 2 / (1 - off) + 4 * u;
    return own;
}

/* Element i of the output, of a row that is known as a whole. */
HOST_DEVICE static inline void compare_layernorm(struct worst *w, const struct comparison *c,
                                                 const struct normal *r, size_t i)
{
    const double u = 1 / 16777216.;
    float x = float_at(c->in, c->type, i), y = float_at(c->out, c->type, i);
    double weight = float_at(c->weight, c->type, i % c->cols), d = x - r->mean;
    double bias = float_at(c->bias, c->type, i % c->cols), off, most;
    struct worst own = {i, 0, 0, 0, NAN, NAN, NAN};

    own.value = isnan(y) ? NAN : y; /* a NaN's sign says nothing */
    own.reference = r->undefined ? NAN : d * r->scale * weight + bias;
    if (!r->undefined && !isnan(weight) && !isnan(bias) &&
        (r->open || (isinf(weight) && fabs(d) <= r->mean_off))) {
        own.wrong = poison_at(c->out, c->type, i);
    } else if (isnan(own.reference)) {
        own.wrong = !isnan(y) || poison_at(c->out, c->type, i);
    } else if (isinf(own.reference)) {
        own.wrong = y != own.reference;
    } else {
        off = (1 + r->scale_off) * (r->mean_off + u * (fabs(d) + r->mean_off));
        off = fabs(weight) * r->scale * (off + fabs(d) * (r->scale_off + 3 * u));
        own.bound = off + 2 * u * fabs(own.reference) + u * fabs(bias) + 4 * FLT_MIN;
        most = fabs(own.reference) + own.bound;
        own.error = float_overflows(y, most, c->type) && (y > 0) == (own.reference > 0)
                        ? 0
                        : fabs(y - own.reference);
        own.bound += float_rounding(most, c->type);
        own.wrong = !(own.error <= own.bound);
        own.part = own.error / own.bound;
    }
    worst_of(w, &own);
}

#endif
