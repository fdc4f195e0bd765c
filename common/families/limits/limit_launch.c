/*
 * limit-launch's side of the harness.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <cuda_runtime_api.h>

#include "families/limits/limits_arrays.h"
#include "harness/kit/device.h"

#define MAX_STARTS ((size_t)1 << 24)
#define MAX_HELD 512       /* more may not fit the queue, and the host would wait for the device */
#define HOST_SECONDS 20e-6 /* a launch on a slow host */

static void default_shape(struct shape *s)
{
    if (s->threads == 0)
        s->threads = 256;
    s->blocks = 1;
}

static bool refuse(const struct shape *s, const struct variant *v, char *why, size_t room)
{
    if (v->rules & HELD && s->n > MAX_HELD)
        snprintf(why, room, "the queue holds at most %d launches; got %zu", MAX_HELD, s->n);
    else if (s->n > MAX_STARTS)
        snprintf(why, room, "at most 2^24 launches or blocks are started; got %zu", s->n);
    else
        return false;
    return true;
}

static int set(struct work *work, const struct shape *shape)
{
    arrays_set((struct arrays *)work, shape);
    return 0;
}

/* Longer than the host needs for the launches. On the CPU device a launch waits for its end. */
static long long cycles_of(size_t launches)
{
#ifdef BACKEND_CPU
    (void)launches;
    return 1;
#else
    const struct device *device = device_in_use();
    double hz = device && !isnan(device->clock_hz) ? device->clock_hz : 2e9;

    return (long long)(hz * HOST_SECONDS * ((double)launches + 10));
#endif
}

static int prepare(struct work *work, const struct variant *variant)
{
    int status = arrays_prepare(work, variant);

    if (status != 0 || !(variant->rules & HELD))
        return status;
    work->hold = cycles_of(work->n);
    variant->launch(work); /* and the timed launches come behind it */
    work->hold = 0;
    return device_check(cudaGetLastError());
}

static size_t one(const struct arrays *a, const struct variant *variant)
{
    (void)a;
    (void)variant;
    return 1;
}

static bool right(const struct arrays *a, const struct variant *variant, size_t i, const void *y)
{
    unsigned long long threads = (unsigned long long)a->shape.n * (unsigned)a->shape.threads;

    (void)variant;
    (void)i;
    return memcmp(y, &threads, sizeof(threads)) == 0;
}

static const struct output output = {one, right, .added_to = true};

static struct work *create(const struct setting *setting, const struct shape *largest)
{
    struct arrays *a =
        (struct arrays *)arrays_create(sizeof(*a), 0, 1, sizeof(unsigned long long), &output);

    (void)setting;
    (void)largest;
    return a ? &a->work : NULL;
}

/* The timed launches must have left the count alone; then the same are launched once more, and
 * count. */
static int verify(struct work *work, const struct variant *variant, struct result *result)
{
    struct arrays *a = (struct arrays *)work;
    unsigned long long count = 0;
    int status =
        device_check(cudaMemcpy(&count, a->y.device, sizeof(count), cudaMemcpyDeviceToHost));

    if (status != 0)
        return status;
    if (count != 0)
        return arrays_verdict(a, variant, 1, 1, 0, result);
    work->counts = true;
    variant->launch(work);
    work->counts = false;
    status = device_check(cudaGetLastError());
    return status == 0 ? arrays_verify(work, variant, result) : status;
}

static const struct axis axes[] = {{
    .name = "n",
    .help = "launches, or blocks of one launch",
    .words = "launches, or blocks of one launch",
    .cpu = 16,
    .cuda = 512,
    .test = "0 1 2 33",
}};

static const struct launches launches[] = {
    {LADDER | SWEEP | RECORD | CPU_ONLY, {""}},
    {QUICK | CPU_ONLY, {"-r 3"}},
    {QUICK | GPU_ONLY, {"-r 5 -n 64"}},
    {COUNTED | SANITIZED | MUTATED, {"-n 3 -t 64"}},
    {CHECKED, {"-n 3 -t 33"}},
    {TESTED, {"-n 10 -t 1024"}},
    {0},
};

static const struct machine_row numbers[] = {
    {"next_operation", "each further launch that waits in the queue", "held", "n=512 threads=256",
     "us_per_item", 1},
    {"block_start", "a block of 256 threads, on one multiprocessor", "blocks", "n=2^20 threads=256",
     "us_per_item", 1000, false, 1},
    {"wide_block_start", "a block of 1024 threads, on one multiprocessor", "blocks",
     "n=2^20 threads=1024", "us_per_item", 1000, false, 1},
    {NULL},
};

const struct family limit_launch_family = {
    .name = "limit-launch",
    .title = "Launches and blocks",
    .group = "limits",
    .axes = axes,
    .axis_count = COUNT(axes),
    .item = "start",
    .measure = MEASURE_ITEM,
    .charts = "swept:n:us_per_item",
    .test = {"1 33 64", "", ""},
    .launches = launches,
    .numbers = numbers,
    .default_shape = default_shape,
    .refuse = refuse,
    .work = {create, set, prepare, verify, NULL, arrays_destroy},
};
