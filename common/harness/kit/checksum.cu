/*
 * The checksum on a GPU: the sum of all words of 8 bytes, each mixed with its place.
 */
#include "harness/kit/checksum.h"

#include <cuda_runtime.h>

#include "harness/kit/device.h"

#define THREADS 256
#define WEYL 0x9e3779b97f4a7c15u /* SplitMix64's own step from state to state */

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
    size_t first = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t head = min(bytes, (size_t)(-(size_t)x & 15)), pairs = (bytes - head) / 16;
    const ulonglong2 *wide = (const ulonglong2 *)(x + head);
    unsigned long long own = 0;

    for (size_t i = first; i < pairs; i += stride)
        own += mix(wide[i].x + 2 * i * WEYL) + mix(wide[i].y + (2 * i + 1) * WEYL);
    for (size_t i = first; i < bytes - 16 * pairs; i += stride) { /* what stands around them */
        size_t at = i < head ? i : 16 * pairs + i;

        own += mix(~((at << 8) + x[at]));
    }
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

size_t first_changed(const void *device, const void *host, size_t bytes)
{
    (void)device;
    (void)host;
    return bytes;
}
