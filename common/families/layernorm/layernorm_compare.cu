/*
 * The comparison on a GPU: of short rows each warp takes one in turn, of long ones each block; and one worst
 * element per block, which the host joins.
 */
#include "families/layernorm/layernorm_compare.h"

#include <cuda_runtime.h>

#include "harness/kit/device.h"
#include "harness/kit/join.h"

#define THREADS 128

static __device__ void add_part(struct row *r, const struct row *other)
{
    r->sum += other->sum;
    r->magnitude += other->magnitude;
    r->deviations += other->deviations;
    r->squares += other->squares;
    r->undefined |= other->undefined;
}

/* WARPS of a block's warps have a row. */
template <int WARPS>
static __global__ void verify_layernorm(struct worst *worst, struct comparison c)
{
    __shared__ struct worst own[THREADS];
    struct worst *w = &own[threadIdx.x];
    const unsigned each = WARPS * 32, per_block = THREADS / each;

    memset(w, 0, sizeof(*w));
    w->part = -1;
    for (size_t row = (size_t)blockIdx.x * per_block + threadIdx.x / each; row < c.rows;
         row += (size_t)gridDim.x * per_block) {
        size_t first = row * c.cols + threadIdx.x % each, behind = (row + 1) * c.cols;
        struct row means = {}, r = {};
        struct normal normal;

        for (size_t i = first; i < behind; i += each)
            row_mean(&means, float_at(c.in, c.type, i));
        join_parts<WARPS>(&means, add_part);
        for (size_t i = first; i < behind; i += each)
            row_variance(&r, float_at(c.in, c.type, i), means.sum / (double)c.cols);
        join_parts<WARPS>(&r, add_part);
        means.deviations = r.deviations;
        means.squares = r.squares;
        normal = row_normal(&means, &c);
        for (size_t i = first; i < behind; i += each)
            compare_layernorm(w, &c, &normal, i);
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
    const struct comparison *c = (const struct comparison *)context;

    if (c->cols < LONG_ROW)
        verify_layernorm<1><<<(unsigned)blocks, THREADS>>>(device, *c);
    else
        verify_layernorm<THREADS / 32><<<(unsigned)blocks, THREADS>>>(device, *c);
}

int layernorm_compare(const struct comparison *c, struct worst *worst)
{
    return worst_on_device(worst, (size_t)device_full_grid(THREADS), launch, c);
}
