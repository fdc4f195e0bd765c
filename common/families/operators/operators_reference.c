#include "families/operators/operators_reference.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "harness/kit/element.h"
#include "harness/kit/input.h"
#include "harness/kit/message.h"
#include "harness/kit/parallel.h"
#include "harness/kit/vector_code.h"

/* Another seed, which agrees with this one modulo 4, by which hostile inputs choose. */
static uint64_t seed_of_z(uint64_t seed)
{
    return seed ^ (uint64_t)1 << 40;
}

struct factors {
    void *z;
    const struct setting *setting;
    enum input kind;
};

#define ROW 1024 /* elements that are other than 1 as often */

/* What tells multiples of a number without a division: see Hacker's Delight, section 10-17. */
struct multiples {
    uint64_t inverse, most; /* of its odd part modulo 2^64; the largest quotient */
    unsigned twos;
};

static struct multiples multiples_of(uint64_t number)
{
    struct multiples m = {.most = UINT64_MAX / number};
    uint64_t odd = number;

    for (; odd % 2 == 0; odd /= 2)
        m.twos++;
    m.inverse = odd; /* right in 3 bits, and in twice as many after each round */
    for (int round = 0; round < 5; round++)
        m.inverse *= 2 - odd * m.inverse;
    return m;
}

static bool is_multiple(uint64_t x, const struct multiples *m)
{
    uint64_t product = x * m->inverse;

    return (product >> m->twos | product << ((64 - m->twos) & 63)) <= m->most;
}

/* From random bits: more and more often 1 or -1. */
static float near_one(uint64_t bits, const struct multiples *rarely)
{
    int32_t k = is_multiple(bits, rarely) ? (int32_t)(bits >> 40) % 2049 - 1024 : 0;
    float factor = 1 + (float)k * 0x1p-23f;

    return bits >> 63 ? -factor : factor;
}

/* Elements begin to end - 1 of a row. */
VECTOR_CODE static void fill_near_one(float *z, uint64_t seed, size_t begin, size_t end)
{
    struct multiples rarely = multiples_of(begin / ROW + 1);
    uint64_t high[ROW], low[ROW];

    input_bits_row(high, seed, begin, end - begin);
    input_bits_row(low, ~seed, begin, end - begin);
    for (size_t k = 0; k < end - begin; k++)
        z[begin + k] = near_one(high[k] << 32 | (uint32_t)low[k], &rarely);
}

static float factor_f32(enum input kind, uint64_t seed, size_t i)
{
    uint64_t high = (uint32_t)input_i32(INPUT_RANDOM, seed, i);
    uint64_t low = (uint32_t)input_i32(INPUT_RANDOM, ~seed, i);
    struct multiples rarely;
    float special;

    if (kind == INPUT_ONES)
        return 1;
    if (kind == INPUT_EXACT)
        return high >> 31 ? -1 : 1;
    special = kind == INPUT_HOSTILE ? input_f32(INPUT_HOSTILE, seed, i) : 0;
    rarely = multiples_of(i / ROW + 1);
    return isfinite(special) ? near_one(high << 32 | low, &rarely) : special;
}

static int32_t factor_i32(enum input kind, uint64_t seed, size_t i)
{
    int32_t any;

    if (kind == INPUT_ONES)
        return 1;
    any = input_i32(kind == INPUT_HOSTILE ? kind : INPUT_RANDOM, seed, i);
    return kind == INPUT_EXACT ? (any < 0 ? -1 : 1) : any | 1;
}

static void fill_chunk(void *context, size_t chunk, size_t begin, size_t end)
{
    const struct factors *f = (const struct factors *)context;
    uint64_t seed = seed_of_z(f->setting->seed);

    static_assert(PARALLEL_CHUNK % ROW == 0, "chunks of whole rows");
    (void)chunk;
    if (f->kind == INPUT_RANDOM && f->setting->type == &type_f32) {
        for (size_t at = begin; at < end; at += ROW)
            fill_near_one((float *)f->z, seed, at, end - at < ROW ? end : at + ROW);
        return;
    }
    for (size_t i = begin; i < end; i++) {
        if (f->setting->type == &type_f32)
            ((float *)f->z)[i] = factor_f32(f->kind, seed, i);
        else
            ((int32_t *)f->z)[i] = factor_i32(f->kind, seed, i);
    }
}

void operators_fill(void *z, size_t n, const struct setting *setting)
{
    struct factors factors = {z, setting, INPUT_RANDOM};

    while (strcmp(input_names[factors.kind], setting->input) != 0)
        factors.kind = (enum input)(factors.kind + 1);
    parallel_for(n, fill_chunk, &factors);
}

/* What the operators give for no elements of a type. */
static struct expected nothing(const struct type *type)
{
    bool real = type == &type_f32;

    return (struct expected){
        .product = 1,
        .i32_product = 1,
        .least = real ? (double)INFINITY : INT32_MAX,
        .greatest = real ? -(double)INFINITY : INT32_MIN,
        .all = true,
    };
}

