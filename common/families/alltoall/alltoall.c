/*
 * The alltoall family's side of the harness: its matrices in strips, their verdict, its launches.
 */
#include "families/alltoall/alltoall.h"

#include <stdio.h>
#include <stdlib.h>

#include <cuda_runtime_api.h>

#include "harness/kit/matrix.h"

enum { ROWS, COLS, DEVICES };

struct alltoall {
    struct work work;      /* first: the launch functions get this part */
    struct buffer in, out; /* whole, on the first device */
    struct spread from, to;
};

static int devices(const struct shape *s)
{
    return (int)s->axis[DEVICES];
}

static void default_shape(struct shape *s)
{
    size_t wanted = s->n / 4, most = 2 * (size_t)device_to_fill(s);

    spread_default_devices(&s->axis[DEVICES]);
    if (s->threads == 0)
        s->threads = 512;
    wanted = wanted / s->axis[DEVICES] / (size_t)s->threads + 1;
    if (s->blocks == 0)
        s->blocks = (int)(wanted < most ? wanted : most);
}

static void destroy(struct work *work)
{
    struct alltoall *a = (struct alltoall *)work;

    device_barrier_free(&work->barrier);
    buffer_free(&a->in);
    buffer_free(&a->out);
    spread_free(&a->from);
    spread_free(&a->to);
    free(a);
}

