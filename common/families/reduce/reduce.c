/*
 * The reduce family's side of the harness: its arrays, its reference, its verdict, its launches.
 */
#include "families/reduce/reduce.h"

#include <stdio.h>
#include <stdlib.h>

#include <cuda_runtime_api.h>

#include "harness/kit/buffer.h"
#include "harness/kit/device.h"
#include "harness/kit/input.h"
#include "harness/kit/message.h"
#include "harness/kit/number.h"
#include "harness/kit/sums.h"
#include "harness/kit/vector.h"

#define MAX_GRID_THREADS ((size_t)1 << 30)
#define MAX_REPEATS 1000

struct reduce {
    struct work work; /* first: the launch functions get this part */
    struct shape shape;
    struct buffer x, partial, sum;
    struct spans spans; /* of x */
    struct reference f32;
    int32_t i32;
};

void reduce_default_shape(struct shape *s)
{
    device_thread_per_element(s);
}

static int repeats(const struct setting *setting)
{
    uint64_t count = 1;

    if (setting->parameters[0] && !number_parse(setting->parameters[0], &count))
        return 0;
    return count <= MAX_REPEATS ? (int)count : 0;
}

static int accept(const struct setting *setting, size_t axis[MAX_AXES], bool sized)
{
    const char *text = setting->parameters[0];

    (void)axis;
    (void)sized;
    if (repeats(setting) > 0)
        return 0;
    return complain(BAD_USAGE, "--repeat %s: not accepted; accepted: an integer from 1 to %d",
                    *text ? text : "''", MAX_REPEATS);
}

static bool refuse(const struct shape *s, const struct variant *v, char *why, size_t room)
{
    (void)v;
    if ((size_t)s->blocks * (size_t)s->threads <= MAX_GRID_THREADS)
        return false;
    snprintf(why, room,
             "a grid keeps a partial sum a thread and may have 2^30 threads in all; got "
             "%d x %d",
             s->blocks, s->threads);
    return true;
}

static void destroy(struct work *work)
{
    struct reduce *r = (struct reduce *)work;

    buffer_free(&r->x);
    buffer_free(&r->partial);
    buffer_free(&r->sum);
    spans_free(&r->spans);
    free(r);
}

static int fill(struct reduce *r, const struct setting *setting, const struct shape *largest)
{
    size_t partials = multiply_or_max((size_t)largest->blocks, (size_t)largest->threads);
    /* Room for one element if there is none: see reduce.h. */
    int status = buffer_input_there(&r->x, largest->n > 0 ? largest->n : 1, setting);

    if (partials > MAX_GRID_THREADS) /* the two maxima need not meet in one shape */
        partials = MAX_GRID_THREADS;
    if (status == 0)
        status = buffer_reserve(&r->partial, partials);
    if (status == 0)
        status = buffer_reserve(&r->sum, 1);
    if (status == 0)
        status = spans_fill_from(&r->spans, &r->x, largest->n, setting);
    r->work.x = (element *)r->x.device;
    r->work.partial = (element *)r->partial.device;
    r->work.sum = (element *)r->sum.device;
    return status;
}

static struct work *create(const struct setting *setting, const struct shape *largest)
{
    size_t bytes = setting->type->bytes;
    int poison = buffer_poison_of(setting->type);
    struct reduce *r = (struct reduce *)work_new(sizeof(*r));

    if (!r)
        return NULL;
    r->x = (struct buffer){
        .what = "the input", .bytes = bytes, .type = setting->type, .offset = setting->offset};
    r->partial = (struct buffer){.what = "the partial sums", .bytes = bytes, .poison = poison};
    r->sum = (struct buffer){.what = "the sum", .bytes = bytes, .poison = poison};
    if (fill(r, setting, largest) != 0) {
        destroy(&r->work);
        return NULL;
    }
    return &r->work;
}

static int set(struct work *work, const struct shape *shape)
{
    struct reduce *r = (struct reduce *)work;

    r->shape = *shape;
    work->n = shape->n;
    work->blocks = shape->blocks;
    work->threads = shape->threads;
    if (shape->type == &type_f32)
        r->f32 = spans_sum_f32(&r->spans, (const float *)r->x.host, shape->n);
    else
        r->i32 = spans_sum_i32(&r->spans, (const int32_t *)r->x.host, shape->n);
    return 0;
}

static int prepare(struct work *work, const struct variant *variant)
{
    struct reduce *r = (struct reduce *)work;
    int status = buffer_restore(&r->x, work->n, variant->rules & DESTROYS_INPUT);

    if (status == 0)
        status = buffer_poison(&r->partial, r->partial.capacity);
    return status == 0 ? buffer_poison(&r->sum, 1) : status;
}

