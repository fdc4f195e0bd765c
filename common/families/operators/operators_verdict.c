/*
 * The bounds. Those of sums are in harness/kit/sums.h. Each operation is rounded once, by a factor
 * of at most 1 + u, u = 2^-24; gamma_d = d u / (1 - d u) bounds what d of them come to (Higham,
 * Accuracy and Stability of Numerical Algorithms, 2nd ed., section 3.1).
 *
 * Squares and dot: a term is rounded once before it is added, so the depth is one more, and so is
 * the number of roundings in any order.
 *
 * Product: each rounding is one of the whole result, so they are counted, not the longest chain. A
 * product by 1 or -1 is exact. Each other one joins two products that each have a factor which is
 * neither, so of f such factors at most f - 1 are rounded, in any order, and the relative error is
 * at most gamma_(f - 1). The host's own has 2^-53 in place of u.
 *
 * Mean and variance, after Chan, Golub and LeVeque (The American Statistician 37, 1983). Two parts
 * a and b of n_a and n_b elements, n = n_a + n_b, with means m_a, m_b and sums of squared
 * deviations M_a, M_b come to
 *
 *     m = (n_a / n) m_a + (n_b / n) m_b,   M = M_a + M_b + h (m_b - m_a)^2,   h = n_a n_b / n.
 *
 * The mean. A combination multiplies each part by a weight, rounded three times, and adds: five
 * roundings. So, with D combinations and SLICE_ADDITIONS before the first, the mean of any part is
 * the mean of its x[i] (1 + t_i), |t_i| <= gamma_K, K = 5 D + SLICE_ADDITIONS: off by at most
 * gamma_K times the mean of |x|.
 *
 * M is the sum of the squares of all its elements from the means of their groups, and of h d^2 over
 * all combinations, where d is a difference of means: all positive, so the roundings of the squares
 * and the additions cost gamma_R M in all, R = 2 D + SLICE_ADDITIONS + 14. What remains is that d
 * is off by up to e = gamma_K (X_a + X_b), with X the means of |x|. By Cauchy and Schwarz
 *
 *     sum h |(d + e)^2 - d^2| <= 2 sqrt(sum h d^2) sqrt(sum h e^2) + sum h e^2,   sum h d^2 <= M,
 *
 * and sum h e^2 <= gamma_K^2 S. As h <= n_a, n_b, and n X^2 of a part is at most its sum of
 * squares, each element's square counts twice in each combination that it passes through: S <= 2 D
 * Q, Q the sum of squares of x. And as an element is at most lg n times in the smaller of two
 * parts, each time in a part of at least twice the size, S <= 4 n max(x^2) lg n. The smaller holds.
 * The groups' own means, which are off in the same way, add at most gamma_K^2 Q to the squares from
 * them. With kappa = sqrt(Q / M) and all constants left out this is Chan, Golub and LeVeque's u
 * kappa lg n.
 */
#include "families/operators/operators_verdict.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness/kit/number.h"

#define SLICE_ADDITIONS 12 /* on the way into the mean, or the squares, of a group in registers */

/* gamma_d for a unit roundoff; infinite where that says nothing. */
static double gamma_of(double d, double roundoff)
{
    return d * roundoff < 1 ? d * roundoff / (1 - d * roundoff) : INFINITY;
}

static double float_gamma(double d)
{
    return gamma_of(d, 0x1p-24);
}

/* What must be met exactly: equal, or both NaN. */
static void verify_exact(struct result *result, double value, double reference)
{
    bool same = value == reference || (isnan(value) && isnan(reference));

    *result = (struct result){.verdict = same ? VERDICT_OK : VERDICT_WRONG,
                              .has_value = true,
                              .value = isnan(value) ? NAN : value,
                              .reference = reference,
                              .error = value == reference ? 0 : fabs(value - reference),
                              .bound = 0};
}

/* A sum whose terms, rounded so often before they are added, or which itself may be more than a
 * float holds: then it must be infinite. */
static void verify_terms(struct result *result, float value, const struct accumulator *terms,
                         double depth, int roundings)
{
    struct reference r = accumulated(terms);

    depth += roundings;
    r.terms += r.terms > 0 ? (size_t)roundings : 0;
    verify_sum_f32(result, value, &r, depth);
    if (isfinite(r.value) && isinf(value) && value * r.value > 0 &&
        fabs(r.value) + sum_bound(&r, depth) > (double)FLT_MAX) {
        result->verdict = VERDICT_OK;
        result->reference = value;
        result->error = result->bound = NAN;
    }
}

static void verify_product(struct result *result, float value, const struct expected *e)
{
    double roundings = e->fractions > 1 ? (double)(e->fractions - 1) : 0;
    double own = gamma_of(roundings, 0x1p-53);

    verify_exact(result, value, e->product);
    if (!isfinite(e->product))
        return;
    result->bound = fabs(e->product) * (float_gamma(roundings) + own) / (1 - own);
    result->verdict = result->error <= result->bound ? VERDICT_OK : VERDICT_WRONG;
}

struct mean_verdict operators_mean(const struct expected *e, double depth)
{
    struct reference sum = accumulated(&e->sum), squares = accumulated(&e->squares);
    double n = (double)e->n, largest = fmax(fabs(e->least), fabs(e->greatest));
    double k = float_gamma(5 * depth + SLICE_ADDITIONS), q = squares.value;
    double r = float_gamma(2 * depth + SLICE_ADDITIONS + 14);
    double m = fmax(q - sum.value * sum.value / n, 0), host = q * 0x1p-50;
    double s = fmin(2 * depth * q, 4 * n * largest * largest * levels(n));
    double means = 2 * k * sqrt(s * (m + host)) + k * k * (s + q);
    double tiny = n * n * 0x1p-149 + n * 0x1p-126; /* what is denormal, or rounded to 0 */

