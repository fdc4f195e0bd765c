/*
 * The attention family's side of the harness: its arrays, its verdict, its launches.
 */
#include "families/attention/attention.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <cuda_runtime_api.h>

#include "families/attention/attention_reference.h"
#include "harness/kit/buffer.h"
#include "harness/kit/device.h"
#include "harness/kit/input.h"

#define INPUTS 3 /* q, k, v */

struct attention {
    struct work work; /* first: the launch functions get this part */
    struct setting settings[INPUTS];
    struct buffer in[INPUTS], out, out_of_type, scores;
    struct buffer expected;  /* of the present shape, if known */
    bool known, of_opposite; /* of_opposite: of the opposite of v as it was made */
    bool split;              /* it allows for products of parts */
};

static size_t elements(const struct work *w)
{
    return w->heads * w->length * (size_t)w->dim;
}

static void default_shape(struct shape *s)
{
    if (s->threads == 0)
        s->threads = 256;
}

static void destroy(struct work *work)
{
    struct attention *a = (struct attention *)work;

    for (int i = 0; i < INPUTS; i++)
        buffer_free(&a->in[i]);
    buffer_free(&a->out);
    buffer_free(&a->out_of_type);
    buffer_free(&a->scores);
    buffer_free(&a->expected);
    free(a);
}

static int make_inputs(struct attention *a, size_t count, const struct setting *setting)
{
    static const char *const names[INPUTS] = {"the queries", "the keys", "the values"};
    int status = 0;

    for (int i = 0; i < INPUTS && status == 0; i++) {
        a->settings[i] = *setting;
        a->settings[i].seed ^= (uint64_t)i << 32; /* another one for each */
        a->in[i] = (struct buffer){
            .what = names[i], .bytes = setting->type->bytes, .offset = setting->offset};
        status = buffer_input_there(&a->in[i], count, &a->settings[i]);
    }
    a->in[INPUTS - 1].type = setting->type; /* every second run sees its opposite */
    return status;
}

static struct work *create(const struct setting *setting, const struct shape *largest)
{
    struct attention *a = (struct attention *)work_new(sizeof(*a));
    size_t count = largest->n * largest->axis[ATTENTION_DIM];
    int poison = buffer_poison_of(&type_f32), status;

    if (!a)
        return NULL;
    a->out = (struct buffer){
        .what = "the output", .bytes = sizeof(float), .poison = poison, .guard = BUFFER_GUARD};
    a->out_of_type = (struct buffer){.what = "the output in the inputs' type",
                                     .bytes = setting->type->bytes,
                                     .poison = poison,
                                     .guard = BUFFER_GUARD};
    a->scores = (struct buffer){.what = "the scores", .bytes = sizeof(float), .poison = poison};
    a->expected = (struct buffer){.what = "the reference", .bytes = sizeof(struct expected)};
    status = make_inputs(a, count, setting);
    if (status == 0)
        status = buffer_reserve(&a->out, count);
    if (status == 0)
        status = buffer_reserve(&a->expected, count);
    if (status != 0) {
        destroy(&a->work);
        return NULL;
    }
    a->work.q = (const element *)a->in[0].device;
    a->work.k = (const element *)a->in[1].device;
    a->work.v = (const element *)a->in[2].device;
    a->work.out = (float *)a->out.device;
    return &a->work;
}

static int set(struct work *work, const struct shape *shape)
{
    struct attention *a = (struct attention *)work;
    const size_t *axis = shape->axis;
    size_t length = axis[ATTENTION_LENGTH], heads = shape->n / length;
    int dim = (int)axis[ATTENTION_DIM];
    bool causal = axis[ATTENTION_CAUSAL] != 0;

    a->known = a->known && work->heads == heads && work->length == length && work->dim == dim &&
               work->causal == causal;
    work->heads = heads;
    work->length = length;
    work->dim = dim;
    work->causal = causal;
    work->scale = 1 / sqrtf((float)dim);
    work->threads = shape->threads;
    return 0;
}

static int find_reference(struct attention *a, bool split)
{
    const struct work *w = &a->work;
    struct problem p = {.q = w->q,
                        .k = w->k,
                        .v = w->v,
                        .type = float_type_of(a->settings[0].type),
                        .heads = w->heads,
                        .length = w->length,
                        .dim = w->dim,
                        .causal = w->causal,
                        .split = split};

    a->of_opposite = a->in[INPUTS - 1].opposite;
    a->known = true;
    a->split = split;
    return attention_reference((struct expected *)a->expected.device, &p);
}

static int prepare_scores(struct attention *a)
{
    size_t count = a->work.heads * a->work.length * a->work.length;
    int status = buffer_reserve(&a->scores, count);

    a->work.scores = (float *)a->scores.device;
    return status == 0 ? buffer_poison(&a->scores, count) : status;
}

