/* Faults that only some launch shapes show. The second pass of "as-published" has as many threads
 * as the first has blocks, and a tree that halves: with 270 blocks it drops terms without a word,
 * as a program published with a course did (264 or 270 blocks: right only for a power of two). */
#include "families/reduce/reduce.h"

__global__ void sum_blocks(element *partial, const element *x, size_t n)
{
    extern __shared__ element s[];
    unsigned t = threadIdx.x;
    element sum = 0;

    for (size_t i = (size_t)blockIdx.x * blockDim.x + t; i < n; i += (size_t)gridDim.x * blockDim.x)
        sum += x[i];
    s[t] = sum;
    __syncthreads();
    for (unsigned k = blockDim.x / 2; k > 0; k /= 2) {
        if (t < k)
            s[t] += s[t + k];
        __syncthreads();
    }
    if (t == 0)
        partial[blockIdx.x] = s[0];
}

static void as_published(struct work *w)
{
    sum_blocks<<<w->blocks, w->threads, w->threads * sizeof(element)>>>(w->partial, w->x, w->n);
    sum_blocks<<<1, w->blocks, w->blocks * sizeof(element)>>>(w->sum, w->partial, w->blocks);
}

static void no_rule(struct work *w)
{
    sum_blocks<<<w->blocks, w->threads, w->threads * sizeof(element)>>>(w->partial, w->x, w->n);
    sum_blocks<<<1, w->threads, w->threads * sizeof(element)>>>(w->sum, w->partial, w->blocks);
}

/* One element a thread, and no loop: what is beyond the grid is not read. */
__global__ void add_own(element *sum, const element *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        atomicAdd(sum, x[i]);
}

static void grid_too_small(struct work *w)
{
    cudaMemsetAsync(w->sum, 0, sizeof(element));
    add_own<<<w->blocks, w->threads>>>(w->sum, w->x, w->n);
}

static double chain(const struct shape *s)
{
    return (double)s->n;
}

static const struct variant variants[] = {
    {"as-published", "the second pass has a thread a block", as_published, 0},
    {"no-rule", "a power of two is needed, but not asked for", no_rule, 0},
    {"grid-too-small", "one element a thread", grid_too_small, 0, chain},
};

STEP("shape", reduce_family, variants);
