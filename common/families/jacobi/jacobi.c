/*
 * The jacobi family's side of the harness: a matrix in parts, its verdict, its launches.
 */
#include "families/jacobi/jacobi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime_api.h>

#include "harness/kit/device.h"
#include "harness/kit/input.h"
#include "harness/kit/message.h"
#include "harness/kit/parallel.h"
#include "harness/kit/vector_code.h"

enum { ROWS, COLS, DEVICES, SWEEPS };

#define QUAD 4
#define BLOCK_COLS (32 * QUAD)
#define BLOCK_ROWS 4 /* per warp */
#define MAX_BLOCKS_ALONG_Y 65535

struct jacobi {
    struct work work; /* first: the launch functions get this part */
    struct spread in, reference, array[2];
    float *matrix[3]; /* of the host: the input, and two that its sweeps write in turn */
    float *zeros;     /* as many as a row has elements */
};

static int devices(const struct shape *s)
{
    return (int)s->axis[DEVICES];
}

static void default_shape(struct shape *s)
{
    spread_default_devices(&s->axis[DEVICES]);
    if (s->threads == 0)
        s->threads = 256;
}

static bool refuse(const struct shape *s, const struct variant *v, char *why, size_t room)
{
    size_t height = (size_t)s->threads / 32 * BLOCK_ROWS;

    (void)v;
    if (s->axis[COLS] > (size_t)BLOCK_COLS * BARRIER_WORDS / 2)
        snprintf(why, room, "there are flags for at most %d columns; got %zu",
                 BLOCK_COLS * BARRIER_WORDS / 2, s->axis[COLS]);
    else if (height > 0 && s->axis[ROWS] / height >= MAX_BLOCKS_ALONG_Y)
        snprintf(why, room, "%zu rows need more than %d blocks along y; use more --threads",
                 s->axis[ROWS], MAX_BLOCKS_ALONG_Y);
    else
        return false;
    return true;
}

static void destroy(struct work *work)
{
    struct jacobi *j = (struct jacobi *)work;

    for (int i = 0; i < MAX_SPREAD; i++)
        if (work->second[i])
            cudaStreamDestroy(work->second[i]);
    spread_events_free(work->begun);
    spread_events_free(work->sent);
    spread_events_free(work->edges);
    spread_events_free(work->inner);
    device_barrier_free(&work->barrier);
    spread_free(&j->in);
    spread_free(&j->reference);
    spread_free(&j->array[0]);
    spread_free(&j->array[1]);
    for (int i = 0; i < 3; i++)
        free(j->matrix[i]);
    free(j->zeros);
    free(j);
}

static size_t pitch_of(size_t cols)
{
    return (cols + QUAD - 1) / QUAD * QUAD;
}

/* A part per device, of as many rows as device d has where it is the last: of fewer devices, those
 * before it have more. */
static int make_parts(struct spread *s, const struct buffer *like, const struct setting *setting,
                      const struct shape *largest, bool on_host)
{
    size_t rows = largest->axis[ROWS], pitch = pitch_of(largest->axis[COLS]);
    int status = 0;

    for (s->count = 0; s->count < devices(largest) && status == 0; s->count++) {
        struct buffer *part = &s->part[s->count];
        size_t elements = (rows / (size_t)(s->count + 1) + 3) * pitch;

        *part = *like;
        part->place = setting->places[s->count];
        status = buffer_reserve(part, elements);
        if (status == 0 && on_host)
            status = buffer_reserve_host(part, elements);
    }
    return status;
}

static int make_arrays(struct jacobi *j, const struct setting *setting, const struct shape *largest)
{
    const struct type *type = setting->type;
    struct buffer in = {.what = "an input", .bytes = type->bytes, .type = type};
    struct buffer out = {.what = "an output",
                         .bytes = type->bytes,
                         .poison = buffer_poison_of(type),
                         .guard = BUFFER_GUARD};
    int status = make_parts(&j->in, &in, setting, largest, true);

    if (status == 0)
        status = make_parts(&j->reference, &in, setting, largest, true);
    for (int i = 0; i < 2 && status == 0; i++)
        status = make_parts(&j->array[i], &out, setting, largest, false);
    for (int d = 0; d < devices(largest) && status == 0; d++) {
        j->work.in[d] = (const element *)j->in.part[d].device;
        for (int i = 0; i < 2; i++)
            j->work.array[d][i] = (element *)j->array[i].part[d].device;
    }
    for (int i = 0; i < 3 && status == 0; i++) {
        j->matrix[i] = (float *)work_new((largest->n + 1) * type->bytes);
        status = j->matrix[i] ? 0 : BAD_DEVICE;
    }
    if (status == 0) {
        j->zeros = (float *)work_new((largest->axis[COLS] + 1) * type->bytes);
        status = j->zeros ? 0 : BAD_DEVICE;
    }
    if (status == 0)
        input_fill(j->matrix[0], largest->n, setting);
    return status;
}

