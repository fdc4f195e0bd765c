/*
 * The stencil family's side of the harness: its matrices, its verdict, its launches.
 */
#include "families/stencil/stencil.h"

#include <stdio.h>
#include <stdlib.h>

#include <cuda_runtime_api.h>

#include "families/stencil/stencil_compare.h"
#include "harness/kit/buffer.h"
#include "harness/kit/device.h"
#include "harness/kit/input.h"

#define MAX_BLOCKS_ALONG_Y 65535
#define WARP 32

enum { ROWS, COLS };

struct stencil {
    struct work work; /* first: the launch functions get this part */
    struct buffer in, out;
    const struct type *type;
};

static void default_shape(struct shape *s)
{
    if (s->threads == 0)
        s->threads = 256;
}

/* Blocks are 32 wide along x. Along y a grid has fewer than along x. */
static bool refuse(const struct shape *s, const struct variant *v, char *why, size_t room)
{
    bool turned = v->rules & ROWS_ALONG_X;
    size_t side = s->axis[turned ? COLS : ROWS], height = (size_t)s->threads / WARP;

    if (height == 0 || side <= MAX_BLOCKS_ALONG_Y * height)
        return false;
    snprintf(why, room,
             "%zu %s need more than %d blocks of 32 x %zu threads along y, and a grid has no more; "
             "use more --threads",
             side, turned ? "columns" : "rows", MAX_BLOCKS_ALONG_Y, height);
    return true;
}

static void destroy(struct work *work)
{
    struct stencil *s = (struct stencil *)work;

    buffer_free(&s->in);
    buffer_free(&s->out);
    free(s);
}

static int fill(struct stencil *s, const struct setting *setting, size_t n)
{
    int status = buffer_input(&s->in, n, setting);

    if (status == 0)
        status = buffer_reserve(&s->out, n);
    s->work.in = (const element *)s->in.device;
    s->work.out = (element *)s->out.device;
    return status;
}

static struct work *create(const struct setting *setting, const struct shape *largest)
{
    const struct type *type = setting->type;
    struct stencil *s = (struct stencil *)work_new(sizeof(*s));

    if (!s)
        return NULL;
    s->type = type;
    s->in = (struct buffer){
        .what = "the input", .bytes = type->bytes, .type = type, .offset = setting->offset};
    s->out = (struct buffer){.what = "the output",
                             .bytes = type->bytes,
                             .poison = buffer_poison_of(type),
                             .guard = BUFFER_GUARD};
    if (fill(s, setting, largest->n) != 0) {
        destroy(&s->work);
        return NULL;
    }
    return &s->work;
}

static int set(struct work *work, const struct shape *shape)
{
    work->rows = shape->axis[ROWS];
    work->cols = shape->axis[COLS];
    work->threads = shape->threads;
    return 0;
}

static int prepare(struct work *work, const struct variant *variant)
{
    struct stencil *s = (struct stencil *)work;
    size_t n = work->rows * work->cols;
    int status = buffer_restore(&s->in, n, variant->rules & DESTROYS_INPUT);

    return status == 0 ? buffer_poison(&s->out, n) : status;
}

/* Whether nothing was written to element i of the output. */
static int untouched(const struct buffer *out, size_t i, bool *is)
{
    uint32_t bits = 0;
    int status = device_check(cudaMemcpy(&bits, (const char *)out->device + i * out->bytes,
                                         sizeof(bits), cudaMemcpyDeviceToHost));

    *is = bits == 0x01010101u * (unsigned)out->poison;
    return status;
}

