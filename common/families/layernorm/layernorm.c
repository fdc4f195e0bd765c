/*
 * The layernorm family's side of the harness: its arrays, its verdict, its launches.
 */
#include "families/layernorm/layernorm.h"

#include <stdio.h>
#include <stdlib.h>

#include <cuda_runtime_api.h>

#include "families/layernorm/layernorm_compare.h"
#include "harness/kit/buffer.h"
#include "harness/kit/device.h"
#include "harness/kit/input.h"

#define WARP 32
#define LEVELS 10      /* of a tree over the threads of a block */
#define EACH 32        /* elements of a thread */
#define FEW_EACH 8     /* floats, as long as a block has fewer than MANY threads */
#define NARROW_EACH 64 /* narrow elements, once a block has LAYERNORM_SMALL threads */
#define MANY 128
#define MOST 1024

enum { LAYERNORM_N, LAYERNORM_COLS };

struct layernorm {
    struct work work; /* first: the launch functions get this part */
    struct setting of_weight, of_bias;
    struct buffer in, weight, bias, out;
};

/* A thread adds up a part of a row, then they a tree. Of those that have a row together each has 8
 * elements, or they are a warp or more; and it may have one vector more than another. */
static double depth(const struct shape *s)
{
    return (double)s->axis[LAYERNORM_COLS] / WARP + 8 + 16. / (double)s->type->bytes + LEVELS;
}

/* Small blocks: a multiprocessor gets the next one when few warps have stored their rows. */
static void default_shape(struct shape *s)
{
    if (s->threads == 0)
        s->threads = 2 * WARP;
}

/* Threads for a row that have so many elements each, in whole warps. */
static int threads_for(size_t cols, size_t each)
{
    size_t wanted = (cols / each + WARP - 1) / WARP * WARP;

    return wanted > MOST ? MOST : wanted < WARP ? WARP : (int)wanted;
}

void layernorm_shape_cluster(struct shape *s, int blocks)
{
    if (s->threads == 0)
        s->threads = threads_for(s->axis[LAYERNORM_COLS] / (size_t)blocks, EACH);
}

void layernorm_shape_block(struct shape *s)
{
    size_t cols = s->axis[LAYERNORM_COLS];
    int few = threads_for(cols, FEW_EACH), narrow = threads_for(cols, NARROW_EACH);

    if (s->threads == 0 && s->type->bytes == 4 && cols < MANY * EACH)
        s->threads = few > MANY ? MANY : few;
    if (s->threads == 0 && s->type->bytes == 2 && cols >= LAYERNORM_SMALL * EACH)
        s->threads = narrow > LAYERNORM_SMALL ? narrow : LAYERNORM_SMALL;
    layernorm_shape_cluster(s, 1);
}

static void destroy(struct work *work)
{
    struct layernorm *s = (struct layernorm *)work;

    buffer_free(&s->in);
    buffer_free(&s->weight);
    buffer_free(&s->bias);
    buffer_free(&s->out);
    free(s);
}

static int make_arrays(struct layernorm *s, const struct setting *setting,
                       const struct shape *largest)
{
    struct buffer input = {.bytes = setting->type->bytes, .offset = setting->offset};
    size_t cols = largest->axis[LAYERNORM_COLS];
    int status;

    s->of_weight = s->of_bias = *setting;
    s->of_weight.seed ^= (uint64_t)1 << 32; /* another one for each */
    s->of_bias.seed ^= (uint64_t)2 << 32;
    s->in = s->weight = s->bias = input;
    s->in.what = "the input";
    s->in.type = setting->type; /* every second run sees its opposite */
    s->weight.what = "the weights";
    s->bias.what = "the biases";
    s->out = (struct buffer){.what = "the output",
                             .bytes = setting->type->bytes,
                             .poison = buffer_poison_of(setting->type),
                             .guard = BUFFER_GUARD};
    status = buffer_input_there(&s->in, largest->n, setting);
    if (status == 0)
        status = buffer_input_there(&s->weight, cols, &s->of_weight);
    if (status == 0)
        status = buffer_input_there(&s->bias, cols, &s->of_bias);
    return status == 0 ? buffer_reserve(&s->out, largest->n) : status;
}

