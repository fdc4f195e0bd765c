/*
 * The segmented family's side of the harness: its arrays, its verdict, its launches.
 */
#include "families/segmented/segmented.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime_api.h>

#include "families/segmented/segmented_input.h"
#include "harness/kit/device.h"
#include "harness/kit/input.h"
#include "harness/kit/number.h"
#include "harness/kit/opposite.h"
#include "harness/kit/prefix.h"
#include "harness/kit/vector.h"

#define WORD_BYTES 8
#define MAX_SHOWN 32 /* elements that fit on a line */

enum { N, SEGMENT };

struct segmented {
    struct work work; /* first: the launch functions get this part */
    struct shape shape;
    struct setting setting;
    size_t most;    /* elements, over all sizes */
    size_t segment; /* of the flags that are there; 0: none yet */
    struct buffer x, flags, bits, keys, y;
    struct buffer sums, heads, open, words;
    struct prefix prefix; /* what y is compared with */
};

static void destroy(struct work *work)
{
    struct segmented *s = (struct segmented *)work;

    prefix_close(&s->prefix);
    buffer_free(&s->x);
    buffer_free(&s->flags);
    buffer_free(&s->bits);
    buffer_free(&s->keys);
    buffer_free(&s->y);
    buffer_free(&s->sums);
    buffer_free(&s->heads);
    buffer_free(&s->open);
    buffer_free(&s->words);
    free(s);
}

/* The kit's descriptions of the arrays. */
static void describe_arrays(struct segmented *s, const struct setting *setting)
{
    size_t bytes = setting->type->bytes;
    int poison = buffer_poison_of(setting->type), offset = setting->offset;

    s->x = (struct buffer){
        .what = "the input", .bytes = bytes, .type = setting->type, .offset = offset};
    s->flags = (struct buffer){.what = "the flags", .bytes = 1};
    s->bits = (struct buffer){.what = "the flags' bits", .bytes = sizeof(uint32_t)};
    s->keys = (struct buffer){.what = "the segments' numbers", .bytes = sizeof(int32_t)};
    s->y = (struct buffer){.what = "the result",
                           .bytes = bytes,
                           .offset = offset,
                           .poison = poison,
                           .guard = BUFFER_GUARD};
    s->sums = (struct buffer){.what = "the tiles' sums", .bytes = bytes, .poison = poison};
    s->heads = (struct buffer){.what = "the tiles' flags", .bytes = 1, .poison = poison};
    s->open = (struct buffer){.what = "the tiles' counts", .bytes = 4, .poison = poison};
    s->words = (struct buffer){.what = "the tiles' words", .bytes = WORD_BYTES, .poison = poison};
    s->prefix = (struct prefix){.x = &s->x, .flags = &s->flags, .y = &s->y};
}

static struct work *create(const struct setting *setting, const struct shape *largest)
{
    struct segmented *s = (struct segmented *)work_new(sizeof(*s));
    int status;

    if (!s)
        return NULL;
    s->setting = *setting;
    s->most = largest->n;
    describe_arrays(s, setting);
    /* --values may be any numbers */
    s->prefix.small = !setting->parameters[VALUES] && input_exact(setting, largest->n);
    status = buffer_input(&s->x, largest->n, setting);
    if (status == 0)
        status = segmented_fill_values(&s->x, setting);
    if (status == 0)
        status = segmented_reserve_flags(&s->flags, &s->bits, largest->n);
    if (status == 0)
        status = buffer_reserve(&s->y, largest->n);
    if (status != 0) {
        destroy(&s->work);
        return NULL;
    }
    return &s->work;
}

/* Flags of another mean length: a reference of their own. */
static int set_segment(struct segmented *s, size_t segment)
{
    int status;

    prefix_close(&s->prefix);
    s->segment = segment;
    s->work.keys = NULL;
    status = segmented_fill_flags(&s->flags, &s->bits, s->most, segment, &s->setting);
    if (status == 0)
        status = segmented_spans_fill(&s->prefix, s->most, s->setting.type);
    return status == 0 ? prefix_open(&s->prefix) : status;
}

/* Room for the tiles of this shape: more threads need less, so the largest cannot tell. */
static int reserve(struct segmented *s)
{
    size_t tile = s->shape.threads > 2 ? (size_t)s->shape.threads : 2, pairs = 0;
    size_t words = segmented_tiles_of(s->shape.n, (size_t)s->shape.threads) + 1;
    int status;

    for (size_t n = s->shape.n; n > 1; pairs += n)
        n = segmented_tiles_of(n, tile);
    status = buffer_reserve(&s->sums, pairs);
    if (status == 0)
        status = buffer_reserve(&s->heads, pairs);
    if (status == 0)
        status = buffer_reserve(&s->open, pairs);
    if (status == 0)
        status = buffer_reserve(&s->words, words);
    s->work.sums = (element *)s->sums.device;
    s->work.heads = (unsigned char *)s->heads.device;
    s->work.open = (unsigned *)s->open.device;
    s->work.words = (unsigned long long *)s->words.device;
    return status;
}

