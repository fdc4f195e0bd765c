/*
 * On a GPU: a kernel.
 */
#include "harness/kit/opposite.h"

#include <cuda_runtime.h>

#include "harness/kit/checksum.h"
#include "harness/kit/device.h"

#define THREADS 256

static __global__ void verify_opposite(void *x, size_t n, size_t bytes, bool real)
{
    size_t stride = (size_t)gridDim.x * blockDim.x;

    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        turn_element(x, i, bytes, real);
}

int opposite(const struct device_stream *place, void *device, size_t elements, size_t bytes,
             bool real)
{
    uint64_t unused;
    int status = device_use(place->device);

    if (status != 0 || elements == 0)
        return status;
    verify_opposite<<<device_full_grid(THREADS), THREADS, 0, place->stream>>>(device, elements,
                                                                              bytes, real);
    status = device_check(cudaGetLastError());
    return status == 0 ? checksum(place, device, NULL, elements * bytes, &unused) : status;
}
