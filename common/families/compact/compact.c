/*
 * The compact family's side of the harness: its arrays, its verdict, its launches.
 */
#include "families/compact/compact.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <cuda_runtime_api.h>

#include "families/compact/compact_compare.h"
#include "harness/kit/buffer.h"
#include "harness/kit/device.h"
#include "harness/kit/input.h"
#include "harness/kit/message.h"
#include "harness/kit/parallel.h"
#include "harness/kit/vector_code.h"
#include "harness/kit/vector.h"

enum { N, KEEP };

struct compact {
    struct work work; /* first: the launch functions get this part */
    struct buffer x, y, flags, count, marks, places, sums, words;
    uint64_t *before; /* elements kept before each span of x, and before the end */
    size_t keep;      /* percent that flags and before are for; above 100: none yet */
    struct comparison comparison;
};

static void destroy(struct work *work)
{
    struct compact *c = (struct compact *)work;

    compact_compare_close(&c->comparison);
    buffer_free(&c->x);
    buffer_free(&c->y);
    buffer_free(&c->flags);
    buffer_free(&c->count);
    buffer_free(&c->marks);
    buffer_free(&c->places);
    buffer_free(&c->sums);
    buffer_free(&c->words);
    free(c->before);
    free(c);
}

static int fill(struct compact *c, const struct setting *setting, size_t n)
{
    int status = buffer_input(&c->x, n, setting);

    if (status == 0)
        status = buffer_reserve(&c->y, n);
    if (status == 0)
        status = buffer_reserve(&c->flags, n);
    if (status == 0)
        status = buffer_reserve_host(&c->flags, n);
    if (status == 0)
        status = buffer_reserve(&c->count, 1);
    c->comparison = (struct comparison){
        .x = &c->x,
        .y = &c->y,
        .spans = n / COMPACT_SPAN + 1,
        .poison = 0x01010101u * (unsigned)c->y.poison,
        .floats = setting->type == &type_f32,
    };
    c->before = (uint64_t *)calloc(c->comparison.spans, sizeof(*c->before));
    c->comparison.before = c->before;
    if (status == 0 && !c->before)
        status = complain(BAD_DEVICE, "no memory left on the host for the reference");
    return status;
}

static struct work *create(const struct setting *setting, const struct shape *largest)
{
    size_t bytes = setting->type->bytes;
    struct compact *c = (struct compact *)work_new(sizeof(*c));

    if (!c)
        return NULL;
    /* Without a type, so no run sees the opposite: of that another share would be kept. */
    c->x = (struct buffer){.what = "the input", .bytes = bytes, .offset = setting->offset};
    c->y = (struct buffer){.what = "the result",
                           .bytes = bytes,
                           .offset = setting->offset,
                           .poison = buffer_poison_of(setting->type),
                           .guard = BUFFER_GUARD};
    c->flags = (struct buffer){.what = "the flags", .bytes = 1, .offset = setting->offset};
    c->count = (struct buffer){.what = "the count",
                               .bytes = sizeof(*c->work.count),
                               .poison = 0xa5,
                               .guard = BUFFER_GUARD};
    c->marks = (struct buffer){.what = "the flags that a run writes", .bytes = 1, .poison = 0xa5};
    c->places =
        (struct buffer){.what = "the addresses", .bytes = sizeof(*c->work.places), .poison = 0xa5};
    c->sums =
        (struct buffer){.what = "the tiles' sums", .bytes = sizeof(*c->work.sums), .poison = 0xa5};
    c->words = (struct buffer){
        .what = "the tiles' words", .bytes = sizeof(*c->work.words), .poison = 0xa5};
    c->keep = SIZE_MAX;
    if (fill(c, setting, largest->n) != 0) {
        destroy(&c->work);
        return NULL;
    }
    return &c->work;
}

/* The largest element that is kept if keep percent of the input `random` are: see kit/input.h. */
static struct limit limit_for(size_t keep)
{
    struct limit limit = {(float)(-0.25 + (double)keep / 100), INT32_MIN};

    if (keep == 0)
        limit.f32 = -INFINITY;
    if (keep == 100)
        limit.f32 = INFINITY;
    if (keep > 0)
        limit.i32 = (int32_t)(INT32_MIN + (int64_t)(((uint64_t)keep << 32) / 100) - 1);
    return limit;
}

/* A chunk's flags, and in before[k + 1] how many elements of span k are kept; before[0] stays 0. */
VECTOR_CODE static void flag_chunk(void *context, size_t chunk, size_t begin, size_t end)
{
    struct compact *c = (struct compact *)context;
    const uint32_t *x = (const uint32_t *)c->x.host;
    unsigned char *flags = (unsigned char *)c->flags.host;
    struct limit limit = c->work.limit;
    bool floats = c->comparison.floats;

    (void)chunk;
    for (size_t at = begin; at < end; at += COMPACT_SPAN) {
        size_t behind = at + COMPACT_SPAN < end ? at + COMPACT_SPAN : end, span = at / COMPACT_SPAN;
        unsigned kept = 0;

        for (size_t i = at; i < behind; i++) {
            flags[i] = compact_keeps(x[i], limit, floats);
            kept += flags[i];
        }
        if (span + 1 < c->comparison.spans)
            c->before[span + 1] += kept;
    }
}

