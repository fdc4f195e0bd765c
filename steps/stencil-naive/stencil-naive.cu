/*
 * stencil-naive: a thread per element of a matrix
 *
 * Idea      A stencil computes each element from its neighbours: here the sum of an element and of those
 *           above, below, left and right of it. Blocks and the grid have two dimensions, as the
 *           matrix has: x runs along a row, y down the rows.
 * Since     add had one dimension, and no element depended on its neighbours.
 * Expect    Each element is loaded five times, four of them from a cache. With x down the rows, the
 *           lanes of a warp lie a row apart, and each request touches 32 sectors instead of 4.
 * Source    CUDA guide, "Thread Hierarchy"; Kirk and Hwu, on stencils.
 */
#include "families/stencil/stencil.h"

/* The element at (row, col), and 0 outside of the matrix. One row before row 0 the number wraps to the
 * largest that there is, which is outside, too. */
static __device__ element at(const element *in, size_t rows, size_t cols, size_t row, size_t col)
{
    return row < rows && col < cols ? in[row * cols + col] : 0;
}

static __device__ element sum_at(const element *in, size_t rows, size_t cols, size_t row,
                                 size_t col)
{
    return at(in, rows, cols, row, col) + at(in, rows, cols, row - 1, col) +
           at(in, rows, cols, row + 1, col) + at(in, rows, cols, row, col - 1) +
           at(in, rows, cols, row, col + 1);
}

/* x runs along a row: the lanes of a warp load 32 neighbours. */
__global__ void stencil_plane(element *out, const element *in, size_t rows, size_t cols)
{
    size_t col = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t row = (size_t)blockIdx.y * blockDim.y + threadIdx.y;

    if (row < rows && col < cols)
        out[row * cols + col] = sum_at(in, rows, cols, row, col);
}

/* The same with the two exchanged: x runs down the rows. */
__global__ void stencil_turned(element *out, const element *in, size_t rows, size_t cols)
{
    size_t row = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t col = (size_t)blockIdx.y * blockDim.y + threadIdx.y;

    if (row < rows && col < cols)
        out[row * cols + col] = sum_at(in, rows, cols, row, col);
}

/* As many blocks as cover width x height elements; the last ones may reach past the end. */
static dim3 grid_over(size_t width, size_t height, dim3 block)
{
    return dim3((unsigned)((width + block.x - 1) / block.x),
                (unsigned)((height + block.y - 1) / block.y));
}

static void plane(struct work *w)
{
    dim3 block(32, w->threads / 32);

    if (w->rows > 0 && w->cols > 0) /* a grid without blocks is an error */
        stencil_plane<<<grid_over(w->cols, w->rows, block), block>>>(w->out, w->in, w->rows,
                                                                     w->cols);
}

static void turned(struct work *w)
{
    dim3 block(32, w->threads / 32);

    if (w->rows > 0 && w->cols > 0)
        stencil_turned<<<grid_over(w->rows, w->cols, block), block>>>(w->out, w->in, w->rows,
                                                                      w->cols);
}

static const struct variant variants[] = {
    {"turned", "x runs down the rows: a warp lies across 32 rows", turned,
     WHOLE_WARPS | ROWS_ALONG_X},
    {"plane", "x runs along a row: a warp lies in one row", plane, WHOLE_WARPS},
};

STEP("stencil-naive", stencil_family, variants);
