/*
 * The spreadsum family's side of the harness: its array in parts, its verdict, its launches.
 */
#include "families/spreadsum/spreadsum.h"

#include <stdio.h>
#include <stdlib.h>

#include <cuda_runtime_api.h>

#include "harness/kit/device.h"
#include "harness/kit/input.h"
#include "harness/kit/number.h"
#include "harness/kit/vector.h"

enum { N, DEVICES };

struct spreadsum {
    struct work work; /* first: the launch functions get this part */
    struct shape shape;
    struct buffer whole; /* the input, on the first device */
    struct spread x, sum, partial, words;
    struct spans spans; /* of the input */
    struct reference f32;
    int32_t i32;
};

static int devices(const struct shape *s)
{
    return (int)s->axis[DEVICES];
}

/* A problem like the one of a device. */
static struct shape part_of(const struct shape *s)
{
    struct shape part = *s;

    part.n = spread_share(s->n, devices(s));
    return part;
}

void spreadsum_default_shape(struct shape *s)
{
    struct shape part;

    spread_default_devices(&s->axis[DEVICES]);
    if (s->threads == 0)
        s->threads = 512;
    part = part_of(s);
    part.blocks = s->blocks;
    device_default_shape(&part, 16);
    s->blocks = part.blocks;
}

double spreadsum_depth(const struct shape *s)
{
    struct shape part = part_of(s);
    double blocks = s->blocks ? s->blocks : 1, threads = s->threads;

    return ceil_divide((double)part.n, blocks * threads) + 2 * levels(threads) +
           ceil_divide(blocks, threads) + 15 + 6 + levels(MAX_SPREAD);
}

static void destroy(struct work *work)
{
    struct spreadsum *s = (struct spreadsum *)work;

    spread_events_free(work->ready);
    spread_events_free(work->done);
    if (work->host)
        cudaFreeHost(work->host);
    device_barrier_free(&work->barrier);
    buffer_free(&s->whole);
    spread_free(&s->x);
    spread_free(&s->sum);
    spread_free(&s->partial);
    spread_free(&s->words);
    spans_free(&s->spans);
    free(s);
}

/* Of each device: two halves of words from all, then that of the total, then the tickets'. */
#define TOTAL ((size_t)2 * MAX_SPREAD)
#define WORDS (TOTAL + 2)

static int make_words(struct spreadsum *s, const struct setting *setting, int count)
{
    struct buffer words = {.what = "words", .bytes = sizeof(unsigned long long)};
    int status = spread_output(&s->words, &words, setting, count, WORDS);

    if (status == 0)
        status = spread_poison(&s->words, count, WORDS);
    for (int d = 0; d < count && status == 0; d++) {
        s->work.inbox[d] = (unsigned long long *)s->words.part[d].device;
        s->work.total[d] = (element *)(s->work.inbox[d] + TOTAL);
        s->work.tickets[d] = (unsigned *)(s->work.inbox[d] + TOTAL + 1);
    }
    if (status == 0)
        status = device_check(cudaHostAlloc(
            (void **)&s->work.host, (MAX_SPREAD + 1) * sizeof(float), cudaHostAllocPortable));
    return status;
}

static int make_arrays(struct spreadsum *s, const struct setting *setting,
                       const struct shape *largest)
{
    const struct type *type = setting->type;
    int count = devices(largest), poison = buffer_poison_of(type);
    struct buffer part = {.what = "a part", .bytes = type->bytes};
    struct buffer sum = {.what = "a sum", .bytes = type->bytes, .poison = poison};
    struct buffer partial = {.what = "the partial sums", .bytes = type->bytes, .poison = poison};
    int status;

    s->whole = (struct buffer){.what = "the input", .bytes = type->bytes, .type = type};
    s->whole.place = setting->places[0];
    status = buffer_input(&s->whole, largest->n, setting);
    if (status == 0)
        status = spans_fill(&s->spans, s->whole.host, largest->n, type,
                            input_exact(setting, largest->n));
    if (status == 0)
        status = spread_output(&s->x, &part, setting, count, spread_share(largest->n, count));
    if (status == 0)
        status = spread_output(&s->sum, &sum, setting, count, 1);
    if (status == 0)
        status = spread_output(&s->partial, &partial, setting, count, (size_t)largest->blocks);
    for (int d = 0; d < count && status == 0; d++) {
        s->work.x[d] = (const element *)s->x.part[d].device;
        s->work.sum[d] = (element *)s->sum.part[d].device;
        s->work.partial[d] = (element *)s->partial.part[d].device;
    }
    return status;
}

