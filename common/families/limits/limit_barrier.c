/*
 * limit-barrier's side of the harness.
 */
#include <stdio.h>
#include <string.h>

#include "families/limits/limits_arrays.h"

#define N 0
#define BETWEEN 1
#define RESIDENT 2

struct rounds {
    struct arrays arrays; /* first */
    float sum[CHAINS_TOGETHER];
};

static void default_shape(struct shape *s)
{
    arrays_resident_shape(s, RESIDENT);
}

static bool refuse(const struct shape *s, const struct variant *v, char *why, size_t room)
{
    (void)v;
    if (s->n <= INT32_MAX / s->axis[BETWEEN])
        return false;
    snprintf(why, room, "a launch has at most 2^31-1 rounds times --between; got %zu rounds", s->n);
    return true;
}

static int set(struct work *work, const struct shape *shape)
{
    struct rounds *r = (struct rounds *)work;

    arrays_set(&r->arrays, shape);
    work->between = shape->axis[BETWEEN];
    memset(r->sum, 0, sizeof(r->sum));
    for (int k = 0; k < CHAINS_BETWEEN; k++) {
        float x[CHAINS_TOGETHER];

        for (size_t lane = 0; lane < COUNT(x); lane++)
            x[lane] = chain_start(lane, k);
        chains_f32(x, TERM_f32, shape->n * shape->axis[BETWEEN] * (GROUP / CHAINS_BETWEEN));
        for (size_t lane = 0; lane < COUNT(x); lane++)
            r->sum[lane] += x[lane];
    }
    return 0;
}

static bool right(const struct arrays *a, const struct variant *variant, size_t i, const void *y)
{
    const struct rounds *r = (const struct rounds *)a;
    size_t lane = i % (size_t)a->shape.threads % 32;
    float wanted = variant->rules & ALONE ? chain_start(lane, 0) + (float)a->shape.n : r->sum[lane];

    return memcmp(y, &wanted, sizeof(wanted)) == 0;
}

static const struct output output = {.right = right};

static struct work *create(const struct setting *setting, const struct shape *largest)
{
    struct rounds *r = (struct rounds *)arrays_create(sizeof(*r), 0, arrays_threads(largest),
                                                      sizeof(float), &output);

    (void)setting;
    return r ? &r->arrays.work : NULL;
}

static double flops(const struct shape *s)
{
    return 2.0 * GROUP * (double)s->n * (double)s->axis[BETWEEN] * (double)arrays_threads(s);
}

double barrier_no_flops(const struct shape *s)
{
    (void)s;
    return 0;
}

static const struct axis axes[] = {
    [N] = {.name = "n",
           .help = "rounds, each with a barrier",
           .cpu = 20,
           .cuda = 4096,
           .test = "0 1 2 3"},
    [BETWEEN] = {.name = "between",
                 .option = "between",
                 .help = "32 multiply-adds of a thread, so often between two barriers",
                 .words = "work between two barriers",
                 .unit = "32 multiply-adds of a thread",
                 .least = 1,
                 .most = 1024,
                 .cpu = 2,
                 .cuda = 1,
                 .test = "1 2 3"},
    [RESIDENT] = {RESIDENT_AXIS(1, 1)},
};

static const struct launches launches[] = {
    {LADDER | SWEEP | RECORD | CPU_ONLY, {""}},
    {QUICK | CPU_ONLY, {"-r 3"}},
    {QUICK | GPU_ONLY, {"-r 3 -n 512"}},
    {COUNTED | SANITIZED, {"-n 20 --between 3 -b 3 -t 64"}},
    {MUTATED, {"-n 3 --between 2 -b 3 -t 64"}},
    {CHECKED, {"-n 3 --between 2 -b 3 -t 33"}},
    {TESTED, {"-n 3 --between 2 -b 3 -t 1024"}},
    {0},
};

static const struct machine_row numbers[] = {
    {"block_barrier", "a barrier of a block of 256 threads", "alone",
     "n=2^17 threads=256 resident=1", "us_per_item", 1000},
    {NULL},
};

const struct family limit_barrier_family = {
    .name = "limit-barrier",
    .title = "Barriers of a block",
    .group = "limits",
    .axes = axes,
    .axis_count = COUNT(axes),
    .options = OPTION_BLOCKS,
    .item = "round",
    .measure = MEASURE_ITEM,
    .charts = "swept:between:gflop_per_s",
    .test = {"1 31 33 64", "", ""},
    .launches = launches,
    .numbers = numbers,
    .default_shape = default_shape,
    .refuse = refuse,
    .work = {create, set, arrays_prepare, arrays_verify, NULL, arrays_destroy},
    .flops = flops,
};
