/*
 * The fft family's side of the harness: its vectors, its verdict, its launches.
 */
#include "families/fft/fft.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "families/fft/fft_compare.h"
#include "families/fft/fft_reference.h"
#include "families/fft/fft_roots.h"
#include "harness/kit/device.h"
#include "harness/kit/message.h"
#include "harness/kit/vector.h"

#define MAX_ON_HOST ((size_t)1 << 20) /* with vectors of 2^12 points it takes seconds */

enum { DIRECTION, PLACE };

const struct type type_c32 = {"c32", 8};

struct fft {
    struct work work; /* first: the launch functions get this part */
    struct buffer in, out, between, flags, reference, norms, bounds, pieces;
    bool in_place, inverse;
    struct comparison comparison; /* of so many vectors of this length, 0 if none yet */
};

static size_t batch_of(const struct shape *s)
{
    return s->n / s->axis[FFT_LENGTH];
}

/* Whether a parameter is its second word; BAD_USAGE after one line if it is neither. */
static int second(const char *value, const char *option, const char *first, const char *other)
{
    if (!value || strcmp(value, first) == 0)
        return 0;
    if (strcmp(value, other) == 0)
        return 1;
    return complain(BAD_USAGE, "--%s must be %s or %s; got %s", option, first, other, value);
}

static int inverse_of(const struct setting *setting)
{
    return second(setting->parameters[DIRECTION], "direction", "forward", "inverse");
}

static int in_place_of(const struct setting *setting)
{
    return second(setting->parameters[PLACE], "place", "out", "in");
}

static int accept(const struct setting *setting, size_t axis[MAX_AXES], bool sized)
{
    int inverse = inverse_of(setting), in_place = in_place_of(setting);

    (void)axis;
    (void)sized;
    return inverse < 0 ? inverse : in_place < 0 ? in_place : 0;
}

static void default_shape(struct shape *s)
{
    if (s->threads == 0)
        s->threads = 128;
}

static bool refuse(const struct shape *s, const struct variant *v, char *why, size_t room)
{
    (void)v;
    if (fft_reference_possible(s->axis[FFT_LENGTH], batch_of(s)))
        return false;
    snprintf(why, room,
             "the reference of %zu vectors of %zu points, no power of two, takes too long",
             batch_of(s), s->axis[FFT_LENGTH]);
    return true;
}

static void destroy(struct work *work)
{
    struct fft *f = (struct fft *)work;

    buffer_free(&f->in);
    buffer_free(&f->out);
    buffer_free(&f->between);
    buffer_free(&f->flags);
    buffer_free(&f->reference);
    buffer_free(&f->norms);
    buffer_free(&f->bounds);
    buffer_free(&f->pieces);
    fft_roots_free();
    free(f);
}

static int fill(struct fft *f, const struct setting *setting, const struct shape *largest)
{
    struct setting floats = *setting;
    size_t points = largest->n;
    int status;

    floats.type = &type_f32;
    status = buffer_input(&f->in, 2 * points, &floats);
    if (status == 0)
        status = buffer_reserve(&f->out, 2 * points);
    if (status == 0)
        status = buffer_reserve_host(&f->out, 2 * points);
    if (status == 0)
        status = buffer_reserve_host(&f->reference, 2 * points);
    return status;
}

static struct work *create(const struct setting *setting, const struct shape *largest)
{
    int poison = buffer_poison_of(&type_f32);
    struct fft *f = (struct fft *)work_new(sizeof(*f));

