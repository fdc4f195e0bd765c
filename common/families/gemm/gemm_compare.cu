/*
 * The comparison on a GPU: a block per row for the sums, a thread per element of the sample.
 */
#include "families/gemm/gemm_compare.h"

#include <cuda_runtime.h>

#include "harness/kit/device.h"

#define THREADS 256

enum { SIGNS, PLACES, SUMS, SAMPLED };

/* down, across: from a row of the check to the next, and from an element of it to the next. */
static __global__ void verify_rows(double *sums, const float *c, size_t rows, size_t length,
                                   size_t down, size_t across, const unsigned char *signs)
{
    __shared__ double part[THREADS / 32][PRODUCT_CHECKS];
    unsigned t = threadIdx.x;

    for (size_t i = blockIdx.x; i < rows; i += gridDim.x) {
        double sum[PRODUCT_CHECKS] = {0};

        for (size_t j = t; j < length; j += THREADS) {
            double x = c[i * down + j * across];

            for (int r = 0; r < PRODUCT_CHECKS; r++)
                sum[r] += signs[j] >> r & 1 ? -x : x;
        }
        for (int r = 0; r < PRODUCT_CHECKS; r++) {
            for (int k = 16; k > 0; k /= 2)
                sum[r] += __shfl_down_sync(0xffffffff, sum[r], k);
            if (t % 32 == 0)
                part[t / 32][r] = sum[r];
        }
        __syncthreads();
        if (t < PRODUCT_CHECKS) {
            for (int warp = 1; warp < THREADS / 32; warp++)
                part[0][t] += part[warp][t];
            sums[i * PRODUCT_CHECKS + t] = part[0][t];
        }
        __syncthreads();
    }
}

static __global__ void verify_sample(float *sampled, const float *c, const size_t *places, size_t n)
{
    size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;

    if (i < n)
        sampled[i] = c[places[i]];
}

static __global__ void verify_between(unsigned long long *unlike, const unsigned *now,
                                      const unsigned *before, size_t m, size_t n, size_t ldc)
{
    size_t pad = ldc - n, stride = (size_t)gridDim.x * THREADS;
    unsigned long long own = 0;

    for (size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x; i < m * pad; i += stride)
        own += gemm_unlike(now, before, i / pad * ldc + n + i % pad);
    if (own)
        atomicAdd(unlike, own);
}

static size_t rows_of(const struct comparison *c)
{
    return c->turned ? c->n : c->m;
}

static size_t sums_of(const struct comparison *c)
{
    return rows_of(c) * sizeof(*c->sums);
}

void gemm_compare_close(struct comparison *c)
{
    for (size_t i = 0; i < COUNT(c->device); i++) {
        device_free(c->device[i]);
        c->device[i] = NULL;
    }
}

int gemm_compare_open(struct comparison *c)
{
    size_t length = c->turned ? c->m : c->n;
    int status;

    gemm_compare_close(c);
    status = device_alloc(&c->device[SIGNS], length, "the comparison");
    if (status == 0)
        status =
            device_alloc(&c->device[PLACES], c->samples * sizeof(*c->places), "the comparison");
    if (status == 0)
        status = device_alloc(&c->device[SUMS], sums_of(c) + sizeof(c->between), "the comparison");
    if (status == 0)
        status = device_alloc(&c->device[SAMPLED], c->samples * sizeof(float), "the comparison");
    if (status == 0)
        status =
            device_check(cudaMemcpy(c->device[SIGNS], c->signs, length, cudaMemcpyHostToDevice));
    return status == 0
               ? device_check(cudaMemcpy(c->device[PLACES], c->places,
                                         c->samples * sizeof(*c->places), cudaMemcpyHostToDevice))
               : status;
}

static unsigned blocks_for(size_t n)
{
    size_t blocks = n / THREADS + 1;

    return (unsigned)(blocks < 65536 ? blocks : 65536);
}

int gemm_compare(struct comparison *c)
{
    const float *at = (const float *)c->c->device;
    unsigned long long *unlike = (unsigned long long *)((char *)c->device[SUMS] + sums_of(c));
    size_t rows = rows_of(c), gaps = c->m * (c->ldc - c->n);
    int status = device_check(cudaMemset(unlike, 0, sizeof(*unlike)));

    if (status != 0)
        return status;
    verify_rows<<<(unsigned)(rows < 65536 ? rows : 65536), THREADS>>>(
        (double *)c->device[SUMS], at, rows, c->turned ? c->m : c->n, c->turned ? 1 : c->ldc,
        c->turned ? c->ldc : 1, (const unsigned char *)c->device[SIGNS]);
    verify_sample<<<blocks_for(c->samples), THREADS>>>(
        (float *)c->device[SAMPLED], at, (const size_t *)c->device[PLACES], c->samples);
    if (gaps > 0)
        verify_between<<<blocks_for(gaps), THREADS>>>(
            unlike, (const unsigned *)at, c->before ? (const unsigned *)c->before->device : NULL,
            c->m, c->n, c->ldc);
    status = device_check(cudaGetLastError());
    if (status == 0)
        status =
            device_check(cudaMemcpy(c->sums, c->device[SUMS], sums_of(c), cudaMemcpyDeviceToHost));
    if (status == 0)
        status =
            device_check(cudaMemcpy(&c->between, unlike, sizeof(*unlike), cudaMemcpyDeviceToHost));
    return status == 0
               ? device_check(cudaMemcpy(c->sampled, c->device[SAMPLED], c->samples * sizeof(float),
                                         cudaMemcpyDeviceToHost))
               : status;
}
