/*
 * The comparison on a GPU: one thread per element, in a grid-stride loop.
 */
#include "families/elementwise/elementwise_compare.h"

#include <climits>
#include <cuda_runtime.h>

#include "harness/kit/device.h"

#define THREADS 256

static __global__ void verify_sums(struct difference *d, struct comparison c)
{
    size_t stride = (size_t)gridDim.x * blockDim.x;

    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < c.n; i += stride) {
        if (!is_sum(c.c[i], c.a[i], c.b[i], c.floats)) {
            atomicAdd(&d->count, 1);
            atomicMin(&d->first, (unsigned long long)i);
        }
    }
}

int elementwise_compare(const struct comparison *c, struct difference *difference)
{
    struct difference *kept;
    int status = device_scratch((void **)&kept, sizeof(*kept));

    difference->count = 0;
    difference->first = ULLONG_MAX;
    if (status == 0)
        status = device_check(cudaMemcpy(kept, difference, sizeof(*kept), cudaMemcpyHostToDevice));
    if (status == 0) {
        verify_sums<<<device_full_grid(THREADS), THREADS>>>(kept, *c);
        status = device_check(cudaGetLastError());
    }
    return status == 0
               ? device_check(cudaMemcpy(difference, kept, sizeof(*kept), cudaMemcpyDeviceToHost))
               : status;
}
