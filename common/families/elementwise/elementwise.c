/*
 * The elementwise family's side of the harness: its arrays, its verdict, its launches.
 */
#include "families/elementwise/elementwise.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <cuda_runtime_api.h>

#include "families/elementwise/elementwise_compare.h"
#include "harness/kit/buffer.h"
#include "harness/kit/device.h"
#include "harness/kit/input.h"
#include "harness/kit/vector.h"

struct elementwise {
    struct work work; /* first: the launch functions get this part */
    struct buffer a, b, c;
    const struct type *type;
};

static bool refuse(const struct shape *s, const struct variant *v, char *why, size_t room)
{
    size_t blocks = s->n / (size_t)s->threads + (s->n % (size_t)s->threads != 0);

    if (!(v->rules & THREAD_PER_ELEMENT) || blocks <= INT_MAX)
        return false;
    snprintf(why, room,
             "%zu elements need %zu blocks of %d threads, and a grid has at most %d; use more "
             "--threads",
             s->n, blocks, s->threads, INT_MAX);
    return true;
}

static void destroy(struct work *work)
{
    struct elementwise *e = (struct elementwise *)work;

    buffer_free(&e->a);
    buffer_free(&e->b);
    buffer_free(&e->c);
    free(e);
}

static int fill(struct elementwise *e, const struct setting *setting, size_t n)
{
    struct setting other = *setting; /* so that a and b differ */
    int status = buffer_input(&e->a, n, setting);

    other.seed++;
    if (status == 0)
        status = buffer_input(&e->b, n, &other);
    if (status == 0)
        status = buffer_reserve(&e->c, n);
    e->work.a = (const element *)e->a.device;
    e->work.b = (const element *)e->b.device;
    e->work.c = (element *)e->c.device;
    return status;
}

static struct work *create(const struct setting *setting, const struct shape *largest)
{
    const struct type *type = setting->type;
    struct elementwise *e = (struct elementwise *)work_new(sizeof(*e));

    if (!e)
        return NULL;
    e->type = type;
    e->a = (struct buffer){
        .what = "the first input", .bytes = type->bytes, .type = type, .offset = setting->offset};
    e->b = (struct buffer){
        .what = "the second input", .bytes = type->bytes, .type = type, .offset = setting->offset};
    e->c = (struct buffer){.what = "the result",
                           .bytes = type->bytes,
                           .offset = setting->offset,
                           .poison = buffer_poison_of(type),
                           .guard = BUFFER_GUARD};
    if (fill(e, setting, largest->n) != 0) {
        destroy(&e->work);
        return NULL;
    }
    return &e->work;
}

static int set(struct work *work, const struct shape *shape)
{
    work->n = shape->n;
    work->blocks = shape->blocks;
    work->threads = shape->threads;
    return 0;
}

static int prepare(struct work *work, const struct variant *variant)
{
    struct elementwise *e = (struct elementwise *)work;
    int status = buffer_restore(&e->a, work->n, variant->rules & DESTROYS_INPUT);

    if (status == 0)
        status = buffer_restore(&e->b, work->n, variant->rules & DESTROYS_INPUT);
    return status == 0 ? buffer_poison(&e->c, work->n) : status;
}

/* The element at index i of a device array, as its bits. */
static int fetch(uint32_t *bits, const struct buffer *array, size_t i)
{
    return device_check(cudaMemcpy(bits, (const char *)array->device + i * array->bytes,
                                   sizeof(*bits), cudaMemcpyDeviceToHost));
}

static double value_of(uint32_t bits, bool floats)
{
    double value = floats ? (double)float_of(bits) : (double)(int32_t)bits;

    return isnan(value) ? NAN : value; /* a NaN's sign says nothing */
}

/* Fill in what stands at the first wrong place, and what should; in what, whether anything was
 * written. */
static int fill_wrong(struct elementwise *e, size_t i, struct result *result, const char **what)
{
    bool floats = e->type == &type_f32;
    uint32_t a, b, c;
    int status = fetch(&c, &e->c, i);

    if (status == 0)
        status = fetch(&a, &e->a, i);
    if (status == 0)
        status = fetch(&b, &e->b, i);
    if (status != 0)
        return status;
    result->has_value = true;
    result->value = value_of(c, floats);
    result->reference = value_of(sum_of(a, b, floats), floats);
    *what = c == 0x01010101u * (unsigned)e->c.poison ? " not written" : "";
    return 0;
}

