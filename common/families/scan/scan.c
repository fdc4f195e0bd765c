/*
 * The scan family's side of the harness: its arrays, its verdict, its launches.
 */
#include "families/scan/scan.h"

#include <stdio.h>
#include <stdlib.h>

#include <cuda_runtime_api.h>

#include "harness/kit/buffer.h"
#include "harness/kit/device.h"
#include "harness/kit/input.h"
#include "harness/kit/message.h"
#include "harness/kit/number.h"
#include "harness/kit/prefix.h"
#include "harness/kit/vector.h"

#define WORD_BYTES 8

struct scan {
    struct work work; /* first: the launch functions get this part */
    struct shape shape;
    struct buffer x, y, sums, words;
    struct prefix prefix; /* what y is compared with */
};

static void destroy(struct work *work)
{
    struct scan *s = (struct scan *)work;

    prefix_close(&s->prefix);
    buffer_free(&s->x);
    buffer_free(&s->y);
    buffer_free(&s->sums);
    buffer_free(&s->words);
    free(s);
}

static int fill(struct scan *s, const struct setting *setting, size_t n)
{
    int status = buffer_input_there(&s->x, n, setting);

    if (status == 0)
        status = buffer_reserve(&s->y, n);
    s->prefix = (struct prefix){.x = &s->x, .y = &s->y};
    if (status == 0)
        status = spans_fill_from(&s->prefix.spans, &s->x, n, setting);
    return status == 0 ? prefix_open(&s->prefix) : status;
}

static struct work *create(const struct setting *setting, const struct shape *largest)
{
    size_t bytes = setting->type->bytes;
    int poison = buffer_poison_of(setting->type);
    struct scan *s = (struct scan *)work_new(sizeof(*s));

    if (!s)
        return NULL;
    s->x = (struct buffer){
        .what = "the input", .bytes = bytes, .type = setting->type, .offset = setting->offset};
    s->y = (struct buffer){.what = "the result",
                           .bytes = bytes,
                           .offset = setting->offset,
                           .poison = poison,
                           .guard = BUFFER_GUARD};
    s->sums = (struct buffer){.what = "the block sums", .bytes = bytes, .poison = poison};
    s->words = (struct buffer){.what = "the tiles' words", .bytes = WORD_BYTES};
    if (fill(s, setting, largest->n) != 0) {
        destroy(&s->work);
        return NULL;
    }
    return &s->work;
}

/* Room for the sums and words of this shape: more threads need less, so the largest cannot tell. */
static int reserve(struct scan *s)
{
    size_t tile = s->shape.threads > 2 ? (size_t)s->shape.threads : 2, sums = 0;
    size_t words = scan_tiles_of(s->shape.n, (size_t)s->shape.threads) + 1;
    bool fits = s->words.device && words <= s->words.capacity;
    int status;

    for (size_t n = s->shape.n; n > 1; sums += n)
        n = scan_tiles_of(n, tile);
    status = buffer_reserve(&s->sums, sums);
    if (status == 0)
        status = buffer_reserve(&s->words, words);
    if (status == 0 && !fits)
        status = device_check(cudaMemset(s->words.device, 0, words * WORD_BYTES));
    s->work.sums = (element *)s->sums.device;
    s->work.words = (unsigned long long *)s->words.device;
    return status;
}

static int set(struct work *work, const struct shape *shape)
{
    struct scan *s = (struct scan *)work;

    s->shape = *shape;
    work->n = shape->n;
    work->blocks = shape->blocks;
    work->threads = shape->threads;
    return reserve(s);
}

static int prepare(struct work *work, const struct variant *variant)
{
    struct scan *s = (struct scan *)work;
    bool in_place = variant->rules & IN_PLACE;
    int status = buffer_restore(&s->x, work->n, false);

    if (status == 0)
        status = buffer_poison(&s->y, work->n);
    work->x = (const element *)(in_place ? s->y.device : s->x.device);
    work->y = (element *)s->y.device;
    if (status == 0 && s->sums.capacity > 0)
        status = buffer_poison(&s->sums, s->sums.capacity);
    if (status == 0 && in_place && work->n > 0)
        status = device_check(cudaMemcpyAsync(s->y.device, s->x.device, work->n * s->x.bytes,
                                              cudaMemcpyDeviceToDevice, 0));
    return status;
}

static int verify(struct work *work, const struct variant *variant, struct result *result)
{
    struct scan *s = (struct scan *)work;
    double depth = (variant->depth ? variant->depth : scan_depth_hillis)(&s->shape);

    s->prefix.exclusive = variant->rules & EXCLUSIVE;
    return prefix_verify(&s->prefix, work->n, depth, variant, result);
}

