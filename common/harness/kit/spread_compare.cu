/*
 * The comparison on a GPU: a thread per element in a grid-stride loop, which loads the terms from
 * whichever device has them, and one worst element per block, which the host joins.
 */
#include <cuda_runtime.h>

#include "harness/kit/spread.h"

#define THREADS 128

static __global__ void verify_spread(struct worst *worst, struct spread_sum s)
{
    __shared__ struct worst own[THREADS];
    size_t stride = (size_t)gridDim.x * THREADS;
    struct worst *w = &own[threadIdx.x];

    memset(w, 0, sizeof(*w));
    w->part = -1;
    for (size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x; i < s.n; i += stride)
        compare_spread(w, &s, i, i == s.n - 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int t = 1; t < THREADS; t++)
            worst_of(w, &own[t]);
        worst[blockIdx.x] = *w;
    }
}

static void launch(struct worst *device, size_t blocks, const void *context)
{
    verify_spread<<<(unsigned)blocks, THREADS>>>(device, *(const struct spread_sum *)context);
}

int spread_compare(const struct device_stream *place, const struct spread_sum *s,
                   struct worst *worst)
{
    int status = device_use(place->device);

    return status == 0 ? worst_on_device(worst, (size_t)device_full_grid(THREADS), launch, s)
                       : status;
}
