/*
 * limit-latency's side of the harness.
 */
#include <stdio.h>
#include <string.h>

#include <cuda_runtime_api.h>

#include "families/limits/limits_arrays.h"
#include "harness/kit/vector_code.h"
#include "harness/kit/device.h"

#define N 0
#define RESIDENT 1
#define FOOTPRINT 2
#define LINE_BYTES (4 * LINE_WORDS)
#define LOADED 4 /* words of a load */

/* What x holds: nothing yet, words that are known, or pointers over so many bytes. */
#define HOLDS_NOTHING 0
#define HOLDS_WORDS 1

struct latency {
    struct arrays arrays; /* first */
    size_t holds;
    size_t line, arrived; /* of the chase: where a run begins, and where it must end */
    float chain[CHAINS_TOGETHER];
};

static void default_shape(struct shape *s)
{
    arrays_resident_shape(s, RESIDENT);
}

static bool refuse(const struct shape *s, const struct variant *v, char *why, size_t room)
{
    size_t footprint = s->axis[FOOTPRINT];

    (void)v;
    if (s->n > INT32_MAX)
        snprintf(why, room, "a thread does at most 2^31-1 operations; got %zu", s->n);
    else if (footprint & (footprint - 1))
        snprintf(why, room, "footprint must be a power of two; got %zu", footprint);
    else
        return false;
    return true;
}

static int set(struct work *work, const struct shape *shape)
{
    struct latency *l = (struct latency *)work;

    arrays_set(&l->arrays, shape);
    work->footprint = shape->axis[FOOTPRINT] / 4;
    work->stride = LOADED * arrays_threads(shape);
    l->line = 0;
    for (size_t k = 0; k < COUNT(l->chain); k++)
        l->chain[k] = chain_start(k, 0);
    chains_f32(l->chain, TERM_f32, shape->n);
    return 0;
}

/* Let each line of x hold the address of the next one. */
static void fill_pointers(struct latency *l)
{
    size_t lines = l->arrays.shape.axis[FOOTPRINT] / LINE_BYTES;
    char *host = (char *)l->arrays.x.host, *device = (char *)l->arrays.x.device;

    for (size_t line = 0; line < lines; line++) {
        char *next = device + next_line(line, lines) * LINE_BYTES;

        memcpy(host + line * LINE_BYTES, &next, sizeof(next));
    }
}

/* Give x what the variant reads. */
static int fill(struct latency *l, unsigned rules)
{
    size_t bytes = l->arrays.shape.axis[FOOTPRINT];
    size_t wanted = rules & LOADS ? HOLDS_WORDS : rules & CHASES ? bytes : l->holds;

    if (wanted == l->holds)
        return 0;
    l->holds = wanted;
    if (rules & CHASES) {
        memset(l->arrays.x.host, 0, bytes);
        fill_pointers(l);
    } else {
        bytes = 4 * l->arrays.x.capacity;
        for (size_t i = 0; i < l->arrays.x.capacity; i++)
            ((uint32_t *)l->arrays.x.host)[i] = word_at(i);
    }
    return device_check(
        cudaMemcpy(l->arrays.x.device, l->arrays.x.host, bytes, cudaMemcpyHostToDevice));
}

static size_t outputs(const struct arrays *a, const struct variant *variant)
{
    /* In units of 8 bytes, rounded up. */
    return variant->rules & ONE_THREAD ? 1 : (arrays_threads(&a->shape) + 1) / 2;
}

/* A run of loads begins where no run before it has been for long; a chase goes on where the last
 * one ended. So what a cache holds of earlier runs does not help. */
static int prepare(struct work *work, const struct variant *variant)
{
    struct latency *l = (struct latency *)work;
    size_t lines = l->arrays.shape.axis[FOOTPRINT] / LINE_BYTES;
    bool shared = variant->rules & CHASES_SHARED;
    int status = fill(l, variant->rules);

    work->at = l->arrays.turn * (work->footprint / 8 * 3 + 4 * LINE_WORDS) & (work->footprint - 1);
    if (variant->rules & ONE_THREAD) {
        l->arrived = shared ? 0 : l->line;
        work->at = l->line * LINE_WORDS;
        for (size_t i = 0; i < l->arrays.shape.n; i++)
            l->arrived = next_line(l->arrived, shared ? SHARED_RING : lines);
        l->line = shared ? l->line : l->arrived;
    }
    return status == 0 ? arrays_prepare(work, variant) : status;
}

/* The sum of a thread's loads: of words that are linear in their places, so that the sum of those
 * will do. */
