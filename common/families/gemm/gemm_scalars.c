#include "families/gemm/gemm_scalars.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/kit/element.h"
#include "harness/kit/half.h"
#include "harness/kit/input.h"
#include "harness/kit/message.h"
#include "harness/kit/number.h"
#include "harness/kit/parallel.h"

static int parse_scalar(float *to, const char *option, const char *text)
{
    char *end;

    if (!text)
        return 0;
    *to = strtof(text, &end);
    if (end != text && *end == '\0' && fabsf(*to) <= MAX_SCALAR && !strchr(" \t\n\v\f\r", *text))
        return 0;
    return complain(BAD_USAGE,
                    "--%s %s: not accepted; accepted: a number of at most 2^20, as 1, -0.5 "
                    "or 1e3",
                    option, *text ? text : "''");
}

int scalars_parse(struct scalars *s, const struct setting *setting)
{
    const char *pad = setting->parameters[PAD], *layout = setting->parameters[LAYOUT];
    uint64_t elements = 0;
    int status;

    *s = (struct scalars){.alpha = 1};
    status = parse_scalar(&s->alpha, "alpha", setting->parameters[ALPHA]);
    if (status == 0)
        status = parse_scalar(&s->beta, "beta", setting->parameters[BETA]);
    if (status == 0 && pad && (!number_parse(pad, &elements) || elements > MAX_PAD))
        return complain(BAD_USAGE, "--pad %s: not accepted; accepted: an integer from 0 to %d",
                        *pad ? pad : "''", MAX_PAD);
    if (status == 0 && layout && strcmp(layout, "NN") != 0 && strcmp(layout, "NT") != 0)
        return complain(BAD_USAGE, "--layout %s: not accepted; accepted: NN, NT",
                        *layout ? layout : "''");
    s->transposed = layout && strcmp(layout, "NT") == 0;
    s->pad = (size_t)elements;
    return status;
}

/* --- what is in them -----------------------------------------------------------------------------
 */

struct fill {
    float *x;
    uint16_t *h; /* the same as halves; NULL: they stay floats */
    const struct type *type;
    enum operand which;
    enum input kind;
    uint64_t seed;
    unsigned hostile; /* which of them */
};

/* Magnitudes from 2^least on, of so many powers of two; and zeros. */
static float wide(uint64_t bits, int least, int powers)
{
    float sign = bits >> 63 ? -1 : 1;

    if (bits % 16 == 0)
        return sign * 0;
    return sign * ldexpf(1 + (float)(bits >> 40 & 0x7fffff) * 0x1p-23f,
                         (int)(bits >> 8 & 0xff) % powers + least);
}

static float widest(const struct fill *f, uint64_t bits)
{
    if (!f->h)
        return wide(bits, -149, 180);
    return f->type == &type_f16 ? wide(bits, -14, 26) : wide(bits, -60, 90);
}

/* A random half, which f16 holds without being subnormal. */
static float plain_half(const struct fill *f, size_t i)
{
    uint16_t h = input_half(INPUT_RANDOM, f->type, f->seed, i);

    return f->type == &type_f16 ? f32_of_f16(h) : f32_of_bf16(h);
}

static float hostile(const struct fill *f, size_t i)
{
    float plain = f->h ? plain_half(f, i) : input_f32(INPUT_RANDOM, f->seed, i);

    if (f->hostile == 0)
        return widest(f, input_bits(f->seed, i));
    if (f->hostile == 3)
        return f->which == OPERAND_C && i == 0 ? NAN : plain;
    if (f->which == OPERAND_A && i % 97 == 0)
        return f->hostile == 1 ? NAN : i % 194 ? INFINITY : -INFINITY;
    if (f->which == OPERAND_B && i % 101 == 0)
        return f->hostile == 1 ? INFINITY : i % 202 ? 0 : -INFINITY;
    return plain;
}

static void fill_chunk(void *context, size_t chunk, size_t begin, size_t end)
{
    const struct fill *f = (const struct fill *)context;

    (void)chunk;
    for (size_t i = begin; i < end && !f->h; i++)
        f->x[i] = f->kind == INPUT_HOSTILE ? hostile(f, i) : input_f32(f->kind, f->seed, i);
    for (size_t i = begin; i < end && f->h; i++) {
        bool f16 = f->type == &type_f16;

        if (f->kind != INPUT_HOSTILE)
            f->h[i] = input_half(f->kind, f->type, f->seed, i);
        else
            f->h[i] = f16 ? f16_of_f32(hostile(f, i)) : bf16_of_f32(hostile(f, i));
        f->x[i] = f16 ? f32_of_f16(f->h[i]) : f32_of_bf16(f->h[i]);
    }
}

static enum input kind_of(const struct setting *setting)
{
    enum input kind = INPUT_RANDOM;

    while (strcmp(setting->input, input_names[kind]) != 0)
        kind = (enum input)(kind + 1);
    return kind;
}

void scalars_fill_halves(uint16_t *h, float *x, size_t n, enum operand which,
                         const struct setting *setting)
{
    struct fill f = {
        .x = x, .h = h, .type = setting->type, .which = which, .kind = kind_of(setting)};

    f.seed = setting->seed ^ (uint64_t)which << 32; /* another one for each */
    f.hostile = setting->seed % 4;
    parallel_for(n, fill_chunk, &f);
}

void scalars_fill(float *x, size_t n, enum operand which, const struct setting *setting)
{
    scalars_fill_halves(NULL, x, n, which, setting);
}

bool scalars_exact(const struct setting *setting, const struct scalars *s, size_t k)
{
    enum input kind = kind_of(setting);
    double most = kind == INPUT_ONES    ? 1
                  : kind == INPUT_RAMP  ? 1000 /* 999, which bf16 rounds up */
                  : kind == INPUT_EXACT ? 8
                                        : NAN;
    bool integers = s->alpha == truncf(s->alpha) && s->beta == truncf(s->beta);
    double sum = (double)k * most * most;

    /* Of alpha times a partial sum, too, for a library that multiplies A by alpha first. */
    return integers && sum <= 16777216 &&
           fabs((double)s->alpha) * sum + fabs((double)s->beta) * most <= 16777216;
}
