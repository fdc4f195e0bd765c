/*
 * The sort family's side of the harness: its arrays, its verdict, its launches.
 */
#include "families/sort/sort.h"

#include <stdio.h>
#include <stdlib.h>

#include <cuda_runtime_api.h>

#include "families/sort/sort_compare.h"
#include "harness/kit/buffer.h"
#include "harness/kit/device.h"
#include "harness/kit/message.h"
#include "harness/kit/vector.h"

#define VALUE_BYTES 4
#define MOST_PAIRS ((size_t)1 << 32) /* as many as there are values */

enum { ORDER, BITS }; /* the parameters */

#ifdef BACKEND_CPU
static const bool host_shares = true; /* its memory with the device */
#else
static const bool host_shares = false;
#endif

struct sort {
    struct work work; /* first: the launch functions get this part */
    struct buffer x, y, other, values, y_values, other_values, counters;
    bool pairs;         /* of the present shape */
    struct field field; /* as --bits and --order say */
    struct comparison comparison;
};

static int parse(const struct setting *setting, struct field *field)
{
    return field_parse(field, setting->parameters[BITS], setting->parameters[ORDER], setting->type);
}

static int accept(const struct setting *setting, size_t axis[MAX_AXES], bool sized)
{
    struct field field;

    (void)axis;
    (void)sized;
    return parse(setting, &field);
}

/* Bytes of a key with its value. */
static size_t item_bytes(const struct shape *s)
{
    return s->type->bytes + s->axis[SORT_VALUES];
}

/* Bytes that the arrays of this shape take: of the device, and of the host where it is the same. */
static double needed(const struct shape *s)
{
    size_t counters = sort_room(s->n, s->threads) * sizeof(unsigned long long);

    return (host_shares ? 5.0 : 3.0) * (double)s->n * (double)item_bytes(s) + (double)counters;
}

static bool refuse(const struct shape *s, const struct variant *v, char *why, size_t room)
{
    size_t is_free = 0, all = 0;

    (void)v;
    if (s->axis[SORT_VALUES] != 0 && s->axis[SORT_VALUES] != VALUE_BYTES)
        snprintf(why, room, "values of 0 or %d bytes; got %zu", VALUE_BYTES, s->axis[SORT_VALUES]);
    else if (s->axis[SORT_VALUES] != 0 && s->n > MOST_PAIRS)
        snprintf(why, room, "at most 2^32 pairs, which their values number; got %zu", s->n);
    else if (cudaMemGetInfo(&is_free, &all) == cudaSuccess && needed(s) > (double)is_free)
        snprintf(why, room, "the arrays of %zu keys need %.1f GiB, and %.1f GiB are free", s->n,
                 needed(s) / 0x1p30, (double)is_free / 0x1p30);
    else
        return false;
    return true;
}

static void destroy(struct work *work)
{
    struct sort *s = (struct sort *)work;
    struct buffer *all[] = {
        &s->x, &s->y, &s->other, &s->values, &s->y_values, &s->other_values, &s->counters};

    for (size_t k = 0; k < COUNT(all); k++)
        buffer_free(all[k]);
    free(s);
}

static void fill_values(struct sort *s, size_t n)
{
    unsigned *values = (unsigned *)s->values.host;

    for (size_t i = 0; i < n; i++)
        values[i] = sort_value(i, s->comparison.salt);
}

static int fill_keys(struct buffer *x, const struct setting *setting, size_t n)
{
    int status = buffer_reserve(x, n);

#ifndef BACKEND_CPU
    if (status == 0 && setting->type == &type_u32 && strcmp(setting->input, sort_inputs[0]) == 0) {
        status = sort_fill_device(&x->place, x->device, n, setting->seed);
        return status == 0 ? buffer_made(x) : status;
    }
#endif
    if (status == 0)
        status = buffer_reserve_host(x, n);
    if (status != 0)
        return status;
    sort_fill(x->host, n, setting);
    return buffer_upload(x);
}

