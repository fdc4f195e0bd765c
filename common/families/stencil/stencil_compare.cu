/*
 * The comparison on a GPU: a thread per element in a grid-stride loop, and one worst element per
 * block, which the host joins.
 */
#include "families/stencil/stencil_compare.h"

#include <cuda_runtime.h>

#include "harness/kit/device.h"

#define THREADS 128

static __global__ void verify_stencil(struct worst *worst, struct comparison c)
{
    __shared__ struct worst own[THREADS];
    size_t n = c.rows * c.cols, stride = (size_t)gridDim.x * THREADS;
    struct worst *w = &own[threadIdx.x];

    memset(w, 0, sizeof(*w));
    w->part = -1;
    for (size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x; i < n; i += stride)
        compare_element(w, &c, i, i == n - 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int t = 1; t < THREADS; t++)
            worst_of(w, &own[t]);
        worst[blockIdx.x] = *w;
    }
}

static void launch(struct worst *device, size_t blocks, const void *context)
{
    verify_stencil<<<(unsigned)blocks, THREADS>>>(device, *(const struct comparison *)context);
}

int stencil_compare(const struct comparison *c, struct worst *worst)
{
    return worst_on_device(worst, (size_t)device_full_grid(THREADS), launch, c);
}