static int make_streams(struct work *w, int count)
{
    int status = 0;

    for (int d = count - 1; d >= 0 && status == 0; d--) {
        status = device_use(w->places[d].device);
        if (status == 0)
            status = device_check(cudaStreamCreateWithFlags(&w->second[d], cudaStreamNonBlocking));
    }
    if (status == 0)
        status = spread_events(w->begun, w->places, count);
    if (status == 0)
        status = spread_events(w->sent, w->places, count);
    if (status == 0)
        status = spread_events(w->edges, w->places, count);
    return status == 0 ? spread_events(w->inner, w->places, count) : status;
}

static struct work *create(const struct setting *setting, const struct shape *largest)
{
    struct jacobi *j = (struct jacobi *)work_new(sizeof(*j));
    int status;

    if (!j)
        return NULL;
    j->work.places = setting->places;
    status = spread_connect(setting->places, devices(largest));
    if (status == 0)
        status = make_streams(&j->work, devices(largest));
    if (status == 0)
        status = make_arrays(j, setting, largest);
    if (status == 0)
        status = device_barrier_make(&j->work.barrier, setting->places, devices(largest));
    if (status != 0) {
        destroy(&j->work);
        return NULL;
    }
    return &j->work;
}

/* --- the reference: the same sweeps on the host ----------------------------------------------- */

struct sweep {
    const float *from;
    const float *zeros; /* a row of them stands above the first row, and below the last */
    float *to;
    size_t rows, cols;
};

/* The mean of four, in the order of the steps. */
static inline float mean_of(float above, float below, float left, float right)
{
    return 0.25f * (above + below + left + right);
}

/* Elements first to behind - 1 of a row, none of which is at its ends. */
VECTOR_CODE static void sweep_inner(float *to, const float *here, const float *above,
                                    const float *below, size_t first, size_t behind)
{
    for (size_t col = first; col < behind; col++)
        to[col] = mean_of(above[col], below[col], here[col - 1], here[col + 1]);
}

/* Elements first to behind - 1 of a row. */
static void sweep_row(const struct sweep *s, size_t row, size_t first, size_t behind)
{
    const float *here = s->from + row * s->cols;
    const float *above = row > 0 ? here - s->cols : s->zeros;
    const float *below = row + 1 < s->rows ? here + s->cols : s->zeros;
    float *to = s->to + row * s->cols;
    size_t last = s->cols - 1;

    if (first == 0)
        to[0] = mean_of(above[0], below[0], 0, last > 0 ? here[1] : 0);
    sweep_inner(to, here, above, below, first > 0 ? first : 1, behind < last ? behind : last);
    if (behind > last && last > 0)
        to[last] = mean_of(above[last], below[last], here[last - 1], 0);
}

static void sweep_elements(void *context, size_t chunk, size_t begin, size_t end)
{
    const struct sweep *s = (const struct sweep *)context;
    size_t count;

    (void)chunk;
    for (size_t i = begin; i < end; i += count) {
        size_t first = i % s->cols;

        count = s->cols - first < end - i ? s->cols - first : end - i;
        sweep_row(s, i / s->cols, first, first + count);
    }
}

/* The matrix of the host after all sweeps. */
static const float *sweep_on_host(struct jacobi *j)
{
    const float *from = j->matrix[0];

    for (unsigned k = 0; k < j->work.sweeps; k++) {
        struct sweep sweep = {from, j->zeros, j->matrix[1 + k % 2], j->work.rows, j->work.cols};

        parallel_for(j->work.rows * j->work.cols, sweep_elements, &sweep);
        from = sweep.to;
    }
    return from;
}

