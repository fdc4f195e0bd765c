/*
 * limit-atomics' side of the harness.
 */
#include <stdio.h>
#include <string.h>

#include "families/limits/limits_arrays.h"

#define N 0
#define RESIDENT 1
#define WARP 32
#define MAX_IN_FLOAT ((size_t)1 << 24) /* counts up to here are exact */

struct additions {
    struct arrays arrays; /* first */
    uint32_t visits[WALKED_LINES],
        last[WALKED_LINES]; /* of the lines that one thread goes through */
};

static void default_shape(struct shape *s)
{
    arrays_resident_shape(s, RESIDENT);
}

/* How often 1 is added to word i: to none more often than to the first. */
static size_t additions_to(const struct shape *s, unsigned rules, size_t i)
{
    size_t threads = arrays_threads(s), n = s->n;

    if (rules & TO_ONE)
        return n * threads;
    if (rules & TO_LINE)
        return n * (threads / LINE_WORDS + (i < threads % LINE_WORDS));
    if (rules & TO_LINES)
        return i % LINE_WORDS ? 0 : n;
    return rules & PER_BLOCK ? n * (size_t)s->threads : n;
}

static bool refuse(const struct shape *s, const struct variant *v, char *why, size_t room)
{
    bool floats = s->type == &type_f32 && !v->threads; /* alone, a thread or a warp has integers */

    if (s->n > INT32_MAX)
        snprintf(why, room, "a thread does at most 2^31-1 operations; got %zu", s->n);
    else if (floats && additions_to(s, v->rules, 0) > MAX_IN_FLOAT)
        snprintf(why, room, "%zu additions to one float are more than 2^24",
                 additions_to(s, v->rules, 0));
    else
        return false;
    return true;
}

static int set(struct work *work, const struct shape *shape)
{
    struct additions *a = (struct additions *)work;
    size_t line = 0;

    arrays_set(&a->arrays, shape);
    memset(a->visits, 0, sizeof(a->visits));
    for (size_t i = 0; i < shape->n; i++) {
        line = next_line(line, WALKED_LINES);
        a->visits[line]++;
        a->last[line] = (uint32_t)i + 1;
    }
    return 0;
}

static size_t outputs(const struct arrays *a, const struct variant *v)
{
    size_t threads = arrays_threads(&a->shape);

    if (v->threads) /* alone: one thread, or one warp */
        return v->rules & WALKS ? LINE_WORDS * WALKED_LINES : WARP;
    return v->rules & TO_ONE      ? 1
           : v->rules & TO_LINE   ? LINE_WORDS
           : v->rules & TO_LINES  ? LINE_WORDS * threads
           : v->rules & PER_BLOCK ? (size_t)a->shape.blocks
                                  : threads;
}

/* Of the launches of one thread or warp: twice the visits of a line, the number of its last visit,
 * or the number of the lane whose value has arrived. */
static uint32_t alone(const struct additions *a, const struct variant *variant, size_t i)
{
    size_t line = i / LINE_WORDS;

    if (!(variant->rules & WALKS))
        return (uint32_t)((i + a->arrays.shape.n) % WARP);
    if (i % LINE_WORDS || !a->visits[line])
        return 0;
    return variant->rules & ADDS ? 2 * a->visits[line] : a->last[line];
}

static bool right(const struct arrays *a, const struct variant *variant, size_t i, const void *y)
{
    size_t count = variant->threads ? 0 : additions_to(&a->shape, variant->rules, i);
    uint32_t wanted =
        variant->threads ? alone((const struct additions *)a, variant, i) : (uint32_t)count;
    float f32 = (float)count;

    if (!variant->threads && a->shape.type == &type_f32)
        return memcmp(y, &f32, sizeof(f32)) == 0;
    return memcmp(y, &wanted, sizeof(wanted)) == 0;
}

static const struct output output = {outputs, right, .added_to = true};

static struct work *create(const struct setting *setting, const struct shape *largest)
{
    size_t threads = arrays_threads(largest);
    struct additions *a = (struct additions *)arrays_create(
        sizeof(*a), 0, LINE_WORDS * (threads > WALKED_LINES ? threads : WALKED_LINES),
        setting->type->bytes, &output);

    return a ? &a->arrays.work : NULL;
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
           .test = "0 1 2 5"},
    [RESIDENT] = {RESIDENT_AXIS(1, 4)},
};

static const struct launches launches[] = {
    {LADDER | SWEEP | RECORD | CPU_ONLY, {""}},
    {QUICK, {"-r 3"}},
    {COUNTED | SANITIZED, {"-n 3 -b 3 -t 64"}},
    {MUTATED, {"-n 3 -b 3 -t 64", "-n 1 -b 1 -t 1024"}},
    {CHECKED, {"-n 3 -b 3 -t 33"}},
    {TESTED, {"-n 3 -t 1024 --resident 1"}},
    {0},
};

static const struct machine_row numbers[] = {
    {"atomic_latency", "an atomic addition whose answer is needed", "round-trip", "n=16384",
     "us_per_item", 1000},
    {"fence", "a store and __threadfence()", "fence", "n=16384", "us_per_item", 1000},
    {"same_address_atomic", "each of many threads' additions to one word", "global-same",
     "n=16 threads=256 resident=4 type=f32", "gflop_per_s", 1, true},
    {"same_address_integer", "each of many threads' additions of integers to one word",
     "global-same", "n=16 threads=256 resident=4 type=i32", "gflop_per_s", 1, true},
    {NULL},
};

const struct family limit_atomics_family = {
    .name = "limit-atomics",
    .title = "Atomics, fences, shuffles",
    .group = "limits",
    .axes = axes,
    .axis_count = COUNT(axes),
    .options = OPTION_BLOCKS,
    .item = "operation",
    .measure = MEASURE_ITEM,
    .charts = "swept:threads*resident:us_per_item",
    .test = {"1 31 33 64", "", ""},
    .launches = launches,
    .numbers = numbers,
    .default_shape = default_shape,
    .refuse = refuse,
    .work = {create, set, arrays_prepare, arrays_verify, NULL, arrays_destroy},
    .flops = flops,
};
