/*
 * The matrices on a GPU: kernels fill and compare them, a thread per element.
 */
#include "harness/kit/matrix.h"

#include <climits>
#include <cuda_runtime.h>

#include "harness/kit/checksum.h"
#include "harness/kit/device.h"

#define THREADS 256

static __global__ void verify_fill(uint32_t *x, size_t n)
{
    size_t stride = (size_t)gridDim.x * blockDim.x;

    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        x[i] = word_at(i);
}

static __global__ void verify_matrix(struct difference *d, const uint32_t *x, struct matrix m)
{
    size_t n = m.rows * m.cols, stride = (size_t)gridDim.x * blockDim.x;

    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        if (x[i] != wanted(&m, i / m.cols, i % m.cols)) {
            atomicAdd(&d->count, 1);
            atomicMin(&d->first, (unsigned long long)i);
        }
    }
}

int matrix_fill(struct buffer *in, size_t n)
{
    matrix_fill_host((uint32_t *)in->host, in->host_capacity);
    verify_fill<<<device_full_grid(THREADS), THREADS>>>((uint32_t *)in->device, n);
    return checksum(&in->place, in->device, in->host, n * in->bytes, &in->state.checksum);
}

int matrix_compare(struct buffer *out, const struct matrix *m, struct difference *d)
{
    struct difference *kept;
    const uint32_t *x = (const uint32_t *)out->device;
    int status = device_scratch((void **)&kept, sizeof(*kept));

    d->count = 0;
    d->first = ULLONG_MAX;
    d->found = 0;
    if (status == 0)
        status = device_check(cudaMemcpy(kept, d, sizeof(*d), cudaMemcpyHostToDevice));
    if (status == 0) {
        verify_matrix<<<device_full_grid(THREADS), THREADS>>>(kept, x, *m);
        status = device_check(cudaMemcpy(d, kept, sizeof(*d), cudaMemcpyDeviceToHost));
    }
    if (status == 0 && d->count)
        status = device_check(
            cudaMemcpy(&d->found, x + d->first, sizeof(d->found), cudaMemcpyDeviceToHost));
    return status;
}
