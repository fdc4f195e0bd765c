/*
 * limit-flops' side of the harness.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "families/limits/limits_arrays.h"
#include "harness/kit/device.h"

#define N 0
#define CHAINS 1
#define RESIDENT 2
#define MAX_CHAINS 8
#define WARP 32

struct flops {
    struct arrays arrays; /* first */
    /* What the lanes of any warp come to: of the type at hand, without and with operations on
     * integers. */
    unsigned char expected[2][WARP][sizeof(double)];
};

static void default_shape(struct shape *s)
{
    arrays_resident_shape(s, RESIDENT);
}

static bool refuse(const struct shape *s, const struct variant *v, char *why, size_t room)
{
    (void)v;
    if (s->n <= INT32_MAX)
        return false;
    snprintf(why, room, "a chain has at most 2^31-1 multiply-adds; got %zu", s->n);
    return true;
}

/* Whether the chains' bits, added up, are odd. */
static unsigned odd_bits(unsigned lane, int chains, size_t n)
{
    unsigned all = 0;

    for (int k = 0; k < chains; k++) {
        unsigned bits = lane + (unsigned)k;

        for (size_t i = 1; i < n; i += 2)
            bits = (bits ^ BITS_MASK) + BITS_MORE;
        all += bits;
    }
    return all & 1;
}

/* The sum of each lane's chains; in the order of the kernel: it rounds. */
static void add_chains(const struct flops *f, float sum[WARP])
{
    memset(sum, 0, WARP * sizeof(*sum));
    for (int k = 0; k < f->arrays.work.chains; k++) {
        float x[CHAINS_TOGETHER];

        for (unsigned lane = 0; lane < WARP; lane++)
            x[lane] = 8 * chain_start(lane, k);
        chains_f32(x, TERM_f32, f->arrays.shape.n);
        for (unsigned lane = 0; lane < WARP; lane++)
            sum[lane] += x[lane];
    }
}

static void expect_lane(struct flops *f, unsigned lane, unsigned odd, float f32)
{
    const struct type *type = f->arrays.shape.type;
    size_t n = f->arrays.shape.n;
    double f64 = 0;
    int32_t i32 = 0;

    for (int k = 0; k < f->arrays.work.chains; k++) {
        float start = 8 * chain_start(lane, k);

        if (type == &type_f64)
            f64 += chain_f64(start, n);
        else if (type != &type_f32)
            i32 = (int32_t)((uint32_t)i32 + (uint32_t)chain_i32((int32_t)start, n));
    }
    for (unsigned mixed = 0; mixed < 2; mixed++) {
        double d = f64 + mixed * odd;
        float s = f32 + (float)(mixed * odd);
        int32_t i = (int32_t)((uint32_t)i32 + mixed * odd);

        memcpy(f->expected[mixed][lane],
               type == &type_f64   ? (void *)&d
               : type == &type_f32 ? (void *)&s
                                   : (void *)&i,
               type->bytes);
    }
}

static int set(struct work *work, const struct shape *shape)
{
    struct flops *f = (struct flops *)work;
    float f32[WARP] = {0};

    arrays_set(&f->arrays, shape);
    work->chains = (int)shape->axis[CHAINS];
    if (shape->type == &type_f32)
        add_chains(f, f32);
    for (unsigned lane = 0; lane < WARP; lane++)
        expect_lane(f, lane, odd_bits(lane, work->chains, shape->n), f32[lane]);
    return 0;
}

static bool right(const struct arrays *a, const struct variant *variant, size_t i, const void *y)
{
    const struct flops *f = (const struct flops *)a;
    size_t lane = i % (size_t)a->shape.threads % WARP;

    return memcmp(y, f->expected[variant->rules & MIXED ? 1 : 0][lane], a->shape.type->bytes) == 0;
}

static const struct output output = {.right = right};

static struct work *create(const struct setting *setting, const struct shape *largest)
{
    struct flops *f = (struct flops *)arrays_create(sizeof(*f), 0, arrays_threads(largest),
                                                    setting->type->bytes, &output);