    if (!f)
        return NULL;
    f->inverse = inverse_of(setting) > 0;
    f->in_place = in_place_of(setting) > 0;
    f->in = (struct buffer){
        .what = "the input", .bytes = 4, .type = &type_f32, .offset = 2 * setting->offset};
    f->out =
        (struct buffer){.what = "the result", .bytes = 4, .poison = poison, .guard = BUFFER_GUARD};
    f->between =
        (struct buffer){.what = "the points between two kernels", .bytes = 4, .poison = poison};
    f->flags = (struct buffer){.what = "the flags", .bytes = 4, .poison = 0xa5};
    f->reference = (struct buffer){.what = "the reference", .bytes = 8};
    f->norms = (struct buffer){.what = "the norms", .bytes = 8};
    f->bounds = (struct buffer){.what = "the bounds", .bytes = 8};
    f->pieces = (struct buffer){.what = "the comparison", .bytes = 8};
    f->comparison = (struct comparison){
        .reference = &f->reference, .norms = &f->norms, .bounds = &f->bounds, .pieces = &f->pieces};
    if (fill(f, setting, largest) != 0) {
        destroy(&f->work);
        return NULL;
    }
    f->work.sign = f->inverse ? -1 : 1;
    f->work.in = (const element *)f->in.device;
    f->work.host_in = (const element *)f->in.host;
    f->work.host_out = (element *)f->out.host;
    return &f->work;
}

/* The norm of each vector of the reference, and how far a result may be from it. */
static void bound_vectors(struct fft *f, size_t length, size_t batch)
{
    const double *reference = (const double *)f->reference.host;
    double *norms = (double *)f->norms.host, *bounds = (double *)f->bounds.host;

    for (size_t v = 0; v < batch; v++) {
        double sum = 0;

        for (size_t i = 2 * v * length; i < 2 * (v + 1) * length; i++)
            sum += reference[i] * reference[i];
        norms[v] = isfinite(sum) ? sqrt(sum) : NAN;
        bounds[v] = fft_bound(length, norms[v]);
    }
}

static int make_on_host(struct fft *f, size_t length, size_t batch)
{
    int status = buffer_reserve_host(&f->norms, batch);

    if (status == 0)
        status = buffer_reserve_host(&f->bounds, batch);
    if (status == 0)
        status = fft_reference((double *)f->reference.host, (const float *)f->in.host, length,
                               batch, f->inverse);
    if (status != 0)
        return status;
    bound_vectors(f, length, batch);
    f->comparison.length = length;
    f->comparison.batch = batch;
    return fft_compare_upload(&f->comparison);
}

static int make_reference(struct fft *f, size_t length, size_t batch)
{
    struct comparison *c = &f->comparison;
    bool made = false;
    int status = fft_compare_reserve(c, f->reference.host_capacity / 2, batch);

    if (status == 0 && f->in_place) /* the last run has left its result there */
        status = buffer_upload(&f->in);
    if (status == 0)
        status = fft_reference_on_device(c, (const float *)f->in.device, length, batch, f->inverse,
                                         &made);
    if (status != 0)
        return status;
    if (!made)
        return make_on_host(f, length, batch);
    c->length = length;
    c->batch = batch;
    return 0;
}

static int set(struct work *work, const struct shape *shape)
{
    struct fft *f = (struct fft *)work;

    work->length = shape->axis[FFT_LENGTH];
    work->batch = batch_of(shape);
    work->threads = shape->threads;
    if (f->comparison.length == work->length && f->comparison.batch == work->batch)
        return 0;
    return make_reference(f, work->length, work->batch);
}

/* What only some variants need. */
static int make_room(struct buffer *b, size_t elements, void **device)
{
    int status = buffer_reserve(b, elements);

    *device = b->device;
    return status == 0 ? buffer_poison(b, elements) : status;
}

static int prepare(struct work *work, const struct variant *variant)
{
    struct fft *f = (struct fft *)work;
    size_t floats = 2 * work->length * work->batch;
    bool host = variant->rules & ON_HOST;
    struct buffer *out = f->in_place && !host ? &f->in : &f->out;
    int status = host ? 0 : buffer_restore(&f->in, floats, f->in_place);

    work->out = (element *)out->device;
    f->comparison.out = out;
    f->comparison.opposite = !host && f->in.opposite;
    if (host)
        memset(work->host_out, f->out.poison, floats * f->out.bytes + f->out.guard);
    else if (!f->in_place)
        status = status == 0 ? buffer_poison(out, floats) : status;
    if (status == 0 && variant->rules & BETWEEN)
        status = make_room(&f->between, floats, (void **)&work->between);
    if (status == 0 && variant->rules & WAITS)
        status = make_room(&f->flags, 2 * work->batch, (void **)&work->flags);
    return status;
}

