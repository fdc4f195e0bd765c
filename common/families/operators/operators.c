/*
 * The operators family's side of the harness: its arrays, its reference, its launches.
 */
#include "families/operators/operators.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime_api.h>

#include "families/operators/operators_reference.h"
#include "families/operators/operators_verdict.h"
#include "harness/kit/buffer.h"
#include "harness/kit/device.h"
#include "harness/kit/input.h"
#include "harness/kit/message.h"
#include "harness/kit/number.h"
#include "harness/kit/vector.h"

#define SMALL_MOST ((size_t)1 << 12)
#define ONE_BLOCK_MOST ((size_t)1 << 15)
#define MIDDLE_MOST ((size_t)1 << 21)

#define KEPT 4

struct operators {
    struct work work; /* first: the launch functions get this part */
    struct shape shape;
    struct buffer x, z, partial, result;
    struct expected expected;
    bool found;                 /* expected is that of shape.n */
    struct expected kept[KEPT]; /* of the sizes before, each at its number modulo KEPT */
    unsigned count;
    bool exact; /* of the input */
    union operators_result last;
};

static enum operator_kind kind_of(const struct variant *v)
{
    return (enum operator_kind)(v->rules / FAMILY_RULE);
}

/* Measured on an H200. Up to ONE_BLOCK_MOST elements one block is the fastest, because it waits for
 * no other; above, one per multiprocessor at most: if possible with four quads for each thread,
 * else with a whole round. Blocks of 1024 threads keep memory busy, but need longer to fold their
 * states: up to SMALL_MOST elements 256 are better, up to MIDDLE_MOST 512. Threads that are named
 * may need more blocks. */
static void default_shape(struct shape *s)
{
    double tile, most = device_to_fill(s);

    if (s->threads > 0 && s->threads < 1024)
        most *= 1024 / s->threads;
    if (s->threads == 0)
        s->threads = s->n <= SMALL_MOST ? 256 : s->n <= MIDDLE_MOST ? 512 : 1024;
    if (s->blocks > 0)
        return;
    tile = 4.0 * s->threads * ((double)s->n <= most * 16 * s->threads ? 4 : OPERATORS_LOADS);
    s->blocks = s->n <= ONE_BLOCK_MOST ? 1 : (int)fmin(ceil((double)s->n / tile), most);
}

/* The longest chain of additions: see slice() in fold.h. */
static double depth_of(const struct shape *s)
{
    double threads = (double)(s->blocks ? s->blocks : 1) * s->threads;
    double slice = ceil_divide((double)(s->n / 4), threads) + 2;        /* head and tail */
    double finish = s->blocks > 1 ? ceil_divide(s->blocks, 32) + 5 : 0; /* by one warp */

    return slice + 2 + 10 + finish; /* four states; lanes and warps */
}

/* And of combinations of two means: so many quads are one group, but for the last few. */
static double depth_of_mean(const struct shape *s)
{
    double threads = (double)(s->blocks ? s->blocks : 1) * s->threads;
    double groups = floor((double)(s->n / 4) / threads / OPERATORS_LOADS) + 1;

    return depth_of(s) - ceil_divide((double)(s->n / 4), threads) + groups + OPERATORS_LOADS - 1;
}

double operators_depth_library(const struct shape *s)
{
    const struct device *device = device_in_use();

    return ceil_divide((double)s->n, 256.0 * (device ? device->multiprocessors : 1)) + 64 + 32 +
           64 + 32;
}

static void destroy(struct work *work)
{
    struct operators *o = (struct operators *)work;

    buffer_free(&o->x);
    buffer_free(&o->z);
    buffer_free(&o->partial);
    buffer_free(&o->result);
    free(o);
}

static int fill(struct operators *o, const struct setting *setting, const struct shape *largest)
{
    size_t n = largest->n > 0 ? largest->n : 1;
    int status = buffer_input(&o->x, n, setting);

    if (status == 0)
        status = buffer_reserve(&o->z, n);
    if (status == 0)
        status = buffer_reserve_host(&o->z, n);
    if (status == 0) {
        operators_fill(o->z.host, n, setting);
        status = buffer_upload(&o->z);
    }
    if (status == 0)
        status = buffer_reserve(&o->partial, largest->blocks > 0 ? (size_t)largest->blocks : 1);
    if (status == 0)
        status = buffer_reserve(&o->result, 1);
    o->exact = input_exact(setting, largest->n);
    o->work.x = (const element *)o->x.device;
    o->work.z = (const element *)o->z.device;
    o->work.partial = o->partial.device;
    o->work.result = o->result.device;
    return status;
}