static int fill(struct sort *s, const struct setting *setting, size_t n)
{
    struct buffer *keys[] = {&s->y, &s->other}, *values[] = {&s->y_values, &s->other_values};
    int status = fill_keys(&s->x, setting, n);

    for (size_t k = 0; k < COUNT(keys) && status == 0; k++)
        status = buffer_reserve(keys[k], n);
    if (status != 0 || !s->pairs)
        return status;
    status = buffer_reserve(&s->values, n);
    if (status == 0)
        status = buffer_reserve_host(&s->values, n);
    if (status == 0) {
        fill_values(s, n);
        status = buffer_upload(&s->values);
    }
    for (size_t k = 0; k < COUNT(values) && status == 0; k++)
        status = buffer_reserve(values[k], n);
    return status;
}

static void describe_arrays(struct sort *s, const struct setting *setting)
{
    size_t bytes = setting->type->bytes;
    int poison = buffer_poison_of(setting->type);

    s->x = (struct buffer){.what = "the keys", .bytes = bytes, .offset = setting->offset};
    s->y = (struct buffer){.what = "the sorted keys",
                           .bytes = bytes,
                           .offset = setting->offset,
                           .poison = poison,
                           .guard = BUFFER_GUARD};
    s->other = (struct buffer){
        .what = "a second array of keys", .bytes = bytes, .poison = poison, .guard = BUFFER_GUARD};
    s->values = (struct buffer){.what = "the values", .bytes = sizeof(unsigned)};
    s->y_values = (struct buffer){.what = "the sorted values",
                                  .bytes = sizeof(unsigned),
                                  .poison = 0xa5,
                                  .guard = BUFFER_GUARD};
    s->other_values = (struct buffer){.what = "a second array of values",
                                      .bytes = sizeof(unsigned),
                                      .poison = 0xa5,
                                      .guard = BUFFER_GUARD};
    s->counters =
        (struct buffer){.what = "the counters", .bytes = sizeof(*s->work.counters), .poison = 0xa5};
}

static struct work *create(const struct setting *setting, const struct shape *largest)
{
    struct sort *s = (struct sort *)work_new(sizeof(*s));

    if (!s)
        return NULL;
    describe_arrays(s, setting);
    s->comparison = (struct comparison){
        .x = &s->x,
        .y = &s->y,
        .bytes = setting->type->bytes,
        .type = setting->type->name[0],
        .salt = (unsigned)setting->seed * 2654435769u + 1,
        .seed = setting->seed * 0x9e3779b97f4a7c15u,
    };
    s->pairs = largest->axis[SORT_VALUES] != 0;
    if (parse(setting, &s->field) != 0 || fill(s, setting, largest->n) != 0) {
        destroy(&s->work);
        return NULL;
    }
    return &s->work;
}

static int set(struct work *work, const struct shape *shape)
{
    struct sort *s = (struct sort *)work;
    int status = buffer_reserve(&s->counters, sort_room(shape->n, shape->threads));

    s->pairs = shape->axis[SORT_VALUES] != 0;
    s->comparison.values = s->pairs ? &s->y_values : NULL;
    work->n = s->comparison.n = shape->n;
    work->blocks = shape->blocks;
    work->threads = shape->threads;
    work->x = (const element *)s->x.device;
    work->y = (element *)s->y.device;
    work->other = (element *)s->other.device;
    work->values = s->pairs ? (const unsigned *)s->values.device : NULL;
    work->y_values = s->pairs ? (unsigned *)s->y_values.device : NULL;
    work->other_values = s->pairs ? (unsigned *)s->other_values.device : NULL;
    work->counters = (unsigned long long *)s->counters.device;
    return status;
}

