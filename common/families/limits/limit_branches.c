/*
 * limit-branches' side of the harness.
 */
#include <stdio.h>
#include <string.h>

#include "families/limits/limits_arrays.h"

#define N 0
#define PATHS 1
#define RESIDENT 2
#define WARP 32
#define MAX_EXCHANGES ((size_t)1 << 17) /* then the sum of a thread is no longer exact */
#define MAX_STEPS ((size_t)1 << 20)     /* then a chain no longer tells how many there were */

struct branches {
    struct arrays arrays; /* first */
    float end[MAX_PATHS][WARP];
};

static void default_shape(struct shape *s)
{
    arrays_resident_shape(s, RESIDENT);
}

static bool refuse(const struct shape *s, const struct variant *v, char *why, size_t room)
{
    bool exchanges = v->rules & EXCHANGES;

    if (s->n <= (exchanges ? MAX_EXCHANGES : MAX_STEPS))
        return false;
    snprintf(why, room, "at most %s; got %zu", exchanges ? "2^17 exchanges" : "2^20 multiply-adds",
             s->n);
    return true;
}

static int set(struct work *work, const struct shape *shape)
{
    struct branches *b = (struct branches *)work;

    arrays_set(&b->arrays, shape);
    work->paths = (unsigned)shape->axis[PATHS];
    for (unsigned path = 0; path < work->paths; path++) {
        for (size_t lane = 0; lane < WARP; lane++)
            b->end[path][lane] = chain_start(lane, 0);
        chains_f32(b->end[path], (float)(path + 1) * TERM_f32, shape->n);
    }
    return 0;
}

/* What a thread's numbers add up to after n exchanges, each of which adds 1 to each of them. */
static float exchanged(const struct arrays *a, size_t thread)
{
    size_t n = a->shape.n, from = n % 2 ? (size_t)a->shape.threads - 1 - thread : thread;
    float sum = 0;

    for (int k = 0; k < EXCHANGED; k++)
        sum += exchange_start(from, k) + (float)n;
    return sum;
}

static bool right(const struct arrays *a, const struct variant *variant, size_t i, const void *y)
{
    const struct branches *b = (const struct branches *)a;
    size_t thread = i % (size_t)a->shape.threads;
    size_t way = variant->rules & WARPS ? thread / WARP : variant->rules & LANES ? thread : 0;
    float wanted = variant->rules & EXCHANGES ? exchanged(a, thread)
                                              : b->end[way % a->work.paths][thread % WARP];

    return memcmp(y, &wanted, sizeof(wanted)) == 0;
}

static const struct output output = {.right = right};

static struct work *create(const struct setting *setting, const struct shape *largest)
{
    struct branches *b = (struct branches *)arrays_create(sizeof(*b), 0, arrays_threads(largest),
                                                          sizeof(float), &output);

    (void)setting;
    return b ? &b->arrays.work : NULL;
}

static double flops(const struct shape *s)
{
    return 2.0 * (double)s->n * (double)arrays_threads(s);
}

double branches_exchanged(const struct shape *s)
{
    return EXCHANGED * (double)s->n * (double)arrays_threads(s);
}

static const struct axis axes[] = {
    [N] = {.name = "n",
           .help = "multiply-adds of a thread, or exchanges",
           .cpu = 64,
           .cuda = 16384,
           .test = "0 1 2 7 9"},
    [PATHS] = {.name = "paths",
               .option = "paths",
               .help = "different ways through the kernel (default 8)",
               .words = "paths through the kernel",
               .least = 1,
               .most = MAX_PATHS,
               .cpu = 8,
               .cuda = 8,
               .test = "1 2 3 32"},
    [RESIDENT] = {RESIDENT_AXIS(1, 4)},
};

static const struct launches launches[] = {
    {LADDER | SWEEP | RECORD | CPU_ONLY, {""}},
    {LADDER | RECORD | GPU_ONLY, {"-r 15"}},
    {QUICK, {"-r 3"}},
    {COUNTED | SANITIZED, {"-n 40 --paths 4 -b 3 -t 128"}},
    {MUTATED, {"-n 9 --paths 5 -b 3 -t 256", "-n 3 --paths 32 -b 3 -t 1024"}},
    {CHECKED, {"-n 9 --paths 5 -b 3 -t 64"}},
    {TESTED, {"-n 3 --paths 32 -b 3 -t 1024"}},
    {0},
};

const struct family limit_branches_family = {
    .name = "limit-branches",
    .title = "Different ways",
    .group = "limits",
    .axes = axes,
    .axis_count = COUNT(axes),
    .options = OPTION_BLOCKS,
    .measure = MEASURE_FLOPS,
    .charts = "swept:paths:gflop_per_s",
    .test = {"1 2 33 64", "", ""},
    .launches = launches,
    .default_shape = default_shape,
    .refuse = refuse,
    .work = {create, set, arrays_prepare, arrays_verify, NULL, arrays_destroy},
    .flops = flops,
};
