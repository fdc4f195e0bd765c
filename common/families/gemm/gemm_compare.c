/*
 * The comparison on the CPU device: loops of the host over the device's memory, which is the
 * host's.
 */
#include "families/gemm/gemm_compare.h"

#include <string.h>

#include <cuda_runtime_api.h>

#include "harness/kit/device.h"
#include "harness/kit/parallel.h"

#define ROW_WEIGHT 4096 /* elements that a row stands for in the host's loops */

int gemm_compare_open(struct comparison *c)
{
    (void)c;
    return 0;
}

void gemm_compare_close(struct comparison *c)
{
    (void)c;
}

static void sum_chunk(void *context, size_t chunk, size_t begin, size_t end)
{
    struct comparison *c = (struct comparison *)context;
    const float *at = (const float *)c->c->device;
    size_t length = c->turned ? c->m : c->n;
    size_t down = c->turned ? 1 : c->ldc, across = c->turned ? c->ldc : 1;

    (void)chunk;
    for (size_t i = begin / ROW_WEIGHT; i < end / ROW_WEIGHT; i++) {
        memset(c->sums[i], 0, sizeof(c->sums[i]));
        for (size_t j = 0; j < length; j++) {
            double x = at[i * down + j * across];

            for (int r = 0; r < PRODUCT_CHECKS; r++)
                c->sums[i][r] += c->signs[j] >> r & 1 ? -x : x;
        }
    }
}

int gemm_compare(struct comparison *c)
{
    const unsigned *now = (const unsigned *)c->c->device;
    const unsigned *before = (const unsigned *)(c->before ? c->before->device : NULL);
    const float *at = (const float *)c->c->device;
    int status = device_check(cudaDeviceSynchronize());

    if (status != 0)
        return status;
    parallel_for((c->turned ? c->n : c->m) * ROW_WEIGHT, sum_chunk, c);
    for (size_t s = 0; s < c->samples; s++)
        c->sampled[s] = at[c->places[s]];
    c->between = 0;
    for (size_t i = 0; i < c->m; i++) {
        for (size_t j = c->n; j < c->ldc; j++)
            c->between += gemm_unlike(now, before, i * c->ldc + j);
    }
    return 0;
}