static int prepare(struct work *work, const struct variant *variant)
{
    struct sort *s = (struct sort *)work;
    struct buffer *outputs[] = {&s->y, &s->other, &s->y_values, &s->other_values};
    int status = buffer_poison(&s->counters, s->counters.capacity);

    work->field = variant->rules & ONE_DIGIT ? field_digit(s->field, 0, DIGIT_BITS) : s->field;
    s->comparison.field = work->field;
    for (size_t k = 0; k < (s->pairs ? COUNT(outputs) : 2) && status == 0; k++)
        status = buffer_poison(outputs[k], work->n);
    return status;
}

/* The verdict on the guards of what else is written, of a right result. */
static int look_behind(struct sort *s, const struct variant *variant, struct result *result)
{
    struct buffer *others[] = {&s->other, &s->y_values, &s->other_values};
    int status = 0;

    for (size_t k = 0; k < (s->pairs ? COUNT(others) : 1); k++) {
        if (status == 0 && result->verdict == VERDICT_OK)
            status = buffer_verdict(others[k], variant, s->work.n, (struct wrong){0}, result);
    }
    return status;
}

static int verify(struct work *work, const struct variant *variant, struct result *result)
{
    struct sort *s = (struct sort *)work;
    struct disorder d = {0};
    char where[96] = "";
    bool others;
    int status = sort_compare(&s->comparison, &d);

    others = d.sums[0] || d.sums[1];
    *result = (struct result){.error = (double)d.count, .bound = 0};
    if (d.count)
        snprintf(where, sizeof(where), "%llu %s, first y[%llu]", d.count,
                 s->pairs ? "pairs out of order or altered" : "keys out of order", d.first);
    else if (others)
        snprintf(where, sizeof(where), "in order, but not the keys of the input");
    if (status == 0)
        status = buffer_verdict(
            &s->y, variant, work->n,
            (struct wrong){d.count + others, d.count ? (size_t)d.first : NO_ELEMENT, where},
            result);
    return status == 0 ? look_behind(s, variant, result) : status;
}

static int settle(struct work *work, const struct variant *variant, struct result *result)
{
    struct sort *s = (struct sort *)work;
    int status = buffer_settle(&s->x, variant, result);

    return status == 0 && s->pairs ? buffer_settle(&s->values, variant, result) : status;
}

static double bytes(const struct shape *s)
{
    return 2.0 * (double)s->n * (double)item_bytes(s);
}

void sort_shape_items(struct shape *s)
{
    device_default_shape(s, SORT_ITEMS);
}

static const struct axis axes[] = {
    [SORT_N] = {.name = "n",
                .cpu = (size_t)1 << 13,
                .cuda = (size_t)1 << 24,
                .test = "0 1 2 31 32 33 255 256 257 5000",
                .large = "70001"},
    [SORT_VALUES] = {.name = "values",
                     .option = "values",
                     .help = "bytes of the value that goes with each key: 0 (the default) or 4",
                     .words = "bytes of a value",
                     .most = VALUE_BYTES,
                     .test = "0 4"},
};

static const struct parameter parameters[] = {
    [ORDER] = {"order", "WHICH", "ascending (the default) or descending"},
    [BITS] = {"bits", "FIRST:LAST",
              "bits of the keys that are compared, FIRST in it, LAST not\n"
              "(default: all)"},
    {NULL},
};