/* Flags and counts for this share, of the whole input. */
static int flag(struct compact *c, size_t keep)
{
    int status;

    if (c->keep == keep)
        return 0;
    c->keep = keep;
    c->work.limit = c->comparison.limit = limit_for(keep);
    memset(c->before, 0, c->comparison.spans * sizeof(*c->before));
    parallel_for(c->x.capacity, flag_chunk, c);
    for (size_t k = 1; k < c->comparison.spans; k++)
        c->before[k] += c->before[k - 1];
    status = buffer_upload(&c->flags);
    return status == 0 ? compact_compare_open(&c->comparison) : status;
}

/* How many of the first n elements are kept. */
static size_t kept_of(const struct compact *c, size_t n)
{
    const unsigned char *flags = (const unsigned char *)c->flags.host;
    size_t kept = c->before[n / COMPACT_SPAN];

    for (size_t i = n / COMPACT_SPAN * COMPACT_SPAN; i < n; i++)
        kept += flags[i];
    return kept;
}

/* Room for the sums and words of this shape: more threads need less, so the largest cannot tell. */
static int reserve(struct compact *c)
{
    size_t threads = (size_t)c->work.threads, tile = threads > 2 ? threads : 2, sums = 0;
    size_t n = c->work.n;
    int status;

    do {
        n = compact_tiles_of(n, tile);
        sums += n;
    } while (n > 1);
    status = buffer_reserve(&c->sums, sums);
    if (status == 0)
        status = buffer_reserve(&c->words, compact_tiles_of(c->work.n, threads) + 1);
    c->work.sums = (unsigned long long *)c->sums.device;
    c->work.words = (unsigned long long *)c->words.device;
    return status;
}

static int set(struct work *work, const struct shape *shape)
{
    struct compact *c = (struct compact *)work;
    int status = flag(c, shape->axis[KEEP]);

    work->n = shape->n;
    work->blocks = shape->blocks;
    work->threads = shape->threads;
    work->flags = (const unsigned char *)c->flags.device;
    work->count = (unsigned long long *)c->count.device;
    c->comparison.n = shape->n;
    if (status == 0)
        c->comparison.kept = kept_of(c, shape->n);
    return status == 0 ? reserve(c) : status;
}

/* Flags and addresses, for a variant that keeps some. */
static int prepare_addresses(struct compact *c)
{
    int status = buffer_reserve(&c->marks, c->work.n);

    if (status == 0)
        status = buffer_reserve(&c->places, c->work.n);
    if (status == 0)
        status = buffer_poison(&c->marks, c->work.n);
    if (status == 0)
        status = buffer_poison(&c->places, c->work.n);
    c->work.marks = (unsigned char *)c->marks.device;
    c->work.places = (unsigned *)c->places.device;
    return status;
}

static int prepare(struct work *work, const struct variant *variant)
{
    struct compact *c = (struct compact *)work;
    bool in_place = variant->rules & IN_PLACE;
    int status = buffer_poison(&c->y, work->n);

    work->x = (const element *)(in_place ? c->y.device : c->x.device);
    work->y = (element *)c->y.device;
    if (status == 0)
        status = buffer_poison(&c->count, 1);
    if (status == 0)
        status = buffer_poison(&c->sums, c->sums.capacity);
    if (status == 0)
        status = buffer_poison(&c->words, c->words.capacity);
    if (status == 0 && variant->rules & ADDRESSES)
        status = prepare_addresses(c);
    if (status == 0 && in_place && work->n > 0)
        status = device_check(cudaMemcpyAsync(c->y.device, c->x.device, work->n * c->x.bytes,
                                              cudaMemcpyDeviceToDevice, 0));
    return status;
}

static int verify(struct work *work, const struct variant *variant, struct result *result)
{
    struct compact *c = (struct compact *)work;
    struct difference d;
    unsigned long long count = 0;
    size_t kept = c->comparison.kept;
    char where[96] = "";
    int status;

    c->comparison.in_place = variant->rules & IN_PLACE;
    status = compact_compare(&c->comparison, &d);
    if (status == 0)
        status =
            device_check(cudaMemcpy(&count, work->count, sizeof(count), cudaMemcpyDeviceToHost));
    *result = (struct result){
        .has_value = true,
        .value = (double)count,
        .reference = (double)kept,
        .error = fabs((double)count - (double)kept),
        .bound = 0,
    };
    if (count != kept)
        snprintf(where, sizeof(where), "the count is %llu, not %zu", count, kept);
    else if (d.count)
        snprintf(where, sizeof(where), "%llu elements, first y[%llu]", d.count, d.first);
    if (status == 0)
        status =
            buffer_verdict(&c->count, variant, 1, (struct wrong){count != kept, 0, where}, result);
    return status == 0 && result->verdict == VERDICT_OK
               ? buffer_verdict(&c->y, variant, work->n,
                                (struct wrong){d.count, (size_t)d.first, where}, result)
               : status;
}