static int set(struct work *work, const struct shape *shape)
{
    struct segmented *s = (struct segmented *)work;
    int status = 0;

    if (shape->axis[SEGMENT] != s->segment)
        status = set_segment(s, shape->axis[SEGMENT]);
    s->shape = *shape;
    work->n = shape->n;
    work->blocks = shape->blocks;
    work->threads = shape->threads;
    work->x = (const element *)s->x.device;
    work->y = (element *)s->y.device;
    work->flags = (const unsigned char *)s->flags.device;
    work->bits = (const unsigned *)s->bits.device;
    return status == 0 ? reserve(s) : status;
}

/* The tiles' words as an earlier launch of scan-segmented-stream leaves them: sums, posted with the
 * tag 1. Whoever uses them must clear them first. */
static int age_words(const struct buffer *b)
{
    char *high = (char *)b->device + WORD_BYTES / 2;
    int status =
        device_check(cudaMemset2DAsync(high, WORD_BYTES, 0, WORD_BYTES / 2, b->capacity, 0));

    return status == 0
               ? device_check(cudaMemset2DAsync(high, WORD_BYTES, 1 << 1, 1, b->capacity, 0))
               : status;
}

static int prepare(struct work *work, const struct variant *variant)
{
    struct segmented *s = (struct segmented *)work;
    struct buffer *results[] = {&s->sums, &s->heads, &s->open, &s->words};
    int status = 0;

    if (variant->rules & KEYS && !work->keys) {
        status = segmented_fill_keys(&s->keys, (const unsigned char *)s->flags.host, s->most);
        work->keys = (const int *)s->keys.device;
    }
    if (status == 0)
        status = buffer_restore(&s->x, work->n, false);
    if (status == 0)
        status = buffer_poison(&s->y, work->n);
    for (size_t i = 0; i < COUNT(results) && status == 0; i++) {
        if (results[i]->capacity > 0)
            status = buffer_poison(results[i], results[i]->capacity);
    }
    return status == 0 && s->words.capacity > 0 ? age_words(&s->words) : status;
}

static int verify(struct work *work, const struct variant *variant, struct result *result)
{
    struct segmented *s = (struct segmented *)work;
    double depth = (variant->depth ? variant->depth : segmented_depth_hillis)(&s->shape);

    return prefix_verify(&s->prefix, work->n, depth, variant, result);
}

static int settle(struct work *work, const struct variant *variant, struct result *result)
{
    struct segmented *s = (struct segmented *)work;
    int status = buffer_settle(&s->x, variant, result);

    if (status == 0)
        status = buffer_settle(&s->flags, variant, result);
    return status == 0 ? buffer_settle(&s->bits, variant, result) : status;
}

/* One line: the name, and so many elements. */
static void print_elements(const char *name, const void *elements, size_t n, bool opposite,
                           const struct type *type)
{
    printf("    %-6s", name);
    for (size_t i = 0; i < n; i++) {
        uint32_t bits = ((const uint32_t *)elements)[i];
        float real;

        bits = opposite ? opposite_of(bits, type == &type_f32) : bits;
        memcpy(&real, &bits, sizeof(real));
        if (type == &type_f32)
            printf(" %.4g", (double)real);
        else
            printf(" %d", (int32_t)bits);
    }
    printf("\n");
}

/* A short array is shown: x, the flags, and the result of the last run. */
static void show(struct segmented *s)
{
    const unsigned char *flags = (const unsigned char *)s->flags.host;
    size_t n = s->shape.n;
    uint32_t y[MAX_SHOWN];

    if (n == 0 || n > MAX_SHOWN ||
        device_check(cudaMemcpy(y, s->y.device, n * sizeof(*y), cudaMemcpyDeviceToHost)) != 0)
        return;
    print_elements("x", s->x.host, n, false, s->setting.type);
    printf("    flags ");
    for (size_t i = 0; i < n; i++)
        printf(" %d", flags[i]);
    printf("\n");
    print_elements("y", y, n, s->prefix.opposite, s->setting.type);
}

static void remark(struct work *work, const struct variant *variant)
{
    struct segmented *s = (struct segmented *)work;

    if (variant->depth)
        printf(
            "    steps, the longest chain of additions if no segment ended: %.0f (lg n = %.0f)\n",
            variant->depth(&s->shape), levels((double)s->shape.n));
    show(s);
}

static const struct axis axes[] = {
    {VECTOR_AXIS, .test = "0 1 2 31 32 33 255 256 257 5000", .large = "300007 262145"},
    {"segment", "segment",
     "mean length of a segment: element i > 0 begins one with probability 1 / M",
     "mean length of a segment", "elements", .least = 1, .cpu = 32, .cuda = 32,
     .test = "1 2 32 1000000"},
};