/* The inputs stay as they are from run to run: an operator's result for the opposite of its input
 * does not follow from that for the input. What a run leaves for the next is poisoned instead. */
static struct work *create(const struct setting *setting, const struct shape *largest)
{
    size_t bytes = setting->type->bytes;
    int poison = buffer_poison_of(setting->type);
    struct operators *o = (struct operators *)work_new(sizeof(*o));

    if (!o)
        return NULL;
    o->x = (struct buffer){.what = "the input", .bytes = bytes, .offset = setting->offset};
    o->z = (struct buffer){.what = "the second input", .bytes = bytes, .offset = setting->offset};
    o->partial = (struct buffer){
        .what = "the blocks' results", .bytes = OPERATORS_MOST_BYTES, .poison = poison};
    o->result =
        (struct buffer){.what = "the result", .bytes = OPERATORS_MOST_BYTES, .poison = poison};
    if (fill(o, setting, largest) != 0) {
        destroy(&o->work);
        return NULL;
    }
    return &o->work;
}

/* What the operators give for this shape: an estimate comes back to few sizes with each variant. */
static int expect(struct operators *o, const struct shape *shape)
{
    int status;

    for (unsigned k = 0; k < KEPT && k < o->count; k++) {
        if (o->kept[k].n == shape->n) {
            o->expected = o->kept[k];
            return 0;
        }
    }
    status = operators_expect(&o->expected, o->found, o->x.host, o->z.host, shape->n, shape->type,
                              o->exact);
    if (status == 0)
        o->kept[o->count++ % KEPT] = o->expected;
    return status;
}

static int set(struct work *work, const struct shape *shape)
{
    struct operators *o = (struct operators *)work;
    size_t target = operators_target(shape->n);
    int status = 0;

    if (!o->found || o->expected.n != shape->n)
        status = expect(o, shape);
    o->found = status == 0;
    o->shape = *shape;
    work->n = shape->n;
    work->blocks = shape->blocks;
    work->threads = shape->threads;
    memcpy(&work->target, (const int32_t *)o->x.host + target,
           sizeof(work->target)); /* or a float */
    return status;
}

static int prepare(struct work *work, const struct variant *variant)
{
    struct operators *o = (struct operators *)work;
    int status = buffer_poison(&o->partial, o->partial.capacity);

    (void)variant;
    return status == 0 ? buffer_poison(&o->result, 1) : status;
}

static double depth(const struct operators *o, const struct variant *v)
{
    if (v->depth)
        return v->depth(&o->shape);
    return kind_of(v) == MEAN ? depth_of_mean(&o->shape) : depth_of(&o->shape);
}

static int verify(struct work *work, const struct variant *variant, struct result *result)
{
    struct operators *o = (struct operators *)work;
    int status =
        device_check(cudaMemcpy(&o->last, work->result, sizeof(o->last), cudaMemcpyDeviceToHost));

    if (status == 0)
        operators_verify(result, &o->last, kind_of(variant), &o->expected, o->shape.type,
                         depth(o, variant));
    result->wrong = work->result;
    result->wrong_bytes = sizeof(o->last);
    return status;
}

static int settle(struct work *work, const struct variant *variant, struct result *result)
{
    struct operators *o = (struct operators *)work;
    int status = buffer_settle(&o->x, variant, result);

    return status == 0 ? buffer_settle(&o->z, variant, result) : status;
}

/* What a number alone does not say. */
static void remark(struct work *work, const struct variant *variant)
{
    const struct operators *o = (const struct operators *)work;
    const struct moments *m = &o->last.moments;
    const struct greatest *g = &o->last.greatest;
    struct mean_verdict v;

    if (kind_of(variant) == ARGMAX)
        printf("    x[%llu] = %.9g\n", g->at, operators_number(&g->value, o->shape.type));
    if (kind_of(variant) != MEAN)
        return;
    v = operators_mean(&o->expected, depth(o, variant));
    printf("    %llu elements, mean %.9g, variance %.9g (error %.3g, bound %.3g)\n", m->count,
           isnan(m->mean) ? NAN : (double)m->mean, isnan(m->variance) ? NAN : (double)m->variance,
           fabs(m->variance - v.variance), v.variance_bound);
}

