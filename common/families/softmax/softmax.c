/*
 * The softmax family's side of the harness: its arrays, its verdict, its launches.
 */
#include "families/softmax/softmax.h"

#include <stdio.h>
#include <stdlib.h>

#include <cuda_runtime_api.h>

#include "families/softmax/softmax_compare.h"
#include "harness/kit/buffer.h"
#include "harness/kit/device.h"
#include "harness/kit/input.h"

#define WARP 32
#define LEVELS 10        /* of a tree over the threads of a block */
#define CLUSTER_LEVELS 3 /* of one over eight blocks */
#define IN_REGISTERS 32
#define FEW_IN_REGISTERS 16   /* of f32, 64 bytes */
#define ALONE_IN_REGISTERS 16 /* of elements that are loaded one by one */
#define MAX_THREADS 1024

enum { SOFTMAX_N, SOFTMAX_COLS };

struct softmax {
    struct work work; /* first: the launch functions get this part */
    struct buffer in, out;
    const struct type *type;
};

static size_t parts(size_t of, size_t each)
{
    return of / each + (of % each > 0);
}

/* A thread may have one vector more than another. */
static double of_vector(const struct shape *s)
{
    return 16. / (double)s->type->bytes;
}

double softmax_depth_row(const struct shape *s)
{
    return (double)s->axis[SOFTMAX_COLS];
}

double softmax_depth_warp(const struct shape *s)
{
    return (double)s->axis[SOFTMAX_COLS] / WARP + of_vector(s) + LEVELS;
}

static double depth_block(const struct shape *s)
{
    return (double)s->axis[SOFTMAX_COLS] / s->threads + of_vector(s) + LEVELS;
}

double softmax_depth_cluster(const struct shape *s, int blocks)
{
    return (double)s->axis[SOFTMAX_COLS] / blocks / s->threads + of_vector(s) + LEVELS +
           CLUSTER_LEVELS;
}

static void default_shape(struct shape *s)
{
    if (s->threads == 0)
        s->threads = 256;
}

/* So many threads that each has `most` of the row's elements, whole warps. */
static void shape_for(struct shape *s, size_t most)
{
    size_t wanted = parts(parts(s->axis[SOFTMAX_COLS], most), WARP) * WARP;

    if (s->threads == 0)
        s->threads = wanted < MAX_THREADS ? (int)wanted : MAX_THREADS;
}

void softmax_shape_registers(struct shape *s)
{
    size_t cols = s->axis[SOFTMAX_COLS];

    shape_for(s, s->type->bytes == 4 && cols <= FEW_IN_REGISTERS * MAX_THREADS / 2
                     ? FEW_IN_REGISTERS
                     : IN_REGISTERS);
}

static bool has_vectors(const struct shape *s)
{
    return s->axis[SOFTMAX_COLS] * s->type->bytes % 16 == 0;
}

void softmax_shape_cluster(struct shape *s, int blocks)
{
    shape_for(s, (size_t)blocks * (has_vectors(s) ? IN_REGISTERS : ALONE_IN_REGISTERS));
}

void softmax_shape_vectors(struct shape *s)
{
    has_vectors(s) ? softmax_shape_registers(s) : softmax_shape_cluster(s, 1);
}

static void destroy(struct work *work)
{
    struct softmax *s = (struct softmax *)work;

    buffer_free(&s->in);
    buffer_free(&s->out);
    free(s);
}

static struct work *create(const struct setting *setting, const struct shape *largest)
{
    const struct type *type = setting->type;
    struct softmax *s = (struct softmax *)work_new(sizeof(*s));
    int status;

    if (!s)
        return NULL;
    s->type = type;
    s->in = (struct buffer){
        .what = "the input", .bytes = type->bytes, .type = type, .offset = setting->offset};
    s->out = (struct buffer){.what = "the output",
                             .bytes = type->bytes,
                             .poison = buffer_poison_of(type),
                             .guard = BUFFER_GUARD};
    status = buffer_input_there(&s->in, largest->n, setting);
    if (status == 0)
        status = buffer_reserve(&s->out, largest->n);
    if (status != 0) {
        destroy(&s->work);
        return NULL;
    }
    s->work.in = (const element *)s->in.device;
    s->work.out = (element *)s->out.device;
    return &s->work;
}