static struct work *create(const struct setting *setting, const struct shape *largest)
{
    struct spreadsum *s = (struct spreadsum *)work_new(sizeof(*s));
    int count = devices(largest), status;

    if (!s)
        return NULL;
    s->work.places = setting->places;
    status = spread_connect(setting->places, count);
    if (status == 0 && count > 0) /* 0: all that was asked for is refused */
        status = make_arrays(s, setting, largest);
    if (status == 0)
        status = make_words(s, setting, count);
    if (status == 0)
        status = device_barrier_make(&s->work.barrier, setting->places, count);
    if (status == 0)
        status = spread_events(s->work.ready, setting->places, count);
    if (status == 0)
        status = spread_events(s->work.done, setting->places, count);
    if (status != 0) {
        destroy(&s->work);
        return NULL;
    }
    return &s->work;
}

static struct dealt parts_of(const struct shape *s)
{
    size_t share = spread_share(s->n, devices(s));

    return (struct dealt){.devices = devices(s), .n = s->n, .chunk = share ? share : 1};
}

static int set(struct work *work, const struct shape *shape)
{
    struct spreadsum *s = (struct spreadsum *)work;
    struct dealt parts = parts_of(shape);

    s->shape = *shape;
    work->n = shape->n;
    work->devices = parts.devices;
    work->blocks = shape->blocks;
    work->threads = shape->threads;
    for (int d = 0; d < parts.devices; d++)
        work->length[d] = dealt_to(&parts, d);
    if (shape->type == &type_f32)
        s->f32 = spans_sum_f32(&s->spans, (const float *)s->whole.host, shape->n);
    else
        s->i32 = spans_sum_i32(&s->spans, (const int32_t *)s->whole.host, shape->n);
    return 0;
}

static int prepare(struct work *work, const struct variant *variant)
{
    struct spreadsum *s = (struct spreadsum *)work;
    struct dealt parts = parts_of(&s->shape);
    int status = buffer_restore(&s->whole, work->n, false);

    (void)variant;
    if (status == 0)
        status = spread_deal(&s->x, &s->whole, &parts);
    if (status == 0)
        status = spread_poison(&s->partial, work->devices, s->partial.part[0].capacity);
    return status == 0 ? spread_poison(&s->sum, work->devices, 1) : status;
}

/* The sum that a device has, reported as if it were that of the input itself. */
static int verify_device(struct spreadsum *s, int d, double depth, struct result *result)
{
    union {
        float f32;
        int32_t i32;
    } sum;
    const struct buffer *b = &s->sum.part[d];
    int status = device_copy(&b->place, &sum, b->device, sizeof(sum));

    if (status != 0)
        return status;
    if (s->shape.type == &type_f32)
        verify_sum_f32(result, s->whole.opposite ? 0 - sum.f32 : sum.f32, &s->f32, depth);
    else
        verify_i32(result, s->whole.opposite ? (int32_t)(0u - (uint32_t)sum.i32) : sum.i32, s->i32);
    buffer_point(b, 0, result);
    if (result->verdict == VERDICT_WRONG)
        snprintf(result->note, sizeof(result->note), "the sum of device %d", d);
    return 0;
}