static size_t row_share(const struct shape *s)
{
    size_t p = s->axis[DEVICES];

    return s->axis[ROWS] / p + (s->axis[ROWS] % p != 0);
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* The matrix whole, with a copy on the host where that fills and compares. */
static int make_whole(struct alltoall *a, const struct setting *setting, size_t n)
{
    const struct type *type = setting->type;
    size_t on_host = 0;
    int status;

#ifndef BACKEND_CUDA
    on_host = n;
#endif
    a->in = (struct buffer){.what = "the input", .bytes = type->bytes, .type = type};
    a->out = (struct buffer){.what = "the output", .bytes = type->bytes};
    a->in.place = a->out.place = setting->places[0];
    status = buffer_reserve(&a->in, n);
    if (status == 0)
        status = buffer_reserve(&a->out, n);
    if (status == 0)
        status = buffer_reserve_host(&a->in, on_host);
    return status == 0 ? matrix_fill(&a->in, n) : status;
}

static int make_strips(struct alltoall *a, const struct setting *setting,
                       const struct shape *largest)
{
    int count = devices(largest), status;
    size_t rows = largest->axis[ROWS], cols = largest->axis[COLS];
    size_t from = row_share(largest) * cols, to = rows * spread_share(cols, count);
    struct buffer in = {.what = "rows of the input", .bytes = setting->type->bytes};
    struct buffer out = {.what = "a part of the output",
                         .bytes = setting->type->bytes,
                         .poison = POISON,
                         .guard = BUFFER_GUARD};

    status = spread_output(&a->from, &in, setting, count, from);
    if (status == 0)
        status = spread_output(&a->to, &out, setting, count, larger(from, to));
    for (int d = 0; d < count && status == 0; d++) {
        a->work.in[d] = (const float *)a->from.part[d].device;
        a->work.out[d] = (float *)a->to.part[d].device;
    }
    return status;
}

static struct work *create(const struct setting *setting, const struct shape *largest)
{
    struct alltoall *a = (struct alltoall *)work_new(sizeof(*a));
    int count = devices(largest), status;

    if (!a)
        return NULL;
    a->work.places = setting->places;
    status = spread_connect(setting->places, count);
    if (status == 0 && count > 0) /* 0: all that was asked for is refused */
        status = make_whole(a, setting, largest->n);
    if (status == 0 && count > 0)
        status = make_strips(a, setting, largest);
    if (status == 0)
        status = device_barrier_make(&a->work.barrier, setting->places, count);
    if (status != 0) {
        destroy(&a->work);
        return NULL;
    }
    return &a->work;
}

static int set(struct work *work, const struct shape *shape)
{
    work->devices = devices(shape);
    work->rows = shape->axis[ROWS];
    work->cols = shape->axis[COLS];
    work->row_share = row_share(shape);
    work->col_share = spread_share(work->cols, work->devices);
    work->blocks = shape->blocks;
    work->threads = shape->threads;
    return 0;
}

/* How many of so many a device has, in shares. */
static size_t count_of(size_t all, size_t share, int device)
{
    size_t begin = (size_t)device * share;

    return begin >= all ? 0 : all - begin < share ? all - begin : share;
}

static struct dealt strips_of(const struct work *w)
{
    size_t strip = w->row_share * w->cols;

    return (struct dealt){
        .devices = w->devices, .n = w->rows * w->cols, .chunk = strip ? strip : 1};
}

/* The part of the whole output that a device has: rows of so many elements, and where it begins. */
struct part {
    size_t rows, cols, first, pitch;
};

static struct part part_of(const struct work *w, unsigned rules, int d)
{
    size_t cols = count_of(w->cols, w->col_share, d), rows = count_of(w->rows, w->row_share, d);

    if (rules & STAYS)
        return (struct part){w->cols, rows, (size_t)d * w->row_share, w->rows};
    if (rules & TURNS)
        return (struct part){cols, w->rows, (size_t)d * w->col_share * w->rows, w->rows};
    return (struct part){w->rows, cols, (size_t)d * w->col_share, w->cols};
}

static int poison(struct alltoall *a, const struct variant *variant)
{
    int status = 0;

    for (int d = a->work.devices - 1; d >= 0 && status == 0; d--) {
        struct part p = part_of(&a->work, variant->rules, d);

        if (spread_is_here(d))
            status = buffer_poison(&a->to.part[d], p.rows * p.cols);
    }
    return status;
}

static int prepare(struct work *work, const struct variant *variant)
{
    struct alltoall *a = (struct alltoall *)work;
    struct dealt strips = strips_of(work);
    int status = buffer_restore(&a->in, strips.n, false);

    if (status == 0)
        status = spread_deal(&a->from, &a->in, &strips);
    return status == 0 ? poison(a, variant) : status;
}

/* Queue what brings the output together on the first device, behind what each stream has. A rank
 * has its own part alone: the others' are as they should be, the input where nothing turns. */
static int collect(struct alltoall *a, unsigned rules)
{
    struct work *w = &a->work;
    size_t bytes = a->out.bytes;
    int status = 0;

    if (ranks_count() > 1)
        status =
            device_check(cudaMemcpyAsync(a->out.device, a->in.device, w->rows * w->cols * bytes,
                                         cudaMemcpyDeviceToDevice, w->places[0].stream));
    for (int d = 0; d < w->devices && status == 0; d++) {
        struct part p = part_of(w, rules, d);

        if (spread_is_here(d) && p.rows > 0 && p.cols > 0)
            status = spread_rows(&a->to.part[d], 0, (char *)a->out.device + p.first * bytes,
                                 p.cols * bytes, p.pitch * bytes, p.rows, false);
    }
    return status;
}

/* A result that speaks of an element of the whole output speaks of that of a device's part. */
static void point(const struct alltoall *a, unsigned rules, size_t first, struct result *result)
{
    for (int d = 0; d < a->work.devices; d++) {
        struct part p = part_of(&a->work, rules, d);
        size_t row = (first - p.first) / p.pitch, col = (first - p.first) % p.pitch;

        if (first >= p.first && row < p.rows && col < p.cols)
            buffer_point(&a->to.part[d], row * p.cols + col, result);
    }
}

/* Compare what has been collected, once it is there. */
static int compare(struct alltoall *a, const struct variant *variant, struct result *result)
{
    struct work *w = &a->work;
    bool copy = !(variant->rules & TURNS);
    struct matrix m = {copy ? w->rows : w->cols, copy ? w->cols : w->rows, copy, a->in.opposite};
    struct difference d = {.count = 0};
    char where[96] = "";
    int status = spread_wait(&a->to, w->devices);

    if (status == 0)
        status = matrix_compare(&a->out, &m, &d);
    if (d.count)
        snprintf(where, sizeof(where), "out[%zu][%zu] %s", (size_t)d.first / m.cols,
                 (size_t)d.first % m.cols,
                 d.found == POISON_WORD ? "not written" : "is another element's");
    *result = (struct result){.error = (double)d.count, .bound = 0};
    if (status == 0)
        status = buffer_verdict(&a->out, variant, m.rows * m.cols,
                                (struct wrong){d.count, (size_t)d.first, where}, result);
    if (d.count)
        point(a, variant->rules, (size_t)d.first, result);
    for (int k = 0; k < w->devices && status == 0 && result->verdict == VERDICT_OK; k++) {
        struct part p = part_of(w, variant->rules, k);

        if (spread_is_here(k))
            status =
                buffer_verdict(&a->to.part[k], variant, p.rows * p.cols, (struct wrong){0}, result);
    }
    return status == 0 ? device_use(w->places[0].device) : status;
}

/* Queue in each device's stream what writes its input once more. */
static int write_inputs(struct alltoall *a)
{
    struct work *w = &a->work;
    struct dealt strips = strips_of(w);
    int status = 0;

    for (int d = w->devices - 1; d >= 0 && status == 0; d--) {
        size_t own = dealt_to(&strips, d);
        char *whole = (char *)a->in.device + (size_t)d * strips.chunk * a->in.bytes;

        if (spread_is_here(d))
            status = buffer_poison(&a->from.part[d], own);
        if (status == 0 && spread_is_here(d))
            status = spread_rows(&a->from.part[d], 0, whole, own * a->in.bytes, 0, 1, true);
    }
    return status;
}

/* The same input once more: before the launch in its own stream a device's input is written; behind
 * it its output must be there, and the input may be written to again, which others had to read. */
static int launch_again(struct alltoall *a, const struct variant *variant)
{
    struct work *w = &a->work;
    struct dealt strips = strips_of(w);
    int status = poison(a, variant);

    if (status == 0 && !(variant->rules & FREES))
        status = spread_wait(&a->to, w->devices);
    if (status == 0)
        status = write_inputs(a);
    if (status != 0)
        return status;
    variant->launch(w);
    status = device_check(cudaGetLastError());
    if (status == 0)
        status = collect(a, variant->rules);
    for (int d = w->devices - 1; d >= 0 && status == 0; d--)
        if (spread_is_here(d))
            status = buffer_poison(&a->from.part[d], dealt_to(&strips, d));
    return status == 0 ? spread_deal(&a->from, &a->in, &strips) : status;
}

static int settle(struct work *work, const struct variant *variant, struct result *result)
{
    struct alltoall *a = (struct alltoall *)work;
    struct dealt strips = strips_of(work);
    int status = spread_collect(&a->in, &a->from, &strips);

    if (status == 0)
        status = buffer_settle(&a->in, variant, result);
    spread_point(&a->from, &a->in, &strips, result);
    return status;
}

/* An input that the first launch has written to explains what the second one makes of it. */
static int explain(struct alltoall *a, const struct variant *variant, struct result *result)
{
    struct dealt strips = strips_of(&a->work);
    struct result input = {.verdict = VERDICT_OK};
    int status = settle(&a->work, variant, &input);

    if (status == 0 && input.verdict != VERDICT_OK)
        *result = input;
    return status == 0 ? spread_deal(&a->from, &a->in, &strips) : status;
}

static int verify(struct work *work, const struct variant *variant, struct result *result)
{
    struct alltoall *a = (struct alltoall *)work;
    struct dealt strips = strips_of(work);
    int status = collect(a, variant->rules);

    if (status == 0)
        status = compare(a, variant, result);
    if (!ranks_agree(status == 0 && result->verdict == VERDICT_OK))
        return status;
    status = spread_collect(&a->in, &a->from, &strips); /* as the first launch leaves it */
    if (status == 0)
        status = launch_again(a, variant);
    if (status == 0)
        status = compare(a, variant, result);
    if (status == 0 && result->verdict != VERDICT_OK)
        status = explain(a, variant, result);
    return status;
}

static double bytes(const struct shape *s)
{
    return 2.0 * (double)s->type->bytes * (double)s->n;
}

static const struct axis axes[] = {
    [ROWS] = {.name = "rows",
              .help = "matrix: 4096, 1000x3000, 2^12; rows: of all devices",
              .cpu = (size_t)1 << 9,
              .cuda = (size_t)1 << 14,
              .test = "0 1 2 5 64 100 130"},
    [COLS] = {.name = "cols",
              .cpu = (size_t)1 << 9,
              .cuda = (size_t)1 << 14,
              .test = "0 1 3 4 33 128 200"},
    [DEVICES] = SPREAD_AXIS,
};

static const struct launches launches[] = {
    {LADDER | CPU_ONLY, {"--devices 4"}},
    {RECORD | CPU_ONLY, {"--devices 1"}}, /* polls would be counted, and differ */
    {LADDER | GPU_ONLY, {"-n 16384 -r 15"}},
    {SWEEP | CPU_ONLY, {"--sweep 5:9 -r 3 -w 1"}},
    {SWEEP | GPU_ONLY, {"--sweep 6:15 -r 5 -w 2"}},
    /* One device beside all; and a row per device of two, as NCCL can send it. */
    {RECORD | GPU_ONLY,
     {"-n 16384 -r 15", "-n 16384 -r 15 --devices 1", "--sweep 10:15 -r 5 -w 2",
      "--sweep 10:15 -r 5 -w 2 --devices 1", "-n 2x2^12 -r 9 -w 2", "-n 2x2^14 -r 9 -w 2",
      "-n 2x2^18 -r 9 -w 2", "-n 2x2^22 -r 9 -w 2", "-n 2x2^26 -r 5 -w 2", "-n 2x2^30 -r 3 -w 1"}},
    {QUICK | CPU_ONLY, {"-n 100 --devices 2 -r 3"}},
    {QUICK | GPU_ONLY, {"-n 256 -r 3"}},
    {COUNTED, {"-n 256 --devices 1 -b 1"}}, /* no other block to wait for */
    {SANITIZED, {"-n 65x129 --devices 1"}},
    {MUTATED,
     {"-n 100x72 --devices 2", "-n 130x200 --devices 3 -b 2", "-n 67x33 --devices 4 -b 1",
      "-n 256x132 --devices 2 -b 3", "-n 2x1000 --devices 2", "-n 5x3 --devices 1",
      "-n 3x77 --devices 2 -b 5", "-n 131x75 --devices 1 -b 1"}},
    {CHECKED, {"-n 64x128 --devices 2", "-n 33x65 --devices 3 -b 2", "-n 0x5 --devices 2"}},
    {TESTED, {"-n 65x66 --devices 4 -b 3", "-n 100 --devices 8", "-n 100x70 --devices 16"}},
    {0},
};

/* On one device, which an estimate is for, nothing is sent. */
static const struct family_estimate not_estimated = {
    .impossible = "what goes from a device to another is not estimated",
};

const struct family alltoall_family = {
    .name = "alltoall",
    .title = "All-to-all",
    .group = "devices",
    .axes = axes,
    .axis_count = COUNT(axes),
    .options = OPTION_BLOCKS,
    .estimate = &not_estimated,
    .measure = MEASURE_BYTES,
    .charts = "ladder rate",
    .test = {"32 96 512", "1 2 5", ""},
    .launches = launches,
    .devices = devices,
    .calls = spread_calls,
    .default_shape = default_shape,
    .work = {create, set, prepare, verify, settle, destroy},
    .bytes = bytes,
};
