/*
 * On a GPU: a kernel.
 */
#include "harness/kit/opposite.h"

#include <cuda_runtime.h>

#include "harness/kit/checksum.h"
#include "harness/kit/device.h"

#define THREADS 256

static __global__ void verify_opposite(uint32_t *x, size_t n, bool real)
{
    size_t stride = (size_t)gridDim.x * blockDim.x;

    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        x[i] = opposite_of(x[i], real);
}

int opposite(const struct device_stream *place, void *device, size_t elements, bool real)
{
    uint64_t unused;
    int status = device_use(place->device);

    if (status != 0 || elements == 0)
        return status;
    verify_opposite<<<device_full_grid(THREADS), THREADS, 0, place->stream>>>((uint32_t *)device,
                                                                              elements, real);
    status = device_check(cudaGetLastError());
    return status == 0 ? checksum(place, device, NULL, elements * sizeof(uint32_t), &unused)
                       : status;
}

static __global__ void verify_opposite_halves(uint16_t *x, size_t n)
{
    size_t stride = (size_t)gridDim.x * blockDim.x;

    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        x[i] = opposite_of_half(x[i]);
}

int opposite_halves(const struct device_stream *place, void *device, size_t elements)
{
    uint64_t unused;
    int status = device_use(place->device);

    if (status != 0 || elements == 0)
        return status;
    verify_opposite_halves<<<device_full_grid(THREADS), THREADS, 0, place->stream>>>(
        (uint16_t *)device, elements);
    status = device_check(cudaGetLastError());
    return status == 0 ? checksum(place, device, NULL, elements * sizeof(uint16_t), &unused)
                       : status;
}
