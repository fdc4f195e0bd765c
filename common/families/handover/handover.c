/*
 * The handover family's side of the harness: its words, its verdict, its launches.
 */
#include "families/handover/handover.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <cuda_runtime_api.h>

#include "harness/kit/device.h"

#define CHECKED_ROUNDS 8

/* Several times what a round takes. */
#ifdef BACKEND_CPU
#define DELAY_SECONDS 200e-6
#else
#define DELAY_SECONDS 20e-6
#endif

enum { N, DEVICES };

struct handover {
    struct work work; /* first: the launch functions get this part */
    struct spread slots, errors;
    unsigned rounds; /* of a timed launch */
};

static int devices(const struct shape *s)
{
    return (int)s->axis[DEVICES];
}

static void default_shape(struct shape *s)
{
    spread_default_devices(&s->axis[DEVICES]);
    if (s->threads == 0)
        s->threads = 32;
    if (s->blocks == 0)
        s->blocks = 1;
}

static bool refuse(const struct shape *s, const struct variant *v, char *why, size_t room)
{
    (void)v;
    if (s->threads < devices(s))
        snprintf(why, room,
                 "each device needs a thread of the block; got %d threads for %d devices",
                 s->threads, devices(s));
    else
        return false;
    return true;
}

static void destroy(struct work *work)
{
    struct handover *f = (struct handover *)work;

    device_barrier_free(&work->task.barrier);
    spread_free(&f->slots);
    spread_free(&f->errors);
    free(f);
}

static int make_arrays(struct handover *f, const struct setting *setting,
                       const struct shape *largest)
{
    struct buffer words = {.what = "the slots", .bytes = sizeof(unsigned)};
    int count = devices(largest);
    int status = spread_output(&f->slots, &words, setting, count,
                               (size_t)2 * MAX_SPREAD * (size_t)largest->blocks);

    if (status == 0)
        status = spread_output(&f->errors, &words, setting, count, 1);
    for (int d = 0; d < count; d++) {
        f->work.task.slots[d] = (unsigned *)f->slots.part[d].device;
        f->work.task.errors[d] = (unsigned *)f->errors.part[d].device;
    }
    return status;
}

static struct work *create(const struct setting *setting, const struct shape *largest)
{
    struct handover *f = (struct handover *)work_new(sizeof(*f));
    double hz = setting->places[0].device->clock_hz;
    int status;

    if (!f)
        return NULL;
    f->work.places = setting->places;
    f->work.task.delay = (long long)(DELAY_SECONDS * (isnan(hz) ? 1e9 : hz));
    status = spread_connect(setting->places, devices(largest));
    if (status == 0)
        status = make_arrays(f, setting, largest);
    if (status == 0)
        status = device_barrier_make(&f->work.task.barrier, setting->places, devices(largest));
    if (status != 0) {
        destroy(&f->work);
        return NULL;
    }
    return &f->work;
}

static int set(struct work *work, const struct shape *shape)
{
    struct handover *f = (struct handover *)work;

    work->task.barrier.devices = devices(shape);
    work->blocks = shape->blocks;
    work->threads = shape->threads;
    f->rounds = (unsigned)shape->n;
    return 0;
}

static int prepare(struct work *work, const struct variant *variant)
{
    struct handover *f = (struct handover *)work;
    int count = work->task.barrier.devices, status = spread_poison(&f->errors, count, 1);

    (void)variant;
    if (status == 0)
        status = spread_poison(&f->slots, count, f->slots.part[0].capacity);
    work->task.rounds = f->rounds;
    work->task.checks = false;
    return status;
}

/* The same kernels once more, on the words as the timed launch has left them, with values to look
 * at. */
static int run_checks(struct work *work, const struct variant *variant, unsigned *errors)
{
    struct handover *f = (struct handover *)work;
    int status;

    work->task.rounds = CHECKED_ROUNDS;
    work->task.checks = true;
    variant->launch(work);
    status = device_check(cudaGetLastError());
    if (status == 0)
        status = spread_wait(&f->slots, work->task.barrier.devices);
    for (int d = 0; d < work->task.barrier.devices && status == 0; d++) {
        const struct buffer *b = &f->errors.part[d];
        unsigned own = 0;

        status = device_copy(&b->place, &own, b->device, sizeof(own));
        *errors += own;
    }
    return status;
}

/* What the words of the first blocks, by which devices tell the next one, lack to the number of all
 * rounds so far. */
static int rounds_missing(const struct work *work, int *missing)
{
    const struct device_barrier *b = &work->task.barrier;
    int status = 0;

    for (int d = 0; d < b->devices && status == 0; d++) {
        int before = (d + b->devices - 1) % b->devices;
        unsigned word = 0;

        status = device_copy(&work->places[d], &word, b->flags[d] + before, sizeof(word));
        if (word != work->task.passed)
            *missing = (int)(work->task.passed - word);
    }
    return status;
}

static int verify(struct work *work, const struct variant *variant, struct result *result)
{
    unsigned errors = 0;
    int missing = 0, status = run_checks(work, variant, &errors);

    if (status == 0)
        status = rounds_missing(work, &missing);
    *result = (struct result){
        .verdict = errors || missing ? VERDICT_WRONG : VERDICT_OK, .error = errors, .bound = 0};
    if (missing)
        snprintf(result->note, sizeof(result->note), "%d rounds too few", missing);
    if (errors)
        snprintf(result->note, sizeof(result->note), "%u values were read too early", errors);
    return status;
}

static const struct axis axes[] = {
    [N] = {.name = "n",
           .help = "rounds of a launch: 1000, 2^10",
           .most = INT32_MAX,
           .cpu = 10,
           .cuda = 1000,
           .test = "0 1 2 5"},
    [DEVICES] = SPREAD_AXIS,
};

static const struct launches launches[] = {
    {LADDER | CPU_ONLY, {"--devices 2", "--devices 4"}},
    {RECORD | CPU_ONLY, {"--devices 1"}}, /* polls would be counted, and differ */
    {LADDER | RECORD | GPU_ONLY, {"-r 15", "-b 16 -r 15", "-b 132 -r 15"}},
    {SWEEP | CPU_ONLY, {"--devices 4 --sweep 0:5 -r 3 -w 1"}},
    {SWEEP | GPU_ONLY, {"--sweep 0:10 -r 3 -w 1"}},
    {QUICK | CPU_ONLY, {"--devices 2 -r 3"}},
    {QUICK | GPU_ONLY, {"-r 3"}},
    {COUNTED, {"-n 20 --devices 1 -b 1 -t 32"}}, /* no other block to wait for */
    {SANITIZED, {"-n 20 --devices 1"}},
    {MUTATED,
     {"-n 5 --devices 2", "-n 3 --devices 3 -b 2 -t 64", "-n 4 --devices 4 -b 5",
      "-n 1 --devices 1"}},
    {CHECKED, {"-n 3 --devices 2", "-n 3 --devices 3 -b 2 -t 64"}},
    {TESTED, {"-n 20 --devices 8", "-n 9 --devices 16 -b 2"}},
    {0},
};

const struct family handover_family = {
    .name = "handover",
    .title = "Flags between devices",
    .group = "devices",
    .axes = axes,
    .axis_count = COUNT(axes),
    .options = OPTION_BLOCKS,
    .item = "round",
    .measure = MEASURE_ITEM,
    .charts = "cost",
    .test = {"32 33 1024", "1 2 5", ""},
    .launches = launches,
    .devices = devices,
    .default_shape = default_shape,
    .refuse = refuse,
    .work = {create, set, prepare, verify, NULL, destroy},
};