static struct work *create(const struct setting *setting, const struct shape *largest)
{
    struct layernorm *s = (struct layernorm *)work_new(sizeof(*s));

    if (!s)
        return NULL;
    if (make_arrays(s, setting, largest) != 0) {
        destroy(&s->work);
        return NULL;
    }
    s->work.in = (const element *)s->in.device;
    s->work.weight = (const element *)s->weight.device;
    s->work.bias = (const element *)s->bias.device;
    s->work.out = (element *)s->out.device;
    return &s->work;
}

static int set(struct work *work, const struct shape *shape)
{
    work->cols = shape->axis[LAYERNORM_COLS];
    work->rows = shape->n / work->cols;
    work->threads = shape->threads;
    return 0;
}

static int prepare(struct work *work, const struct variant *variant)
{
    struct layernorm *s = (struct layernorm *)work;
    size_t n = work->rows * work->cols;
    int status = buffer_restore(&s->in, n, variant->rules & DESTROYS_INPUT);

    if (status == 0)
        status = buffer_restore(&s->weight, work->cols, false);
    if (status == 0)
        status = buffer_restore(&s->bias, work->cols, false);
    return status == 0 ? buffer_poison(&s->out, n) : status;
}

static int verify(struct work *work, const struct variant *variant, struct result *result)
{
    struct layernorm *s = (struct layernorm *)work;
    size_t n = work->rows * work->cols;
    struct shape shape = {
        .axis = {n, work->cols}, .n = n, .threads = work->threads, .type = s->in.type};
    struct comparison c = {.out = s->out.device,
                           .in = s->in.device,
                           .weight = s->weight.device,
                           .bias = s->bias.device,
                           .type = float_type_of(s->in.type),
                           .rows = work->rows,
                           .cols = work->cols,
                           .depth = (variant->depth ? variant->depth : depth)(&shape)};
    struct worst worst = WORST_NONE;
    char where[96] = "";
    int status = layernorm_compare(&c, &worst);

    *result = (struct result){.has_value = n > 0,
                              .value = worst.value,
                              .reference = worst.reference,
                              .error = worst.error, /* without elements 0, as the bound */
                              .bound = worst.bound};
    if (worst.wrong)
        snprintf(where, sizeof(where), "%zu elements, first out[%zu][%zu]", worst.wrong,
                 worst.at / work->cols, worst.at % work->cols);
    return status == 0 ? buffer_verdict(&s->out, variant, n,
                                        (struct wrong){worst.wrong, worst.at, where}, result)
                       : status;
}

static int settle(struct work *work, const struct variant *variant, struct result *result)
{
    struct layernorm *s = (struct layernorm *)work;
    int status = buffer_settle(&s->in, variant, result);

    if (status == 0)
        status = buffer_settle(&s->weight, variant, result);
    return status == 0 ? buffer_settle(&s->bias, variant, result) : status;
}

static double bytes(const struct shape *s)
{
    size_t cols = s->axis[LAYERNORM_COLS], n = s->n / cols * cols;

    return (double)s->type->bytes * (2.0 * (double)n + (n > 0 ? 2.0 * (double)cols : 0));
}

static const struct axis axes[] = {
    [LAYERNORM_N] = {.name = "n",
                     .help = "elements: 2^20, 1000003; whole rows only",
                     .cpu = (size_t)1 << 18,
                     .cuda = (size_t)1 << 28,
                     .test = "0 1 2 31 33 255 700"},
    [LAYERNORM_COLS] = {.name = "cols",
                        .option = "cols",
                        .help = "elements in a row; there are n / cols rows (default 4096)",
                        .words = "elements in a row",
                        .least = 1,
                        .most = (size_t)1 << 40,
                        .cpu = (size_t)1 << 10,
                        .cuda = (size_t)1 << 12,
                        .test = "1 2 3 31 32 33 64 127 500"},
};

