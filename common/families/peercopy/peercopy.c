/*
 * The peercopy family's side of the harness: an input and an output per device, its verdict, its
 * launches.
 */
#include "families/peercopy/peercopy.h"

#include <stdlib.h>

#include <cuda_runtime_api.h>

#include "harness/kit/device.h"
#include "harness/kit/input.h"

enum { N, DEVICES };

struct peercopy {
    struct work work; /* first: the launch functions get this part */
    struct spread in, out;
    const struct type *type;
};

static int devices(const struct shape *s)
{
    return (int)s->axis[DEVICES];
}

static void default_shape(struct shape *s)
{
    size_t wanted, most = 2 * (size_t)device_to_fill(s);

    spread_default_devices(&s->axis[DEVICES]);
    if (s->threads == 0)
        s->threads = 512;
    wanted = s->n / 4 / (size_t)s->threads + 1;
    if (s->blocks == 0)
        s->blocks = (int)(wanted < most ? wanted : most);
}

static void destroy(struct work *work)
{
    struct peercopy *s = (struct peercopy *)work;

    spread_events_free(work->written);
    spread_events_free(work->read);
    for (int i = 0; i < MAX_SPREAD; i++) {
        if (work->host[i])
            cudaFreeHost(work->host[i]);
    }
    spread_free(&s->in);
    spread_free(&s->out);
    free(s);
}

static int make_arrays(struct peercopy *s, const struct setting *setting,
                       const struct shape *largest)
{
    int count = devices(largest);
    const struct type *type = setting->type;
    struct buffer in = {.what = "an input", .bytes = type->bytes, .type = type};
    struct buffer out = {.what = "an output",
                         .bytes = type->bytes,
                         .poison = buffer_poison_of(type),
                         .guard = BUFFER_GUARD};
    int status = spread_input(&s->in, &in, setting, count, largest->n);

    if (status == 0)
        status = spread_output(&s->out, &out, setting, count, largest->n);
    for (int i = 0; i < count; i++) {
        s->work.in[i] = (const element *)s->in.part[i].device;
        s->work.out[i] = (element *)s->out.part[i].device;
    }
    return status;
}

/* For the way through the host: pinned memory that every device can reach, and two events each. */
static int make_way(struct work *work, int count, size_t bytes)
{
    int status = spread_events(work->written, work->places, count);

    for (int i = count - 1; i >= 0 && status == 0; i--) {
        status = spread_events(&work->read[i], &work->places[(i + 1) % count], 1);
        if (status == 0)
            status = device_use(work->places[i].device);
        if (status == 0)
            status = device_check(
                cudaHostAlloc(&work->host[i], bytes ? bytes : 1, cudaHostAllocPortable));
    }
    return status;
}

static struct work *create(const struct setting *setting, const struct shape *largest)
{
    struct peercopy *s = (struct peercopy *)work_new(sizeof(*s));
    int status;

    if (!s)
        return NULL;
    s->type = setting->type;
    s->work.places = setting->places;
    status = spread_connect(setting->places, devices(largest));
    if (status == 0)
        status = make_arrays(s, setting, largest);
    if (status == 0)
        status = make_way(&s->work, devices(largest), largest->n * setting->type->bytes);
    if (status != 0) {
        destroy(&s->work);
        return NULL;
    }
    return &s->work;
}

static int set(struct work *work, const struct shape *shape)
{
    work->n = shape->n;
    work->devices = devices(shape);
    work->blocks = shape->blocks;
    work->threads = shape->threads;
    return 0;
}

static int prepare(struct work *work, const struct variant *variant)
{
    struct peercopy *s = (struct peercopy *)work;
    int status = spread_restore(&s->in, work->devices, work->n, false);

    (void)variant;
    return status == 0 ? spread_poison(&s->out, work->devices, work->n) : status;
}

/* Only the first pair's for a variant that sends one way; the verdict begins with part 0. */
static int verify(struct work *work, const struct variant *variant, struct result *result)
{
    struct peercopy *s = (struct peercopy *)work;
    struct spread_sum sum = {.terms = 1, .n = work->n, .floats = s->type == &type_f32};
    int p = work->devices, sent = variant->rules & ONE_WAY ? 1 : p, status = 0;
    bool first = true;

    for (int d = 0; d < sent && status == 0; d++) {
        if (!spread_is_here((d + 1) % p))
            continue;
        sum.in[0] = s->in.part[d].device;
        sum.out = s->out.part[(d + 1) % p].device;
        status = spread_verdict(&s->out, (d + 1) % p, &sum, variant, first, result);
        first = false;
    }
    return status;
}

static int settle(struct work *work, const struct variant *variant, struct result *result)
{
    return spread_settle(&((struct peercopy *)work)->in, work->devices, variant, result);
}

/* What crosses each link one way. */
static double bytes(const struct shape *s)
{
    return (double)s->type->bytes * (double)s->n;
}

static const struct axis axes[] = {
    [N] = {.name = "n",
           .help = "elements that each device sends: 1000003, 2^20",
           .cpu = (size_t)1 << 14,
           .cuda = (size_t)1 << 26,
           .test = "0 1 2 3 5 31 100 1000",
           .large = "4097 70001"},
    [DEVICES] = SPREAD_AXIS,
};

static const struct launches launches[] = {
    {LADDER | RECORD | CPU_ONLY, {"--devices 2"}},
    {LADDER | RECORD | GPU_ONLY, {"-n 2^26 -r 15"}},
    SPREAD_LAUNCHES,
    {COUNTED, {"-n 2^12 --devices 1"}},
    {MUTATED,
     {"-n 1000 --devices 2", "-n 1003 --devices 3 -b 2 -t 64", "-n 77 --devices 4 -b 1 -t 32",
      "-n 7 --devices 2 -b 1 -t 1"}},
    {0},
};

const struct family peercopy_family = {
    .name = "peercopy",
    .title = "Copies between devices",
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
    .default_shape = default_shape,
    .work = {create, set, prepare, verify, settle, destroy},
    .bytes = bytes,
};
