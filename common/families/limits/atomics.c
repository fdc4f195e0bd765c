/*
 * limit-atomics' side of the harness.
 */
#include <stdio.h>
#include <string.h>

#include "families/limits/arrays.h"

#define N 0
#define RESIDENT 1
#define WARP 32
#define MOST_IN_FLOAT 16777216.0 /* counts up to here are exact */

static void default_shape(struct shape *s)
{
    arrays_resident_shape(s, RESIDENT);
}

void atomics_one_warp(struct shape *s)
{
    s->blocks = 1;
    s->threads = WARP;
}

void atomics_one_thread(struct shape *s)
{
    s->blocks = s->threads = 1;
}

static bool refuse(const struct shape *s, const struct variant *v, char *why, size_t room)
{
    double all = (double)s->n * (double)arrays_threads(s);

    (void)v;
    if (all <= MOST_IN_FLOAT)
        return false;
    snprintf(why, room, "%zu additions of %zu threads are more than 2^24", s->n, arrays_threads(s));
    return true;
}

static struct work *create(const struct setting *setting, const struct shape *largest)
{
    struct arrays *a = arrays_create(sizeof(*a), 0, LINE_WORDS * (arrays_threads(largest) + 1),
                                     setting->type->bytes);

    return a ? &a->work : NULL;
}

static int set(struct work *work, const struct shape *shape)
{
    arrays_set((struct arrays *)work, shape);
    return 0;
}

static size_t outputs(const struct arrays *a, const struct variant *v)
{
    size_t threads = arrays_threads(&a->shape);

    if (v->threads) /* alone: one word of each lane, and one beside for who has one */
        return v->threads == 1 ? 2 : WARP;
    return v->rules & TO_ONE      ? 1
           : v->rules & TO_LINE   ? LINE_WORDS
           : v->rules & TO_LINES  ? LINE_WORDS * threads
           : v->rules & PER_BLOCK ? (size_t)a->shape.blocks
                                  : threads;
}

static int prepare(struct work *work, const struct variant *variant)
{
    struct arrays *a = (struct arrays *)work;

    return arrays_clear(a, outputs(a, variant));
}

/* How often 1 was added to word i. */
static size_t additions(const struct arrays *a, unsigned rules, size_t i)
{
    size_t threads = arrays_threads(&a->shape), n = a->shape.n;

    if (rules & TO_ONE)
        return n * threads;
    if (rules & TO_LINE)
        return n * (threads / LINE_WORDS + (i < threads % LINE_WORDS));
    if (rules & TO_LINES)
        return i % LINE_WORDS ? 0 : n;
    return rules & PER_BLOCK ? n * (size_t)a->shape.threads : n;
}

/* Of the launches of one thread or warp: twice the count and then nothing, the last round's number and
 * then nothing, or the number of the lane whose value has arrived. */
static uint32_t alone(const struct arrays *a, const struct variant *variant, size_t i)
{
    uint32_t n = (uint32_t)a->shape.n;

    if (variant->threads == WARP)
        return (uint32_t)((i + n) % WARP);
    return i ? 0 : variant->rules & TO_ONE ? 2 * n : n;
}

static bool right(const struct arrays *a, const struct variant *variant, size_t i, const void *y)
{
    size_t count = variant->threads ? 0 : additions(a, variant->rules, i);
    uint32_t wanted = variant->threads ? alone(a, variant, i) : (uint32_t)count;
    float f32 = (float)count;

    if (!variant->threads && a->shape.type == &type_f32)
        return memcmp(y, &f32, sizeof(f32)) == 0;
    return memcmp(y, &wanted, sizeof(wanted)) == 0;
}

static int verify(struct work *work, const struct variant *variant, struct result *result)
{
    struct arrays *a = (struct arrays *)work;

    return arrays_verify(a, variant, outputs(a, variant), right, result);
}

/* An operation of each thread. */
static double flops(const struct shape *s)
{
    return (double)s->n * (double)arrays_threads(s);
}

double atomics_alone(const struct shape *s)
{
    return (double)s->n;
}

static const struct axis axes[] = {
    [N] = {.name = "n",
           .help = "operations of a thread, one after the other",
           .cpu = 16,
           .cuda = 16,
           .test = "0 1 2 17"},
    [RESIDENT] = {.name = "resident",
                  .option = "resident",
                  .help = "blocks for each multiprocessor (default 4)",
                  .least = 1,
                  .most = 32,
                  .cpu = 1,
                  .cuda = 4,
                  .test = "1 2"},
};

#define ALONE "-v round-trip -v fence -v shuffle -n 16384 -r 15"
#define SHARED "-v shared-same -v shared-bank -v shared-spread"

static const struct launches launches[] = {
    {"ladder", "", "-r 15\n" ALONE "\n--type i32 -r 15\n" SHARED " -n 64 -r 15"},
    {"sweep", "", "--sweep resident=0:3 -r 5 -w 1"},
    {"quick", "-r 3", "-r 3"},
    {"record", "", "-r 15\n" ALONE "\n--type i32 -r 15\n--sweep resident=0:3 -r 5 -w 1"},
    {"counted", "-n 3 --resident 1 -t 64"},
    {"sanitized", "-n 3 --resident 1 -t 64"},
    {"mutated", "-n 3 --resident 1 -t 64"},
    {"checked", "-n 3 --resident 1 -t 33"},
    {"tested", "-n 3 -t 1024 --resident 1"},
    {NULL, NULL, NULL},
};

const struct family limit_atomics_family = {
    .name = "limit-atomics",
    .title = "Atomics, fences, shuffles",
    .group = "limits",
    .axes = axes,
    .axis_count = COUNT(axes),
    .item = "operation",
    .measure = MEASURE_ITEM,
    .charts = "ladder",
    .test = {"1 31 32 33 64 1024", "", ""},
    .launches = launches,
    .default_shape = default_shape,
    .refuse = refuse,
    .work = {create, set, prepare, verify, NULL, arrays_destroy},
    .flops = flops,
};
