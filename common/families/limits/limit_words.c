/*
 * limit-words' side of the harness.
 */
#include "families/limits/limit_words.h"

#include "families/limits/limits_arrays.h"
#include "harness/kit/device.h"
#include "harness/kit/number.h"
#include "harness/kit/parallel.h"

#define N 0
#define PASSES 1

static void default_shape(struct shape *s)
{
    if (s->threads == 0)
        s->threads = 128;
    device_default_shape(s, 4);
}

static size_t outputs_of(const struct shape *s)
{
    size_t threads = arrays_threads(s);

    return s->n > threads ? s->n : threads;
}

static void fill_chunk(void *context, size_t chunk, size_t begin, size_t end)
{
    uint32_t *x = (uint32_t *)context;

    (void)chunk;
    for (size_t i = begin; i < end; i++)
        x[i] = word_at(i);
}

static struct work *create(const struct setting *setting, const struct shape *largest)
{
    struct arrays *a = (struct arrays *)arrays_create(sizeof(*a), largest->n ? largest->n : 1,
                                                      outputs_of(largest), 4, NULL);

    (void)setting;
    if (!a)
        return NULL;
    parallel_for(a->x.capacity, fill_chunk, a->x.host);
    if (buffer_upload(&a->x) != 0) {
        arrays_destroy(&a->work);
        return NULL;
    }
    return &a->work;
}

static int set(struct work *work, const struct shape *shape)
{
    arrays_set((struct arrays *)work, shape);
    work->passes = shape->axis[PASSES];
    return 0;
}

static size_t outputs(const struct arrays *a, const struct variant *variant)
{
    return variant->rules & READS ? arrays_threads(&a->shape) : a->shape.n;
}

static int prepare(struct work *work, const struct variant *variant)
{
    struct arrays *a = (struct arrays *)work;

    return arrays_poison(a, outputs(a, variant));
}

/* The threads' sums together: which thread reads what is the kernel's choice. */
static int verify_sums(struct arrays *a, const struct variant *variant, struct result *result)
{
    size_t threads = arrays_threads(&a->shape), n = a->shape.n;
    uint32_t sum = 0, wanted = (uint32_t)a->work.passes * word_sum(n);
    int status = buffer_download(&a->y, threads);

    if (status != 0)
        return status;
    for (size_t i = 0; i < threads; i++)
        sum += ((const uint32_t *)a->y.host)[i];
    status = arrays_verdict(a, variant, threads, sum != wanted, NO_ELEMENT, result);
    result->has_value = true;
    result->value = sum;
    result->reference = wanted;
    return status;
}

static int verify(struct work *work, const struct variant *variant, struct result *result)
{
    struct arrays *a = (struct arrays *)work;
    struct word_difference d;
    int status;

    if (variant->rules & READS)
        return verify_sums(a, variant, result);
    status = words_compare(&a->y, a->shape.n,
                           variant->rules & SECTORS ? SECTOR_WORDS
                           : variant->rules & LINES ? LINE_WORDS
                                                    : 1,
                           &d);
    return status == 0
               ? arrays_verdict(a, variant, a->shape.n, (size_t)d.count, (size_t)d.first, result)
               : status;
}

static int settle(struct work *work, const struct variant *variant, struct result *result)
{
    return buffer_settle(&((struct arrays *)work)->x, variant, result);
}

static double bytes(const struct shape *s)
{
    return 4.0 * (double)s->n * (double)s->axis[PASSES];
}

double words_copied(const struct shape *s)
{
    return 2 * bytes(s);
}

double words_of_sectors(const struct shape *s)
{
    return 4.0 * (double)(s->n / SECTOR_WORDS) * (double)s->axis[PASSES];
}

double words_of_lines(const struct shape *s)
{
    return 4.0 * (double)(s->n / LINE_WORDS) * (double)s->axis[PASSES];
}

static const struct axis axes[] = {
    [N] = {.name = "n",
           .help = "words of 4 bytes: 1000003, 2^24, 16Mi",
           .words = "size",
           .unit = "words of 4 bytes",
           .cpu = (size_t)1 << 18,
           .cuda = (size_t)1 << 28,
           .test = "0 1 2 3 31 33 1021",
           .large = "20011"},
    [PASSES] = {.name = "passes",
                .option = "passes",
                .help = "times that all of it is read or written (default 1)",
                .least = 1,
                .most = 1 << 20,
                .cpu = 1,
                .cuda = 1,
                .test = "1 2 3"},
};

static const struct launches launches[] = {
    {LADDER | RECORD | CPU_ONLY, {""}},
    {LADDER | RECORD | GPU_ONLY, {"-n 2^28 -r 15"}},
    {SWEEP | CPU_ONLY, {"--sweep 10:18 -r 3 -w 1"}},
    {QUICK | CPU_ONLY, {"-n 2^14 -r 3"}},
    {QUICK | GPU_ONLY, {"-n 2^24 -r 3"}},
    {COUNTED, {"-n 100003 -b 7 -t 128"}},
    {SANITIZED, {"-n 10007 -b 7 -t 128 --passes 2"}},
    {MUTATED, {"-n 1021 -b 3 -t 64 --passes 2", "-n 5 -b 2 -t 32", "-n 100 -b 1 -t 32"}},
    {CHECKED, {"-n 1021 -b 3 -t 96 --passes 2", "-n 0 -b 1 -t 32"}},
    {TESTED, {"-n 20011 -b 33 -t 1024"}},
    {0},
};

static const struct machine_row numbers[] = {
    {"first_operation", "a launch alone, in the queue, that copies words in the L2 cache", "copy-4",
     "n=2^14 passes=1", "us_per_item", 1 << 14},
    {"dram_read", "reading memory", "read-16", "n=2^28 passes=1", "gb_per_s", 1},
    {"dram_write", "writing memory", "write-16", "n=2^28 passes=1", "gb_per_s", 1},
    {"l2_read", "reading the L2 cache", "read-16", "n=2^23 passes=64", "gb_per_s", 1},
    {"line_stores", "stores of 4 bytes to as many lines of the L2 cache", "write-lines",
     "n=2^23 passes=64", "gb_per_s", 0.25},
    {NULL},
};

const struct family limit_words_family = {
    .name = "limit-words",
    .title = "Memory by word size",
    .group = "limits",
    .axes = axes,
    .axis_count = COUNT(axes),
    .options = OPTION_BLOCKS,
    .measure = MEASURE_BYTES,
    .charts = "ladder swept:n:gb_per_s",
    .test = {"1 31 32 33 128", "1 2 7", ""},
    .launches = launches,
    .numbers = numbers,
    .default_shape = default_shape,
    .work = {create, set, prepare, verify, settle, arrays_destroy},
    .bytes = bytes,
};