/* A device's part on the host: rows of the matrix from row first on, which may lie outside it. */
struct portion {
    float *part;
    const float *matrix;
    const struct work *work;
    size_t first, rows;
};

/* What the matrix has not, and what only makes rows longer, is 0. */
static void put_elements(void *context, size_t chunk, size_t begin, size_t end)
{
    const struct portion *p = (const struct portion *)context;
    const struct work *w = p->work;
    size_t row = begin / w->pitch, col = begin % w->pitch, count;

    (void)chunk;
    for (size_t i = begin; i < end; i += count, row++, col = 0) {
        size_t from = p->first + row; /* before row 0 it wraps */
        size_t has = row < p->rows && from < w->rows && col < w->cols ? w->cols - col : 0;

        count = w->pitch - col < end - i ? w->pitch - col : end - i;
        has = has < count ? has : count;
        if (has > 0)
            memcpy(p->part + i, p->matrix + from * w->cols + col, has * sizeof(*p->part));
        memset(p->part + i + has, 0, (count - has) * sizeof(*p->part));
    }
}

/* The parts of a matrix, with halo rows, on their devices. */
static int scatter(struct spread *s, const float *matrix, const struct work *w)
{
    size_t row = 0;
    int status = 0;

    for (int d = 0; d < w->devices && status == 0; d++) {
        struct portion portion = {(float *)s->part[d].host, matrix, w, row - 1, w->own[d] + 2};

        parallel_for(s->part[d].capacity, put_elements, &portion);
        row += w->own[d];
        status = buffer_upload(&s->part[d]);
    }
    return status;
}

static int set(struct work *work, const struct shape *shape)
{
    struct jacobi *j = (struct jacobi *)work;
    const struct work old = *work;
    int status;

    work->rows = shape->axis[ROWS];
    work->cols = shape->axis[COLS];
    work->pitch = pitch_of(work->cols);
    work->devices = devices(shape);
    work->sweeps = (unsigned)shape->axis[SWEEPS];
    work->threads = shape->threads;
    for (int d = 0; d < work->devices; d++)
        work->own[d] =
            work->rows / (size_t)work->devices + ((size_t)d < work->rows % (size_t)work->devices);
    if (old.rows == work->rows && old.cols == work->cols && old.devices == work->devices &&
        old.sweeps == work->sweeps)
        return 0;
    status = scatter(&j->in, j->matrix[0], work);
    return status == 0 ? scatter(&j->reference, sweep_on_host(j), work) : status;
}

/* --- runs ------------------------------------------------------------------------------------- */

/* Of the largest part, the first; all have so many. */
static size_t elements_of(const struct work *w)
{
    return (w->own[0] + 2) * w->pitch;
}

static int prepare(struct work *work, const struct variant *variant)
{
    struct jacobi *j = (struct jacobi *)work;
    int status = spread_restore(&j->in, work->devices, elements_of(work), false);

    (void)variant;
    if (status == 0)
        status = spread_restore(&j->reference, work->devices, elements_of(work), false);
    for (int i = 0; i < 2 && status == 0; i++)
        status = spread_poison(&j->array[i], work->devices, elements_of(work));
    return status;
}

/* One device's rows; row: the number of its first in the matrix. */
static int verify_part(struct jacobi *j, const struct variant *variant, int d, size_t row,
                       struct result *own)
{
    const struct work *w = &j->work;
    struct buffer *b = &j->array[0].part[d];
    struct spread_sum same = {.out = (const float *)b->device + w->pitch,
                              .in = {(const float *)j->reference.part[d].device + w->pitch},
                              .terms = 1,
                              .n = w->own[d] * w->pitch,
                              .floats = true};
    struct worst worst = WORST_NONE;
    char where[96] = "";
    int status = spread_compare(&b->place, &same, &worst);

    *own = (struct result){.has_value = same.n > 0,
                           .value = worst.value,
                           .reference = worst.reference,
                           .error = worst.error,
                           .bound = worst.bound};
    if (worst.wrong)
        snprintf(where, sizeof(where), "device %d: %zu elements, first out[%zu][%zu]", d,
                 worst.wrong, row + worst.at / w->pitch, worst.at % w->pitch);
    return status == 0
               ? buffer_verdict(b, variant, elements_of(w),
                                (struct wrong){worst.wrong, w->pitch + worst.at, where}, own)
               : status;
}

