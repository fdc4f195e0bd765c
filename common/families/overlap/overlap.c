/*
 * The overlap family's side of the harness: arrays of the host, streams, the verdict, the launches.
 */
#include "families/overlap/overlap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime_api.h>

#include "harness/kit/buffer.h"
#include "harness/kit/handed.h"
#include "harness/kit/input.h"
#include "harness/kit/message.h"
#include "harness/kit/parallel.h"
#include "harness/kit/vector_code.h"
#include "harness/kit/worst.h"

enum { N, CHUNKS, ROUNDS };

#define POISON 0xa5
#define EVENTS (1 + 4 * STREAMS)

struct overlap {
    struct work work; /* first: the launch functions get this part */
    struct buffer x;
    struct buffer host; /* the host's output, as what is handed over has it */
    const char *out;    /* what is verified: the host's output and its guard, or a copy of them */
    char *copy;         /* which the CPU device compares */
    struct CUevent_st *event[EVENTS];
    uint32_t factor, summand; /* of all rounds together */
};

static void destroy(struct work *work)
{
    struct overlap *o = (struct overlap *)work;

    for (int i = 0; i < STREAMS; i++)
        if (work->stream[i])
            cudaStreamDestroy(work->stream[i]);
    for (int i = 0; i < EVENTS; i++)
        if (o->event[i])
            cudaEventDestroy(o->event[i]);
    cudaFreeHost((void *)(uintptr_t)work->pinned.in);
    cudaFreeHost(work->pinned.out);
    free((void *)(uintptr_t)work->pageable.in);
    free(work->pageable.out);
    free(o->copy);
    buffer_free(&o->x);
    free(o);
}

static int make_arrays(struct overlap *o, const struct setting *setting, size_t n)
{
    size_t bytes = n * sizeof(int32_t);
    void *in = NULL, *out = NULL, *pageable = malloc(bytes ? bytes : 1);
    int status = device_check(cudaMallocHost(&in, bytes ? bytes : 1));

    o->work.pinned.in = (const element *)in;
    o->work.pageable.in = (const element *)pageable;
    o->work.pageable.out = (element *)malloc(bytes + BUFFER_GUARD);
    o->copy = (char *)malloc(bytes + BUFFER_GUARD);
    if (status == 0)
        status = device_check(cudaMallocHost(&out, bytes + BUFFER_GUARD));
    o->work.pinned.out = (element *)out;
    if (status == 0 && (!pageable || !o->work.pageable.out || !o->copy))
        return complain(BAD_DEVICE, "no %.1f MiB of memory left on the host; use a smaller --size",
                        3e-6 * (double)bytes);
    if (status != 0)
        return status;
    input_fill(in, n, setting);
    memcpy(pageable, in, bytes);
    o->x = (struct buffer){.what = "the device's part", .bytes = sizeof(int32_t), .poison = POISON};
    status = buffer_reserve(&o->x, n + 4 * STREAMS); /* shares are rounded up */
    o->work.x = (element *)o->x.device;
    return status;
}

static int make_streams(struct overlap *o)
{
    struct work *w = &o->work;
    int status = 0;

    for (int i = 0; i < STREAMS && status == 0; i++)
        status = device_check(cudaStreamCreateWithFlags(&w->stream[i], cudaStreamNonBlocking));
    for (int i = 0; i < EVENTS && status == 0; i++)
        status = device_check(cudaEventCreateWithFlags(&o->event[i], cudaEventDisableTiming));
    w->begun = o->event[0];
    for (int i = 0; i < STREAMS; i++) {
        w->ended[i] = o->event[1 + 4 * i];
        w->filled[i] = o->event[2 + 4 * i];
        w->computed[i] = o->event[3 + 4 * i];
        w->emptied[i] = o->event[4 + 4 * i];
    }
    return status;
}

static struct work *create(const struct setting *setting, const struct shape *largest)
{
    struct overlap *o = (struct overlap *)work_new(sizeof(*o));
    int status;

    if (!o)
        return NULL;
    status = make_streams(o);
    if (status == 0)
        status = make_arrays(o, setting, largest->n);
    if (status != 0) {
        destroy(&o->work);
        return NULL;
    }
    return &o->work;
}

