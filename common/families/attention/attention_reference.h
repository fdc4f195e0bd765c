/*
 * The verdict on an attention: every element is compared with its value, computed in double.
 *
 * The bound. Let u = 2^-24, the unit roundoff of float, s[j] the scores of a query, m the largest,
 * t[j] = m - s[j], and p[j] = exp(-t[j]), whose sum is p.
 *
 *   - A score is a sum of dim products, times a factor: it is off by (dim + 6) u times the sum of
 *     the magnitudes, wherever the factor is multiplied, and though it may hold log2(e) for a power
 *     of 2. Products below the smallest normal float may be lost.
 *   - The difference to a maximum is rounded, of t[j] u at most. Where a sum is multiplied again
 *     each time that a larger score comes, the differences of a chain add up to t[j], too. A common
 *     factor of all p[j] of a query has no effect.
 *   - expf and exp2f are off by two units in the last place at most, which is 4 u (CUDA guide,
 *     "Mathematical Functions"; glibc's are not worse).
 *   - So p[j] is off by E[j] = off(s[j]) + (t[j] + 4) u in its exponent: by E[j] / (1 - E[j]),
 *     relative. A share below the smallest normal float may be 0, before the division or behind it.
 *   - Sums add u for each of `depth` additions, and multiplications of a sum, that a term passes
 *     through: in the sum of the shares, and in that of the values. 6 u more for the division. A
 *     sum below the smallest normal float is off by 2^-149 in each of these.
 *
 * Where the inputs are of f16 or bf16, tensor cores may have added the products up, which are exact
 * then: kit/sums.h has what their sums lose, of the scores here, and of the values in `depth`. An
 * element counts as the smallest normal one at least. And a share may have been rounded to the
 * inputs' type before it was multiplied by a value, and before or after it was added to the sum of
 * shares: by 2^-8 of itself (bf16) or 2^-11 (f16), or by half of the smallest subnormal number.
 *
 * Where a variant makes products of floats of parts, by tensor cores, split_products.h has what
 * they lack and what their sums lose: of the scores here, and of the values in `depth`. What counts
 * as 0 there, because it is too small, is allowed for here.
 *
 * An output of the inputs' type, which a library writes, is rounded to it once more at the end: by
 * as much again, of the most that the element can be before.
 *
 * Nothing was fitted to a result. Anything may stand where a sum of magnitudes is more than half of
 * the largest float, because its order decides whether it overflows; where what a score is off by
 * decides which key counts; and where an infinity's share is so small that it may be 0.
 *
 * On a GPU the reference and the comparison are kernels, on the CPU device loops of the host. Both
 * run the functions below, on the arrays as they lie on the device.
 */
#ifndef ATTENTION_REFERENCE_H
#define ATTENTION_REFERENCE_H

#include <float.h>

#include "families/attention/split_products.h"
#include "harness/kit/buffer.h"
#include "harness/kit/floats.h"
#include "harness/kit/worst.h"

#define UNIT (1 / 16777216.)

/* What the reference is computed of; see attention.h. The arrays are in device memory. */
struct problem {
    const void *q, *k, *v;
    enum float_type type;
    size_t heads, length;
    int dim;
    bool causal;
    bool split; /* floats may have been multiplied in parts */
};

/* An element of the output: off is what it may be off by, and magnitude what for each rounding of a
 * sum of values. A value that is NaN must be NaN; where off is an infinity, anything may stand. */
struct expected {
    double value, off, magnitude;
};

/* What is compared: an output with the reference, both in device memory. */
struct comparison {
    const void *out;
    enum float_type type; /* of the output: FLOAT_F32, or that of the inputs */
    const struct expected *expected;
    size_t elements;
    double depth;
    double sign; /* -1: the values were the opposite of those that the reference is of */
};

#ifdef __cplusplus
extern "C" {
#endif

/* Compute the reference of all heads x length x dim elements, in device memory. 0, or BAD_DEVICE
 * after one line. */
int attention_reference(struct expected *, const struct problem *);

/* Compare. 0, or BAD_DEVICE after one line. */
int attention_compare(struct worst *, const struct comparison *);

#ifdef __cplusplus
}
#endif

HOST_DEVICE static inline bool on_tensor_cores(const struct problem *p)
{
    return p->type != FLOAT_F32 || p->split;
}

/* What an element counts as, where it is summed up by tensor cores. */
HOST_DEVICE static inline double counts_as(double x, const struct problem *p)
{
    const double least = p->split ? SPLIT_LEAST : p->type == FLOAT_F16 ? 0x1p-14 : FLT_MIN;

    return !on_tensor_cores(p) || fabs(x) > least ? fabs(x) : least;
}

struct score {
    double value, off;
    bool open; /* it may be anything, because a sum may overflow */
};