static int verify(struct work *work, const struct variant *variant, struct result *result)
{
    struct jacobi *j = (struct jacobi *)work;
    size_t row = 0;
    int status = 0;

    for (int d = 0; d < work->devices && status == 0; d++) {
        struct result own;

        status = verify_part(j, variant, d, row, &own);
        row += work->own[d];
        if (d == 0 || (result->verdict == VERDICT_OK &&
                       (own.verdict != VERDICT_OK || own.error > result->error)))
            *result = own;
    }
    return status;
}

static int settle(struct work *work, const struct variant *variant, struct result *result)
{
    return spread_settle(&((struct jacobi *)work)->in, work->devices, variant, result);
}

double jacobi_bytes(const struct shape *s)
{
    return 2.0 * (double)s->type->bytes * (double)s->n * (double)s->axis[SWEEPS];
}

#define SIDES "0 1 2 3 7 31 64 127"

static const struct axis axes[] = {
    [ROWS] = {.name = "rows",
              .help = "matrix: 4096, 1000x3000, 2^12",
              .cpu = (size_t)1 << 7,
              .cuda = (size_t)1 << 14,
              .test = SIDES},
    [COLS] = {.name = "cols", .cpu = (size_t)1 << 7, .cuda = (size_t)1 << 14, .test = SIDES},
    [DEVICES] = SPREAD_AXIS,
    [SWEEPS] = {.name = "sweeps",
                .option = "sweeps",
                .help = "times that each element becomes its neighbours' mean",
                .words = "sweeps",
                .least = 1,
                .most = 1 << 16,
                .cpu = 4,
                .cuda = 16,
                .test = "1 2 5"},
};

static const struct launches launches[] = {
    {LADDER | CPU_ONLY, {"--devices 4"}},
    {RECORD | CPU_ONLY, {"--devices 1"}}, /* polls would be counted, and differ */
    {LADDER | RECORD | GPU_ONLY, {"-n 16384 -r 11", "-n 16384 --devices 1 -r 7"}},
    {SWEEP | CPU_ONLY, {"--devices 4 --sweep 4:7 -r 3 -w 1"}},
    {SWEEP | RECORD | GPU_ONLY, {"--sweep 8:13 -r 7 -w 2", "--devices 1 --sweep 8:13 -r 7 -w 2"}},
    {QUICK | CPU_ONLY, {"-n 64 --devices 2 -r 3"}},
    {QUICK | GPU_ONLY, {"-n 1024 -r 3"}},
    {COUNTED, {"-n 256 --devices 1 --sweeps 2"}},
    {SANITIZED, {"-n 65x129 --devices 1 --sweeps 2"}},
    {CHECKED,
     {"-n 33x65 --devices 2 --sweeps 3", "-n 7x130 --devices 3 --sweeps 4 -t 64",
      "-n 0x5 --devices 2", "-n 2x9 --devices 4 --sweeps 3"}},
    {MUTATED,
     {"-n 33x65 --devices 2 --sweeps 3", "-n 70x131 --devices 3 --sweeps 4 -t 64",
      "-n 5x3 --devices 4 --sweeps 3 -t 32", "-n 31x40 --devices 1 --sweeps 2",
      "-n 9x6 --devices 2 --sweeps 2"}},
    {TESTED,
     {"-n 100x37 --devices 8 --sweeps 3", "-n 101x260 --devices 16 --sweeps 2 -t 1024",
      "-n 3x50 --devices 16 --sweeps 3"}},
    {0},
};

const struct family jacobi_family = {
    .name = "jacobi",
    .title = "Jacobi sweeps",
    .group = "devices",
    .axes = axes,
    .axis_count = COUNT(axes),
    .options = OPTION_INPUT,
    .inputs = input_names,
    .measure = MEASURE_BYTES,
    .charts = "ladder swept:rows*cols:gb_per_s",
    .test = {"32 96 256 1024", "", ""},
    .launches = launches,
    .devices = devices,
    .default_shape = default_shape,
    .refuse = refuse,
    .work = {create, set, prepare, verify, settle, destroy},
};