static int set(struct work *work, const struct shape *shape)
{
    struct overlap *o = (struct overlap *)work;

    work->n = shape->n;
    work->chunks = shape->axis[CHUNKS];
    work->share = work->n / work->chunks + (work->n % work->chunks != 0);
    work->rounds = (unsigned)shape->axis[ROUNDS];
    work->blocks = shape->blocks;
    work->threads = shape->threads;
    o->factor = 1;
    o->summand = 0;
    for (unsigned i = 0; i < work->rounds; i++) {
        o->factor *= FACTOR;
        o->summand = FACTOR * o->summand + SUMMAND;
    }
    return 0;
}

static void poison_part(void *context, size_t chunk, size_t begin, size_t end)
{
    (void)chunk;
    memset((char *)context + begin, POISON, end - begin);
}

/* Nothing of the run before is left, on either side. */
static int prepare(struct work *work, const struct variant *variant)
{
    struct overlap *o = (struct overlap *)work;
    size_t bytes = work->n * sizeof(int32_t) + BUFFER_GUARD;

    o->host = (struct buffer){.what = "the host's output", .bytes = 1, .poison = POISON};
    o->host.device = variant->rules & PAGEABLE ? work->pageable.out : work->pinned.out;
    handed_note(&o->host, bytes);
    if (variant->rules & PAGEABLE) /* by one thread: the first that writes says where pages lie */
        memset(work->pageable.out, POISON, bytes);
    else
        parallel_for(bytes, poison_part, work->pinned.out);
    return buffer_poison(&o->x, o->x.capacity);
}

/* Whether one of the elements is not what it should be. */
VECTOR_CODE static bool differ(const uint32_t *in, const uint32_t *out, size_t count,
                               uint32_t factor, uint32_t summand)
{
    uint32_t bits = 0;

    for (size_t i = 0; i < count; i++)
        bits |= out[i] ^ (factor * in[i] + summand);
    return bits != 0;
}

/* One by one only where one differs; else the last one says what it should be, and is. */
static void compare_elements(struct worst *own, const void *context, size_t begin, size_t end)
{
    const struct overlap *o = (const struct overlap *)context;
    const uint32_t *in = (const uint32_t *)o->work.pageable.in, *out = (const uint32_t *)o->out;

    if (!differ(in + begin, out + begin, end - begin, o->factor, o->summand))
        begin = end - 1;
    for (size_t i = begin; i < end; i++)
        compare_i32(own, i, out[i], false, o->factor * in[i] + o->summand, i == end - 1);
}

/* The host's output, on the CPU device as a copy by CUDA, so that --check sees that it is read. */
static int take_out(struct overlap *o, bool pageable)
{
    const struct host_arrays *a = pageable ? &o->work.pageable : &o->work.pinned;

#ifdef BACKEND_CPU
    o->out = o->copy;
    return device_check(cudaMemcpy(o->copy, a->out, o->work.n * sizeof(int32_t) + BUFFER_GUARD,
                                   cudaMemcpyHostToHost));
#else
    o->out = (const char *)a->out;
    return 0;
#endif
}

static int verify(struct work *work, const struct variant *variant, struct result *result)
{
    struct overlap *o = (struct overlap *)work;
    size_t bytes = work->n * sizeof(int32_t), behind = 0;
    struct worst worst = WORST_NONE;
    int status = take_out(o, variant->rules & PAGEABLE);

    if (status != 0)
        return status;
    worst_on_host(&worst, work->n, compare_elements, o);
    for (size_t i = bytes; i < bytes + BUFFER_GUARD; i++)
        behind += (unsigned char)o->out[i] != POISON;
    *result = (struct result){.verdict = worst.wrong || behind ? VERDICT_WRONG : VERDICT_OK,
                              .has_value = work->n > 0,
                              .value = worst.value,
                              .reference = worst.reference,
                              .error = worst.error,
                              .bound = worst.bound};
    if (worst.wrong)
        snprintf(result->note, sizeof(result->note), "%zu elements, first out[%zu]%s", worst.wrong,
                 worst.at,
                 (uint32_t)(int32_t)worst.value == 0x01010101u * POISON ? " not written" : "");
    else if (behind)
        snprintf(result->note, sizeof(result->note), "%zu bytes behind the output", behind);
    return 0;
}