static const struct parameter parameters[] = {
    [FLAGS] = {"flags", "LIST", "which elements begin a segment, as 1,0,1: the first one does"},
    [VALUES] = {"values", "LIST", "the elements, as 3,1,2; needs --flags"},
    {NULL},
};

static const struct launches launches[] = {
    VECTOR_LADDER,
    VECTOR_RECORD,
    {RECORD | CPU_ONLY, {"-n 2^20"}},
    {RECORD | GPU_ONLY,
     {"-n 2^28 --segment 2^20 -r 5", "-n 2^28 --segment 1 -r 5", "-n 2^28 --segment 2^40 -r 5"}},
    /* With one block no look-back has to wait: how often a wait polls is a matter of timing. With
     * one segment, since nvcc loads also the sums that a head keeps out, which g++ does not. */
    {COUNTED,
     {"-n 2^17 -b 128 -t 256 --segment 2^40", "-n 100003 -b 64 -t 100 --segment 2^40",
      "-n 1000 -t 1000 --segment 2^40", "-n 1000 -t 512 --segment 2^40",
      "-n 4096 -b 1 -t 256 --segment 2^40", "-n 1001 -b 1 -t 64 --segment 2^40",
      "-n 5000 -b 1 --segment 2^40"}},
    {SANITIZED, {"-n 100003", "-n 250"}},
    {MUTATED,
     {"-n 2003 -b 3 -t 64", "-n 777 -b 2 -t 33", "-n 5000 -b 4 -t 256", "-n 100 -b 1 -t 128",
      "-n 64 -b 1 -t 32", "-n 64 -b 1 -t 64", "-n 4096 -b 4 -t 32 --segment 1000",
      "-n 36001 -b 5 -t 32 --segment 2^40", "-n 36001 -b 5 -t 32 --segment 1000", "-n 1 -b 1 -t 32",
      "-n 3 -b 2 -t 2", "-n 0 -b 1 -t 32", "-n 5 -b 2 -t 1", "-n 5 -b 2 -t 2",
      "-n 2035 -b 5 -t 32 --segment 100", "-n 5123 -b 3 -t 32 --offset 1",
      "-n 5120 -b 3 -t 32 --segment 2", "-n 1537 -b 2 -t 32 --segment 1"}},
    /* For tiles of a size that the variant chooses: 4096 or 8192 elements. */
    {MUTATED,
     {"-n 65537 -b 1 --segment 2^40", "-n 98304 -b 2 --segment 20000",
      "-n 32768 -b 2 --segment 300", "-n 40001 --segment 2^40", "-n 2003 -b 3", "-n 1 -b 1",
      "-n 32766 -b 2 --offset 1", "-n 1152 -b 1"}},
    /* Parts that lack an element at the end of the array; and a head as the last element, the first
     * of its word of flags. */
    {MUTATED, {"-n 2047 -b 2 -t 32", "-n 16383 -b 1", "-n 2049 -b 1 --segment 1"}},
    /* In the stream a part whose only head is its first element. */
    {MUTATED, {"-n 20003 -b 2 --segment 1500 --seed 36", "-n 110003 -b 12 --segment 2^40"}},
    /* NaN, which a head ends; arrays that end before the first aligned address; and more than 32
     * blocks, whose heads stand in each word of a lane. */
    {MUTATED,
     {"-n 2003 -b 3 -t 64 --input hostile --seed 1 --type f32",
      "-n 5000 -b 2 --input hostile --seed 1", "-n 2 -b 1 -t 32 --offset 1", "-n 2 -b 1 --offset 1",
      "-n 36001 -b 40 -t 64 --segment 100", "-n 330003 -b 40 --segment 100000 --seed 2",
      "-n 330003 -b 40 --segment 2^40"}},
    {CHECKED,
     {"-n 1", "-n 1000", "-n 5000 --segment 1000", "-n 1 -t 64", "-n 1000 -t 64",
      "-n 5000 -t 64 --segment 1000", "-n 100003 -b 3 --segment 20000"}},
    {TESTED,
     {"-n 9 --type i32 --flags 1,0,1,0,0,1,0,0,0 --values 1,2,6,7,1,1,2,3,4",
      "-n 9 --flags 1,0,1,0,0,1,0,0,0 --values 1,2,6,7,1,1,2,3,4"}},
    {0},
};

const struct family segmented_family = {
    .name = "segmented",
    .title = "Segmented scan",
    .axes = axes,
    .axis_count = COUNT(axes),
    .parameters = parameters,
    .options = OPTION_INPUT | OPTION_BLOCKS | OPTION_OFFSET,
    .inputs = input_names,
    .measure = MEASURE_BYTES,
    .charts = "ladder rate axis:segment",
    .test = {"1 2 31 32 33 64 96 100 256 320 1000 1024", "1 2 7 270", "0 1 2 3"},
    .launches = launches,
    .accept = segmented_accept,
    .default_shape = device_thread_per_element,
    .work = {create, set, prepare, verify, settle, destroy},
    .bytes = segmented_bytes,
    .remark = remark,
};