static int set(struct work *work, const struct shape *shape)
{
    work->cols = shape->axis[SOFTMAX_COLS];
    work->rows = shape->n / work->cols;
    work->threads = shape->threads;
    return 0;
}

static int prepare(struct work *work, const struct variant *variant)
{
    struct softmax *s = (struct softmax *)work;
    size_t n = work->rows * work->cols;
    int status = buffer_restore(&s->in, n, variant->rules & DESTROYS_INPUT);

    return status == 0 ? buffer_poison(&s->out, n) : status;
}

static int verify(struct work *work, const struct variant *variant, struct result *result)
{
    struct softmax *s = (struct softmax *)work;
    size_t n = work->rows * work->cols;
    struct shape shape = {
        .axis = {n, work->cols}, .n = n, .threads = work->threads, .type = s->type};
    struct comparison c = {.out = s->out.device,
                           .in = s->in.device,
                           .type = float_type_of(s->type),
                           .rows = work->rows,
                           .cols = work->cols,
                           .depth = (variant->depth ? variant->depth : depth_block)(&shape),
                           .rescales = (variant->rules & RESCALES) != 0};
    struct worst worst = WORST_NONE;
    char where[96] = "";
    int status = softmax_compare(&c, &worst);

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
    return buffer_settle(&((struct softmax *)work)->in, variant, result);
}

static double bytes(const struct shape *s)
{
    size_t cols = s->axis[SOFTMAX_COLS];

    return 2.0 * (double)s->type->bytes * (double)(s->n / cols * cols);
}

static const struct axis axes[] = {
    [SOFTMAX_N] = {.name = "n",
                   .help = "elements: 2^20, 1000003; whole rows only",
                   .cpu = (size_t)1 << 18,
                   .cuda = (size_t)1 << 28,
                   .test = "0 1 2 31 33 255 700"},
    [SOFTMAX_COLS] = {.name = "cols",
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
    {SWEEP | GPU_ONLY, {"-n 2^28 --sweep cols=5:18 -r 3 -w 1"}},
    {QUICK, {"-n 2^14 --cols 256 -r 3"}},
    {RECORD | GPU_ONLY,
     {"-n 2^28 -r 15", "-n 2^28 --sweep cols=5:18 -r 9", "-n 2^28 --cold -r 5",
      "-n 2^24 --sweep cols=8:16 -r 9"}},
    {RECORD | GPU_ONLY,
     {"-n 2^28 --type bf16 -r 15", "-n 2^28 --sweep cols=5:18 --type bf16 -r 9",
      "-n 2^28 --type f16 -r 9"}},
    {COUNTED,
     {"-n 2^16 --cols 1024 -t 256", "-n 2^15 --cols 4096 -t 256", "-n 4099 --cols 257 -t 64"}},
    {SANITIZED,
     {"-n 5000 --cols 1000 -t 64", "-n 4096 --cols 32 -t 64",
      "-n 5000 --cols 1000 -t 64 --type bf16"}},
    /* Rows of less than a warp, one below and above whole warps and blocks, longer than what a
     * block has in registers, a last row of one element; and those that begin with -infinity. */
    {MUTATED,
     {"-n 4099 --cols 1000 -t 64", "-n 1025 --cols 32 -t 32", "-n 1000 --cols 31 -t 128",
      "-n 1000 --cols 33 -t 64", "-n 5000 --cols 4999 -t 32",
      "-n 3000 --cols 3000 -t 64 --offset 1", "-n 2048 --cols 1024 -t 256 --input ramp",
      "-n 999 --cols 100 -t 96 --input hostile --seed 3",
      "-n 1024 --cols 128 -t 64 --input hostile --seed 0"}},
    /* Rows of one element, of few lanes, of vectors behind those in registers; several blocks. */
    {MUTATED,
     {"-n 200 --cols 1 -t 32", "-n 960 --cols 16 -t 64 --input hostile --seed 0",
      "-n 3000 --cols 10 -t 32", "-n 8192 --cols 4096 -t 32", "-n 10000 --cols 1025 -t 64",
      "-n 65536 --cols 4999 -t 32 --input hostile --seed 0"}},
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
    .impossible = "the error of this family's estimates is above the bound that the others keep",
};

const struct family softmax_family = {
    .name = "softmax",
    .title = "Softmax",
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
