/*
 * The sums of spans on a GPU: one thread per span, in double with compensation.
 */
#include "harness/kit/sums.h"

#include <cuda_runtime.h>
#include <string.h>

#include "harness/kit/device.h"

#define THREADS 64

static __global__ void verify_spans_f32(struct accumulator *sums, const float *x, size_t count)
{
    size_t span = (size_t)blockIdx.x * THREADS + threadIdx.x;
    struct accumulator sum;

    if (span >= count)
        return;
    memset(&sum, 0, sizeof(sum));
    for (size_t i = span * SUM_SPAN; i < (span + 1) * SUM_SPAN; i++)
        accumulate(&sum, x[i]);
    sums[span] = sum;
}

static __global__ void verify_spans_i32(uint32_t *sums, const uint32_t *x, size_t count)
{
    size_t span = (size_t)blockIdx.x * THREADS + threadIdx.x;
    uint32_t sum = 0;

    if (span >= count)
        return;
    for (size_t i = span * SUM_SPAN; i < (span + 1) * SUM_SPAN; i++)
        sum += x[i];
    sums[span] = sum;
}

int spans_sum_device(struct spans *s, const struct device_stream *place, const void *x)
{
    size_t whole = s->count - 1, each = s->f32 ? sizeof(*s->f32) : sizeof(*s->i32);
    unsigned blocks = (unsigned)((whole + THREADS - 1) / THREADS);
    void *sums = NULL;
    int status = device_use(place->device);

    if (status != 0 || whole == 0)
        return status;
    status = device_alloc(&sums, whole * each, "the reference");
    if (status != 0)
        return status;
    if (s->f32)
        verify_spans_f32<<<blocks, THREADS, 0, place->stream>>>((struct accumulator *)sums,
                                                                (const float *)x, whole);
    else
        verify_spans_i32<<<blocks, THREADS, 0, place->stream>>>((uint32_t *)sums,
                                                                (const uint32_t *)x, whole);
    status = device_check(cudaGetLastError());
    if (status == 0)
        status = device_copy(place, s->f32 ? (void *)(s->f32 + 1) : s->i32 + 1, sums, whole * each);
    device_free(sums);
    return status;
}