static const struct launches launches[] = {
    {LADDER | CPU_ONLY, {"-n 2^16 -r 3"}},
    {LADDER | GPU_ONLY, {"-n 2^28"}},
    {SWEEP | CPU_ONLY, {"--sweep 10:16 -r 3 -w 1"}},
    {SWEEP | GPU_ONLY, {"--sweep 10:28 -r 3 -w 1"}},
    {QUICK, {"-n 2^14 -r 3"}},
    {RECORD | CPU_ONLY, {"-n 2^16"}},
    {RECORD | GPU_ONLY,
     {"-n 2^28 -r 15", "-n 2^20 -r 13", "-n 2^24 -r 13", "-n 2^28 --cold -r 3 -w 1",
      "-n 2^28 --values 4 -r 3 -w 1", "-n 2^28 --input sorted -r 3 -w 1",
      "-n 2^28 --input reversed -r 3 -w 1", "-n 2^28 --input equal -r 3 -w 1",
      "-n 2^28 --input few -r 3 -w 1", "-n 2^28 --input digit -r 3 -w 1",
      "-n 2^28 --input hostile -r 3 -w 1", "-n 2^28 --type i32 -r 3 -w 1",
      "-n 2^28 --type f32 -r 3 -w 1", "-n 2^28 --type u64 -r 3 -w 1",
      "-n 2^28 --order descending -r 3 -w 1", "--sweep 10:28 -r 3 -w 1", "-n 2^30 -r 3 -w 1"}},
    {COUNTED,
     {"-n 2^12 -t 256", "-n 1003 -b 1 -t 64 --input few", "-n 777 -b 1 -t 128 --type u64"}},
    {SANITIZED, {"-n 20011", "-n 5003 -t 64 --values 4"}},
    {MUTATED,
     {"-n 5003 -t 64", "-n 777 -t 32 --values 4 --input few", "-n 4096 -t 128 --values 4",
      "-n 1 -t 32", "-n 0 -t 32", "-n 20011 -t 256 --input hostile --type f32",
      "-n 3001 -t 64 --order descending --type i32 --values 4",
      "-n 3001 -t 32 --bits 3:21 --values 4 --input few", "-n 36001 -t 1024",
      "-n 20011 -t 512 --values 4 --bits 10:32", "-n 20011 -t 512 --input digit"}},
    /* Blocks with several tiles; a key less than whole ones, and a key more. */
    {MUTATED,
     {"-n 5003 -b 2 -t 64", "-n 3001 -b 2 -t 32 --values 4 --bits 3:21 --input few",
      "-n 4096 -b 3 -t 64 --input reversed", "-n 1023 -t 64 --input reversed",
      "-n 1023 -t 64 --values 4", "-n 513 -t 64 --input reversed",
      /* More tiles than threads; threads that do not divide the digits. */
      "-n 8193 -t 32", "-n 769 -t 96"}},
    {CHECKED, {"-n 0", "-n 1", "-n 1000 -t 64", "-n 5000 -t 128 --values 4", "-n 3000 -t 32"}},
    {TESTED,
     {"-n 5000 --input hostile --type f32 --values 4", "-n 5000 --input hostile --type i32",
      "-n 5000 --input hostile --type u64 --values 4",
      "-n 5000 --input few --order descending --values 4",
      "-n 5000 --input few --order descending --values 4 --type f32",
      "-n 5000 --input equal --values 4", "-n 5000 --input sorted --type f32",
      "-n 5000 --input reversed --type i32", "-n 5000 --input digit --type u64",
      "-n 5000 --bits 3:21 --values 4", "-n 5000 --bits 31:32 --values 4 --type i32",
      "-n 5000 --bits 0:1 --values 4 --order descending",
      "-n 5000 --bits 7:64 --values 4 --type u64", "-n 5000 --input hostile --type u64"}},
    {0},
};

static const struct family_estimate not_estimated = {
    .impossible = "its addresses depend on the data",
};

const struct family sort_family = {
    .name = "sort",
    .title = "Sorting",
    .axes = axes,
    .axis_count = COUNT(axes),
    .parameters = parameters,
    .options = OPTION_INPUT | OPTION_BLOCKS | OPTION_OFFSET | OPTION_TIMELINE,
    .inputs = sort_inputs,
    .measure = MEASURE_BYTES,
    .charts = "ladder rate inputs",
    .test = {"1 2 32 33 64 96 256 1000 1024", "1 3 40", "0 1 2 3"},
    .launches = launches,
    .estimate = &not_estimated,
    .accept = accept,
    .default_shape = sort_shape_items,
    .refuse = refuse,
    .work = {create, set, prepare, verify, settle, destroy},
    .bytes = bytes,
};
