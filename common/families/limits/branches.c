/*
 * limit-branches' side of the harness.
 */
#include <stdio.h>
#include <string.h>

#include "families/limits/arrays.h"

#define N 0
#define PATHS 1
#define RESIDENT 2
#define WARP 32
#define MOST_STEPS 131072 /* then the sum of a thread that exchanges is no longer exact */

struct branches {
    struct arrays arrays; /* first */
    float end[MOST_PATHS][WARP];
};

static void default_shape(struct shape *s)
{
    arrays_resident_shape(s, RESIDENT);
}

static bool refuse(const struct shape *s, const struct variant *v, char *why, size_t room)
{
    (void)v;
    if (s->n <= MOST_STEPS)
        return false;
    snprintf(why, room, "at most 2^17 multiply-adds or exchanges; got %zu", s->n);
    return true;
}

static struct work *create(const struct setting *setting, const struct shape *largest)
{
    struct branches *b =
        (struct branches *)arrays_create(sizeof(*b), 0, arrays_threads(largest), sizeof(float));

    (void)setting;
    return b ? &b->arrays.work : NULL;
}

static int set(struct work *work, const struct shape *shape)
{
    struct branches *b = (struct branches *)work;

    arrays_set(&b->arrays, shape);
    work->paths = (unsigned)shape->axis[PATHS];
    for (unsigned path = 0; path < work->paths; path++) {
        for (size_t lane = 0; lane < WARP; lane++)
            b->end[path][lane] =
                chain_f32(chain_start(lane, 0), (float)(path + 1) * TERM_f32, shape->n);
    }
    return 0;
}

static int prepare(struct work *work, const struct variant *variant)
{
    struct arrays *a = (struct arrays *)work;

    (void)variant;
    return arrays_poison(a, arrays_threads(&a->shape));
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

static int verify(struct work *work, const struct variant *variant, struct result *result)
{
    struct arrays *a = (struct arrays *)work;

    return arrays_verify(a, variant, arrays_threads(&a->shape), right, result);
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
               .least = 1,
               .most = MOST_PATHS,
               .cpu = 8,
               .cuda = 8,
               .test = "1 2 3 32"},
    [RESIDENT] = {.name = "resident",
                  .option = "resident",
                  .help = "blocks for each multiprocessor, without -b (default 4)",
                  .least = 1,
                  .most = 32,
                  .cpu = 1,
                  .cuda = 4,
                  .test = "1 2"},
};

#define WAYS "-v same -v warps -v lanes "
#define SWEPT WAYS "-n 65536 -t 1024 --resident 1 --sweep paths=0:5 -r 5 -w 1"

static const struct launches launches[] = {
    {"ladder", "", "-r 15"},
    {"sweep", "", SWEPT},
    {"quick", "-r 3", "-r 3"},
    {"record", "", "-r 15\n" SWEPT},
    {"counted", "-n 40 --paths 4 -b 3 -t 128"},
    {"sanitized", "-n 40 --paths 4 -b 3 -t 128"},
    {"mutated", "-n 9 --paths 5 -b 3 -t 256\n-n 3 --paths 32 -b 3 -t 1024"},
    {"checked", "-n 9 --paths 5 -b 3 -t 64"},
    {"tested", "-n 3 --paths 32 -b 3 -t 1024"},
    {NULL, NULL, NULL},
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
    .work = {create, set, prepare, verify, NULL, arrays_destroy},
    .flops = flops,
};
