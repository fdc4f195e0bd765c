/*
 * The comparison on a GPU: a row per block in turn, and one worst element per block, which the host
 * joins.
 */
#include "families/softmax/softmax_compare.h"

#include <cuda_runtime.h>

#include "harness/kit/device.h"

#define THREADS 128

/* All threads' parts of a row as one, in all threads. */
static __device__ void join(struct row *part, struct row *r)
{
    __syncthreads(); /* all have what was joined before */
    part[threadIdx.x] = *r;
    __syncthreads();
    *r = part[0];
    for (int t = 1; t < THREADS; t++) {
        r->max = part[t].max > r->max ? part[t].max : r->max;
        r->sum += part[t].sum;
        r->spread += part[t].spread;
        r->undefined |= part[t].undefined;
    }
}

static __global__ void verify_softmax(struct worst *worst, struct comparison c)
{
    __shared__ struct worst own[THREADS];
    __shared__ struct row part[THREADS];
    struct worst *w = &own[threadIdx.x];

    memset(w, 0, sizeof(*w));
    w->part = -1;
    for (size_t row = blockIdx.x; row < c.rows; row += gridDim.x) {
        size_t first = row * c.cols, behind = first + c.cols;
        struct row r = {-INFINITY, 0, 0, false};

        for (size_t i = first + threadIdx.x; i < behind; i += THREADS)
            row_max(&r, float_at(c.in, c.type, i));
        join(part, &r);
        for (size_t i = first + threadIdx.x; i < behind; i += THREADS)
            row_sum(&r, float_at(c.in, c.type, i));
        join(part, &r);
        for (size_t i = first + threadIdx.x; i < behind; i += THREADS)
            compare_softmax(w, &c, &r, i);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int t = 1; t < THREADS; t++)
            worst_of(w, &own[t]);
        worst[blockIdx.x] = *w;
    }
}

static void launch(struct worst *device, size_t blocks, const void *context)
{
    verify_softmax<<<(unsigned)blocks, THREADS>>>(device, *(const struct comparison *)context);
}

int softmax_compare(const struct comparison *c, struct worst *worst)
{
    return worst_on_device(worst, (size_t)device_full_grid(THREADS), launch, c);
}
