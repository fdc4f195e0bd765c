/*
 * The histogram family's side of the harness: its arrays, its reference, its verdict, its launches.
 */
#include "families/histogram/histogram.h"

#include <stdio.h>
#include <stdlib.h>

#include <cuda_runtime_api.h>

#include "families/histogram/histogram_count.h"
#include "families/histogram/histogram_range.h"
#include "families/histogram/histogram_values.h"
#include "harness/kit/buffer.h"
#include "harness/kit/device.h"
#include "harness/kit/message.h"
#include "harness/kit/number.h"
#include "harness/kit/vector.h"

#define N 0
#define BINS 1
#define MAX_PARTIAL ((size_t)1 << 30) /* counters */
#define MAX_COUNTED_32 (((size_t)1 << 31) - 1)

/* A counter of 32 bits meets at most so many elements before it is added to one of 64. On the CPU
 * device fewer, so that tests come to the end of a piece. */
#ifdef BACKEND_CPU
#define PIECE ((size_t)1 << 18)
#else
#define PIECE ((size_t)1 << 31)
#endif

struct histogram {
    struct work work; /* first: the launch functions get this part */
    const struct type *type;
    struct range range;
    struct buffer x, counts, partial;
    uint64_t *reference; /* of so many elements and bins: */
    size_t counted_n, counted_bins;
};

static bool refuse(const struct shape *s, const struct variant *v, char *why, size_t room)
{
    size_t cells = multiply_or_max((size_t)s->blocks, s->axis[BINS] + 1);

    if (v->rules & COUNTS_32 && s->n > MAX_COUNTED_32)
        snprintf(why, room, "its counters of 32 bits take at most 2^31-1 elements; got %zu", s->n);
    else if (v->rules & PARTIALS && cells > MAX_PARTIAL)
        snprintf(why, room, "%d blocks keep %zu counters each, more than 2^30 in all", s->blocks,
                 s->axis[BINS] + 1);
    else
        return false;
    return true;
}

static void shape_of(struct shape *s, int threads, size_t elements_a_thread)
{
    if (s->threads == 0)
        s->threads = threads;
    device_default_shape(s, elements_a_thread);
}

void histogram_shape_wide(struct shape *s)
{
    shape_of(s, 1024, 64 / s->type->bytes);
}

void histogram_shape_small(struct shape *s)
{
    shape_of(s, 256, 64 / s->type->bytes);
}

static void destroy(struct work *work)
{
    struct histogram *h = (struct histogram *)work;

    buffer_free(&h->x);
    buffer_free(&h->counts);
    buffer_free(&h->partial);
    free(h->reference);
    free(h);
}

static int fill(struct histogram *h, const struct setting *setting, const struct shape *largest)
{
    size_t cells = largest->axis[BINS] + 1;
    int status = buffer_reserve(&h->x, largest->n);

    if (status == 0)
        status = buffer_reserve_host(&h->x, largest->n);
    if (status == 0) {
        values_fill(h->x.host, largest->n, setting, &h->range);
        status = buffer_upload(&h->x);
    }
    if (status == 0)
        status = buffer_reserve(&h->counts, cells);
    if (status == 0)
        status = buffer_reserve_host(&h->counts, cells);
    if (status != 0)
        return status;
    h->reference = (uint64_t *)malloc(cells * sizeof(*h->reference));
    return h->reference ? 0 : complain(BAD_DEVICE, "no memory left on the host for the reference");
}