/* One more element, of either type, as a number. */
static void compare(struct expected *e, double x)
{
    if (e->n == 0)
        e->first = x;
    if (isnan(x) && !e->nan) {
        e->nan = true;
        e->at = e->n;
    }
    if (x > e->greatest) {
        e->greatest = x;
        if (!e->nan)
            e->at = e->n;
    }
    if (x < e->least)
        e->least = x;
    e->all &= x != 0;
    e->any |= x != 0;
    e->n++;
}

/* One more term, which a double holds exactly: x, or a product of two floats. */
static void accumulate_term(struct accumulator *a, double term)
{
    a->terms++;
    if (!isfinite(term)) {
        a->nans += isnan(term) != 0;
        a->plus_infinities += term > 0;
        a->minus_infinities += term < 0;
        return;
    }
    add_compensated(a, term);
    a->magnitude += fabs(term);
    a->fractions |= term != trunc(term);
}

VECTOR_CODE static void expect_f32(struct expected *e, const float *x, const float *z, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        compare(e, x[i]);
        accumulate_term(&e->sum, x[i]);
        accumulate_term(&e->squares, (double)x[i] * x[i]);
        accumulate_term(&e->dot, (double)x[i] * z[i]);
        e->product *= z[i];
        e->fractions += fabsf(z[i]) != 1;
    }
}

VECTOR_CODE static void expect_i32(struct expected *e, const uint32_t *x, const uint32_t *z,
                                   size_t count)
{
    for (size_t i = 0; i < count; i++) {
        compare(e, (int32_t)x[i]);
        e->i32_sum += x[i];
        e->i32_product *= z[i];
        e->i32_squares += x[i] * x[i];
        e->i32_dot += x[i] * z[i];
    }
}

/* Put what comes behind to it. */
static void join(struct expected *e, const struct expected *behind)
{
    if (e->n == 0)
        e->first = behind->first;
    if (!e->nan && (behind->nan || behind->greatest > e->greatest))
        e->at = e->n + behind->at;
    e->nan |= behind->nan;
    e->greatest = fmax(e->greatest, behind->greatest);
    e->least = fmin(e->least, behind->least);
    e->all &= behind->all;
    e->any |= behind->any;
    accumulate_other(&e->sum, &behind->sum);
    accumulate_other(&e->squares, &behind->squares);
    accumulate_other(&e->dot, &behind->dot);
    e->product *= behind->product;
    e->fractions += behind->fractions;
    e->i32_sum += behind->i32_sum;
    e->i32_product *= behind->i32_product;
    e->i32_squares += behind->i32_squares;
    e->i32_dot += behind->i32_dot;
    e->n += behind->n;
}

struct loop {
    struct expected *parts; /* of the chunks */
    const void *x, *z;
    const struct type *type;
    uint32_t target; /* its bits */
};

static void expect_chunk(void *context, size_t chunk, size_t begin, size_t end)
{
    const struct loop *l = (const struct loop *)context;
    struct expected part = nothing(l->type); /* not in the array yet: others write there */

    if (l->type == &type_f32)
        expect_f32(&part, (const float *)l->x + begin, (const float *)l->z + begin, end - begin);
    else
        expect_i32(&part, (const uint32_t *)l->x + begin, (const uint32_t *)l->z + begin,
                   end - begin);
    l->parts[chunk] = part;
}

VECTOR_CODE static void equal_chunk(void *context, size_t chunk, size_t begin, size_t end)
{
    const struct loop *l = (const struct loop *)context;
    const uint32_t *k = (const uint32_t *)l->x;
    const float *f = (const float *)l->x;
    size_t equal = 0;
    float target;

    memcpy(&target, &l->target, sizeof(target));
    if (l->type == &type_f32)
        for (size_t i = begin; i < end; i++)
            equal += f[i] == target;
    else
        for (size_t i = begin; i < end; i++)
            equal += k[i] == l->target;
    l->parts[chunk].equal = equal;
}

/* How many elements equal the target, which another number of elements changes. */
static size_t count_equal(struct loop *loop, size_t n)
{
    size_t chunks = parallel_chunks(n), equal = 0;

    if (n > 0)
        loop->target = ((const uint32_t *)loop->x)[operators_target(n)];
    parallel_for(n, equal_chunk, loop);
    for (size_t k = 0; k < chunks; k++)
        equal += loop->parts[k].equal;
    return equal;
}

int operators_expect(struct expected *e, bool continues, const void *x, const void *z, size_t n,
                     const struct type *type, bool exact)
{
    size_t known = continues && e->n <= n && e->n % PARALLEL_CHUNK == 0 ? e->n : 0;
    size_t chunks = parallel_chunks(n - known), offset = known * type->bytes;
    struct loop loop = {.x = (const char *)x + offset, .z = (const char *)z + offset, .type = type};

    loop.parts = (struct expected *)calloc(parallel_chunks(n) + 1, sizeof(*loop.parts));
    if (!loop.parts)
        return complain(BAD_DEVICE, "no memory left on the host for the reference");
    if (known == 0)
        *e = nothing(type);
    parallel_for(n - known, expect_chunk, &loop);
    for (size_t k = 0; k < chunks; k++)
        join(e, &loop.parts[k]);
    loop.x = x;
    e->equal = count_equal(&loop, n);
    e->sum.small = e->dot.small = exact;
    free(loop.parts);
    return 0;
}
