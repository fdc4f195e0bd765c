/*
 * The comparison on a GPU: one thread per span, and one difference for all.
 */
#include "families/compact/compact_compare.h"

#include <climits>
#include <cuda_runtime.h>

#include "harness/kit/device.h"

#define THREADS 64

static __global__ void verify_compact(struct difference *d, struct comparison c, const uint32_t *x,
                                      const uint32_t *y)
{
    size_t span = (size_t)blockIdx.x * THREADS + threadIdx.x, begin = span * COMPACT_SPAN;
    size_t end = c.n - begin < COMPACT_SPAN ? c.n : begin + COMPACT_SPAN;
    struct difference own = {0, 0};

    if (begin < c.n)
        compare_span(&own, &c, x, y, ((const uint64_t *)c.device_before)[span], begin, end);
    if (own.count == 0)
        return;
    atomicAdd(&d->count, own.count);
    atomicMin(&d->first, own.first);
}

int compact_compare_open(struct comparison *c)
{
    size_t bytes = c->spans * sizeof(*c->before);
    int status = c->device_before ? 0 : device_alloc(&c->device_before, bytes, "the reference");

    return status == 0 ? device_check(
                             cudaMemcpy(c->device_before, c->before, bytes, cudaMemcpyHostToDevice))
                       : status;
}

void compact_compare_close(struct comparison *c)
{
    device_free(c->device_before);
}

int compact_compare(const struct comparison *c, struct difference *difference)
{
    struct difference *kept;
    size_t blocks = c->n / (COMPACT_SPAN * THREADS) + 1;
    int status = device_scratch((void **)&kept, sizeof(*kept));

    difference->count = 0;
    difference->first = ULLONG_MAX;
    if (status == 0)
        status = device_check(cudaMemcpy(kept, difference, sizeof(*kept), cudaMemcpyHostToDevice));
    if (status == 0) {
        verify_compact<<<(unsigned)blocks, THREADS>>>(kept, *c, (const uint32_t *)c->x->device,
                                                      (const uint32_t *)c->y->device);
        status = device_check(cudaGetLastError());
    }
    return status == 0
               ? device_check(cudaMemcpy(difference, kept, sizeof(*kept), cudaMemcpyDeviceToHost))
               : status;
}
