/*
 * The comparison on a GPU: one thread per span, and one worst element per block, which the host joins.
 */
#include "harness/kit/prefix.h"

#include <cuda_runtime.h>

#include "harness/kit/device.h"

#define THREADS 64

static __global__ void verify_prefix(struct worst *worst, struct prefix c, const void *x,
                                     const unsigned char *flags, const void *y, bool floats)
{
    __shared__ struct worst own[THREADS];
    size_t span = (size_t)blockIdx.x * THREADS + threadIdx.x, begin = span * SUM_SPAN;
    size_t end = c.n - begin < SUM_SPAN ? c.n : begin + SUM_SPAN;
    struct worst *w = &own[threadIdx.x];

    memset(w, 0, sizeof(*w));
    w->part = -1;
    if (begin < c.n && floats)
        prefix_span_f32(w, &c, (const float *)x, c.opposite, flags, (const float *)y,
                        ((const struct accumulator *)c.device_spans)[span], begin, end);
    else if (begin < c.n)
        prefix_span_i32(w, &c, (const uint32_t *)x, c.opposite, flags, (const uint32_t *)y,
                        ((const uint32_t *)c.device_spans)[span], begin, end);
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int t = 1; t < THREADS; t++)
            worst_of(w, &own[t]);
        worst[blockIdx.x] = *w;
    }
}

static void launch(struct worst *device, size_t blocks, const void *context)
{
    const struct prefix *c = (const struct prefix *)context;
    const void *flags = c->flags ? c->flags->device : NULL;

    verify_prefix<<<(unsigned)blocks, THREADS>>>(
        device, *c, c->x->device, (const unsigned char *)flags, c->y->device, c->spans.f32 != NULL);
}

int prefix_open(struct prefix *c)
{
    return spans_to_device(&c->device_spans, &c->spans);
}

void prefix_close(struct prefix *c)
{
    device_free(c->device_spans);
    c->device_spans = NULL;
    spans_free(&c->spans);
}

int prefix_compare(const struct prefix *c, struct worst *worst)
{
    return worst_on_device(worst, c->n / (SUM_SPAN * THREADS) + 1, launch, c);
}
