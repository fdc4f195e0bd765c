/*
 * reduce1: a sum per thread first
 *
 * Idea      Give each thread of a grid that just fills the device a slice of the array, and let it
 *           add the slice up in a register. The slice is strided: neighbouring threads read
 *           neighbouring elements, so a warp's load is one coalesced request.
 * Since     reduce0 moved every partial sum through global memory at each of lg n halvings.
 * Expect    x is read once. Three launches are left: the whole grid, one block, one thread. In the
 *           second each thread adds as many sums as the grid has blocks, each load a wait.
 * Source    Ladder 2022, after a course, and R. Ansorge, "Programming in Parallel with CUDA", 2.4.
 */
#include "families/reduce/reduce.h"

/* Thread t of the grid leaves the sum of x[t], x[t + stride], ... in out[t]; stride is the number
 * of threads, so with out == x a thread reads only what no other thread writes. */
__global__ void sum_slices(element *out, const element *x, size_t n)
{
    size_t thread = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t stride = (size_t)gridDim.x * blockDim.x;
    element sum = 0;

    for (size_t i = thread; i < n; i += stride)
        sum += x[i];
    if (thread < n || thread == 0)
        out[thread] = sum;
}

static void slices(struct work *w)
{
    size_t grid = (size_t)w->blocks * w->threads;
    size_t block = w->threads;

    if (grid > w->n)
        grid = w->n; /* threads beyond n have nothing to say */
    if (block > grid)
        block = grid;
    sum_slices<<<w->blocks, w->threads>>>(w->x, w->x, w->n);
    sum_slices<<<1, w->threads>>>(w->x, w->x, grid);
    sum_slices<<<1, 1>>>(w->sum, w->x, block);
}

static const struct variant variants[] = {
    {"slices", "a strided slice a thread, in three launches", slices, DESTROYS_INPUT,
     reduce_depth_threads},
};

STEP("reduce1", reduce_family, variants);
