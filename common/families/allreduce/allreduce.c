/*
 * The allreduce family's side of the harness: an array per device, its verdict, its launches.
 */
#include "families/allreduce/allreduce.h"

#include <stdio.h>
#include <stdlib.h>

#include <cuda_runtime_api.h>

#include "harness/kit/device.h"
#include "harness/kit/input.h"

enum { N, DEVICES };

struct allreduce {
    struct work work; /* first: the launch functions get this part */
    struct spread in, out, scratch, kept;
    const struct type *type;
};

static int devices(const struct shape *s)
{
    return (int)s->axis[DEVICES];
}

void allreduce_default_shape(struct shape *s)
{
    size_t quads, wanted, most = (size_t)device_to_fill(s);

    spread_default_devices(&s->axis[DEVICES]);
    quads = s->n / 4 / s->axis[DEVICES];
    if (s->threads == 0)
        s->threads = 512;
    wanted = quads / (size_t)s->threads + 1;
    if (s->blocks == 0)
        s->blocks = (int)(wanted < most ? wanted : most);
}

static void destroy(struct work *work)
{
    struct allreduce *a = (struct allreduce *)work;

    spread_events_free(work->done);
    device_barrier_free(&work->barrier);
    spread_free(&a->in);
    spread_free(&a->out);
    spread_free(&a->scratch);
    spread_free(&a->kept);
    free(a);
}

static size_t packets_for(size_t n)
{
    return n < MAX_PACKED ? n : MAX_PACKED;
}

/* Elements that any variant needs as scratch memory. */
static size_t scratch_for(size_t n, int p)
{
    size_t shares = (size_t)p * spread_share(n, p), packed = 2 * 2 * (size_t)p * packets_for(n);

    return shares > packed ? shares : packed;
}

static int make_arrays(struct allreduce *a, const struct setting *setting,
                       const struct shape *largest)
{
    int count = devices(largest);
    const struct type *type = setting->type;
    struct buffer in = {.what = "an input", .bytes = type->bytes, .type = type};
    struct buffer out = {.what = "an output",
                         .bytes = type->bytes,
                         .poison = buffer_poison_of(type),
                         .guard = BUFFER_GUARD};
    struct buffer kept = {.what = "a copy of an input", .bytes = type->bytes};
    struct buffer scratch = {.what = "scratch memory", .bytes = type->bytes};
    int status;

    if (count == 0) /* all that was asked for is refused */
        return 0;
    status = spread_input(&a->in, &in, setting, count, largest->n);
    if (status == 0)
        status = spread_output(&a->out, &out, setting, count, largest->n);
    if (status == 0)
        status =
            spread_output(&a->scratch, &scratch, setting, count, scratch_for(largest->n, count));
    if (status == 0)
        status = spread_output(&a->kept, &kept, setting, count, largest->n);
    if (status == 0) /* no flag of a value is there before it is stored */
        status = spread_poison(&a->scratch, count, a->scratch.part[0].capacity);
    a->work.packets = packets_for(largest->n);
    for (int i = 0; i < count; i++) {
        a->work.in[i] = (const element *)a->in.part[i].device;
        a->work.out[i] = (element *)a->out.part[i].device;
        a->work.scratch[i] = (element *)a->scratch.part[i].device;
    }
    return status;
}

static struct work *create(const struct setting *setting, const struct shape *largest)
{
    struct allreduce *a = (struct allreduce *)work_new(sizeof(*a));
    int status;

    if (!a)
        return NULL;
    a->type = setting->type;
    a->work.places = setting->places;
    status = spread_connect(setting->places, devices(largest));
    if (status == 0)
        status = make_arrays(a, setting, largest);
    if (status == 0)
        status = device_barrier_make(&a->work.barrier, setting->places, devices(largest));
    if (status == 0)
        status = spread_events(a->work.done, setting->places, devices(largest));
    if (status != 0) {
        destroy(&a->work);
        return NULL;
    }
    return &a->work;
}

static int set(struct work *work, const struct shape *shape)
{
    work->n = shape->n;
    work->devices = devices(shape);
    work->share = spread_share(work->n, work->devices);
    work->blocks = shape->blocks;
    work->threads = shape->threads;
    return 0;
}

static int prepare(struct work *work, const struct variant *variant)
{
    struct allreduce *a = (struct allreduce *)work;
    int status = spread_restore(&a->in, work->devices, work->n, false);

    (void)variant;
    return status == 0 ? spread_poison(&a->out, work->devices, work->n) : status;
}

static int compare(struct allreduce *a, const struct variant *variant, bool first,
                   struct result *result)
{
    int p = a->work.devices, status = 0;
    struct spread_sum sum = {.terms = p, .n = a->work.n, .floats = a->type == &type_f32};