/* What a block may ask for with cudaFuncSetAttribute; without it, that is 48 KiB everywhere. */
static int find_shared_memory(struct work *work)
{
    int device = 0, bytes = 0;
    int status = device_check(cudaGetDevice(&device));

    if (status == 0)
        status = device_check(
            cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    work->shared_memory = (size_t)bytes;
    return status;
}

static struct work *create(const struct setting *setting, const struct shape *largest)
{
    int poison = buffer_poison_of(NULL);
    struct histogram *h = (struct histogram *)work_new(sizeof(*h));
    int status;

    if (!h)
        return NULL;
    h->type = setting->type;
    h->x = (struct buffer){
        .what = "the input", .bytes = setting->type->bytes, .offset = setting->offset};
    h->counts = (struct buffer){.what = "the counts",
                                .bytes = sizeof(*h->work.counts),
                                .poison = poison,
                                .guard = BUFFER_GUARD};
    h->partial = (struct buffer){
        .what = "the blocks' histograms", .bytes = sizeof(*h->work.partial), .poison = poison};
    h->work.piece = PIECE;
    status = range_parse(&h->range, setting->parameters[0], setting->type);
    if (status == 0)
        status = find_shared_memory(&h->work);
    if (status == 0)
        status = fill(h, setting, largest);
    if (status != 0) {
        destroy(&h->work);
        return NULL;
    }
    return &h->work;
}

static void set_range(struct histogram *h, size_t bins)
{
    struct work *w = &h->work;

    w->bins = bins_of(&h->range, h->type, bins);
    w->low = h->type == &type_f32 ? h->range.f32[0] : (double)h->range.ints[0];
    w->high = h->type == &type_f32 ? h->range.f32[1] : (double)h->range.ints[1];
    if (h->type == &type_u32) {
        w->low = 0;
        w->high = (double)bins;
    }
}

static int set(struct work *work, const struct shape *shape)
{
    struct histogram *h = (struct histogram *)work;
    size_t bins = shape->axis[BINS];

    set_range(h, bins);
    work->x = (const element *)h->x.device;
    work->counts = (unsigned long long *)h->counts.device;
    work->n = shape->n;
    work->blocks = shape->blocks;
    work->threads = shape->threads;
    if (h->counted_bins == bins && h->counted_n == shape->n)
        return 0;
    h->counted_bins = bins;
    h->counted_n = shape->n;
    return count_on_host(h->reference, h->x.host, shape->n, h->type, &h->range, bins);
}

static int prepare(struct work *work, const struct variant *variant)
{
    struct histogram *h = (struct histogram *)work;
    size_t cells = (size_t)work->bins.count + 1, partials = (size_t)work->blocks * cells;
    int status = buffer_restore(&h->x, work->n, false);

    if (status == 0)
        status = buffer_poison(&h->counts, cells);
    if (status != 0 || !(variant->rules & PARTIALS))
        return status;
    status = buffer_reserve(&h->partial, partials);
    if (status == 0)
        status = buffer_poison(&h->partial, partials);
    work->partial = (unsigned *)h->partial.device;
    return status;
}

static uint64_t count_at(const struct histogram *h, const struct variant *variant, size_t bin)
{
    return variant->rules & COUNTS_32 ? ((const uint32_t *)h->counts.host)[bin]
                                      : ((const uint64_t *)h->counts.host)[bin];
}

/* Every counter must be the reference's. The error is how many elements stand in a wrong bin, or
 * are missing, or too many; the value that of the first wrong bin, else of the fullest. */
static int verify(struct work *work, const struct variant *variant, struct result *result)
{
    struct histogram *h = (struct histogram *)work;
    size_t bins = work->bins.count, all = bins + 1, shown = 0, wrong = 0;
    int status = buffer_download(&h->counts, all), used;
    char where[64];

    *result = (struct result){.has_value = true};
    if (status != 0)
        return status;
    for (size_t b = 0; b < all - (variant->rules & ONLY_BINS ? 1 : 0); b++) {
        uint64_t count = count_at(h, variant, b), wanted = h->reference[b];

        result->error += (double)(count > wanted ? count - wanted : wanted - count);
        if ((count != wanted && wrong++ == 0) || (wrong == 0 && wanted > h->reference[shown]))
            shown = b;
    }
    result->value = (double)count_at(h, variant, shown);
    result->reference = (double)h->reference[shown];
    used = snprintf(where, sizeof(where), shown == bins ? "what has no bin" : "bin %zu", shown);
    if (wrong > 1)
        snprintf(where + used, sizeof(where) - (size_t)used, " and %zu more", wrong - 1);
    status = buffer_verdict(&h->counts, variant, all, (struct wrong){wrong, shown, where}, result);
    if (wrong && variant->rules & COUNTS_32) {
        result->wrong = (const uint32_t *)h->counts.device + shown;
        result->wrong_bytes = sizeof(uint32_t);
    }
    return status;
}

static int settle(struct work *work, const struct variant *variant, struct result *result)
{
    return buffer_settle(&((struct histogram *)work)->x, variant, result);
}

static int accept(const struct setting *setting, size_t axis[MAX_AXES], bool sized)
{
    struct range range;

    (void)axis;
    (void)sized;
    return range_parse(&range, setting->parameters[0], setting->type);
}

static double bytes(const struct shape *s)
{
    return (double)s->n * (double)s->type->bytes + 8.0 * (double)s->axis[BINS];
}

static const struct axis axes[] = {
    [N] = {VECTOR_AXIS, .test = "0 1 2 31 32 33 255 256 257 5000", .large = "262151"},
    [BINS] = {.name = "bins",
              .option = "bins",
              .help = "bins of the histogram (default 256)",
              .least = 1,
              .most = MAX_BINS,
              .cpu = 256,
              .cuda = 256,
              .test = "1 2 10 256 1000",
              .large = "25000"}, /* three parts in shared memory, the last one short */
};

static const struct parameter parameters[] = {
    {"range", "LOW:HIGH",
     "what the bins divide, LOW in it, HIGH not (default f32 0:1,\n"
     "i32 0:2^31, u8 0:256); u32 elements go modulo the bins"},
    {NULL},
};

static const struct launches launches[] = {
    {LADDER | CPU_ONLY, {"-n 2^18 -r 3"}},
    {LADDER | GPU_ONLY, {"-n 2^28"}},
    {SWEEP | CPU_ONLY, {"--sweep 10:18 -r 3 -w 1"}},
    {SWEEP | GPU_ONLY, {"--sweep 10:28 -r 3 -w 1"}},
    {QUICK, {"-n 2^14 -r 3"}},
    /* Bytes are four times as many to count, and few bins make them meet: memory is not the limit.
     */
    {LESSON | GPU_ONLY, {"-n 2^28 --type u8 --bins 10 -r 5"}},
    {RECORD | CPU_ONLY, {"-n 2^18"}},
    {RECORD | GPU_ONLY,
     {"-n 2^28 -r 15", "-n 2^28 --bins 10 -r 5", "-n 2^28 --bins 1024 -r 3",
      "-n 2^28 --bins 4096 -r 3", "-n 2^28 --type i32 --bins 10 -r 5", "-n 2^28 --type i32 -r 5",
      "-n 2^28 --type u8 -r 5", "-n 2^28 --type u32 --bins 10 -r 3", "-n 2^28 --input equal -r 3",
      "-n 2^28 --input equal --bins 1024 -r 3", "-n 2^28 --input zipf -r 3",
      "-n 2^28 --input sorted -r 3", "-n 2^20 -r 13", "-n 2^24 -r 13", "-n 2^28 --cold -r 5",
      "-n 2^28 --sweep bins=0:16 -r 3 -w 1", "--sweep 10:28 -r 3 -w 1", "-n 2^30 -r 3 -w 1"}},
    {COUNTED,
     {"-n 2^17 -b 128 -t 256", "-n 100003 -b 7 -t 100 --bins 10 --offset 1",
      "-n 100003 -b 7 -t 64 --bins 1000 --type i32", "-n 50021 -b 3 -t 1024 --type u8",
      "-n 50021 -b 3 -t 256 --bins 10 --type u8 --offset 3",
      "-n 20011 -b 2 -t 96 --bins 10 --type u32"}},
    {SANITIZED, {"-n 100003 -b 16 -t 128", "-n 50021 --bins 10 --type u8 -b 3 -t 256"}},
    /* Bytes, for which there are the most ways. All elements equal: counters of 8 bits are full
     * soon; more bins than fit one part; and sizes at which the last words of 16 bytes end a round.
     */
    {MUTATED,
     {"-n 5003 -b 3 -t 64 --bins 10 --type u8 --offset 1",
      "-n 20011 -b 1 -t 32 --bins 12 --type u8 --range 10:201 --input hostile --offset 3",
      "-n 5003 -b 71 -t 32 --bins 10 --type u8",
      "-n 20011 -b 1 -t 32 --bins 10 --type u8 --input equal",
      "-n 9001 -b 2 -t 96 --type u8 --input hostile", "-n 4096 -b 1 -t 64 --bins 28 --type u8",
      "-n 4096 -b 2 -t 32 --bins 29 --type u8", "-n 1 -b 1 -t 32 --bins 1 --type u8 --offset 1",
      "-n 31 -b 2 -t 32 --bins 2 --type u8", "-n 4096 -b 2 -t 32 --bins 257 --type u8",
      "-n 300 -b 2 -t 32 --bins 300 --type u8",
      "-n 13001 -b 2 -t 256 --bins 12288 --type u8 --range 10:201 --input hostile",
      "-n 70 -b 1 -t 8 --bins 10 --type u8 --offset 3", "-n 262147 -b 1 -t 1024 --bins 3 --type u8",
      "-n 9001 -b 2 -t 96 --type f32 --input hostile --range -1:1",
      "-n 9001 -b 2 -t 96 --type i32 --input hostile --range -2147483648:2147483648"}},
    {CHECKED,
     {"-n 0 --bins 1", "-n 1", "-n 31 --type u8", "-n 1000 -b 4 -t 64 --bins 10",
      "-n 3001 -b 3 -t 96 --offset 1 --type u8", "-n 3000 -b 2 -t 128 --type i32"}},
    {TESTED,
     {"-n 20011 --bins 20000 -r 1", "-n 70001 --bins 65536 --type u8 --offset 1 -r 1",
      "-n 5000 --bins 65536 -b 7 --type i32 --input hostile -r 1",
      "-n 20011 --bins 1000 --range -0.75:2.5 --input hostile",
      "-n 20011 --bins 700 --range 1e9:3e9",
      "-n 20011 --bins 1000 --type i32 --range -2^31:2^31 --input hostile",
      "-n 20011 --bins 999 --type i32 --range -100:77 --input hostile",
      "-n 20011 --bins 7 --type i32 --range 5:6 --input hostile",
      "-n 20011 --bins 10 --type u8 --range 10:201",
      "-n 20011 --bins 10 --type u8 --range 10:201 --input hostile --offset 5",
      "-n 20011 --bins 28 --type u8", "-n 20011 --bins 29 --type u8",
      "-n 512Ki --bins 10 --type u8 --input equal -b 1",
      "-n 2^18 --bins 10 --type u32 -b 512 -t 512"}},
    {0},
};

static const struct family_estimate not_estimated = {
    .impossible = "its addresses depend on the data",
};

const struct family histogram_family = {
    .name = "histogram",
    .title = "Histogram",
    .axes = axes,
    .axis_count = COUNT(axes),
    .parameters = parameters,
    .options = OPTION_INPUT | OPTION_BLOCKS | OPTION_OFFSET,
    .inputs = histogram_inputs,
    .measure = MEASURE_BYTES,
    .charts = "ladder rate axis:bins inputs",
    .test = {"1 2 31 32 33 64 100 256 320 1000 1024", "1 2 7 270", "0 1 2 3"},
    .launches = launches,
    .estimate = &not_estimated,
    .accept = accept,
    .default_shape = device_thread_per_element,
    .refuse = refuse,
    .work = {create, set, prepare, verify, settle, destroy},
    .bytes = bytes,
};
