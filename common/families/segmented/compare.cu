/*
 * The comparison on a GPU: one thread per span, and one worst element per block, which the host joins.
 */
#include "families/segmented/compare.h"

#include <cuda_runtime.h>
#include <stdlib.h>

#include "harness/kit/device.h"
#include "harness/kit/message.h"

#define THREADS 64

static size_t spans_bytes(const struct spans *s)
{
    return s->count * (s->f32 ? sizeof(*s->f32) : sizeof(*s->i32));
}

static __global__ void verify_segmented(struct worst *worst, struct comparison c, const void *x,
                                        const unsigned char *flags, const void *y, bool floats)
{
    __shared__ struct worst own[THREADS];
    size_t span = (size_t)blockIdx.x * THREADS + threadIdx.x, begin = span * SUM_SPAN;
    size_t end = c.n - begin < SUM_SPAN ? c.n : begin + SUM_SPAN;
    struct worst *w = &own[threadIdx.x];

    memset(w, 0, sizeof(*w));
    w->part = -1;
    if (begin < c.n && floats)
        compare_span_f32(w, &c, (const float *)x, c.opposite, flags, (const float *)y,
                         ((const struct accumulator *)c.device_spans)[span], begin, end);
    else if (begin < c.n)
        compare_span_i32(w, &c, (const uint32_t *)x, c.opposite, flags, (const uint32_t *)y,
                         ((const uint32_t *)c.device_spans)[span], begin, end);
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int t = 1; t < THREADS; t++)
            worst_of(w, &own[t]);
        worst[blockIdx.x] = *w;
    }
}

int segmented_compare_open(struct comparison *c)
{
    const struct spans *s = &c->spans;
    const void *host = s->f32 ? (const void *)s->f32 : s->i32;
    int status = device_alloc(&c->device_spans, spans_bytes(s), "the reference");

    return status == 0 ? device_check(cudaMemcpy(c->device_spans, host, spans_bytes(s),
                                                 cudaMemcpyHostToDevice))
                       : status;
}

void segmented_compare_close(struct comparison *c)
{
    device_free(c->device_spans);
}

/* Join the blocks' worst elements, which lie on the device. */
static int join(struct worst *worst, const struct worst *device, size_t blocks)
{
    struct worst *parts = (struct worst *)malloc(blocks * sizeof(*parts));
    int status;

    if (!parts)
        return complain(BAD_DEVICE, "no memory left on the host for the comparison");
    status =
        device_check(cudaMemcpy(parts, device, blocks * sizeof(*parts), cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < blocks && status == 0; i++)
        worst_of(worst, &parts[i]);
    free(parts);
    return status;
}

int segmented_compare(const struct comparison *c, struct worst *worst)
{
    size_t blocks = c->n / (SUM_SPAN * THREADS) + 1;
    void *parts = NULL;
    int status = device_alloc(&parts, blocks * sizeof(*worst), "the comparison");

    memset(worst, 0, sizeof(*worst));
    worst->part = -1;
    if (status == 0) {
        verify_segmented<<<(unsigned)blocks, THREADS>>>((struct worst *)parts, *c, c->x->device,
                                                        (const unsigned char *)c->flags->device,
                                                        c->y->device, c->spans.f32 != NULL);
        status = device_check(cudaGetLastError());
    }
    if (status == 0)
        status = join(worst, (const struct worst *)parts, blocks);
    device_free(parts);
    return status;
}
