#include "harness/kit/sums.h"

#include <assert.h>
#include <float.h>
#include <stdlib.h>

#include "harness/kit/buffer.h"
#include "harness/kit/element.h"
#include "harness/kit/input.h"
#include "harness/kit/message.h"
#include "harness/kit/parallel.h"
#include "harness/kit/vector_code.h"

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

struct filling {
    struct spans *spans;
    const void *x;
};

#define LANES 8 /* sums side by side, which a compiler can keep in vector registers */

struct lanes {
    double sum[LANES], carry[LANES], magnitude[LANES];
};

/* A whole span with Knuth's TwoSum, which needs no branch (The Art of Computer Programming, vol. 2,
 * section 4.2.2, theorem B). False, and the lanes are of no use, if an element is no number. A
 * magnitude below 2^23 plus 2^23 is rounded to an integer. */
VECTOR_CODE static bool add_span(struct lanes *l, const float *x, bool *fractions)
{
    int special = 0, broken = 0;

    for (size_t i = 0; i < SUM_SPAN; i += LANES) {
        for (int k = 0; k < LANES; k++) {
            double term = x[i + k], old = l->sum[k], sum = old + term, back = sum - old;
            float magnitude = fabsf(x[i + k]);

            l->carry[k] += (old - (sum - back)) + (term - back);
            l->sum[k] = sum;
            l->magnitude[k] += magnitude;
            special |= !(magnitude <= FLT_MAX);
            broken |= (magnitude < 0x1p23f) & (magnitude + 0x1p23f - 0x1p23f != magnitude);
        }
    }
    *fractions = broken;
    return !special;
}

static void sum_span_f32(struct accumulator *sum, const float *x)
{
    struct lanes lanes = {.sum = {0}};
    bool fractions;

    *sum = (struct accumulator){0};
    if (!add_span(&lanes, x, &fractions)) {
        for (size_t i = 0; i < SUM_SPAN; i++)
            accumulate(sum, x[i]);
        return;
    }
    for (int k = 0; k < LANES; k++) {
        add_compensated(sum, lanes.sum[k]);
        add_compensated(sum, lanes.carry[k]);
        sum->magnitude += lanes.magnitude[k];
    }
    sum->terms = SUM_SPAN;
    sum->fractions = fractions;
}

VECTOR_CODE static void sum_span_i32(uint32_t *sum, const uint32_t *x)
{
    *sum = 0;
    for (size_t i = 0; i < SUM_SPAN; i++)
        *sum += x[i];
}

/* The spans' own sums, each in the place of the next one's start. */
static void sum_chunk(void *context, size_t chunk, size_t begin, size_t end)
{
    const struct filling *f = (const struct filling *)context;
    const struct spans *s = f->spans;

    static_assert(PARALLEL_CHUNK % SUM_SPAN == 0, "chunks of whole spans");
    (void)chunk;
    for (size_t at = begin; at + SUM_SPAN <= end; at += SUM_SPAN) {
        if (s->f32)
            sum_span_f32(&s->f32[at / SUM_SPAN + 1], (const float *)f->x + at);
        else
            sum_span_i32(&s->i32[at / SUM_SPAN + 1], (const uint32_t *)f->x + at);
    }
}

static int open_spans(struct spans *s, size_t n, const struct type *type)
{
    *s = (struct spans){.count = n / SUM_SPAN + 1};
    if (type == &type_f32)
        s->f32 = (struct accumulator *)calloc(s->count, sizeof(*s->f32));
    else
        s->i32 = (uint32_t *)calloc(s->count, sizeof(*s->i32));
    if (!s->f32 && !s->i32)
        return complain(BAD_DEVICE, "no memory left on the host for the reference");
    return 0;
}

/* From the spans' own sums to what stands before each. */
static void add_up(struct spans *s, bool small)
{
    if (s->f32)
        s->f32[0].small = small;
    for (size_t i = 1; i < s->count; i++) {
        if (s->f32) {
            struct accumulator before = s->f32[i - 1];

            accumulate_other(&before, &s->f32[i]);
            s->f32[i] = before;
        } else {
            s->i32[i] += s->i32[i - 1];
        }
    }
}

int spans_fill(struct spans *s, const void *x, size_t n, const struct type *type, bool small)
{
    struct filling filling = {s, x};
    int status = open_spans(s, n, type);

    if (status != 0)
        return status;
    parallel_for(n, sum_chunk, &filling);
    add_up(s, small);
    return 0;
}

int spans_fill_from(struct spans *s, const struct buffer *x, size_t n,
                    const struct setting *setting)
{
    bool small = input_exact(setting, n);
#ifndef BACKEND_CPU
    int status;

    if (!x->host) {
        status = open_spans(s, n, setting->type);
        s->setting = setting;
        if (status == 0)
            status = spans_sum_device(s, &x->place, x->device);
        if (status == 0)
            add_up(s, small);
        return status;
    }
#endif
    return spans_fill(s, x->host, n, setting->type, small);
}

void spans_free(struct spans *s)
{
    free(s->f32);
    free(s->i32);
    *s = (struct spans){0};
}

struct reference spans_sum_f32(const struct spans *s, const float *x, size_t n)
{
    struct accumulator sum = s->f32[n / SUM_SPAN];

    for (size_t i = n / SUM_SPAN * SUM_SPAN; i < n; i++)
        accumulate(&sum, x ? x[i] : input_f32(input_kind(s->setting), s->setting->seed, i));
    return accumulated(&sum);
}

int32_t spans_sum_i32(const struct spans *s, const int32_t *x, size_t n)
{
    uint32_t sum = s->i32[n / SUM_SPAN]; /* wraps by definition */

    for (size_t i = n / SUM_SPAN * SUM_SPAN; i < n; i++)
        sum += (uint32_t)(x ? x[i] : input_i32(input_kind(s->setting), s->setting->seed, i));
    return (int32_t)sum;
}

void verify_sum_f32(struct result *result, float value, const struct reference *r, double depth)
{
    *result = (struct result){.has_value = true,
                              .value = isnan(value) ? NAN : value, /* a NaN's sign says nothing */
                              .reference = r->value};
    result->verdict =
        sum_agrees(value, r, depth, &result->error, &result->bound) ? VERDICT_OK : VERDICT_WRONG;
}

void verify_i32(struct result *result, int32_t value, int32_t reference)
{
    *result = (struct result){
        .verdict = value == reference ? VERDICT_OK : VERDICT_WRONG,
        .has_value = true,
        .value = (double)value,
        .reference = (double)reference,
        .error = fabs((double)value - reference),
        .bound = 0,
    };
}