static int prepare_out(struct attention *a, const struct variant *variant)
{
    size_t count = elements(&a->work);
    int status;

    a->work.out_of_type = NULL;
    if (!(variant->rules & OUT_OF_TYPE))
        return buffer_poison(&a->out, count);
    status = buffer_reserve(&a->out_of_type, count);
    a->work.out_of_type = a->out_of_type.device;
    return status == 0 ? buffer_poison(&a->out_of_type, count) : status;
}

static int prepare(struct work *work, const struct variant *variant)
{
    struct attention *a = (struct attention *)work;
    size_t count = elements(work);
    bool split = variant->rules & SPLIT_PRODUCTS;
    int status = 0;

    for (int i = 0; i < INPUTS && status == 0; i++)
        status = buffer_restore(&a->in[i], count, false);
    if (status == 0)
        status = prepare_out(a, variant);
    if (status == 0 && variant->rules & KEEPS_SCORES)
        status = prepare_scores(a);
    return status == 0 && !(a->known && a->split == split) ? find_reference(a, split) : status;
}

static int verify(struct work *work, const struct variant *variant, struct result *result)
{
    struct attention *a = (struct attention *)work;
    bool of_type = variant->rules & OUT_OF_TYPE;
    const struct buffer *out = of_type ? &a->out_of_type : &a->out;
    size_t count = elements(work), dim = (size_t)work->dim;
    struct shape shape = {.axis = {work->heads * work->length, work->length, work->causal, dim},
                          .n = work->heads * work->length,
                          .threads = work->threads};
    struct comparison c = {.out = out->device,
                           .type = of_type ? float_type_of(a->settings[0].type) : FLOAT_F32,
                           .expected = (const struct expected *)a->expected.device,
                           .elements = count,
                           .depth = variant->depth ? variant->depth(&shape) : (double)work->length,
                           .sign = a->in[INPUTS - 1].opposite != a->of_opposite ? -1.0 : 1.0};
    struct worst worst = WORST_NONE;
    char where[96] = "";
    int status = attention_compare(&worst, &c);

    *result = (struct result){.has_value = count > 0,
                              .value = worst.value,
                              .reference = worst.reference,
                              .error = worst.error, /* without elements 0, as the bound */
                              .bound = worst.bound};
    if (worst.wrong)
        snprintf(where, sizeof(where), "%zu elements, first out[%zu][%zu][%zu]", worst.wrong,
                 worst.at / dim / work->length, worst.at / dim % work->length, worst.at % dim);
    return status == 0 ? buffer_verdict(out, variant, count,
                                        (struct wrong){worst.wrong, worst.at, where}, result)
                       : status;
}

static int settle(struct work *work, const struct variant *variant, struct result *result)
{
    struct attention *a = (struct attention *)work;
    int status = 0;

    for (int i = 0; i < INPUTS && status == 0; i++)
        status = buffer_settle(&a->in[i], variant, result);
    return status;
}

/* The three inputs and the output, which is floats, moved once. */
static double bytes(const struct shape *s)
{
    size_t length = s->axis[ATTENTION_LENGTH];

    return (double)(INPUTS * s->type->bytes + sizeof(float)) * (double)(s->n / length * length) *
           (double)s->axis[ATTENTION_DIM];
}

/* Two products for each pair of a query and a key that it sees: with the key, and its value. */
static double flops(const struct shape *s)
{
    double length = (double)s->axis[ATTENTION_LENGTH];
    double heads = (double)(s->n / s->axis[ATTENTION_LENGTH]);
    double pairs = s->axis[ATTENTION_CAUSAL] ? length * (length + 1) / 2 : length * length;

    return 4 * heads * pairs * (double)s->axis[ATTENTION_DIM];
}

static const struct axis axes[] = {
    [ATTENTION_N] = {.name = "n",
                     .help = "queries of all heads: 2^12, 10007; whole heads only",
                     .cpu = 512,
                     .cuda = (size_t)1 << 16,
                     .test = "0 1 31 64 200"},
    [ATTENTION_LENGTH] = {.name = "length",
                          .option = "length",
                          .help = "queries, and keys, of a head; there are n / length heads",
                          .words = "length of a head",
                          .unit = "queries",
                          .least = 1,
                          .most = (size_t)1 << 40,
                          .cpu = 256,
                          .cuda = 4096,
                          .test = "1 2 31 32 33 64 127"},
    [ATTENTION_CAUSAL] = {.name = "causal",
                          .option = "causal",
                          .help = "1: a query sees no key behind its own place (default 0)",
                          .words = "causal",
                          .most = 1,
                          .test = "0 1"},
    [ATTENTION_DIM] = {.name = "dim",
                       .option = "dim",
                       .help = "elements of a query, of a key and of a value (default 64)",
                       .words = "head dimension",
                       .unit = "elements",
                       .least = 1,
                       .most = ATTENTION_MOST_DIM,
                       .cpu = 64,
                       .cuda = 64,
                       .test = "1 33 64 128"},
};