static int settle(struct work *work, const struct variant *variant, struct result *result)
{
    return buffer_settle(&((struct scan *)work)->x, variant, result);
}

static double bytes(const struct shape *s)
{
    return 2.0 * (double)s->n * (double)s->type->bytes;
}

static void remark(struct work *work, const struct variant *variant)
{
    const struct shape *s = &((struct scan *)work)->shape;
    double n = (double)s->n, lg = levels(n);

    if (variant->flops && variant->depth)
        printf("    work %.4g additions: %.3g n (n lg n = %.4g); steps, the longest chain of them: "
               "%.0f (lg n = %.0f)\n",
               variant->flops(s), n > 0 ? variant->flops(s) / n : 0, n * lg, variant->depth(s), lg);
}

static const struct axis axes[] = {{
    VECTOR_AXIS,
    .test = "0 1 2 31 32 33 255 256 257 5000",
    /* Beside 256^2, 64^3 and 1024^2, where another level of sums begins. */
    .large = "65535 262145 1048577",
}};

static const struct launches launches[] = {
    VECTOR_LADDER,
    VECTOR_RECORD,
    {RECORD | CPU_ONLY, {"-n 2^20"}},
    /* One block, which has as many threads as there are elements, or half as many. */
    {LESSON,
     {"--sweep 1:8 -r 7", "-n 512 -t 256 -r 7", "-n 512 -t 512 -r 7", "-n 1024 -t 512 -r 7",
      "-n 1024 -t 1024 -r 7"}},
    /* With one block no look-back has to wait: how often a wait polls is a matter of timing. */
    {COUNTED,
     {"-n 2^17 -b 128 -t 256", "-n 100003 -b 64 -t 100", "-n 100003 -b 64 -t 64", "-n 1000 -t 1000",
      "-n 1000 -t 512", "-n 4096 -b 1 -t 256", "-n 1001 -b 1 -t 64", "-n 5000 -b 1"}},
    {SANITIZED, {"-n 100003", "-n 250"}},
    {MUTATED, {"-n 2003 -b 3 -t 64", "-n 777 -b 2 -t 33",    "-n 5000 -b 4 -t 256",
               "-n 100 -b 1 -t 128", "-n 64 -b 1 -t 32",     "-n 64 -b 1 -t 64",
               "-n 4096 -b 4 -t 32", "-n 36001 -b 5 -t 32",  "-n 1 -b 1 -t 32",
               "-n 3 -b 2 -t 2",     "-n 0 -b 1 -t 32",      "-n 5 -b 2 -t 1",
               "-n 5 -b 2 -t 2",     "-n 1025 -b 3 -t 32",   "-n 2034 -b 5 -t 32",
               "-n 2035 -b 5 -t 32", "-n 2036 -b 2 -t 32",   "-n 5120 -b 3 -t 32",
               "-n 1535 -b 2 -t 32", "-n 36001 -b 71 -t 32", "-n 5123 -b 3 -t 32 --offset 1"}},
    /* For tiles of a size that the variant chooses. */
    {MUTATED,
     {"-n 200003 -b 3", "-n 69121 -b 1", "-n 69120 -b 2", "-n 69118 -b 2", "-n 69116 -b 2",
      "-n 69117 -b 2", "-n 69119 -b 2", "-n 2003 -b 3", "-n 1 -b 1", "-n 69118 -b 2 --offset 1"}},
    /* NaN, infinities and values that cancel; arrays that end before the first aligned address; and
     * more than 32 blocks of more than 32 threads. */
    {MUTATED,
     {"-n 2003 -b 3 -t 64 --input hostile --seed 1 --type f32",
      "-n 5000 -b 2 --input hostile --seed 2",
      "-n 2003 -b 3 -t 64 --input hostile --seed 0 --type f32", "-n 2 -b 1 -t 32 --offset 1",
      "-n 2 -b 1 --offset 1", "-n 20003 -b 40 -t 64 --offset 3"}},
    {CHECKED, {"-n 1", "-n 1000", "-n 5000", "-n 1 -t 64", "-n 1000 -t 64", "-n 5000 -t 64"}},
    {0},
};

const struct family scan_family = {
    .name = "scan",
    .title = "Scan",
    .axes = axes,
    .axis_count = COUNT(axes),
    .options = OPTION_INPUT | OPTION_BLOCKS | OPTION_OFFSET,
    .inputs = input_names,
    .measure = MEASURE_BYTES,
    .charts = "ladder rate work",
    .test = {"1 2 31 32 33 64 96 100 256 320 1000 1024", "1 2 7 270", "0 1 2 3"},
    .launches = launches,
    .default_shape = device_thread_per_element,
    .work = {create, set, prepare, verify, settle, destroy},
    .bytes = bytes,
    .remark = remark,
};
