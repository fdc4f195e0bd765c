/*
 * The checksum on a GPU: the sum of all words, each mixed with its place.
 */
#include "harness/kit/checksum.h"

#include <cuda_runtime.h>

#include "harness/kit/device.h"

#define THREADS 256

/* The finalizer of SplitMix64: Steele, Lea, Flood, "Fast Splittable Pseudorandom Number
 * Generators", 2014. */
static __device__ unsigned long long mix(unsigned long long z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static __global__ void verify_checksum(unsigned long long *sum, const unsigned char *x,
                                       size_t bytes)
{
    size_t stride = (size_t)gridDim.x * blockDim.x;
    bool words = (size_t)x % 4 == 0;
    size_t whole = words ? bytes / 4 : 0;
    unsigned long long own = 0;

    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < whole; i += stride)
        own += mix((i << 32) + ((const unsigned *)x)[i]);
    for (size_t i = 4 * whole + (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < bytes;
         i += stride)
        own += mix(~((i << 8) + x[i]));
    for (int lanes = 16; lanes > 0; lanes /= 2)
        own += __shfl_down_sync(0xffffffff, own, lanes);
    if (threadIdx.x % 32 == 0)
        atomicAdd(sum, own);
}

int checksum(const struct device_stream *place, const void *device, const void *host, size_t bytes,
             uint64_t *sum)
{
    void *total = NULL;
    unsigned long long found = 0;
    int status = device_use(place->device);

    (void)host;
    if (status == 0)
        status = device_scratch(&total, sizeof(found));
    if (status == 0)
        status = device_check(cudaMemsetAsync(total, 0, sizeof(found), place->stream));
    if (status == 0 && bytes > 0) {
        verify_checksum<<<device_full_grid(THREADS), THREADS, 0, place->stream>>>(
            (unsigned long long *)total, (const unsigned char *)device, bytes);
        status = device_check(cudaGetLastError());
    }
    if (status == 0)
        status = device_copy(place, &found, total, sizeof(found));
    *sum = found;
    return status;
}