/* Of the worst vector the error as a part of its norm. */
static int verify(struct work *work, const struct variant *variant, struct result *result)
{
    struct fft *f = (struct fft *)work;
    struct worst worst = WORST_NONE;
    char where[64];
    size_t first = NO_ELEMENT;
    int status = 0;

    if (variant->rules & ON_HOST)
        fft_compare_on_host(&f->comparison, &worst);
    else
        status = fft_compare(&f->comparison, &worst);
    *result = (struct result){.error = worst.value, .bound = worst.reference};
    if (status != 0)
        return status;
    snprintf(where, sizeof(where), "vector %zu is not the transform", worst.at);
    if (worst.wrong && !(variant->rules & ON_HOST))
        first = 2 * fft_furthest(&f->comparison, worst.at);
    return buffer_verdict(f->comparison.out, variant, 2 * work->length * work->batch,
                          (struct wrong){worst.wrong, first, where}, result);
}

static int settle(struct work *work, const struct variant *variant, struct result *result)
{
    struct fft *f = (struct fft *)work;
    struct variant own = *variant;

    own.rules |= f->in_place ? DESTROYS_INPUT : 0;
    return buffer_settle(&f->in, &own, result);
}

static double bytes(const struct shape *s)
{
    return 2.0 * (double)type_c32.bytes * (double)(batch_of(s) * s->axis[FFT_LENGTH]);
}

/* What is usual to say of any algorithm: 5 n lg n. */
static double flops(const struct shape *s)
{
    double length = (double)s->axis[FFT_LENGTH];

    return 5 * (double)batch_of(s) * length * log2(length);
}

static const struct axis axes[] = {
    [FFT_N] = {VECTOR_AXIS, .test = "0 1 7 8 24 1000 5000 40007"},
    [FFT_LENGTH] = {.name = "length",
                    .option = "length",
                    .help = "points in a vector, of which there are n / length (default 4096)",
                    .words = "length of a transform",
                    .unit = "points",
                    .least = 1,
                    .most = (size_t)1 << 28,
                    .cpu = 4096,
                    .cuda = 4096,
                    .test = "1 2 3 8 16 31 64 100 256 4096"},
};

static const struct parameter parameters[] = {
    {"direction", "WHICH", "forward or inverse (default forward)"},
    {"place", "WHERE", "of the result: out, another array, or in, over the input (default out)"},
    {NULL},
};

static const char *const inputs[] = {"random", "ones", "ramp", "hostile", NULL};

