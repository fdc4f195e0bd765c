/*
 * limit-launch's side of the harness.
 */
#include <stdio.h>
#include <string.h>

#include <cuda_runtime_api.h>

#include "families/limits/arrays.h"
#include "harness/kit/device.h"

#define MOST_STARTS ((size_t)1 << 24)

static void default_shape(struct shape *s)
{
    if (s->threads == 0)
        s->threads = 256;
    s->blocks = 1;
}

static bool refuse(const struct shape *s, const struct variant *v, char *why, size_t room)
{
    (void)v;
    if (s->n <= MOST_STARTS)
        return false;
    snprintf(why, room, "at most 2^24 launches or blocks are started; got %zu", s->n);
    return true;
}

static struct work *create(const struct setting *setting, const struct shape *largest)
{
    struct arrays *a = arrays_create(sizeof(*a), 0, 1, sizeof(unsigned long long));

    (void)setting;
    (void)largest;
    return a ? &a->work : NULL;
}

static int set(struct work *work, const struct shape *shape)
{
    arrays_set((struct arrays *)work, shape);
    return 0;
}

static int prepare(struct work *work, const struct variant *variant)
{
    (void)variant;
    return arrays_clear((struct arrays *)work, 1);
}

static bool right(const struct arrays *a, const struct variant *variant, size_t i, const void *y)
{
    unsigned long long threads = (unsigned long long)a->shape.n * (unsigned)a->shape.threads;

    (void)variant;
    (void)i;
    return memcmp(y, &threads, sizeof(threads)) == 0;
}

/* The timed launches must have left the count alone; then the same are launched once more, and count. */
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
    return status == 0 ? arrays_verify(a, variant, 1, right, result) : status;
}

static const struct axis axes[] = {{
    .name = "n",
    .help = "launches, or blocks of one launch",
    .cpu = 16,
    .cuda = 1024,
    .test = "0 1 2 33",
}};

static const struct launches launches[] = {
    {"ladder", "", "-v queue -n 1 -r 101 -w 10\n-v queue -n 1024 -r 15\n-v blocks -n 2^20 -r 15"},
    {"sweep", "",
     "-v queue --sweep 0:10 -r 15 -w 3\n-v blocks --sweep 0:20 -r 5 -w 2 -t 32\n"
     "-v blocks --sweep 0:20 -r 5 -w 2\n-v blocks --sweep 0:20 -r 5 -w 2 -t 1024"},
    {"quick", "-r 3", "-r 5 -n 64"},
    {"record", "",
     "-v queue -n 1 -r 101 -w 10\n-v queue -n 1024 -r 15\n-v blocks -n 2^20 -r 15\n"
     "-v queue --sweep 0:10 -r 15 -w 3\n-v blocks --sweep 0:20 -r 5 -w 2 -t 32\n"
     "-v blocks --sweep 0:20 -r 5 -w 2\n-v blocks --sweep 0:20 -r 5 -w 2 -t 1024"},
    {"counted", "-n 3 -t 64"},
    {"sanitized", "-n 3 -t 64"},
    {"mutated", "-n 3 -t 64"},
    {"checked", "-n 3 -t 33"},
    {"tested", "-n 10 -t 1024"},
    {NULL, NULL, NULL},
};

static const struct machine_row numbers[] = {
    {"first_operation", "a launch alone, between two events", "queue", "n=1 threads=256",
     "us_per_item", 1},
    {"next_operation", "each further launch in the queue", "queue", "n=1024 threads=256",
     "us_per_item", 1},
    {"block_start", "a block of 256 threads, on one multiprocessor", "blocks", "n=2^20 threads=256",
     "us_per_item", 1000, false, 1},
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