static int verify(struct work *work, const struct variant *variant, struct result *result)
{
    struct elementwise *e = (struct elementwise *)work;
    struct comparison comparison = {
        .c = (const uint32_t *)e->c.device,
        .a = (const uint32_t *)e->a.device,
        .b = (const uint32_t *)e->b.device,
        .n = work->n,
        .floats = e->type == &type_f32,
    };
    struct difference d;
    char where[96];
    const char *what = "";
    int status = elementwise_compare(&comparison, &d);

    *result = (struct result){.error = (double)d.count, .bound = 0};
    if (status == 0 && d.count > 0)
        status = fill_wrong(e, (size_t)d.first, result, &what);
    snprintf(where, sizeof(where), "%llu elements, first c[%llu]%s", d.count, d.first, what);
    return status == 0 ? buffer_verdict(&e->c, variant, work->n,
                                        (struct wrong){d.count, (size_t)d.first, where}, result)
                       : status;
}

static int settle(struct work *work, const struct variant *variant, struct result *result)
{
    struct elementwise *e = (struct elementwise *)work;
    int status = buffer_settle(&e->a, variant, result);

    return status == 0 ? buffer_settle(&e->b, variant, result) : status;
}

static double bytes(const struct shape *s)
{
    return 3.0 * (double)s->n * (double)s->type->bytes;
}

static const struct axis axes[] = {{
    VECTOR_AXIS,
    .test = "0 1 2 31 32 33 255 256 257 5000",
    .large = "300007",
}};

/* On a GPU one block takes tens of milliseconds for 2^24 elements, and seconds for 2^30. */
static const struct launches launches[] = {
    {LADDER | RECORD | CPU_ONLY, {"-n 2^20"}},
    {LADDER | GPU_ONLY, {"-n 2^24"}},
    {SWEEP | CPU_ONLY, {"--sweep 10:18 -r 3 -w 1"}},
    {SWEEP | RECORD | GPU_ONLY, {"--sweep 10:24 -r 3 -w 1"}},
    {QUICK, {"-n 2^14 -r 3"}},
    {RECORD | GPU_ONLY,
     {"-n 2^24 -r 15", "-n 2^20 -r 13", "-n 2^24 --cold -r 5", "-n 2^24 --type i32 -r 5"}},
    {COUNTED, {"-n 2^17 -b 16 -t 256"}},
    {SANITIZED, {"-n 10007", "-n 10008"}},
    {MUTATED,
     {"-n 1003 -b 5 -t 64", "-n 4096 -b 4 -t 128", "-n 777 -b 2 -t 33", "-n 1 -b 1 -t 1",
      "-n 5 -b 7 -t 32", "-n 0 -b 2 -t 32", "-n 1003 -t 64", "-n 4096 -t 128", "-n 777 -t 33",
      "-n 0 -t 32", "-n 1 -t 1", "-n 1004 -t 32", "-n 2 -b 1 -t 32 --offset 1",
      "-n 1003 -b 40 -t 64 --offset 3", "-n 777 -b 2 -t 33 --input hostile --seed 1"}},
    {CHECKED, {"-n 0", "-n 1", "-n 1000", "-n 5000 -t 33 --offset 1"}},
    {0},
};

const struct family elementwise_family = {
    .name = "elementwise",
    .title = "Vector addition",
    .axes = axes,
    .axis_count = COUNT(axes),
    .options = OPTION_INPUT | OPTION_BLOCKS | OPTION_OFFSET,
    .inputs = input_names,
    .measure = MEASURE_BYTES,
    .charts = "ladder rate",
    .test = {"1 2 31 32 33 64 100 256 1000 1024", "1 2 7 270", "0 1 2 3"},
    .launches = launches,
    .default_shape = device_thread_per_element,
    .refuse = refuse,
    .work = {create, set, prepare, verify, settle, destroy},
    .bytes = bytes,
};
