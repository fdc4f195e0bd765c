#include "verify.h"

#include <math.h>
#include <stdlib.h>
#include "parallel.h"

#define UNIT_ROUNDOFF 0x1p-24
#define SMALLEST_NORMAL 0x1p-126
#define EXACT_INTEGERS 0x1p24

/* Neumaier's step: the carry takes what the addition to the sum rounds off. */
static void add_compensated(struct accumulator *a, double x)
{
    double sum = a->sum + x;

    if (fabs(a->sum) >= fabs(x))
        a->carry += (a->sum - sum) + x;
    else
        a->carry += (x - sum) + a->sum;
    a->sum = sum;
}

void accumulate(struct accumulator *a, float x)
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

void accumulate_other(struct accumulator *a, const struct accumulator *other)
{
    add_compensated(a, other->sum);
    add_compensated(a, other->carry);
    a->magnitude += other->magnitude;
    a->terms += other->terms;
    a->nans += other->nans;
    a->plus_infinities += other->plus_infinities;
    a->minus_infinities += other->minus_infinities;
    a->fractions |= other->fractions;
}

struct reference accumulated(const struct accumulator *a)
{
    struct reference r = {a->sum + a->carry, a->magnitude, a->terms, !a->fractions};

    if (a->nans || (a->plus_infinities && a->minus_infinities))
        r.value = NAN;
    else if (a->plus_infinities || a->minus_infinities)
        r.value = a->plus_infinities ? INFINITY : -INFINITY;
    return r;
}

struct sum_f32 {
    const float *x;
    struct accumulator *parts; /* one a chunk */
};

static void sum_chunk_f32(void *context, size_t chunk, size_t begin, size_t end)
{
    struct sum_f32 *sum = context;
    struct accumulator part = {0};

    for (size_t i = begin; i < end; i++)
        accumulate(&part, sum->x[i]);
    sum->parts[chunk] = part;
}

struct reference reference_sum_f32(const float *x, size_t n)
{
    struct accumulator total = {0};
    size_t chunks = parallel_chunks(n);
    struct sum_f32 sum = {x, calloc(chunks ? chunks : 1, sizeof(*sum.parts))};

    if (!sum.parts) { /* a few kilobytes: then do without the threads */
        for (size_t i = 0; i < n; i++)
            accumulate(&total, x[i]);
        return accumulated(&total);
    }
    parallel_for(n, sum_chunk_f32, &sum);
    for (size_t i = 0; i < chunks; i++)
        accumulate_other(&total, &sum.parts[i]);
    free(sum.parts);
    return accumulated(&total);
}

int32_t reference_sum_i32(const int32_t *x, size_t n)
{
    uint32_t sum = 0; /* wraps by definition; as fast as memory, so no threads */

    for (size_t i = 0; i < n; i++)
        sum += (uint32_t)x[i];
    return (int32_t)sum;
}

double sum_bound(const struct reference *r, double depth)
{
    double most = r->terms > 0 ? (double)(r->terms - 1) : 0; /* no chain is longer than all terms */
    double d = depth < most ? depth : most;
    double any_order = most * UNIT_ROUNDOFF;
    double gamma = d * UNIT_ROUNDOFF < 1 ? d * UNIT_ROUNDOFF / (1 - d * UNIT_ROUNDOFF) : any_order;

    if (r->integers && r->magnitude <= EXACT_INTEGERS)
        return 0;
    if (gamma > any_order)
        gamma = any_order;
    return (gamma + 0x1p-52) * r->magnitude * (1 + 0x1p-30) /* the magnitude's own rounding */
           + 3 * SMALLEST_NORMAL * (double)r->terms;
}

void verify_sum_f32(struct result *result, float value, const struct reference *r, double depth)
{
    *result = (struct result){.has_value = true,
                              .value = isnan(value) ? NAN : value, /* a NaN's sign says nothing */
                              .reference = r->value,
                              .error = NAN,
                              .bound = NAN};
    if (isnan(r->value)) {
        result->verified = isnan(value);
    } else if (isinf(r->value)) {
        result->verified = value == r->value;
    } else {
        result->error = fabs(value - r->value); /* NaN for a NaN, which no bound covers */
        result->bound = sum_bound(r, depth);
        result->verified = result->error <= result->bound;
    }
}

void verify_i32(struct result *result, int32_t value, int32_t reference)
{
    *result = (struct result){
        .verified = value == reference,
        .has_value = true,
        .value = value,
        .reference = reference,
        .error = fabs((double)value - reference),
        .bound = 0,
    };
}