static int verify(struct work *work, const struct variant *variant, struct result *result)
{
    struct reduce *r = (struct reduce *)work;
    union {
        float f32;
        int32_t i32;
    } sum;
    int status = device_check(cudaMemcpy(&sum, work->sum, sizeof(sum), cudaMemcpyDeviceToHost));

    if (status != 0)
        return status;
    /* reported as if it were that of the input itself */
    if (r->shape.type == &type_f32)
        verify_sum_f32(result, r->x.opposite ? 0 - sum.f32 : sum.f32, &r->f32,
                       (variant->depth ? variant->depth : reduce_depth_two_pass)(&r->shape));
    else
        verify_i32(result, r->x.opposite ? (int32_t)(0u - (uint32_t)sum.i32) : sum.i32, r->i32);
    result->wrong = work->sum;
    result->wrong_bytes = sizeof(sum);
    return 0;
}

static int settle(struct work *work, const struct variant *variant, struct result *result)
{
    return buffer_settle(&((struct reduce *)work)->x, variant, result);
}

static double bytes(const struct shape *s)
{
    return ((double)s->n + 1) * (double)s->type->bytes;
}

static const struct axis axes[] = {{
    VECTOR_AXIS,
    .test = "0 1 2 31 32 33 255 256 257 1000003 1048575 1048577",
}};

static const struct parameter parameters[] = {
    {"repeat", "K", "launch K times in a run, which is timed as a whole"},
    {NULL},
};

static const struct launches launches[] = {
    VECTOR_LADDER,
    VECTOR_RECORD,
    /* One element per thread: the block's tree is what a kernel does. Then the measurement of an
     * article of 2015, which adds up 100 launches. */
    {LESSON | GPU_ONLY,
     {"-n 2^22 -b 4096 -t 1024 -r 13", "-n 2^22 -b 16384 -t 256 -r 13",
      "-n 2^20 -b 1024 -t 1024 --type i32 --repeat 100 -r 5 -w 1"}},
    {RECORD | CPU_ONLY, {"-n 2^20 -b 256 -t 256"}},
    {RECORD | GPU_ONLY, {"-n 2^30 --cold -r 9 -w 1", "--sweep 10:27 --cold -r 9 -w 1"}},
    /* Small, since a profiler runs each kernel several times: whole and partial warps and blocks,
     * starts that are not aligned. */
    {COUNTED,
     {"-n 2^20 -b 256 -t 256", "-n 100003 -b 7 -t 64 --offset 1", "-n 100003 -b 7 -t 100",
      "-n 100003 -b 7 -t 1024"}},
    {SANITIZED, {"-n 100003 -b 16 -t 128"}},
    /* No size a multiple of the block, blocks of all kinds, more blocks than threads, a single one,
     * next to none to do; and sizes that fit exactly, where the fast paths are. */
    {MUTATED,
     {"-n 1003 -b 5 -t 64", "-n 9001 -b 2 -t 1024", "-n 5000 -b 1 -t 100", "-n 777 -b 7 -t 33",
      "-n 4096 -b 4 -t 128", "-n 20011 -b 3 -t 256 --offset 1", "-n 3000 -b 2 -t 512",
      "-n 30011 -b 40 -t 32", "-n 60 -b 3 -t 16", "-n 8 -b 2 -t 2", "-n 7 -b 3 -t 1",
      "-n 1 -b 1 -t 1", "-n 2 -b 1 -t 1", "-n 5 -b 2 -t 32", "-n 5000 -b 1 -t 96",
      "-n 0 -b 2 -t 32", "-n 9215 -b 3 -t 32", "-n 1003 -b 1 -t 64 --offset 1"}},
    /* One block that has 16 to 17 elements for each thread; more than 32 blocks of more than 32
     * threads; arrays that end before the first aligned address; NaN and infinities. */
    {MUTATED,
     {"-n 1055 -b 1 -t 64", "-n 1029 -b 1 -t 64 --offset 3", "-n 9777 -b 40 -t 96 --offset 1",
      "-n 2 -b 1 -t 32 --offset 1", "-n 1 -b 2 -t 32 --offset 2",
      "-n 1003 -b 5 -t 64 --input hostile --seed 0 --type f32",
      "-n 1003 -b 5 -t 64 --input hostile --seed 1 --type f32",
      "-n 1003 -b 1 -t 32 --input hostile --seed 2"}},
    {CHECKED, {"-n 0", "-n 1 -b 2 -t 32", "-n 1000 -b 4 -t 64", "-n 5000 -b 3 -t 256 --offset 1"}},
    {0},
};

const struct family reduce_family = {
    .name = "reduce",
    .title = "Reduction",
    .axes = axes,
    .axis_count = COUNT(axes),
    .parameters = parameters,
    .options = OPTION_INPUT | OPTION_BLOCKS | OPTION_OFFSET,
    .inputs = input_names,
    .measure = MEASURE_BYTES,
    .charts = "ladder rate",
    .test = {"1 2 31 32 33 64 100 256 1000 1024", "1 2 7 270", "0 1 2 3"},
    .launches = launches,
    .accept = accept,
    .repeats = repeats,
    .default_shape = reduce_default_shape,
    .refuse = refuse,
    .work = {create, set, prepare, verify, settle, destroy},
    .bytes = bytes,
};