static double bytes_with(const struct shape *s, size_t arrays, size_t result)
{
    return (double)arrays * (double)s->n * (double)s->type->bytes + (double)result;
}

static double bytes(const struct shape *s)
{
    return bytes_with(s, 1, s->type->bytes);
}

double operators_bytes_dot(const struct shape *s)
{
    return bytes_with(s, 2, s->type->bytes);
}

double operators_bytes_count(const struct shape *s)
{
    return bytes_with(s, 1, sizeof(unsigned long long));
}

double operators_bytes_pair(const struct shape *s)
{
    return bytes_with(s, 1, OPERATORS_MOST_BYTES);
}

/* Two steps share the operators. */
static bool beside(const struct variant *v, const struct variant *library)
{
    return kind_of(v) == kind_of(library);
}

static const struct axis axes[] = {{
    VECTOR_AXIS,
    .test = "0 1 2 3 31 33 257 5000 20011",
    .large = "1000003 1048577",
}};

static const struct launches launches[] = {
    VECTOR_LADDER,
    VECTOR_RECORD,
    {RECORD | CPU_ONLY, {"-n 2^20 -b 32 -t 1024"}},
    {COUNTED, {"-n 2^17 -b 4 -t 1024", "-n 100003 -b 7 -t 64 --offset 1", "-n 10007 -b 1 -t 96"}},
    {SANITIZED, {"-n 100003 -b 5 -t 256 --offset 1", "-n 250"}},
    /* Rounds of all loads and of some, one block and several, warps that are alone or full,
     * elements before the first whole quad and behind the last; the greatest in each place of a
     * round, and equals, of which the first counts. */
    {MUTATED,
     {"-n 4096 -b 4 -t 32", "-n 4099 -b 4 -t 32 --offset 1", "-n 20011 -b 3 -t 64",
      "-n 1003 -b 5 -t 64", "-n 5000 -b 1 -t 96 --offset 2", "-n 9001 -b 2 -t 1024",
      "-n 9777 -b 40 -t 32 --offset 3", "-n 33 -b 2 -t 32", "-n 1 -b 1 -t 32", "-n 1 -b 2 -t 32",
      "-n 0 -b 2 -t 32 --offset 1", "-n 0 -b 1 -t 64", "-n 4096 -b 4 -t 32 --input ramp",
      "-n 1000 -b 1 -t 32 --input ramp --offset 3", "-n 6000 -b 40 -t 32 --input ones --offset 1",
      "-n 4001 -b 4 -t 32"}},
    /* NaN, infinities and values that cancel, in one block and several; more than 32 blocks of more
     * than 32 threads; and arrays that end before the first aligned address. */
    {MUTATED,
     {"-n 1003 -b 5 -t 64 --input hostile --seed 0 --type f32",
      "-n 1003 -b 5 -t 64 --input hostile --seed 1 --type f32",
      "-n 1003 -b 1 -t 32 --input hostile --seed 2",
      "-n 4099 -b 4 -t 96 --input hostile --seed 3 --type f32", "-n 9777 -b 40 -t 96 --offset 1",
      "-n 2 -b 1 -t 64 --offset 1", "-n 1 -b 2 -t 32 --offset 2"}},
    {CHECKED, {"-n 0", "-n 1 -b 2 -t 32", "-n 1000 -b 4 -t 64", "-n 5000 -b 3 -t 256 --offset 1"}},
    {0},
};

const struct family operators_family = {
    .name = "operators",
    .title = "Reduction by other operators",
    .axes = axes,
    .axis_count = COUNT(axes),
    .options = OPTION_INPUT | OPTION_BLOCKS | OPTION_OFFSET,
    .inputs = input_names,
    .measure = MEASURE_BYTES,
    .charts = "library",
    .test = {"1 32 33 64 96 1024", "1 2 7 40", "0 1 2 3"},
    .launches = launches,
    .default_shape = default_shape,
    .work = {create, set, prepare, verify, settle, destroy},
    .bytes = bytes,
    .beside = beside,
    .remark = remark,
};
