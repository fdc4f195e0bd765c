/*
 * The spreadscan family's side of the harness: its arrays in parts or chunks, its verdict, its
 * launches.
 */
#include "families/spreadscan/spreadscan.h"

#include <stdlib.h>

#include <cuda_runtime_api.h>

#include "harness/kit/device.h"
#include "harness/kit/input.h"
#include "harness/kit/prefix.h"

enum { N, DEVICES };

struct spreadscan {
    struct work work; /* first: the launch functions get this part */
    struct shape shape;
    struct buffer in, out; /* whole, on the first device */
    struct spread x, y, partial, words;
    struct prefix prefix; /* what the whole output is compared with */
};

static int devices(const struct shape *s)
{
    return (int)s->axis[DEVICES];
}

static void default_shape(struct shape *s)
{
    spread_default_devices(&s->axis[DEVICES]);
    device_default_shape(s, 16);
}

size_t spreadscan_chunk(size_t n, int devices, bool cyclic)
{
    size_t share = spread_share(n, devices), chunk = MOST_CHUNK;

    if (!cyclic)
        return share ? share : 1;
    while (chunk > 60 && chunk > share / 8) /* else the devices would not have as much to do */
        chunk = chunk / 8 * 4;
    return chunk;
}

size_t spreadscan_longest(size_t n, int devices, size_t chunk)
{
    struct dealt dealt = {.devices = devices, .n = n, .chunk = chunk};

    return dealt_to(&dealt, 0);
}

static struct dealt dealt_of(const struct shape *s, bool cyclic)
{
    return (struct dealt){
        .devices = devices(s), .n = s->n, .chunk = spreadscan_chunk(s->n, devices(s), cyclic)};
}

static void destroy(struct work *work)
{
    struct spreadscan *s = (struct spreadscan *)work;

    device_barrier_free(&work->barrier);
    prefix_close(&s->prefix);
    buffer_free(&s->in);
    buffer_free(&s->out);
    spread_free(&s->x);
    spread_free(&s->y);
    spread_free(&s->partial);
    spread_free(&s->words);
    free(s);
}

/* Words of each device: the tickets, two halves of room words, and one per tile. */
static int make_words(struct spreadscan *s, const struct setting *setting,
                      const struct shape *largest)
{
    struct buffer words = {.what = "words", .bytes = sizeof(unsigned long long)};
    size_t chunk = spreadscan_chunk(largest->n, devices(largest), true), tiles, count;
    int status;

    s->work.room = largest->n / chunk + MAX_SPREAD;
    tiles = largest->n / LEAST_TILE + s->work.room + 1;
    count = 1 + 2 * s->work.room + tiles;
    status = spread_output(&s->words, &words, setting, devices(largest), count);
    if (status == 0)
        status = spread_poison(&s->words, devices(largest), count);
    for (int d = 0; d < devices(largest) && status == 0; d++) {
        unsigned long long *first = (unsigned long long *)s->words.part[d].device;

        s->work.tickets[d] = (unsigned *)first;
        s->work.inbox[d] = first + 1;
        s->work.posted[d] = first + 1 + 2 * s->work.room;
    }
    return status;
}

static int make_whole(struct spreadscan *s, const struct setting *setting, size_t n)
{
    const struct type *type = setting->type;
    int status;

    s->in = (struct buffer){.what = "the input", .bytes = type->bytes, .type = type};
    s->out = (struct buffer){.what = "the result", .bytes = type->bytes};
    s->in.place = s->out.place = setting->places[0];
    status = buffer_input(&s->in, n, setting);
    if (status == 0)
        status = buffer_reserve(&s->out, n);
    s->prefix = (struct prefix){.x = &s->in, .y = &s->out};
    if (status == 0)
        status = spans_fill(&s->prefix.spans, s->in.host, n, type, input_exact(setting, n));
    return status == 0 ? prefix_open(&s->prefix) : status;
}