static int verify(struct work *work, const struct variant *variant, struct result *result)
{
    struct stencil *s = (struct stencil *)work;
    size_t n = work->rows * work->cols;
    struct comparison c = {.out = s->out.device,
                           .in = s->in.device,
                           .rows = work->rows,
                           .cols = work->cols,
                           .floats = s->type == &type_f32};
    struct worst worst = WORST_NONE;
    bool nothing = false;
    char where[96] = "";
    int status = stencil_compare(&c, &worst);

    *result = (struct result){.has_value = n > 0,
                              .value = worst.value,
                              .reference = worst.reference,
                              .error = worst.error, /* without elements 0, as the bound */
                              .bound = worst.bound};
    if (status == 0 && worst.wrong)
        status = untouched(&s->out, worst.at, &nothing);
    if (worst.wrong)
        snprintf(where, sizeof(where), "%zu elements, first out[%zu][%zu]%s", worst.wrong,
                 worst.at / work->cols, worst.at % work->cols, nothing ? " not written" : "");
    return status == 0 ? buffer_verdict(&s->out, variant, n,
                                        (struct wrong){worst.wrong, worst.at, where}, result)
                       : status;
}

static int settle(struct work *work, const struct variant *variant, struct result *result)
{
    return buffer_settle(&((struct stencil *)work)->in, variant, result);
}

static double bytes(const struct shape *s)
{
    return 2.0 * (double)s->type->bytes * (double)s->n;
}

#define SIDES "0 1 2 7 31 32 33 64 65 127"

static const struct axis axes[] = {
    [ROWS] = {.name = "rows",
              .help = "matrix: 4096, 1000x3000, 2^12",
              .cpu = (size_t)1 << 10,
              .cuda = (size_t)1 << 12,
              .test = SIDES},
    [COLS] = {.name = "cols", .cpu = (size_t)1 << 10, .cuda = (size_t)1 << 12, .test = SIDES},
};

static const struct launches launches[] = {
    {LADDER | RECORD | CPU_ONLY, {"-n 1024"}},
    {LADDER | GPU_ONLY, {"-n 16384"}},
    {SWEEP | CPU_ONLY, {"--sweep 5:10 -r 3 -w 1"}},
    {SWEEP | RECORD | GPU_ONLY, {"--sweep 5:14 -r 3 -w 1"}},
    {QUICK, {"-n 128 -r 3"}},
    {RECORD | GPU_ONLY,
     {"-n 8192 -r 15", /* the most runs: the size of the ladder */
      "-n 16384 -r 11", "-n 8191x8193 -r 11", "-n 8192 --cold -r 5", "-n 8192 --type i32 -r 5"}},
    {COUNTED, {"-n 1024 -t 256", "-n 257x1000 -t 256", "-n 65x33 -t 128 --offset 1"}},
    {SANITIZED, {"-n 65x129", "-n 64x128"}},
    /* Whole and partial blocks in either direction, a single row and a single column. */
    {MUTATED,
     {"-n 75x41 -t 64", "-n 64x64 -t 256", "-n 100x36 -t 128", "-n 128x132 -t 1024",
      "-n 1x77 -t 32", "-n 33x1 -t 96", "-n 3x200 -t 256", "-n 65x63 -t 256", "-n 2x2 -t 32",
      "-n 1x1 -t 32", "-n 31x33 -t 1024 --offset 1", "-n 65x63 -t 256 --input hostile --seed 3"}},
    {CHECKED, {"-n 33x65", "-n 64x128 -t 1024", "-n 0x5", "-n 1x1 -t 32"}},
    {TESTED,
     {"-n 1000x1 -t 1024", "-n 1x1000 -t 256 --offset 1", "-n 997x3 -t 32", "-n 3x997 -t 32"}},
    {0},
};

const struct family stencil_family = {
    .name = "stencil",
    .title = "Stencil",
    .axes = axes,
    .axis_count = COUNT(axes),
    .options = OPTION_INPUT | OPTION_OFFSET,
    .inputs = input_names,
    .measure = MEASURE_BYTES,
    .charts = "ladder rate",
    .test = {"1 32 33 64 96 256 1024", "", "0 1 2 3"},
    .launches = launches,
    .default_shape = default_shape,
    .refuse = refuse,
    .work = {create, set, prepare, verify, settle, destroy},
    .bytes = bytes,
};