static const struct launches launches[] = {
    {LADDER | CPU_ONLY, {"-n 2^18 -r 3"}},
    {LADDER | GPU_ONLY, {"-n 2^27"}},
    {SWEEP | CPU_ONLY, {"-n 2^18 --sweep length=3:18 -r 3 -w 1"}},
    {SWEEP | GPU_ONLY, {"-n 2^27 --sweep length=3:27 -r 3 -w 1"}},
    {QUICK, {"-n 2^14 -r 3"}},
    {RECORD | CPU_ONLY, {"-n 2^18"}},
    {RECORD | GPU_ONLY,
     {"-n 2^27 --sweep length=3:4 -r 15", "-n 2^27 --sweep length=6:12 -r 15",
      "-n 2^27 --sweep length=13:24 -r 15",
      "-n 2^27 --length 16 --direction inverse --place in -r 5 -w 1",
      "-n 2^27 --length 4096 --direction inverse --place in -r 5 -w 1",
      "-n 2^27 --length 65536 --direction inverse --place in -r 5 -w 1",
      "-n 2^28 --length 65536 -r 3 -w 1"}},
    {COUNTED,
     {"-n 2^16 --length 8", "-n 2^16 --length 16", "-n 2^16 --length 64", "-n 2^16 --length 256",
      "-n 2^16 --length 512", "-n 2^16 --length 1024", "-n 2^16 --length 2048",
      "-n 2^16 --length 4096", "-n 2^16 --length 8192", "-n 2^18 --length 262144"}},
    /* Not of fft-fused: its blocks poll while they wait for each other. */
    {COUNTED | GPU_ONLY, {"-n 2^16 --length 16384", "-n 2^16 --length 65536"}},
    {SANITIZED,
     {"-n 5000 --length 8", "-n 5000 --length 16", "-n 5000 --length 64", "-n 20000 --length 2048",
      "-n 20000 --length 8192", "-n 70000 --length 16384", "-n 2^18 --length 262144"}},
    /* Numbers of vectors one and 31 above a multiple of a warp's; and more vectors than slots,
     * where a variant hands them out to its blocks. */
    {MUTATED,
     {"-n 1024 --length 8", "-n 781 --length 8", "-n 251 --length 8",
      "-n 533 --length 16 --direction inverse", "-n 1000 --length 64", "-n 5000 --length 256",
      "-n 5000 --length 512 --direction inverse", "-n 5000 --length 1024", "-n 5000 --length 2048",
      "-n 9000 --length 4096", "-n 20000 --length 8192 --direction inverse",
      "-n 40000 --length 16384", "-n 393216 --length 16384", "-n 2^18 --length 262144"}},
    /* Three parts: the inverse, and a second vector. */
    {MUTATED,
     {"-n 2^18 --length 131072 --direction inverse",
      "-n 2^19 --length 262144 --direction inverse"}},
    {CHECKED,
     {"-n 1000 --length 8", "-n 1000 --length 16", "-n 1000 --length 64",
      "-n 3000 --length 256 --place in", "-n 3000 --length 512", "-n 3000 --length 1024",
      "-n 5000 --length 2048", "-n 9000 --length 4096", "-n 20000 --length 8192",
      "-n 70000 --length 16384 --place in", "-n 2^18 --length 262144"}},
    {TESTED | CPU_ONLY,
     {"-n 1000 --length 8 --direction inverse --place in",
      "-n 1000 --length 16 --direction inverse --place in",
      "-n 5000 --length 64 --direction inverse", "-n 5000 --length 256 --place in --input hostile",
      "-n 5000 --length 512 --direction inverse --place in",
      "-n 5000 --length 1024 --direction inverse",
      "-n 5000 --length 2048 --direction inverse --place in",
      "-n 9000 --length 4096 --direction inverse --place in",
      "-n 20000 --length 8192 --direction inverse --place in",
      "-n 327681 --length 16384 --direction inverse --place in",
      "-n 140000 --length 65536 --place in --input hostile --seed 1",
      "-n 262145 --length 262144 --direction inverse --place in"}},
    {TESTED | GPU_ONLY,
     {"-n 2^24 --length 8 --direction inverse --place in",
      "-n 2^24 --length 4096 --direction inverse --place in",
      "-n 10000019 --length 8192 --direction inverse --place in",
      "-n 10000019 --length 16384 --input hostile", "-n 10000019 --length 32768",
      "-n 10000019 --length 65536 --direction inverse --place in",
      "-n 2^24 --length 131072 --offset 1", "-n 2^24 --length 262144", "-n 2^24 --length 524288",
      "-n 2^24 --length 1048576 --place in", "-n 2^24 --length 2097152", "-n 2^24 --length 4194304",
      "-n 2^25 --length 8388608 --direction inverse", "-n 2^25 --length 16777216 --place in"}},
    {0},
};

const struct family fft_family = {
    .name = "fft",
    .title = "Fourier transform",
    .axes = axes,
    .axis_count = COUNT(axes),
    .parameters = parameters,
    .options = OPTION_INPUT | OPTION_OFFSET,
    .inputs = inputs,
    .measure = MEASURE_BYTES,
    .charts = "fastest:length",
    .test = {"1 2 31 32 33 64 100 128 256", "", "0 1"},
    .launches = launches,
    .most_on_host = MAX_ON_HOST,
    .accept = accept,
    .default_shape = default_shape,
    .refuse = refuse,
    .work = {create, set, prepare, verify, settle, destroy},
    .bytes = bytes,
    .flops = flops,
};
