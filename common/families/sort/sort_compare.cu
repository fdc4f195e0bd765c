/*
 * The comparison on a GPU: a thread per span, and one disorder for all.
 */
#include "families/sort/sort_compare.h"

#include <climits>
#include <cuda_runtime.h>

#include "families/sort/sort_input.h"
#include "harness/kit/device.h"
#include "harness/kit/input_values.h"

#define THREADS 256

/* A block takes THREADS spans; a thread every THREADS-th key of them, so that loads are side by side. */
static __global__ void verify_sort(struct disorder *d, struct comparison c,
                                   struct compared_arrays a)
{
    size_t begin = (size_t)blockIdx.x * THREADS * SORT_SPAN;
    struct disorder own = {0, ULLONG_MAX, {0, 0}};

    for (size_t k = 0, i = begin + threadIdx.x; k < SORT_SPAN && i < c.n; k++, i += THREADS) {
        struct disorder one = {0, 0, {0, 0}};

        compare_span(&one, &c, &a, i, i + 1);
        if (one.count > 0 && own.count++ == 0)
            own.first = i;
        own.sums[0] += one.sums[0];
        own.sums[1] += one.sums[1];
    }
    if (own.count > 0) {
        atomicAdd(&d->count, own.count);
        atomicMin(&d->first, own.first);
    }
    for (int k = 0; k < 2; k++) {
        for (int far = 16; far > 0; far /= 2)
            own.sums[k] += __shfl_down_sync(0xffffffff, own.sums[k], far);
        if (threadIdx.x % 32 == 0)
            atomicAdd(&d->sums[k], own.sums[k]);
    }
}

static __global__ void verify_keys(uint32_t *x, size_t n, uint64_t mixed)
{
    size_t stride = (size_t)gridDim.x * blockDim.x;

    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        x[i] = (uint32_t)(input_sequence(mixed, i) >> 32);
}

int sort_fill_device(const struct device_stream *place, void *x, size_t n, uint64_t seed)
{
    int status = device_use(place->device);

    if (status != 0 || n == 0)
        return status;
    verify_keys<<<device_full_grid(THREADS), THREADS, 0, place->stream>>>((uint32_t *)x, n,
                                                                          input_mix(seed));
    return device_check(cudaGetLastError());
}

int sort_compare(const struct comparison *c, struct disorder *disorder)
{
    struct disorder *kept, none = {0, ULLONG_MAX, {0, 0}};
    struct compared_arrays a = {c->x->device, c->y->device,
                                c->values ? (const unsigned *)c->values->device : NULL};
    size_t blocks = c->n / (SORT_SPAN * THREADS) + 1;
    int status = device_scratch((void **)&kept, sizeof(*kept));

    if (status == 0)
        status = device_check(cudaMemcpy(kept, &none, sizeof(*kept), cudaMemcpyHostToDevice));
    if (status == 0) {
        verify_sort<<<(unsigned)blocks, THREADS>>>(kept, *c, a);
        status = device_check(cudaGetLastError());
    }
    return status == 0
               ? device_check(cudaMemcpy(disorder, kept, sizeof(*kept), cudaMemcpyDeviceToHost))
               : status;
}