VECTOR_CODE static uint32_t loaded(const struct latency *l, size_t thread)
{
    const struct work *w = &l->arrays.work;
    uint32_t at = (uint32_t)(w->at + LOADED * thread), mask = (uint32_t)(w->footprint - 1);
    uint32_t stride = (uint32_t)w->stride, places = 0, slope = word_at(1) - word_at(0);
    uint32_t n = (uint32_t)w->n;

    for (uint32_t i = 0; i < n; i++)
        places += (at + i * stride) & mask;
    return slope * LOADED * places + n * (word_at(0) + word_at(1) + word_at(2) + word_at(3));
}

static bool right_word(const struct latency *l, unsigned rules, size_t thread, const void *y)
{
    uint32_t sum = 0;

    if (!(rules & LOADS))
        return memcmp(y, &l->chain[thread % (size_t)l->arrays.shape.threads % 32], 4) == 0;
    sum = loaded(l, thread);
    return memcmp(y, &sum, sizeof(sum)) == 0;
}

/* An output is of 8 bytes: where the chase came to, or the words of two threads. */
static bool right(const struct arrays *a, const struct variant *variant, size_t i, const void *y)
{
    const struct latency *l = (const struct latency *)a;
    size_t thread = 2 * i, wanted = l->arrived;

    if (variant->rules & ONE_THREAD) {
        wanted *= variant->rules & CHASES ? LINE_BYTES : 1;
        return memcmp(y, &wanted, sizeof(wanted)) == 0;
    }
    return right_word(l, variant->rules, thread, y) &&
           (thread + 1 == arrays_threads(&a->shape) ||
            right_word(l, variant->rules, thread + 1, (const char *)y + 4));
}

static const struct output output = {outputs, right};

static struct work *create(const struct setting *setting, const struct shape *largest)
{
    struct latency *l = (struct latency *)arrays_create(sizeof(*l), largest->axis[FOOTPRINT] / 4,
                                                        arrays_threads(largest) + 1, 8, &output);

    (void)setting;
    return l ? &l->arrays.work : NULL;
}

double latency_flops(const struct shape *s)
{
    return 2.0 * (double)s->n * (double)arrays_threads(s);
}

double latency_bytes(const struct shape *s)
{
    return 4.0 * LOADED * (double)s->n * (double)arrays_threads(s);
}

static const struct axis axes[] = {
    [N] = {.name = "n",
           .help = "operations of a thread, one after the other",
           .cpu = 100,
           .cuda = 16384,
           .test = "0 1 2 16 17"},
    [RESIDENT] = {RESIDENT_AXIS(1, 1)},
    [FOOTPRINT] = {.name = "footprint",
                   .option = "footprint",
                   .help = "bytes of global memory that are in use, a power of two",
                   .words = "footprint",
                   .unit = "bytes",
                   .least = 1024,
                   .most = (size_t)1 << 36,
                   .cpu = 65536,
                   .cuda = (size_t)1 << 30,
                   .test = "1024 65536"},
};

static const struct launches launches[] = {
    {LADDER | SWEEP | RECORD | CPU_ONLY, {""}},
    {QUICK | CPU_ONLY, {"-r 3"}},
    {QUICK | GPU_ONLY, {"-r 3 -n 512"}},
    {COUNTED, {"-n 100 -b 3 -t 64"}},
    {SANITIZED, {"-n 100 -b 3 -t 64 --footprint 65536"}},
    {MUTATED, {"-n 17 -b 3 -t 64 --footprint 65536", "-n 33 -b 2 -t 31 --footprint 4096"}},
    {CHECKED, {"-n 17 -b 2 -t 33 --footprint 4096"}},
    {TESTED, {"-n 33 -t 1024 --resident 2"}},
    {0},
};

static const struct machine_row numbers[] = {
    {"dram_latency", "a load from memory", "chase", "n=16384 footprint=2^30", "us_per_item", 1000},
    {"l2_latency", "a load from the L2 cache, wherever in it", "chase", "n=16384 footprint=2^24",
     "us_per_item", 1000},
    {"l1_latency", "a load from the L1 cache", "chase", "n=2^18 footprint=2^14", "us_per_item",
     1000},
    {"shared_latency", "a load from shared memory", "chase-shared", "n=2^18", "us_per_item", 1000},
    {"dependent_step", "a multiply-add that needs the one before", "arithmetic",
     "n=2^18 threads=32 resident=1", "us_per_item", 1000},
    {NULL},
};

const struct family limit_latency_family = {
    .name = "limit-latency",
    .title = "Latency and threads",
    .group = "limits",
    .axes = axes,
    .axis_count = COUNT(axes),
    .options = OPTION_BLOCKS,
    .item = "operation",
    .measure = MEASURE_ITEM,
    .charts = "swept:threads*resident:gflop_per_s swept:threads*resident:gb_per_s "
              "swept:footprint:us_per_item",
    .test = {"1 31 33 64 256", "", ""},
    .launches = launches,
    .numbers = numbers,
    .default_shape = default_shape,
    .refuse = refuse,
    .work = {create, set, prepare, arrays_verify, NULL, arrays_destroy},
};
