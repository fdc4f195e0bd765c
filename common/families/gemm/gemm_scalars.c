#include "families/gemm/gemm_scalars.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
    const char *pad = setting->parameters[PAD];
    uint64_t elements = 0;
    int status;

    *s = (struct scalars){.alpha = 1};
    status = parse_scalar(&s->alpha, "alpha", setting->parameters[ALPHA]);
    if (status == 0)
        status = parse_scalar(&s->beta, "beta", setting->parameters[BETA]);
    if (status == 0 && pad && (!number_parse(pad, &elements) || elements > MAX_PAD))
        return complain(BAD_USAGE, "--pad %s: not accepted; accepted: an integer from 0 to %d",
                        *pad ? pad : "''", MAX_PAD);
    s->pad = (size_t)elements;
    return status;
}

/* --- what is in them -----------------------------------------------------------------------------
 */

struct fill {
    float *x;
    enum operand which;
    enum input kind;
    uint64_t seed;
    unsigned hostile; /* which of them */
};

static float wide(uint64_t bits)
{
    float sign = bits >> 63 ? -1 : 1;

    if (bits % 16 == 0)
        return sign * 0;
    return sign * ldexpf(1 + (float)(bits >> 40 & 0x7fffff) * 0x1p-23f,
                         (int)(bits >> 8 & 0xff) % 180 - 149);
}

static float hostile(const struct fill *f, size_t i)
{
    float plain = input_f32(INPUT_RANDOM, f->seed, i);

    if (f->hostile == 0)
        return wide(input_bits(f->seed, i));
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
    for (size_t i = begin; i < end; i++)
        f->x[i] = f->kind == INPUT_HOSTILE ? hostile(f, i) : input_f32(f->kind, f->seed, i);
}

static enum input kind_of(const struct setting *setting)
{
    enum input kind = INPUT_RANDOM;

    while (strcmp(setting->input, input_names[kind]) != 0)
        kind = (enum input)(kind + 1);
    return kind;
}

void scalars_fill(float *x, size_t n, enum operand which, const struct setting *setting)
{
    struct fill f = {.x = x, .which = which, .kind = kind_of(setting)};

    f.seed = setting->seed ^ (uint64_t)which << 32; /* another one for each */
    f.hostile = setting->seed % 4;
    parallel_for(n, fill_chunk, &f);
}

bool scalars_exact(const struct setting *setting, const struct scalars *s, size_t k)
{
    enum input kind = kind_of(setting);
    double most = kind == INPUT_ONES ? 1 : kind == INPUT_RAMP ? 999 : kind == INPUT_EXACT ? 8 : NAN;
    bool integers = s->alpha == truncf(s->alpha) && s->beta == truncf(s->beta);
    double sum = (double)k * most * most;

    /* Of alpha times a partial sum, too, for a library that multiplies A by alpha first. */
    return integers && sum <= 16777216 &&
           fabs((double)s->alpha) * sum + fabs((double)s->beta) * most <= 16777216;
}