static const struct launches launches[] = {
    {LADDER | RECORD | CPU_ONLY, {"-n 2^18"}},
    {LADDER | GPU_ONLY, {"-n 2^28"}},
    {SWEEP | CPU_ONLY, {"-n 2^16 --sweep cols=5:12 -r 3 -w 1"}},
    {SWEEP | GPU_ONLY, {"-n 2^28 --sweep cols=5:16 -r 3 -w 1"}},
    {QUICK, {"-n 2^14 --cols 256 -r 3"}},
    {RECORD | GPU_ONLY, {"-n 2^28 -r 15", "-n 2^28 --sweep cols=5:16 -r 9", "-n 2^28 --cold -r 5"}},
    {RECORD | GPU_ONLY,
     {"-n 2^28 --type bf16 -r 15", "-n 2^28 --sweep cols=5:16 --type bf16 -r 9",
      "-n 2^28 --type f16 -r 9"}},
    {COUNTED,
     {"-n 2^16 --cols 1024 -t 256", "-n 2^15 --cols 4096 -t 256", "-n 4099 --cols 257 -t 64"}},
    {SANITIZED,
     {"-n 5000 --cols 1000 -t 64", "-n 4096 --cols 32 -t 64",
      "-n 5000 --cols 1000 -t 64 --type bf16"}},
    {MUTATED,
     {"-n 4099 --cols 1000 -t 64", "-n 1025 --cols 32 -t 32", "-n 1000 --cols 31 -t 128",
      "-n 1000 --cols 33 -t 64", "-n 5000 --cols 4999 -t 32",
      "-n 3000 --cols 3000 -t 64 --offset 1", "-n 2048 --cols 1024 -t 256 --input ramp",
      "-n 999 --cols 100 -t 96 --input hostile --seed 3", "-n 200 --cols 1 -t 32",
      "-n 10000 --cols 1025 -t 64", "-n 8192 --cols 4096 -t 32"}},
    {CHECKED,
     {"-n 1000 --cols 300 -t 64", "-n 2048 --cols 1024 -t 256", "-n 0", "-n 1 --cols 1 -t 32",
      "-n 3000 --cols 1000 -t 64 --type bf16", "-n 1000 --cols 300 -t 64 --type f16"}},
    {TESTED,
     {"-n 9000 --cols 3000 -t 32", "-n 40000 --cols 40000 -t 1024", "-n 2^16 --cols 2^15 -t 1024",
      "-n 100003 --cols 50001 -t 256", "-n 8200 --cols 4100 -t 96 --offset 3",
      "-n 2000 --cols 1 -t 32"}},
    /* Vectors of eight: some behind those in registers, or half of one; a start at the second. */
    {TESTED,
     {"-n 12000 --cols 6000 -t 64 --type bf16", "-n 6004 --cols 3002 -t 32 --type f16",
      "-n 8200 --cols 4100 -t 96 --type bf16", "-n 8192 --cols 4096 -t 64 --offset 8 --type f16",
      "-n 2^17 --cols 2^16 -t 1024 --type bf16", "-n 4104 --cols 4104 -t 64 --offset 4 --type bf16",
      "-n 16000 --cols 8000 -t 64 --input hostile --seed 0 --type f16"}},
    {0},
};

static const struct family_estimate estimate = {
    .impossible = "the error of this family's estimates is not known",
};

const struct family layernorm_family = {
    .name = "layernorm",
    .title = "Layer normalization",
    .axes = axes,
    .axis_count = COUNT(axes),
    .options = OPTION_INPUT | OPTION_OFFSET,
    .inputs = input_names,
    .measure = MEASURE_BYTES,
    .charts = "ladder fastest:cols",
    .test = {"1 32 33 64 96 256 1024", "", "0 1 2 3 8"},
    .launches = launches,
    .estimate = &estimate,
    .default_shape = default_shape,
    .work = {create, set, prepare, verify, settle, destroy},
    .bytes = bytes,
};
