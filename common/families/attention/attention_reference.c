/*
 * The reference and the comparison on the CPU device: loops of the host over device memory, which
 * is the host's.
 */
#include "families/attention/attention_reference.h"

#include <cuda_runtime_api.h>

#include "families/attention/attention.h"
#include "harness/kit/device.h"
#include "harness/kit/parallel.h"

#define QUERY_WEIGHT 4096 /* elements that a query stands for in the host's loop */

struct loop {
    struct expected *expected;
    const struct problem *problem;
};

/* Query number `row` of all heads. */
static void expect_query(struct expected *expected, const struct problem *p, size_t row)
{
    struct mean means[ATTENTION_MOST_DIM] = {{0}};
    struct query query = {.max = -INFINITY};
    size_t first = row / p->length * p->length, dim = (size_t)p->dim;
    size_t behind = p->causal ? row + 1 : first + p->length;

    for (size_t key = first; key < behind; key++) {
        struct score s = attention_score(p, row * dim, key * dim);

        query_max(&query, &s);
    }
    for (size_t key = first; key < behind; key++) {
        struct score s = attention_score(p, row * dim, key * dim);
        struct share share = query_share(&query, &s, p->type);

        for (size_t d = 0; d < dim; d++)
            mean_add(&means[d], &share, float_at(p->v, p->type, key * dim + d), p);
    }
    for (size_t d = 0; d < dim; d++)
        expected[row * dim + d] = mean_expected(&means[d], &query, p);
}

static void expect_chunk(void *context, size_t chunk, size_t begin, size_t end)
{
    const struct loop *loop = (const struct loop *)context;

    (void)chunk;
    for (size_t row = begin / QUERY_WEIGHT; row < end / QUERY_WEIGHT; row++)
        expect_query(loop->expected, loop->problem, row);
}

int attention_reference(struct expected *expected, const struct problem *p)
{
    struct loop loop = {expected, p};
    int status = device_check(cudaDeviceSynchronize());

    if (status == 0)
        parallel_for(p->heads * p->length * QUERY_WEIGHT, expect_chunk, &loop);
    return status;
}

static void compare_elements(struct worst *own, const void *context, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++)
        compare_attention(own, (const struct comparison *)context, i);
}

int attention_compare(struct worst *worst, const struct comparison *c)
{
    int status = device_check(cudaDeviceSynchronize());

    if (status == 0)
        worst_on_host(worst, c->elements, compare_elements, c);
    return status;
}