    return f ? &f->arrays.work : NULL;
}

/* A multiply-add is two. */
static double flops(const struct shape *s)
{
    return 2.0 * (double)s->n * (double)s->axis[CHAINS] * (double)arrays_threads(s);
}

double flops_mixed(const struct shape *s)
{
    return flops(s) +
           2.0 * (double)(s->n / 2) * (double)s->axis[CHAINS] * (double)arrays_threads(s);
}

/* What the device could do if each lane began a multiply-add in each cycle of the highest clock. */
static void remark(struct work *work, const struct variant *variant)
{
    const struct device *device = device_in_use();
    const struct type *type = ((struct arrays *)work)->shape.type;
    int lanes = type == &type_f64   ? device->f64_lanes
                : type == &type_f32 ? device->f32_lanes
                                    : device->i32_lanes;

    (void)variant;
#ifdef BACKEND_CPU
    lanes = 0; /* of a device that nobody has built */
#endif
    if (lanes && !isnan(device->clock_hz))
        printf("    peak of multiply-adds by attributes: %d x %d x 2 x %.0f MHz = %.0f Gflop/s\n",
               device->multiprocessors, lanes, device->clock_hz / 1e6,
               2e-9 * device->multiprocessors * lanes * device->clock_hz);
}

static const struct axis axes[] = {
    [N] = {.name = "n",
           .help = "multiply-adds of a chain",
           .cpu = 256,
           .cuda = (size_t)1 << 15,
           .test = "0 1 2 15 17"},
    [CHAINS] = {.name = "chains",
                .option = "chains",
                .help = "chains of a thread, 1 to 8 (default 8)",
                .words = "chains of a thread",
                .least = 1,
                .most = MAX_CHAINS,
                .cpu = 8,
                .cuda = 8,
                .test = "1 2 3 5 8"},
    [RESIDENT] = {RESIDENT_AXIS(4, 4)},
};

static const struct launches launches[] = {
    {LADDER | SWEEP | RECORD | CPU_ONLY, {""}},
    {LADDER | RECORD | GPU_ONLY, {"-r 15", "--type f64 -r 15", "--type i32 -r 15"}},
    {QUICK | CPU_ONLY, {"-r 3"}},
    {QUICK | GPU_ONLY, {"--type f32 -r 3", "--type f64 -r 3", "--type i32 -r 3"}},
    {COUNTED | SANITIZED, {"-n 100 --chains 3 -b 3 -t 64"}},
    {MUTATED, {"-n 17 --chains 3 -b 3 -t 64", "-n 17 --chains 8 -b 3 -t 32 --type i32"}},
    {CHECKED, {"-n 17 --chains 3 -b 3 -t 33"}},
    {TESTED, {"-n 33 -b 3 -t 1024 --type f64"}},
    {0},
};

/* Of mixed, two multiply-adds and two operations on integers are six operations of a lane, and four
 * instructions of its warp. */
static const struct machine_row numbers[] = {
    {"issue_rate", "instructions of warps, on one multiprocessor", "mixed",
     "n=32768 chains=8 resident=4 threads=256 type=f32", "gflop_per_s", 4.0 / 6 / 32, false, -1},
    {"f32_rate", "multiply-adds of floats", "multiply-add",
     "n=32768 chains=8 resident=4 threads=256 type=f32", "gflop_per_s", 1},
    {NULL},
};

const struct family limit_flops_family = {
    .name = "limit-flops",
    .title = "Multiply-adds",
    .group = "limits",
    .axes = axes,
    .axis_count = COUNT(axes),
    .options = OPTION_BLOCKS,
    .measure = MEASURE_FLOPS,
    .charts = "swept:chains:gflop_per_s",
    .test = {"1 31 33 64", "", ""},
    .launches = launches,
    .numbers = numbers,
    .default_shape = default_shape,
    .refuse = refuse,
    .work = {create, set, arrays_prepare, arrays_verify, NULL, arrays_destroy},
    .flops = flops,
    .remark = remark,
};
