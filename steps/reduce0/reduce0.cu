/*
 * reduce0: halve in global memory
 *
 * Idea      Fold the array in half: x[i] += x[i + m], one thread an addition. Do it again with the
 *           half that is left, one launch per halving, until one element is left.
 * Since     A loop on the host: n - 1 additions one after the other. Here they take ceil(lg n)
 *           steps, because all additions of a halving are independent.
 * Expect    Every halving reads and writes global memory: about 3n elements moved instead of n,
 *           and ceil(lg n) launches, the last ones with hardly any work. It destroys its input.
 * Source    Ladder 2022, after R. Ansorge, "Programming in Parallel with CUDA", 2.4;
 *           there n must be a power of two. Here the upper half may be one shorter.
 */
#include "families/reduce/reduce.h"

/* Add the upper part x[m..n) to the front of x, with n - m <= m. */
__global__ void halve(element *x, size_t m, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n - m)
        x[i] += x[i + m];
}

static void halving(struct work *w)
{
    size_t n = w->n;

    while (n > 1) {
        size_t m = (n + 1) / 2; /* rounded up: with n odd the middle element stays as it is */
        size_t blocks = (n - m + w->threads - 1) / w->threads;

        halve<<<blocks, w->threads>>>(w->x, m, n);
        n = m;
    }
    if (n == 1)
        cudaMemcpyAsync(w->sum, w->x, sizeof(element), cudaMemcpyDeviceToDevice);
    else
        cudaMemsetAsync(w->sum, 0, sizeof(element)); /* no elements: the empty sum */
}

static const struct variant variants[] = {
    {"halving", "one launch per halving, all in global memory", halving,
     DESTROYS_INPUT | GRID_BY_SIZE, reduce_depth_halving},
};

STEP("reduce0", reduce_family, variants);