/* The first sum that is wrong, else that of the first device, or of the rank's own. */
static int verify(struct work *work, const struct variant *variant, struct result *result)
{
    struct spreadsum *s = (struct spreadsum *)work;
    double depth = (variant->depth ? variant->depth : spreadsum_depth)(&s->shape);
    int first = ranks_own(), status = verify_device(s, first, depth, result);

    for (int d = 0; d < work->devices && status == 0 && result->verdict == VERDICT_OK; d++) {
        struct result own = {.verdict = VERDICT_OK};

        if (d == first || !spread_is_here(d))
            continue;
        status = verify_device(s, d, depth, &own);
        if (own.verdict != VERDICT_OK)
            *result = own;
    }
    if (status == 0)
        status = device_use(work->places[0].device);
    return status;
}

static int settle(struct work *work, const struct variant *variant, struct result *result)
{
    struct spreadsum *s = (struct spreadsum *)work;
    struct dealt parts = parts_of(&s->shape);
    int status = spread_collect(&s->whole, &s->x, &parts);

    if (status == 0)
        status = buffer_settle(&s->whole, variant, result);
    spread_point(&s->x, &s->whole, &parts, result);
    return status;
}

static double bytes(const struct shape *s)
{
    return ((double)s->n + 1) * (double)s->type->bytes;
}

static const struct axis axes[] = {
    [N] = {.name = "n",
           .help = "elements of the whole array: 1000003, 2^28",
           .cpu = (size_t)1 << 18,
           .cuda = (size_t)1 << 28,
           .test = "0 1 2 3 5 31 100 1000",
           .large = "4097 70001"},
    [DEVICES] = SPREAD_AXIS,
};

static const struct launches launches[] = {
    {LADDER | CPU_ONLY, {"--devices 4"}},
    {RECORD | CPU_ONLY, {"--devices 1"}}, /* polls would be counted, and differ */
    {LADDER | GPU_ONLY, {"-n 2^28 -r 15"}},
    {SWEEP | CPU_ONLY, {"--sweep 10:18 -r 3 -w 1"}},
    {SWEEP | GPU_ONLY, {"--sweep 10:28 -r 5 -w 2"}},
    /* One device beside all of them: what the others gain. */
    {RECORD | GPU_ONLY,
     {"-n 2^28 -r 15", "-n 2^28 -r 15 --devices 1", "--sweep 10:32 -r 5 -w 2",
      "--sweep 10:32 -r 5 -w 2 --devices 1"}},
    {QUICK | CPU_ONLY, {"-n 1000 --devices 2 -r 3"}},
    {QUICK | GPU_ONLY, {"-n 2^16 -r 3"}},
    {COUNTED, {"-n 2^14 --devices 1 -b 1 -t 512"}}, /* no other block to wait for */
    {SANITIZED, {"-n 1000 --devices 1"}},
    {MUTATED,
     {"-n 1000 --devices 2", "-n 20003 --devices 3 -b 2 -t 64", "-n 777 --devices 4 -b 1 -t 32",
      "-n 40099 --devices 4 -b 3 -t 32", "-n 508 --devices 1 -b 1 -t 32",
      "-n 100003 --devices 2 -b 40 -t 32",
      "-n 1003 --devices 2 -b 5 -t 64 --input hostile --seed 0"}},
    {CHECKED, {"-n 1000 --devices 2", "-n 1003 --devices 3 -b 2 -t 64", "-n 0 --devices 2"}},
    {TESTED, {"-n 1003 --devices 4 -b 3 -t 32", "-n 1001 --devices 8", "-n 1001 --devices 16"}},
    {0},
};

const struct family spreadsum_family = {
    .name = "spreadsum",
    .title = "Sum of a spread array",
    .group = "devices",
    .axes = axes,
    .axis_count = COUNT(axes),
    .options = OPTION_INPUT | OPTION_BLOCKS,
    .inputs = input_names,
    .measure = MEASURE_BYTES,
    .charts = "ladder rate",
    .test = {"32 96 512", "1 2 5", ""},
    .launches = launches,
    .devices = devices,
    .calls = spread_calls,
    .default_shape = spreadsum_default_shape,
    .work = {create, set, prepare, verify, settle, destroy},
    .bytes = bytes,
};