    return (struct mean_verdict){
        .mean = n > 0 ? sum.value / n : NAN,
        .mean_bound = (k + 0x1p-50) * sum.magnitude / n + 0x1p-126,
        .variance = n > 0 && isfinite(sum.value) ? m / n : NAN,
        .variance_bound = (r * (m + host + means) + means + host + tiny) / n,
    };
}

/* If the sum of squares is more than a float holds, the variance must be infinite; from a quarter
 * of that on it may be, since the squared difference of two means may be more than the sum. */
static bool variance_agrees(float variance, const struct mean_verdict *v, double n)
{
    double most = (v->variance + v->variance_bound) * n;

    if (isnan(v->variance))
        return isnan(variance);
    if (isinf(variance))
        return variance > 0 && most > (double)FLT_MAX / 4;
    return fabs(variance - v->variance) <= v->variance_bound;
}

static bool mean_agrees(float mean, const struct mean_verdict *v)
{
    if (!isfinite(v->mean))
        return isnan(v->mean) ? isnan(mean) : mean == v->mean;
    return fabs(mean - v->mean) <= v->mean_bound;
}

static void verify_mean(struct result *result, const struct moments *got, const struct expected *e,
                        double depth)
{
    struct mean_verdict v = operators_mean(e, depth);
    bool finite = isfinite(v.mean);

    *result = (struct result){.verdict = VERDICT_WRONG,
                              .has_value = true,
                              .value = isnan(got->mean) ? NAN : got->mean,
                              .reference = v.mean,
                              .error = finite ? fabs(got->mean - v.mean) : NAN,
                              .bound = finite ? v.mean_bound : NAN};
    if (got->count != e->n)
        snprintf(result->note, sizeof(result->note), "%llu elements counted of %zu", got->count,
                 e->n);
    else if (!variance_agrees(got->variance, &v, (double)e->n))
        snprintf(result->note, sizeof(result->note), "variance %.9g instead of %.9g +- %.2g",
                 (double)got->variance, v.variance, v.variance_bound);
    else if (mean_agrees(got->mean, &v))
        result->verdict = VERDICT_OK;
}

double operators_number(const either *element, const struct type *type)
{
    int32_t integer;
    float real;

    memcpy(&integer, element, sizeof(integer));
    memcpy(&real, element, sizeof(real));
    return type == &type_f32 ? (double)real : integer;
}

/* The place is the value that is reported; what stands there is in a note if it is wrong. */
static void verify_argmax(struct result *result, const struct greatest *got,
                          const struct expected *e, const struct type *type)
{
    double value = operators_number(&got->value, type);
    double greatest = e->nan ? NAN : e->greatest;

    verify_exact(result, (double)got->at, (double)e->at);
    if (got->at == e->at && (value == greatest || (isnan(value) && isnan(greatest))))
        return;
    result->verdict = VERDICT_WRONG;
    snprintf(result->note, sizeof(result->note), "x[%llu] = %.9g instead of x[%zu] = %.9g", got->at,
             value, e->at, greatest);
}

static void verify_f32(struct result *result, float value, enum operator_kind kind,
                       const struct expected *e, double depth)
{
    struct reference sum = accumulated(&e->sum);

    if (kind == SUM) {
        verify_terms(result, value, &e->sum, depth, 0);
    } else if (kind == SQUARES) {
        verify_terms(result, value, &e->squares, depth, 1);
    } else if (kind == DOT) {
        verify_terms(result, value, &e->dot, depth, 1);
    } else if (kind == PRODUCT) {
        verify_product(result, value, e);
    } else if (kind == SUBTRACT) {
        sum.value = 2 * e->first - sum.value;
        verify_sum_f32(result, value, &sum, depth);
    } else if (kind == MINIMUM || kind == MAXIMUM) {
        verify_exact(result, value, e->nan ? NAN : kind == MINIMUM ? e->least : e->greatest);
    } else {
        verify_exact(result, value, kind == LOGICAL_AND ? e->all : e->any);
    }
}

static int32_t expected_i32(enum operator_kind kind, const struct expected *e)
{
    switch (kind) {
    case SUM:
        return (int32_t)e->i32_sum;
    case SQUARES:
        return (int32_t)e->i32_squares;
    case DOT:
        return (int32_t)e->i32_dot;
    case PRODUCT:
        return (int32_t)e->i32_product;
    case MINIMUM:
        return (int32_t)e->least;
    case MAXIMUM:
        return (int32_t)e->greatest;
    case SUBTRACT:
        return (int32_t)(2 * (uint32_t)(int32_t)e->first - e->i32_sum);
    default:
        return kind == LOGICAL_AND ? e->all : e->any;
    }
}

void operators_verify(struct result *result, const union operators_result *got,
                      enum operator_kind kind, const struct expected *e, const struct type *type,
                      double depth)
{
    if (kind == MEAN)
        verify_mean(result, &got->moments, e, depth);
    else if (kind == ARGMAX)
        verify_argmax(result, &got->greatest, e, type);
    else if (kind == EQUALS)
        verify_exact(result, (double)got->count, (double)e->equal);
    else if (type == &type_f32)
        verify_f32(result, (float)operators_number(&got->element, type), kind, e, depth);
    else
        verify_i32(result, (int32_t)operators_number(&got->element, type), expected_i32(kind, e));
}
