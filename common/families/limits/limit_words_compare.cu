/*
 * The comparison on a GPU: a thread for every so many words, and one difference for all.
 */
#include "families/limits/limit_words.h"

#include <climits>
#include <cuda_runtime.h>

#include "harness/kit/device.h"

#define THREADS 256

static __global__ void verify_words(struct word_difference *d, const unsigned *y, size_t n,
                                    size_t step, unsigned poison)
{
    size_t stride = (size_t)gridDim.x * blockDim.x;
    unsigned long long count = 0, first = ULLONG_MAX;

    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        if (y[i] != word_wanted(i, n, step, poison) && count++ == 0)
            first = i;
    }
    if (count == 0)
        return;
    atomicAdd(&d->count, count);
    atomicMin(&d->first, first);
}

int words_compare(struct buffer *y, size_t n, size_t step, struct word_difference *d)
{
    struct word_difference *kept;
    unsigned poison = 0x01010101u * (unsigned)y->poison;
    int status = device_scratch((void **)&kept, sizeof(*kept));

    d->count = 0;
    d->first = ULLONG_MAX;
    if (status == 0)
        status = device_check(cudaMemcpy(kept, d, sizeof(*kept), cudaMemcpyHostToDevice));
    if (status == 0) {
        verify_words<<<device_full_grid(THREADS), THREADS>>>(kept, (const unsigned *)y->device, n,
                                                             step, poison);
        status = device_check(cudaGetLastError());
    }
    return status == 0 ? device_check(cudaMemcpy(d, kept, sizeof(*kept), cudaMemcpyDeviceToHost))
                       : status;
}