static void compare_inputs(struct worst *own, const void *context, size_t begin, size_t end)
{
    const struct overlap *o = (const struct overlap *)context;
    const uint32_t *pinned = (const uint32_t *)o->work.pinned.in;
    const uint32_t *pageable = (const uint32_t *)o->work.pageable.in;

    own->wrong += memcmp(pinned + begin, pageable + begin, (end - begin) * sizeof(*pinned)) != 0;
}

static int settle(struct work *work, const struct variant *variant, struct result *result)
{
    struct worst inputs = WORST_NONE;

    (void)variant;
    worst_on_host(&inputs, work->n, compare_inputs, work);
    if (inputs.wrong && result->verdict == VERDICT_OK) {
        result->verdict = VERDICT_WRONG;
        snprintf(result->note, sizeof(result->note), "the input was written to");
    }
    return 0;
}

static void default_shape(struct shape *s)
{
    device_thread_per_element(s);
}

double overlap_bytes(const struct shape *s)
{
    return 2.0 * sizeof(int32_t) * (double)s->n;
}

static const struct axis axes[] = {
    [N] = {.name = "n",
           .help = "elements: 1000003, 2^20",
           .cpu = (size_t)1 << 14,
           .cuda = (size_t)1 << 26,
           .test = "0 1 2 3 5 31 100 1000",
           .large = "4097 70001"},
    [CHUNKS] = {.name = "chunks",
                .option = "chunks",
                .help = "parts that the array is cut into",
                .words = "chunks",
                .least = 1,
                .most = 1 << 16,
                .cpu = 8,
                .cuda = 16,
                .test = "1 2 3 8"},
    [ROUNDS] = {.name = "rounds",
                .option = "rounds",
                .help = "multiplications and additions per element",
                .words = "rounds per element",
                .most = 1 << 20,
                .cpu = 4,
                .cuda = 1024,
                .test = "0 1 4"},
};

static const struct launches launches[] = {
    {LADDER | RECORD | CPU_ONLY, {""}},
    {LADDER | RECORD | GPU_ONLY, {"-r 11 -w 1"}},
    {SWEEP | CPU_ONLY, {"--sweep 8:14 -r 3 -w 1"}},
    {SWEEP | RECORD | GPU_ONLY, {"--sweep 14:26 -r 3 -w 1"}},
    {QUICK | CPU_ONLY, {"-n 1000 -r 3"}},
    {QUICK | GPU_ONLY, {"-n 2^20 -r 3"}},
    {COUNTED, {"-n 2^12 --chunks 2 -b 2"}},
    {SANITIZED, {"-n 1000 --rounds 2"}},
    {CHECKED, {"-n 1000 --chunks 7", "-n 1003 --chunks 3 -b 2 -t 64", "-n 0", "-n 2 --chunks 8"}},
    {MUTATED,
     {"-n 1000 --chunks 7", "-n 1003 --chunks 4 -b 2 -t 64", "-n 77 --chunks 1 -b 1 -t 32"}},
    {TESTED, {"-n 7 --chunks 65536 -r 1", "-n 1003 --chunks 16 -b 3 -t 32"}},
    {0},
};

/* Most of the time is the bus's. */
static const struct family_estimate estimate = {
    .impossible = "copies between the host and the device are not estimated"};

const struct family overlap_family = {
    .name = "overlap",
    .title = "In, compute, out",
    .axes = axes,
    .axis_count = COUNT(axes),
    .options = OPTION_INPUT | OPTION_BLOCKS | OPTION_TIMELINE,
    .inputs = input_names,
    .measure = MEASURE_BYTES,
    .charts = "ladder axis:chunks",
    .test = {"32 96 512", "1 2 5", ""},
    .launches = launches,
    .estimate = &estimate,
    .default_shape = default_shape,
    .work = {create, set, prepare, verify, settle, destroy},
};