    for (int d = 0; d < p; d++)
        sum.in[d] = a->in.part[d].device;
    for (int d = 0; d < p && status == 0; d++) {
        if (!spread_is_here(d))
            continue;
        sum.out = a->out.part[d].device;
        status = spread_verdict(&a->out, d, &sum, variant, first, result);
        first = false;
    }
    return status;
}

/* Queue in each device's stream a copy from one of its arrays to another, of equal parts. */
static int copy_all(struct allreduce *a, struct spread *to, const struct spread *from)
{
    int status = 0;

    for (int d = a->work.devices - 1; d >= 0 && status == 0; d--) {
        const struct buffer *part = &from->part[d];

        if (spread_is_here(d))
            status = spread_rows(part, 0, to->part[d].device, a->work.n * part->bytes, 0, 1, false);
    }
    return status;
}

/* The same input once more: what one launch leaves in flags and scratch memory, the next one meets,
 * and each second one has the other half of it. In each stream, the arrays are written to until
 * just before the launch, and just behind it the output is read and the input written to again:
 * that all devices are so far, the launch must see to itself. */
static int launch_again(struct allreduce *a, const struct variant *variant)
{
    int p = a->work.devices, status = copy_all(a, &a->kept, &a->in);

    if (status == 0)
        status = copy_all(a, &a->in, &a->kept);
    if (status == 0)
        status = spread_poison(&a->out, p, a->work.n);
    if (status != 0)
        return status;
    variant->launch(&a->work);
    status = device_check(cudaGetLastError());
    if (status == 0)
        status = copy_all(a, &a->in, &a->out);
    if (status == 0)
        status = spread_wait(&a->out, p);
    if (status == 0)
        status = copy_all(a, &a->out, &a->in);
    if (status == 0)
        status = copy_all(a, &a->in, &a->kept);
    return status == 0 ? spread_wait(&a->out, p) : status;
}

static int settle(struct work *work, const struct variant *variant, struct result *result)
{
    return spread_settle(&((struct allreduce *)work)->in, work->devices, variant, result);
}

/* An input that was written to explains a wrong result of it. */
static int explain(struct allreduce *a, const struct variant *variant, struct result *result)
{
    struct result input = {.verdict = VERDICT_OK};
    int status = settle(&a->work, variant, &input);

    if (status == 0 && input.verdict != VERDICT_OK)
        *result = input;
    return status;
}

static int verify(struct work *work, const struct variant *variant, struct result *result)
{
    struct allreduce *a = (struct allreduce *)work;
    int status = compare(a, variant, true, result);
    bool good = status == 0 && ranks_agree(result->verdict == VERDICT_OK);

    if (good)
        status = launch_again(a, variant);
    if (good && status == 0)
        status = compare(a, variant, false, result);
    return status == 0 && result->verdict != VERDICT_OK ? explain(a, variant, result) : status;
}

/* What each device must send at least, and so what crosses its link one way: nccl-tests divides by
 * it for the bus bandwidth of an all-reduce. */
static double bytes(const struct shape *s)
{
    double p = (double)s->axis[DEVICES];

    return 2 * (p - 1) / p * (double)s->type->bytes * (double)s->n;
}

static const struct axis axes[] = {
    [N] = {.name = "n",
           .help = "elements of each device's array: 1000003, 2^20",
           .cpu = (size_t)1 << 14,
           .cuda = (size_t)1 << 22,
           .test = "0 1 2 3 5 31 100 1000",
           .large = "4097 70001"},
    [DEVICES] = SPREAD_AXIS,
};

static const struct launches launches[] = {
    {LADDER | CPU_ONLY, {"--devices 4"}},
    {RECORD | CPU_ONLY, {"--devices 1"}}, /* polls would be counted, and differ */
    {LADDER | RECORD | GPU_ONLY, {"-n 2^22 -r 15"}},
    SPREAD_LAUNCHES,
    {COUNTED, {"-n 2^12 --devices 1 -b 1 -t 512"}}, /* no other block to wait for */
    {MUTATED,
     {"-n 1000 --devices 2", "-n 1003 --devices 3 -b 2 -t 64", "-n 77 --devices 4 -b 1 -t 32",
      "-n 4099 --devices 4 -b 3 -t 32", "-n 77 --devices 1", "-n 5 --devices 4"}},
    {0},
};

const struct family allreduce_family = {
    .name = "allreduce",
    .title = "All-reduce",
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
    .default_shape = allreduce_default_shape,
    .work = {create, set, prepare, verify, settle, destroy},
    .bytes = bytes,
};
