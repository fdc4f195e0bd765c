/*
 * The transpose family's side of the harness: its matrices, its verdict, its launches.
 */
#include "families/transpose/transpose.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/kit/matrix.h"
#include "harness/kit/buffer.h"
#include "harness/kit/message.h"

#define MAX_ON_HOST ((size_t)1 << 24) /* a run of the host's loops on more takes seconds */

enum { ROWS, COLS };

struct transpose {
    struct work work; /* first: the launch functions get this part */
    struct buffer in, out;
};

static void default_shape(struct shape *s)
{
    if (s->threads == 0)
        s->threads = 256;
}

static void destroy(struct work *work)
{
    struct transpose *t = (struct transpose *)work;

    buffer_free(&t->in);
    buffer_free(&t->out);
    free(t);
}

/* The host holds what its loops may be given and, where it compares, all. */
static int reserve_host(struct transpose *t, size_t n)
{
    int status;

#ifdef BACKEND_CUDA
    n = n < MAX_ON_HOST ? n : MAX_ON_HOST;
#endif
    status = buffer_reserve_host(&t->in, n);
    if (status == 0)
        status = buffer_reserve_host(&t->out, n);
    t->work.host_in = (const float *)t->in.host;
    t->work.host_out = (float *)t->out.host;
    return status;
}

static struct work *create(const struct setting *setting, const struct shape *largest)
{
    size_t bytes = setting->type->bytes;
    struct transpose *t = (struct transpose *)work_new(sizeof(*t));
    int status;

    if (!t)
        return NULL;
    t->in = (struct buffer){
        .what = "the input", .bytes = bytes, .type = setting->type, .offset = setting->offset};
    t->out = (struct buffer){
        .what = "the output", .bytes = bytes, .poison = POISON, .guard = BUFFER_GUARD};
    status = buffer_reserve(&t->in, largest->n);
    if (status == 0)
        status = buffer_reserve(&t->out, largest->n);
    if (status == 0)
        status = reserve_host(t, largest->n);
    if (status == 0)
        status = matrix_fill(&t->in, largest->n);
    t->work.in = (const float *)t->in.device;
    t->work.out = (float *)t->out.device;
    if (status != 0) {
        destroy(&t->work);
        return NULL;
    }
    return &t->work;
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
    struct transpose *t = (struct transpose *)work;
    size_t n = work->rows * work->cols;

    if (!(variant->rules & ON_HOST)) {
        int status = buffer_restore(&t->in, n, false);

        return status == 0 ? buffer_poison(&t->out, n) : status;
    }
    memset(work->host_out, POISON, n * t->out.bytes + t->out.guard);
    return 0;
}

static int verify(struct work *work, const struct variant *variant, struct result *result)
{
    struct transpose *t = (struct transpose *)work;
    bool copy = variant->rules & CEILING, host = variant->rules & ON_HOST;
    struct matrix m = {copy ? work->rows : work->cols, copy ? work->cols : work->rows, copy,
                       !host && t->in.opposite};
    struct difference d = {.count = 0};
    char where[96] = "";
    int status = 0;

    if (host)
        matrix_compare_host((const uint32_t *)t->out.host, &m, &d);
    else
        status = matrix_compare(&t->out, &m, &d);
    if (d.count)
        snprintf(where, sizeof(where), "out[%zu][%zu] %s", (size_t)d.first / m.cols,
                 (size_t)d.first % m.cols,
                 d.found == POISON_WORD ? "not written" : "is another element's");
    *result = (struct result){.error = (double)d.count, .bound = 0};
    return status == 0 ? buffer_verdict(&t->out, variant, work->rows * work->cols,
                                        (struct wrong){d.count, (size_t)d.first, where}, result)
                       : status;
}

static int settle(struct work *work, const struct variant *variant, struct result *result)
{
    return buffer_settle(&((struct transpose *)work)->in, variant, result);
}

static double bytes(const struct shape *s)
{
    return 2.0 * (double)s->type->bytes * (double)s->n;
}

#define SIDES "0 1 2 4 31 32 33 63 64 65 68 127 257"

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
    {SWEEP | RECORD | GPU_ONLY, {"--sweep 5:15 -r 3 -w 1"}},
    {QUICK, {"-n 128 -r 3"}},
    {RECORD | GPU_ONLY,
     {"-n 8192 -r 15", /* the most runs: the size of the ladder */
      "-n 16384 -r 11", "-n 8191x8193 -r 11", "-n 8192 --cold -r 5"}},
    {COUNTED, {"-n 1024 -t 256", "-n 257x1000 -t 256", "-n 65x33 -t 256"}},
    {SANITIZED, {"-n 65x129", "-n 64x128"}},
    {MUTATED,
     {"-n 75x41 -t 64", "-n 64x64 -t 256", "-n 100x36 -t 128", "-n 128x132 -t 1024",
      "-n 1x77 -t 32", "-n 33x1 -t 96", "-n 3x200 -t 256", "-n 65x63 -t 256", "-n 260x100 -t 256",
      "-n 127x130 -t 256", "-n 130x127 -t 256", "-n 129x131 -t 256 --offset 1",
      "-n 65x66 -t 256 --offset 3"}},
    {CHECKED, {"-n 33x65", "-n 64x128", "-n 0x5"}},
    /* Long ones; and more tiles down than the y of a grid takes, for blocks of one warp. */
    {TESTED,
     {"-n 2100000x1 -t 32 -r 1", "-n 1000x1 -t 1024", "-n 1x1000 -t 256 --offset 1",
      "-n 1000x33 -t 1024", "-n 33x1000 -t 256 --offset 1", "-n 70000x1 -t 32", "-n 1x70000 -t 32",
      "-n 1000x257 -t 256"}},
    {0},
};

const struct family transpose_family = {
    .name = "transpose",
    .title = "Transpose",
    .axes = axes,
    .axis_count = COUNT(axes),
    .options = OPTION_OFFSET,
    .measure = MEASURE_BYTES,
    .charts = "ladder rate",
    .test = {"1 32 33 96 100 128 256 1024", "", "0 1 2 3"},
    .launches = launches,
    .most_on_host = MAX_ON_HOST,
    .default_shape = default_shape,
    .work = {create, set, prepare, verify, settle, destroy},
    .bytes = bytes,
};