static int make_parts(struct spreadscan *s, const struct setting *setting,
                      const struct shape *largest)
{
    const struct type *type = setting->type;
    int count = devices(largest), poison = buffer_poison_of(type), status;
    struct buffer x = {.what = "a part", .bytes = type->bytes};
    struct buffer y = {.what = "a part of the result",
                       .bytes = type->bytes,
                       .poison = poison,
                       .guard = BUFFER_GUARD};
    struct buffer partial = {.what = "the partial sums", .bytes = type->bytes, .poison = poison};
    /* At most a chunk more than the share, whichever the layout. */
    size_t most = spread_share(largest->n, count) + MOST_CHUNK;

    most = most < largest->n ? most : largest->n;
    status = spread_output(&s->x, &x, setting, count, most);
    if (status == 0)
        status = spread_output(&s->y, &y, setting, count, most);
    if (status == 0)
        status = spread_output(&s->partial, &partial, setting, count, 2 * (size_t)largest->blocks);
    for (int d = 0; d < count && status == 0; d++) {
        s->work.x[d] = (const element *)s->x.part[d].device;
        s->work.y[d] = (element *)s->y.part[d].device;
        s->work.partial[d] = (element *)s->partial.part[d].device;
    }
    return status;
}

static struct work *create(const struct setting *setting, const struct shape *largest)
{
    struct spreadscan *s = (struct spreadscan *)work_new(sizeof(*s));
    int count = devices(largest), status;

    if (!s)
        return NULL;
    s->work.places = setting->places;
    status = spread_connect(setting->places, count);
    if (status == 0 && count > 0) /* 0: all that was asked for is refused */
        status = make_whole(s, setting, largest->n);
    if (status == 0 && count > 0)
        status = make_parts(s, setting, largest);
    if (status == 0 && count > 0)
        status = make_words(s, setting, largest);
    if (status == 0)
        status = device_barrier_make(&s->work.barrier, setting->places, count);
    if (status != 0) {
        destroy(&s->work);
        return NULL;
    }
    return &s->work;
}

static int set(struct work *work, const struct shape *shape)
{
    ((struct spreadscan *)work)->shape = *shape;
    work->n = shape->n;
    work->devices = devices(shape);
    work->blocks = shape->blocks;
    work->threads = shape->threads;
    return 0;
}

static int prepare(struct work *work, const struct variant *variant)
{
    struct spreadscan *s = (struct spreadscan *)work;
    struct dealt dealt = dealt_of(&s->shape, variant->rules & CYCLIC);
    int status = buffer_restore(&s->in, work->n, false);

    work->chunk = dealt.chunk;
    for (int d = 0; d < dealt.devices; d++)
        work->length[d] = dealt_to(&dealt, d);
    if (status == 0)
        status = spread_deal(&s->x, &s->in, &dealt);
    for (int d = dealt.devices - 1; d >= 0 && status == 0; d--)
        status = buffer_poison(&s->y.part[d], work->length[d]);
    return status;
}

/* Some launches more, without a wait between: a device may be ahead of another, but not so far that
 * their words meet. */
static int launch_often(struct spreadscan *s, const struct variant *variant)
{
    int status = 0;

    for (int d = s->work.devices - 1; d >= 0 && status == 0; d--)
        status = buffer_poison(&s->y.part[d], s->work.length[d]);
    for (int i = 0; i < 4 && status == 0; i++)
        variant->launch(&s->work);
    return status == 0 ? device_check(cudaGetLastError()) : status;
}

static int compare(struct spreadscan *s, const struct variant *variant, struct result *result)
{
    struct work *work = &s->work;
    struct dealt dealt = dealt_of(&s->shape, variant->rules & CYCLIC);
    int status = spread_collect(&s->out, &s->y, &dealt);

    if (status == 0)
        status = prefix_verify(&s->prefix, work->n, variant->depth(&s->shape), variant, result);
    spread_point(&s->y, &s->out, &dealt, result);
    for (int d = 0; d < work->devices && status == 0 && result->verdict == VERDICT_OK; d++)
        status = buffer_verdict(&s->y.part[d], variant, work->length[d], (struct wrong){0}, result);
    return status == 0 ? device_use(work->places[0].device) : status;
}