static int settle(struct work *work, const struct variant *variant, struct result *result)
{
    struct compact *c = (struct compact *)work;
    int status = buffer_settle(&c->x, variant, result);

    return status == 0 ? buffer_settle(&c->flags, variant, result) : status;
}

/* What is read, what is kept, and the count. */
static double bytes(const struct shape *s)
{
    return (double)s->n * (double)s->type->bytes * (1 + (double)s->axis[KEEP] / 100) +
           sizeof(unsigned long long);
}

double compact_bytes_flagged(const struct shape *s)
{
    return bytes(s) + (double)s->n;
}

void compact_shape_lookback(struct shape *s)
{
    device_default_shape(s, LOOKBACK_ITEMS);
}

static const struct axis axes[] = {
    [N] = {VECTOR_AXIS, .test = "0 1 2 31 32 33 255 256 257 5000", .large = "300007"},
    [KEEP] = {.name = "keep",
              .option = "keep",
              .help = "percent of a random input that are kept (default 50)",
              .words = "share that is kept",
              .unit = "%",
              .most = 100,
              .cpu = 50,
              .cuda = 50,
              .test = "0 1 50 99 100"},
};

static const struct launches launches[] = {
    VECTOR_LADDER,
    VECTOR_RECORD,
    {RECORD | CPU_ONLY, {"-n 2^20"}},
    {RECORD | GPU_ONLY,
     {"-n 2^28 --keep 0 -r 5", "-n 2^28 --keep 1 -r 5", "-n 2^28 --keep 10 -r 5",
      "-n 2^28 --keep 90 -r 5", "-n 2^28 --keep 99 -r 5", "-n 2^28 --keep 100 -r 5"}},
    /* With one block no look-back has to wait: how often a wait polls is a matter of timing. There
     * all is kept: where nothing makes lanes meet, the CPU device joins stores of different rows.
     */
    {COUNTED,
     {"-n 2^17 -b 128 -t 256", "-n 100003 -b 64 -t 100 --keep 10", "-n 1001 -b 1 -t 64 --keep 100",
      "-n 5000 -b 1 --keep 100"}},
    {SANITIZED, {"-n 100003", "-n 250"}},
    {MUTATED,
     {"-n 2002 -b 3 -t 64", "-n 777 -b 2 -t 33 --keep 90", "-n 5000 -b 4 -t 256 --keep 10",
      "-n 1 -b 1 -t 32 --keep 100", "-n 3 -b 2 -t 2", "-n 0 -b 1 -t 32",
      "-n 20003 -b 5 -t 32 --keep 99 --offset 1", "-n 4096 -b 2 -t 32 --keep 100", "-n 36001 -b 2",
      "-n 57349 -b 3 --keep 30", "-n 0 -b 1", "-n 65536 -b 1 --offset 1",
      "-n 57349 -b 1 --keep 90"}},
    /* One short of a whole part. */
    {MUTATED, {"-n 255 -b 1 -t 32 --keep 90", "-n 511 -b 1 --keep 90"}},
    /* NaN and infinities; a limit that is infinite; more kept than 16 bits count; and arrays that
     * end before the first aligned address. */
    {MUTATED,
     {"-n 2002 -b 3 -t 64 --input hostile --seed 1 --type f32",
      "-n 5000 --input hostile --seed 3 --keep 0 --type f32",
      "-n 5000 --input hostile --seed 3 --keep 100 --type f32",
      "-n 2002 -b 2 --input hostile --seed 2", "-n 66001 -b 3 --keep 100",
      "-n 66001 -b 2 -t 256 --keep 100", "-n 2 --offset 1 --keep 100",
      "-n 2 -b 1 -t 32 --offset 1 --keep 100"}},
    {CHECKED, {"-n 1", "-n 1000", "-n 5000 --keep 90", "-n 1000 -t 64", "-n 5000 -t 64"}},
    {TESTED,
     {"-n 5000 --input hostile --seed 1 --keep 100", "-n 5000 --input hostile --seed 3 --keep 0",
      "-n 5000 --input hostile --seed 3 --keep 100"}},
    {0},
};

static const struct family_estimate not_estimated = {
    .impossible = "its addresses depend on the data",
};

const struct family compact_family = {
    .name = "compact",
    .title = "Compaction",
    .axes = axes,
    .axis_count = COUNT(axes),
    .options = OPTION_INPUT | OPTION_BLOCKS | OPTION_OFFSET,
    .inputs = input_names,
    .measure = MEASURE_BYTES,
    .charts = "ladder rate axis:keep",
    .test = {"1 2 31 32 33 64 96 100 256 320 1000 1024", "1 2 7 270", "0 1 2 3"},
    .launches = launches,
    .estimate = &not_estimated,
    .default_shape = device_thread_per_element,
    .work = {create, set, prepare, verify, settle, destroy},
    .bytes = bytes,
};