static const struct launches launches[] = {
    {LADDER | RECORD | CPU_ONLY, {"-n 512 --length 256"}},
    {LADDER | GPU_ONLY, {"-n 2^16 --length 4096"}},
    {SWEEP | CPU_ONLY, {"-n 512 --sweep length=5:9 -r 3 -w 1"}},
    {SWEEP | GPU_ONLY, {"-n 2^16 --sweep length=8:14 -r 3 -w 1"}},
    {QUICK, {"-n 128 --length 64 -r 3"}},
    {RECORD | GPU_ONLY,
     {"-n 2^16 --length 4096 -r 15", /* the most runs: the size of the ladder */
      "-n 2^16 --length 4096 --causal 1 -r 9", "-n 2^16 --length 4096 --dim 128 -r 9",
      "-n 2^16 --length 4096 --dim 128 --causal 1 -r 9", "-n 2^16 --sweep length=7:16 -r 5",
      "-n 2^16 --sweep length=7:16 --dim 128 -r 5"}},
    {COUNTED,
     {"-n 512 --length 256", "-n 300 --length 100 --causal 1", "-n 256 --length 128 --dim 128"}},
    {SANITIZED, {"-n 200 --length 100 --causal 1", "-n 160 --length 80 --dim 128"}},
    /* Lengths of less than a tile, one below and above whole tiles, and of several tiles; what no
     * mean shows: NaN and infinities, in what a causal query must not see, too; a query's only
     * score below -100, and one that is 94 above all others. Of the hostile ones behind these NaN
     * is the first value that a query does not see, or values of a tile that only its last query
     * sees as a whole are. */
    {MUTATED,
     {"-n 200 --length 100 --causal 1", "-n 130 --length 65 --input exact",
      "-n 127 --length 127 --causal 1 --input exact", "-n 260 --length 260 --input exact",
      "-n 128 --length 64 --dim 128", "-n 150 --length 150 --causal 1 --dim 128 --offset 1",
      "-n 90 --length 3", "-n 300 --length 300 --causal 1 --input hostile --seed 1",
      "-n 200 --length 200 --causal 1 --input hostile --seed 2",
      "-n 140 --length 70 --input hostile --seed 3", "-n 126 --length 63",
      "-n 4 --length 1 --input exact --seed 14338", "-n 64 --length 64 --input exact --seed 119148",
      "-n 10 --length 10 --causal 1 --input hostile --seed 5",
      "-n 2 --length 2 --causal 1 --input hostile --seed 1246",
      "-n 64 --length 64 --causal 1 --input hostile --seed 19",
      /* An infinity among the last elements of a value, which queries before it do not see. */
      "-n 33 --length 33 --causal 1 --input hostile --seed 3"}},
    {CHECKED,
     {"-n 200 --length 100 --causal 1", "-n 129 --length 129 --dim 128", "-n 0", "-n 3 --length 1",
      "-n 10 --length 10 --causal 1 --input hostile --seed 5"}},
    {TESTED,
     {"-n 1100 --length 550 --causal 1 --input exact",
      "-n 700 --length 700 --dim 128 --input exact",
      "-n 300 --length 150 --dim 128 --causal 1 --input hostile --seed 1 --offset 3",
      "-n 257 --length 257 --causal 1 --input hostile --seed 2",
      "-n 512 --length 128 --input ones"}},
    {TESTED | GPU_ONLY,
     {"-n 2^13 --length 4096 --causal 1 --input exact", "-n 2^14 --length 2047 --dim 128",
      "-n 2^20 --length 64"}},
    {0},
};

static const struct family_estimate estimate = {
    .impossible = "a head is too much to count, and its counters are not linear in its length",
};

/* What both families have behind their titles. */
#define OF_BOTH(OFFSETS, ESTIMATE)                                                                 \
    .axes = axes, .axis_count = COUNT(axes), .options = OPTION_INPUT | OPTION_OFFSET,              \
    .inputs = input_names, .element = "query", .measure = MEASURE_FLOPS,                           \
    .charts = "ladder fastest:length", .test = {"256", "", OFFSETS}, .launches = launches,         \
    .estimate = ESTIMATE, .default_shape = default_shape,                                          \
    .work = {create, set, prepare, verify, settle, destroy}, .bytes = bytes, .flops = flops

const struct family attention_family = {
    .name = "attention",
    .title = "Attention",
    OF_BOTH("0 1 3", &estimate),
};

/* No machine file says yet how fast tensor cores are, and what their products wait for. */
static const struct family_estimate half_estimate = {
    .impossible = "it uses tensor cores, of which the machine file knows nothing"};

/* The same where queries, keys and values are of f16 or bf16. The output is floats, because its
 * rounding would hide what the sums are off by. */
const struct family hattention_family = {
    .name = "hattention",
    .title = "Attention on tensor cores",
    OF_BOTH("0 1 8", &half_estimate),
};