static int settle(struct work *work, const struct variant *variant, struct result *result)
{
    struct spreadscan *s = (struct spreadscan *)work;
    struct dealt dealt = dealt_of(&s->shape, variant->rules & CYCLIC);
    int status = spread_collect(&s->in, &s->x, &dealt);

    if (status == 0)
        status = buffer_settle(&s->in, variant, result);
    spread_point(&s->x, &s->in, &dealt, result);
    return status;
}

/* An input that was written to explains a wrong result of it. */
static int explain(struct spreadscan *s, const struct variant *variant, struct result *result)
{
    struct dealt dealt = dealt_of(&s->shape, variant->rules & CYCLIC);
    struct result input = {.verdict = VERDICT_OK};
    int status = settle(&s->work, variant, &input);

    if (status == 0 && input.verdict != VERDICT_OK)
        *result = input;
    return status == 0 ? spread_deal(&s->x, &s->in, &dealt) : status;
}

static int verify(struct work *work, const struct variant *variant, struct result *result)
{
    struct spreadscan *s = (struct spreadscan *)work;
    int status = compare(s, variant, result);

    if (status == 0 && result->verdict == VERDICT_OK) {
        status = launch_often(s, variant);
        if (status == 0)
            status = compare(s, variant, result);
    }
    return status == 0 && result->verdict != VERDICT_OK ? explain(s, variant, result) : status;
}

static double bytes(const struct shape *s)
{
    return 2.0 * (double)s->n * (double)s->type->bytes;
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
     {"-n 2^28 -r 15", "-n 2^28 -r 15 --devices 1", "--sweep 10:31 -r 5 -w 2",
      "--sweep 10:31 -r 5 -w 2 --devices 1"}},
    {QUICK | CPU_ONLY, {"-n 1000 --devices 2 -r 3"}},
    {QUICK | GPU_ONLY, {"-n 2^16 -r 3"}},
    {COUNTED, {"-n 5000 --devices 1 -b 1"}}, /* no other block to wait for */
    {SANITIZED, {"-n 1000 --devices 1"}},
    {MUTATED,
     {"-n 1000 --devices 2", "-n 70003 --devices 3 -b 2", "-n 777 --devices 4 -b 1",
      "-n 200003 --devices 2 -b 3", "-n 5 --devices 1", "-n 200003 --devices 1 -b 33",
      "-n 30011 --devices 2 -b 40", "-n 1003 --devices 2 -b 5 --input hostile --seed 0",
      "-n 19801 --devices 1 -b 5", "-n 383 --devices 1 -b 1", "-n 6 --devices 4",
      "-n 5 --devices 2", "-n 30011 --devices 8 -b 5", "-n 16376 --devices 2 -b 1"}},
    {CHECKED, {"-n 1000 --devices 2", "-n 20003 --devices 3 -b 2", "-n 0 --devices 2"}},
    {TESTED,
     {"-n 400001 --devices 2 -b 5 -r 1", "-n 20003 --devices 4 -b 3", "-n 1001 --devices 8",
      "-n 1001 --devices 16"}},
    {0},
};

const struct family spreadscan_family = {
    .name = "spreadscan",
    .title = "Scan of a spread array",
    .group = "devices",
    .axes = axes,
    .axis_count = COUNT(axes),
    .options = OPTION_INPUT | OPTION_BLOCKS,
    .inputs = input_names,
    .measure = MEASURE_BYTES,
    .charts = "ladder rate",
    .test = {"", "1 2 5", ""},
    .launches = launches,
    .devices = devices,
    .calls = spread_calls,
    .default_shape = default_shape,
    .work = {create, set, prepare, verify, settle, destroy},
    .bytes = bytes,
};
