/*
 * The launchgraph family's side of the harness: its array, its verdict, its launches.
 */
#include "families/launchgraph/launchgraph.h"

#include <stdio.h>
#include <stdlib.h>

#include <cuda_runtime_api.h>

#include "harness/kit/buffer.h"
#include "harness/kit/device.h"
#include "harness/kit/input.h"
#include "harness/kit/opposite.h"
#include "harness/kit/worst.h"

enum { N, ELEMENTS };

struct graph {
    struct work work; /* first: the launch functions get this part */
    struct buffer x;
    uint32_t *out;            /* a copy of x on the host */
    uint32_t factor, summand; /* of all kernels together */
};

static void forget_graph(struct work *work)
{
    if (work->graph)
        cudaGraphExecDestroy(work->graph);
    work->graph = NULL;
}

static void destroy(struct work *work)
{
    struct graph *g = (struct graph *)work;

    forget_graph(work);
    if (work->stream)
        cudaStreamDestroy(work->stream);
    buffer_free(&g->x);
    free(g->out);
    free(g);
}

static struct work *create(const struct setting *setting, const struct shape *largest)
{
    struct graph *g = (struct graph *)work_new(sizeof(*g));
    size_t elements = largest->axis[ELEMENTS];
    int status;

    if (!g)
        return NULL;
    g->x =
        (struct buffer){.what = "the array", .bytes = setting->type->bytes, .type = setting->type};
    g->out = (uint32_t *)work_new((elements + 1) * sizeof(uint32_t));
    status = g->out ? buffer_input(&g->x, elements, setting) : BAD_DEVICE;
    if (status == 0)
        status = device_check(cudaStreamCreate(&g->work.stream));
    g->work.x = (element *)g->x.device;
    if (status != 0) {
        destroy(&g->work);
        return NULL;
    }
    return &g->work;
}

static int set(struct work *work, const struct shape *shape)
{
    struct graph *g = (struct graph *)work;

    forget_graph(work); /* it is of another variant or shape */
    work->n = shape->n;
    work->elements = shape->axis[ELEMENTS];
    work->threads = shape->threads;
    g->factor = 1;
    g->summand = 0;
    for (uint32_t k = 0; k < work->n; k++) {
        g->factor *= 3;
        g->summand = 3 * g->summand + k;
    }
    return 0;
}

static int prepare(struct work *work, const struct variant *variant)
{
    struct graph *g = (struct graph *)work;
    unsigned long long *stamps = timeline_stamps("kernel", work->n);

    if (stamps != work->stamps)
        forget_graph(work); /* they are an argument of its kernels */
    work->stamps = stamps;
    return buffer_restore(&g->x, work->elements, variant->rules & DESTROYS_INPUT);
}

static void compare_elements(struct worst *own, const void *context, size_t begin, size_t end)
{
    const struct graph *g = (const struct graph *)context;
    const uint32_t *in = (const uint32_t *)g->x.host;

    for (size_t i = begin; i < end; i++) {
        uint32_t x = g->x.opposite ? opposite_of(in[i], false) : in[i];

        compare_i32(own, i, g->out[i], false, g->factor * x + g->summand, i == end - 1);
    }
}

static int verify(struct work *work, const struct variant *variant, struct result *result)
{
    struct graph *g = (struct graph *)work;
    struct worst worst = WORST_NONE;
    char where[96] = "";
    int status = device_copy(&g->x.place, g->out, g->x.device, work->elements * g->x.bytes);

    worst_on_host(&worst, work->elements, compare_elements, g);
    *result = (struct result){.has_value = work->elements > 0,
                              .value = worst.value,
                              .reference = worst.reference,
                              .error = worst.error,
                              .bound = worst.bound};
    if (worst.wrong)
        snprintf(where, sizeof(where), "%zu elements, first x[%zu]", worst.wrong, worst.at);
    return status == 0 ? buffer_verdict(&g->x, variant, work->elements,
                                        (struct wrong){worst.wrong, worst.at, where}, result)
                       : status;
}

static void default_shape(struct shape *s)
{
    if (s->threads == 0)
        s->threads = 256;
}

static const struct axis axes[] = {
    [N] = {.name = "n",
           .help = "launches: 100, 2^10",
           .words = "launches",
           .most = 1 << 20,
           .cpu = 16,
           .cuda = 1000,
           .test = "0 1 2 33"},
    [ELEMENTS] = {.name = "elements",
                  .option = "elements",
                  .help = "elements that each kernel changes",
                  .words = "elements",
                  .most = 1 << 24,
                  .cpu = 1000,
                  .cuda = 4096,
                  .test = "0 1 31 1000"},
};

static const struct launches launches[] = {
    {LADDER | RECORD | CPU_ONLY, {""}},
    {LADDER | RECORD | GPU_ONLY, {"-r 31"}},
    {SWEEP | RECORD | GPU_ONLY, {"--sweep 0:10 -r 15 -w 3"}},
    {RECORD | GPU_ONLY, {"-n 1000 --elements 2^20 -r 15"}},
    {QUICK, {"-n 10 -r 3"}},
    {COUNTED | SANITIZED, {"-n 3 --elements 100 -t 64"}},
    {MUTATED, {"-n 5 --elements 100 -t 64", "-n 3 --elements 33 -t 32", "-n 1 --elements 1"}},
    {CHECKED, {"-n 5 --elements 1000", "-n 3 --elements 33 -t 32", "-n 0"}},
    {TESTED, {"-n 100 --elements 5000 -t 1024", "-n 2 --elements 0"}},
    {0},
};

const struct family launchgraph_family = {
    .name = "launchgraph",
    .title = "Small kernels in a row",
    .axes = axes,
    .axis_count = COUNT(axes),
    .options = OPTION_INPUT | OPTION_TIMELINE,
    .inputs = input_names,
    .item = "launch",
    .element = "kernel",
    .measure = MEASURE_ITEM,
    .charts = "swept:n:us_per_item",
    .test = {"1 32 256 1024", "", ""},
    .launches = launches,
    .default_shape = default_shape,
    .work = {create, set, prepare, verify, NULL, destroy},
};
