/*
 * The reference and the comparison on a GPU: a query per block in turn for the one, an element per
 * thread for the other.
 */
#include "families/attention/attention_reference.h"

#include <cuda_runtime.h>

#include "families/attention/attention.h"
#include "harness/kit/device.h"

#define THREADS 128
#define EACH (ATTENTION_MOST_DIM / THREADS) /* elements of the output that a thread adds up */

/* All threads' parts of a query as one, in all threads. */
static __device__ void join(struct query *part, struct query *q)
{
    __syncthreads(); /* all have what was joined before */
    part[threadIdx.x] = *q;
    __syncthreads();
    *q = part[0];
    for (int t = 1; t < THREADS; t++) {
        q->max = part[t].max > q->max ? part[t].max : q->max;
        q->sum += part[t].sum;
        q->spread += part[t].spread;
        q->open |= part[t].open;
        q->undefined |= part[t].undefined;
    }
}

/* The shares of so many keys at a time, then each thread's elements of their values. */
static __device__ void add_values(struct mean (&means)[EACH], struct query *q,
                                  const struct problem &p, size_t row, size_t first, size_t behind)
{
    __shared__ struct share shares[THREADS];

    for (size_t tile = first; tile < behind; tile += THREADS) {
        size_t key = tile + threadIdx.x, there = behind - tile;

        __syncthreads(); /* all have read the last tile's shares */
        if (key < behind) {
            struct score s = attention_score(&p, row * p.dim, key * p.dim);

            shares[threadIdx.x] = query_share(q, &s, p.type);
        }
        __syncthreads();
        for (int i = 0; i < EACH; i++) {
            int d = (int)threadIdx.x + i * THREADS;

            for (size_t j = 0; j < there && j < THREADS && d < p.dim; j++)
                mean_add(&means[i], &shares[j], float_at(p.v, p.type, (tile + j) * p.dim + d), &p);
        }
    }
}

static __global__ void verify_reference(struct expected *expected, struct problem p)
{
    __shared__ struct query part[THREADS];

    for (size_t row = blockIdx.x; row < p.heads * p.length; row += gridDim.x) {
        size_t first = row / p.length * p.length, behind = p.causal ? row + 1 : first + p.length;
        struct query q = {-INFINITY, 0, 0, false, false};
        struct mean means[EACH] = {};

        for (size_t key = first + threadIdx.x; key < behind; key += THREADS) {
            struct score s = attention_score(&p, row * p.dim, key * p.dim);

            query_max(&q, &s);
        }
        join(part, &q);
        add_values(means, &q, p, row, first, behind);
        join(part, &q);
        for (int i = 0; i < EACH; i++) {
            int d = (int)threadIdx.x + i * THREADS;

            if (d < p.dim)
                expected[row * p.dim + d] = mean_expected(&means[i], &q, &p);
        }
    }
}

static __global__ void verify_attention(struct worst *worst, struct comparison c)
{
    __shared__ struct worst own[THREADS];
    struct worst *w = &own[threadIdx.x];
    size_t stride = (size_t)gridDim.x * THREADS;

    memset(w, 0, sizeof(*w));
    w->part = -1;
    for (size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x; i < c.elements; i += stride)
        compare_attention(w, &c, i);
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int t = 1; t < THREADS; t++)
            worst_of(w, &own[t]);
        worst[blockIdx.x] = *w;
    }
}

int attention_reference(struct expected *expected, const struct problem *p)
{
    if (p->heads == 0) /* a grid without blocks is an error */
        return 0;
    verify_reference<<<(unsigned)device_full_grid(THREADS), THREADS>>>(expected, *p);
    return device_check(cudaGetLastError());
}

static void launch(struct worst *device, size_t blocks, const void *context)
{
    verify_attention<<<(unsigned)blocks, THREADS>>>(device, *(const struct comparison *)context);
}

int attention_compare(struct worst *worst, const struct comparison *c)
{
    return worst_on_device(worst, (size_t)device_full_grid(THREADS), launch, c);
}