/* Of a query and a key, which begin with these elements of p's. */
HOST_DEVICE static inline struct score attention_score(const struct problem *p, size_t query,
                                                       size_t key)
{
    const double scale = 1 / sqrt((double)p->dim);
    struct score s = {0, 0, false};
    double magnitude = 0, counted = 0, factors = 0;

    for (int d = 0; d < p->dim; d++) {
        double q = float_at(p->q, p->type, query + d), k = float_at(p->k, p->type, key + d);
        double product = q * k;

        s.value += product;
        magnitude += isfinite(product) ? fabs(product) : 0;
        if (on_tensor_cores(p) && isfinite(product)) {
            counted += counts_as(q, p) * counts_as(k, p);
            factors += fabs(q) + fabs(k);
        }
    }
    s.value *= scale;
    s.off = (p->dim + 6) * (UNIT * magnitude * scale + FLT_MIN);
    if (p->split)
        s.off += split_bound((size_t)p->dim, counted, factors) * scale;
    else if (p->type != FLOAT_F32)
        s.off += tensor_bound((size_t)p->dim, counted) * scale;
    s.open = magnitude > FLT_MAX / 2;
    return s;
}

/* All keys of a query, or a part of them. */
struct query {
    double max;         /* -INFINITY: none, or no finite one */
    double sum, spread; /* of the shares exp(score - max), and of what they may be off by */
    bool open;          /* its result may be anything */
    bool undefined;     /* a score is NaN or +infinity: its result is NaN */
};

HOST_DEVICE static inline void query_max(struct query *q, const struct score *s)
{
    q->undefined |= isnan(s->value) || s->value == INFINITY;
    q->open |= s->open;
    if (s->value > q->max)
        q->max = s->value;
}

/* Of one key: its share before it is divided by the sum, and what that may be off by. */
struct share {
    double value, off;
    bool small; /* it may be 0 */
};

HOST_DEVICE static inline struct share query_share(struct query *q, const struct score *s,
                                                   enum float_type type)
{
    double behind = q->max - s->value, off = s->off + (behind + 4) * UNIT;
    struct share own = {exp(-behind), 0, false};

    if (s->value == -INFINITY) /* it is 0 for certain */
        return own;
    own.small = own.value < (type == FLOAT_F16 ? 0x1p-23 : 0x1p-100);
    if (off < 1) {
        own.off = own.value * off / (1 - off);
        own.off += float_rounding(own.value + own.off, type) +
                   (type == FLOAT_BF16 ? FLT_MIN : 0); /* a smaller one may be 0 before */
    } else if (!(behind - off > 88)) /* else it is below the smallest normal float */
        q->open = true;
    q->sum += own.value;
    q->spread += own.off;
    return own;
}

/* An element of the output, while its values are added up. */
struct mean {
    double value, magnitude, off; /* of shares times values */
    double values;                /* the sum of the values' magnitudes */
    bool doubtful;                /* an infinity whose share may be 0 */
    bool undefined;               /* a value is NaN */
};

HOST_DEVICE static inline void mean_add(struct mean *m, const struct share *s, float v,
                                        const struct problem *p)
{
    double share = on_tensor_cores(p) ? s->value + s->off : s->value; /* it may have been rounded */

    m->value += s->value * v;
    m->undefined |= isnan(v);
    m->doubtful |= isinf(v) && s->small;
    if (isfinite(v)) {
        m->magnitude += counts_as(share, p) * counts_as(v, p);
        m->off += s->off * fabs((double)v);
        m->values += fabs((double)v);
    }
}

/* The element, when all keys of its query are known. */
HOST_DEVICE static inline struct expected mean_expected(const struct mean *m, const struct query *q,
                                                        const struct problem *p)
{
    double spread = q->spread / q->sum;
    struct expected e = {m->value / q->sum, INFINITY, 0};

    if (q->undefined || q->max == -INFINITY || m->undefined) {
        e.value = NAN;
        e.off = 0;
    } else if (!(q->open || m->doubtful || m->values > FLT_MAX / 2 || !(spread < 0.5))) {
        e.magnitude = m->magnitude / q->sum / (1 - spread);
        e.off = m->off / q->sum / (1 - spread) + e.magnitude * spread + 2 * FLT_MIN * m->values;
        e.off += p->split ? FLT_MIN * (m->values + 1) / (1 - spread) : 0; /* the shares are 1 */
    }
    return e;
}

/* Element i of the output. */
HOST_DEVICE static inline void compare_attention(struct worst *w, const struct comparison *c,
                                                 size_t i)
{
    const struct expected *e = &c->expected[i];
    double roundings = (2 * c->depth + 6) * UNIT, most;
    float y = float_at(c->out, c->type, i);
    bool poison = poison_at(c->out, c->type, i);
    struct worst own = {i, 0, 0, 0, NAN, NAN, NAN};

    own.value = isnan(y) ? NAN : y; /* a NaN's sign says nothing */
    own.reference = c->sign * e->value;
    if (e->off == INFINITY) {
        own.wrong = poison;
    } else if (isnan(own.reference)) {
        own.wrong = !isnan(y) || poison;
    } else if (isinf(own.reference)) {
        own.wrong = y != own.reference;
    } else {
        own.bound = roundings < 1
                        ? (e->off + (e->magnitude + 2 * FLT_MIN) * roundings) / (1 - roundings)
                        : INFINITY;
        most = fabs(own.reference) + own.bound;
        own.error = float_overflows(y, most, c->type) && (y > 0) == (own.reference > 0)
                        ? 0
                        : fabs(y - own.reference);
        own.bound += float_rounding(most, c->type);
        own.wrong = !(own.error <= own.bound);
        own.part = own.bound > 0 && own.bound < INFINITY ? own.error / own.bound : 0;
    }
    worst_of(w, &own);
}

#endif
